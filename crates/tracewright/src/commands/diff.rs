//! `tracewright diff`: what one input did that another did not.

use std::path::Path;

use crate::cli::diff::Diff;
use crate::diff::events::{self, Kind};
use crate::diff::recordings::{self as compared, Asked};
use crate::exit::{Outcome, Result, Stop};
use crate::models;
use crate::output::Output;
use crate::paint::Paint;
use crate::recordings;
use crate::reports;
use crate::reports::diff::Verdict;
use crate::views::{diff_events_text, diff_text};

pub(crate) fn run(options: &Diff) -> Result<Outcome> {
    let inputs: Vec<&Path> = options.inputs.iter().map(|path| path.as_path()).collect();
    let mut baselines: Vec<&Path> = options.baseline.iter().map(|path| path.as_path()).collect();
    let [a, b] = match inputs.as_slice() {
        [a, b] => [*a, *b],
        // The first of the baselines is what the input is held against.
        [b] if !baselines.is_empty() => [baselines.remove(0), *b],
        _ => return Stop::failed("give two inputs, or one and --baseline"),
    };
    if a == b && a.as_os_str() == "-" {
        return Stop::failed("standard input cannot be both sides");
    }
    // A missing input is reported as missing, not as an input of the wrong kind.
    for path in [a, b].into_iter().filter(|path| path.as_os_str() != "-") {
        std::fs::metadata(path)
            .or_else(|error| Stop::failed(format!("cannot open {}: {error}", path.display())))?;
    }
    let mut output = Output::default();
    let is_recording = |path: &Path| !options.history && recordings::is_recording(path);
    let verdict = match [a, b].map(is_recording) {
        [true, true] if options.times => {
            return Stop::failed("--times needs traces of events: recordings are compared by what ran");
        }
        [true, true] => {
            let report = compared::compare(&Asked {
                inputs: [a, b],
                baselines,
                thread: &options.thread,
                method: &options.method,
                sections: [
                    options.section.as_deref(),
                    options.section_b.as_deref().or(options.section.as_deref()),
                ],
                source_roots: [&options.source_root, &options.source_root_b],
                depth: options.depth,
                all: options.all,
            })?;
            output.buffer = match options.json {
                true => reports::json(&report),
                false => diff_text::render(&report, Paint::for_stdout()).into(),
            };
            report.verdict
        }
        [false, false] => {
            let has_section = options.section.is_some() || options.section_b.is_some();
            if !baselines.is_empty()
                || !options.method.is_empty()
                || !options.source_root.is_empty()
                || has_section
            {
                return Stop::failed(
                    "--baseline, --method, --section and --source-root need recordings of control flow",
                );
            }
            let model = options.times.then(|| models::load(&options.model)).transpose()?;
            let kind = match options.history {
                true => Kind::History,
                false => Kind::Trace(options.track_by.into(), model.as_ref()),
            };
            let report = events::compare([a, b], kind, &options.thread, options.all)?;
            output.buffer = match options.json {
                true => reports::json(&report),
                false => diff_events_text::render(&report, Paint::for_stdout()).into(),
            };
            report.verdict
        }
        [is_a, _] => {
            let (one, other) = if is_a { (a, b) } else { (b, a) };
            return Stop::failed(format!(
                "{} is a recording of control flow and {} is not: only two of one kind can be compared",
                one.display(),
                other.display()
            ));
        }
    };
    output.flush()?;
    Ok(match verdict {
        Verdict::Different => Outcome::Different,
        Verdict::Unknown if !options.allow_loss => Outcome::Uncomparable,
        Verdict::Unknown | Verdict::Equal => Outcome::Complete,
    })
}
