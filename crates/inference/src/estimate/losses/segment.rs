//! A segment of one CPU with lost events in it, between two switches that were recorded: as a problem of the
//! [`chain`], and what comes out of that in terms of who ran.

use super::Losses;
use super::chain::{self, IDLE, OTHER, Problem, RUNNERS, Runner, Weights};
use super::habits::{Habits, Known, NOTHING, ThreadState};
use super::items::Items;
use super::marks::{Mark, Marks, NONE, What, Who};

/// Candidates of one segment.
const CANDIDATES: usize = 12;
/// Lost events of a segment whose switches are listed; of more, how probably who ran is reported, and no list.
pub(crate) const LISTED: u64 = 24;
/// Marks behind a segment that are asked what its candidates do next.
const NEXT: usize = 20_000;
/// Switches that are less probable are not listed.
const LEAST: f64 = 0.25;
/// A contradiction weighs so much.
const CONTRADICTION: f64 = 0.002;

/// A declared loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Loss {
    /// How many events; `None`: nobody counted.
    pub(crate) lost: Option<u64>,
    /// Between which moments.
    pub(crate) from: i64,
    /// See `from`.
    pub(crate) to: i64,
    /// It may as well be elsewhere.
    pub(crate) is_elsewhere: bool,
}

/// A segment, by the positions of the marks at its ends.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) cpu: u32,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The declared losses in it; none: something was lost without being declared.
    pub(super) windows: Vec<u32>,
}

/// A lost switch, as it is reported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LostSwitch {
    /// Its CPU.
    pub(crate) cpu: u32,
    /// The declared loss; `None`: no loss was declared here.
    pub(crate) window: Option<u32>,
    /// Between which moments it was.
    pub(crate) from: i64,
    /// See `from`.
    pub(crate) to: i64,
    /// Who leaves and who comes; `None`: nobody that can be named.
    pub(crate) prev: Option<Who>,
    /// See `prev`.
    pub(crate) next: Option<Who>,
    /// How probable it is.
    pub(crate) probability: f64,
    /// How probable it is that who leaves stays ready, if it is so.
    pub(crate) stays_ready: f64,
    /// Whether nothing else is possible.
    pub(crate) is_certain: bool,
    /// Who else leaves or comes, with how probable that is.
    pub(crate) others: Vec<(Option<Who>, Option<Who>, f64)>,
    /// Switches of the same number are of one segment.
    pub(crate) segment: usize,
}

/// Everything that a segment is asked with.
pub(super) struct Context<'a> {
    pub(super) marks: &'a Marks,
    pub(super) habits: &'a Habits,
    /// As it was known at the start of the segment.
    pub(super) known: &'a Known,
    pub(super) losses: &'a dyn Losses,
}

/// A problem, and who its candidates are.
#[derive(Debug)]
pub(super) struct Posed {
    pub(super) problem: Problem,
    pub(super) who: Vec<Who>,
    /// By item: between which moments it is.
    times: Vec<(i64, i64)>,
    /// By gap, the declared loss.
    windows: Vec<Option<u32>>,
    /// How many events were lost, as far as that was declared.
    lost: u64,
}

impl Segment {
    /// Estimates it; `None`: it is too long, or nothing fits.
    pub(super) fn estimate(&self, context: &Context<'_>, number: usize) -> Option<Vec<LostSwitch>> {
        let posed = self.pose(context)?;
        let switches = posed.problem.solve()?;
        Some(posed.switches(self.cpu, number, &switches))
    }

    /// Whether nobody declared that something was lost in it.
    pub(super) fn is_silent(&self) -> bool {
        self.windows.is_empty()
    }

    pub(super) fn ends(&self, marks: &Marks) -> Option<(Who, Who, Who)> {
        let (start, end) = (marks.get(self.start)?, marks.get(self.end)?);
        match (start.what, end.what) {
            (What::Switch { next: first, .. }, What::Switch { prev: last, next, .. }) => {
                Some((first, last, next))
            }
            _ => None,
        }
    }

    pub(super) fn inner<'m>(&self, marks: &'m Marks) -> impl Iterator<Item = (usize, &'m Mark)> + use<'m> {
        let (start, end) = (self.start + 1, self.end);
        marks
            .from(start)
            .take(end.saturating_sub(start))
            .enumerate()
            .map(move |(at, mark)| (start + at, mark))
    }

    /// Those that may run in it, the most likely first.
    fn candidates(&self, context: &Context<'_>, first: Who, last: Who, next: Who) -> Vec<Who> {
        let mut who: Vec<Who> = Vec::new();
        let mut add = |one: Who| {
            if one != NONE && !who.contains(&one) && who.len() < CANDIDATES {
                who.push(one);
            }
        };
        [first, last, next].into_iter().for_each(&mut add);
        for (_, mark) in self.inner(context.marks) {
            if let What::Here { who } = mark.what
                && mark.cpu == self.cpu
            {
                add(who);
            }
        }
        let entry = |one: &Who| context.known.thread_states.get(one).copied();
        let mut ready: Vec<Who> = context.known.thread_states.keys().copied().collect();
        ready.sort_unstable();
        let is_here = |one: &&Who| entry(one) == Some(ThreadState::Ready(self.cpu));
        ready.iter().filter(is_here).copied().for_each(&mut add);
        for (_, mark) in self.inner(context.marks) {
            if let What::Ready { who, target } = mark.what
                && target == self.cpu
            {
                add(who);
            }
        }
        // Who comes to a CPU right behind the segment was ready in it, or ran.
        let after = context.marks.from(self.end + 1).take(200);
        for mark in after {
            if let What::Switch { next, .. } = mark.what
                && mark.cpu == self.cpu
                && matches!(entry(&next), Some(ThreadState::Ready(_)) | None)
            {
                add(next);
            }
        }
        // Where readiness is seldom known, those that are usual.
        let usual = context.habits.successors(first).iter().take(4);
        usual.chain(context.habits.predecessors(last).iter().take(4)).copied().for_each(&mut add);
        for (_, mark) in self.inner(context.marks) {
            match mark.what {
                What::Ready { who, .. } => add(who),
                What::Switch { prev, stays_ready: Some(true), .. } if mark.cpu != self.cpu => add(prev),
                _ => {}
            }
        }
        let is_ready = |one: &&Who| matches!(entry(one), Some(ThreadState::Ready(_)));
        ready.iter().rev().filter(is_ready).copied().for_each(&mut add);
        who
    }

    pub(super) fn pose(&self, context: &Context<'_>) -> Option<Posed> {
        let (first, last, next) = self.ends(context.marks)?;
        let mut losses: Vec<Loss> = Vec::new();
        for window in &self.windows {
            losses.push(context.losses.of(*window)?);
        }
        let (start, end) = (context.marks.get(self.start)?.time, context.marks.get(self.end)?.time);
        // Some tracers say only in which packet something was lost: it may be behind events that were recorded.
        let is_inside = |loss: &Loss| loss.from >= start && loss.to <= end;
        if losses.iter().any(|loss| loss.is_elsewhere || loss.lost.is_none() || !is_inside(loss)) {
            return None;
        }
        let lost = losses.iter().filter_map(|loss| loss.lost).fold(0, u64::saturating_add);
        if self.is_silent() {
            losses.push(Loss { lost: None, from: start, to: end, is_elsewhere: false });
        } else if lost > LISTED || lost == 0 {
            return None;
        }
        let who = self.candidates(context, first, last, next);
        let index = |one: Who| -> Runner {
            match one {
                NONE => IDLE,
                one => who.iter().position(|known| *known == one).unwrap_or(OTHER),
            }
        };
        let (mut ready, mut here) = (0u32, 0u32);
        for (bit, one) in who.iter().enumerate().filter(|(_, one)| **one != first) {
            if let Some(ThreadState::Ready(target)) = context.known.thread_states.get(one) {
                ready |= 1 << bit;
                here |= u32::from(*target == self.cpu) << bit;
            }
        }
        let Items { items, times, gaps, .. } = Items::of(self, context, &who, &losses)?;
        let problem = Problem {
            candidates: who.len(),
            first: index(first),
            last: index(last),
            ready,
            here,
            items,
            gaps,
            later: self.later(context, &who, (last, next)),
            weights: weights(context.habits, context.known, &who),
        };
        let windows = losses.iter().enumerate().map(|(gap, _)| self.windows.get(gap).copied()).collect();
        Some(Posed { problem, who, times, windows, lost })
    }

    /// What is seen of candidates behind the segment.
    fn later(&self, context: &Context<'_>, who: &[Who], (last, next): (Who, Who)) -> Vec<(Runner, f64, f64)> {
        let (_, woken_ready) = context.habits.woken();
        let classes = context.habits.classes();
        // Who comes is ready, as far as readiness is known at all in this trace.
        let unready = classes.get(2).copied().unwrap_or(0.0).clamp(CONTRADICTION, 1.0);
        let mut later: Vec<(Runner, f64, f64)> = Vec::new();
        let mut open: Vec<(usize, Who)> =
            who.iter().copied().enumerate().filter(|(_, one)| *one != last).collect();
        if let Some(entry) = open.iter().position(|(_, one)| *one == next) {
            let (bit, _) = open.swap_remove(entry);
            later.push((bit, 1.0, unready));
        }
        for mark in context.marks.from(self.end + 1).take(NEXT) {
            if open.is_empty() {
                break;
            }
            let (about, weights) = match mark.what {
                What::Switch { next, .. } => (next, (1.0, unready)),
                What::Ready { who, .. } => (who, (woken_ready, 1.0)),
                _ => continue,
            };
            if let Some(entry) = open.iter().position(|(_, one)| *one == about) {
                let (bit, _) = open.swap_remove(entry);
                later.push((bit, weights.0, weights.1));
            }
            if let What::Switch { prev, .. } = mark.what {
                open.retain(|(_, one)| *one != prev);
            }
        }
        later
    }
}

fn weights(habits: &Habits, known: &Known, who: &[Who]) -> Weights {
    let mut stays_ready = [0.0; RUNNERS];
    for (entry, one) in stays_ready.iter_mut().zip(who) {
        *entry = habits.stays_ready(*one, known.did.get(one).copied().unwrap_or(NOTHING));
    }
    let mut follows = vec![[0.0; RUNNERS]; RUNNERS];
    let row = |prev: Who| {
        let mut row = [0.0; RUNNERS];
        row.iter_mut().zip(who).for_each(|(entry, next)| *entry = habits.follows(prev, *next));
        row
    };
    for (entry, one) in follows.iter_mut().zip(who) {
        *entry = row(*one);
    }
    let others = [(IDLE, row(NONE)), (OTHER, row(NONE - 1))];
    for (runner, row) in others {
        if let Some(entry) = follows.get_mut(runner) {
            *entry = row;
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

/// A switch, and all that may have been in its place.
type OneOf<'h> = (&'h chain::Switch, &'h [chain::Switch]);

impl Posed {
    fn name(&self, runner: Runner) -> Option<Who> {
        match runner {
            IDLE => Some(NONE),
            runner => self.who.get(runner).copied(),
        }
    }

    /// Of each group of switches that may have been in the same place at most one, so that each leaves from who came
    /// by the one before, and all together are as probable as can be.
    fn best_chain<'h>(&self, groups: &[&'h [chain::Switch]]) -> Vec<OneOf<'h>> {
        let mut chains: Vec<(Runner, f64, Vec<OneOf<'h>>)> = vec![(self.problem.first, 0.0, Vec::new())];
        for group in groups {
            let before = chains.clone();
            for one in group.iter().filter(|one| one.probability >= LEAST) {
                let after = before.iter().filter(|(runner, ..)| *runner == one.leaves);
                let Some((_, score, chain)) = after.max_by(|one, other| one.1.total_cmp(&other.1)) else {
                    continue;
                };
                let mut chain = chain.clone();
                let score = score + one.probability - LEAST;
                chain.push((one, group));
                chains.push((one.comes, score, chain));
            }
            // Of those that end with the same one the best goes on.
            chains.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)));
            chains.dedup_by_key(|(runner, ..)| *runner);
        }
        let best = chains.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
        best.map_or_else(Vec::new, |(_, _, chain)| chain)
    }

    fn switches(&self, cpu: u32, segment: usize, found: &[chain::Switch]) -> Vec<LostSwitch> {
        let mut switches = Vec::new();
        let of_one =
            |one: &chain::Switch, other: &chain::Switch| (one.gap, one.number) == (other.gap, other.number);
        let groups: Vec<&[chain::Switch]> = found.chunk_by(of_one).collect();
        for (best, alike) in self.best_chain(&groups) {
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
            switches.push(LostSwitch {
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
                segment,
            });
        }
        switches
    }
}
