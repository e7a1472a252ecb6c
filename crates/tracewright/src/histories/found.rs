//! What the commands on histories start from: the input read, the loops of each track found.

use std::path::Path;

use analyses::loops::{LoopFinder, Options};
use analyses::tracks::Tracker;
use formats::history_text::{self, Token};
use model::flow_events::FlowItem;
use model::{Alphabet, EventSource, FlowEvents, FlowSource, Readings, StreamId, Track, TrackId};

use super::layout::Layout;
use crate::cli;
use crate::exit::{Result, Stop};
use crate::hangs::open_frames::{self, OpenFrames};
use crate::hangs::pending::{self, Pending};
use crate::hangs::spinning::{self, Spinning};
use crate::hangs::wakers;
use crate::input;
use crate::losses::Losses;
use crate::open::open;
use crate::pattern::Patterns;
use crate::progress::Progress;
use crate::recordings;
use crate::results::{Found, FoundTrack};
use crate::views::code_names::{ran_before, was_running};
use crate::warn::warn;

/// Reads the input and finds the loops of its tracks; also whether the input was incomplete.
pub(crate) fn find(options: &cli::History, diagnostic: Options) -> Result<(Found, bool)> {
    find_watched(options, diagnostic, &mut |_| {})
}

/// The same, with the layout of a history that is a text.
pub(crate) fn find_with_layout(options: &cli::History, diagnostic: Options) -> Result<(Found, bool)> {
    let layout = Some(Layout::new());
    match (&options.input, &options.symbols, &options.history) {
        (None, Some(letters), _) => Ok((of_letters(letters, diagnostic, layout), false)),
        (None, None, Some(file)) => of_history(file, diagnostic, layout),
        _ => find(options, diagnostic),
    }
}

/// The same without it; `passed` is called after each event of a trace, and once at its end.
pub(crate) fn find_watched(
    options: &cli::History,
    diagnostic: Options,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<(Found, bool)> {
    match (&options.input, &options.symbols, &options.history) {
        (Some(input), _, _) => of_trace(input, options, diagnostic, passed),
        (_, Some(letters), _) => Ok((of_letters(letters, diagnostic, None), false)),
        (_, _, Some(file)) => of_history(file, diagnostic, None),
        _ => Stop::failed("give a trace, --symbols or --history; --help has examples"),
    }
}

fn of_letters(letters: &str, diagnostic: Options, mut layout: Option<Layout>) -> Found {
    let (mut alphabet, mut finder) = (Alphabet::default(), LoopFinder::new(diagnostic));
    for letter in letters.chars().filter(|letter| !letter.is_whitespace()) {
        finder.push(alphabet.intern(letter.encode_utf8(&mut [0; 4])).0);
        layout.iter_mut().for_each(Layout::unit);
    }
    layout.iter_mut().for_each(|layout| layout.space(b'\n'));
    of_history_finder("symbols".into(), &finder, alphabet, layout)
}

/// Also whether something was lost: a history says so with `<gap>`.
fn of_history(file: &Path, diagnostic: Options, mut layout: Option<Layout>) -> Result<(Found, bool)> {
    let cannot = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", file.display());
    let input = input::stream(file).or_else(|error| Stop::failed(cannot(&error)))?;
    let name = input.name.clone();
    let (mut alphabet, mut finder) = (Alphabet::default(), LoopFinder::new(diagnostic));
    let mut has_gap = false;
    let result = history_text::read(input, &mut alphabet, |token| match token {
        Token::Unit(symbol) => {
            finder.push(symbol.0);
            layout.iter_mut().for_each(Layout::unit);
        }
        Token::Gap => {
            has_gap = true;
            finder.gap();
            layout.iter_mut().for_each(Layout::gap);
        }
        Token::Space(byte) => layout.iter_mut().for_each(|layout| layout.space(byte)),
    });
    result.or_else(|error| Stop::failed(cannot(&error)))?;
    Ok((of_history_finder(name, &finder, alphabet, layout), has_gap))
}

fn of_history_finder(name: String, finder: &LoopFinder, alphabet: Alphabet, layout: Option<Layout>) -> Found {
    let (steps, summary, layout) = (finder.steps(), finder.summary(), layout.map(|layout| layout.summary()));
    let track = FoundTrack {
        id: None,
        name,
        steps,
        summary,
        layout,
        ran_before: None,
        open: None,
        times: Readings::default(),
        spinning: None,
        sampled: None,
    };
    Found { tracks: vec![track], alphabet, lost: None, unrecorded: vec![], open: vec![], pending: vec![] }
}

/// What a trace was made into on the way.
struct Fed {
    /// In the order in which they were first seen.
    tracks: Vec<(Track, LoopFinder)>,
    losses: Losses,
    source: Box<dyn EventSource>,
    /// By track; see [`FoundTrack`].
    ran_before: Vec<Option<String>>,
    /// See [`Found`].
    unrecorded: Vec<(String, String)>,
    /// By track; see [`FoundTrack`].
    open: Vec<Option<OpenFrames>>,
    /// By track; see [`FoundTrack`].
    times: Vec<Readings>,
    /// By track; see [`FoundTrack`].
    spinning: Vec<Option<Spinning>>,
    /// Of threads that are no track.
    open_elsewhere: Vec<OpenFrames>,
    /// See [`Found`].
    pending: Vec<Pending>,
}

fn of_trace(
    input: &Path,
    options: &cli::History,
    diagnostic: Options,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<(Found, bool)> {
    let fed = if recordings::is_recording(input) {
        feed_blocks(recordings::open(input)?, diagnostic, passed)
    } else {
        feed_events(open(input)?, options, diagnostic, passed)
    };
    of_fed(fed, input, options)
}

fn of_fed(fed: Fed, input: &Path, options: &cli::History) -> Result<(Found, bool)> {
    let patterns = Patterns::new(&options.track);
    let is_wanted =
        |(track, finder): &&(Track, LoopFinder)| finder.steps() > 0 && patterns.allow(&track.name);
    let found = |(track, finder): &(Track, LoopFinder)| FoundTrack {
        id: Some(track.id),
        name: track.name.clone(),
        steps: finder.steps(),
        summary: finder.summary(),
        layout: None,
        ran_before: fed.ran_before.get(track.id.0 as usize).cloned().flatten(),
        open: fed.open.get(track.id.0 as usize).cloned().flatten(),
        times: fed.times.get(track.id.0 as usize).cloned().unwrap_or_default(),
        spinning: fed.spinning.get(track.id.0 as usize).cloned().flatten(),
        sampled: None,
    };
    let mut tracks: Vec<FoundTrack> = fed.tracks.iter().filter(is_wanted).map(found).collect();
    let mut unrecorded = fed.unrecorded;
    unrecorded.retain(|(name, _)| patterns.allow(name));
    let mut open = fed.open_elsewhere;
    open.retain(|open| patterns.allow(&open.thread));
    let mut pending = fed.pending;
    pending.retain(|pending| patterns.allow(&pending.thread));
    // What was running before is among what never returned.
    unrecorded.retain(|(name, _)| !open.iter().any(|open| open.stays && open.thread == *name));
    if tracks.is_empty() && unrecorded.is_empty() && open.is_empty() && !patterns.is_empty() {
        let asked = options.track.join(" or ");
        return Stop::failed(format!(
            "{} has no track called {asked}; without --track all are listed",
            input.display()
        ));
    }
    // Sorting is stable, so equally busy tracks stay in the order in which they were first seen.
    tracks.sort_by_key(|track| std::cmp::Reverse(track.steps));
    let is_incomplete = warn(input, fed.losses.total, fed.source.as_ref());
    let alphabet = fed.source.alphabet().clone();
    Ok((Found { tracks, alphabet, lost: Some(fed.losses.total), unrecorded, open, pending }, is_incomplete))
}

fn feed_events(
    mut source: Box<dyn EventSource>,
    options: &cli::History,
    diagnostic: Options,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Fed {
    let mut tracker = Tracker::new(options.track_by.into());
    let (mut finders, mut losses) = (vec![], Losses::default());
    let mut progress = Progress::new(false);
    while let Some(assigned) = tracker.next(source.as_mut(), |gap| losses.add(gap)) {
        let track = assigned.step.track.0 as usize;
        while finders.len() <= track {
            finders.push(LoopFinder::new(diagnostic));
        }
        if assigned.broken {
            finders[track].gap();
        }
        finders[track].push(assigned.step.symbol.0);
        progress.step(source.as_ref());
        passed(source.as_ref());
    }
    // What is found wrong at the end of the input is known only now.
    passed(source.as_ref());
    progress.finish();
    Fed {
        tracks: tracker.tracks().iter().cloned().zip(finders).collect(),
        losses,
        source,
        ran_before: vec![],
        unrecorded: vec![],
        open: vec![],
        times: vec![],
        spinning: vec![],
        open_elsewhere: vec![],
        pending: vec![],
    }
}

/// The same for a recording of control flow, whose threads are its tracks and come one after the other: blocks are taken many at
/// a time, at the speed of comparing memory inside a loop.
fn feed_blocks(
    recording: Box<dyn FlowSource>,
    diagnostic: Options,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Fed {
    let sentences: Vec<Option<String>> =
        recording.threads().iter().map(|thread| ran_before(recording.as_ref(), thread)).collect();
    let unrecorded = recordings::unrecorded(recording.as_ref())
        .map(|running| (running.name.clone(), was_running(recording.as_ref(), running)))
        .collect();
    let tids: Vec<Option<u64>> = recording.threads().iter().map(|thread| thread.tid).collect();
    let mut open_elsewhere = open_frames::of(recording.as_ref());
    let spinning = spinning::of(recording.as_ref());
    let pending = pending::of(recording.as_ref());
    let mut source = FlowEvents::new(recording);
    source.store_readings();
    const MANY: usize = 1 << 14;
    const OFTEN: u64 = 16;
    let (mut streams, mut finders, mut losses) = (vec![], Vec::<LoopFinder>::new(), Losses::default());
    let (mut units, mut is_broken) = (Vec::with_capacity(2 * MANY), false);
    let mut progress = Progress::new(false);
    let flush = |finders: &mut [LoopFinder], units: &mut Vec<u32>| {
        if let Some(finder) = finders.last_mut() {
            finder.extend(units);
        }
        units.clear();
    };
    while let Some(item) = source.next_flow_item() {
        match item {
            FlowItem::Gap(gap) => {
                losses.add(&gap);
                is_broken |= streams.last() == Some(&gap.stream);
            }
            FlowItem::Blocks(stream, blocks, times) => {
                if is_broken || streams.last() != Some(&stream) {
                    flush(&mut finders, &mut units);
                }
                if streams.last() != Some(&stream) {
                    streams.push(stream);
                    finders.push(LoopFinder::new(diagnostic));
                } else if is_broken && let Some(finder) = finders.last_mut() {
                    finder.gap();
                }
                is_broken = false;
                let blocks = blocks.iter().map(|symbol| symbol.0);
                if times > OFTEN {
                    flush(&mut finders, &mut units);
                    units.extend(blocks);
                    if let Some(finder) = finders.last_mut() {
                        finder.repeat(&units, times);
                    }
                    units.clear();
                } else {
                    for _ in 0..times {
                        units.extend(blocks.clone());
                    }
                    if units.len() >= MANY {
                        flush(&mut finders, &mut units);
                    }
                }
            }
        }
        progress.step(&source);
        passed(&source);
    }
    flush(&mut finders, &mut units);
    progress.finish();
    let tid_of = |stream: &StreamId| tids.get(stream.0 as usize).copied().flatten();
    let spinning = streams.iter().zip(&finders).map(|(stream, finder)| {
        let mut spinning = spinning.get(&tid_of(stream)?)?.clone();
        spinning.inspect(&finder.summary(), &source, true).then_some(spinning)
    });
    let mut spinning: Vec<Option<Spinning>> = spinning.collect();
    spinning::pair(&mut spinning);
    let ran = |tid| {
        let mut of_thread = streams.iter().zip(&finders).filter(|(stream, _)| tid_of(stream) == Some(tid));
        of_thread.next().map(|(_, finder)| wakers::ran(&finder.summary(), &source)).unwrap_or_default()
    };
    wakers::mark_without_wakers(source.source(), &mut open_elsewhere, ran);
    wakers::mark_leaked_locks(source.source(), &mut open_elsewhere);
    let name = |stream: &StreamId| source.streams().get(stream.0 as usize).map(|about| about.name.clone());
    let track = |(number, stream)| Track { id: TrackId(number), name: name(stream).unwrap_or_default() };
    let tracks = (0..).zip(&streams).map(track).zip(finders).collect();
    let ran_before =
        streams.iter().map(|stream| sentences.get(stream.0 as usize).cloned().flatten()).collect();
    let mut of_stream = |stream: &StreamId| {
        let tid = tid_of(stream)?;
        let at = open_elsewhere.iter().position(|open| open.tid == tid)?;
        Some(open_elsewhere.remove(at))
    };
    let open = streams.iter().map(&mut of_stream).collect();
    let times = streams.iter().map(|stream| source.take_readings(*stream)).collect();
    Fed {
        tracks,
        losses,
        source: Box::new(source),
        ran_before,
        unrecorded,
        open,
        times,
        spinning,
        open_elsewhere,
        pending,
    }
}
