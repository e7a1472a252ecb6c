//! The first walk over the records: which buffers there are and what each lost. From it the second walk
//! knows after which samples gaps lie, which cannot be known when a sample is handed out: the report
//! of a loss may come much later, or only at the end of the file.

use source::Source;

use super::bytes::{Cursor, Section};
use super::diagnostics::Diagnostics;
use super::events::{Events, Unusable};
use super::losses::{Ledger, Losses};
use super::record::{Record, Records, Step, kind};
use super::switches::Switches;

/// Set in `misc` of LOST_SAMPLES when a filter dropped them.
const BY_FILTER: u16 = 1 << 15;

/// A record that this reader refuses: its place and why.
pub(super) type Refusal = (u64, &'static str);

/// Walks over `data`; `is_cut` if its end is missing for another reason.
pub(super) fn scan(
    source: &dyn Source,
    data: Section,
    is_cut: bool,
    events: &mut Events,
    diagnostics: &mut Diagnostics,
) -> Result<Ledger, Refusal> {
    let mut records = Records::new(data);
    let mut losses = Losses::default();
    let mut switches = Switches::default();
    let mut is_cut = is_cut;
    loop {
        match records.next(source) {
            Step::End => break,
            Step::Broken(offset, sentence) => {
                diagnostics.damage("perf-record", offset, || sentence);
                is_cut = true;
                break;
            }
            Step::Record(record) => take(&record, &mut losses, &mut switches, events, diagnostics)?,
        }
    }
    // Not even the walk may believe the header: there may be less than it says.
    if losses.crowded > 0 {
        diagnostics.note("perf-losses-crowded", data.end(), || {
            format!(
                "{} losses are added to the one before them: there are too many to place.",
                losses.crowded
            )
        });
    }
    let mut ledger = losses.finish(is_cut);
    ledger.undeclared = switches.found;
    for (buffer, declared, total) in &ledger.contradictions {
        diagnostics.note("perf-loss-contradiction", data.end(), || {
            format!(
                "The buffer {buffer:?} reported {declared} lost records on the way, but perf counted {total} at the \
                 end; what was reported on the way is shown."
            )
        });
    }
    Ok(ledger)
}

fn take(
    record: &Record<'_>,
    losses: &mut Losses,
    switches: &mut Switches,
    events: &mut Events,
    diagnostics: &mut Diagnostics,
) -> Result<(), Refusal> {
    let Record { offset, order, kind, body, .. } = *record;
    match kind {
        kind::SAMPLE => match events.sample(body) {
            Ok((number, buffer, sample)) => {
                let switch = events.kinds.get(number).and_then(|kind| kind.switch(sample.raw));
                switches.sample(buffer, sample.tid, sample.time, order, switch);
                events.scope.has_idle |= sample.tid == Some(0);
                losses.sample(buffer, sample.time, order);
            }
            Err(Unusable::Unknown(id)) => diagnostics.damage("perf-sample-unknown", offset, || {
                let why = match id {
                    Some(id) => format!("carries the identifier {id}, which belongs to no event of the file"),
                    None => "carries no identifier".into(),
                };
                format!("This sample {why}; it is left out.")
            }),
            Err(Unusable::Short) => diagnostics.damage("perf-sample-short", offset, || {
                format!("This sample of {} bytes lacks parts that its event has; it is left out.", body.len())
            }),
        },
        kind::LOST => {
            let (trailer, buffer) = events.trailer(body);
            match numbers(body) {
                Some((_, count)) => {
                    switches.forget(buffer);
                    losses.lost(buffer, trailer.time, count);
                }
                None => short(diagnostics, offset, "LOST"),
            }
        }
        kind::LOST_SAMPLES => lost_samples(record, losses, events, diagnostics),
        kind::ID_INDEX => events.index(body),
        kind::AUX | kind::AUXTRACE => {
            let what = "It holds a hardware trace (AUX), which is not supported; record without events like intel_pt.";
            return Err((offset, what));
        }
        1..=kind::LAST_OF_KERNEL => {
            let (trailer, buffer) = events.trailer(body);
            losses.record(buffer, trailer.time);
        }
        kind if kind::OF_PERF.contains(&kind) => {}
        _ => diagnostics.note("perf-record-unknown", offset, || {
            format!("Records of the kind {kind} are not known; they are left out.")
        }),
    }
    Ok(())
}

fn lost_samples(record: &Record<'_>, losses: &mut Losses, events: &Events, diagnostics: &mut Diagnostics) {
    let Some(count) = Cursor::new(record.body).u64() else {
        return short(diagnostics, record.offset, "LOST_SAMPLES");
    };
    if record.misc & BY_FILTER != 0 {
        diagnostics.note("perf-filtered", record.offset, || {
            format!("A filter dropped {count} samples on purpose; they do not count as lost.")
        });
        return;
    }
    let (trailer, buffer) = events.trailer(record.body);
    match trailer.time {
        Some(time) if time != 0 => losses.dropped(buffer, Some(time), count),
        _ => losses.total(events.buffer_of(trailer.id), count),
    }
}

fn numbers(body: &[u8]) -> Option<(u64, u64)> {
    let mut cursor = Cursor::new(body);
    Some((cursor.u64()?, cursor.u64()?))
}

fn short(diagnostics: &mut Diagnostics, offset: u64, what: &str) {
    diagnostics.damage("perf-loss-short", offset, || {
        format!("This {what} record is too short for its number, so how much was lost is unknown.")
    });
}
