//! The table of loops: a row for each run of each level of each track.

use std::path::Path;

use analyses::loops::Options;
use model::Symbol;

use super::{Asked, Column, IsIncomplete, Kind, Rows};
use crate::cli;
use crate::exit::Result;
use crate::histories::found::find;

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("track", Kind::Text, "the thread, CPU or stream"),
        Column::new("level", Kind::Count, "0: runs of steps; above: runs of runs of the level below"),
        Column::new("number", Kind::Count, "its place among the runs of its level, from 0"),
        Column::new("run", Kind::Count, "equal runs of a level have equal numbers"),
        Column::new("start", Kind::Count, "its first unit of the level"),
        Column::new("units", Kind::Count, "how many units of the level it is long"),
        Column::new("period", Kind::Count, "units of an iteration; 0: no loop, what lies between two"),
        Column::new("iterations", Kind::Count, "whole iterations"),
        Column::new("rest", Kind::Count, "units of one more"),
        Column::new(
            "word",
            Kind::Text,
            "an iteration, or the units where it is no loop: names of steps on level 0, `#` and run numbers above",
        ),
    ]
}

/// What the commands on histories are asked with.
pub(super) fn history(asked: &Asked<'_>, input: &Path) -> cli::History {
    cli::History {
        input: Some(input.to_owned()),
        symbols: None,
        history: None,
        track_by: asked.track_by,
        track: vec![],
        short_loops: false,
        allow_loss: true,
    }
}

pub(super) fn fill(asked: &Asked<'_>, input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let (found, is_incomplete) = find(&history(asked, input), Options::default())?;
    for track in &found.tracks {
        for (number, level) in track.summary.levels.iter().enumerate() {
            let word = |unit: &u32| match number {
                0 => found.alphabet.name(Symbol(*unit)).to_owned(),
                _ => format!("#{unit}"),
            };
            for (position, run) in (0_u64..).zip(&level.runs) {
                let units = level.words.get(run.id.0 as usize).map_or(&[][..], |word| &word.units);
                let text = units.iter().map(word).collect::<Vec<_>>().join(" ");
                let (iterations, rest) = if run.period == 0 { (0, 0) } else { run.iterations() };
                rows.row(&[
                    track.name.as_str().into(),
                    (number as u64).into(),
                    position.into(),
                    run.id.0.into(),
                    run.start.into(),
                    run.len.into(),
                    run.period.into(),
                    iterations.into(),
                    rest.into(),
                    text.as_str().into(),
                ])?;
            }
        }
    }
    Ok(is_incomplete)
}
