//! What `learn --json` prints.
//!
//! ```text
//! {"events":4000,"machines":[{"id":"lock","states":["after release","after acquire"],"instances":8,"events":4000,
//!                             "sequences":8,"odd":0,"bits_alone":1.0,"bits":0.01,"tried":3984,"missed":3984}],
//!  "model":"<tmfxml ..."}
//! ```

use inference::learn::{Evidence, Learned};
use serde::Serialize;

/// The answer of `learn`.
#[derive(Debug, Serialize)]
pub(crate) struct LearnReport<'a> {
    /// Events that were read.
    events: usize,
    machines: Vec<LearnedMachine<'a>>,
    /// The file, as `--output` writes it.
    model: &'a str,
}

/// A machine, and what it stands on.
#[derive(Debug, Serialize)]
struct LearnedMachine<'a> {
    id: &'a str,
    states: Vec<&'a str>,
    instances: u64,
    events: u64,
    /// Pieces without a loss.
    sequences: u64,
    /// Events that do not fit.
    odd: u64,
    /// Bits an event, encoded by itself and by the one before it in its instance.
    bits_alone: f64,
    bits: f64,
    /// Events that were left out one by one, and those that the machine missed.
    tried: u64,
    missed: u64,
}

impl<'a> LearnReport<'a> {
    pub(crate) fn of(learned: &'a Learned, events: usize, model: &'a str) -> Self {
        let one = |(machine, evidence): (&'a model::machine::Machine, &Evidence)| LearnedMachine {
            id: &machine.id,
            states: machine.states.iter().map(|state| &*state.id).collect(),
            instances: evidence.instances,
            events: evidence.events,
            sequences: evidence.sequences,
            odd: evidence.odd,
            bits_alone: evidence.bits_alone,
            bits: evidence.bits,
            tried: evidence.tried,
            missed: evidence.missed,
        };
        let machines = learned.pattern.machines.iter().zip(&learned.evidence).map(one).collect();
        Self { events, machines, model }
    }
}
