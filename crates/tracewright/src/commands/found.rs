//! What the commands on histories start from: the input read, the loops of each track found.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use analyses::loops::{LoopFinder, Options};
use analyses::tracks::Tracker;
use formats::history_text::{self, Token};
use model::{Alphabet, EventSource, Summary, TrackId};

use super::warn::warn;
use crate::cli;
use crate::exit::{Result, Stop};
use crate::losses::{Losses, Total};
use crate::open::open;
use crate::pattern::Patterns;
use crate::progress::Progress;

/// What was found on the tracks, busiest first.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) tracks: Vec<FoundTrack>,
    pub(crate) alphabet: Alphabet,
    /// Losses of the trace; `None` for a history, which knows none.
    pub(crate) lost: Option<Total>,
}

/// One track.
#[derive(Debug)]
pub(crate) struct FoundTrack {
    /// Its number in the trace; a history has none.
    pub(crate) id: Option<TrackId>,
    pub(crate) name: String,
    pub(crate) steps: u64,
    pub(crate) summary: Summary,
}

/// Reads the input and finds the loops of its tracks; also whether the input was incomplete.
pub(crate) fn find(options: &cli::History, finding: Options) -> Result<(Found, bool)> {
    find_watched(options, finding, &mut |_| {})
}

/// The same; `passed` is called after each event of a trace.
pub(crate) fn find_watched(
    options: &cli::History,
    finding: Options,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<(Found, bool)> {
    match (&options.input, &options.symbols, &options.history) {
        (Some(input), _, _) => of_trace(input, options, finding, passed),
        (_, Some(letters), _) => Ok((of_letters(letters, finding), false)),
        (_, _, Some(file)) => Ok((of_history(file, finding)?, false)),
        _ => Stop::failed("give a trace, --symbols or --history; --help has examples"),
    }
}

fn of_letters(letters: &str, finding: Options) -> Found {
    let (mut alphabet, mut finder) = (Alphabet::default(), LoopFinder::new(finding));
    for letter in letters.chars().filter(|letter| !letter.is_whitespace()) {
        finder.push(alphabet.intern(letter.encode_utf8(&mut [0; 4])).0);
    }
    of_history_finder("symbols".into(), &finder, alphabet)
}

fn of_history(file: &Path, finding: Options) -> Result<Found> {
    let cannot = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", file.display());
    let (name, input): (String, Box<dyn Read>) = if file.as_os_str() == "-" {
        ("stdin".into(), Box::new(std::io::stdin().lock()))
    } else {
        let opened = File::open(file).or_else(|error| Stop::failed(cannot(&error)))?;
        (file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned(), Box::new(opened))
    };
    let (mut alphabet, mut finder) = (Alphabet::default(), LoopFinder::new(finding));
    let result = history_text::read(input, &mut alphabet, |token| match token {
        Token::Unit(symbol) => finder.push(symbol.0),
        Token::Gap => finder.gap(),
    });
    result.or_else(|error| Stop::failed(cannot(&error)))?;
    Ok(of_history_finder(name, &finder, alphabet))
}

fn of_history_finder(name: String, finder: &LoopFinder, alphabet: Alphabet) -> Found {
    let track = FoundTrack { id: None, name, steps: finder.steps(), summary: finder.summary() };
    Found { tracks: vec![track], alphabet, lost: None }
}

fn of_trace(
    input: &Path,
    options: &cli::History,
    finding: Options,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<(Found, bool)> {
    let mut source = open(input)?;
    let mut tracker = Tracker::new(options.track_by.into());
    let (mut finders, mut losses) = (vec![], Losses::default());
    let mut progress = Progress::new(false);
    while let Some(placed) = tracker.next(source.as_mut(), |gap| losses.add(gap)) {
        let track = placed.step.track.0 as usize;
        while finders.len() <= track {
            finders.push(LoopFinder::new(finding));
        }
        if placed.broken {
            finders[track].gap();
        }
        finders[track].push(placed.step.symbol.0);
        progress.step(source.as_ref());
        passed(source.as_ref());
    }
    progress.finish();
    let patterns = Patterns::new(&options.track);
    let mut tracks: Vec<FoundTrack> = tracker
        .tracks()
        .iter()
        .zip(&finders)
        .filter(|(track, finder)| finder.steps() > 0 && patterns.allow(&track.name))
        .map(|(track, finder)| FoundTrack {
            id: Some(track.id),
            name: track.name.clone(),
            steps: finder.steps(),
            summary: finder.summary(),
        })
        .collect();
    if tracks.is_empty() && !patterns.is_empty() {
        let asked = options.track.join(" or ");
        return Stop::failed(format!(
            "{} has no track called {asked}; without --track all are listed",
            input.display()
        ));
    }
    // Sorting is stable, so equally busy tracks stay in the order in which they were first seen.
    tracks.sort_by_key(|track| std::cmp::Reverse(track.steps));
    let is_incomplete = warn(input, losses.total, source.as_ref());
    let alphabet = source.alphabet().clone();
    Ok((Found { tracks, alphabet, lost: Some(losses.total) }, is_incomplete))
}
