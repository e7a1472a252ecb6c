//! Best-first search for the cheapest lost events that make all of an interval acceptable.
//!
//! An event is inserted only where something needs it (goal regression over a few steps): what nothing
//! needs is not invented. The search gives up after [`EXPANSIONS`] nodes and then returns what it has, marked
//! as partial.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use rustc_hash::FxBuildHasher;

use crate::estimate::instances::costs::{Cost, DECLARED, SECOND, UNDECLARED};
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::explain::lost_event::What;
use crate::repair::interval::{Interval, Move, Now};
use crate::state_machines::plan::Part;
use crate::state_machines::state_estimate::{ANY, NOTHING, StateEstimate};

/// Nodes that one search may look at.
const EXPANSIONS: usize = 3_000;
/// Ways that one search may return.
pub(crate) const HYPOTHESES: usize = 8;
/// Ways that cost this much more than the best do not count.
const WORSE: Cost = 9_000;
/// Ways that go on where several come to the same.
const MEETING: u32 = 4;
/// Lost events of who runs that are tried before one event, at most.
const STEPS: usize = 3;

struct Node {
    at: usize,
    now: Now,
    moves: Vec<Move>,
}

impl Interval<'_> {
    /// The cheapest ways, best first: what is lost, and what it costs; and whether the search saw all
    /// there was.
    pub(crate) fn hypotheses(&self) -> (Vec<(Vec<Move>, Cost)>, bool) {
        let mut named: Vec<Ix> = self.seen.iter().filter(|seen| seen.is_here).map(|seen| seen.who).collect();
        named.extend([self.first, self.last]);
        if self.left_by != i64::MAX {
            named.push(IDLE);
        }
        named.sort_unstable();
        named.dedup();
        named.retain(|who| *who != NO_INSTANCE);
        let mut nodes = vec![Node { at: 0, now: self.begin(), moves: Vec::new() }];
        let mut heap = BinaryHeap::from([Reverse((0, 0usize))]);
        let (mut hypotheses, mut expanded): (Vec<(Vec<Move>, Cost)>, usize) = (Vec::new(), 0);
        let mut meetings: HashMap<(usize, Ix, StateEstimate), u32, FxBuildHasher> = HashMap::default();
        let mut is_all = true;
        while let Some(Reverse((cost, index))) = heap.pop() {
            expanded += 1;
            if expanded > EXPANSIONS || hypotheses.len() >= HYPOTHESES {
                return (hypotheses, false);
            }
            if hypotheses.first().is_some_and(|(_, best)| cost > best + WORSE) {
                break;
            }
            let Some(node) = nodes.get_mut(index) else { continue };
            let (mut now, moves) = (node.now.clone(), std::mem::take(&mut node.moves));
            let at = self.advance(&mut now, node.at);
            // What comes depends on little of what was: of ways that meet, the cheapest few go on.
            let met = meetings.entry((at, now.running, now.estimate)).or_insert(0u32);
            *met += 1;
            if *met > MEETING {
                is_all = false;
                continue;
            }
            if at == self.seen.len() && self.ends(&now) {
                if !moves.is_empty() && !hypotheses.iter().any(|(hypothesis, _)| same(hypothesis, &moves)) {
                    hypotheses.push((moves, cost));
                }
                continue;
            }
            if moves.len() >= self.most {
                continue;
            }
            for (step, extra) in self.options(&now, at, &moves, &named) {
                let mut next = now.clone();
                if step.slot != at {
                    match self.replay(&moves, step.slot) {
                        Some(then) => next = then,
                        None => continue,
                    }
                }
                let cost = cost + self.price(step.slot, &moves) + extra + self.cost_of(&next, step.what);
                if !self.apply(&mut next, step) {
                    continue;
                }
                let mut moves = moves.clone();
                moves.push(step);
                nodes.push(Node { at: step.slot, now: next, moves });
                heap.push(Reverse((cost, nodes.len() - 1)));
            }
        }
        (hypotheses, is_all)
    }

    fn cost_of(&self, now: &Now, what: What) -> Cost {
        if now.running == IDLE || now.running == NO_INSTANCE {
            return 0;
        }
        match what {
            What::Switch(_) => self.monitor.costs.of(now.estimate, Some(self.switch.0)),
            What::Own { arc, stem } => {
                let symbols = self.monitor.symbols(arc, stem);
                let costs = symbols.iter().map(|&symbol| self.monitor.costs.of(now.estimate, Some(symbol)));
                costs.min().unwrap_or_else(|| self.monitor.costs.of(now.estimate, None))
            }
        }
    }

    /// What could be missing before the event `at`, which `now` does not take.
    fn options(&self, now: &Now, at: usize, moves: &[Move], named: &[Ix]) -> Vec<(Move, Cost)> {
        let least = moves.last().map_or(0, |step| step.slot);
        let mut options = Vec::new();
        let seen = self.seen.get(at);
        let row = seen.map_or(self.last_row, |seen| Some(seen.row));
        let who = match seen {
            None => self.last,
            Some(seen) if seen.is_here => seen.who,
            Some(_) => NO_INSTANCE,
        };
        let is_woken = seen.is_some_and(|seen| !seen.is_here && seen.who != NO_INSTANCE);
        if !is_woken
            && now.running != IDLE
            && now.running != NO_INSTANCE
            && (who == NO_INSTANCE || who == now.running)
        {
            let firsts = row.map_or_else(Vec::new, |row| self.own_steps(now.estimate, row));
            options.extend(firsts.into_iter().map(|what| (Move { slot: at, what }, 0)));
        }
        let mut come = |next: Ix, cost: Cost| {
            if next == now.running {
                return;
            }
            // The latest position from which it takes what now does not fit, best where something was lost; and of
            // one who is known to have run, the position that takes it furthest: what follows may fit only it.
            let mut found: Option<(Move, bool)> = None;
            let mut furthest: Option<(Move, usize)> = None;
            let is_known = cost == 0 && next != IDLE;
            for slot in (least..=at).rev().take(64) {
                let step = Move { slot, what: What::Switch(next) };
                let Some(mut then) = self.replay(moves, slot) else { break };
                if !self.apply(&mut then, step) {
                    continue;
                }
                let is_idle = next == IDLE && moves.last().is_none_or(|step| step.slot != slot);
                let reached = self.advance(&mut then, slot);
                if reached > at || at == self.seen.len() && reached == at || is_idle && slot == at {
                    let is_declared = self.sites.is_empty() || self.price(slot, moves) == DECLARED;
                    if is_known && is_declared && furthest.is_none_or(|(_, most)| reached > most) {
                        furthest = Some((step, reached));
                    }
                    let is_better = is_declared && found.is_none_or(|(_, was_declared)| !was_declared);
                    if found.is_none() || is_better {
                        found = Some((step, is_declared));
                    }
                    if is_declared && (!is_known || reached == self.seen.len()) {
                        break;
                    }
                }
            }
            let found = found.map(|(step, _)| step);
            let furthest = furthest.map(|(step, _)| step).filter(|step| Some(*step) != found);
            options.extend(found.into_iter().chain(furthest).map(|step| (step, cost)));
        };
        if who != NO_INSTANCE && who != now.running {
            come(who, 0);
        } else {
            if is_woken {
                come(IDLE, 0);
            }
            for &next in named {
                come(next, 700);
            }
            for (who, _) in now.left.iter().filter(|(who, _)| !named.contains(who)) {
                come(*who, 700);
            }
            for other in self.others {
                come(other.ix, 700 + other.cost);
            }
        }
        options
    }

    /// The first of the fewest lost events of who runs after which `row` is taken.
    fn own_steps(&self, estimate: StateEstimate, row: u32) -> Vec<What> {
        let rules = &self.monitor.rules;
        let Some(row) = rules.row(row) else { return Vec::new() };
        let needed = row.accepts.iter().find_map(|state| row.target(state, ANY)?.closes).unwrap_or(ANY);
        let takes = |state: usize, open: u32| row.target(state, open).is_some();
        let mut open: Vec<(usize, u32, What)> = Vec::new();
        let mut found = Vec::new();
        let mut seen: Vec<(usize, u32)> = estimate.set.iter().map(|state| (state, estimate.open)).collect();
        let mut edge: Vec<(usize, u32, Option<What>)> =
            estimate.set.iter().map(|state| (state, estimate.open, None)).collect();
        for _ in 0..STEPS {
            for (state, has, first) in edge.drain(..) {
                for (number, arc) in rules.lost.iter().enumerate() {
                    if arc.from != state || arc.part != Part::Runs {
                        continue;
                    }
                    let (what, opened) = match (arc.opens, arc.closes) {
                        (true, _) => (What::Own { arc: number, stem: needed }, needed),
                        (false, true) => (What::Own { arc: number, stem: has }, NOTHING),
                        (false, false) => (What::Own { arc: number, stem: ANY }, has),
                    };
                    let first = first.unwrap_or(what);
                    for to in arc.to.iter() {
                        if takes(to, opened) && !found.contains(&first) {
                            found.push(first);
                        } else if !seen.contains(&(to, opened)) {
                            seen.push((to, opened));
                            open.push((to, opened, first));
                        }
                    }
                }
            }
            if !found.is_empty() {
                break;
            }
            edge.extend(open.drain(..).map(|(state, open, first)| (state, open, Some(first))));
        }
        found
    }

    /// What it costs to lose one more event at a position.
    fn price(&self, slot: usize, moves: &[Move]) -> Cost {
        let (from, to) = (self.before(slot), self.after(slot));
        let here = self.sites.iter().filter(|site| site.site.from <= to && site.site.to >= from);
        let capacity = here.fold(0u64, |capacity, site| capacity.saturating_add(site.capacity));
        let used = moves.iter().filter(|step| step.slot == slot).count() as u64;
        match () {
            () if used < capacity => DECLARED,
            () if self.sites.is_empty() && !moves.is_empty() => SECOND,
            () => UNDECLARED,
        }
    }
}

/// Whether two ways lose the same events, wherever they are.
pub(crate) fn same(one: &[Move], other: &[Move]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.what == other.what)
}
