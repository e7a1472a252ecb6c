//! What a check found as JSON, for programs.
//!
//! ```text
//! {"engine":"compat","model":"kernel-2018","events":240644,
//!  "lost":{"events":0,"packets":0,"gaps":0},
//!  "losses":[{"stream":"channel0_3","cpu":3,"lost":7805,"unit":"events",
//!             "places":[{"from":120,"to":190}],"incoherences":12}],
//!  "incoherences":[{"fsm":"cpu_fsm","key":"5","ts":1457113582794572361,"event":"syscall_exit_read",
//!                   "state":"usermode","cpu":5,"possible":["syscall"],"previous":1457113582794569892,
//!                   "loss":null}],
//!  "uncertain":[{"fsm":"cpu_fsm","key":"5","from":1457113582794564803,"to":null}]}
//! ```
//!
//! Times are nanoseconds on the clock of the trace. `lost` of a loss is null where nobody counted;
//! it may lie at any of its `places`. `possible` are the states that would have taken the event,
//! `previous` is when the instance was given an event before, `loss` the number (from 0) of the
//! declared loss in between. `to` is null for one that lasts to the end. Everything is listed.

use inference::model::Inconsistency;
use model::Lost;

use super::json::Json;
use crate::answer::{Answer, Window};

pub(crate) fn render(answer: &Answer) -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        head(json, answer);
        json.key("losses").array(&answer.windows, window);
        json.key("incoherences").array(&answer.inconsistencies, |json, found| {
            json.object(|json| {
                inconsistency(json, found);
                json.key("cpu").number_or_null(found.cpu);
                json.key("possible").array(&found.accepted_by, |json, state| json.text(state));
                json.key("previous").number_or_null(found.previous.map(|time| time.0));
                json.key("loss").number_or_null(found.window);
            });
        });
        json.key("uncertain").array(&answer.uncertain, |json, one| {
            json.object(|json| {
                json.key("fsm").text(&one.machine);
                json.key("key").text(&one.instance);
                json.key("from").number(one.from);
                json.key("to").number_or_null(one.to);
            });
        });
    });
    json.out.push(b'\n');
    json.out
}

/// What `check` and `infer` begin with.
pub(super) fn head(json: &mut Json, answer: &Answer) {
    json.key("engine").text(answer.engine);
    json.key("model").text(&answer.model);
    json.key("events").number(answer.events);
    json.key("lost").object(|json| {
        json.key("events").number(answer.losses.total.events);
        json.key("packets").number(answer.losses.total.packets);
        json.key("gaps").number(answer.losses.total.gaps);
    });
}

/// The members of an incoherence that both have.
pub(super) fn inconsistency(json: &mut Json, found: &Inconsistency) {
    json.key("fsm").text(&found.machine);
    json.key("key").text(&found.instance);
    json.key("ts").number(found.time.0);
    json.key("event").text(&found.event);
    json.key("state").text(&found.states.join("|"));
}

fn window(json: &mut Json, window: &Window) {
    json.object(|json| {
        json.key("stream").text(&window.stream);
        json.key("cpu").number_or_null(window.cpu);
        let (lost, unit) = match window.lost {
            Lost::Events(count) => (Some(count), "events"),
            Lost::Packets(count) => (Some(count), "packets"),
            Lost::Unknown => (None, "events"),
        };
        json.key("lost").number_or_null(lost);
        json.key("unit").text(unit);
        json.key("places").array(&window.places, |json, &(from, to)| {
            json.object(|json| {
                json.key("from").number_or_null(from);
                json.key("to").number_or_null(to);
            });
        });
        json.key("incoherences").number(window.inconsistencies);
    });
}
