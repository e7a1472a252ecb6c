//! A stretch of one CPU with lost events in it, between two handovers that were recorded: as a problem of the
//! [`chain`](super::chain), and what comes out of that in terms of who ran.

use super::chain::{self, Answer, IDLE, Item, MOST, OTHER, Problem, RUNNERS, Runner, Weights};
use super::habits::{Habits, Known, NOTHING, Place};
use super::marks::{Mark, Marks, NONE, What, Who};

/// Candidates of one stretch.
const CANDIDATES: usize = 12;
/// Lost events of a stretch whose handovers are listed; of more, how probably who ran is told, and no list.
pub const LISTED: u64 = 24;
/// Marks behind a stretch that are asked what its candidates do next.
const NEXT: usize = 20_000;
/// How sharply the neighbours of a lost event tell what it was: 1 is as their frequencies say.
const SHARP: f64 = 0.25;
/// A contradiction weighs so much.
const CONTRADICTION: f64 = 0.002;

/// A declared loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// How many events; `None`: nobody counted.
    pub lost: Option<u64>,
    /// Between which moments.
    pub from: i64,
    /// See `from`.
    pub to: i64,
    /// It may as well be elsewhere.
    pub is_elsewhere: bool,
}

/// A stretch, by the places of the marks at its ends.
#[derive(Debug, Clone)]
pub(super) struct Stretch {
    pub(super) cpu: u32,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The losses in it.
    pub(super) windows: Vec<u32>,
}

/// A lost handover, as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Its CPU.
    pub cpu: u32,
    /// The declared loss.
    pub window: u32,
    /// Between which moments it was.
    pub from: i64,
    /// See `from`.
    pub to: i64,
    /// Who leaves and who comes; `None`: nobody that can be named.
    pub prev: Option<Who>,
    /// See `prev`.
    pub next: Option<Who>,
    /// How probable it is.
    pub probability: f64,
    /// How probable it is that who leaves stays ready, if it is so.
    pub stays_ready: f64,
    /// Whether nothing else is possible.
    pub is_certain: bool,
    /// Who else leaves or comes, with how probable that is.
    pub others: Vec<(Option<Who>, Option<Who>, f64)>,
    /// Handovers of the same number are of one stretch.
    pub stretch: usize,
}

/// What comes of a stretch.
#[derive(Debug)]
pub(super) struct Estimated {
    pub(super) told: Vec<Told>,
}

/// Everything that a stretch is asked with.
pub(super) struct Around<'a> {
    pub(super) marks: &'a Marks,
    pub(super) habits: &'a Habits,
    /// As it was known at the start of the stretch.
    pub(super) known: &'a Known,
    pub(super) losses: &'a dyn Fn(u32) -> Option<Loss>,
}

/// A problem, and who its candidates are.
#[derive(Debug)]
pub(super) struct Posed {
    pub(super) problem: Problem,
    pub(super) who: Vec<Who>,
    /// By item: between which moments it is.
    times: Vec<(i64, i64)>,
    windows: Vec<u32>,
    lost: u64,
}

impl Stretch {
    /// Estimates it; `None`: it is too long, or nothing fits.
    pub(super) fn estimate(&self, around: &Around<'_>, number: usize) -> Option<Estimated> {
        let posed = self.pose(around)?;
        let answer = posed.problem.solve()?;
        Some(Estimated { told: posed.told(self.cpu, number, &answer) })
    }

    fn ends(&self, marks: &Marks) -> Option<(Who, Who, Who)> {
        let (start, end) = (marks.get(self.start)?, marks.get(self.end)?);
        match (start.what, end.what) {
            (What::Handover { next: first, .. }, What::Handover { prev: last, next, .. }) => {
                Some((first, last, next))
            }
            _ => None,
        }
    }

    fn inner<'m>(&self, marks: &'m Marks) -> impl Iterator<Item = (usize, &'m Mark)> + use<'m> {
        let (start, end) = (self.start + 1, self.end);
        marks.from(start).take(end.saturating_sub(start)).enumerate().map(move |(at, mark)| (start + at, mark))
    }

    /// Those that may run in it, the most likely first.
    fn candidates(&self, around: &Around<'_>, first: Who, last: Who, next: Who) -> Vec<Who> {
        let mut who: Vec<Who> = Vec::new();
        let mut add = |one: Who| {
            if one != NONE && !who.contains(&one) && who.len() < CANDIDATES {
                who.push(one);
            }
        };
        [first, last, next].into_iter().for_each(&mut add);
        for (_, mark) in self.inner(around.marks) {
            if let What::Here { who } = mark.what
                && mark.cpu == self.cpu
            {
                add(who);
            }
        }
        let place = |one: &Who| around.known.places.get(one).copied();
        let mut ready: Vec<Who> = around.known.places.keys().copied().collect();
        ready.sort_unstable();
        let is_here = |one: &&Who| place(one) == Some(Place::Ready(self.cpu));
        ready.iter().filter(is_here).copied().for_each(&mut add);
        for (_, mark) in self.inner(around.marks) {
            if let What::Ready { who, target } = mark.what
                && target == self.cpu
            {
                add(who);
            }
        }
        // Who comes to a CPU right behind the stretch was ready in it, or ran.
        let behind = around.marks.from(self.end + 1).take(200);
        for mark in behind {
            if let What::Handover { next, .. } = mark.what
                && mark.cpu == self.cpu
                && matches!(place(&next), Some(Place::Ready(_)) | None)
            {
                add(next);
            }
        }
        // Where readiness is seldom known, those that are usual.
        let usual = around.habits.successors(first).iter().take(4);
        usual.chain(around.habits.predecessors(last).iter().take(4)).copied().for_each(&mut add);
        for (_, mark) in self.inner(around.marks) {
            match mark.what {
                What::Ready { who, .. } => add(who),
                What::Handover { prev, stays_ready: Some(true), .. } if mark.cpu != self.cpu => add(prev),
                _ => {}
            }
        }
        let is_ready = |one: &&Who| matches!(place(one), Some(Place::Ready(_)));
        ready.iter().rev().filter(is_ready).copied().for_each(&mut add);
        who
    }

    pub(super) fn pose(&self, around: &Around<'_>) -> Option<Posed> {
        let (first, last, next) = self.ends(around.marks)?;
        let mut losses: Vec<Loss> = Vec::new();
        for window in &self.windows {
            losses.push((around.losses)(*window)?);
        }
        if losses.iter().any(|loss| loss.is_elsewhere || loss.lost.is_none()) {
            return None;
        }
        let lost: u64 = losses.iter().filter_map(|loss| loss.lost).fold(0, u64::saturating_add);
        if lost > LISTED || lost == 0 {
            return None;
        }
        let who = self.candidates(around, first, last, next);
        let index = |one: Who| -> Runner {
            match one {
                NONE => IDLE,
                one => who.iter().position(|known| *known == one).unwrap_or(OTHER),
            }
        };
        let (mut ready, mut here) = (0u32, 0u32);
        for (bit, one) in who.iter().enumerate().filter(|(_, one)| **one != first) {
            if let Some(Place::Ready(target)) = around.known.places.get(one) {
                ready |= 1 << bit;
                here |= u32::from(*target == self.cpu) << bit;
            }
        }
        let (items, times, gaps) = self.items(around, &who, &losses, &index);
        let problem = Problem {
            candidates: who.len(),
            first: index(first),
            last: index(last),
            ready,
            here,
            items,
            gaps,
            later: self.later(around, &who, (last, next)),
            weights: weights(around.habits, around.known, &who),
        };
        Some(Posed { problem, who, times, windows: self.windows.clone(), lost })
    }

    /// What happens in it: slots of its gaps, and what is seen in between.
    #[expect(clippy::type_complexity, reason = "three lists that belong together")]
    fn items(
        &self,
        around: &Around<'_>,
        who: &[Who],
        losses: &[Loss],
        index: &dyn Fn(Who) -> Runner,
    ) -> (Vec<Item>, Vec<(i64, i64)>, Vec<Vec<f64>>) {
        let (mut items, mut times, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let mut did: Vec<Vec<u32>> =
            who.iter().map(|one| vec![around.known.did.get(one).copied().unwrap_or(NOTHING)]).collect();
        let mut runs = around.known.runs.clone();
        // The open gap, from when on, and the last event of this CPU.
        let (mut open, mut since, mut before) = (None::<usize>, 0i64, None::<u32>);
        let mut is_new_segment = true;
        let slot = |items: &mut Vec<Item>, times: &mut Vec<(i64, i64)>, gap: usize, since: i64, now: i64| {
            let Some(loss) = losses.get(gap) else { return };
            let from = since.max(loss.from);
            let to = now.min(loss.to).max(from);
            let all = loss.to.saturating_sub(loss.from).max(1) as f64;
            let share = (to.saturating_sub(from) as f64 / all).clamp(1e-6, 1.0);
            items.push(Item::Slot { gap, share });
            times.push((from, to));
        };
        let mut next_gap = 0;
        let start = around.marks.get(self.start);
        if let Some(start) = start {
            before = Some(start.symbol);
        }
        let close = |items: &mut Vec<Item>, times: &mut Vec<(i64, i64)>, gap: usize, at: i64| {
            items.push(Item::End { gap });
            times.push((at, at));
        };
        for (_, mark) in self.inner(around.marks) {
            let is_here = mark.cpu == self.cpu;
            if let What::Gap { .. } = mark.what {
                if is_here {
                    // Two losses with nothing between them.
                    if let Some(gap) = open.take() {
                        slot(&mut items, &mut times, gap, since, mark.time);
                        close(&mut items, &mut times, gap, mark.time);
                        gaps.push(self.kinds(around, losses.get(gap), before, None));
                        before = None;
                    }
                    open = Some(next_gap);
                    since = losses.get(next_gap).map_or(mark.time, |loss| loss.from);
                    next_gap += 1;
                }
                continue;
            }
            if is_here && !matches!(mark.what, What::Ready { .. }) {
                if let Some(gap) = open.take() {
                    slot(&mut items, &mut times, gap, since, mark.time);
                    close(&mut items, &mut times, gap, mark.time);
                    gaps.push(self.kinds(around, losses.get(gap), before, Some(mark.symbol)));
                    is_new_segment = true;
                }
                before = Some(mark.symbol);
                if let What::Here { who: one } = mark.what
                    && next_gap > 0
                {
                    let mut weights = Box::new([1e-6; RUNNERS]);
                    if let Some(place) = weights.get_mut(index(one)) {
                        *place = 1.0;
                    }
                    items.push(Item::Seen(weights));
                    times.push((mark.time, mark.time));
                    continue;
                }
                if mark.what == What::Own {
                    if is_new_segment && next_gap > 0 {
                        items.push(Item::Seen(seen(around.habits, who, &did, mark.symbol)));
                        times.push((mark.time, mark.time));
                    }
                    if next_gap == 0 {
                        // Nothing is lost yet: it is who came first.
                        if let Some(did) = did.get_mut(0).filter(|_| who.first() == self.first(around).as_ref()) {
                            *did = vec![mark.symbol];
                        }
                    } else {
                        for (did, _) in did.iter_mut().zip(who).filter(|(did, _)| did.len() < 8) {
                            if !did.contains(&mark.symbol) {
                                did.push(mark.symbol);
                            }
                        }
                    }
                    is_new_segment = false;
                }
                continue;
            }
            let mut push = |items: &mut Vec<Item>, item: Item| {
                if let Some(gap) = open {
                    slot(items, &mut times, gap, since, mark.time);
                    since = mark.time;
                }
                items.push(item);
                times.push((mark.time, mark.time));
            };
            match mark.what {
                What::Ready { who: one, target } if index(one) < MOST => {
                    push(&mut items, Item::Ready { who: index(one), is_here: target == self.cpu });
                }
                What::Handover { prev, next, stays_ready } => {
                    if index(prev) < MOST {
                        push(&mut items, Item::Off { who: index(prev), is_ready: stays_ready == Some(true) });
                    }
                    if index(next) < MOST {
                        push(&mut items, Item::Taken { who: index(next) });
                    }
                    runs.insert(mark.cpu, next);
                }
                What::Own if !is_here => {
                    let one = runs.get(&mark.cpu).map_or(OTHER, |one| index(*one));
                    if let Some(did) = did.get_mut(one) {
                        *did = vec![mark.symbol];
                    }
                }
                _ => {}
            }
        }
        if let (Some(gap), Some(end)) = (open, around.marks.get(self.end)) {
            slot(&mut items, &mut times, gap, since, end.time);
            close(&mut items, &mut times, gap, end.time);
            gaps.push(self.kinds(around, losses.get(gap), before, Some(end.symbol)));
        }
        while gaps.len() < losses.len() {
            let gap = losses.get(gaps.len());
            gaps.push(self.kinds(around, gap, None, None));
        }
        (items, times, gaps)
    }

    fn first(&self, around: &Around<'_>) -> Option<Who> {
        self.ends(around.marks).map(|(first, ..)| first)
    }

    fn kinds(&self, around: &Around<'_>, loss: Option<&Loss>, before: Option<u32>, after: Option<u32>) -> Vec<f64> {
        let lost = loss.and_then(|loss| loss.lost).unwrap_or(1) as usize;
        let mut kinds = around.habits.kinds(before, lost, after, lost);
        kinds.iter_mut().for_each(|weight| *weight = weight.powf(SHARP));
        kinds
    }

    /// What is seen of candidates behind the stretch.
    fn later(&self, around: &Around<'_>, who: &[Who], (last, next): (Who, Who)) -> Vec<(Runner, f64, f64)> {
        let (_, woken_ready) = around.habits.woken();
        let classes = around.habits.classes();
        // Who comes is ready, as far as readiness is known at all in this trace.
        let unready = classes.get(2).copied().unwrap_or(0.0).clamp(CONTRADICTION, 1.0);
        let mut later: Vec<(Runner, f64, f64)> = Vec::new();
        let mut open: Vec<(usize, Who)> =
            who.iter().copied().enumerate().filter(|(_, one)| *one != last).collect();
        if let Some(place) = open.iter().position(|(_, one)| *one == next) {
            let (bit, _) = open.swap_remove(place);
            later.push((bit, 1.0, unready));
        }
        for mark in around.marks.from(self.end + 1).take(NEXT) {
            if open.is_empty() {
                break;
            }
            let (about, weights) = match mark.what {
                What::Handover { next, .. } => (next, (1.0, unready)),
                What::Ready { who, .. } => (who, (woken_ready, 1.0)),
                _ => continue,
            };
            if let Some(place) = open.iter().position(|(_, one)| *one == about) {
                let (bit, _) = open.swap_remove(place);
                later.push((bit, weights.0, weights.1));
            }
            if let What::Handover { prev, .. } = mark.what {
                open.retain(|(_, one)| *one != prev);
            }
        }
        later
    }
}

fn weights(habits: &Habits, known: &Known, who: &[Who]) -> Weights {
    let mut stays_ready = [0.0; RUNNERS];
    for (place, one) in stays_ready.iter_mut().zip(who) {
        *place = habits.stays_ready(*one, known.did.get(one).copied().unwrap_or(NOTHING));
    }
    let mut follows = vec![[0.0; RUNNERS]; RUNNERS];
    let row = |prev: Who| {
        let mut row = [0.0; RUNNERS];
        row.iter_mut().zip(who).for_each(|(place, next)| *place = habits.follows(prev, *next));
        row
    };
    for (place, one) in follows.iter_mut().zip(who) {
        *place = row(*one);
    }
    let others = [(IDLE, row(NONE)), (OTHER, row(NONE - 1))];
    for (runner, row) in others {
        if let Some(place) = follows.get_mut(runner) {
            *place = row;
        }
    }
    let (woken_running, woken_ready) = habits.woken();
    Weights {
        stays_ready,
        idle: habits.idle(),
        classes: habits.classes(),
        follows,
        woken_running,
        woken_ready,
        contradiction: CONTRADICTION,
    }
}

/// How well what is done here fits each of those that may run.
fn seen(habits: &Habits, who: &[Who], did: &[Vec<u32>], symbol: u32) -> Box<[f64; RUNNERS]> {
    let mut weights = Box::new([0.0; RUNNERS]);
    for ((place, _), did) in weights.iter_mut().zip(who).zip(did) {
        let sum: f64 = did.iter().map(|before| habits.does(*before, symbol)).sum();
        *place = (sum / did.len().max(1) as f64).max(1e-4);
    }
    // One that nobody knows does what is usual; nobody does nothing.
    if let Some(place) = weights.get_mut(OTHER) {
        *place = habits.does(NOTHING, symbol).max(1e-3);
    }
    if let Some(place) = weights.get_mut(IDLE) {
        *place = 1e-6;
    }
    weights
}

impl Posed {
    fn name(&self, runner: Runner) -> Option<Who> {
        match runner {
            IDLE => Some(NONE),
            runner => self.who.get(runner).copied(),
        }
    }

    fn told(&self, cpu: u32, stretch: usize, answer: &Answer) -> Vec<Told> {
        let mut told = Vec::new();
        let of_one = |one: &chain::Handover, other: &chain::Handover| {
            (one.gap, one.number) == (other.gap, other.number)
        };
        for alike in answer.handovers.chunk_by(of_one) {
            let Some(best) = alike.iter().max_by(|one, other| one.probability.total_cmp(&other.probability))
            else {
                continue;
            };
            let span = |items: (usize, usize)| {
                let from = self.times.get(items.0).map_or(0, |times| times.0);
                (from, self.times.get(items.1).map_or(from, |times| times.1))
            };
            let (from, to) = span(best.items);
            let Some(&window) = self.windows.get(best.gap) else { continue };
            let others = alike
                .iter()
                .filter(|one| (one.leaves, one.comes) != (best.leaves, best.comes) && one.probability > 1e-3)
                .map(|one| (self.name(one.leaves), self.name(one.comes), one.probability));
            // One lost event between two that were recorded, and another runs behind it: it made that one leave and
            // this one come, whatever else may have been.
            let is_certain = self.lost == 1 && self.problem.first != self.problem.last;
            told.push(Told {
                cpu,
                window,
                from,
                to,
                prev: self.name(best.leaves),
                next: self.name(best.comes),
                probability: best.probability,
                stays_ready: (best.stays_ready / best.probability.max(1e-12)).clamp(0.0, 1.0),
                is_certain,
                others: others.collect(),
                stretch,
            });
        }
        told
    }
}
