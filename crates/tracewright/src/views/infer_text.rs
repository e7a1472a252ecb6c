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
//! At most `most` events are shown; omissions are reported.

use std::fmt::Write;

use model::Timestamp;

use super::check_text::title;
use inference::model::{Alternative, InferredEvent, InferredField, LongLoss, Scalar};

use crate::answer::Answer;
use crate::escape::{plain, quoted};
use crate::moment;
use crate::numbers::{counted, duration, grouped};
use crate::paint::{Ink, Paint};

/// Alternatives that are shown for a field.
const OTHERS: usize = 5;

pub(crate) fn render(answer: &Answer, most: usize, paint: Paint) -> String {
    let mut out = title(answer, paint);
    let count = answer.inferred.len();
    _ = writeln!(out, "{} inferred", paint.dip(Ink::Title, &counted(count as u64, "event")));
    if let Some(sentence) = trust(answer) {
        _ = writeln!(out, "{}", paint.dip(Ink::Quiet, &sentence));
    }
    out.push('\n');
    for event in answer.inferred.iter().take(most) {
        out += &missing(event, paint);
    }
    if count > most {
        _ = writeln!(out, "... and {} more (--limit N, --all)", grouped((count - most) as u64));
    }
    for (number, long) in answer.long_losses.iter().take(most).enumerate() {
        if number == 0 {
            _ = writeln!(
                out,
                "\n{}",
                paint.dip(Ink::Title, "long losses, events not listed: what is usual in as many")
            );
        }
        out += &long_loss(long, paint);
    }
    out
}

/// A loss whose events are not listed, in lines.
fn long_loss(long: &LongLoss, paint: Paint) -> String {
    let (from, to) = (moment::text(long.from), moment::text_after(long.to, long.from));
    let (least, most) = long.switches;
    let mut out =
        format!("  CPU {}, {from} to {to}: {} to {} switches\n", long.cpu, grouped(least), grouped(most));
    for one in &long.running {
        let who = one
            .instance
            .as_ref()
            .map_or_else(|| "no thread".to_owned(), |who| format!("thread {}", value(who)));
        let [least, most, mean, bound] =
            [one.usual.0, one.usual.1, one.mean, one.most].map(|ns| duration(ns.into()));
        let line = format!("    {who} ran {least} to {most}, on average {mean}, at most {bound}");
        _ = writeln!(out, "{}", paint.dip(Ink::Quiet, &line));
        if let Some(band) = band(&one.band) {
            _ = writeln!(out, "{}", paint.dip(Ink::Quiet, &format!("      {band}")));
        }
    }
    if let Some(band) = band(&long.others) {
        _ = writeln!(out, "{}", paint.dip(Ink::Quiet, &format!("    other threads\n      {band}")));
    }
    out
}

/// `probability over that time: 96 41 12 10 ... 78 %`; nothing for who hardly ever runs.
fn band(probabilities: &[f64]) -> Option<String> {
    let whole = |probability: &f64| format!("{:.0}", probability * 100.0);
    let all: Vec<String> = probabilities.iter().map(whole).collect();
    let is_worth = probabilities.iter().any(|probability| *probability >= 0.05);
    is_worth.then(|| format!("probability over that time: {} %", all.join(" ")))
}

/// What the stated probabilities rest on; nothing where none is stated.
fn trust(answer: &Answer) -> Option<String> {
    let mut stated = answer.inferred.iter().filter(|event| !event.is_only_explanation);
    match &answer.calibration {
        Some(learned) => Some(format!(
            "probabilities are calibrated on {} left out elsewhere in this trace: mean error {:.2}",
            counted(learned.deleted, "event"),
            learned.error,
        )),
        None if stated.any(|event| event.probability.is_some()) => Some(
            "probabilities are not calibrated and stated low: too little of the trace is intact, or it can be read only once"
                .to_owned(),
        ),
        None => None,
    }
}

/// One inferred event, in lines.
pub(super) fn missing(event: &InferredEvent, paint: Paint) -> String {
    let fields = event.fields.iter().filter_map(|field| Some((&field.name, field.value.as_ref()?)));
    let fields: Vec<String> =
        fields.map(|(name, taken)| format!("{}={}", plain(name), value(taken))).collect();
    let body = if fields.is_empty() { "{ }".to_owned() } else { format!("{{ {} }}", fields.join(", ")) };
    let mut out = format!("{} {} {body}\n", stamp(event.time), paint.dip(Ink::Open, &plain(&event.key.name)));
    let (from, to) = (event.key.from, event.key.to);
    let mut about = format!(
        "{} {}, after {}, before {}",
        plain(&event.key.machine),
        plain(&event.key.instance),
        moment::text(from),
        moment::text_after(to, from),
    );
    if let Some(cpu) = event.cpu {
        about += &format!(", CPU {cpu}");
    }
    if event.is_only_explanation {
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
fn stamp(time: Timestamp) -> String {
    let text = moment::text(time);
    match text.split_once(' ').and_then(|(_, clock)| clock.split_once('.')) {
        Some((clock, digits)) if digits.len() == 9 => {
            format!("[{clock}.{} {} {}]", &digits[..3], &digits[3..6], &digits[6..])
        }
        _ => format!("[{text}]"),
    }
}

fn others(field: &InferredField) -> String {
    let others = field.alternatives.iter().filter(|other| Some(&other.value) != field.value.as_ref());
    let others: Vec<String> = others.take(OTHERS).map(alternative).collect();
    let more = field.possible.saturating_sub(1 + others.len());
    let rest = if more > 0 { format!(" or {}", counted(more as u64, "other")) } else { String::new() };
    let chosen = if field.is_chosen { "chosen; " } else { "" };
    format!("{chosen}{} may also be {}{rest}", plain(&field.name), others.join(", "))
}

/// A possible value, with how probable it is where the engine weighs.
pub(crate) fn alternative(known: &Alternative) -> String {
    match known.probability {
        Some(probability) => format!("{} ({})", value(&known.value), share(probability)),
        None => value(&known.value),
    }
}

/// A probability with three digits; what is possible is never 0.
fn share(odds: f64) -> String {
    if odds < 0.0005 { "under 0.001".to_owned() } else { format!("{odds:.3}") }
}

pub(crate) fn value(value: &Scalar) -> String {
    match value {
        Scalar::Number(number) => number.to_string(),
        // Names of threads are words; only what is not one needs quotes.
        Scalar::Text(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) => {
            plain(text).into_owned()
        }
        Scalar::Text(text) => {
            let mut out = vec![];
            quoted(&mut out, text.as_bytes());
            String::from_utf8_lossy(&out).into_owned()
        }
    }
}
