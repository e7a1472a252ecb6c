//! What `infer --json` prints.
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

use inference::evaluate::Calibration;
use inference::model::{Inconsistency, InferredEvent, InferredField, LongLoss, RunningTime};
use serde::Serialize;

use super::check::{Head, Occurrence};
use super::scalar::{Members, Plain};
use crate::answer::Answer;

/// The answer of `infer`.
#[derive(Debug, Serialize)]
pub(crate) struct InferReport<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    incoherences: Vec<Incoherence<'a>>,
    inferred: Vec<Inferred<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    long_losses: Vec<Long<'a>>,
    /// Null where nothing is stated or too little of the trace is intact: then probabilities are stated low.
    calibration: Option<Calibrated>,
}

#[derive(Debug, Serialize)]
struct Incoherence<'a> {
    #[serde(flatten)]
    occurrence: Occurrence<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// One inferred event. It lies in `from..to`; `ts` is a point in it, for drawing.
#[derive(Debug, Serialize)]
pub(super) struct Inferred<'a> {
    ts: i64,
    from: i64,
    to: i64,
    name: &'a str,
    cpu: Option<u32>,
    fsm: &'a str,
    key: &'a str,
    /// One value for each field.
    fields: Members<'a, Plain<'a>>,
    /// All values of those fields that may have several, best first.
    alternatives: Members<'a, Vec<Plain<'a>>>,
    /// How probable it is that there was the event and had each listed value; so the values of a field and the
    /// event's own probability go together.
    #[serde(skip_serializing_if = "Members::is_empty")]
    alternative_probabilities: Members<'a, Vec<f64>>,
    /// Null where the engine does not weigh.
    probability: Option<f64>,
    /// Nothing else fits what was observed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    only_way: bool,
    /// Other names that the event may have, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    name_probabilities: Vec<f64>,
    /// Why, in one sentence, where the engine can say.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// How many alternatives of a field are left out of its list.
    #[serde(skip_serializing_if = "Members::is_empty")]
    more_alternatives: Members<'a, usize>,
}

/// A declared loss with too many events to list: in nine of ten `intervals` of that CPU with as many events the
/// number of switches and the time that each thread ran lie within `switches` and `ns`.
#[derive(Debug, Serialize)]
struct Long<'a> {
    cpu: u32,
    from: i64,
    to: i64,
    switches: (u64, u64),
    intervals: u64,
    running: Vec<Running<'a>>,
    /// How probable it is that another thread ran, in each of equal parts of the time.
    others: &'a [f64],
}

#[derive(Debug, Serialize)]
struct Running<'a> {
    /// Null: none ran.
    thread: Option<Plain<'a>>,
    ns: (u64, u64),
    mean_ns: u64,
    /// Holds always.
    at_most_ns: u64,
    /// How probable it is that it ran, in each of equal parts of the time.
    probability: &'a [f64],
}

/// What stated probabilities rest on: so many events were deleted elsewhere in the trace, so many statements of the
/// engine compared with them, and what is stated differs from what is true by `error` on average.
#[derive(Debug, Serialize)]
pub(super) struct Calibrated {
    deleted: u64,
    statements: u64,
    error: f64,
}

impl<'a> InferReport<'a> {
    pub(crate) fn of(answer: &'a Answer) -> Self {
        Self {
            head: Head::of(answer),
            incoherences: answer.inconsistencies.iter().map(Incoherence::of).collect(),
            inferred: answer.inferred.iter().map(Inferred::of).collect(),
            long_losses: answer.long_losses.iter().map(Long::of).collect(),
            calibration: answer.calibration.as_ref().map(Calibrated::of),
        }
    }
}

impl<'a> Incoherence<'a> {
    fn of(found: &'a Inconsistency) -> Self {
        Self { occurrence: Occurrence::of(found), reason: found.sentence.as_deref() }
    }
}

impl<'a> Inferred<'a> {
    pub(super) fn of(event: &'a InferredEvent) -> Self {
        let several = || event.fields.iter().filter(|field| field.possible > 1);
        let named = |field: &'a InferredField| field.name.as_str();
        let value = |field: &'a InferredField| Some((named(field), Plain(field.value.as_ref()?)));
        let values = |field: &'a InferredField| field.alternatives.iter().map(|known| Plain(&known.value));
        let left_out = |field: &&InferredField| field.possible > field.alternatives.len();
        Self {
            ts: event.time.0,
            from: event.key.from.0,
            to: event.key.to.0,
            name: &event.key.name,
            cpu: event.cpu,
            fsm: &event.key.machine,
            key: &event.key.instance,
            fields: Members(event.fields.iter().filter_map(value).collect()),
            alternatives: Members(several().map(|field| (named(field), values(field).collect())).collect()),
            alternative_probabilities: Members(
                several()
                    .filter(|field| field.is_weighed())
                    .map(|field| (named(field), probabilities(field).collect()))
                    .collect(),
            ),
            probability: event.probability.filter(|number| number.is_finite()),
            only_way: event.is_only_explanation,
            names: event.names.iter().map(|(name, _)| name.as_str()).collect(),
            name_probabilities: event.names.iter().map(|(_, probability)| *probability).collect(),
            reason: event.reason.as_deref(),
            more_alternatives: Members(
                event
                    .fields
                    .iter()
                    .filter(left_out)
                    .map(|field| (named(field), field.possible - field.alternatives.len()))
                    .collect(),
            ),
        }
    }
}

/// How probable each listed value of a field is; nothing where the engine does not weigh.
pub(crate) fn probabilities(field: &InferredField) -> impl Iterator<Item = f64> {
    field.alternatives.iter().filter_map(|known| known.probability)
}

impl<'a> Long<'a> {
    fn of(long: &'a LongLoss) -> Self {
        Self {
            cpu: long.cpu,
            from: long.from.0,
            to: long.to.0,
            switches: long.switches,
            intervals: long.intervals,
            running: long.running.iter().map(Running::of).collect(),
            others: &long.others,
        }
    }
}

impl<'a> Running<'a> {
    fn of(one: &'a RunningTime) -> Self {
        let thread = one.instance.as_ref().map(Plain);
        Self { thread, ns: one.usual, mean_ns: one.mean, at_most_ns: one.most, probability: &one.band }
    }
}

impl Calibrated {
    pub(super) fn of(learned: &Calibration) -> Self {
        Self { deleted: learned.deleted, statements: learned.statements, error: learned.error }
    }
}
