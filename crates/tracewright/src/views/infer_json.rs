//! What an engine inferred as JSON, for programs.
//!
//! ```text
//! {"engine":"compat","model":"kernel-2018","events":240644,
//!  "lost":{"events":0,"packets":0,"gaps":0},
//!  "incoherences":[{"fsm":"cpu_fsm","key":"5","ts":1457113582794572361,"event":"syscall_exit_read","state":"usermode"}],
//!  "inferred":[{"ts":1457113582794570715,"from":1457113582794569892,"to":1457113582794572361,
//!               "name":"sched_switch","cpu":5,"fsm":"cpu_fsm","key":"5",
//!               "fields":{"prev_tid":0,"next_tid":869},"alternatives":{"next_tid":[869,870]},
//!               "probability":null}]}
//! ```
//!
//! Each inferred event lies in `from..to`; `ts` is a point in it, for drawing. `fields` has one value
//! for each field, `alternatives` all values of those fields that may have several, best first.
//! Where these are more than the list shows, `more_alternatives` says for each field how many are left
//! out. `alternative_probabilities` says of each listed value how probable it is that there was the event and had
//! it, so the values of a field and the event's own probability go together. `probability` is null where the
//! engine does not weigh. An engine that can say why adds a `reason`,
//! one sentence; `names` are other names that the event may have, best first, with
//! their `name_probabilities`; `only_way` says that nothing
//! else fits what was observed.

use super::check_json::{head, misfit};
use super::json::Json;
use crate::answer::{Answer, Known, Missing};

pub(crate) fn render(answer: &Answer) -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        head(json, answer);
        json.key("incoherences").array(&answer.misfits, |json, found| {
            json.object(|json| {
                misfit(json, found);
                if let Some(reason) = &found.reason {
                    json.key("reason").text(reason);
                }
            });
        });
        json.key("inferred").array(&answer.inferred, missing);
    });
    json.out.push(b'\n');
    json.out
}

/// One inferred event.
pub(super) fn missing(json: &mut Json, event: &Missing) {
    json.object(|json| {
        json.key("ts").number(event.time);
        json.key("from").number(event.from);
        json.key("to").number(event.to);
        json.key("name").text(&event.name);
        json.key("cpu").number_or_null(event.cpu);
        json.key("fsm").text(&event.fsm);
        json.key("key").text(&event.key);
        json.key("fields").object(|json| {
            for field in &event.fields {
                known(json.key(&field.name), &field.value);
            }
        });
        json.key("alternatives").object(|json| {
            for field in event.fields.iter().filter(|field| field.possible > 1) {
                json.key(&field.name).array(&field.alternatives, known);
            }
        });
        let weighed = || event.fields.iter().filter(|field| field.possible > 1 && !field.odds.is_empty());
        if weighed().next().is_some() {
            json.key("alternative_probabilities").object(|json| {
                for field in weighed() {
                    json.key(&field.name).array(&field.odds, |json, odds| json.number(odds));
                }
            });
        }
        json.key("probability").number_or_null(event.probability.filter(|number| number.is_finite()));
        if event.is_only_way {
            json.key("only_way").bool(true);
        }
        if !event.names.is_empty() {
            json.key("names").array(&event.names, |json, (name, _)| json.text(name));
            json.key("name_probabilities").array(&event.names, |json, (_, odds)| json.number(odds));
        }
        if let Some(reason) = &event.reason {
            json.key("reason").text(reason);
        }
        let cut = || event.fields.iter().filter(|field| field.possible > field.alternatives.len());
        if cut().next().is_some() {
            json.key("more_alternatives").object(|json| {
                for field in cut() {
                    json.key(&field.name).number(field.possible - field.alternatives.len());
                }
            });
        }
    });
}

pub(super) fn known(json: &mut Json, value: &Known) {
    match value {
        Known::Number(number) => json.number(number),
        Known::Text(text) => json.text(text),
    }
}
