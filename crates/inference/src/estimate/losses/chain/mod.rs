//! The chain of those who run on one CPU while events of it are lost: the exact sum over all its histories.
//!
//! A history says which of the lost events are switches, when each is, who leaves by it and whether he stays ready,
//! and who comes. Its weight is the product of what each of its steps weighs. The sum goes forward over the items of
//! the segment, and backward again, so the weight of all histories with a certain switch is known without listing
//! any. Nothing here knows a kernel, a trace or a model: who may run are numbers.
//!
//! ```text
//! state  (switches used in this gap, who runs, whether it did something yet, who is ready, who of those here)
//! items  slot: lost switches may be here · ready: one is seen to be made ready · taken: one is seen to come to
//!        another CPU · off: one is seen to leave another CPU · seen: what fits some better than others
//! ```
//!
//! It is exact as long as no more than [`layer::MOST_STATES`] states are possible at once; beyond, the improbable are
//! dropped, and the result says so.

mod backward;
mod forward;
mod layer;

pub(crate) use backward::Switch;

use layer::{Layer, State};

/// Who runs: a candidate, or one of these two.
pub(crate) type Runner = usize;

/// Candidates, at most: they are bits.
pub(crate) const MOST: usize = 24;
/// Nobody runs.
pub(crate) const IDLE: Runner = MOST;
/// Somebody runs who is no candidate.
pub(crate) const OTHER: Runner = MOST + 1;
/// All that can run.
pub(crate) const RUNNERS: usize = MOST + 2;

/// Steps in all.
const MOST_STEPS: usize = 3_000_000;
/// Something that happens in the segment, in its order.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// Lost switches of this gap may be here; `share` of its time is.
    Slot {
        /// The gap, an index.
        gap: usize,
        /// How much of its time.
        share: f64,
    },
    /// The gap is over.
    End {
        /// The gap, an index.
        gap: usize,
    },
    /// A candidate is seen to be made ready, here or for another CPU.
    Ready {
        /// Who.
        who: Runner,
        /// Whether it is sent to this CPU.
        is_here: bool,
    },
    /// A candidate is seen to come to another CPU.
    Taken {
        /// Who.
        who: Runner,
    },
    /// A candidate is seen to leave another CPU.
    Off {
        /// Who.
        who: Runner,
        /// Whether it stays ready.
        is_ready: bool,
    },
    /// Something is seen here that is evidence of who runs.
    Seen(Box<Sight>),
}

/// Something that is seen here.
#[derive(Debug, Clone)]
pub(crate) struct Sight {
    /// How probable it is if this one runs, and did nothing since it came.
    pub(crate) fresh: [f64; RUNNERS],
    /// How probable it is if who runs did what was seen before; `None`: the same, and it is nothing that one does.
    pub(crate) goes_on: Option<f64>,
}

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// How many candidates there are.
    pub(crate) candidates: usize,
    /// Who runs at the start, and at the end.
    pub(crate) first: Runner,
    /// See `first`.
    pub(crate) last: Runner,
    /// Who is ready at the start, and who of those here: bits.
    pub(crate) ready: u32,
    /// See `ready`.
    pub(crate) here: u32,
    /// What happens.
    pub(crate) items: Vec<Item>,
    /// By gap: what it weighs that so many of its events are switches.
    pub(crate) gaps: Vec<Vec<f64>>,
    /// What is seen of candidates later: what it weighs if it is ready at the end, and if not.
    pub(crate) later: Vec<(Runner, f64, f64)>,
    /// How steps weigh.
    pub(crate) weights: Weights,
}

/// How steps weigh.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    /// By who leaves: how probably it stays ready.
    pub(crate) stays_ready: [f64; RUNNERS],
    /// How probably nobody comes where nobody is ready here, and where somebody is.
    pub(crate) idle: [f64; 2],
    /// Odds that one comes who is ready here, ready elsewhere, not known to be ready.
    pub(crate) classes: [f64; 3],
    /// By who leaves and who comes: how well they follow each other. What is left of 1 is that of others.
    pub(crate) follows: Vec<[f64; RUNNERS]>,
    /// What it weighs that one is made ready who runs, and who is ready.
    pub(crate) woken_running: f64,
    /// See `woken_running`.
    pub(crate) woken_ready: f64,
    /// What contradicts what is seen weighs so much: a mark may be missing, or the clock wrong.
    pub(crate) contradiction: f64,
}

impl Problem {
    /// The switches that some history has, with their share of the weight of all; `None`: no history fits, or there
    /// are too many to sum.
    pub(crate) fn solve(&self) -> Option<Vec<Switch>> {
        let start = State {
            used: 0,
            runner: self.first as u8,
            in_slot: layer::DONE,
            is_fresh: true,
            ready: self.ready,
            here: self.here,
        };
        let mut layers =
            vec![Layer { states: vec![start], forward: vec![1.0], edges: Vec::new(), item: 0, scale: 0.0 }];
        let mut steps = 0usize;
        for (number, item) in self.items.iter().enumerate() {
            let rounds = match item {
                Item::Slot { gap, .. } => self.gaps.get(*gap).map_or(0, |kinds| kinds.len()),
                _ => 1,
            };
            for round in 0..rounds {
                let last = layers.last()?;
                let layer = self.step(last, item, number, round, rounds);
                steps += layer.edges.len();
                if layer.states.is_empty() || steps > MOST_STEPS {
                    return None;
                }
                layers.push(layer);
            }
        }
        self.backward(&layers)
    }
}
