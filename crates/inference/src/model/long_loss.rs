//! Long losses: too many events to list, so only what is usual for as many is reported.

use ::model::{Scalar, Timestamp};

/// What is known of a declared loss whose events are not listed.
#[derive(Debug, Clone, PartialEq)]
pub struct LongLoss {
    /// The declared loss, an index into the list of them.
    pub window: usize,
    /// Its CPU.
    pub cpu: u32,
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub to: Timestamp,
    /// How many switches it has: from and to, in nine of ten intervals of that CPU with as many events.
    pub switches: (u64, u64),
    /// How long each instance ran, the longest first.
    pub running: Vec<RunningTime>,
    /// How probable it is that another one ran, in each of equal parts of the time.
    pub others: Vec<f64>,
    /// On how many intervals that rests.
    pub intervals: u64,
}

/// How long an instance ran while a loss lasted, in nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningTime {
    /// Which one; `None`: none did.
    pub instance: Option<Scalar>,
    /// From and to, in nine of ten such intervals.
    pub usual: (u64, u64),
    /// On average over such intervals.
    pub mean: u64,
    /// Never longer: it is seen to run elsewhere for the rest of the time.
    pub most: u64,
    /// How probable it is that it ran, in each of equal parts of the time.
    pub band: Vec<f64>,
}
