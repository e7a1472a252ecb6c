//! What an engine inferred as JSON, for programs.
//!
//! ```text
//! {"engine":"compat","model":"kernel-2018","events":240644,
//!  "lost":{"events":0,"packets":0,"gaps":0},
//!  "incoherences":[{"fsm":"cpu_fsm","key":"5","ts":1457113582794572361,"event":"syscall_exit_read","state":"usermode"}],
//!  "inferred":[{"ts":1457113582794570715,"from":1457113582794569892,"to":1457113582794572361,
//!               "name":"sched_switch","cpu":5,"fsm":"cpu_fsm","key":"5",
//!               "fields":{"prev_tid":0,"next_tid":869},"alternatives":{"next_tid":[869,870]},
//!               "probability":null}],
//!  "calibration":null}
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
//! else fits what was observed. `calibration`: so many events were `deleted` elsewhere in the trace, so many
//! `statements` of the engine compared with them, and what is stated differs from what is true by `error` on average;
//! null where nothing is stated or too little of the trace is intact: then probabilities are stated low.
//! `long_losses`, where there are any: declared losses with too many events to list; in nine of ten `intervals` of that
//! CPU with as many events the number of switches and the time that each thread (null: none) ran lie within `switches`
//! and `ns`; `at_most_ns` holds always.

use inference::evaluate::Calibration;
use inference::model::{InferredEvent, InferredField, LongLoss, Scalar};

use super::check_json::{head, inconsistency};
use super::json::Json;
use crate::answer::Answer;

pub(crate) fn render(answer: &Answer) -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        head(json, answer);
        json.key("incoherences").array(&answer.inconsistencies, |json, found| {
            json.object(|json| {
                inconsistency(json, found);
                if let Some(reason) = &found.sentence {
                    json.key("reason").text(reason);
                }
            });
        });
        json.key("inferred").array(&answer.inferred, missing);
        if !answer.long_losses.is_empty() {
            json.key("long_losses").array(&answer.long_losses, long_loss);
        }
        match &answer.calibration {
            Some(learned) => calibration(json.key("calibration"), learned),
            None => json.key("calibration").null(),
        }
    });
    json.out.push(b'\n');
    json.out
}

/// A loss whose events are not listed.
fn long_loss(json: &mut Json, long: &LongLoss) {
    let pair =
        |json: &mut Json, (from, to): (u64, u64)| json.array([from, to], |json, number| json.number(number));
    json.object(|json| {
        json.key("cpu").number(long.cpu);
        json.key("from").number(long.from.0);
        json.key("to").number(long.to.0);
        pair(json.key("switches"), long.handovers);
        json.key("intervals").number(long.intervals);
        json.key("running").array(&long.running, |json, one| {
            json.object(|json| {
                match &one.instance {
                    Some(thread) => scalar(json.key("thread"), thread),
                    None => json.key("thread").null(),
                }
                pair(json.key("ns"), one.usual);
                json.key("mean_ns").number(one.mean);
                json.key("at_most_ns").number(one.most);
            });
        });
    });
}

/// What the stated probabilities rest on.
pub(super) fn calibration(json: &mut Json, learned: &Calibration) {
    json.object(|json| {
        json.key("deleted").number(learned.deleted);
        json.key("statements").number(learned.statements);
        json.key("error").number(learned.error);
    });
}

/// One inferred event.
pub(super) fn missing(json: &mut Json, event: &InferredEvent) {
    json.object(|json| {
        json.key("ts").number(event.time.0);
        json.key("from").number(event.key.from.0);
        json.key("to").number(event.key.to.0);
        json.key("name").text(&event.key.name);
        json.key("cpu").number_or_null(event.cpu);
        json.key("fsm").text(&event.key.machine);
        json.key("key").text(&event.key.instance);
        json.key("fields").object(|json| {
            for field in &event.fields {
                if let Some(value) = &field.value {
                    scalar(json.key(&field.name), value);
                }
            }
        });
        json.key("alternatives").object(|json| {
            for field in event.fields.iter().filter(|field| field.possible > 1) {
                json.key(&field.name).array(&field.alternatives, |json, known| scalar(json, &known.value));
            }
        });
        let weighed = || event.fields.iter().filter(|field| field.possible > 1 && field.is_weighed());
        if weighed().next().is_some() {
            json.key("alternative_probabilities").object(|json| {
                for field in weighed() {
                    probabilities(json.key(&field.name), field);
                }
            });
        }
        json.key("probability").number_or_null(event.probability.filter(|number| number.is_finite()));
        if event.is_only_explanation {
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

/// How probable each listed value of a field is; nothing where the engine does not weigh.
pub(crate) fn probabilities(json: &mut Json, field: &InferredField) {
    let weighed = field.alternatives.iter().filter_map(|known| known.probability);
    json.array(weighed, |json, probability| json.number(probability));
}

pub(crate) fn scalar(json: &mut Json, value: &Scalar) {
    match value {
        Scalar::Number(number) => json.number(number),
        Scalar::Text(text) => json.text(text),
    }
}
