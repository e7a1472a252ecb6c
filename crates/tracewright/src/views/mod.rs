//! What answers look like: pure functions from what was found to text or JSON.

mod call_times;
pub(crate) mod calls_flat;
pub(crate) mod calls_json;
pub(crate) mod calls_summary;
pub(crate) mod calls_text;
mod calls_threads;
mod calls_title;
pub(crate) mod calls_top;
pub(crate) mod check_text;
pub(crate) mod code_names;
pub(crate) mod diff_events_text;
pub(crate) mod diff_text;
pub(crate) mod evaluate_text;
pub(crate) mod event_text;
pub(crate) mod flow;
pub(crate) mod hangs_answer;
pub(crate) mod hangs_text;
pub(crate) mod infer_text;
pub(crate) mod info_text;
pub(crate) mod json;
pub(crate) mod learn_text;
pub(crate) mod loops_names;
pub(crate) mod loops_nest;
mod loops_rules;
#[cfg(test)]
mod loops_tests;
pub(crate) mod loops_text;
pub(crate) mod lost_records;
pub(crate) mod method_text;
pub(crate) mod model_text;
pub(crate) mod model_words;
pub(crate) mod open_frames;
pub(crate) mod program_values;
pub(crate) mod sections_text;
pub(crate) mod states_text;
pub(crate) mod table;
pub(crate) mod thread_names;
pub(crate) mod thread_states;
mod throttled;
pub(crate) mod values_text;

use analyses::timeline::DiagnosticLine;
use model::{Diagnostic, Location, StreamInfo};

use crate::escape::plain;

/// A diagnostic as the timeline keeps it and the viewer shows it.
pub(crate) fn diagnostic_line(diagnostic: &Diagnostic, streams: &[StreamInfo]) -> DiagnosticLine {
    DiagnosticLine { severity: diagnostic.severity, sentence: diagnostic_text(diagnostic, streams) }
}

/// A diagnostic as one line: where, and what.
pub(crate) fn diagnostic_text(diagnostic: &Diagnostic, streams: &[StreamInfo]) -> String {
    let location = match &diagnostic.location {
        Location::File { file, offset } => format!("{file}, byte {offset}"),
        Location::Line { file, line } => format!("{file}, line {line}"),
        Location::Event(stream, number) => {
            let name = streams.get(stream.0 as usize).map_or("?", |stream| &stream.name);
            format!("{name}, event {number}")
        }
        Location::Steps(track, steps) => format!("track {}, steps {}..{}", track.0, steps.start, steps.end),
    };
    plain(&format!("{location}: {}", diagnostic.sentence)).into_owned()
}
