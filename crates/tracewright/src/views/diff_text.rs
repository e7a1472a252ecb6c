//! What differs between two recordings, for people: read from the top, it can be stopped at any line.

use std::fmt::Write;

use super::code_names::short_ranges;
use crate::escape::plain;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};
use crate::reports::diff::{
    ChangeReport, DiffReport, MethodName, MethodReport, NextReport, OnlyReport, PartsReport, ThreadReport,
    Verdict,
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
            self.line(0, &format!("{name}  {}  {threads}, {blocks}{lost}", plain(&side.input)));
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
                    "Only B ran line {lines} of {}, and seldom: that may be chance, for the method varies.",
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
            let place = place(frame.file.as_deref(), frame.line);
            self.line(2, &format!("in {}{place}", plain(&frame.method)));
        }
        for (name, next) in ["A", "B"].into_iter().zip(&parts.next) {
            self.line(3, &format!("{name}  {}", goes_on(next)));
        }
        for frame in stack {
            let place = place(frame.file.as_deref(), frame.line);
            let text = self.paint.dip(Ink::Quiet, &format!("called by {}{place}", plain(&frame.method)));
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
        for (side, lines) in
            ["A", "B"].into_iter().zip(&method.only_lines).filter(|(_, lines)| !lines.is_empty())
        {
            let noun = if lines.len() == 1 { "line" } else { "lines" };
            self.line(2, &format!("{noun} {} ran in {side} only", short_ranges(lines)));
        }
        for change in &method.changes {
            let text = changed(change);
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
            let lines =
                if one.lines.is_empty() { String::new() } else { format!(":{}", short_ranges(&one.lines)) };
            let file = one.name.file.as_deref().map(|file| format!(" ({}{lines})", plain(file)));
            let times = format!("  x {}", grouped(one.calls));
            self.line(1, &format!("{}{}{times}", plain(&one.name.method), file.unwrap_or_default()));
        }
        if more > 0 {
            self.line(1, &format!("... and {} more (--all lists them)", counted(more as u64, "method")));
        }
    }
}

fn place(file: Option<&str>, line: Option<u16>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!(" ({}:{line})", plain(file)),
        (Some(file), None) => format!(" ({})", plain(file)),
        (None, Some(line)) => format!(" (line {line})"),
        (None, None) => String::new(),
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

fn goes_on(next: &NextReport) -> String {
    let line = next.line.map(|line| line.to_string());
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

fn changed(change: &ChangeReport) -> String {
    let at = |line: Option<u16>| line.map_or(String::new(), |line| format!("{line}: "));
    let around = |lines: &[u16]| match lines {
        [] => "loop".to_owned(),
        lines => format!("loop at {}", short_ranges(lines)),
    };
    match change {
        ChangeReport::Path { after, next, times: count } => {
            let behind = match after {
                [Some(one), Some(other)] if one != other => format!("after line {one} (B {other})"),
                [Some(line), _] | [None, Some(line)] => format!("after line {line}"),
                [None, None] => "at its beginning".to_owned(),
            };
            let ways = match next {
                [one, other] if one == other => format!("other parts of {}", goes_on(one)),
                [one, other] => format!("A {}, B {}", goes_on(one), goes_on(other)),
            };
            format!("{behind}: {ways}{}", times(*count))
        }
        ChangeReport::Calls { line, callee, counts: calls } => {
            format!("{}calls {}  {}", at(*line), plain(callee), counts(*calls))
        }
        ChangeReport::Moved { lines, callee, times: count } => {
            let place = match lines {
                [Some(one), Some(other)] if one != other => format!("at line {other} instead of {one}"),
                _ => "in another order".to_owned(),
            };
            format!("calls {} {place}{}", plain(callee), times(*count))
        }
        ChangeReport::Iterations { lines, counts: iterations, .. } => {
            format!("{}  {} iterations", around(lines), counts(*iterations))
        }
        ChangeReport::Variant { lines, counts: iterations } => match lines.as_slice() {
            [] => format!("iterations of one kind  {}", counts(*iterations)),
            lines => format!("iterations that run {}  {}", short_ranges(lines), counts(*iterations)),
        },
        ChangeReport::Order { lines, times: count } => {
            format!("{}: the same iterations in another order{}", around(lines), times(*count))
        }
        ChangeReport::Ended { next, times: count } => {
            format!("A {}, B {}{}", goes_on(&next[0]), goes_on(&next[1]), times(*count))
        }
        ChangeReport::Caught { line, counts: caught } => {
            format!("{}an exception is caught  {}", at(*line), counts(*caught))
        }
    }
}
