//! The ticks of one thread: when the recorder's clock found it where.

use crate::records::{ThreadTick, Tick};

/// Nanoseconds of the unit of lengths.
pub(super) const MICROSECOND: i64 = 1_000;

/// How long before a look the thread was seen is not known.
pub(super) const MISSED: u32 = u32::MAX;

/// No processor time is known.
pub(super) const UNKNOWN: u64 = u64::MAX;

/// One tick of one thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadAt {
    /// Number of the chunk, and words in it.
    pub(super) position: (u32, u32),
    /// When the look began, ns since 1970.
    pub(super) from: i64,
    /// How long before that the look before it began, or [`MISSED`], and how long it took: µs.
    pub(super) sampled: u32,
    pub(super) took: u32,
    /// ns, or [`UNKNOWN`].
    pub(super) used: u64,
}

impl ThreadAt {
    /// What a tick has of a thread, never before `last`, the one before it: damage may have put them out of order.
    pub(crate) fn new(tick: &Tick, thread: &ThreadTick, last: Option<&ThreadAt>) -> ThreadAt {
        let from = last.map_or(tick.time, |last| last.from.max(tick.time));
        let position = last.map_or(thread.position, |last| last.position.max(thread.position));
        let length = |from: i64, to: i64| {
            u32::try_from(to.saturating_sub(from).max(0) / MICROSECOND).unwrap_or(u32::MAX)
        };
        // Of two that are too far apart for the unit the earlier bound is the safe one.
        let sampled = if thread.was_missed { MISSED } else { length(tick.before, from) };
        ThreadAt {
            position,
            from,
            sampled,
            took: length(from, tick.until),
            used: thread.used.unwrap_or(UNKNOWN),
        }
    }
}
