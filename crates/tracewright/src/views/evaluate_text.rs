//! What an evaluation found as text: a table of kinds and engines, then what can be trusted.
//!
//! ```text
//! 100 cases on 240,644 events, seed 1; the engines are not told of the losses
//! as it is: joint (model kernel) finds 0 incoherences and infers 0 events
//!
//! deleted       engine  cases  events  inferred  placed  right  partly  false  precision  recall  exact  unnoticed  interval
//! sched_switch  joint     100     100        98      97     97       0      1     99.0 %  97.0 %     96          2  7.316 us
//!
//! how far joint can be trusted on this trace
//!   stated probability  events  mean    true
//!   0.99 and more           90  99.6 %  100.0 %
//! ```

use std::fmt::Write;

use inference::evaluate::LongTally;
use model::{Scalar, Timestamp};

use super::infer_text::{missing, value};
use super::table::Table;
use crate::escape::plain;
use crate::evaluate::Evaluated;
use crate::evaluate::score::{Reliability, Tally, at_least};
use crate::moment;
use crate::numbers::{counted, duration, grouped, share};
use crate::paint::{Ink, Paint};

pub(crate) fn render(evaluated: &Evaluated<'_>, wrong: usize, paint: Paint) -> String {
    let mut out = String::new();
    let declared = if evaluated.is_declared { "are" } else { "are not" };
    let seed = evaluated.seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
    _ = writeln!(
        out,
        "{} on {}{seed}; losses {declared} declared",
        paint.dip(Ink::Title, &counted(evaluated.cases.len() as u64, "case")),
        counted(evaluated.index.events.len() as u64, "event"),
    );
    if evaluated.losses.total.gaps > 0 {
        let lost = evaluated.losses.total.sentence();
        _ = writeln!(out, "the trace itself: {}", paint.dip(Ink::Bad, &lost));
    }
    for intact in evaluated.intact {
        _ = writeln!(
            out,
            "as it is, without any case: {} (model {}) finds {} and infers {}",
            intact.engine,
            plain(&intact.model),
            counted(intact.inconsistencies as u64, "incoherence"),
            counted(intact.inferred as u64, "event"),
        );
    }
    out.push('\n');
    results(&mut out, evaluated, paint);
    for (number, intact) in evaluated.intact.iter().enumerate() {
        trust(&mut out, intact.engine, &evaluated.total(number), paint);
        if let Some(Some(learned)) = evaluated.calibrations.get(number) {
            let deleted = counted(learned.deleted, "other event");
            _ = writeln!(out, "  Its probabilities were calibrated on {deleted} left out of this trace.\n");
        }
        if let Some(tally) = evaluated.long.get(number).filter(|tally| tally.losses > 0) {
            long_losses(&mut out, intact.engine, tally, paint);
        }
    }
    if wrong > 0 {
        misses(&mut out, evaluated, wrong, paint);
    }
    out
}

fn results(out: &mut String, evaluated: &Evaluated<'_>, paint: Paint) {
    let mut table = Table::new("llrrrrrrrrrrrr");
    table.row([
        "deleted",
        "engine",
        "cases",
        "events",
        "inferred",
        "placed",
        "right",
        "partly",
        "false",
        "precision",
        "recall",
        "exact",
        "unnoticed",
        "interval",
    ]);
    for (kind, tallies) in evaluated.kinds() {
        for (position, (tally, intact)) in tallies.iter().zip(evaluated.intact).enumerate() {
            table.row([
                if position == 0 { plain(kind).into_owned() } else { String::new() },
                intact.engine.to_owned(),
                grouped(tally.cases),
                grouped(tally.deleted),
                grouped(tally.inferred),
                grouped(tally.placed),
                grouped(tally.right),
                grouped(tally.partly),
                grouped(tally.false_alarms()),
                percent(tally.precision()),
                percent(tally.recall()),
                grouped(tally.exact),
                grouped(tally.unnoticed),
                tally.width().map_or_else(|| "-".to_owned(), |width| duration(width.into())),
            ]);
        }
    }
    let lines = table.lines("");
    for (position, line) in lines.iter().enumerate() {
        _ = writeln!(out, "{}", if position == 0 { paint.dip(Ink::Title, line) } else { line.clone() });
    }
    let remark = "placed: name and CPU are those of a deleted event, and it was in the interval; right: so are its \
                  threads or other\nkey fields; partly: so are those that are told, others are left open; false: \
                  what is told is not so; exact: cases in\nwhich all was found and nothing else; unnoticed: cases in \
                  which nothing was said; interval: the middle one of the right";
    _ = writeln!(out, "{}\n", paint.dip(Ink::Quiet, remark));
}

/// What the user may believe of this engine.
fn trust(out: &mut String, engine: &str, total: &Tally, paint: Paint) {
    let title = |text: &str| paint.dip(Ink::Title, text);
    let Some(reliability) = Reliability::new(&total.stated) else {
        _ = match total.inferred {
            0 => writeln!(out, "{}", title(&format!("{engine} infers nothing here"))),
            _ => writeln!(out, "{}", title(&format!("{engine} does not say how probable its events are"))),
        };
        _ = writeln!(
            out,
            "  {} of {} that it infers are right\n",
            grouped(total.right),
            grouped(total.inferred)
        );
        return;
    };
    _ = writeln!(out, "{}", title(&format!("how far {engine} can be trusted on this trace")));
    let mut table = Table::new("lrrr");
    table.row(["stated probability", "events", "mean", "true"]);
    for bin in &reliability.bins {
        table.row([
            if bin.to < 1.0 {
                format!("{} to {}", bin.from, bin.to)
            } else {
                format!("{} and more", bin.from)
            },
            grouped(bin.events),
            percent(Some(bin.stated)),
            share(bin.right, bin.events),
        ]);
    }
    table.lines("  ").iter().for_each(|line| _ = writeln!(out, "  {}", line.trim_start()));
    for least in [0.9, 0.5, 0.0] {
        let (events, right) = at_least(&total.stated, least);
        let (fewer, _) = at_least(&total.stated, 0.9);
        if events == 0 || (least < 0.9 && events == fewer) {
            continue;
        }
        let which = match least {
            0.0 => "whatever was stated".to_owned(),
            least => format!("stated at {} % or more", least * 100.0),
        };
        let few = if events < 30 { ", which are few" } else { "" };
        _ = writeln!(
            out,
            "  What it stated about an inferred event, {which}, was true {} of the time ({} of {}{few}).",
            share(right, events),
            grouped(right),
            grouped(events)
        );
    }
    _ = writeln!(
        out,
        "  Of {} that were lost it found {}. Brier score {:.4} (0 is perfect, 0.25 a coin).\n",
        counted(total.deleted, "event"),
        share(total.right, total.deleted),
        reliability.brier
    );
}

/// What became of losses whose events are not listed.
fn long_losses(out: &mut String, engine: &str, tally: &LongTally, paint: Paint) {
    let losses = grouped(tally.losses);
    let title = format!(
        "how far {engine} can be trusted in long losses, whose events it does not list ({losses} here)"
    );
    _ = writeln!(out, "{}", paint.dip(Ink::Title, &title));
    let held =
        |(all, held): (u64, u64)| format!("{} ({} of {})", share(held, all), grouped(held), grouped(all));
    _ = writeln!(
        out,
        "  Intervals of running times held in {}, of numbers of switches in {}; 90 % are stated.",
        held(tally.times),
        held(tally.switches)
    );
    _ = writeln!(
        out,
        "  Of the lost time, {} was attributed to who ran it within a tenth.",
        share(tally.lost.1, tally.lost.0)
    );
    let mut table = Table::new("lrrr");
    table.row(["probability that it runs in a twelfth of the loss", "stated", "mean", "ran"]);
    for (number, (count, stated, ran)) in tally.bands.iter().enumerate().filter(|(_, bin)| bin.0 > 0) {
        let mean = |sum: f64| percent(Some(sum / *count as f64));
        let range = format!("{} to {} %", number * 10, number * 10 + 10);
        table.row([range, grouped(*count), mean(*stated), mean(*ran)]);
    }
    table.lines("  ").iter().for_each(|line| _ = writeln!(out, "  {}", line.trim_start()));
    if let Some(error) = tally.band_error() {
        _ = writeln!(out, "  Mean error of these: {:.1} %\n", error * 100.0);
    }
}

/// The first cases that are not repaired exactly.
fn misses(out: &mut String, evaluated: &Evaluated<'_>, most: usize, paint: Paint) {
    let mut left = most;
    for (case, scored) in evaluated.cases.iter().zip(evaluated.scored) {
        for (scored, intact) in scored.iter().zip(evaluated.intact) {
            if left == 0 || scored.is_exact() {
                continue;
            }
            left -= 1;
            let id = match &case.id {
                Scalar::Number(id) => id.to_string(),
                Scalar::Text(id) => plain(id).into_owned(),
            };
            _ = writeln!(out, "{}", paint.dip(Ink::Title, &format!("case {id}, {}", intact.engine)));
            for (event, found) in evaluated.deleted(case).zip(&scored.found) {
                let keys: Vec<String> =
                    event.keys.iter().map(|(name, key)| format!("{}={}", plain(name), value(key))).collect();
                let time = event.time.map_or_else(|| "?".into(), |time| moment::text(Timestamp(time)));
                let cpu = event.cpu.map_or_else(String::new, |cpu| format!("CPU {cpu} "));
                let found = if *found { "found" } else { "not found" };
                _ = writeln!(out, "  {found}: {time} {cpu}{} {{ {} }}", plain(&event.name), keys.join(", "));
            }
            for ((event, is_right), holds) in scored.inferred.iter().zip(&scored.right).zip(&scored.holds) {
                let verdict = match (is_right, holds) {
                    (true, _) => "right",
                    (false, true) => "partly",
                    (false, false) => "false",
                };
                for (position, line) in missing(event, paint).lines().enumerate() {
                    let lead = if position == 0 { format!("  {verdict}: ") } else { "  ".into() };
                    _ = writeln!(out, "{lead}{line}");
                }
            }
            out.push('\n');
        }
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}
