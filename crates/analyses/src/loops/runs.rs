//! Runs of one level: the eager loop detection of the founding text (part "Loop detection" and
//! "Run Summary"; the spec's 3.1), fed unit by unit.
//!
//! ```text
//! units    A B A C D E C D E C F
//!                          ^ `CDE CDE` is complete: A B A becomes a transition, a loop begins
//!                              ^ F is not the D that the loop expects: the loop ends, F is pending
//! ```
//!
//! A loop is found at the earliest unit at which the pending units end with a square; nothing
//! before the pending units is ever looked at again. What is pending becomes a transition only
//! when the next loop is found.

use super::forecast::{Continuation, Forecast, Forecasts};
use super::short_loops::ShortLoops;
use super::square::{FAR, SquareFinder};
use super::words::Words;
use model::{Run, RunId};
use std::ops::Range;

/// Where a run begins; it ends where the next one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunStart {
    pub(super) start: u64,
    pub(super) id: RunId,
    /// Units an iteration; 0 for a transition.
    pub(super) period: u32,
}

/// What a unit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// It goes on with a loop, or is pending.
    None,
    /// A loop was left; the unit is pending.
    Left,
    /// It completed the second iteration of a loop.
    Found,
}

/// The runs of one level.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    pub(super) words: Words,
    list: Vec<RunStart>,
    /// Holds the pending units.
    finder: SquareFinder,
    /// The finders that found earlier loops, oldest first: the last one, and others as long as
    /// filling them anew would cost more than what came since. Only where the runs can be rewound.
    retired: Vec<Retired>,
    rewinds: bool,
    /// Units taken in.
    processed: u64,
    /// The first pending unit, outside a loop.
    pending_start: u64,
    /// One iteration of the current loop; empty outside a loop.
    iteration: Vec<u32>,
    /// The unit of the iteration that is expected next.
    next: usize,
    short_loops: Option<ShortLoops>,
    /// Holds the pending units as long as they came before; the finder then has none.
    forecasts: Option<Forecasts>,
}

/// A finder whose tail ended with a loop.
#[derive(Debug, Clone)]
struct Retired {
    /// The first unit of its tail.
    start: u64,
    finder: SquareFinder,
}

/// The runs that one loop replaced, and where the units stood then.
#[derive(Debug, Clone)]
pub(super) struct Replaced {
    first: usize,
    runs: Vec<RunStart>,
    processed: u64,
    pending_start: u64,
    in_loop: bool,
}

impl Replaced {
    /// The index of the first of them, which is now that of the loop.
    pub(super) fn first(&self) -> usize {
        self.first
    }
}

impl Runs {
    pub(super) fn new(short_loops: bool) -> Self {
        Runs {
            short_loops: short_loops.then(ShortLoops::default),
            forecasts: (!short_loops).then(Forecasts::default),
            ..Runs::default()
        }
    }

    /// Runs that can be rewound (without short loops).
    pub(super) fn that_rewind() -> Self {
        Runs { finder: SquareFinder::that_rewinds(), rewinds: true, ..Runs::default() }
    }

    /// Forgets everything but the words, so that equal runs keep their numbers.
    pub(super) fn restart(&mut self) {
        self.list.clear();
        self.finder.clear();
        self.retired.clear();
        (self.processed, self.pending_start) = (0, 0);
        self.iteration.clear();
        if let Some(forecasts) = &mut self.forecasts {
            forecasts.drop();
        }
        self.short_loops = self.short_loops.is_some().then(ShortLoops::default);
    }

    pub(super) fn list(&self) -> &[RunStart] {
        &self.list
    }

    pub(super) fn processed(&self) -> u64 {
        self.processed
    }

    pub(super) fn in_loop(&self) -> bool {
        !self.iteration.is_empty()
    }

    /// The units behind the last run.
    pub(super) fn pending(&self) -> &[u32] {
        self.forecasts.as_ref().and_then(Forecasts::pending).unwrap_or(self.finder.tail())
    }

    /// The runs that will not grow any more.
    pub(super) fn finished(&self) -> &[RunStart] {
        &self.list[..self.list.len() - usize::from(self.in_loop())]
    }

    /// Where the last run ends.
    pub(super) fn end(&self) -> u64 {
        if self.in_loop() { self.processed } else { self.pending_start }
    }

    /// How many units the run with this index covers.
    pub(super) fn len_of(&self, index: usize) -> u64 {
        let end = self.list.get(index + 1).map_or(self.end(), |next| next.start);
        end - self.list[index].start
    }

    /// The runs in the form that is shown.
    pub(super) fn shown(&self) -> impl Iterator<Item = Run> + '_ {
        self.list.iter().enumerate().map(|(index, run)| Run {
            id: run.id,
            start: run.start,
            len: self.len_of(index),
            period: run.period,
        })
    }

    /// Takes in the next unit. `units` are the runs that are the units of this level, this one
    /// included; nothing on the lowest level.
    #[inline]
    pub(super) fn push(&mut self, unit: u32, units: &[RunStart]) -> Change {
        self.processed += 1;
        if let Some(&expected) = self.iteration.get(self.next) {
            if expected == unit {
                self.next += 1;
                if self.next == self.iteration.len() {
                    self.next = 0;
                }
                return Change::None;
            }
            self.iteration.clear();
            self.pending_start = self.processed - 1;
            if let (Some(forecasts), Some(last)) = (&mut self.forecasts, self.list.last()) {
                forecasts.left(last.id);
            }
            self.search(unit, units);
            return Change::Left;
        }
        self.search(unit, units)
    }

    /// Takes in a pending unit.
    #[inline]
    fn search(&mut self, unit: u32, units: &[RunStart]) -> Change {
        match self.forecasts.as_mut().map_or(Continuation::Nothing, |forecasts| forecasts.follow(unit)) {
            Continuation::Nothing => {}
            Continuation::Right => return Change::None,
            Continuation::Complete(Forecast { transition, next: id, period }, units) => {
                if let Some(id) = transition {
                    self.list.push(RunStart { start: self.pending_start, id, period: 0 });
                }
                let start = self.processed - 2 * u64::from(period);
                self.list.push(RunStart { start, id, period });
                let (_, iteration) = units.split_at(units.len() - period as usize);
                self.iteration.extend_from_slice(iteration);
                self.next = 0;
                return Change::Found;
            }
            Continuation::Wrong(right) => {
                for &unit in right {
                    self.finder.push(unit);
                }
            }
        }
        match self.finder.push(unit) {
            None => Change::None,
            Some(period) => {
                self.begin_loop(period, units);
                Change::Found
            }
        }
    }

    /// Takes in the next units as far as they go on with the current loop, at the speed of
    /// comparing memory; gives what is left. Outside a loop, and inside an iteration, that is all.
    #[inline]
    pub(super) fn run_on<'u>(&mut self, units: &'u [u32]) -> &'u [u32] {
        let period = self.iteration.len();
        if period == 0 || self.next != 0 || !units.starts_with(&self.iteration) {
            return units;
        }
        // From the second turn on, the units are compared with themselves, an iteration earlier.
        let count = period + common_prefix(&units[period..], units);
        self.processed += count as u64;
        self.next = count % period;
        &units[count..]
    }

    /// Takes in these units so many times, if they go on with the current loop in whole iterations; whether they do.
    pub(super) fn skip(&mut self, units: &[u32], times: u64) -> bool {
        let period = self.iteration.len();
        if period == 0 || !units.len().is_multiple_of(period) {
            return false;
        }
        if !units.iter().eq(self.iteration.iter().cycle().skip(self.next).take(units.len())) {
            return false;
        }
        self.processed += units.len() as u64 * times;
        true
    }

    /// The pending units end with a square of this period.
    fn begin_loop(&mut self, period: usize, units: &[RunStart]) {
        let before = self.finder.tail().len() - 2 * period;
        let last = self.list.last().copied();
        self.push_transition(before, units);
        let start = self.processed - 2 * period as u64;
        let iteration = &self.finder.tail()[before..before + period];
        self.iteration.extend_from_slice(iteration);
        self.next = 0;
        let id = self.words.intern(iteration, true);
        if let (Some(forecasts), Some(last)) = (&mut self.forecasts, last) {
            let transition = self.list.last().filter(|_| before > 0).map(|run| run.id);
            let forecast = Forecast { transition, next: id, period: period as u32 };
            forecasts.learn(last.id, self.finder.tail(), forecast);
        }
        self.push_run(RunStart { start, id, period: period as u32 });
        self.retire();
    }

    /// Appends the first `len` pending units as a transition, or as short loops and transitions;
    /// nothing if there are none.
    fn push_transition(&mut self, len: usize, units: &[RunStart]) {
        let (mut from, mut start) = (0, self.pending_start);
        while let (Some(memory), Some(previous)) = (&self.short_loops, self.list.last()) {
            let rest = &self.finder.tail()[from..len];
            let Some(short) = memory.find(previous.id, rest, &self.words) else { break };
            if short.offset > 0 {
                let id = self.words.intern(&rest[..short.offset], false);
                self.push_run(RunStart { start, id, period: 0 });
            }
            start += short.offset as u64;
            let period = self.words.units(short.id).len() as u32;
            self.push_run(RunStart { start, id: short.id, period });
            start += short.len as u64;
            from += short.offset + short.len;
        }
        if from < len {
            let id = if self.rewinds && len >= FAR {
                let span = start as usize..start as usize + len;
                let ids =
                    |range: &Range<usize>| units.get(range.clone()).unwrap_or(&[]).iter().map(|unit| unit.id);
                let hash = self.finder.hash_of_first(len);
                self.words
                    .intern_range(span.clone(), hash, |other| *other == span || ids(other).eq(ids(&span)))
            } else {
                self.words.intern(&self.finder.tail()[from..len], false)
            };
            self.push_run(RunStart { start, id, period: 0 });
        }
    }

    fn push_run(&mut self, run: RunStart) {
        if let (Some(memory), Some(previous), 1..) = (&mut self.short_loops, self.list.last(), run.period) {
            memory.learn(previous.id, run.id);
        }
        self.list.push(run);
    }

    /// Puts the finder aside, where it may be asked for again, and takes an empty one.
    fn retire(&mut self) {
        if !self.rewinds {
            return self.finder.clear();
        }
        let (now, mut spare) = (self.processed, None);
        self.retired.retain_mut(|old| {
            // Whoever rewinds to its tail takes back all units since, too.
            let len = old.finder.tail().len();
            let is_reused = len >= FAR && len as u64 > now - old.start - len as u64;
            if !is_reused {
                spare = Some(std::mem::take(&mut old.finder));
            }
            is_reused
        });
        let mut empty = spare.unwrap_or_else(SquareFinder::that_rewinds);
        empty.clear();
        let finder = std::mem::replace(&mut self.finder, empty);
        self.retired.push(Retired { start: self.pending_start, finder });
    }

    /// Goes back to the state after the first `count` units (at most those processed), as if no
    /// more had come. `unit` gives the unit with a number below `count`. It costs little more than
    /// the units that go.
    pub(super) fn rewind(&mut self, count: u64, unit: impl Fn(u64) -> u32) {
        // A run was added with the first loop from it on, when that loop had made two iterations.
        let known_at = |run: &RunStart| run.start + 2 * u64::from(run.period);
        let mut end = self.end();
        // After `undo_replace`, the finder does not have what is pending.
        let has_pending = !self.in_loop() && self.finder.tail().len() as u64 == self.processed - end;
        let was_pending_from = has_pending.then_some(end);
        while let Some(last) = self.list.last() {
            if last.period != 0 && known_at(last) <= count {
                break;
            }
            end = last.start;
            self.list.pop();
        }
        self.processed = count;
        if count <= end
            && let Some(last) = self.list.last().copied()
        {
            self.go_on_with(last);
            self.finder.clear();
            while self.retired.pop_if(|old| old.start >= count).is_some() {}
            return;
        }
        let remaining = (count - end) as usize;
        self.iteration.clear();
        self.pending_start = end;
        while self.retired.pop_if(|old| old.start > end).is_some() {}
        if was_pending_from == Some(end) {
            self.finder.truncate(remaining);
        } else if let Some(old) = self.retired.pop_if(|old| old.start == end) {
            self.finder = old.finder;
            self.finder.truncate(remaining);
        } else {
            self.finder.clear();
            (end..count).for_each(|index| {
                self.finder.push(unit(index));
            });
        }
    }

    /// All units from the start of `run`, the last one, to those processed belong to it.
    fn go_on_with(&mut self, run: RunStart) {
        self.iteration.clear();
        self.iteration.extend_from_slice(self.words.units(run.id));
        self.next = ((self.processed - run.start) % u64::from(run.period)) as usize;
    }

    /// Ends the current run here, whatever it is: what is pending becomes a transition.
    pub(super) fn close(&mut self, units: &[RunStart]) {
        if let Some(right) = self.forecasts.as_ref().and_then(Forecasts::pending) {
            for &unit in right {
                self.finder.push(unit);
            }
        }
        if let Some(forecasts) = &mut self.forecasts {
            forecasts.drop();
        }
        self.push_transition(self.finder.tail().len(), units);
        self.pending_start = self.processed;
        self.iteration.clear();
        self.finder.clear();
    }

    /// Replaces all runs from `first` on by one loop whose iteration is `iteration`, of which two iterations are
    /// taken as read: the units behind those must be pushed anew.
    pub(super) fn replace_from(&mut self, first: usize, iteration: &[u32]) -> Replaced {
        let replaced = Replaced {
            first,
            runs: self.list.split_off(first),
            processed: self.processed,
            pending_start: self.pending_start,
            in_loop: self.in_loop(),
        };
        let start = replaced.runs.first().map_or(self.pending_start, |run| run.start);
        while self.retired.pop_if(|old| old.start >= start).is_some() {}
        let run = RunStart { start, id: self.words.intern(iteration, true), period: iteration.len() as u32 };
        self.list.push(run);
        self.processed = start + 2 * iteration.len() as u64;
        self.go_on_with(run);
        self.finder.clear();
        replaced
    }

    /// Puts back what was replaced. The pending units are missing then: [`Runs::rewind`], to fewer
    /// units than there were, must follow.
    pub(super) fn undo_replace(&mut self, replaced: Replaced) {
        let Replaced { first, runs, processed, pending_start, in_loop } = replaced;
        let start = runs.first().map_or(pending_start, |run| run.start);
        while self.retired.pop_if(|old| old.start >= start).is_some() {}
        self.list.truncate(first);
        self.list.extend(runs);
        (self.processed, self.pending_start) = (processed, pending_start);
        self.finder.clear();
        match self.list.last().copied().filter(|_| in_loop) {
            Some(last) => self.go_on_with(last),
            None => self.iteration.clear(),
        }
    }
}

/// How many units at the beginning of both are equal.
fn common_prefix(one: &[u32], other: &[u32]) -> usize {
    const BLOCK: usize = 32;
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let known = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    known + one[known..].iter().zip(&other[known..]).take_while(|(one, other)| one == other).count()
}
