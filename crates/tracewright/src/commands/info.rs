//! `tracewright info`: reads a trace once and counts.

use model::{BlockCounts, EventSource, FlowEvents, Item};

use crate::cli;
use crate::exit::{Outcome, Result};
use crate::hangs::open_frames;
use crate::losses::Losses;
use crate::open::open;
use crate::output::Output;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::recordings;
use crate::reports::{self, InfoReport};
use crate::results::Counts;
use crate::views::info_text;
use crate::warn::is_incomplete;

pub(crate) fn run(options: &cli::Info) -> Result<Outcome> {
    let input = &options.trace.input;
    let (source, counts, open): (Box<dyn EventSource>, _, _) = if recordings::is_recording(input) {
        let recording = recordings::open(input)?;
        let open = open_frames::of(recording.as_ref());
        let mut source = FlowEvents::new(recording);
        let counts = count_blocks(&mut source);
        (Box::new(source), counts, open)
    } else {
        let mut source = open(input)?;
        let counts = count(source.as_mut());
        (source, counts, vec![])
    };
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
            Some(Item::Event(event)) => counts.add(event.symbol, 1),
            Some(Item::Gap(gap)) => counts.losses.add(&gap),
        }
        progress.step(source);
    }
    progress.finish();
    counts
}

/// The same of a recording of control flow. A loop that was counted while recording is not turned again here: a
/// billion iterations cost as much as one.
fn count_blocks(source: &mut FlowEvents) -> Counts {
    let (mut counts, mut ran) = (Counts::default(), BlockCounts::default());
    let mut progress = Progress::new(false);
    while let Some(gap) = source.count_next(&mut ran) {
        gap.iter().for_each(|gap| counts.losses.add(gap));
        progress.update(source);
    }
    progress.finish();
    source.counted(&ran).into_iter().for_each(|(symbol, times)| counts.add(symbol, times));
    counts
}
