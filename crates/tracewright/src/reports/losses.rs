//! Losses in reports.

use model::Lost;
use serde::Serialize;

use crate::losses::Total;

/// What a trace or a stream lost.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct LostTotal {
    events: u64,
    packets: u64,
    gaps: u64,
}

impl From<Total> for LostTotal {
    fn from(total: Total) -> Self {
        Self { events: total.events, packets: total.packets, gaps: total.gaps }
    }
}

/// How much a gap lost, null where nobody counted, and in what.
pub(super) fn amount(lost: Lost) -> (Option<u64>, &'static str) {
    match lost {
        Lost::Events(count) => (Some(count), "events"),
        Lost::Packets(count) => (Some(count), "packets"),
        Lost::Unknown => (None, "events"),
    }
}
