//! The stretch of one CPU between two switches that were seen: who ran in it, and what is missing.
//!
//! The caller gives who was switched in at its start, what was seen in it, who was switched out at
//! its end, and what other streams say of the threads. Best-first search finds the cheapest
//! sequences of lost events that make everything seen acceptable; each is then moved to and fro as
//! far as it stays acceptable, which gives its time. An event is inserted only where something
//! needs it (goal regression over one step): what nothing needs is not invented.
//! The search gives up after [`EXPANSIONS`] nodes and then returns what it has, marked as partial.
//!
//! Source: our notes on inference (points 2 to 5).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::costs::{Cost, Costs};
use super::cpu::Other;
use super::names::{IDLE, Role, UNKNOWN, USER};
use super::thread::{NOBODY, SWAPPER, ThreadIx, Threads};

/// Nodes that one search may look at.
const EXPANSIONS: usize = 3_000;
/// Ways that one search may return.
const WAYS: usize = 8;
/// Ways that cost this much more than the best do not count.
const WORSE: Cost = 9_000;
/// Placements that are tried to find the times of one way.
const PLACEMENTS: usize = 4_000;

/// Something seen on a CPU that tells who ran.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) time: i64,
    /// The thread that the event names as running.
    pub(super) who: ThreadIx,
    pub(super) role: Role,
}

/// A lost event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Switch(ThreadIx),
    Enter(u32),
    Leave(u32),
}

/// A lost event and its place: before the event seen with that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) slot: usize,
    pub(super) what: What,
}

/// What is asked.
pub(super) struct Stretch<'a> {
    pub(super) threads: &'a Threads,
    pub(super) costs: &'a Costs,
    pub(super) first: ThreadIx,
    pub(super) first_call: u32,
    pub(super) start: i64,
    pub(super) seen: &'a [Seen],
    pub(super) last: ThreadIx,
    pub(super) end: i64,
    /// Another stream saw the first thread elsewhere at this moment.
    pub(super) left_by: i64,
    /// Threads that may have come, beside those that events name.
    pub(super) others: &'a [Other],
    /// The only place where something may be missing, if the loss was declared.
    pub(super) only_at: Option<usize>,
    pub(super) price: Cost,
    pub(super) most: usize,
}

/// One explanation.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) moves: Vec<Move>,
    pub(super) cost: Cost,
    /// The first and the last place of each move.
    pub(super) ranges: Vec<(usize, usize)>,
    /// The calls of the threads concerned at the end.
    pub(super) calls: Vec<(ThreadIx, u32)>,
    /// Who leaves by each move.
    pub(super) movers: Vec<ThreadIx>,
}

#[derive(Debug, Clone)]
struct Now {
    running: ThreadIx,
    call: u32,
    calls: Vec<(ThreadIx, u32)>,
    has_switched: bool,
}

struct Node {
    at: usize,
    now: Now,
    moves: Vec<Move>,
}

pub(super) fn next_call(call: u32, role: Role) -> Option<u32> {
    match role {
        Role::Enter(next) if call == USER || call == UNKNOWN => Some(next),
        Role::Leave(left) if call == left || call == UNKNOWN => Some(USER),
        Role::Enter(_) | Role::Leave(_) => None,
        _ => Some(call),
    }
}

impl Stretch<'_> {
    fn begin(&self) -> Now {
        Now { running: self.first, call: self.first_call, calls: Vec::new(), has_switched: false }
    }

    fn accept(&self, now: &mut Now, seen: &Seen) -> bool {
        if seen.who != NOBODY && seen.who != now.running || !now.has_switched && seen.time > self.left_by {
            return false;
        }
        match next_call(now.call, seen.role) {
            Some(call) => now.call = call,
            None => return false,
        }
        true
    }

    /// From when on a thread could come, and in which call.
    pub(super) fn ready(&self, thread: ThreadIx) -> (i64, u32) {
        let about = self.threads.get(thread);
        let other = self.others.iter().find(|other| other.thread == thread && thread != self.last);
        other.map_or((about.since, about.call), |other| (other.since, other.call))
    }

    fn before(&self, slot: usize) -> i64 {
        slot.checked_sub(1).and_then(|slot| self.seen.get(slot)).map_or(self.start, |seen| seen.time)
    }

    fn after(&self, slot: usize) -> i64 {
        self.seen.get(slot).map_or(self.end, |seen| seen.time)
    }

    /// Does `what` to `now`; `false` if it cannot happen there.
    fn apply(&self, now: &mut Now, step: Move) -> bool {
        match step.what {
            What::Enter(call) if now.call == USER || now.call == UNKNOWN => now.call = call,
            What::Leave(call) if now.call == call || now.call == UNKNOWN => now.call = USER,
            What::Enter(_) | What::Leave(_) => return false,
            What::Switch(next) => {
                if next == now.running || !now.has_switched && self.before(step.slot) > self.left_by {
                    return false;
                }
                now.calls.retain(|&(thread, _)| thread != now.running);
                now.calls.push((now.running, now.call));
                let known = now.calls.iter().find(|&&(thread, _)| thread == next).map(|&(_, call)| call);
                let (since, call) = self.ready(next);
                if known.is_none() && next != SWAPPER && self.after(step.slot) < since {
                    return false;
                }
                now.call = known.unwrap_or(if next == SWAPPER { IDLE } else { call });
                now.running = next;
                now.has_switched = true;
            }
        }
        true
    }

    /// Takes what fits from `at` on; the first place that does not.
    fn advance(&self, now: &mut Now, mut at: usize) -> usize {
        while let Some(seen) = self.seen.get(at) {
            if !self.accept(now, seen) {
                break;
            }
            at += 1;
        }
        at
    }

    /// The state at `slot`, after the moves up to there.
    fn replay(&self, moves: &[Move], slot: usize) -> Option<Now> {
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

    fn fits(&self, moves: &[Move]) -> Option<Now> {
        let now = self.replay(moves, self.seen.len())?;
        (now.running == self.last && (now.has_switched || self.left_by >= self.end)).then_some(now)
    }

    /// The cheapest ways, best first, and whether the search saw all there was.
    pub(super) fn ways(&self) -> (Vec<Way>, bool) {
        let mut named: Vec<ThreadIx> =
            self.seen.iter().map(|seen| seen.who).filter(|&who| who != NOBODY).collect();
        named.extend([self.first, self.last]);
        if self.left_by != i64::MAX {
            named.push(SWAPPER);
        }
        named.sort_unstable();
        named.dedup();
        let mut nodes = vec![Node { at: 0, now: self.begin(), moves: Vec::new() }];
        let mut heap = BinaryHeap::from([Reverse((0, 0usize))]);
        let (mut ways, mut looked): (Vec<Way>, usize) = (Vec::new(), 0);
        while let Some(Reverse((cost, index))) = heap.pop() {
            looked += 1;
            if looked > EXPANSIONS || ways.len() >= WAYS {
                return (ways, false);
            }
            if ways.first().is_some_and(|best| cost > best.cost + WORSE) {
                break;
            }
            let Some(node) = nodes.get_mut(index) else { continue };
            let (mut now, moves) = (node.now.clone(), std::mem::take(&mut node.moves));
            let at = self.advance(&mut now, node.at);
            if at == self.seen.len()
                && now.running == self.last
                && (now.has_switched || self.left_by >= self.end)
            {
                if !moves.is_empty() && !ways.iter().any(|way| same(&way.moves, &moves)) {
                    ways.push(self.way(moves, cost));
                }
                continue;
            }
            if moves.len() >= self.most {
                continue;
            }
            for (step, thread_cost) in self.options(&now, at, &moves, &named) {
                let mut next = now.clone();
                if step.slot != at {
                    match self.replay(&moves, step.slot) {
                        Some(then) => next = then,
                        None => continue,
                    }
                }
                let cost = cost + self.price + thread_cost + self.costs.of(next.call, step.what);
                if !self.apply(&mut next, step) {
                    continue;
                }
                let mut moves = moves.clone();
                moves.push(step);
                nodes.push(Node { at: step.slot, now: next, moves });
                heap.push(Reverse((cost, nodes.len() - 1)));
            }
        }
        (ways, true)
    }

    /// What could be missing before the event `at`, which `now` does not take.
    fn options(&self, now: &Now, at: usize, moves: &[Move], named: &[ThreadIx]) -> Vec<(Move, Cost)> {
        let least = moves.last().map_or(0, |step| step.slot);
        let slot = match self.only_at {
            Some(only) if only < least || only > at => return Vec::new(),
            Some(only) => only,
            None => at,
        };
        let mut options = Vec::new();
        let mut push = |slot, what, cost| options.push((Move { slot, what }, cost));
        let seen = self.seen.get(at);
        let who = seen.map_or(self.last, |seen| seen.who);
        if now.running != SWAPPER && (who == NOBODY || who == now.running) {
            match seen.map(|seen| seen.role) {
                Some(Role::Leave(call)) if now.call == USER => push(slot, What::Enter(call), 0),
                Some(Role::Leave(_) | Role::Enter(_)) if now.call != USER => {
                    push(slot, What::Leave(now.call), 0)
                }
                _ => {}
            }
        }
        let mut come = |thread: ThreadIx, cost: Cost| {
            if thread == now.running {
                return;
            }
            if self.only_at.is_some() {
                push(slot, What::Switch(thread), cost);
                return;
            }
            // The latest place from which the thread takes what now does not fit.
            for slot in (least..=at).rev().take(64) {
                let Some(mut then) = self.replay(moves, slot) else { break };
                if !self.apply(&mut then, Move { slot, what: What::Switch(thread) }) {
                    continue;
                }
                let rests = thread == SWAPPER && moves.last().is_none_or(|step| step.slot != slot);
                if self.advance(&mut then, slot) > at || at == self.seen.len() || rests && slot == at {
                    push(slot, What::Switch(thread), cost);
                    break;
                }
            }
        };
        if who != NOBODY && who != now.running {
            come(who, 0);
        } else {
            for &thread in named {
                come(thread, 700);
            }
            for other in self.others {
                come(other.thread, 3_000);
            }
        }
        options
    }

    /// Finds the places where the moves can be.
    fn way(&self, moves: Vec<Move>, cost: Cost) -> Way {
        let mut movers = Vec::new();
        let mut running = self.first;
        for step in &moves {
            movers.push(running);
            if let What::Switch(next) = step.what {
                running = next;
            }
        }
        let mut tries = PLACEMENTS / (self.seen.len() + 1).max(1) + 64;
        let mut early = moves.clone();
        for index in 0..early.len() {
            let least = index.checked_sub(1).and_then(|before| early.get(before)).map_or(0, |step| step.slot);
            let was = early.get(index).map_or(0, |step| step.slot);
            for slot in least..was {
                if self.only_at.is_some() || tries == 0 {
                    break;
                }
                tries -= 1;
                let mut moved = early.clone();
                if let Some(step) = moved.get_mut(index) {
                    step.slot = slot;
                }
                if self.fits(&moved).is_some() {
                    early = moved;
                    break;
                }
            }
        }
        let mut late = moves.clone();
        for index in (0..late.len()).rev() {
            let most = late.get(index + 1).map_or(self.seen.len(), |step| step.slot);
            let was = late.get(index).map_or(0, |step| step.slot);
            for slot in (was + 1..=most).rev() {
                if self.only_at.is_some() || tries == 0 {
                    break;
                }
                tries -= 1;
                let mut moved = late.clone();
                if let Some(step) = moved.get_mut(index) {
                    step.slot = slot;
                }
                if self.fits(&moved).is_some() {
                    late = moved;
                    break;
                }
            }
        }
        let calls = [&early, &late].map(|moves| {
            self.fits(moves).map_or(Vec::new(), |mut now| {
                now.calls.retain(|&(thread, _)| thread != now.running);
                now.calls.push((now.running, now.call));
                now.calls
            })
        });
        let [mut calls, others] = calls;
        for (thread, call) in &mut calls {
            if !others.contains(&(*thread, *call)) {
                *call = UNKNOWN;
            }
        }
        let ranges = early.iter().zip(&late).map(|(early, late)| (early.slot, late.slot)).collect();
        Way { moves, cost, ranges, calls, movers }
    }
}

/// Whether two ways lose the same events, wherever they are.
fn same(one: &[Move], other: &[Move]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.what == other.what)
}
