//! A capture as a [`FlowSource`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use model::flow_source::{Anomalies, Course, DropReason, FlowSource, Mark, ThreadInfo};
use model::running::Running;
use model::{
    CallValues, ClassId, CodeMap, Diagnostic, FlowStep, Location, MethodId, StackSamples, Task, Throttled,
    Timestamp, TraceInfo,
};

use super::STEPS;
use super::contents::{Capture, Facts, Thread};
use super::decode::Flow;
use super::records::Encoding;

/// The facts of a capture whose own are not there yet.
pub(super) fn facts(capture: &Capture) -> Facts {
    let header = capture.header.as_ref();
    let value = |key: &str| header.and_then(|header| header.value(key)).map(str::to_owned);
    let trace = TraceInfo {
        name: String::new(),
        format: match header {
            Some(header) => format!("Tracewright capture {}, {}", header.version, header.encoding.name()),
            None => "Tracewright capture".to_owned(),
        },
        host: value("host"),
        tracer: value("recorder"),
        environment: environment(capture),
        clocks: vec![],
        host_clock: None,
    };
    let end = capture.end.as_ref();
    let [disk, processors] = end.map_or([0, 0], |end| end.lost_to);
    let drops = [(DropReason::Disk, disk), (DropReason::Processors, processors)];
    let course = Course {
        program: value("main"),
        pid: header.map(|header| header.pid),
        began: header.map(|header| header.time).filter(|time| *time != 0).map(Timestamp),
        ending: end.map(|end| end.reason.clone()),
        failed: end.is_some_and(|end| end.failed),
        has_uncounted_damage: uncounted_damage(capture).next().is_some(),
        has_damaged_steps: uncounted_damage(capture).any(|file| file == STEPS),
        drops: drops.into_iter().filter(|(_, count)| *count > 0).collect(),
    };
    Facts { threads: capture.threads.iter().map(info).collect(), trace, course }
}

fn info(thread: &Thread) -> ThreadInfo {
    ThreadInfo {
        serial: thread.serial,
        tid: thread.tid,
        name: thread.name(),
        is_virtual: thread.is_virtual,
        records: thread.words(),
        lost: thread.lost(),
        chunks: thread.chunks.len() as u64,
        position: thread.position(),
        time: thread.time().map(|(first, last)| (Timestamp(first), Timestamp(last))),
    }
}

/// The files that are missing or damaged, where what they held lies in no gap.
fn uncounted_damage(capture: &Capture) -> impl Iterator<Item = &str> {
    const CODES: [&str; 4] =
        ["capture-file-missing", "capture-record-damaged", "capture-bytes-skipped", "capture-pool-damaged"];
    let damages = capture.diagnostics.iter().filter(|diagnostic| CODES.contains(&diagnostic.code));
    damages.filter_map(|diagnostic| match &diagnostic.location {
        Location::File { file, .. } => Some(file.as_str()),
        _ => None,
    })
}

/// So many skipped classes are named.
const SKIPPED: usize = 20;

/// So many origins of classes are named.
const ORIGINS: usize = 10;

/// Where classes were loaded from, and how many from each, most first.
fn origins(code: &CodeMap) -> Vec<(&str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for origin in code.classes.iter().filter_map(|class| class.origin.as_deref()) {
        *counts.entry(origin).or_default() += 1;
    }
    let mut all: Vec<(&str, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(_, classes)| Reverse(*classes));
    all
}

fn environment(capture: &Capture) -> Vec<(String, String)> {
    let about = capture.header.iter().flat_map(|header| &header.about);
    let mut all: Vec<(String, String)> =
        about.filter(|(key, _)| key != "host" && key != "recorder").cloned().collect();
    let mut add = |key: &str, value: String| all.push((key.to_owned(), value));
    if let Some(header) = &capture.header {
        add("pid", header.pid.to_string());
    }
    let instrumented = match capture.end.as_ref().map_or(0, |end| end.instrumented) {
        0 => String::new(),
        count => format!(" ({count} instrumented by an earlier run)"),
    };
    add("classes", format!("{}{instrumented}", capture.code.classes.len()));
    add("methods", capture.code.methods.len().to_string());
    let origins = origins(&capture.code);
    for (origin, classes) in origins.iter().take(ORIGINS) {
        add("origin", format!("{origin}: {classes} {}", if *classes == 1 { "class" } else { "classes" }));
    }
    if let Some(more) = origins.len().checked_sub(ORIGINS + 1) {
        add("origin", format!("and {} more", more + 1));
    }
    if let Some(names) = of_ends_only(capture) {
        add("entries and ends only", names);
    }
    for throttled in capture.throttled.iter().take(SKIPPED) {
        add("calls counted only", throttled_text(capture, throttled));
    }
    if let Some(more) = capture.throttled.len().checked_sub(SKIPPED + 1) {
        add("calls counted only", format!("and {} more methods", more + 1));
    }
    let methods: usize = capture.classes.iter().map(|class| class.skipped.len()).sum();
    if methods + capture.skipped.len() > 0 {
        add("left alone", format!("{} classes, {methods} methods", capture.skipped.len()));
    }
    for skipped in capture.skipped.iter().take(SKIPPED) {
        add("skipped", format!("{}: {}", skipped.class, skipped.reason));
    }
    if let Some(more) = capture.skipped.len().checked_sub(SKIPPED + 1) {
        add("skipped", format!("and {} more classes", more + 1));
    }
    for mark in &capture.marks {
        add("mark", mark.text.clone());
    }
    add("ended", capture.end.as_ref().map_or("no".to_owned(), |end| end.reason.clone()));
    all
}

/// `shop.Price.of, 12.5 % of the records before, from 1.02 s on: about 1234 calls`.
fn throttled_text(capture: &Capture, throttled: &Throttled) -> String {
    let name = capture.code.method_name(throttled.method);
    let began = capture.header.as_ref().map_or(throttled.since.0, |header| header.time);
    let seconds = throttled.since.0.saturating_sub(began) as f64 / 1e9;
    let percent = f64::from(throttled.share) / 10.0;
    let calls = match throttled.calls {
        Some(calls) => format!("about {calls} calls"),
        None => "calls not known".to_owned(),
    };
    format!("{name}, {percent:.1} % of the records before, from {seconds:.2} s on: {calls}")
}

/// The methods that record less than the others, because records of their blocks would make them too long.
fn of_ends_only(capture: &Capture) -> Option<String> {
    if capture.header.as_ref().is_none_or(|header| header.encoding == Encoding::Calls) {
        return None;
    }
    let ids = (0..capture.code.methods.len() as u32).map(MethodId);
    let methods: Vec<MethodId> = ids.filter(|id| capture.encoding(*id) == Some(Encoding::Calls)).collect();
    let names: Vec<String> = methods.iter().take(SKIPPED).map(|id| capture.code.method_name(*id)).collect();
    let more = match methods.len().saturating_sub(SKIPPED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!methods.is_empty()).then(|| names.join(", ") + &more)
}

/// Gives each of these threads the samples of its frames.
pub(super) fn with_samples(
    mut running: Vec<Running>,
    mut samples: HashMap<u64, model::running::RunningSamples>,
) -> Vec<Running> {
    for thread in &mut running {
        thread.samples = samples.remove(&thread.tid);
    }
    running
}

impl FlowSource for Capture {
    fn code(&self) -> &CodeMap {
        &self.code
    }

    fn threads(&self) -> &[ThreadInfo] {
        &self.facts.threads
    }

    fn flow(&self, thread: usize) -> Box<dyn model::flow_source::Flow> {
        let none = Thread::default();
        let thread = self.threads.get(thread).unwrap_or(&none);
        Box::new(if self.infers_lost { self.flow_with_lost(thread) } else { Capture::flow(self, thread) })
    }

    fn flow_from(&self, thread: usize, record: u64) -> Option<Box<dyn model::flow_source::Flow>> {
        Some(Box::new(Capture::flow_from(self, self.threads.get(thread)?, record)))
    }

    fn unusual_records(&self, thread: usize, from: u64, most: usize) -> Vec<u64> {
        self.threads.get(thread).map_or(vec![], |thread| thread.unusual_words(from, most))
    }

    fn trace(&self) -> &TraceInfo {
        &self.facts.trace
    }

    fn infer_lost(&mut self, infers: bool) {
        self.infers_lost = infers;
    }

    fn course(&self) -> &Course {
        &self.facts.course
    }

    fn has_clock(&self) -> bool {
        self.threads.iter().any(|thread| !thread.ticks.is_empty())
    }

    fn marks(&self) -> &[Mark] {
        &self.marks
    }

    fn values(&self) -> &[CallValues] {
        &self.values
    }

    fn tasks(&self) -> &[Task] {
        &self.tasks.all
    }

    fn throttled(&self) -> &[Throttled] {
        &self.throttled
    }

    fn stacks(&self) -> &StackSamples {
        &self.stacks
    }

    fn running(&self) -> &[Running] {
        &self.running
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn class_file(&self, class: ClassId) -> Option<Vec<u8>> {
        self.class_bytes(class)
    }
}

impl model::flow_source::Flow for Flow {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        Flow::next_step(self)
    }

    fn taken(&self) -> u64 {
        Flow::taken(self)
    }

    fn anomalies(&self) -> Anomalies {
        Flow::anomalies(self)
    }
}

#[cfg(test)]
mod tests;
