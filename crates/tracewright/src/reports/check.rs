//! What `check --json` prints.
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
//! Times are nanoseconds on the clock of the trace. Everything is listed.

use std::sync::Arc;

use inference::model::Inconsistency;
use serde::Serialize;

use super::LostTotal;
use super::losses::amount;
use crate::answer::{Answer, Uncertainty, Window};

/// The answer of `check`.
#[derive(Debug, Serialize)]
pub(crate) struct CheckReport<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    losses: Vec<Loss<'a>>,
    incoherences: Vec<Incoherence<'a>>,
    uncertain: Vec<Uncertain<'a>>,
}

/// What `check` and `infer` begin with.
#[derive(Debug, Serialize)]
pub(super) struct Head<'a> {
    engine: &'a str,
    model: &'a str,
    events: u64,
    lost: LostTotal,
}

#[derive(Debug, Serialize)]
struct Loss<'a> {
    stream: &'a str,
    cpu: Option<u32>,
    /// Null where nobody counted.
    lost: Option<u64>,
    unit: &'static str,
    /// It may lie at any of these.
    places: Vec<Interval>,
    /// How many incoherences it may be behind.
    incoherences: u64,
}

#[derive(Debug, Serialize)]
struct Interval {
    from: Option<i64>,
    to: Option<i64>,
}

/// What an incoherence is in every report.
#[derive(Debug, Serialize)]
pub(super) struct Occurrence<'a> {
    fsm: &'a str,
    key: &'a str,
    ts: i64,
    event: &'a str,
    state: String,
}

#[derive(Debug, Serialize)]
struct Incoherence<'a> {
    #[serde(flatten)]
    occurrence: Occurrence<'a>,
    cpu: Option<u32>,
    /// The states that would have taken the event.
    possible: Vec<&'a str>,
    /// When the instance was given an event before.
    previous: Option<i64>,
    /// The number (from 0) of the declared loss in between.
    loss: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Uncertain<'a> {
    fsm: &'a str,
    key: &'a str,
    from: i64,
    /// Null for one that lasts to the end.
    to: Option<i64>,
}

impl<'a> CheckReport<'a> {
    pub(crate) fn of(answer: &'a Answer) -> Self {
        Self {
            head: Head::of(answer),
            losses: answer.windows.iter().map(Loss::of).collect(),
            incoherences: answer.inconsistencies.iter().map(Incoherence::of).collect(),
            uncertain: answer.uncertain.iter().map(Uncertain::of).collect(),
        }
    }
}

impl<'a> Head<'a> {
    pub(super) fn of(answer: &'a Answer) -> Self {
        let Answer { engine, model, events, losses, .. } = answer;
        Self { engine, model, events: *events, lost: losses.total.into() }
    }
}

impl<'a> Loss<'a> {
    fn of(window: &'a Window) -> Self {
        let (lost, unit) = amount(window.lost);
        let places = window.intervals.iter().map(|&(from, to)| Interval { from, to }).collect();
        let (stream, cpu) = (&window.stream, window.cpu);
        Self { stream, cpu, lost, unit, places, incoherences: window.inconsistencies }
    }
}

impl<'a> Occurrence<'a> {
    pub(super) fn of(found: &'a Inconsistency) -> Self {
        Self {
            fsm: &found.machine,
            key: &found.instance,
            ts: found.time.0,
            event: &found.event,
            state: found.states.join("|"),
        }
    }
}

impl<'a> Incoherence<'a> {
    fn of(found: &'a Inconsistency) -> Self {
        Self {
            occurrence: Occurrence::of(found),
            cpu: found.cpu,
            possible: found.accepted_by.iter().map(Arc::as_ref).collect(),
            previous: found.previous.map(|time| time.0),
            loss: found.window,
        }
    }
}

impl<'a> Uncertain<'a> {
    fn of(one: &'a Uncertainty) -> Self {
        Self { fsm: &one.machine, key: &one.instance, from: one.from, to: one.to }
    }
}
