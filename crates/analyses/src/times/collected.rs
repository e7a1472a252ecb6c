//! The calls of a thread whose length is known.

use model::code::MethodId;
use model::flow::Left;
use model::{Lost, Readings};
use rustc_hash::FxHashMap;

use super::bounds::{Bounds, Known};

/// One call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedCall {
    /// The method called.
    pub method: MethodId,
    /// See [`super::key`].
    pub key: u64,
    /// How many calls were open, this one included.
    pub depth: u32,
    /// How many blocks the thread had run before.
    pub position: u64,
    /// When it began.
    pub begin: Bounds,
    /// When it ended, or the recording did.
    pub end: Bounds,
    /// Processor time, where it is known.
    pub used: Option<Known>,
    /// How it ended.
    pub left: Left,
    /// How much of it passed in calls that are known as well, ns.
    pub inner: i64,
}

impl TimedCall {
    /// How long it took.
    pub fn length(&self) -> Known {
        self.begin.until(self.end)
    }

    /// How much of that its thread was on no processor, where that is known.
    pub fn waiting(&self) -> Option<Known> {
        let (length, used) = (self.length(), self.used?);
        let least = length.value - length.within - used.value - used.within;
        let most =
            (length.value + length.within).min(length.value + length.within - used.value + used.within);
        let middle = Known::between(least, most);
        // The middles are nearer to the truth than the middle of the bounds, which are cut at 0.
        let value = (length.value - used.value).clamp(0, length.value);
        Some(Known { value, within: middle.within })
    }

    /// How much of it passed in itself and in calls whose length is not known, ns.
    pub fn own(&self) -> i64 {
        (self.length().value - self.inner).max(0)
    }
}

/// Calls of one key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByKey {
    /// How many calls there were, those included of which no length is known.
    pub calls: u64,
    /// Of how many the length is known.
    pub timed: u64,
    /// How long these took.
    pub length: Known,
    /// How long they waited, if that is known of each.
    pub waiting: Option<Known>,
    /// The longest, ns.
    pub longest: i64,
    /// Whether one of them had not ended.
    pub is_open: bool,
}

/// Losses of a thread that are kept.
const MOST_LOSSES: usize = 10_000;

/// Something that was lost, between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostBetween {
    /// How much.
    pub lost: Lost,
    /// Not before this, ns since 1970; `None`: before the first reading.
    pub from: Option<i64>,
    /// Not after this; `None`: after the last reading.
    pub to: Option<i64>,
}

/// What is known of a thread.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    /// The calls, in the order in which they ended.
    pub calls: Vec<TimedCall>,
    /// How many more there were.
    pub left_out: u64,
    /// What the clock read.
    pub readings: Readings,
    /// What was lost, the first [`MOST_LOSSES`] of them.
    pub losses: Vec<LostBetween>,
    by_key: FxHashMap<u64, ByKey>,
}

impl ByKey {
    /// What is known of these calls and of those of another key together.
    pub fn plus(self, other: ByKey) -> ByKey {
        let waiting = match (self.timed, other.timed) {
            (0, _) => other.waiting,
            (_, 0) => self.waiting,
            _ => self.waiting.zip(other.waiting).map(|(one, other)| one.plus(other)),
        };
        ByKey {
            calls: self.calls.saturating_add(other.calls),
            timed: self.timed + other.timed,
            length: self.length.plus(other.length),
            waiting,
            longest: self.longest.max(other.longest),
            is_open: self.is_open || other.is_open,
        }
    }
}

impl Collected {
    /// What is known of the calls with a key; `None` if nothing is.
    pub fn of(&self, key: u64) -> Option<&ByKey> {
        self.by_key.get(&key)
    }

    /// Something was lost, not before this.
    pub(super) fn lose(&mut self, lost: Lost, from: Option<i64>) {
        if self.losses.len() < MOST_LOSSES {
            self.losses.push(LostBetween { lost, from, to: None });
        }
    }

    /// What was lost since the last reading was lost before this.
    pub(super) fn lost_before(&mut self, to: i64) {
        for loss in self.losses.iter_mut().rev().take_while(|loss| loss.to.is_none()) {
            loss.to = Some(to);
        }
    }

    pub(super) fn finish(&mut self, calls: impl Fn(u64) -> u64) {
        for call in &self.calls {
            let by_key = self.by_key.entry(call.key).or_insert_with(|| ByKey {
                calls: calls(call.key),
                waiting: Some(Known::default()),
                ..ByKey::default()
            });
            by_key.timed += 1;
            by_key.length = by_key.length.plus(call.length());
            by_key.waiting = by_key.waiting.zip(call.waiting()).map(|(sum, more)| sum.plus(more));
            by_key.longest = by_key.longest.max(call.length().value);
            by_key.is_open |= call.left == Left::Open;
        }
    }
}
