//! What differs between two recordings, for people: read from the top, it can be stopped at any line.

use std::fmt::Write;

use super::code_names::short_ranges;
use crate::escape::plain;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};
use crate::reports::diff::{
    ChangeReport, DiffReport, FrameReport, MethodName, MethodReport, NextReport, OnlyReport, PartsReport,
    ThreadReport, Verdict,
};

/// The text.
pub(crate) fn render(report: &DiffReport, paint: Paint) -> String {
    let mut page = Page { out: String::new(), paint };
    page.head(report);
    page.threads(report);
    page.methods(report);
    for (side, name) in ["A", "B"].into_iter().enumerate() {
        page.only(name, &report.only[side], report.more_only[side]);
    }
    if !report.threw.is_empty() {
        page.title("Left by an exception");
        for threw in &report.threw {
            page.line(1, &format!("{}  {}", plain(&threw.method), counts(threw.counts)));
        }
    }
    if !report.code_changed_elsewhere.is_empty() {
        page.title("Code changed, ran the same");
        for name in &report.code_changed_elsewhere {
            page.line(1, &format!("{}{}", plain(&name.method), code_changed(name)));
        }
    }
    if !report.not_compared.is_empty() {
        page.title("Not compared");
        for sentence in &report.not_compared {
            let sentence = page.paint.dip(Ink::Bad, &plain(sentence));
            page.line(1, &sentence);
        }
    }
    page.out
}

struct Page {
    out: String,
    paint: Paint,
}

impl Page {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * depth);
    }

    fn title(&mut self, text: &str) {
        let title = self.paint.dip(Ink::Title, text);
        let _ = writeln!(self.out, "\n{title}");
    }

    fn head(&mut self, report: &DiffReport) {
        for (side, name) in report.sides.iter().zip(["A", "B"]) {
            let lost = if side.lost > 0 {
                format!(", {} lost", counted(side.lost, "record"))
            } else {
                String::new()
            };
            let (threads, blocks) = (counted(side.threads as u64, "thread"), counted(side.blocks, "block"));
            let section = side.section.as_ref().map_or(String::new(), |section| format!(", {section}"));
            let input = format!("{}{section}", side.input);
            self.line(0, &format!("{name}  {}  {threads}, {blocks}{lost}", plain(&input)));
        }
        let verdict = match report.verdict {
            Verdict::Equal => "They ran the same.".to_owned(),
            Verdict::Unknown => {
                "Nothing differs in what was recorded, but something is missing: see below.".to_owned()
            }
            Verdict::Different => "They differ.".to_owned(),
        };
        let verdict = self.paint.dip(Ink::Title, &verdict);
        self.line(0, &format!("\n{verdict}"));
        if let Some(varying) = &report.varying {
            let text = format!(
                "{} of side A teach what varies by itself: {}; {} not reported for that.",
                counted(varying.recordings as u64, "recording"),
                counted(varying.methods as u64, "method"),
                counted(varying.explained as u64, "difference")
            );
            self.line(0, &text);
            for rare in &varying.rare {
                let lines = short_ranges(&rare.lines);
                let text = format!(
                    "Only B ran line {lines} of {}: that may be chance, for what leads there varies.",
                    plain(&rare.name.method)
                );
                self.line(1, &text);
            }
        }
    }

    fn threads(&mut self, report: &DiffReport) {
        if report.threads.is_empty() {
            return;
        }
        self.title("Where threads part");
        for thread in &report.threads {
            self.thread(thread);
        }
        if report.more_threads > 0 {
            let more = counted(report.more_threads as u64, "thread");
            self.line(1, &format!("... and {more} more (--all lists them)"));
        }
        if report.equal_threads > 0 {
            let text = format!("{} ran the same", counted(report.equal_threads as u64, "other thread"));
            self.line(1, &text);
        }
    }

    fn thread(&mut self, thread: &ThreadReport) {
        let name = match &thread.name {
            [Some(one), Some(other)] if one != other => format!("{} / {}", plain(one), plain(other)),
            [Some(name), Some(_)] => plain(name).into_owned(),
            [Some(name), None] => {
                let text = format!("{}  only in A, {}", plain(name), counted(thread.blocks[0], "block"));
                return self.line(1, &text);
            }
            [None, Some(name)] => {
                let text = format!("{}  only in B, {}", plain(name), counted(thread.blocks[1], "block"));
                return self.line(1, &text);
            }
            [None, None] => return,
        };
        let Some(parts) = &thread.parts else {
            return self.line(1, &format!("{name}  the same as far as it was seen"));
        };
        self.line(1, &format!("{name}  the same for {}, then", counted(parts.after_blocks, "block")));
        self.parts(parts);
    }

    fn parts(&mut self, parts: &PartsReport) {
        let mut stack = parts.stack.iter();
        if let Some(frame) = stack.next() {
            self.line(2, &format!("in {}{}", plain(&frame.method), location(frame)));
        }
        for (name, next) in ["A", "B"].into_iter().zip(&parts.next) {
            self.line(3, &format!("{name}  {}", goes_on(next, 0, Lines(&[]))));
        }
        for frame in stack {
            let text = format!("called by {}{}", plain(&frame.method), location(frame));
            let text = self.paint.dip(Ink::Quiet, &text);
            self.line(2, &text);
        }
        if parts.more_frames > 0 {
            let text =
                format!("and {} more further out (--depth N)", counted(parts.more_frames as u64, "call"));
            let text = self.paint.dip(Ink::Quiet, &text);
            self.line(2, &text);
        }
    }

    fn methods(&mut self, report: &DiffReport) {
        if report.methods.is_empty() {
            return;
        }
        self.title("What methods did differently");
        for method in &report.methods {
            self.method(method);
        }
        if report.more_methods > 0 {
            let more = counted(report.more_methods as u64, "method");
            self.line(1, &format!("... and {more} more (--all lists them)"));
        }
    }

    fn method(&mut self, method: &MethodReport) {
        let name = &method.name;
        let file = name.file.as_deref().map(|file| format!(" ({})", plain(file))).unwrap_or_default();
        let calls = match method.calls {
            [one, other] if one == other => format!("  x {}", grouped(one)),
            calls => format!("  {}", counts(calls)),
        };
        let title = self.paint.dip(Ink::Title, &plain(&name.method));
        self.line(1, &format!("{title}{file}{calls}{}", code_changed(name)));
        let shown = Lines(&name.moved);
        for (side, lines) in method.only_lines.iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
            let noun = if lines.len() == 1 { "line" } else { "lines" };
            let letter = ["A", "B"][side];
            self.line(2, &format!("{noun} {} ran in {letter} only", shown.ranges(side, lines)));
        }
        for change in &method.changes {
            let text = changed(change, shown);
            self.line(2, &text);
        }
        if method.more_changes > 0 {
            self.line(2, &format!("... and {} more", grouped(method.more_changes as u64)));
        }
    }

    fn only(&mut self, side: &str, only: &[OnlyReport], more: usize) {
        if only.is_empty() {
            return;
        }
        self.title(&format!("Ran in {side} only"));
        for one in only {
            let at = usize::from(side == "B");
            let lines = match one.lines.as_slice() {
                [] => String::new(),
                lines => format!(":{}", Lines(&one.name.moved).ranges(at, lines)),
            };
            let file = one.name.file.as_deref().map(|file| format!(" ({}{lines})", plain(file)));
            let times = format!("  x {}", grouped(one.calls));
            self.line(1, &format!("{}{}{times}", plain(&one.name.method), file.unwrap_or_default()));
        }
        if more > 0 {
            self.line(1, &format!("... and {} more (--all lists them)", counted(more as u64, "method")));
        }
    }
}

fn location(frame: &FrameReport) -> String {
    let line = frame.line.map(|line| match frame.line_in_b {
        Some(new) => format!("{new}, was {line}"),
        None => line.to_string(),
    });
    match (frame.file.as_deref().map(plain), line) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        (Some(file), None) => format!(" ({file})"),
        (None, Some(line)) => format!(" (line {line})"),
        (None, None) => String::new(),
    }
}

/// Lines of a method as both sides have them: `14 (was 12)` is line 14 of B and 12 of A.
#[derive(Clone, Copy)]
struct Lines<'r>(&'r [[u16; 2]]);

impl Lines<'_> {
    /// A line of a side, 0 for A.
    fn one(self, side: usize, line: u16) -> String {
        match self.0.iter().find(|pair| pair[side] == line) {
            Some([old, new]) => format!("{new} (was {old})"),
            None => line.to_string(),
        }
    }

    /// Several, in ranges; where not all of them have moved, each by itself.
    fn ranges(self, side: usize, lines: &[u16]) -> String {
        let both = |line: &u16| self.0.iter().find(|pair| pair[side] == *line).copied();
        let moved: Vec<[u16; 2]> = lines.iter().filter_map(both).collect();
        if moved.is_empty() {
            return short_ranges(lines);
        }
        if moved.len() < lines.len() {
            let each: Vec<String> = lines.iter().map(|line| self.one(side, *line)).collect();
            return each.join(", ");
        }
        let of = |side: usize| {
            let mut lines: Vec<u16> = moved.iter().map(|pair| pair[side]).collect();
            lines.sort_unstable();
            short_ranges(&lines)
        };
        format!("{} (was {})", of(1), of(0))
    }
}

fn code_changed(name: &MethodName) -> String {
    let Some(lines) = &name.code_changed else { return String::new() };
    let of = |lines: &[u16]| match lines {
        [] => "none".to_owned(),
        lines => short_ranges(lines),
    };
    match lines {
        [one, other] if one == other && !one.is_empty() => format!("  code changed at {}", of(one)),
        [one, other] if one.is_empty() && other.is_empty() => "  code changed".to_owned(),
        [one, other] => format!("  code changed at {} of A, {} of B", of(one), of(other)),
    }
}

/// `A 3, B 12`.
fn counts(counts: [u64; 2]) -> String {
    format!("A {}, B {}", grouped(counts[0]), grouped(counts[1]))
}

fn times(times: u64) -> String {
    if times == 1 { String::new() } else { format!("  x {}", grouped(times)) }
}

/// How a side, 0 for A, went on.
fn goes_on(next: &NextReport, side: usize, lines: Lines<'_>) -> String {
    let line = next.line.map(|line| lines.one(side, line));
    match (next.what, line, &next.method) {
        ("line", Some(line), _) => format!("line {line}"),
        ("line", None, _) => "a block without a line".to_owned(),
        ("catch", Some(line), _) => format!("an exception leads to line {line}"),
        ("catch", None, _) => "an exception leads to a handler".to_owned(),
        ("call", _, Some(method)) => format!("calls {}", plain(method)),
        ("around", _, _) => "the iteration ends".to_owned(),
        ("nothing", _, _) => "the thread ends".to_owned(),
        ("unseen", _, _) => "was not recorded further".to_owned(),
        (other, _, _) => other.to_owned(),
    }
}

fn changed(change: &ChangeReport, shown: Lines<'_>) -> String {
    let at = |line: Option<u16>| line.map_or(String::new(), |line| format!("{}: ", shown.one(0, line)));
    let loop_name = |lines: &[u16]| match lines {
        [] => "loop".to_owned(),
        lines => format!("loop at {}", shown.ranges(0, lines)),
    };
    match change {
        ChangeReport::Path { after, next, times: count } => {
            let subject = match after {
                [Some(one), Some(other)] if one != other => format!("after line {other} (was {one})"),
                [Some(line), _] | [None, Some(line)] => format!("after line {line}"),
                [None, None] => "at its beginning".to_owned(),
            };
            let [one, other] = [0, 1].map(|side| goes_on(&next[side], side, shown));
            let outcome = match one == other {
                true => format!("other parts of {one}"),
                false => format!("A {one}, B {other}"),
            };
            format!("{subject}: {outcome}{}", times(*count))
        }
        ChangeReport::Calls { line, callee, counts: calls } => {
            format!("{}calls {}  {}", at(*line), plain(callee), counts(*calls))
        }
        ChangeReport::Moved { lines, callee, times: count } => {
            let location = match lines {
                [Some(one), Some(other)] if one != other => {
                    format!("at line {} instead of {}", shown.one(1, *other), shown.one(0, *one))
                }
                _ => "in another order".to_owned(),
            };
            format!("calls {} {location}{}", plain(callee), times(*count))
        }
        ChangeReport::Iterations { lines, counts: iterations, .. } => {
            format!("{}  {} iterations", loop_name(lines), counts(*iterations))
        }
        ChangeReport::Variant { lines, counts: iterations } => match lines.as_slice() {
            [] => format!("iterations of one kind  {}", counts(*iterations)),
            lines => {
                let side = usize::from(iterations[1] > iterations[0]);
                format!("iterations that run {}  {}", shown.ranges(side, lines), counts(*iterations))
            }
        },
        ChangeReport::Order { lines, times: count } => {
            format!("{}: the same iterations in another order{}", loop_name(lines), times(*count))
        }
        ChangeReport::Ended { next, times: count } => {
            let [one, other] = [0, 1].map(|side| goes_on(&next[side], side, shown));
            format!("A {one}, B {other}{}", times(*count))
        }
        ChangeReport::Caught { line, counts: caught } => {
            format!("{}an exception is caught  {}", at(*line), counts(*caught))
        }
    }
}
