//! What an engine inferred as text, events as in the founding text.
//!
//! ```text
//! 1 incoherence in 9 events (model test.xml, engine compat)
//! 1 event inferred
//!
//! [00:00:00.000 000 016] exit { cpu=2 }
//!     process_fsm 2, after 00:00:00.000000013, before 00:00:00.000000019
//!     prev_tid may also be 5, 7 or 12 others
//! ```
//!
//! At most `most` events are shown; what is left out is said.

use std::fmt::Write;

use model::Timestamp;

use super::check_text::title;
use crate::answer::{Answer, Known, Missing, MissingField};
use crate::escape::{plain, quoted};
use crate::moment;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};

/// Alternatives that are shown for a field.
const OTHERS: usize = 5;

pub(crate) fn render(answer: &Answer, most: usize, paint: Paint) -> String {
    let mut out = title(answer, paint);
    let count = answer.inferred.len();
    _ = writeln!(out, "{} inferred\n", paint.dip(Ink::Title, &counted(count as u64, "event")));
    for event in answer.inferred.iter().take(most) {
        out += &missing(event, paint);
    }
    if count > most {
        _ = writeln!(out, "... and {} more (--limit N, --all)", grouped((count - most) as u64));
    }
    out
}

/// One inferred event, in lines.
pub(super) fn missing(event: &Missing, paint: Paint) -> String {
    let fields: Vec<String> =
        event.fields.iter().map(|field| format!("{}={}", plain(&field.name), value(&field.value))).collect();
    let body = if fields.is_empty() { "{ }".to_owned() } else { format!("{{ {} }}", fields.join(", ")) };
    let mut out = format!("{} {} {body}\n", stamp(event.time), paint.dip(Ink::Open, &plain(&event.name)));
    let from = Timestamp(event.from);
    let mut about = format!(
        "{} {}, after {}, before {}",
        plain(&event.fsm),
        plain(&event.key),
        moment::text(from),
        moment::text_after(Timestamp(event.to), from),
    );
    if let Some(cpu) = event.cpu {
        about += &format!(", CPU {cpu}");
    }
    if event.is_only_way {
        about += ", the only way";
    } else if let Some(probability) = event.probability {
        about += &format!(", probability {probability:.3}");
    }
    _ = writeln!(out, "    {}", paint.dip(Ink::Quiet, &about));
    if let Some(reason) = &event.reason {
        _ = writeln!(out, "    {}", paint.dip(Ink::Quiet, &plain(reason)));
    }
    if !event.names.is_empty() {
        let name = |(name, odds): &(String, f64)| format!("{} ({})", plain(name), share(*odds));
        let names: Vec<_> = event.names.iter().take(OTHERS).map(name).collect();
        _ = writeln!(out, "    {}", paint.dip(Ink::Quiet, &format!("may also be {}", names.join(", "))));
    }
    for field in event.fields.iter().filter(|field| field.possible > 1) {
        _ = writeln!(out, "    {}", paint.dip(Ink::Quiet, &others(field)));
    }
    out
}

/// `[17:24:26.543 921 899]`, as the original writes moments.
fn stamp(time: i64) -> String {
    let text = moment::text(Timestamp(time));
    match text.split_once(' ').and_then(|(_, clock)| clock.split_once('.')) {
        Some((clock, digits)) if digits.len() == 9 => {
            format!("[{clock}.{} {} {}]", &digits[..3], &digits[3..6], &digits[6..])
        }
        _ => format!("[{text}]"),
    }
}

fn others(field: &MissingField) -> String {
    let others = field.alternatives.iter().enumerate().filter(|(_, other)| **other != field.value);
    let others = others.take(OTHERS).map(|(place, other)| match field.odds.get(place) {
        Some(odds) => format!("{} ({})", value(other), share(*odds)),
        None => value(other),
    });
    let others: Vec<String> = others.collect();
    let more = field.possible.saturating_sub(1 + others.len());
    let rest = if more > 0 { format!(" or {}", counted(more as u64, "other")) } else { String::new() };
    let chosen = if field.is_chosen { "chosen; " } else { "" };
    format!("{chosen}{} may also be {}{rest}", plain(&field.name), others.join(", "))
}

/// A probability with three digits; what is possible is never 0.
pub(crate) fn share(odds: f64) -> String {
    if odds < 0.0005 { "under 0.001".to_owned() } else { format!("{odds:.3}") }
}

pub(crate) fn value(value: &Known) -> String {
    match value {
        Known::Number(number) => number.to_string(),
        // Names of threads are words; only what is not one needs quotes.
        Known::Text(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) => {
            plain(text).into_owned()
        }
        Known::Text(text) => {
            let mut out = vec![];
            quoted(&mut out, text.as_bytes());
            String::from_utf8_lossy(&out).into_owned()
        }
    }
}
