//! Times: when calls began and how long they took, as far as the clock of a recording says.
//!
//! ```text
//! steps      ...  5 ms  Enter(bake)  6 ms   ...   18 ms  Leave  19 ms  ...
//! begin      between 5 and 6 ms
//! end        between 18 and 19 ms
//! length     between 12 and 14 ms: 13 ms, and at most 1 ms more or less
//! ```
//!
//! - A call is kept if it is at least as long as was asked for, and if that is known to half of it. The others are left
//!   out: most begin and end between the same two clock readings.
//! - While a thread did not use a processor in a call, it waited: for a lock, for input, for others that ran.
//! - Calls are put together where they are called alike: by [`key`], the chain of lines and methods that led to them.
//!
//! The caller gives the steps of one thread after the other, each to a [`Times`] of its own.

mod bounds;
mod collected;
mod lanes;

pub use bounds::{Bounds, Known};
pub use collected::{ByKey, Collected, LostBetween, TimedCall};
pub use lanes::{Lanes, Segment};

use model::code::{BlockId, CodeMap, MethodId};
use model::flow::{ClockReading, Entered, FlowStep, Left};
use model::{Lost, Timestamp};
use rustc_hash::FxHashMap;

/// The key of a call: `enclosing` is that of the call around it, 0 of none, `line` the line that called.
pub fn key(enclosing: u64, line: Option<u16>, method: MethodId) -> u64 {
    let line = line.map_or(0, |line| u64::from(line) + 1);
    let mut mixed = enclosing ^ (line << 32 | u64::from(method.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Calls of a thread that are kept; of more only the number.
const MOST: usize = 1 << 20;

/// Counters that stand in front of the table of keys.
const CACHED: usize = 1 << 10;

/// A call that has not ended.
#[derive(Debug)]
struct Open {
    method: MethodId,
    last: Option<BlockId>,
    key: u64,
    /// How many blocks had run before it.
    position: u64,
    is_seen: bool,
    begin: Begin,
    /// What is known of the calls within it that are kept, ns.
    inner: i64,
}

/// Bounds of the beginning; the later ones come with the next reading.
#[derive(Debug, Clone, Copy, Default)]
struct Begin {
    from: Option<i64>,
    to: Option<i64>,
    used_from: Option<u64>,
    used_to: Option<u64>,
}

/// A call that has ended since the last reading, which it saw.
#[derive(Debug)]
struct Ended {
    open: Open,
    depth: usize,
    left: Left,
    from: i64,
    used_from: Option<u64>,
}

/// Feeds on the steps of one thread.
#[derive(Debug)]
pub struct Times<'a> {
    code: &'a CodeMap,
    threshold: i64,
    open: Vec<Open>,
    /// How many of `open`, from the outermost, have seen a reading.
    read: usize,
    ended: Vec<Ended>,
    ran: u64,
    /// The last reading: what came after it came after this.
    from: Option<i64>,
    used: Option<u64>,
    has_clock: bool,
    /// The last moment that stands in the recording besides.
    moment: Option<i64>,
    counts: FxHashMap<u64, u64>,
    cache: Vec<(u64, u64)>,
    collected: Collected,
}

impl<'a> Times<'a> {
    /// For a thread of a recording of this code. `threshold`: the shortest call that is kept, ns.
    pub fn new(code: &'a CodeMap, threshold: i64) -> Times<'a> {
        Times {
            code,
            threshold: threshold.max(1),
            open: vec![],
            read: 0,
            ended: vec![],
            ran: 0,
            from: None,
            used: None,
            has_clock: false,
            moment: None,
            counts: FxHashMap::default(),
            cache: vec![(0, 0); CACHED],
            collected: Collected::default(),
        }
    }

    /// The next step.
    #[inline]
    pub fn observe(&mut self, step: &FlowStep<'_>) {
        match *step {
            FlowStep::Enter { method, how } => self.enter(method, how),
            FlowStep::Blocks { blocks, times } => {
                if let (Some(open), Some(last)) = (self.open.last_mut(), blocks.last()) {
                    open.last = Some(*last);
                    self.ran = self.ran.saturating_add(times.saturating_mul(blocks.len() as u64));
                }
            }
            FlowStep::Catch { block } => {
                if let Some(open) = self.open.last_mut() {
                    open.last = Some(block);
                    self.ran = self.ran.saturating_add(1);
                }
            }
            FlowStep::Leave { how } => self.leave(how),
            FlowStep::Clock(reading) => {
                self.has_clock = true;
                self.read(reading);
            }
            FlowStep::Moment(Timestamp(time)) => {
                // The system's clock may have been set since the recorder's began: only at both ends nothing else is known.
                self.moment = Some(time);
                // How much processor time had been used by then is not known, so no call is taken to have begun before it.
                if !self.has_clock {
                    self.from = Some(self.from.map_or(time, |last| last.max(time)));
                }
            }
            FlowStep::Gap { lost } => self.collected.lose(lost, self.from),
            // What is inferred has no times: these were lost all the same.
            FlowStep::Inferred { lost, .. } => self.collected.lose(Lost::Events(lost), self.from),
            FlowStep::Observed | FlowStep::Mark(_) | FlowStep::Values(_) | FlowStep::Task(_) => {}
        }
    }

    /// No further step comes: what is known of the thread. Nothing if no clock looked at it.
    pub fn finish(mut self) -> Collected {
        if !self.has_clock {
            return Collected::default();
        }
        if let Some(time) = self.moment.filter(|time| self.from.is_none_or(|from| *time >= from)) {
            self.read(ClockReading { from: Timestamp(time), to: Timestamp(time), used: None });
        }
        for (key, count) in std::mem::take(&mut self.cache) {
            *self.counts.entry(key).or_default() += count;
        }
        let counts = std::mem::take(&mut self.counts);
        self.collected.finish(|key| counts.get(&key).copied().unwrap_or(0));
        self.collected
    }

    fn enter(&mut self, method: MethodId, how: Entered) {
        let (enclosing, line) = self.open.last().map_or((0, None), |open| {
            let line =
                |block| self.code.method(open.method)?.blocks.get(block as usize)?.lines.last().copied();
            (open.key, open.last.and_then(line))
        });
        let key = key(enclosing, line, method);
        self.count(key);
        self.open.push(Open {
            method,
            last: None,
            key,
            position: self.ran,
            is_seen: how != Entered::Unseen,
            begin: Begin { from: self.from, used_from: self.used, ..Begin::default() },
            inner: 0,
        });
    }

    #[inline]
    fn count(&mut self, key: u64) {
        let Some(cached) = self.cache.get_mut(key as usize % CACHED) else { return };
        if cached.0 != key {
            let (before, count) = std::mem::replace(cached, (key, 0));
            if count > 0 {
                *self.counts.entry(before).or_default() += count;
            }
        }
        cached.1 += 1;
    }

    fn leave(&mut self, left: Left) {
        let depth = self.open.len();
        let Some(open) = self.open.pop() else { return };
        if self.read < depth {
            // It lies between two readings.
            return;
        }
        self.read = depth - 1;
        if let Some(from) = self.from {
            self.ended.push(Ended { open, depth, left, from, used_from: self.used });
        }
    }

    fn read(&mut self, reading: ClockReading) {
        let (from, to) = (reading.from.0, reading.to.0.max(reading.from.0));
        self.collected.readings.add(self.ran, reading);
        self.collected.lost_before(to);
        for at in 0..self.ended.len() {
            let Some(inner) = self.end(at, to, reading.used) else { continue };
            // To the one around it, which may have ended as well.
            let depth = self.ended.get(at).map_or(0, |ended| ended.depth);
            let enclosing = self.ended.get_mut(at + 1..).into_iter().flatten();
            match enclosing.into_iter().find(|enclosing| enclosing.depth + 1 == depth) {
                Some(enclosing) => enclosing.open.inner += inner,
                None => {
                    if let Some(enclosing) = depth.checked_sub(2).and_then(|at| self.open.get_mut(at)) {
                        enclosing.inner += inner;
                    }
                }
            }
        }
        self.ended.clear();
        for open in self.open.get_mut(self.read..).into_iter().flatten() {
            open.begin.to = Some(to);
            open.begin.used_to = reading.used;
        }
        self.read = self.open.len();
        self.from = Some(self.from.map_or(from, |last| last.max(from)));
        self.used = reading.used.or(self.used);
    }

    /// One of those that have ended has done so before this. How long it, or what is known within it, took.
    fn end(&mut self, at: usize, to: i64, used_to: Option<u64>) -> Option<i64> {
        let Ended { open, depth, left, from, used_from } = self.ended.get(at)?;
        let inner = open.inner;
        let (Some(begin_from), Some(begin_to), true) = (open.begin.from, open.begin.to, open.is_seen) else {
            return Some(inner);
        };
        if *left == Left::Unseen {
            return Some(inner);
        }
        let begin = Bounds { from: begin_from, to: begin_to };
        let end = Bounds { from: *from, to: to.max(*from) };
        let used = [open.begin.used_from, open.begin.used_to, *used_from, used_to];
        let call = TimedCall {
            method: open.method,
            key: open.key,
            depth: u32::try_from(*depth).unwrap_or(u32::MAX),
            position: open.position,
            begin,
            end,
            used: bounds::used(begin, end, used),
            left: *left,
            inner,
        };
        let length = call.length();
        if length.value < self.threshold || length.within * 2 > length.value {
            return Some(inner);
        }
        if self.collected.calls.len() < MOST {
            self.collected.calls.push(call);
        } else {
            self.collected.left_out += 1;
        }
        Some(length.value)
    }
}

#[cfg(test)]
mod tests;
