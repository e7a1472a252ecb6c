//! From a stretch in doubt to inferred events: ask, weigh, and believe the result.

use model::machine::Machine;

use super::belief::{ANY, Belief};
use super::costs::{Cost, DECLARED, SECOND, UNDECLARED};
use super::instances::{Ix, NOBODY, NOWHERE, REST};
use super::runner::Runner;
use super::shared::Shared;
use super::stretch::{Room, Stretch, What};
use super::tell::Lost;
use super::watched::Arrival;
use super::way::Way;
use crate::machines::state_set::StateSet;
use crate::machines::value::Name;
use crate::machines::windows::LossPlace;

/// Events of one explanation, at most.
const MOST: usize = 24;
/// The weight of all explanations that the search does not return, beside the best, for each event
/// of the best: the more was lost, the more else may have been. Found by evaluation on the great
/// trace; without a declared count nothing is ever sure.
const REST_OF_ALL: f64 = 0.02;
/// The same for each event that was declared lost and that the best does not account for.
const LEFT_OVER: f64 = 0.05;
/// More lost events in a row than this are never told as the only way: the model knows little of who
/// else may run.
const SURE: usize = 4;
/// So many times rarer than another, an event is not believed.
const UNHEARD_OF: u32 = 30;
/// An event that is less probable than this is not told.
pub(super) const LEAST: f64 = 0.5;

/// A lost event that is ready to be told.
struct Planned {
    index: usize,
    what: What,
    mover: Ix,
    range: (usize, usize),
    share: f64,
}

impl Runner {
    /// The stretch of a CPU ends with an event by which `last` leaves, which is not who was believed to
    /// run, or something in between did not fit.
    pub(super) fn close(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, last, last_row): (u32, Ix, Option<u32>),
    ) {
        let Some(cpu) = self.cpus.get(number as usize) else { return };
        let places = self.places(shared, number);
        let declared = shared.windows.count(&places);
        if !places.is_empty() && (cpu.first == NOBODY || declared.is_none_or(|lost| lost > MOST as u64)) {
            self.close_window(shared, machine, now, (number, last));
            return;
        }
        if cpu.first == NOBODY {
            // The start of the trace: what was seen tells of it for the first time.
            self.unexplained += u64::from(cpu.doubt.is_some());
            let ghost = if cpu.doubt.is_some() { Belief::of(self.on()) } else { cpu.ghost };
            self.runs(number, last, Some(ghost));
            return;
        }
        // What a declared loss explains is no contradiction.
        let incoherence = match cpu.doubt {
            None if places.is_empty() => {
                Some(self.left_unexpectedly(shared, machine, now, (number, last, last_row)))
            }
            doubt => doubt,
        };
        let first = self.cpus.get(number as usize).map_or(NOBODY, |cpu| cpu.first);
        if last != REST && last != first {
            let on = self.watched.instances.get(last).map_or(NOWHERE, |one| one.on);
            if on != NOWHERE && on != number {
                self.seen_elsewhere(shared, now, (last, on, number));
            } else if on == NOWHERE {
                self.must_have_come(shared, machine, now, last);
            }
        }
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        let seen = std::mem::take(&mut cpu.seen);
        let others = std::mem::take(&mut cpu.others);
        let (first, start, left_by, woken) = (cpu.first, cpu.start, cpu.left_by, cpu.woken);
        let first_belief = cpu.first_belief;
        let takes = self.resting(&seen);
        let room = |place: &LossPlace| Room { place: *place, room: shared.windows.room(place.window) };
        let rooms: Vec<Room> = places.iter().map(room).collect();
        let Some(handover) = self.handover() else { return };
        let mut stretch = Stretch {
            watched: &self.watched,
            handover,
            first,
            first_belief,
            start,
            seen: &seen,
            last,
            last_row,
            end: now.time,
            left_by,
            others: &others,
            places: &rooms,
            rest_takes: &|symbol| !takes.contains(&symbol),
            most: declared.map_or(MOST, |lost| MOST.min(lost as usize)),
            doubts: if places.is_empty() { UNDECLARED / 2 } else { 10 * DECLARED },
        };
        stretch.left_by = left_by.min(woken);
        if !places.is_empty()
            && first == last
            && let Some(end) = stretch.fits(&[])
        {
            // Nothing is implied; what was lost is counted.
            self.runs(number, last, Some(end.belief).filter(|_| last != REST));
            return;
        }
        let (mut found, mut is_all) = (Vec::new(), false);
        for limit in [left_by.min(woken), left_by] {
            stretch.left_by = limit;
            (found, is_all) = stretch.ways();
            if !found.is_empty() || woken == i64::MAX {
                break;
            }
        }
        let ways: Vec<Way> = found.into_iter().map(|(moves, cost)| stretch.way(moves, cost)).collect();
        let Some(best) = ways.first() else {
            self.unexplained += 1;
            self.left(shared, (first, number), start, Belief::of(StateSet::default()), None);
            self.runs(number, last, None);
            return;
        };
        if let Some(incoherence) = incoherence.and_then(|number| shared.incoherences.get_mut(number)) {
            incoherence.is_explained = true;
        }
        // With all that was declared accounted for, and one way only, there is no doubt left.
        let left_over = declared.map(|lost| lost.saturating_sub(best.moves.len() as u64));
        let planned = self.plan(&stretch, best, left_over);
        let left_over = left_over.map(|lost| lost.saturating_sub((planned.len() - best.moves.len()) as u64));
        let is_sure = is_all && ways.len() == 1 && left_over == Some(0) && planned.len() <= SURE;
        let others = match left_over {
            Some(0) if is_sure => 0.0,
            Some(0) => LEFT_OVER,
            Some(left_over) => LEFT_OVER * left_over as f64,
            None => (REST_OF_ALL * best.moves.len() as f64)
                .max(REST_OF_ALL / self.usual(&stretch, best, &planned)),
        };
        let weight = |way: &Way| (-f64::from(way.cost - best.cost) / 1000.0).exp();
        let all: f64 = ways.iter().map(weight).sum::<f64>() + others;
        let mut lost = Vec::new();
        for planned in &planned {
            let Some(step) = best.moves.get(planned.index) else { continue };
            let by = best.movers.get(planned.index).copied().unwrap_or(planned.mover);
            let holds = |way: &&Way| {
                way.moves
                    .iter()
                    .zip(&way.movers)
                    .any(|(other, &mover)| other.what == step.what && mover == by)
            };
            let probability = planned.share * ways.iter().filter(holds).map(weight).sum::<f64>() / all;
            let (from, to, cpu) = self.times(&stretch, best, planned, woken, number);
            lost.push((planned.what, planned.mover, from, to, cpu, probability));
        }
        let best = best.clone();
        let is_sure = is_sure && lost.len() == best.moves.len();
        let mut left: Vec<(Ix, Option<usize>, i64)> = Vec::new();
        for (what, mover, from, to, cpu, probability) in lost {
            let mut told = None;
            if probability >= LEAST {
                let reason = self.reason(shared, what, mover, last, number);
                let (window, from, to) = shared.windows.charge(&places, from, to);
                let lost =
                    Lost { what, mover, cpu, from, to, probability, is_sure, incoherence, window, reason };
                told = self.tell(shared, machine, handover.0, lost);
            }
            if let What::Switch(next) = what {
                left.retain(|&(who, ..)| who != next && who != mover);
                left.push((mover, told, from));
            }
        }
        let of = |who: Ix| best.beliefs.iter().find(|(by, _)| *by == who).map(|(_, belief)| *belief);
        for (who, told, from) in left {
            if who != last && who != REST && who != NOBODY {
                self.left(
                    shared,
                    (who, number),
                    from,
                    of(who).unwrap_or(Belief::of(StateSet::default())),
                    told,
                );
            }
        }
        if woken != i64::MAX && first != last && first != REST {
            self.was_woken(shared, first, woken);
        }
        self.runs(number, last, of(last));
    }

    /// How usual the longest silence of a CPU is in a stretch, while somebody ran there for all that is
    /// believed: the share of stretches like it that have one. Where it is small, more was lost in it.
    fn usual(&self, stretch: &Stretch<'_>, best: &Way, planned: &[Planned]) -> f64 {
        let rests = |slot: usize| {
            let mut around =
                planned.iter().filter(|planned| (planned.range.0..=planned.range.1).contains(&slot));
            around.any(|planned| planned.mover == REST || planned.what == What::Switch(REST))
        };
        let mut running = stretch.first;
        let mut moves = best.moves.iter().peekable();
        let (mut last, mut longest, mut count) = (stretch.start, 0, 0u32);
        for slot in 0..=stretch.seen.len() {
            let seen = stretch.seen.get(slot);
            if seen.is_some_and(|seen| seen.who != NOBODY && !seen.is_here) {
                continue;
            }
            let time = seen.map_or(stretch.end, |seen| seen.time);
            let began = running;
            while let Some(step) = moves.next_if(|step| step.slot <= slot) {
                if let What::Switch(next) = step.what {
                    running = next;
                }
            }
            if began != REST && running != REST && !rests(slot) {
                (longest, count) = (longest.max(time.saturating_sub(last)), count + 1);
            }
            last = time;
        }
        if count == 0 {
            return 1.0;
        }
        let (mut longer, mut all) = (1u64, 2u64);
        for cpu in &self.cpus {
            let (of_cpu, of_all) = cpu.silences.longer(longest);
            (longer, all) = (longer + of_cpu, all + of_all);
        }
        (f64::from(count) * longer as f64 / all as f64).min(1.0)
    }

    /// The incoherence that a CPU is left by somebody who does not run there, or cannot leave so.
    fn left_unexpectedly(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, last, last_row): (u32, Ix, Option<u32>),
    ) -> usize {
        let running = self.cpus.get(number as usize).map_or(NOBODY, |cpu| cpu.running);
        // A resting CPU is told by whom it should have run.
        let about = if last == REST { running } else { last };
        let one = self.watched.instances.get(about);
        let (key, states, previous) = one.map_or((Name::Number(-1), StateSet::default(), now.time), |one| {
            (one.key, one.belief.set, one.time)
        });
        let accepts = last_row
            .and_then(|row| self.watched.rules.row(row))
            .map_or(StateSet::default(), |row| row.accepts);
        let start = self.cpus.get(number as usize).map_or(previous, |cpu| cpu.start);
        let _ = machine;
        let sentence = format!(
            "CPU {number} switches away from {} while {} runs there",
            self.show(shared, last),
            self.show(shared, running)
        );
        self.watched.misfit(shared, now, (key, previous.min(start)), (states, accepts), None, sentence)
    }

    /// Symbols that a resting CPU refuses, among those seen.
    fn resting(&self, seen: &[super::cpu::Seen]) -> Vec<u32> {
        let symbols = seen.iter().filter_map(|seen| self.watched.rules.row(seen.row)).map(|row| row.symbol);
        let mut symbols: Vec<u32> = symbols.collect();
        symbols.sort_unstable();
        symbols.dedup();
        let refuses = |symbol: &u32| !matches!(self.refused.get(*symbol as usize), Some(Some(None)));
        symbols.retain(refuses);
        symbols
    }

    /// Between the moves of the best way the CPU may have rested: two lost events instead of one.
    /// `left_over` of the declared ones are not accounted for.
    fn plan(&self, stretch: &Stretch<'_>, best: &Way, left_over: Option<u64>) -> Vec<Planned> {
        let idle: Vec<Option<Cost>> =
            (0..best.moves.len()).map(|index| self.idle(stretch, best, index)).collect();
        let mut likely: Vec<Cost> = idle.iter().copied().flatten().collect();
        likely.sort_unstable_by(|one, other| other.cmp(one));
        // With all that was declared to be placed, as many rests as there are events left.
        let exact = left_over.map(|count| count as usize).filter(|count| *count <= likely.len());
        let price = match exact {
            Some(0) => Cost::MAX,
            Some(count) => likely.get(count - 1).map_or(SECOND, |least| least.saturating_sub(1)),
            None if left_over.is_some() => DECLARED,
            None => SECOND,
        };
        let mut planned = Vec::new();
        for (index, (step, (&mover, &range))) in
            best.moves.iter().zip(best.movers.iter().zip(&best.ranges)).enumerate()
        {
            let cost = idle.get(index).copied().flatten();
            let rests = cost
                .is_some_and(|cost| cost > price || exact.is_some_and(|count| count > 0) && cost == price);
            let share = match (exact, cost) {
                (Some(_), _) | (_, None) => 1.0,
                (None, Some(cost)) => {
                    let share = 1.0 / (1.0 + ((f64::from(price) - f64::from(cost)) / 1000.0).exp());
                    if rests { share } else { 1.0 - share }
                }
            };
            if rests {
                let range_of_rest = (stretch.rests_since(best, index, range.0), range.1);
                let what = What::Switch(REST);
                planned.push(Planned { index, what, mover, range: range_of_rest, share });
                planned.push(Planned { index, what: step.what, mover: REST, range, share });
            } else {
                planned.push(Planned { index, what: step.what, mover, range, share });
            }
        }
        planned
    }

    /// What it costs that the CPU did not rest before the one who comes by a move: who comes was not
    /// ready yet when the other one is likely to have left.
    fn idle(&self, stretch: &Stretch<'_>, best: &Way, index: usize) -> Option<Cost> {
        let (step, mover) = (best.moves.get(index)?, *best.movers.get(index)?);
        let What::Switch(next) = step.what else { return None };
        if next == REST || mover == REST || next == NOBODY || mover == NOBODY {
            return None;
        }
        if best.movers.iter().take(index).any(|&by| by == next) {
            return Some(0);
        }
        let (since, _) = stretch.ready(next, step.slot);
        let now = stretch.replay(best.moves.get(..index)?, step.slot)?;
        let early = best.ranges.get(index).map_or(step.slot, |range| range.0);
        let early = stretch.rests_since(best, index, early);
        Some(self.watched.costs.stays(now.belief, since.saturating_sub(stretch.before(early))))
    }

    /// From when to when a lost event may have been, and on which CPU.
    fn times(
        &self,
        stretch: &Stretch<'_>,
        best: &Way,
        planned: &Planned,
        woken: i64,
        number: u32,
    ) -> (i64, i64, u32) {
        let Planned { index, what, mover, range: (early, late), .. } = *planned;
        let (mut from, mut to, mut cpu) = (stretch.before(early), stretch.after(late), number);
        let first = stretch.first;
        match what {
            What::Switch(next) => {
                let (since, _) = stretch.ready(next, late);
                let is_back = best.movers.iter().take(index).any(|&by| by == next);
                if next != REST && !is_back && since <= to && next != first {
                    from = from.max(since);
                }
                if is_back && next == first && woken != i64::MAX {
                    from = from.max(woken.min(to));
                }
                if !best.moves.iter().take(index).any(|step| matches!(step.what, What::Switch(_))) {
                    let left_by = self.cpus.get(number as usize).map_or(i64::MAX, |cpu| cpu.left_by);
                    let limit = if left_by.min(woken) >= from { left_by.min(woken) } else { left_by };
                    to = to.min(limit.max(from));
                }
            }
            What::Own { arc, stem } => {
                if early == 0
                    && mover == first
                    && let Some((earliest, latest, on)) = self.on_the_way(first, arc, stem)
                {
                    from = from.min(earliest);
                    if let Some((latest, on)) = latest.zip(on) {
                        (to, cpu) = (latest.max(from), on);
                    }
                }
            }
        }
        (from, to, cpu)
    }

    /// What was lost of an instance may have been before it came here: from when on; and the last
    /// moment and CPU, if it cannot have left there otherwise than after it.
    fn on_the_way(&self, ix: Ix, arc: usize, stem: u32) -> Option<(i64, Option<i64>, Option<u32>)> {
        let one = self.watched.instances.get(ix)?;
        let rules = &self.watched.rules;
        let arc = rules.lost.get(arc)?;
        let (mut belief, mut inside) = (one.trail_belief, None);
        let mut latest = None;
        for step in &one.trail {
            let row = rules.row(step.row)?;
            // The lost event before this one: in another state, which may be the likelier one.
            if inside.is_none() && belief.set.has(arc.from) {
                let open = if arc.opens { stem } else { super::belief::NOTHING };
                inside = Some(Belief { set: arc.to, open });
            }
            let often = |belief: Option<Belief>| {
                let state = belief.and_then(|belief| belief.set.only());
                state.map_or(0, |state| self.watched.often(state, step.row))
            };
            if latest.is_none() && often(inside) > UNHEARD_OF * (often(Some(belief)) + 1) {
                latest = Some((step.time, step.cpu));
            }
            belief = row.step(belief, ANY)?.after;
            inside = inside.and_then(|with| row.step(with, ANY)).map(|step| step.after);
        }
        Some((one.trail_from.0, latest.map(|latest| latest.0), latest.map(|latest| latest.1)))
    }

    /// This one runs there now, with this belief if any is better than what is known.
    pub(super) fn runs(&mut self, number: u32, who: Ix, belief: Option<Belief>) {
        let on = self.on();
        if let Some(cpu) = self.cpus.get_mut(number as usize) {
            cpu.running = who;
        }
        if let Some(one) = self.watched.instances.get_mut(who) {
            one.on = number;
            let set = belief.map_or(on, |belief| belief.set.and(on));
            one.belief = Belief {
                set: if set.is_empty() { on } else { set },
                open: belief.map_or(ANY, |belief| belief.open),
            };
        }
    }

    /// Somebody left the CPU by an event that was lost.
    pub(super) fn left(
        &mut self,
        shared: &mut Shared,
        (ix, number): (Ix, u32),
        from: i64,
        belief: Belief,
        told: Option<usize>,
    ) {
        let (off, on) = (self.off(), self.on());
        let leaves = self.handover().and_then(|(_, leaves, _)| self.watched.rules.row(leaves));
        let behind = leaves.and_then(|row| row.anew(on)).map_or(off, |step| step.after.set);
        let belief = if belief.set.is_empty() { Belief::of(behind) } else { belief };
        let Some(one) = self.watched.instances.get_mut(ix) else { return };
        if one.on != NOWHERE && one.on != number {
            // It was seen elsewhere since, without more: it never stopped being ready.
            if let Some(told) = told {
                shared.resolve(told, off, &self.watched.rules);
            }
            return;
        }
        if one.on == NOWHERE && one.time > from {
            // Another stream has told of it since.
            one.belief.open = belief.open;
            if let Some(told) = told {
                shared.resolve(told, self.woken_from(shared), &self.watched.rules);
            }
            return;
        }
        (one.on, one.cpu, one.target) = (NOWHERE, number, NOWHERE);
        (one.moved, one.pending) = (from, told);
        one.belief = belief;
    }

    /// States that an event elsewhere takes an instance out of, so that it is ready.
    pub(super) fn woken_from(&self, _: &Shared) -> StateSet {
        let (on, off) = (self.on(), self.off());
        let lost = self.watched.rules.lost.iter();
        let wakes = lost.filter(|arc| {
            matches!(arc.part, super::rules::Part::Field(_))
                && !arc.to.and(off).is_empty()
                && !on.has(arc.from)
                && !self.watched.rules.shape.initial.has(arc.from)
        });
        let from = wakes.fold(StateSet::default(), |set, arc| set.or(StateSet::one(arc.from)));
        let only = from.and(off.others());
        if only.is_empty() { from } else { only }
    }

    /// It left its CPU unseen and was seen off it at this moment.
    fn was_woken(&mut self, shared: &mut Shared, ix: Ix, woken: i64) {
        let (from, off) = (self.woken_from(shared), self.off());
        let Some(one) = self.watched.instances.get_mut(ix) else { return };
        if one.on != NOWHERE {
            return;
        }
        if let Some(told) = one.pending.take() {
            shared.resolve(told, from, &self.watched.rules);
        }
        let ready = self.watched.rules.ready_behind(one.belief.set.and(from));
        let set = if ready.and(off).is_empty() { off } else { ready.and(off) };
        (one.belief.set, one.moved) = (set, woken);
    }

    /// Where declared losses of a CPU may be, and whether one has room.
    pub(super) fn places(&self, shared: &Shared, number: u32) -> Vec<LossPlace> {
        let cpu = self.cpus.get(number as usize);
        let gaps = cpu.map_or(&[][..], |cpu| &cpu.gaps);
        gaps.iter().filter_map(|(place, _)| shared.windows.places.get(*place).copied()).collect()
    }
}
