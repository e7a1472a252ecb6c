//! Steps: one thing that happened on one track.

use crate::{Evidence, Symbol, Timestamp, TrackId};

/// One event, one block run, one token: the unit that analyses are fed with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The track it happened on.
    pub track: TrackId,
    /// Its position in the order of that track, from 0 without holes. Order before time.
    pub seq: u64,
    /// When, where a clock is known.
    pub time: Option<Timestamp>,
    /// What.
    pub symbol: Symbol,
    /// How we know.
    pub evidence: Evidence,
}
