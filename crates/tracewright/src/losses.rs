//! What a trace lost: totals for the trace and for each stream, and the first gaps in full.

use formats::limits;
use model::{Edge, Gap, Lost};

use crate::numbers::{counted, grouped};

/// Gaps that are kept to be listed; all of them are counted.
const MOST_GAPS: usize = 100_000;

/// A sum of losses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) events: u64,
    pub(crate) packets: u64,
    pub(crate) gaps: u64,
}

/// All losses of a source.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    pub(crate) total: Total,
    streams: Vec<Total>,
    pub(crate) gaps: Vec<Gap>,
}

impl Losses {
    /// Counts `gap`, unless it is the other end of one that was counted.
    pub(crate) fn add(&mut self, gap: &Gap) {
        if gap.edge == Edge::End {
            return;
        }
        let stream = gap.stream.0 as usize;
        if self.streams.len() <= stream && stream <= limits::LINE_NAMES {
            self.streams.resize(stream + 1, Total::default());
        }
        for total in self.streams.get_mut(stream).into_iter().chain([&mut self.total]) {
            total.gaps += 1;
            match gap.lost {
                Lost::Events(count) => total.events = total.events.saturating_add(count),
                Lost::Packets(count) => total.packets = total.packets.saturating_add(count),
                Lost::Unknown => {}
            }
        }
        if self.gaps.len() < MOST_GAPS {
            self.gaps.push(*gap);
        }
    }

    pub(crate) fn of_stream(&self, stream: usize) -> Total {
        self.streams.get(stream).copied().unwrap_or_default()
    }
}

impl Total {
    /// `967,700 events lost in 562 gaps`.
    pub(crate) fn sentence(&self) -> String {
        let packets = counted(self.packets, "packet");
        let what = match (self.events, self.packets) {
            (0, 0) => "an unknown number of events".to_owned(),
            (0, _) => packets,
            (_, 0) => counted(self.events, "event"),
            _ => format!("{} and {packets}", counted(self.events, "event")),
        };
        format!("{what} lost in {}", counted(self.gaps, "gap"))
    }
}

/// What one gap lost, in words.
pub(crate) fn amount(lost: Lost) -> String {
    match lost {
        Lost::Events(count) => counted(count, "event"),
        Lost::Packets(count) => format!("{} of events", counted(count, "packet")),
        Lost::Unknown => "an unknown number of events".into(),
    }
}

/// The same, short, for a table.
pub(crate) fn short(total: &Total) -> String {
    match (total.events, total.packets, total.gaps) {
        (_, _, 0) => "-".into(),
        (0, 0, _) => "unknown".into(),
        (events, 0, _) => grouped(events),
        (0, packets, _) => counted(packets, "packet"),
        (events, packets, _) => format!("{} + {}", grouped(events), counted(packets, "packet")),
    }
}
