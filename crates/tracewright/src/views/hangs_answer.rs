//! The first lines of `hangs`: who makes no progress, as far as can be seen.
//!
//! ```text
//! deadlock of 2 threads: one waited for the monitor of shop.Key, held by two, in shop.Till.pay (Till.java:31); two ...
//! main stays in shop.Till.wait (Till.java:31-33), no record for 4.2 s (9 samples, since 2026-03-01 10:00:07.250)
//! main goes round a loop that is the same each time in shop.Till.open (Till.java:12): 12,000 iterations of
//!   shop.Till.poll (31,33)
//! main goes round a loop that is the same each time in shop.Till.open (Till.java:12): wherever its 40,000,000 records were
//!   looked at, iterations of shop.Till.poll (31,33)
//! a thread waits for what no other thread is left to do: main waited on java.util.concurrent.CountDownLatch in
//!   java.util.concurrent.CountDownLatch.await, called by shop.Till.open (Till.java:40)
//! nothing goes on: the only thread waits: main waited on shop.Key in shop.Till.rest (Till.java:40)
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use analyses::hangs::{Counts, Doing, EndLoop, InnerLoop};
use model::{Alphabet, Symbol};

use super::code_names::short_ranges;
use super::hangs_text::since_text;
use super::open_frames;
use super::thread_states;
use crate::escape::plain;
use crate::hangs::open_frames::OpenFrames;
use crate::hangs::spinning::symbols_in;
use crate::numbers::counted;
use crate::results::Found;
use crate::results::{Ends, Since, TrackEnd};

/// Threads, and methods of a loop, that a line names.
const NAMED: usize = 4;

/// Iterations of a loop from which on it is reported to be the same each time.
const ITERATIONS: u64 = 8;

/// Steps that have to change nothing.
const SPINS: u64 = 10_000;

/// Whoever makes no progress, a line each. `is_asked`: whether a thread of this name, which runs, is asked for.
pub(crate) fn accused(found: &Found, ends: &Ends<'_>, is_asked: impl Fn(&str) -> bool) -> String {
    let tracks = &ends.tracks;
    let still = standing_still(found, tracks);
    // Where nothing at all goes on, that says more.
    let asleep = if still.is_empty() { without_wakers(found, tracks) } else { String::new() };
    let out = deadlocks(found, tracks)
        + &staying(found, tracks, &is_asked)
        + &spinning(found, tracks, &is_asked)
        + &asleep
        + &thread_states::accused(found, ends);
    if out.is_empty() { still } else { out }
}

/// The first of the lines of [`accused`], from stack samples alone, before any step is read. `open`: all threads.
pub(crate) fn accused_at_once(open: Vec<OpenFrames>) -> String {
    // In which order several are named, their steps decide.
    if open.iter().filter(|open| open.is_stuck()).count() > 1 {
        return String::new();
    }
    let found = Found {
        tracks: vec![],
        alphabet: Alphabet::default(),
        lost: None,
        unrecorded: vec![],
        open,
        pending: vec![],
    };
    deadlocks(&found, &[]) + &staying(&found, &[], |_| true)
}

/// The first line where nobody is accused: what the threads do that had not ended. `None` if none is known.
pub(crate) fn harmless(found: &Found, ends: &Ends<'_>) -> Option<String> {
    let mut open: Vec<&OpenFrames> = open_threads(found, &ends.tracks).collect();
    // Who waits for others comes first, and who only waits for work last.
    open.sort_by_key(|open| match open.doing {
        Doing::Lock | Doing::Waits | Doing::Held => 0,
        Doing::Runs | Doing::Input | Doing::Commands | Doing::Child => 1,
        Doing::Pauses => 2,
        Doing::Idle | Doing::Spare => 3,
    });
    match open.is_empty() {
        true => thread_states::harmless(ends),
        false => {
            let pending: u64 = found.pending.iter().filter(|one| one.is_long()).map(|one| one.tasks).sum();
            let but = match pending {
                0 => String::new(),
                _ => format!(", but {} had not begun", counted(pending, "task")),
            };
            Some(format!("nothing is seen to hang{but}: {}\n", named(&open)))
        }
    }
}

/// What is left to print of the answer after who was accused at a glance: the rest if they are accused still, else that they are not.
pub(crate) fn after(at_once: &str, text: &str) -> String {
    if let Some(rest) = text.strip_prefix(at_once) {
        return rest.to_owned();
    }
    // How often somebody went round is known only now.
    let who = |line: &str| line.split_once(": ").map_or(line, |(who, _)| who).to_owned();
    let now: BTreeSet<String> = text.lines().map(who).collect();
    let still = at_once.lines().all(|line| now.contains(&who(line)));
    let what = if still { "" } else { ", and what was said at a glance does not hold" };
    format!("\nall of the recording is read{what}:\n{text}")
}

/// What some threads do, and where.
fn named(open: &[&OpenFrames]) -> String {
    let names: Vec<String> = open.iter().take(NAMED).map(|open| waiting(open)).collect();
    let more = open.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", plain(&names.join("; ")))
}

/// A line for each thread that goes round a loop which is the same, or longer, each time.
pub(crate) fn spinning(found: &Found, ends: &[TrackEnd<'_>], is_asked: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    for end in ends.iter().filter(|end| is_asked(&end.track.name)) {
        let Some(spinning) = &end.track.spinning else { continue };
        if end.track.open.as_ref().is_some_and(|open| open.stays) || spinning.awaits.is_some() {
            continue;
        }
        let (name, location) = (&end.track.name, open_frames::spinning_location(spinning));
        let mut loops = end.ending.loops.iter().zip(&end.since);
        let is_seen = |since: &Since| !spinning.is_later(since.from);
        let half = end.track.times.bounds(end.track.steps / 2).0;
        let text = match loops.find(|(inner, since)| is_seen(since) && is_endless(found, end, inner)) {
            Some((inner, since)) => {
                let grows = inner.inner.iter().any(|inner| matches!(inner.counts, Counts::Linear { .. }));
                let how = if grows { "longer each time" } else { "the same each time" };
                let iterations = how_much(end, inner.run.iterations().0, "iteration");
                let symbols = symbols_in(&end.track.summary.levels, inner.level, inner.run.id);
                let locations = locations(found, &symbols);
                let since = since_text(*since).map_or(String::new(), |text| format!(", since {text}"));
                format!(
                    "{name} goes round a loop that is {how}{location}: {iterations} of {locations}{since}"
                )
            }
            // It is not known whether few steps go on, nor whether those after the last samples do.
            None if end.track.steps < SPINS || spinning.is_later(half) => continue,
            None if !spinning.spins.is_empty() => {
                let steps = how_much(end, end.track.steps, "step");
                let locations = locations(found, &spinning.spins);
                format!("{name} goes round a loop that changes nothing{location}: {steps} of {locations}")
            }
            None => {
                let (what, symbols) = match (&spinning.fails, &spinning.contends) {
                    (Some((attempt, symbols)), _) => (format!("in which {attempt} fails each time"), symbols),
                    (None, Some((attempt, symbols))) => {
                        (format!("that only contends with other threads by {attempt}"), symbols)
                    }
                    (None, None) => continue,
                };
                let (steps, locations) = (how_much(end, end.track.steps, "step"), locations(found, symbols));
                format!("{name} goes round a loop {what}{location}: {steps} of {locations}")
            }
        };
        _ = writeln!(out, "{}", plain(&text));
    }
    out
}

/// `12,000 iterations`, or where they were looked for.
fn how_much(end: &TrackEnd<'_>, count: u64, what: &str) -> String {
    match end.track.sampled {
        Some(records) => format!("wherever its {} were looked at, {what}s", counted(records, "record")),
        None => counted(count, what),
    }
}

/// Whether a loop covers most of a track, has gone round often, never as often before it ended, and does not change but for
/// growing. What a method of Java itself calls for each of many things is none.
fn is_endless(found: &Found, end: &TrackEnd<'_>, inner: &EndLoop) -> bool {
    let spinning = end.track.spinning.as_ref();
    if let Some(frame) = spinning.filter(|it| it.is_within_bounded).and_then(|it| it.frame.as_ref()) {
        let symbols = symbols_in(&end.track.summary.levels, inner.level, inner.run.id);
        let is_of_frame = |symbol: &u32| {
            let name = found.alphabet.name(Symbol(*symbol));
            name.strip_prefix(frame.method.as_str()).is_some_and(|rest| rest.starts_with(':'))
        };
        if !symbols.iter().any(is_of_frame) {
            return false;
        }
    }
    let is_regular = |counts: &Counts| match counts {
        Counts::Constant(_) => true,
        Counts::Linear { step, .. } => *step > 0,
        Counts::Other { .. } => false,
    };
    // How long a thread polls for a change means nothing.
    let only_polls = |inner: &InnerLoop| {
        let symbols = symbols_in(&end.track.summary.levels, inner.level, inner.id);
        spinning.is_some_and(|spinning| symbols.is_subset(&spinning.silent))
    };
    inner.steps >= end.track.steps / 2
        && inner.run.iterations().0 >= ITERATIONS
        && inner.most_before.is_none_or(|most| most < inner.run.iterations().0)
        && inner.inner.iter().all(|inner| is_regular(&inner.counts) || only_polls(inner))
}

/// `shop.Till.poll (31,33), shop.Queue.size (12)`: where a loop goes round.
fn locations(found: &Found, symbols: &BTreeSet<u32>) -> String {
    let mut methods: Vec<(&str, BTreeSet<u32>)> = vec![];
    for &symbol in symbols {
        let name = found.alphabet.name(Symbol(symbol));
        // `shop.Till.poll:31#4`
        let location = name
            .rsplit_once(':')
            .and_then(|(method, line)| Some((method, line.split('#').next()?.parse::<u32>().ok()?)));
        let (method, line) = location.map_or((name, None), |(method, line)| (method, Some(line)));
        match methods.iter_mut().find(|(known, _)| *known == method) {
            Some((_, lines)) => lines.extend(line),
            None => methods.push((method, line.into_iter().collect())),
        }
    }
    let name = |(method, lines): &(&str, BTreeSet<u32>)| {
        let lines: Vec<u32> = lines.iter().copied().collect();
        if lines.is_empty() { (*method).to_owned() } else { format!("{method} ({})", short_ranges(&lines)) }
    };
    let names: Vec<String> = methods.iter().take(NAMED).map(name).collect();
    let more = methods.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.join(", ") + &more
}

/// What every thread was in the middle of, where that is known.
fn open_threads<'a>(found: &'a Found, ends: &'a [TrackEnd<'_>]) -> impl Iterator<Item = &'a OpenFrames> {
    ends.iter().filter_map(|end| end.track.open.as_ref()).chain(&found.open)
}

/// `main waited for the monitor of shop.Lock, held by second, in shop.Till.open (Till.java:7)`.
fn waiting(open: &OpenFrames) -> String {
    format!("{} {} in {}", open.thread, open_frames::does(open), open_frames::location(open))
}

/// A line for each deadlock: who waits for whom, and where.
fn deadlocks(found: &Found, ends: &[TrackEnd<'_>]) -> String {
    let mut circles: BTreeMap<usize, Vec<(usize, &OpenFrames)>> = BTreeMap::new();
    for open in open_threads(found, ends) {
        if let Some((number, location)) = open.deadlock {
            circles.entry(number).or_default().push((location, open));
        }
    }
    let mut out = String::new();
    for mut circle in circles.into_values() {
        circle.sort_by_key(|(location, _)| *location);
        let members: Vec<String> = circle.iter().map(|(_, open)| waiting(open)).collect();
        let count = counted(members.len() as u64, "thread");
        _ = writeln!(out, "deadlock of {count}: {}", plain(&members.join("; ")));
    }
    out
}

/// A line for those who wait for what no thread is left to do; nothing if there are none.
fn without_wakers(found: &Found, ends: &[TrackEnd<'_>]) -> String {
    let all: Vec<&OpenFrames> = open_threads(found, ends).filter(|open| open.has_no_waker).collect();
    let who = match all.len() {
        0 => return String::new(),
        1 => "a thread waits".to_owned(),
        count => format!("{} wait", counted(count as u64, "thread")),
    };
    format!("{who} for what no other thread is left to do: {}\n", named(&all))
}

/// The first line where every thread waits and no thread is left that could go on; else nothing.
fn standing_still(found: &Found, ends: &[TrackEnd<'_>]) -> String {
    let all: Vec<&OpenFrames> = open_threads(found, ends).filter(|open| open.stands_still).collect();
    match all.len() {
        0 => String::new(),
        1 => format!("nothing goes on: the only thread waits: {}\n", named(&all)),
        count => {
            let count = counted(count as u64, "thread");
            format!("nothing goes on: {count} wait and none runs: {}\n", named(&all))
        }
    }
}

/// The first line: who stays where; nothing if nobody does.
fn staying(found: &Found, ends: &[TrackEnd<'_>], is_asked: impl Fn(&str) -> bool) -> String {
    let stays = |open: &&OpenFrames| open.is_stuck() && is_asked(&open.thread);
    let stay: Vec<&OpenFrames> = open_threads(found, ends).filter(stays).collect();
    match stay.as_slice() {
        [] => String::new(),
        [open] => format!("{}\n", plain(&format!("{} {}", open.thread, open_frames::sentence(open)))),
        all => {
            let name = |open: &&OpenFrames| format!("{} in {}", open.thread, open_frames::location(open));
            let names: Vec<String> = all.iter().take(NAMED).map(name).collect();
            let more = all.len().saturating_sub(NAMED);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let count = counted(all.len() as u64, "thread");
            format!("{count} stay where nothing is recorded: {}{more}\n", plain(&names.join("; ")))
        }
    }
}
