//! The stretch of one CPU between two events by which somebody came: who ran in it, and what is
//! missing.
//!
//! The caller gives who came at its start, what was seen in it, who left at its end, and what other
//! streams say of them. Best-first search finds the cheapest sequences of lost events that make
//! everything seen acceptable; `way` then moves each to and fro as far as it stays acceptable, which
//! gives its time. An event is inserted only where something needs it (goal regression over a few
//! steps): what nothing needs is not invented. The search gives up after [`EXPANSIONS`] nodes and
//! then returns what it has, marked as partial.
//!
//! Source: our notes on inference (points 2 to 5).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use rustc_hash::FxBuildHasher;

use super::belief::{ANY, Belief, NOTHING};
use super::costs::{Cost, DECLARED, SECOND, UNDECLARED};
use super::cpu::{Other, Seen};
use super::instances::{Ix, NOBODY, REST};
use super::rules::Part;
use super::watched::Watched;
use crate::machines::windows::LossPlace;

/// Nodes that one search may look at.
const EXPANSIONS: usize = 3_000;
/// Ways that one search may return.
pub(super) const WAYS: usize = 8;
/// Ways that cost this much more than the best do not count.
const WORSE: Cost = 9_000;
/// Ways that go on where several come to the same.
const MEETING: u32 = 4;
/// Lost events of who runs that are tried before one event, at most.
const STEPS: usize = 3;

/// A lost event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// This one comes; whoever runs leaves.
    Switch(Ix),
    /// Something happens to who runs: a way of the rules, and what it opens or closes.
    Own { arc: usize, stem: u32 },
}

/// A lost event and its place: before the event seen with that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) slot: usize,
    pub(super) what: What,
}

/// Where a loss was declared, and how many events may be told there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) place: LossPlace,
    pub(super) room: u64,
}

/// What is asked.
pub(super) struct Stretch<'a> {
    pub(super) watched: &'a Watched,
    /// The event by which one leaves and another comes: its name, its rows for who leaves and comes.
    pub(super) handover: (u32, u32, u32),
    pub(super) first: Ix,
    pub(super) first_belief: Belief,
    pub(super) start: i64,
    pub(super) seen: &'a [Seen],
    pub(super) last: Ix,
    /// What is seen of `last` at the end.
    pub(super) last_row: Option<u32>,
    pub(super) end: i64,
    /// Another stream saw the first one elsewhere at this moment.
    pub(super) left_by: i64,
    /// Who may have come, beside those that events name.
    pub(super) others: &'a [Other],
    /// Where losses were declared.
    pub(super) places: &'a [Room],
    pub(super) rest_takes: &'a dyn Fn(u32) -> bool,
    pub(super) most: usize,
    /// What is that improbable did not happen.
    pub(super) doubts: Cost,
}

/// What is believed at some place of the stretch.
#[derive(Debug, Clone)]
pub(super) struct Now {
    pub(super) running: Ix,
    pub(super) belief: Belief,
    /// Those that left in it.
    pub(super) left: Vec<(Ix, Belief)>,
    pub(super) has_switched: bool,
}

struct Node {
    at: usize,
    now: Now,
    moves: Vec<Move>,
}

impl Stretch<'_> {
    pub(super) fn begin(&self) -> Now {
        let (running, belief) = (self.first, self.first_belief);
        Now { running, belief, left: Vec::new(), has_switched: false }
    }

    fn row_takes(&self, belief: Belief, row: u32) -> Option<Belief> {
        let row = self.watched.rules.row(row)?;
        row.step(belief, ANY).map(|step| step.after)
    }

    /// Whether nobody runs, for all that an event says.
    pub(super) fn rest_accepts(&self, seen: &Seen) -> bool {
        let row = self.watched.rules.row(seen.row);
        !seen.is_here && (seen.who != NOBODY || row.is_none_or(|row| (self.rest_takes)(row.symbol)))
    }

    pub(super) fn accept(&self, now: &mut Now, seen: &Seen) -> bool {
        if !now.has_switched && seen.time > self.left_by {
            return false;
        }
        if seen.is_here && seen.who != now.running {
            return false;
        }
        let Some(row) = self.watched.rules.row(seen.row) else { return true };
        if seen.who != NOBODY && !seen.is_here {
            // It was made ready, so it does not run.
            if seen.who == now.running {
                return self.watched.costs.goes_on(row.symbol) < self.doubts;
            }
            if let Some((_, known)) = now.left.iter_mut().find(|(who, _)| *who == seen.who)
                && let Some(step) = row.step(*known, ANY)
            {
                *known = step.after;
            }
            return true;
        }
        if now.running == REST {
            return self.rest_accepts(seen);
        }
        if seen.who != NOBODY && seen.who != now.running || row.accepts.is_empty() {
            return true;
        }
        match row.step(now.belief, ANY) {
            Some(step) => now.belief = step.after,
            None => return false,
        }
        true
    }

    /// From when on somebody could come before the event `slot`, and what is believed of it.
    pub(super) fn ready(&self, who: Ix, slot: usize) -> (i64, Belief) {
        let at = self.after(slot);
        let one = self.watched.instances.get(who);
        if let Some(known) = one.and_then(|one| one.as_of(at)) {
            return known;
        }
        let others = self.others.iter().rev().find(|other| other.ix == who && other.since <= at);
        match (others, one) {
            (Some(other), _) => (other.since, other.belief),
            (None, Some(one)) => (one.moved, one.belief),
            (None, None) => (i64::MIN, self.watched.unknown()),
        }
    }

    pub(super) fn after(&self, slot: usize) -> i64 {
        self.seen.get(slot).map_or(self.end, |seen| seen.time)
    }

    pub(super) fn before(&self, slot: usize) -> i64 {
        slot.checked_sub(1).and_then(|slot| self.seen.get(slot)).map_or(self.start, |seen| seen.time)
    }

    /// Puts a lost event in.
    pub(super) fn apply(&self, now: &mut Now, step: Move) -> bool {
        let rules = &self.watched.rules;
        match step.what {
            What::Own { arc, stem } => {
                let Some(arc) = rules.lost.get(arc) else { return false };
                if !now.belief.set.has(arc.from)
                    || arc.closes && now.belief.open != stem && now.belief.open != ANY
                {
                    return false;
                }
                let open = match (arc.opens, arc.closes) {
                    (true, _) => stem,
                    (false, true) => NOTHING,
                    (false, false) => now.belief.open,
                };
                now.belief = Belief { set: arc.to, open };
            }
            What::Switch(next) => {
                if next == now.running {
                    return false;
                }
                let (_, leaves, comes) = self.handover;
                if now.running != REST && now.running != NOBODY {
                    let Some(belief) = self.row_takes(now.belief, leaves) else { return false };
                    let known = now.left.iter_mut().find(|(who, _)| *who == now.running);
                    match known {
                        Some((_, known)) => *known = belief,
                        None => now.left.push((now.running, belief)),
                    }
                }
                if next == REST {
                    now.belief = Belief { set: now.belief.set, open: NOTHING };
                } else {
                    let known = now.left.iter().find(|(who, _)| *who == next).map(|(_, belief)| *belief);
                    let (since, belief) = self.ready(next, step.slot);
                    if known.is_none() && self.after(step.slot) < since {
                        return false;
                    }
                    // Who is known to have run here came, whatever was believed of it.
                    let belief = known.unwrap_or(belief);
                    let anew = || rules.row(comes).and_then(|row| row.anew(rules.shape.unknown()));
                    let Some(belief) = self
                        .row_takes(belief, comes)
                        .or_else(|| anew().map(|step| Belief { open: belief.open, ..step.after }))
                    else {
                        return false;
                    };
                    now.belief = belief;
                }
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
    pub(super) fn replay(&self, moves: &[Move], slot: usize) -> Option<Now> {
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
    fn ends(&self, now: &Now) -> bool {
        let takes = |row: u32| {
            now.running == REST
                || self.watched.rules.row(row).is_none_or(|row| row.step(now.belief, ANY).is_some())
        };
        now.running == self.last
            && (now.has_switched || self.left_by >= self.end)
            && self.last_row.is_none_or(takes)
    }

    pub(super) fn fits(&self, moves: &[Move]) -> Option<Now> {
        let now = self.replay(moves, self.seen.len())?;
        self.ends(&now).then_some(now)
    }

    /// What it costs to lose one more event at a place.
    fn price(&self, slot: usize, moves: &[Move]) -> Cost {
        let (from, to) = (self.before(slot), self.after(slot));
        let here = self.places.iter().filter(|place| place.place.from <= to && place.place.to >= from);
        let room = here.fold(0u64, |room, place| room.saturating_add(place.room));
        let used = moves.iter().filter(|step| step.slot == slot).count() as u64;
        match () {
            () if used < room => DECLARED,
            () if self.places.is_empty() && !moves.is_empty() => SECOND,
            () => UNDECLARED,
        }
    }

    /// The cheapest ways, best first: what is lost, and what it costs; and whether the search saw all
    /// there was.
    pub(super) fn ways(&self) -> (Vec<(Vec<Move>, Cost)>, bool) {
        let mut named: Vec<Ix> = self.seen.iter().filter(|seen| seen.is_here).map(|seen| seen.who).collect();
        named.extend([self.first, self.last]);
        if self.left_by != i64::MAX {
            named.push(REST);
        }
        named.sort_unstable();
        named.dedup();
        named.retain(|who| *who != NOBODY);
        let mut nodes = vec![Node { at: 0, now: self.begin(), moves: Vec::new() }];
        let mut heap = BinaryHeap::from([Reverse((0, 0usize))]);
        let (mut ways, mut looked): (Vec<(Vec<Move>, Cost)>, usize) = (Vec::new(), 0);
        let mut meetings: HashMap<(usize, Ix, Belief), u32, FxBuildHasher> = HashMap::default();
        let mut is_all = true;
        while let Some(Reverse((cost, index))) = heap.pop() {
            looked += 1;
            if looked > EXPANSIONS || ways.len() >= WAYS {
                return (ways, false);
            }
            if ways.first().is_some_and(|(_, best)| cost > best + WORSE) {
                break;
            }
            let Some(node) = nodes.get_mut(index) else { continue };
            let (mut now, moves) = (node.now.clone(), std::mem::take(&mut node.moves));
            let at = self.advance(&mut now, node.at);
            // What comes depends on little of what was: of ways that meet, the cheapest few go on.
            let met = meetings.entry((at, now.running, now.belief)).or_insert(0u32);
            *met += 1;
            if *met > MEETING {
                is_all = false;
                continue;
            }
            if at == self.seen.len() && self.ends(&now) {
                if !moves.is_empty() && !ways.iter().any(|(way, _)| same(way, &moves)) {
                    ways.push((moves, cost));
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
        (ways, is_all)
    }

    fn cost_of(&self, now: &Now, what: What) -> Cost {
        if now.running == REST || now.running == NOBODY {
            return 0;
        }
        match what {
            What::Switch(_) => self.watched.costs.of(now.belief, Some(self.handover.0)),
            What::Own { arc, stem } => {
                let symbols = self.watched.symbols(arc, stem);
                let costs = symbols.iter().map(|&symbol| self.watched.costs.of(now.belief, Some(symbol)));
                costs.min().unwrap_or_else(|| self.watched.costs.of(now.belief, None))
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
            Some(_) => NOBODY,
        };
        let is_woken = seen.is_some_and(|seen| !seen.is_here && seen.who != NOBODY);
        if !is_woken && now.running != REST && now.running != NOBODY && (who == NOBODY || who == now.running)
        {
            let firsts = row.map_or_else(Vec::new, |row| self.own_steps(now.belief, row));
            options.extend(firsts.into_iter().map(|what| (Move { slot: at, what }, 0)));
        }
        let mut come = |next: Ix, cost: Cost| {
            if next == now.running {
                return;
            }
            // The latest place from which it takes what now does not fit, best where something was lost; and of
            // one who is known to have run the place that takes it furthest: what follows may fit only it.
            let mut found: Option<(Move, bool)> = None;
            let mut furthest: Option<(Move, usize)> = None;
            let is_known = cost == 0 && next != REST;
            for slot in (least..=at).rev().take(64) {
                let step = Move { slot, what: What::Switch(next) };
                let Some(mut then) = self.replay(moves, slot) else { break };
                if !self.apply(&mut then, step) {
                    continue;
                }
                let rests = next == REST && moves.last().is_none_or(|step| step.slot != slot);
                let reached = self.advance(&mut then, slot);
                if reached > at || at == self.seen.len() && reached == at || rests && slot == at {
                    let is_declared = self.places.is_empty() || self.price(slot, moves) == DECLARED;
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
        if who != NOBODY && who != now.running {
            come(who, 0);
        } else {
            if is_woken {
                come(REST, 0);
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
    fn own_steps(&self, belief: Belief, row: u32) -> Vec<What> {
        let rules = &self.watched.rules;
        let Some(row) = rules.row(row) else { return Vec::new() };
        let needed = row.accepts.iter().find_map(|state| row.target(state, ANY)?.closes).unwrap_or(ANY);
        let takes = |state: usize, open: u32| row.target(state, open).is_some();
        let mut open: Vec<(usize, u32, What)> = Vec::new();
        let mut found = Vec::new();
        let mut seen: Vec<(usize, u32)> = belief.set.iter().map(|state| (state, belief.open)).collect();
        let mut edge: Vec<(usize, u32, Option<What>)> =
            belief.set.iter().map(|state| (state, belief.open, None)).collect();
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
}

/// Whether two ways lose the same events, wherever they are.
pub(super) fn same(one: &[Move], other: &[Move]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.what == other.what)
}
