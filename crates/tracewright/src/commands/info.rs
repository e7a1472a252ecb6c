//! `tracewright info`: reads a trace once and counts.

use model::{EventSource, FlowEvents, Item};

use super::warn::is_incomplete;
use crate::cli;
use crate::exit::{Outcome, Result};
use crate::losses::Losses;
use crate::open::open;
use crate::open_frames;
use crate::output::Output;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::recordings;
use crate::reports::{self, InfoReport};
use crate::views::info_text;

/// What was counted; the rest is asked from the reader.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Events by symbol.
    pub(crate) by_symbol: Vec<u64>,
    pub(crate) losses: Losses,
}

pub(crate) fn run(options: &cli::Info) -> Result<Outcome> {
    let input = &options.trace.input;
    let (mut source, open): (Box<dyn EventSource>, _) = if recordings::is_recording(input) {
        let recording = recordings::open(input)?;
        let open = open_frames::of(recording.as_ref());
        (Box::new(FlowEvents::new(recording)), open)
    } else {
        (open(input)?, vec![])
    };
    let counts = count(source.as_mut());
    let input = match options.trace.input.to_string_lossy() {
        input if input == "-" => "stdin".into(),
        input => input,
    };
    let mut output = Output::default();
    if options.json {
        output.buffer = reports::json(&InfoReport::of(&input, &counts, source.as_ref(), &open));
    } else {
        let most = if options.all { usize::MAX } else { info_text::MOST };
        let paint = Paint::for_stdout();
        output.buffer = info_text::render(&input, &counts, source.as_ref(), &open, most, paint).into();
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete(counts.losses.total, source.as_ref()), options.trace.allow_loss))
}

/// Reads `source` to its end.
fn count(source: &mut dyn EventSource) -> Counts {
    let mut counts = Counts { by_symbol: vec![0; source.alphabet().len()], losses: Losses::default() };
    let mut progress = Progress::new(false);
    loop {
        match source.next_item() {
            None => break,
            Some(Item::Event(event)) => {
                let symbol = event.symbol.0 as usize;
                if symbol >= counts.by_symbol.len() {
                    counts.by_symbol.resize(symbol + 1, 0);
                }
                counts.by_symbol[symbol] += 1;
            }
            Some(Item::Gap(gap)) => counts.losses.add(&gap),
        }
        progress.step(source);
    }
    progress.finish();
    counts
}
