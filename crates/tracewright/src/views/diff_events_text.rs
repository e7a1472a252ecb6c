//! What differs between two traces or histories, for people.

use std::fmt::Write;

use crate::escape::plain;
use crate::numbers::{counted, duration, grouped};
use crate::paint::{Ink, Paint};
use crate::reports::diff::Verdict;
use crate::reports::diff_events::{DiffEventsReport, NameCounts, TrackDiff};

/// The text.
pub(crate) fn render(report: &DiffEventsReport, paint: Paint) -> String {
    let mut out = String::new();
    for (side, name) in report.sides.iter().zip(["A", "B"]) {
        let (tracks, events) = (counted(side.tracks as u64, "track"), counted(side.events, "event"));
        let _ = writeln!(out, "{name}  {}  {tracks}, {events}", plain(&side.input));
    }
    let verdict = match report.verdict {
        Verdict::Equal => "They have the same events in the same order.",
        Verdict::Unknown => "Nothing differs for certain, but something is missing: see below.",
        Verdict::Different => "They differ.",
    };
    let _ = writeln!(out, "\n{}", paint.dip(Ink::Title, verdict));
    if !report.names.is_empty() {
        let _ = writeln!(out, "\n{}", paint.dip(Ink::Title, "Events"));
        names(&mut out, 1, &report.names, report.more_names);
    }
    if !report.tracks.is_empty() {
        let _ = writeln!(out, "\n{}", paint.dip(Ink::Title, "Tracks"));
    }
    report.tracks.iter().for_each(|one| track(&mut out, one));
    if report.more_tracks > 0 {
        let more = counted(report.more_tracks as u64, "track");
        let _ = writeln!(out, "  ... and {more} more (--all lists them)");
    }
    if report.equal_tracks > 0 && report.verdict == Verdict::Different {
        let _ = writeln!(out, "  {} the same", counted(report.equal_tracks as u64, "other track"));
    }
    if !report.times.is_empty() {
        let _ = writeln!(out, "\n{}", paint.dip(Ink::Title, "Times in states"));
    }
    for one in &report.times {
        let [a, b] = one.ns.map(|ns| duration(ns.into()));
        let _ = writeln!(out, "  {}  {}  A {a}, B {b}", plain(&one.instance), plain(&one.state));
    }
    if report.more_times > 0 {
        let more = counted(report.more_times as u64, "time");
        let _ = writeln!(out, "  ... and {more} more (--all lists them)");
    }
    if !report.not_compared.is_empty() {
        let _ = writeln!(out, "\n{}", paint.dip(Ink::Title, "Not compared"));
        for sentence in &report.not_compared {
            let _ = writeln!(out, "  {}", paint.dip(Ink::Bad, &plain(sentence)));
        }
    }
    out
}

fn track(out: &mut String, track: &TrackDiff) {
    let name = match &track.name {
        [Some(one), Some(other)] if one != other => format!("{} / {}", plain(one), plain(other)),
        [Some(name), Some(_)] => plain(name).into_owned(),
        [Some(name), None] => format!("{}  only in A", plain(name)),
        [None, Some(name)] => format!("{}  only in B", plain(name)),
        [None, None] => return,
    };
    let events = match track.events {
        [one, other] if one == other => counted(one, "event"),
        [one, other] => format!("events: A {}, B {}", grouped(one), grouped(other)),
    };
    let _ = writeln!(out, "  {name}  {events}");
    if let Some(parts) = &track.parts {
        let next =
            |name: &Option<String>| name.as_deref().map_or("ends".into(), |name| plain(name).into_owned());
        let after = counted(parts.after_events, "event");
        let _ = writeln!(
            out,
            "    the same for {after}, then A {}, B {}",
            next(&parts.next[0]),
            next(&parts.next[1])
        );
    }
    if track.name.iter().all(Option::is_some) {
        names(out, 2, &track.names, track.more_names);
    }
    for level in &track.levels {
        let (loops, units) = (level.loops, level.units);
        let [a, b] = [0, 1].map(|side| {
            format!("{} in {}", counted(loops[side] as u64, "loop"), counted(units[side] as u64, "run"))
        });
        let _ = writeln!(out, "    level {}: A {a}, B {b}", level.level);
    }
}

fn names(out: &mut String, depth: usize, names: &[NameCounts], more: usize) {
    for name in names {
        let counts = format!("A {}, B {}", grouped(name.counts[0]), grouped(name.counts[1]));
        let lost = if name.may_be_lost { "  (or lost)" } else { "" };
        let _ = writeln!(out, "{:1$}{2}  {counts}{lost}", "", 2 * depth, plain(&name.name));
    }
    if more > 0 {
        let _ = writeln!(
            out,
            "{:1$}... and {2} more (--all lists them)",
            "",
            2 * depth,
            counted(more as u64, "name")
        );
    }
}
