//! `tracewright loops`: the summaries of all tracks, as text or JSON; and the history that such JSON is of.

use analyses::loops::Options;

use super::expand::expand;
use crate::cli;
use crate::exit::{Outcome, Result};
use crate::histories::found::{find, find_with_layout};
use crate::output::Output;
use crate::paint::Paint;
use crate::reports::{self, LoopsReport};
use crate::views::loops_text;

pub(crate) fn run(options: &cli::Loops) -> Result<Outcome> {
    let history = &options.history;
    if let Some(file) = history.input.as_deref().filter(|_| options.expand) {
        return expand(file, &history.track);
    }
    let max_levels = options.levels.map_or(usize::MAX, |levels| levels as usize);
    let find = if options.json { find_with_layout } else { find };
    let (found, is_incomplete) = find(history, Options { short_loops: history.short_loops, max_levels })?;
    let mut output = Output::default();
    if options.json {
        output.buffer = reports::json(&LoopsReport::of(&found));
    } else {
        let unless_all = |bound: usize| if options.all { usize::MAX } else { bound };
        let bounds =
            loops_text::Bounds { tracks: unless_all(options.tracks), runs: unless_all(options.runs) };
        output.buffer = loops_text::render(&found, bounds, Paint::for_stdout()).into();
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete, history.allow_loss))
}
