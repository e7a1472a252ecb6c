//! `/api/list`: calls by their number, however many there are.

use std::sync::Arc;

use analyses::replay::{Kind, Measure, NodeId, Path, Wanted};
use model::code::MethodId;
use viewer::api::list::{Call, Calls};
use viewer::api::{Handled, Parameters};

use super::recording::{Recording, package};
use super::{bad, ready};
use crate::serve::session::Session;

/// Rows of one answer.
const ROWS: u64 = 400;

/// Which calls are listed.
#[derive(Debug)]
pub(super) struct Filter {
    /// Those of classes of this package and of packages inside it; empty: all.
    package: String,
    /// Those in the first iteration of each loop.
    pub(super) first_iterations: bool,
}

impl Filter {
    pub(super) fn of(asked: &Parameters<'_>) -> Filter {
        Filter { package: asked.text("package").unwrap_or_default(), first_iterations: asked.flag("first") }
    }

    fn wants(&self, recording: &Recording, method: MethodId) -> bool {
        let package = package(recording.names(method).0);
        match package.strip_prefix(self.package.as_str()) {
            Some(rest) => self.package.is_empty() || rest.is_empty() || rest.starts_with('.'),
            None => false,
        }
    }

    /// The measure of the calls that are listed.
    pub(super) fn measure(&self, recording: &Recording) -> Arc<Measure> {
        if self.package.is_empty() && !self.first_iterations {
            return recording.calls.clone();
        }
        recording.measures.get(&format!("rows {} {}", self.first_iterations, self.package), || {
            let wanted = Wanted {
                frame: &|method| self.wants(recording, method),
                block: None,
                first_iterations: self.first_iterations,
            };
            Measure::of(&recording.replay, &wanted)
        })
    }
}

/// The path to the beginning of the call at a slot of a path.
pub(super) fn call_at(recording: &Recording, path: &Path, slot: usize) -> Option<Path> {
    let mut steps = path.steps.get(..=slot)?.to_vec();
    let last = steps.last_mut()?;
    (last.item, last.copy) = (recording.replay.items(last.node).len(), 0);
    let position = last.begin;
    Some(Path { steps, position })
}

/// The row of the innermost open call at the end of `path` that is listed, or the last row before.
pub(in crate::serve) fn row_of(
    recording: &Recording,
    root: NodeId,
    rows: &Measure,
    path: &Path,
) -> Option<u64> {
    let (replay, blocks) = (&recording.replay, &recording.blocks);
    for frame in replay.frames(blocks, path).iter().rev() {
        let call = call_at(recording, path, frame.step)?;
        let row = replay.rank(rows, &call);
        if replay.select(root, blocks, rows, row).is_some_and(|found| found == call) {
            return Some(row);
        }
    }
    rows.of_node(root).checked_sub(1).map(|last| replay.rank(rows, path).saturating_sub(1).min(last))
}

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Calls> {
    let recording = ready(session)?;
    let (Some(from), Some(count)) = (asked.number::<u64>("from"), asked.number::<u64>("count")) else {
        return Err(bad());
    };
    let thread = asked.number("thread");
    let Some((thread, root)) = thread.and_then(|thread| Some((thread, recording.root(thread)?))) else {
        return Err(bad());
    };
    let rows = Filter::of(asked).measure(&recording);
    let total = rows.of_node(root);
    let to = from.saturating_add(count.min(ROWS)).min(total);
    // The row of a position of Play, when it is asked for.
    let row = asked
        .number("position")
        .and_then(|position| recording.seek(root, position))
        .and_then(|path| row_of(&recording, root, &rows, &path));
    let found = (from..to).filter_map(|row| {
        let path = recording.replay.select(root, &recording.blocks, &rows, row)?;
        let mut call = call(&recording, thread, row, &path)?;
        call.resumes = recording.resumes_before(root, &rows, row, &path);
        Some(call)
    });
    Ok(Calls { total, row, from, rows: found.collect() })
}

/// The call at the end of a path in a thread, which has this serial number.
pub(in crate::serve) fn call(recording: &Recording, thread: u64, row: u64, path: &Path) -> Option<Call> {
    let replay = &recording.replay;
    let step = path.steps.last()?;
    let Kind::Frame { method, entered, left } = replay.kind(step.node) else { return None };
    let is_frame = |node: NodeId| matches!(replay.kind(node), Kind::Frame { .. });
    let depth = path.steps.iter().filter(|step| is_frame(step.node)).count();
    let (class, name) = recording.owned_names(method);
    let known = recording.code.method(method);
    // The innermost loop around the call, in the frame that calls it.
    let around = path.steps.iter().rev().skip(1).take_while(|step| !is_frame(step.node));
    let iterations = around.filter(|step| replay.kind(step.node).has_iterations()).find_map(|step| {
        let items = replay.items(step.node);
        let iterations = recording.blocks.iterations_before(replay, step.node, items.len());
        let before = recording.blocks.iterations_before(replay, step.node, step.item);
        let looks = u64::from(recording.last_look(step.node).is_some());
        // A single iteration says no more than that the call stands in a loop.
        (iterations - looks > 1).then_some((before + step.copy, iterations - looks))
    });
    let root = path.steps.first()?.node;
    Some(Call {
        row,
        at: path.position,
        depth: depth.saturating_sub(1),
        method: method.0,
        class,
        name,
        file: known.and_then(|method| recording.code.class(method.class)?.source_file.clone()),
        values: recording.values_at(thread, path.position, method),
        line: known.and_then(|method| method.blocks.iter().find_map(|block| block.lines.first())).copied(),
        how: entered.into(),
        left: left.into(),
        blocks: recording.blocks.of_node(step.node),
        calls: recording.calls.of_node(step.node).saturating_sub(1),
        inferred: recording.inferred_at(root, path),
        inferred_inside: recording.inferred_inside(step.node),
        resumes: false,
        iteration: iterations.map(|(iteration, _)| iteration),
        iterations: iterations.map(|(_, iterations)| iterations),
    })
}
