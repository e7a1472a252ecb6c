//! Kinds of threads: those whose names differ in numbers only are one, with variants where they began different calls.

use std::collections::BTreeMap;

use analyses::calls::{Inside, Report};
use analyses::replay::{NodeId, Thread};
use viewer::api::overview::{FoldedLine, LineKind};

use super::line::{blank, fill};
use crate::escape::plain;
use crate::numbers::counted;
use crate::serve::play::method::cut;
use crate::serve::play::recording::Recording;
use crate::views::thread_names::{pattern, together};

/// Kinds that are shown.
const MOST: usize = 400;

/// Threads of one kind.
#[derive(Debug)]
pub(super) struct ThreadKind {
    pub(super) line: FoldedLine,
    /// Those that began the same calls in the same order are one; each with its line.
    pub(super) shapes: Vec<(FoldedLine, Inside)>,
}

/// All kinds, those with the most blocks first.
pub(super) fn kinds(recording: &Recording, report: &mut Report<'_>) -> Vec<ThreadKind> {
    let mut named: BTreeMap<String, Vec<&Thread>> = BTreeMap::new();
    for thread in &recording.replay.threads {
        named.entry(pattern(name(recording, thread))).or_default().push(thread);
    }
    let blocks = |thread: &&Thread| recording.total(thread.root);
    let mut kinds: Vec<Vec<&Thread>> = named.into_values().collect();
    kinds.sort_by_key(|threads| {
        let sum = threads.iter().map(blocks).fold(0u64, u64::saturating_add);
        (std::cmp::Reverse(sum), threads.first().map(|thread| thread.serial))
    });
    kinds.truncate(MOST);
    kinds.into_iter().enumerate().map(|(at, threads)| kind(recording, report, at, &threads)).collect()
}

fn kind(recording: &Recording, report: &mut Report<'_>, at: usize, threads: &[&Thread]) -> ThreadKind {
    let id = format!("k{at}");
    let roots: Vec<NodeId> = threads.iter().map(|thread| thread.root).collect();
    let shapes = report.threads(&roots).into_iter().enumerate().map(|(number, inside)| {
        let has = |thread: &&&Thread| inside.nodes().any(|(root, _)| root == thread.root);
        let of_shape: Vec<&Thread> = threads.iter().filter(has).copied().collect();
        let mut line = blank(format!("{id}.{number}"), LineKind::Thread);
        fill(recording, &mut line, &inside);
        line.opens = line.opens || line.calls > 0;
        line.title = names(recording, &of_shape);
        (line.times, line.around) = (of_shape.len() as u64, threads.len() as u64);
        line.note = note(recording, &of_shape, 1);
        (line, inside)
    });
    let shapes: Vec<(FoldedLine, Inside)> = shapes.collect();
    let mut line = blank(id, LineKind::Thread);
    line.title = names(recording, threads);
    line.times = threads.len() as u64;
    line.note = note(recording, threads, shapes.len());
    line.calls = shapes.iter().map(|(line, _)| line.calls).fold(0, u64::saturating_add);
    line.blocks = shapes.iter().map(|(line, _)| line.blocks).fold(0, u64::saturating_add);
    line.opens = shapes.iter().any(|(line, _)| line.opens);
    line.same = shapes.first().and_then(|(line, _)| line.same).filter(|_| shapes.len() == 1);
    ThreadKind { line, shapes }
}

/// A note on a group of threads.
fn note(recording: &Recording, threads: &[&Thread], shapes: usize) -> String {
    let mut parts = vec![];
    if threads.len() > 1 {
        parts.push(counted(threads.len() as u64, "thread"));
    }
    if shapes > 1 {
        parts.push(counted(shapes as u64, "variant"));
    }
    let inconsistent = threads.iter().map(|thread| thread.inconsistent).fold(0u64, u64::saturating_add);
    if inconsistent > 0 {
        parts.push(format!("{} do not fit what ran before", counted(inconsistent, "step")));
    }
    let known =
        |thread: &&&Thread| recording.about.threads.iter().find(|known| known.serial == thread.serial);
    let before = threads.iter().filter_map(|thread| known(&thread)?.ran_before.as_deref()).next();
    parts.extend(before.map(|sentence| plain(&cut(sentence)).into_owned()));
    parts.join(", ")
}

/// The name of a thread.
pub(in crate::serve) fn name<'r>(recording: &'r Recording, thread: &Thread) -> &'r str {
    let known = recording.about.threads.iter().find(|known| known.serial == thread.serial);
    known.map_or("?", |known| known.name.as_str())
}

/// What threads are called together.
fn names(recording: &Recording, threads: &[&Thread]) -> String {
    plain(&cut(&together(threads.iter().map(|thread| name(recording, thread)).collect()))).into_owned()
}
