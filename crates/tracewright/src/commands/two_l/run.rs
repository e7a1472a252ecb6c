//! `tracewright 2l run`: what becomes of a program.

use busybeaver::blocks::Graph;
use busybeaver::draw::{Film, film_svg, film_text};
use busybeaver::history::{Bounds, Events, History, listing};
use busybeaver::proof::{Effort, decide};
use busybeaver::report::{verdict_json, verdict_text};
use busybeaver::run::Outcome as Ended;

use crate::cli::two_l::Run;
use crate::exit::{Outcome, Result};
use crate::numbers::counted;
use crate::output::Output;

/// Moments of a film, and cells of each.
const FILM: (u64, u64) = (40, 60);

pub(crate) fn run(options: &Run) -> Result<Outcome> {
    let grid = super::program(&options.program)?;
    let mut output = Output::default();
    if options.history {
        for line in Events::of(&Graph::of(&grid), &grid.to_string()).take_blocks(options.blocks) {
            output.buffer.extend_from_slice(line.as_bytes());
            output.pass()?;
        }
    } else if options.film {
        let film = Film::of(&grid, options.blocks, FILM.0, FILM.1);
        output.buffer = if options.svg { film_svg(&film) } else { film_text(&film) }.into_bytes();
    } else if options.loops {
        let history = History::of(&grid, options.blocks);
        let (steps, blocks) = (counted(history.steps, "step"), counted(history.blocks, "block"));
        let end = match history.end {
            Ended::Halted => "then it halts",
            Ended::NoData => "then it loops forever without touching the tape",
            Ended::Open { .. } => "then it meets an open cell",
            Ended::Stopped => "and so on (--blocks N)",
        };
        let text = listing(&history.summary, &Graph::of(&grid), Bounds::default());
        output.buffer = format!("{grid}: {steps} in {blocks}, {end}\n\n{text}").into_bytes();
    } else {
        let verdict = decide(&grid, Effort { steps: options.steps, ..Effort::default() });
        let text = match options.json {
            true => verdict_json(&grid, &verdict).to_string(),
            false => verdict_text(&grid, &verdict),
        };
        output.buffer = (text + "\n").into_bytes();
    }
    output.flush()?;
    Ok(Outcome::Complete)
}
