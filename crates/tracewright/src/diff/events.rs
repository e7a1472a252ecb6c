//! Two traces, or two histories: events by name and track, where tracks part, loops and levels, losses.

use std::collections::BTreeMap;
use std::path::Path;

use analyses::diff::without_numbers;
use analyses::loops::{LoopFinder, Options};
use analyses::tracks::{TrackBy, Tracker};
use formats::history_text::{self, Token};
use model::{Alphabet, Summary};

use super::state_times;
use crate::exit::{Result, Stop};
use crate::input;
use crate::losses::{Losses, Total};
use crate::models::Model;
use crate::open::open;
use crate::pattern::Patterns;
use crate::reports::diff::Verdict;
use crate::reports::diff_events::{
    DiffEventsReport, EventParts, EventSide, LevelDiff, NameCounts, TrackDiff,
};

/// What the inputs are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind<'m> {
    /// What a track is, and the model whose states are compared by their times, if they are.
    Trace(TrackBy, Option<&'m Model>),
    History,
}

/// Tracks and names that are listed unless all are asked for, and even then.
const LISTED: (usize, usize) = (10, 8);
const ALL: (usize, usize) = (5_000, 5_000);
/// Events of all tracks of a side whose order is remembered.
const REMEMBERED: usize = 20_000_000;

/// A track of one side.
struct Track {
    name: String,
    /// By symbol of the common alphabet, in order, as far as they are remembered.
    events: Vec<u32>,
    counts: BTreeMap<u32, u64>,
    all: u64,
    is_whole: bool,
    summary: Summary,
}

/// One input.
struct SideRead {
    tracks: Vec<Track>,
    lost: Total,
    is_ordered: bool,
}

/// Compares them.
pub(crate) fn compare(
    inputs: [&Path; 2],
    kind: Kind<'_>,
    thread: &[String],
    all: bool,
) -> Result<DiffEventsReport> {
    let mut alphabet = Alphabet::default();
    let patterns = Patterns::new(thread);
    let mut sides = vec![];
    for input in inputs {
        let mut side = match kind {
            Kind::Trace(by, _) => trace(input, by, &mut alphabet)?,
            Kind::History => history(input, &mut alphabet)?,
        };
        side.tracks.retain(|track| patterns.allow(&track.name));
        sides.push(side);
    }
    let [a, b] = [&sides[0], &sides[1]];
    let lost = [a.lost.gaps > 0, b.lost.gaps > 0];
    let (most_tracks, most_names) = if all { ALL } else { LISTED };
    let mut not_compared = vec![];
    for (name, side) in ["A", "B"].into_iter().zip(&sides) {
        if side.lost.gaps > 0 {
            not_compared
                .push(format!("{name}: {}; what the other has more may be among that", side.lost.sentence()));
        }
        if !side.is_ordered {
            let most = crate::numbers::grouped(REMEMBERED as u64);
            not_compared.push(format!("{name}: the order of events behind the first {most}"));
        }
    }
    let mut tracks: Vec<TrackDiff> = vec![];
    let mut equal_tracks = 0;
    for (one, other) in paired(&a.tracks, &b.tracks) {
        match track_diff(&alphabet, one, other, lost, most_names) {
            Some(diff) => tracks.push(diff),
            None => equal_tracks += 1,
        }
    }
    let total = |side: &SideRead| {
        let mut sum: BTreeMap<u32, u64> = BTreeMap::new();
        for (symbol, count) in side.tracks.iter().flat_map(|track| &track.counts) {
            *sum.entry(*symbol).or_default() += count;
        }
        sum
    };
    let (names, more_names) = names(&alphabet, [&total(a), &total(b)], lost, most_names);
    let more_tracks = tracks.len().saturating_sub(most_tracks);
    let is_certain = |names: &[NameCounts]| names.iter().any(|name| !name.may_be_lost);
    let is_lossy = lost.contains(&true);
    let is_different = is_certain(&names)
        || tracks.iter().any(|track| {
            is_certain(&track.names) || !is_lossy && (track.parts.is_some() || track.name.contains(&None))
        });
    tracks.sort_by_key(|track| std::cmp::Reverse(track.events.into_iter().max()));
    tracks.truncate(most_tracks);
    let side = |(input, side): (&Path, &SideRead)| EventSide {
        input: input.display().to_string(),
        tracks: side.tracks.len(),
        events: side.tracks.iter().map(|track| track.all).sum(),
        lost: side.lost.into(),
    };
    let (mut times, mut more_times) = (vec![], 0);
    if let Kind::Trace(_, Some(model)) = kind {
        let [a, b] = inputs.map(|input| state_times::read(input, model));
        (times, more_times) = state_times::differences(&[a?, b?], most_tracks);
    }
    Ok(DiffEventsReport {
        verdict: match (is_different, not_compared.is_empty()) {
            (true, _) => Verdict::Different,
            (false, true) => Verdict::Equal,
            (false, false) => Verdict::Unknown,
        },
        sides: inputs.into_iter().zip(&sides).map(side).collect(),
        names,
        more_names,
        tracks,
        more_tracks,
        equal_tracks,
        times,
        more_times,
        not_compared,
    })
}

fn trace(input: &Path, by: TrackBy, alphabet: &mut Alphabet) -> Result<SideRead> {
    let mut source = open(input)?;
    let mut tracker = Tracker::new(by);
    let mut losses = Losses::default();
    let mut read: Vec<(Vec<u32>, BTreeMap<u32, u64>, LoopFinder)> = vec![];
    let mut symbols: Vec<Option<u32>> = vec![];
    let mut remembered = 0;
    while let Some(assigned) = tracker.next(source.as_mut(), |gap| losses.add(gap)) {
        let (at, own, is_broken) = (assigned.step.track.0 as usize, assigned.step.symbol, assigned.broken);
        while read.len() <= at {
            read.push((vec![], BTreeMap::new(), LoopFinder::new(Options::default())));
        }
        if symbols.len() <= own.0 as usize {
            symbols.resize(own.0 as usize + 1, None);
        }
        let symbol =
            *symbols[own.0 as usize].get_or_insert_with(|| alphabet.intern(source.alphabet().name(own)).0);
        let (events, counts, finder) = &mut read[at];
        *counts.entry(symbol).or_default() += 1;
        if is_broken {
            finder.gap();
        }
        finder.push(symbol);
        if remembered < REMEMBERED {
            events.push(symbol);
            remembered += 1;
        }
    }
    let tracks = tracker.tracks().iter().zip(read).filter(|(_, (_, counts, _))| !counts.is_empty());
    let tracks =
        tracks.map(|(track, (events, counts, finder))| of(track.name.clone(), events, counts, &finder));
    let tracks: Vec<Track> = tracks.collect();
    let is_ordered = tracks.iter().all(|track| track.is_whole);
    Ok(SideRead { tracks, lost: losses.total, is_ordered })
}

fn of(name: String, events: Vec<u32>, counts: BTreeMap<u32, u64>, finder: &LoopFinder) -> Track {
    let all = counts.values().sum();
    let is_whole = events.len() as u64 == all;
    Track { name, events, counts, all, is_whole, summary: finder.summary() }
}

fn history(file: &Path, alphabet: &mut Alphabet) -> Result<SideRead> {
    let cannot = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", file.display());
    let input = input::stream(file).or_else(|error| Stop::failed(cannot(&error)))?;
    let (mut events, mut counts, mut finder) = (vec![], BTreeMap::new(), LoopFinder::new(Options::default()));
    let mut lost = Total::default();
    let result = history_text::read(input, alphabet, |token| match token {
        Token::Unit(symbol) => {
            *counts.entry(symbol.0).or_default() += 1;
            finder.push(symbol.0);
            if events.len() < REMEMBERED {
                events.push(symbol.0);
            }
        }
        Token::Gap => {
            finder.gap();
            lost.gaps += 1;
        }
        Token::Space(_) => {}
    });
    result.or_else(|error| Stop::failed(cannot(&error)))?;
    // Both are the one history of their side, whatever the files are called.
    let track = of("history".to_owned(), events, counts, &finder);
    let is_ordered = track.is_whole;
    Ok(SideRead { tracks: vec![track], lost, is_ordered })
}

/// Tracks of the same name, then of the same name but for its numbers, in order.
fn paired<'t>(a: &'t [Track], b: &'t [Track]) -> Vec<(Option<&'t Track>, Option<&'t Track>)> {
    let mut found: Vec<Option<usize>> = vec![None; a.len()];
    let mut taken = vec![false; b.len()];
    for rough in [false, true] {
        let key = |name: &str| if rough { without_numbers(name) } else { name.to_owned() };
        let mut waiting: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in (0..b.len()).rev().filter(|at| !taken[*at]) {
            waiting.entry(key(&b[at].name)).or_default().push(at);
        }
        for (slot, track) in found.iter_mut().zip(a).filter(|(slot, _)| slot.is_none()) {
            if let Some(at) = waiting.get_mut(&key(&track.name)).and_then(Vec::pop) {
                *slot = Some(at);
                taken[at] = true;
            }
        }
    }
    let pairs = a.iter().zip(&found).map(|(track, other)| (Some(track), other.map(|at| &b[at])));
    let alone = b.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(track, _)| (None, Some(track)));
    pairs.chain(alone).collect()
}

/// What differs; `None`: nothing does.
fn track_diff(
    alphabet: &Alphabet,
    one: Option<&Track>,
    other: Option<&Track>,
    lost: [bool; 2],
    most: usize,
) -> Option<TrackDiff> {
    static NONE: BTreeMap<u32, u64> = BTreeMap::new();
    let sides = [one, other];
    let counts = sides.map(|track| track.map_or(&NONE, |track| &track.counts));
    let (names, more_names) = names(alphabet, counts, lost, most);
    let name = |symbol: u32| alphabet.name(model::Symbol(symbol)).to_owned();
    let parts = one.zip(other).and_then(|(one, other)| {
        let common = one.events.iter().zip(&other.events).take_while(|(a, b)| a == b).count();
        let next = [one, other].map(|track| track.events.get(common).map(|symbol| name(*symbol)));
        // Where the rest is not remembered, nobody knows.
        let is_known = next.iter().any(Option::is_some)
            && [one, other].iter().zip(&next).all(|(track, next)| track.is_whole || next.is_some());
        is_known.then_some(EventParts { after_events: common as u64, next })
    });
    if names.is_empty() && parts.is_none() && one.is_some() == other.is_some() {
        return None;
    }
    let levels = sides.map(|track| track.map_or(&[][..], |track| &track.summary.levels));
    let deepest = levels.iter().map(|levels| levels.len()).max().unwrap_or(0);
    let level = |at: usize| LevelDiff {
        level: at,
        loops: levels.map(|levels| {
            levels.get(at).map_or(0, |level| level.runs.iter().filter(|run| run.period > 0).count())
        }),
        units: levels.map(|levels| levels.get(at).map_or(0, |level| level.runs.len())),
    };
    let levels =
        (0..deepest).map(level).filter(|one| one.loops[0] != one.loops[1] || one.units[0] != one.units[1]);
    Some(TrackDiff {
        name: sides.map(|track| track.map(|track| track.name.clone())),
        events: sides.map(|track| track.map_or(0, |track| track.all)),
        names,
        more_names,
        parts,
        levels: levels.collect(),
    })
}

/// The names that are not equally frequent, those that differ most first, and how many were left out.
fn names(
    alphabet: &Alphabet,
    counts: [&BTreeMap<u32, u64>; 2],
    lost: [bool; 2],
    most: usize,
) -> (Vec<NameCounts>, usize) {
    let symbols: std::collections::BTreeSet<u32> =
        counts.iter().flat_map(|counts| counts.keys().copied()).collect();
    let of = |symbol: u32| {
        let both = counts.map(|counts| counts.get(&symbol).copied().unwrap_or(0));
        let fewer = usize::from(both[1] < both[0]);
        let name = alphabet.name(model::Symbol(symbol)).to_owned();
        (both[0] != both[1]).then_some(NameCounts { name, counts: both, may_be_lost: lost[fewer] })
    };
    let mut found: Vec<NameCounts> = symbols.into_iter().filter_map(of).collect();
    found.sort_by_key(|name| (name.may_be_lost, std::cmp::Reverse(name.counts[0].abs_diff(name.counts[1]))));
    let more = found.len().saturating_sub(most);
    found.truncate(most);
    (found, more)
}
