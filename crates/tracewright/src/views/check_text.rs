//! What a check found as text: totals, the most frequent kinds, then the first of each list.
//!
//! ```text
//! 3 incoherences in 61 events (model evaluation.xml, engine compat)
//! 7 events lost in 1 gap; 2 incoherences come after it, 1 is not explained by any declared loss
//!
//! kinds
//!   2 x dummy_fsm in 4: A
//! incoherences
//!   1970-01-01 00:00:00.000000016  dummy_fsm 1  B  in 1, fits 2, 4  after loss 1
//! ```
//!
//! At most `most` lines of each list are shown; omissions are reported.

use std::collections::HashMap;
use std::fmt::Write;

use inference::model::Inconsistency;
use model::Timestamp;

use super::table::Table;
use crate::answer::{Answer, Uncertainty, Window};
use crate::escape::plain;
use crate::losses::amount;
use crate::moment;
use crate::numbers::{counted, duration, grouped};
use crate::paint::{Ink, Paint};

pub(crate) fn render(answer: &Answer, most: usize, paint: Paint) -> String {
    let mut out = title(answer, paint);
    out.push('\n');
    if !answer.inconsistencies.is_empty() {
        kinds(&mut out, &answer.inconsistencies, most, paint);
        let rows = answer.inconsistencies.iter().map(inconsistency);
        list(&mut out, ("incoherences", "llll"), rows, most, paint);
    }
    let rows = answer.windows.iter().enumerate().map(window);
    list(&mut out, ("losses that the tracer declared", "lllll"), rows, most, paint);
    // The longest are the most informative; the total is printed in any case.
    let mut uncertain: Vec<&Uncertainty> = answer.uncertain.iter().collect();
    uncertain.sort_by_key(|one| std::cmp::Reverse(length(one)));
    list(
        &mut out,
        ("states not certain, longest first", "llrl"),
        uncertain.into_iter().map(uncertainty),
        most,
        paint,
    );
    out
}

/// The lines with the totals.
pub(super) fn title(answer: &Answer, paint: Paint) -> String {
    let count = answer.inconsistencies.len();
    let ink = if count == 0 { Ink::Title } else { Ink::Open };
    let mut out = format!(
        "{} in {} (model {}, engine {})\n",
        paint.dip(ink, &counted(count as u64, "incoherence")),
        counted(answer.events, "event"),
        plain(&answer.model),
        answer.engine,
    );
    if answer.losses.total.gaps > 0 {
        let lost = paint.dip(Ink::Bad, &answer.losses.total.sentence());
        let unexplained = answer.unexplained();
        _ = writeln!(
            out,
            "{lost}; {} may come from that, {} from no declared loss",
            counted((count - unexplained) as u64, "incoherence"),
            grouped(unexplained as u64),
        );
    }
    out
}

fn kinds(out: &mut String, found: &[Inconsistency], most: usize, paint: Paint) {
    let mut counts: HashMap<(&str, String, &str), u64> = HashMap::new();
    for found in found {
        *counts.entry((&found.machine, found.states.join("|"), &found.event)).or_default() += 1;
    }
    let mut kinds: Vec<_> = counts.into_iter().collect();
    kinds.sort_by(|(a, many), (b, more)| more.cmp(many).then(a.cmp(b)));
    let rows = kinds.into_iter().map(|((fsm, state, event), count)| {
        vec![grouped(count), format!("{} in {}:", plain(fsm), plain(&state)), plain(event).into_owned()]
    });
    list(out, ("kinds", "rll"), rows, most, paint);
}

fn inconsistency(found: &Inconsistency) -> Vec<String> {
    let possible: Vec<_> = found.accepted_by.iter().map(|state| plain(state)).collect();
    let loss = found.window.map_or_else(String::new, |loss| format!(" (after loss {})", loss + 1));
    vec![
        moment::text(found.time),
        format!("{} {}", plain(&found.machine), plain(&found.instance)),
        plain(&found.event).into_owned(),
        format!("in {}, fits {}{loss}", plain(&found.states.join("|")), possible.join(", ")),
    ]
}

fn window((number, window): (usize, &Window)) -> Vec<String> {
    let interval = |&(from, to): &(Option<i64>, Option<i64>)| {
        let text = |time: Option<i64>, open: &str| {
            time.map_or_else(|| open.to_owned(), |time| moment::text(Timestamp(time)))
        };
        match (from, to) {
            (Some(from), Some(to)) => {
                let to = moment::text_after(Timestamp(to), Timestamp(from));
                format!("{} to {to}", moment::text(Timestamp(from)))
            }
            _ => format!("{} to {}", text(from, "the start"), text(to, "the end")),
        }
    };
    let intervals: Vec<String> = window.intervals.iter().map(interval).collect();
    let cpu = window.cpu.map_or_else(String::new, |cpu| format!("CPU {cpu}"));
    vec![
        (number + 1).to_string(),
        format!("{} {cpu}", plain(&window.stream)).trim_end().to_owned(),
        amount(window.lost),
        intervals.join(" or "),
        format!("{} after it", counted(window.inconsistencies, "incoherence")),
    ]
}

fn uncertainty(one: &Uncertainty) -> Vec<String> {
    let from = Timestamp(one.from);
    let to = one.to.map_or_else(|| "the end".to_owned(), |to| moment::text_after(Timestamp(to), from));
    vec![
        format!("{} {}", plain(&one.machine), plain(&one.instance)),
        format!("{} to {to}", moment::text(from)),
        one.to.map_or_else(String::new, |to| duration(Timestamp(to).since(from))),
        String::new(),
    ]
}

fn length(one: &Uncertainty) -> i128 {
    one.to.map_or(i128::MAX, |to| Timestamp(to).since(Timestamp(one.from)))
}

fn list(
    out: &mut String,
    (title, columns): (&str, &str),
    rows: impl ExactSizeIterator<Item = Vec<String>>,
    most: usize,
    paint: Paint,
) {
    let count = rows.len();
    if count == 0 {
        return;
    }
    _ = writeln!(out, "{}", paint.dip(Ink::Title, title));
    let mut table = Table::new(columns);
    for row in rows.take(most) {
        table.row(row);
    }
    for line in table.lines("  ") {
        _ = writeln!(out, "{line}");
    }
    if count > most {
        _ = writeln!(out, "  ... and {} more (--limit N, --all)", grouped((count - most) as u64));
    }
    out.push('\n');
}
