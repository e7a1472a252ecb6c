//! `tracewright values`: with which arguments methods were called, and what came of it.

use model::FlowSource;
use model::call_values::{CallValues, Ended};

use super::calls::{is_wanted, some_thread};
use crate::cli::values::Values;
use crate::exit::{Outcome, Result, Stop};
use crate::method_names::MethodNames;
use crate::output::Output;
use crate::paint::Paint;
use crate::parameter_names::ParameterNames;
use crate::pattern::Patterns;
use crate::recordings;
use crate::reports::{self, CallReport, ValuesReport};
use crate::views::{program_values, values_text};
use crate::warn::warn_of;

/// How many calls are listed, and how many values of an argument.
const CALLS: usize = 1000;
const DIFFERENT: usize = 5;

pub(crate) fn run(options: &Values) -> Result<Outcome> {
    let recording = recordings::open(&options.capture)?;
    let recording = recording.as_ref();
    some_thread(recording, &Patterns::new(&options.thread))?;
    let is_incomplete = warn_of(&options.capture, recording);
    if recording.values().is_empty() {
        return Stop::failed(format!(
            "{} has no values of calls; they are kept of the methods that --values names when recording",
            options.capture.display()
        ));
    }
    let calls = wanted(options, recording);
    let limit = options.limit.unwrap_or(if options.each || options.json { CALLS } else { DIFFERENT });
    let mut output = Output::default();
    if options.json {
        let mut names = ParameterNames::default();
        let listed = calls.iter().take(limit).map(|call| CallReport::of(recording, call, &mut names));
        let report = ValuesReport { calls: listed.collect(), more: calls.len().saturating_sub(limit) };
        output.buffer = reports::json(&report);
    } else if calls.is_empty() {
        output.buffer = b"no such call was recorded\n".to_vec();
    } else if options.each {
        output.buffer = values_text::each(recording, &calls, limit, Paint::for_stdout()).into();
    } else {
        output.buffer = values_text::together(recording, &calls, limit, Paint::for_stdout()).into();
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete, options.allow_loss))
}

/// The calls that are asked for, in the order in which they began.
fn wanted<'r>(options: &Values, recording: &'r dyn FlowSource) -> Vec<&'r CallValues> {
    let (names, threads) = (MethodNames::new(&options.method), Patterns::new(&options.thread));
    let is_of_thread = |call: &CallValues| {
        let about = recording.threads().iter().find(|thread| thread.serial == call.thread);
        about.map_or(threads.is_empty(), |thread| is_wanted(&threads, thread))
    };
    let threw = |call: &CallValues| {
        matches!(call.outcome.as_ref().map(|outcome| &outcome.ended), Some(Ended::Threw(_)))
    };
    let search = options.search.as_ref().map(|text| text.to_lowercase());
    let has_text = |call: &CallValues| {
        let Some(search) = &search else { return true };
        let object = call.object.as_ref().map(program_values::shown).unwrap_or_default();
        let all = format!("{object} {}", program_values::call(call, &[]));
        all.to_lowercase().contains(search.as_str())
    };
    let mut calls: Vec<&CallValues> = recording
        .values()
        .iter()
        .filter(|call| options.method.is_empty() || names.mean(recording.code(), call.method))
        .filter(|call| is_of_thread(call) && (!options.failed || threw(call)) && has_text(call))
        .collect();
    calls.sort_by_key(|call| call.began);
    calls
}
