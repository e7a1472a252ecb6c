//! The table of losses.

use std::path::Path;

use model::{Edge, Item, Lost};

use super::{Asked, Cell, Column, IsIncomplete, Kind, Rows};
use crate::exit::Result;
use crate::losses::Losses;
use crate::warn::warn;

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("stream", Kind::Text, "the stream that it is missing in"),
        Column::new("cpu", Kind::Count, "its CPU, where the tracer says so"),
        Column::new("before_event", Kind::Count, "how many events of the stream come before it"),
        Column::new("from", Kind::Moment, "when at the earliest"),
        Column::new("to", Kind::Moment, "when at the latest"),
        Column::new("events", Kind::Count, "how many events were lost; empty where they were not counted"),
        Column::new("packets", Kind::Count, "how many packets were lost, where those were counted"),
    ]
}

pub(super) fn fill(asked: &Asked<'_>, input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let (mut source, mut losses) = (asked.open(input)?, Losses::default());
    while let Some(item) = source.next_item() {
        let Item::Gap(gap) = item else { continue };
        losses.add(&gap);
        // Its other end adds nothing.
        if gap.edge == Edge::End {
            continue;
        }
        let info = source.streams().get(gap.stream.0 as usize);
        let (events, packets) = match gap.lost {
            Lost::Events(count) => (Cell::Count(count), Cell::Empty),
            Lost::Packets(count) => (Cell::Empty, Cell::Count(count)),
            Lost::Unknown => (Cell::Empty, Cell::Empty),
        };
        rows.row(&[
            info.map(|info| info.name.as_str()).into(),
            info.and_then(|info| info.cpu).into(),
            gap.before_event.into(),
            gap.from.into(),
            gap.to.into(),
            events,
            packets,
        ])?;
    }
    Ok(warn(input, losses.total, source.as_ref()))
}
