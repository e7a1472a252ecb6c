//! What was learned, in words.
//!
//! ```text
//! 1 machine learned from 4,000 events
//!
//! lock: 8 instances, 4,000 events
//!   states: after release, after acquire
//!   0.01 bits an event, 1.00 without it; of single losses 100 % would be noticed
//!
//! written to model.xml: 18 lines; `tracewright models model.xml` says what it says
//! ```

use std::fmt::Write;
use std::path::Path;

use inference::learn::{Evidence, Learned};

use crate::escape::plain;
use crate::numbers::counted;
use crate::paint::{Ink, Paint};

/// What a machine stands on, as a comment in its file.
pub(crate) fn remark(evidence: &Evidence) -> String {
    format!("learned from {}; {}", size(evidence), worth(evidence))
}

pub(crate) fn render(learned: &Learned, events: usize, (file, xml): (&Path, &str), paint: Paint) -> String {
    let mut out = String::new();
    let machines = counted(learned.pattern.machines.len() as u64, "machine");
    _ = writeln!(out, "{machines} learned from {}", counted(events as u64, "event"));
    for (machine, evidence) in learned.pattern.machines.iter().zip(&learned.evidence) {
        let id = plain(&machine.id).into_owned();
        let states: Vec<&str> = machine.states.iter().map(|state| &*state.id).collect();
        _ = writeln!(out, "\n{}: {}", paint.dip(Ink::Title, &id), size(evidence));
        _ = writeln!(out, "  states: {}", plain(&states.join(", ")));
        _ = writeln!(out, "  {}", worth(evidence));
    }
    let file = file.to_string_lossy();
    let file = plain(&file);
    let lines = counted(xml.lines().count() as u64, "line");
    _ = writeln!(out, "\nwritten to {file}: {lines}; `tracewright models {file}` describes it");
    out
}

fn size(evidence: &Evidence) -> String {
    let mut words =
        format!("{}, {}", counted(evidence.instances, "instance"), counted(evidence.events, "event"));
    if evidence.odd > 0 {
        words += &format!(
            " ({} of them {} out of order)",
            evidence.odd,
            if evidence.odd == 1 { "is" } else { "are" }
        );
    }
    words
}

fn worth(evidence: &Evidence) -> String {
    format!(
        "{:.2} bits an event, {:.2} without it; of single losses {:.0} % would be noticed",
        evidence.bits,
        evidence.bits_alone,
        // Not all is not 100 %.
        (evidence.noticed() * 100.0).floor()
    )
}
