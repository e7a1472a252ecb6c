//! The states of attributes as text.
//!
//! ```text
//! 2 attributes in 4 events (model locks.xml, analysis locks)
//!
//! Locks/7/Owner
//!   1970-01-01 00:00:00.000000001  00:00:00.000000003  null
//!   1970-01-01 00:00:00.000000003  00:00:00.000000007  12
//!
//! 1 segment
//!   1970-01-01 00:00:00.000000003  00:00:00.000000007  held { owner=12 }
//! ```
//!
//! At most `most` states, and segments, are shown; omissions are reported.

use std::fmt::Write;

use inference::Value;
use model::Timestamp;

use super::table::Table;
use crate::escape::{plain, quoted};
use crate::moment;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};
use crate::results::FoundStates;

pub(crate) fn render(found: &FoundStates, most: usize, paint: Paint) -> String {
    let count = counted(found.attributes.len() as u64, "attribute");
    let mut out = format!(
        "{} in {} (model {}, analysis {})\n",
        paint.dip(Ink::Title, &count),
        counted(found.engine.events(), "event"),
        plain(&found.model),
        plain(&found.analysis),
    );
    let (mut shown, mut left_out) = (0, 0);
    for attribute in &found.attributes {
        let states = found.states(attribute);
        let fitting = most.saturating_sub(shown).min(states.len());
        (shown, left_out) = (shown + fitting, left_out + states.len() - fitting);
        if fitting == 0 {
            continue;
        }
        let path = plain(&attribute.path.join("/")).into_owned();
        _ = writeln!(out, "\n{}", paint.dip(Ink::Title, &path));
        let mut table = Table::new("lll");
        for &(from, to, value) in states.iter().take(fitting) {
            let (from, to) = (Timestamp(from), Timestamp(to));
            table.row([moment::text(from), moment::text_after(to, from), text(found, value)]);
        }
        append(&mut out, &table);
    }
    if left_out > 0 {
        _ = writeln!(out, "... and {} more states (--limit N, --all)", grouped(left_out as u64));
    }
    segments(&mut out, found, most, paint);
    out
}

fn segments(out: &mut String, found: &FoundStates, most: usize, paint: Paint) {
    let segments = found.engine.segments();
    if segments.is_empty() {
        return;
    }
    let count = counted(segments.len() as u64, "segment");
    _ = writeln!(out, "\n{}", paint.dip(Ink::Title, &count));
    let mut table = Table::new("lll");
    for segment in segments.iter().take(most) {
        let (from, to) = (Timestamp(segment.from), Timestamp(segment.to));
        let content = segment.content.iter().map(|(name, value)| format!("{}={}", plain(name), plain(value)));
        let content: Vec<String> = content.collect();
        let name = plain(&segment.name);
        let what = if content.is_empty() {
            name.into_owned()
        } else {
            format!("{name} {{ {} }}", content.join(", "))
        };
        table.row([moment::text(from), moment::text_after(to, from), what]);
    }
    append(out, &table);
    if segments.len() > most {
        _ = writeln!(
            out,
            "... and {} more segments (--limit N, --all)",
            grouped((segments.len() - most) as u64)
        );
    }
}

fn append(out: &mut String, table: &Table) {
    for line in table.lines("  ") {
        out.push_str(&line);
        out.push('\n');
    }
}

/// A value: texts in quotes, so that `"7"` is not 7.
fn text(found: &FoundStates, value: Value) -> String {
    match value {
        Value::Text(text) => {
            let mut out = Vec::new();
            quoted(&mut out, found.engine.texts().get(text).as_bytes());
            String::from_utf8_lossy(&out).into_owned()
        }
        other => found.engine.texts().show(other),
    }
}
