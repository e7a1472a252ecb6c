//! What an evaluation found as JSON, so that anyone can score it anew.
//!
//! ```text
//! {"events":240644,"seed":1,"declared":false,
//!  "engines":[{"engine":"joint","model":"kernel","intact":{"incoherences":0,"inferred":0},
//!              "calibration":{"events":98,"brier":0.0031,
//!                             "bins":[{"from":0.99,"to":1,"events":90,"right":90,"stated":0.996}]},
//!              "learned":{"deleted":960,"statements":1210,"error":0.021}}],
//!  "results":[{"deleted":"sched_switch","engine":"joint","cases":100,"events":100,"inferred":98,"right":97,"partly":0,
//!              "precision":0.99,"recall":0.97,"false_alarms":1,"listed":98,"placed":98,"exact":96,"unnoticed":2,
//!              "interval":7316}],
//!  "cases":[{"id":"sched_switch 1","kind":"sched_switch","engine":"joint",
//!            "delete":[{"ts":1457113582794570715,"cpu":5,"name":"sched_switch",
//!                       "fields":{"prev_tid":0,"next_tid":869},"found":true}],
//!            "incoherences":1,"right":[true],"holds":[true],"inferred":[...]}]}
//! ```
//!
//! `inferred` of a case is what was newly inferred against the whole trace, each event as `infer --json` has
//! it, and `right` the verdict on each; `holds`: all that is told of it is, but key fields may be left open
//! (counted as `partly`; what does not hold is a false alarm, and calibration is about what holds). `listed`: deleted events that are found once the alternatives of
//! key fields are allowed too, `placed`: by name, CPU and time alone. `incoherences` of a case: new ones. `interval`: nanoseconds, the middle one of the right.
//! `learned`: the trials by which the engine's probabilities were corrected, as in `infer --json`; they are none of the cases.
//! `seed` is null where the cases were given. The whole text can be given to `--cases` again.

use super::evaluate_text::Evaluated;
use super::infer_json::{self, missing, scalar};
use super::json::Json;
use crate::evaluate::score::Reliability;

pub(crate) fn render(evaluated: &Evaluated<'_>) -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("events").number(evaluated.index.places.len());
        json.key("seed").number_or_null(evaluated.seed);
        json.key("declared").bool(evaluated.is_declared);
        json.key("engines").array(evaluated.intact.iter().enumerate(), |json, (number, intact)| {
            json.object(|json| {
                json.key("engine").text(intact.engine);
                json.key("model").text(&intact.model);
                json.key("intact").object(|json| {
                    json.key("incoherences").number(intact.inconsistencies);
                    json.key("inferred").number(intact.inferred);
                });
                match Reliability::new(&evaluated.total(number).stated) {
                    Some(found) => calibration(json.key("calibration"), &found),
                    None => json.key("calibration").null(),
                }
                match evaluated.calibrations.get(number) {
                    Some(Some(learned)) => infer_json::calibration(json.key("learned"), learned),
                    _ => json.key("learned").null(),
                }
            });
        });
        results(json.key("results"), evaluated);
        cases(json.key("cases"), evaluated);
    });
    json.out.push(b'\n');
    json.out
}

fn calibration(json: &mut Json, found: &Reliability) {
    json.object(|json| {
        json.key("events").number(found.events);
        json.key("brier").number(found.brier);
        json.key("bins").array(&found.bins, |json, bin| {
            json.object(|json| {
                json.key("from").number(bin.from);
                json.key("to").number(bin.to);
                json.key("events").number(bin.events);
                json.key("right").number(bin.right);
                json.key("stated").number(bin.stated);
            });
        });
    });
}

fn results(json: &mut Json, evaluated: &Evaluated<'_>) {
    let kinds = evaluated.kinds();
    let rows = kinds.iter().flat_map(|(kind, tallies)| {
        tallies.iter().zip(evaluated.intact).map(move |(tally, intact)| (kind, tally, intact.engine))
    });
    json.array(rows, |json, (kind, tally, engine)| {
        json.object(|json| {
            json.key("deleted").text(kind);
            json.key("engine").text(engine);
            json.key("cases").number(tally.cases);
            json.key("events").number(tally.deleted);
            json.key("inferred").number(tally.inferred);
            json.key("right").number(tally.right);
            json.key("partly").number(tally.partly);
            json.key("precision").number_or_null(tally.precision());
            json.key("recall").number_or_null(tally.recall());
            json.key("false_alarms").number(tally.false_alarms());
            json.key("listed").number(tally.listed);
            json.key("placed").number(tally.placed);
            json.key("exact").number(tally.exact);
            json.key("unnoticed").number(tally.unnoticed);
            json.key("interval").number_or_null(tally.width());
        });
    });
}

fn cases(json: &mut Json, evaluated: &Evaluated<'_>) {
    let runs = evaluated.cases.iter().zip(evaluated.scored).flat_map(|(case, scored)| {
        scored.iter().zip(evaluated.intact).map(move |(scored, intact)| (case, scored, intact.engine))
    });
    json.array(runs, |json, (case, scored, engine)| {
        json.object(|json| {
            scalar(json.key("id"), &case.id);
            json.key("kind").text(&case.kind);
            json.key("engine").text(engine);
            json.key("delete").array(evaluated.deleted(case).zip(&scored.found), |json, (event, found)| {
                json.object(|json| {
                    json.key("ts").number_or_null(event.time);
                    json.key("cpu").number_or_null(event.cpu);
                    json.key("name").text(&event.name);
                    json.key("fields").object(|json| {
                        event.keys.iter().for_each(|(name, value)| scalar(json.key(name), value));
                    });
                    json.key("found").bool(*found);
                });
            });
            json.key("incoherences").number(scored.inconsistencies);
            json.key("right").array(&scored.right, |json, right| json.bool(*right));
            json.key("holds").array(&scored.holds, |json, holds| json.bool(*holds));
            json.key("inferred").array(&scored.inferred, missing);
        });
    });
}
