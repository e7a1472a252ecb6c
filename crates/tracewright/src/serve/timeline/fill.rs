//! Filling an index from a trace: states of threads and CPUs where it is of a kernel, else of each track the event
//! that happened last.

use std::path::Path;
use std::sync::{Arc, RwLock, RwLockWriteGuard};

use analyses::timeline::{DiagnosticLine, Incoherence, Index, RowKind, State, StateId};
use analyses::tracks::{TrackBy, Tracker};
use inference::model::Inconsistency;
use inference::{Fed, InstanceSpan, Joint, Name, Retention, Spans, StateSet};
use model::machine::Pattern;
use model::{Alphabet, EventSource, Item, Severity, Symbol};
use rustc_hash::FxHashMap;

use super::after_loss;
use super::question::Question;
use super::row_kind::{row_kind, row_of};
use super::running::Running;
use super::tap::Tap;
use super::wait::Meanings;
use crate::engines::Hosts;
use crate::exit::Result;
use crate::models::Model;
use crate::open::{has_plain_lines, open};

/// Items between two looks of others at what was found.
const BATCH: usize = 20_000;
/// Events that are looked through for a switch of the scheduler before a trace counts as one without.
const MOST_SCANNED: usize = 200_000;

/// Whether the trace is of a kernel: some event near its beginning is a switch of the scheduler.
pub(super) fn is_kernel(source: &mut dyn EventSource) -> bool {
    let mut seen = 0;
    while seen < MOST_SCANNED {
        match source.next_item() {
            Some(Item::Event(_)) => seen += 1,
            Some(Item::Gap(_)) => continue,
            None => break,
        }
        if seen.is_multiple_of(1000) && source.alphabet().find("sched_switch").is_some() {
            return true;
        }
    }
    source.alphabet().find("sched_switch").is_some()
}

/// Reads the trace at `input` into `index`. `passed` hears how far it has come.
pub(super) fn fill(
    index: &RwLock<Index>,
    input: &Path,
    question: Question<'_>,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<()> {
    let Question { model, is_asked_for, by } = question;
    // Whose machines are asked for, they are run, whatever the trace is of.
    let has_machines = is_asked_for || by == TrackBy::Thread && is_kernel(open(input)?.as_mut());
    let mut source = open(input)?;
    write(index).is_kernel = has_machines;
    let has_offsets = input.is_file() && has_plain_lines(input);
    match has_machines {
        true => kernel(index, Tap::new(source.as_mut(), has_offsets, true), model, passed),
        false => tracks(index, Tap::new(source.as_mut(), has_offsets, false), by, passed),
    }
}

pub(super) fn write(index: &RwLock<Index>) -> RwLockWriteGuard<'_, Index> {
    index.write().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// By the machines of `model`.
pub(super) fn kernel(
    index: &RwLock<Index>,
    mut tap: Tap<'_>,
    model: &Model,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<()> {
    let retention = Retention { spans: Spans::All, ..Retention::default() };
    let mut checker =
        Joint::new(model.pattern.clone(), retention).or_else(|unsupported| model.refuse(&unsupported))?;
    let mut known = Known::default();
    let (mut items, mut reported) = (0usize, 0);
    let (mut spans, mut running) = (Vec::new(), Running::of(&model.pattern));
    loop {
        let fed = checker.feed(&mut tap);
        let mut new = checker.take_spans();
        match fed {
            Some(Fed::Event { .. }) => running.event(&checker, &tap, &new),
            Some(Fed::Gap(gap)) => {
                tap.losses.add(&gap, tap.source);
                running.gap(&checker, &gap);
            }
            None => {}
        }
        spans.append(&mut new);
        items += 1;
        if items.is_multiple_of(BATCH) || fed.is_none() {
            let mut index = write(index);
            if fed.is_none() {
                checker.finish();
                spans.append(&mut checker.take_spans());
            }
            for span in spans.drain(..) {
                add_span(&mut index, &checker, &mut known, &span);
            }
            running.give(&mut index, |index, machine, key| known.row(index, &checker, machine, key));
            let found = checker.incoherences().get(reported..).unwrap_or_default();
            for one in found {
                let incoherence = incoherence(&mut index, &model.pattern, one);
                index.incoherences.push(incoherence);
            }
            reported += found.len();
            tap.give(&mut index);
            if fed.is_none() {
                // Before the ends of streams, after which nothing is known either.
                after_loss::forget(&mut index, &Meanings::of(&model.pattern));
                tap.end_rows(&mut index);
                index.diagnostics.extend(several_hosts(tap.source));
            }
            passed(tap.source);
        }
        if fed.is_none() {
            return Ok(());
        }
    }
}

/// Rows are by number, and threads and CPUs of two hosts have the same ones.
fn several_hosts(source: &dyn EventSource) -> Option<DiagnosticLine> {
    let hosts = Hosts::several(source)?;
    let sentence = format!(
        "These are traces of {} hosts ({}), whose threads and CPUs of the same number share a row here, so its states \
         are of neither: open the trace of one host at a time.",
        hosts.names.len(),
        hosts.names.join(", ")
    );
    Some(DiagnosticLine { severity: Severity::Damage, sentence })
}

/// What was looked up before: of each machine its sets of states and its instances.
#[derive(Default)]
struct Known {
    states: FxHashMap<(usize, StateSet), StateId>,
    rows: FxHashMap<(usize, Name), usize>,
}

impl Known {
    fn row(&mut self, index: &mut Index, checker: &Joint, machine: usize, key: Name) -> usize {
        *self.rows.entry((machine, key)).or_insert_with(|| {
            let (machine, name) = (checker.pattern().machines.get(machine), checker.texts().show_name(key));
            let (kind, key) =
                machine.map_or((RowKind::Machine, String::new()), |machine| row_of(machine, &name));
            index.row(kind, &key)
        })
    }
}

fn add_span(index: &mut Index, checker: &Joint, known: &mut Known, span: &InstanceSpan) {
    let &InstanceSpan { machine, key, ref span } = span;
    let about = checker.pattern().machines.get(machine);
    let value = *known.states.entry((machine, span.value)).or_insert_with(|| {
        let states = about.map_or(&[][..], |machine| &machine.states);
        let name = |state: usize| states.get(state).map_or("?", |state| &*state.id).to_owned();
        let (kind, names) = (about.map_or(RowKind::Machine, row_kind), span.value.iter().map(name).collect());
        index.states.number(State { kind, names, is_inferred: false })
    });
    let row = known.row(index, checker, machine, key);
    if let Some(row) = index.rows.get_mut(row) {
        row.lane.change(span.from.0, value);
    }
}

fn incoherence(index: &mut Index, pattern: &Pattern, found: &Inconsistency) -> Incoherence {
    let machine = pattern.machines.iter().find(|machine| *machine.id == *found.machine);
    let (kind, key) =
        machine.map_or((RowKind::Machine, String::new()), |machine| row_of(machine, &found.instance));
    // States of learned machines are named after events, whose names stay as they are.
    let names = |states: &[Arc<str>]| match kind {
        RowKind::Machine => states.join(" or "),
        _ => states.join(" or ").replace('_', " "),
    };
    let row = index.row(kind, &key);
    let event = found.event.to_string();
    let what = index.rows.get(row).map_or("?", |row| &row.name);
    let sentence = format!(
        "{what} was in state {}, which does not take {event}; it would have had to be in {}.",
        names(&found.states),
        names(&found.accepted_by)
    );
    Incoherence { time: found.time.0, row: Some(row), event, cpu: found.cpu, sentence }
}

/// By tracks: the state of a track is the event that happened on it last.
fn tracks(
    index: &RwLock<Index>,
    mut source: Tap<'_>,
    by: TrackBy,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<()> {
    let mut tracker = Tracker::new(by);
    let mut steps: Vec<(usize, i64, Symbol, bool)> = Vec::with_capacity(BATCH);
    let (mut last_time, mut numbers) = (i64::MIN, Vec::new());
    // By track: the stream of its last event.
    let mut streams: Vec<usize> = Vec::new();
    loop {
        let mut gaps = Vec::new();
        let assigned = tracker.next(&mut source, |gap| gaps.push(*gap));
        for gap in &gaps {
            source.losses.add(gap, source.source);
        }
        if let Some(assigned) = assigned {
            last_time = assigned.step.time.map_or(last_time, |time| time.0.max(last_time));
            let time = if last_time == i64::MIN { 0 } else { last_time };
            let track = assigned.step.track.0 as usize;
            if streams.len() <= track {
                streams.resize(track + 1, 0);
            }
            streams[track] = source.seen.stream;
            steps.push((track, time, assigned.step.symbol, assigned.broken));
        }
        if steps.len() >= BATCH || assigned.is_none() {
            let mut index = write(index);
            for (track, time, symbol, broken) in steps.drain(..) {
                add_step(&mut index, &mut numbers, source.alphabet(), (track, time, symbol, broken));
            }
            for (row, track) in index.rows.iter_mut().zip(tracker.tracks()) {
                row.name.clone_from(&track.name);
            }
            source.give(&mut index);
            if assigned.is_none() {
                for (track, &stream) in streams.iter().enumerate() {
                    source.end_of(stream).into_iter().for_each(|end| index.ends(track, end));
                }
            }
            passed(source.source);
        }
        if assigned.is_none() {
            return Ok(());
        }
    }
}

fn add_step(
    index: &mut Index,
    numbers: &mut Vec<Option<StateId>>,
    alphabet: &Alphabet,
    (track, time, symbol, broken): (usize, i64, Symbol, bool),
) {
    while index.rows.len() <= track {
        let number = index.rows.len().to_string();
        index.row(RowKind::Track, &number);
    }
    let slot = symbol.0 as usize;
    if numbers.len() <= slot {
        numbers.resize(slot + 1, None);
    }
    let state = |names| State { kind: RowKind::Track, names, is_inferred: false };
    let value = *numbers[slot]
        .get_or_insert_with(|| index.states.number(state(vec![alphabet.name(symbol).to_owned()])));
    let unknown = broken.then(|| index.states.number(state(vec![])));
    let Some(row) = index.rows.get_mut(track) else { return };
    if let (Some(unknown), Some((last, ..))) =
        (unknown, row.lane.len().checked_sub(1).and_then(|last| row.lane.get(last)))
    {
        // What came after the last event before the loss is not known.
        row.lane.push(last.saturating_add(1).min(time), unknown);
    }
    row.lane.push(time, value);
}
