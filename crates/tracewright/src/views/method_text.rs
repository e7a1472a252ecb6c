//! A method, in text.
//!
//! ```text
//! shop.Baker.bakeOne (Baker.java:19-23)
//! 30 calls in 1 thread (baker 1), 150 blocks
//!
//!   called by
//!     30  Baker.bakeAll (Baker.java:15)  via library
//!   calls
//!     60  at 22  Oven.heat
//!   lines
//!     30  19      int hot = 0;
//!      -  20      if (hot > 3) {
//!   from line to line
//!     30  19 -> 20
//! ```

use std::fmt::Write;

use super::code_names::{package, short_ranges};
use super::table::Table;
use crate::escape::plain;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};
use crate::reports::{CallsOf, LineOf, MethodReport, MethodUse};

/// Rows of a list that are shown; `--json` has all.
const ROWS: usize = 40;
/// Threads that are named.
const THREADS: usize = 6;

pub(crate) fn render(report: &MethodReport, paint: Paint) -> String {
    let mut out = String::new();
    for (number, method) in report.methods.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        one(&mut out, method, paint);
    }
    if report.more > 0 {
        let more = counted(report.more as u64, "more method");
        _ = writeln!(out, "\n... and {more} of such a name (--limit N)");
    }
    out
}

fn one(out: &mut String, method: &MethodUse, paint: Paint) {
    let lines: Vec<u16> =
        method.lines.iter().filter(|line| line.count.is_some()).map(|line| line.line).collect();
    let location = match (&method.file, lines.is_empty()) {
        (Some(file), false) => format!(" ({}:{})", plain(file), short_ranges(&lines)),
        (Some(file), true) => format!(" ({})", plain(file)),
        (None, _) => String::new(),
    };
    let parameters = method.parameters.as_deref().map(plain).unwrap_or_default();
    let name = format!("{}{parameters}", plain(&method.method));
    _ = writeln!(out, "{}{location}", paint.dip(Ink::Title, &name));
    if method.calls == 0 {
        out.push_str("never ran\n");
    } else {
        _ = writeln!(out, "{}", figures(method));
    }
    let current_package = package(method.class());
    let callers = method.callers.iter().map(|call| [grouped(call.calls), caller(call, current_package)]);
    rows(out, "called by", "rl", callers.map(Vec::from).collect());
    let callees = method.callees.iter().map(|call| {
        let at = call.line.map_or(String::new(), |line| format!("at {line}"));
        [grouped(call.calls), at, near(call, current_package) + how(call)]
    });
    rows(out, "calls", "rll", callees.map(Vec::from).collect());
    let ran = |line: &LineOf| match line.count {
        Some(0) => "-".to_owned(),
        Some(count) => grouped(count),
        None => String::new(),
    };
    let text = |line: &LineOf| line.text.as_deref().map_or(String::new(), |text| plain(text).into_owned());
    let lines = method.lines.iter().map(|line| vec![ran(line), line.line.to_string(), text(line)]);
    listed(out, "lines", "rrl", lines.collect(), usize::MAX);
    let steps = method.steps.iter();
    let steps = steps.map(|step| vec![grouped(step.count), format!("{} -> {}", step.from, step.to)]);
    rows(out, "from line to line", "rl", steps.collect());
}

fn figures(method: &MethodUse) -> String {
    let names: Vec<_> = method.threads.iter().take(THREADS).map(|thread| plain(&thread.name)).collect();
    let more = if method.threads.len() > THREADS { ", ..." } else { "" };
    let threads = counted(method.threads.len() as u64, "thread");
    let threw = match method.threw {
        0 => String::new(),
        threw => format!(", {} ended by an exception", grouped(threw)),
    };
    let blocks = counted(method.blocks, "block");
    format!("{} in {threads} ({}{more}){threw}, {blocks}", counted(method.calls, "call"), names.join(", "))
}

fn caller(call: &CallsOf, current_package: &str) -> String {
    if call.method.is_none() {
        return match call.how {
            "outermost" => "nothing that was recorded".to_owned(),
            _ => format!("unknown{}", how(call)),
        };
    }
    let location = match (&call.file, call.line) {
        (Some(file), Some(line)) => format!(" ({}:{line})", plain(file)),
        (Some(file), None) => format!(" ({})", plain(file)),
        (None, _) => String::new(),
    };
    format!("{}{location}{}", near(call, current_package), how(call))
}

/// The name of the other method, without a package that is the same.
fn near(call: &CallsOf, current_package: &str) -> String {
    let name = call.method.as_deref().unwrap_or("?");
    let class = name.rsplit_once('.').map_or("", |(class, _)| class);
    let short = if !current_package.is_empty() && package(class) == current_package {
        name.get(current_package.len()..)
    } else {
        None
    };
    plain(short.unwrap_or(name)).into_owned() + &call.parameters.as_deref().map(plain).unwrap_or_default()
}

fn how(call: &CallsOf) -> &'static str {
    match call.how {
        "library" => "  via library",
        "unseen" => "  beginning not seen",
        _ => "",
    }
}

fn rows(out: &mut String, title: &str, columns: &str, all: Vec<Vec<String>>) {
    listed(out, title, columns, all, ROWS);
}

fn listed(out: &mut String, title: &str, columns: &str, all: Vec<Vec<String>>, most: usize) {
    if all.is_empty() {
        return;
    }
    let more = all.len().saturating_sub(most);
    let mut table = Table::new(columns);
    all.into_iter().take(most).for_each(|row| table.row(row));
    _ = writeln!(out, "\n  {title}");
    table.lines("    ").iter().for_each(|line| _ = writeln!(out, "{line}"));
    if more > 0 {
        _ = writeln!(out, "    ... and {more} more (--json)");
    }
}
