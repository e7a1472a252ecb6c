//! The interval of one CPU between two events by which somebody came: who ran in it, and what is
//! missing.
//!
//! The caller gives who came at its start, what was seen in it, who left at its end, and what other
//! streams say of them. Here it is played with lost events put in: does everything that was seen fit? `search`
//! finds the cheapest such events; `hypothesis` then moves each to and fro as far as it stays acceptable, which
//! gives its time.
//!
//! Source: our notes on inference (points 2 to 5).

pub(crate) mod candidates;
pub(crate) mod closing;
pub(crate) mod hypothesis;
pub(crate) mod idle;
pub(crate) mod search;
mod times;
mod usual;

use crate::estimate::cpus::cpu::{Other, Seen};
use crate::estimate::instances::costs::Cost;
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::estimate::instances::monitor::Monitor;
use crate::explain::lost_event::What;
use crate::state_machines::state_estimate::{ANY, NOTHING, StateEstimate};
use crate::windows::LossSite;

/// A lost event and its position: before the event seen with that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) slot: usize,
    pub(crate) what: What,
}

/// Where a loss was declared, and how many events may be reported there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeclaredLoss {
    pub(crate) site: LossSite,
    pub(crate) capacity: u64,
}

/// What is asked.
pub(crate) struct Interval<'a> {
    pub(crate) monitor: &'a Monitor,
    /// The event by which one leaves and another comes: its name, its rows for who leaves and comes.
    pub(crate) switch: (u32, u32, u32),
    pub(crate) first: Ix,
    pub(crate) first_estimate: StateEstimate,
    pub(crate) start: i64,
    pub(crate) seen: &'a [Seen],
    pub(crate) last: Ix,
    /// What is seen of `last` at the end.
    pub(crate) last_row: Option<u32>,
    pub(crate) end: i64,
    /// Another stream saw the first one elsewhere at this moment.
    pub(crate) left_by: i64,
    /// Who may have come, beside those that events name.
    pub(crate) others: &'a [Other],
    /// Where losses were declared.
    pub(crate) sites: &'a [DeclaredLoss],
    pub(crate) idle_takes: &'a dyn Fn(u32) -> bool,
    pub(crate) most: usize,
    /// What is that improbable did not happen.
    pub(crate) uncertainties: Cost,
}

/// What is estimated at some position of the interval.
#[derive(Debug, Clone)]
pub(crate) struct Now {
    pub(crate) running: Ix,
    pub(crate) estimate: StateEstimate,
    /// Those that left in it.
    pub(crate) left: Vec<(Ix, StateEstimate)>,
    pub(crate) has_switched: bool,
}

impl Interval<'_> {
    pub(crate) fn begin(&self) -> Now {
        let (running, estimate) = (self.first, self.first_estimate);
        Now { running, estimate, left: Vec::new(), has_switched: false }
    }

    fn row_takes(&self, estimate: StateEstimate, row: u32) -> Option<StateEstimate> {
        let row = self.monitor.rules.row(row)?;
        row.step(estimate, ANY).map(|step| step.after)
    }

    /// Whether nobody runs, for all that an event says.
    pub(crate) fn idle_accepts(&self, seen: &Seen) -> bool {
        let row = self.monitor.rules.row(seen.row);
        !seen.is_here && (seen.who != NO_INSTANCE || row.is_none_or(|row| (self.idle_takes)(row.symbol)))
    }

    pub(crate) fn accept(&self, now: &mut Now, seen: &Seen) -> bool {
        if !now.has_switched && seen.time > self.left_by {
            return false;
        }
        if seen.is_here && seen.who != now.running {
            return false;
        }
        let Some(row) = self.monitor.rules.row(seen.row) else { return true };
        if seen.who != NO_INSTANCE && !seen.is_here {
            // It was made ready, so it does not run.
            if seen.who == now.running {
                return self.monitor.costs.goes_on(row.symbol) < self.uncertainties;
            }
            if let Some((_, known)) = now.left.iter_mut().find(|(who, _)| *who == seen.who)
                && let Some(step) = row.step(*known, ANY)
            {
                *known = step.after;
            }
            return true;
        }
        if now.running == IDLE {
            return self.idle_accepts(seen);
        }
        if seen.who != NO_INSTANCE && seen.who != now.running || row.accepts.is_empty() {
            return true;
        }
        match row.step(now.estimate, ANY) {
            Some(step) => now.estimate = step.after,
            None => return false,
        }
        true
    }

    /// From when on somebody could come before the event `slot`, and what is believed of it.
    pub(crate) fn ready(&self, who: Ix, slot: usize) -> (i64, StateEstimate) {
        let at = self.after(slot);
        let one = self.monitor.instances.get(who);
        if let Some(known) = one.and_then(|one| one.as_of(at)) {
            return known;
        }
        let others = self.others.iter().rev().find(|other| other.ix == who && other.since <= at);
        match (others, one) {
            (Some(other), _) => (other.since, other.estimate),
            (None, Some(one)) => (one.moved, one.estimate),
            (None, None) => (i64::MIN, self.monitor.unknown()),
        }
    }

    pub(crate) fn after(&self, slot: usize) -> i64 {
        self.seen.get(slot).map_or(self.end, |seen| seen.time)
    }

    pub(crate) fn before(&self, slot: usize) -> i64 {
        slot.checked_sub(1).and_then(|slot| self.seen.get(slot)).map_or(self.start, |seen| seen.time)
    }

    /// Puts a lost event in.
    pub(crate) fn apply(&self, now: &mut Now, step: Move) -> bool {
        let rules = &self.monitor.rules;
        match step.what {
            What::Own { arc, stem } => {
                let Some(arc) = rules.lost.get(arc) else { return false };
                if !now.estimate.set.has(arc.from)
                    || arc.closes && now.estimate.open != stem && now.estimate.open != ANY
                {
                    return false;
                }
                let open = match (arc.opens, arc.closes) {
                    (true, _) => stem,
                    (false, true) => NOTHING,
                    (false, false) => now.estimate.open,
                };
                now.estimate = StateEstimate { set: arc.to, open };
            }
            What::Switch(next) => {
                if next == now.running {
                    return false;
                }
                let (_, leaves, comes) = self.switch;
                if now.running != IDLE && now.running != NO_INSTANCE {
                    let Some(estimate) = self.row_takes(now.estimate, leaves) else { return false };
                    let known = now.left.iter_mut().find(|(who, _)| *who == now.running);
                    match known {
                        Some((_, known)) => *known = estimate,
                        None => now.left.push((now.running, estimate)),
                    }
                }
                if next == IDLE {
                    now.estimate = StateEstimate { set: now.estimate.set, open: NOTHING };
                } else {
                    let known = now.left.iter().find(|(who, _)| *who == next).map(|(_, estimate)| *estimate);
                    let (since, estimate) = self.ready(next, step.slot);
                    if known.is_none() && self.after(step.slot) < since {
                        return false;
                    }
                    // Who is known to have run here came, whatever was believed of it.
                    let estimate = known.unwrap_or(estimate);
                    let anew = || rules.row(comes).and_then(|row| row.anew(rules.shape.unknown()));
                    let Some(estimate) = self
                        .row_takes(estimate, comes)
                        .or_else(|| anew().map(|step| StateEstimate { open: estimate.open, ..step.after }))
                    else {
                        return false;
                    };
                    now.estimate = estimate;
                }
                now.running = next;
                now.has_switched = true;
            }
        }
        true
    }

    /// Takes what fits from `at` on; the first place that does not.
    pub(crate) fn advance(&self, now: &mut Now, mut at: usize) -> usize {
        while let Some(seen) = self.seen.get(at) {
            if !self.accept(now, seen) {
                break;
            }
            at += 1;
        }
        at
    }

    /// The state at `slot`, after the moves up to there.
    pub(crate) fn replay(&self, moves: &[Move], slot: usize) -> Option<Now> {
        let mut now = self.begin();
        let mut moves = moves.iter();
        let mut next = moves.next();
        for at in 0..=slot {
            while let Some(&step) = next
                && step.slot == at
            {
                if !self.apply(&mut now, step) {
                    return None;
                }
                next = moves.next();
            }
            if at < slot && !self.accept(&mut now, self.seen.get(at)?) {
                return None;
            }
        }
        Some(now)
    }

    /// Whether the end fits, too.
    pub(crate) fn ends(&self, now: &Now) -> bool {
        let takes = |row: u32| {
            now.running == IDLE
                || self.monitor.rules.row(row).is_none_or(|row| row.step(now.estimate, ANY).is_some())
        };
        now.running == self.last
            && (now.has_switched || self.left_by >= self.end)
            && self.last_row.is_none_or(takes)
    }

    pub(crate) fn fits(&self, moves: &[Move]) -> Option<Now> {
        let now = self.replay(moves, self.seen.len())?;
        self.ends(&now).then_some(now)
    }
}
