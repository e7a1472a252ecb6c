//! The table of hangs: loops that tracks end in, and what threads of a recording were in the middle of.

use std::collections::HashSet;
use std::path::Path;

use analyses::hangs::kernel::{Doing, ThreadEnd};
use analyses::loops::Options;
use model::Symbol;

use super::loops::history;
use super::{Asked, Cell, Column, IsIncomplete, Kind, Rows};
use crate::exit::Result;
use crate::hangs::ends::ends;
use crate::hangs::open_frames::OpenFrames;
use crate::hangs::thread_states::ThreadStates;
use crate::histories::found::find;
use crate::reports;
use crate::views::open_frames::location;
use crate::views::thread_states::call;

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("track", Kind::Text, "the thread, CPU or stream"),
        Column::new(
            "kind",
            Kind::Text,
            "`loop`: it ends in one; of a thread of a recording `stays` where it never left the place, else `open`; \
             `thread`: one of a kernel trace",
        ),
        Column::new("level", Kind::Count, "of the loop; 0 is made of steps"),
        Column::new(
            "what",
            Kind::Text,
            "an iteration of the loop, or method and lines that it was in, or the system call",
        ),
        Column::new("since_step", Kind::Count, "the first step of the loop"),
        Column::new(
            "since",
            Kind::Moment,
            "when that was, or since when nothing was recorded, or the thread did what it did",
        ),
        Column::new("steps", Kind::Count, "how many steps the loop has"),
        Column::new("iterations", Kind::Count, "whole iterations"),
        Column::new(
            "state",
            Kind::Text,
            "of a thread in the middle of something, as `hangs --json` calls it: what it was doing, of one of a kernel trace",
        ),
        Column::new("waits_for", Kind::Text, "who holds what the thread waits for, or could wake it"),
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
                Cell::Empty,
            ])?;
        }
        if let Some(open) = &end.track.open {
            rows.row(&row_of(open, &location(open), reports::state(open)))?;
        }
    }
    if let Some(states) = &ends.states {
        let of_tracks = ends.tracks.iter().filter_map(|end| Some(states.of(end.track.id?)?.tid));
        let of_tracks: HashSet<i64> = of_tracks.collect();
        // Of one without a step there is a row if something is known of it.
        let is_known =
            |thread: &&ThreadEnd| thread.doing != Doing::Unknown || of_tracks.contains(&thread.tid);
        for thread in states.threads.iter().filter(is_known) {
            of_kernel(states, thread, rows)?;
        }
    }
    for open in &found.open {
        rows.row(&row_of(open, &location(open), reports::state(open)))?;
    }
    Ok(is_incomplete)
}

fn row_of<'a>(open: &'a OpenFrames, location: &'a str, state: &'a str) -> [Cell<'a>; 10] {
    let kind = if open.is_stuck() { "stays" } else { "open" };
    let (thread, since) = (open.thread.as_str().into(), open.since.into());
    let (what, state) = (Cell::Text(location), Cell::Text(state));
    let none = Cell::Empty;
    let holder = open.holder.as_deref().map_or(Cell::Empty, Cell::Text);
    [thread, Cell::Text(kind), none, what, none, since, none, none, state, holder]
}

/// What a thread of a kernel trace was in the middle of at its end.
fn of_kernel(states: &ThreadStates, thread: &ThreadEnd, rows: &mut dyn Rows) -> Result<()> {
    let name = states.name(thread.tid);
    let call = call(thread);
    let wakers = thread.waits_for.iter().map(|tid| states.name(*tid)).collect::<Vec<_>>().join(", ");
    let none = Cell::Empty;
    rows.row(&[
        name.as_str().into(),
        Cell::Text("thread"),
        none,
        call.as_deref().map_or(none, Cell::Text),
        none,
        thread.since.into(),
        none,
        none,
        Cell::Text(reports::doing(thread)),
        if wakers.is_empty() { none } else { Cell::Text(&wakers) },
    ])
}
