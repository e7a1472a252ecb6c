//! How probable each transition is, counted over what fitted: costs are its -log, smoothed.
//!
//! Source: our notes on inference (point 3). Only events that fitted are counted, never what was
//! inferred. Wildcards do not exist here: a call is left by one event, whatever its name.

use super::names::{IDLE, UNKNOWN, USER};
use super::solve::What;

/// Costs in thousandths of a nat, so that they can be ordered.
pub(super) type Cost = u32;

/// What losing one event costs where no loss was declared, on top of what it is.
pub(super) const UNDECLARED: Cost = 9_000;

#[derive(Debug, Default)]
pub(super) struct Costs {
    /// By call, 0 for user mode: how often a switch came next, and how often the call changed.
    switches: Vec<u32>,
    changes: Vec<u32>,
    entered: Vec<u32>,
    /// By call: nanoseconds from the last sign of life to the switch, added up.
    dwells: Vec<u64>,
    /// Values of `prev_state` of switches away from threads, by number of first sight.
    states: Vec<(i64, u32)>,
    /// How often a thread came where its wake-up sent it, and elsewhere.
    on_target: u32,
    off_target: u32,
}

fn count(list: &mut Vec<u32>, index: u32) {
    if index == UNKNOWN || index == IDLE {
        return;
    }
    let index = index as usize;
    if list.len() <= index {
        list.resize(index + 1, 0);
    }
    if let Some(place) = list.get_mut(index) {
        *place += 1;
    }
}

fn at(list: &[u32], index: u32) -> f64 {
    f64::from(list.get(index as usize).copied().unwrap_or(0))
}

fn cost(probability: f64) -> Cost {
    (-probability.ln() * 1000.0).clamp(0.0, 40_000.0) as Cost
}

impl Costs {
    /// A thread in `call` was switched out.
    pub(super) fn switched(&mut self, call: u32, state: i64, dwell: i64) {
        count(&mut self.switches, call);
        if call != IDLE && call != UNKNOWN {
            let index = call as usize;
            if self.dwells.len() <= index {
                self.dwells.resize(index + 1, 0);
            }
            if let Some(sum) = self.dwells.get_mut(index) {
                *sum = sum.saturating_add(u64::try_from(dwell).unwrap_or(0));
            }
        }
        if call != IDLE {
            if let Some((_, times)) = self.states.iter_mut().find(|(known, _)| *known == state) {
                *times += 1;
            } else if self.states.len() < 64 {
                self.states.push((state, 1));
            }
        }
    }

    /// What it costs that a thread in `call` stays that long after its last sign of life: -log of the
    /// tail of an exponential distribution with the mean that was seen.
    pub(super) fn stays(&self, call: u32, nanoseconds: i64) -> Cost {
        let times = at(&self.switches, call);
        if times < 8.0 || nanoseconds <= 0 {
            return 0;
        }
        let mean = self.dwells.get(call as usize).map_or(0.0, |&sum| sum as f64) / times;
        (nanoseconds as f64 / mean.max(1_000.0) * 1000.0).min(40_000.0) as Cost
    }

    /// A thread in user mode entered `call`.
    pub(super) fn entered(&mut self, call: u32) {
        count(&mut self.changes, USER);
        count(&mut self.entered, call);
    }

    /// A thread left `call`.
    pub(super) fn left(&mut self, call: u32) {
        count(&mut self.changes, call);
    }

    /// A woken thread came to run where it was sent, or not.
    pub(super) fn placed(&mut self, as_sent: bool) {
        *if as_sent { &mut self.on_target } else { &mut self.off_target } += 1;
    }

    /// How often threads run where they were sent.
    pub(super) fn keeps_target(&self) -> f64 {
        f64::from(self.on_target + 1) / f64::from(self.on_target + self.off_target + 2)
    }

    /// What it costs that `what` happens to a thread in `call`.
    pub(super) fn of(&self, call: u32, what: What) -> Cost {
        if call == IDLE || call == UNKNOWN {
            return 0;
        }
        let (switches, changes) = (at(&self.switches, call), at(&self.changes, call));
        let all = switches + changes + 2.0;
        match what {
            What::Switch(_) => cost((switches + 1.0) / all),
            What::Leave(_) => cost((changes + 1.0) / all),
            What::Enter(next) => {
                let kinds = self.entered.len() as f64 + 1.0;
                let share = (at(&self.entered, next) + 1.0) / (at(&self.changes, USER) + kinds);
                cost((changes + 1.0) / all * share)
            }
        }
    }

    /// The values of `prev_state` that `fits`, the most frequent first, with their share.
    pub(super) fn states(&self, fits: impl Fn(i64) -> bool) -> Vec<(i64, f64)> {
        let mut states: Vec<(i64, u32)> =
            self.states.iter().copied().filter(|&(state, _)| fits(state)).collect();
        states.sort_by_key(|&(state, times)| (std::cmp::Reverse(times), state));
        let all: u32 = states.iter().map(|&(_, times)| times).sum();
        states.into_iter().map(|(state, times)| (state, f64::from(times) / f64::from(all.max(1)))).collect()
    }
}
