//! The table of hangs: loops that tracks end in, and what threads of a recording were in the middle of.

use std::path::Path;

use analyses::loops::Options;
use model::Symbol;

use super::loops::history;
use super::{Asked, Cell, Column, IsIncomplete, Kind, Rows};
use crate::commands::found::find;
use crate::commands::hangs::ends;
use crate::exit::Result;
use crate::open_frames::OpenFrames;
use crate::reports;
use crate::views::open_frames::place;

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("track", Kind::Text, "the thread, CPU or stream"),
        Column::new(
            "kind",
            Kind::Text,
            "`loop`: it ends in one; of a thread of a recording `stays` where it never left the place, else `open`",
        ),
        Column::new("level", Kind::Count, "of the loop; 0 is made of steps"),
        Column::new("what", Kind::Text, "an iteration of the loop, or method and lines that it was in"),
        Column::new("since_step", Kind::Count, "the first step of the loop"),
        Column::new("since", Kind::Moment, "when that was, or since when nothing was recorded"),
        Column::new("steps", Kind::Count, "how many steps the loop has"),
        Column::new("iterations", Kind::Count, "whole iterations"),
        Column::new(
            "state",
            Kind::Text,
            "of a thread in the middle of something, as `hangs --json` calls it",
        ),
    ]
}

pub(super) fn fill(asked: &Asked<'_>, input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let history = history(asked, input);
    let (found, is_incomplete) = find(&history, Options::default())?;
    let ends = ends(&found, &history)?;
    for end in &ends.tracks {
        for (one, since) in end.ending.loops.iter().zip(&end.since) {
            let level = end.track.summary.levels.get(one.level);
            let word = level.and_then(|level| level.words.get(one.run.id.0 as usize));
            let units = word.map_or(&[][..], |word| &word.units);
            let name = |unit: &u32| match one.level {
                0 => found.alphabet.name(Symbol(*unit)).to_owned(),
                _ => format!("#{unit}"),
            };
            let what = units.iter().map(name).collect::<Vec<_>>().join(" ");
            rows.row(&[
                end.track.name.as_str().into(),
                Cell::Text("loop"),
                (one.level as u64).into(),
                Cell::Text(&what),
                one.since.into(),
                since.from.into(),
                one.steps.into(),
                one.run.iterations().0.into(),
                Cell::Empty,
            ])?;
        }
        if let Some(open) = &end.track.open {
            rows.row(&row_of(open, &place(open), reports::state(open)))?;
        }
    }
    for open in &found.open {
        rows.row(&row_of(open, &place(open), reports::state(open)))?;
    }
    Ok(is_incomplete)
}

fn row_of<'a>(open: &'a OpenFrames, place: &'a str, state: &'a str) -> [Cell<'a>; 9] {
    let kind = if open.is_stuck() { "stays" } else { "open" };
    let (thread, since) = (open.thread.as_str().into(), open.since.into());
    let (what, state) = (Cell::Text(place), Cell::Text(state));
    let none = Cell::Empty;
    [thread, Cell::Text(kind), none, what, none, since, none, none, state]
}
