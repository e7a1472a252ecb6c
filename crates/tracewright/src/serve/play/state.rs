//! `/api/play/state`: the open calls at a position and what ran in them. `/api/play/step`: the same one step on.

use analyses::replay::{Folds, FrameOnPath, Go, Kind, LoopOnPath, NodeId, Path, Skipped, Walker};
use model::code::{BlockId, MethodId};
use viewer::api::play::{BlockCount, Frame, LoopState, SkippedLoop, State};
use viewer::api::{Handled, Parameters};

use super::recording::Recording;
use super::{bad, list, ready};
use crate::serve::session::Session;

/// Open calls that are given: the outermost few and the innermost.
const OUTER: usize = 8;
const INNER: usize = 56;
/// Loops that a request may name as unfolded.
const UNFOLDED: usize = 200;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<State> {
    let recording = ready(session)?;
    let (Some(thread), Some(at)) = (asked.number("thread"), asked.number::<u64>("at")) else {
        return Err(bad());
    };
    let Some(root) = recording.root(thread) else { return Err(bad()) };
    let at = at.min(recording.total(root).saturating_sub(1));
    Ok(state(&recording, root, recording.seek(root, at), &[], false))
}

pub(super) fn step(session: &Session, asked: &Parameters<'_>) -> Handled<State> {
    let recording = ready(session)?;
    let (Some(thread), Some(at)) = (asked.number("thread"), asked.number::<u64>("at")) else {
        return Err(bad());
    };
    let (Some(root), Some(go)) = (recording.root(thread), asked.text("go")) else { return Err(bad()) };
    let at = at.min(recording.total(root).saturating_sub(1));
    let folds = folds(&asked.text("unfold").unwrap_or_default());
    let go = match go.as_str() {
        "next" => Go::Next,
        "back" => Go::Back,
        "over" => Go::Over,
        "backover" => Go::BackOver,
        "out" => Go::Out,
        "outback" => Go::OutBack,
        _ => return Err(bad()),
    };
    let walker = Walker::new(&recording.replay, &recording.blocks, &recording.code, root, &folds);
    Ok(match walker.go(at, go) {
        Some(moved) => state(&recording, root, Some(moved.path), &moved.skipped, false),
        None => state(&recording, root, recording.seek(root, at), &[], true),
    })
}

/// `all`, or pairs `method:loop` with commas between them; `-` for calls of the method in a row.
fn folds(text: &str) -> Folds {
    if text == "all" {
        return Folds { all_open: true, open: Vec::new() };
    }
    let pairs = text.split(',').take(UNFOLDED).filter_map(|pair| {
        let (method, index) = pair.split_once(':')?;
        let index = if index == "-" { None } else { Some(index.parse().ok()?) };
        Some((MethodId(method.parse().ok()?), index))
    });
    Folds { all_open: false, open: pairs.collect() }
}

fn state(recording: &Recording, root: NodeId, path: Option<Path>, skipped: &[Skipped], end: bool) -> State {
    let replay = &recording.replay;
    let skipped = skipped.iter().map(|one| {
        let (method, index) = loop_key(replay.kind(one.node));
        let looks = recording.last_look(one.node).is_some();
        SkippedLoop { method: method.0, index, iterations: one.iterations.saturating_sub(u64::from(looks)) }
    });
    let mut state = State {
        at: 0,
        total: recording.total(root),
        calls: recording.calls.of_node(root),
        call: 0,
        depth: 0,
        hidden: 0,
        end,
        time: None,
        lost: None,
        inferred: None,
        resumes: None,
        skipped: skipped.collect(),
        frames: vec![],
    };
    let Some(path) = path else { return state };
    state.at = path.position;
    let thread = replay.threads.iter().find(|thread| thread.root == root);
    let moment = thread.and_then(|thread| {
        let after = thread.moments.partition_point(|moment| moment.0 <= path.position);
        thread.moments.get(after.checked_sub(1)?)
    });
    state.time = moment.map(|(_, time)| time.to_string());
    state.lost = replay.lost_before(&path);
    state.inferred = recording.inferred_at(root, &path);
    state.resumes = recording.resumes_at(root, &path).filter(|_| state.inferred.is_none());
    let frames = replay.frames(&recording.blocks, &path);
    let call = frames.last().and_then(|frame| list::call_at(recording, &path, frame.step));
    state.call = call.map_or(0, |call| replay.rank(&recording.calls, &call));
    state.depth = frames.len();
    state.hidden = frames.len().saturating_sub(OUTER + INNER);
    state.frames = open_calls(recording, root, &path, &frames, state.hidden);
    state
}

/// The method and the loop's index, which together name a loop for a page.
pub(super) fn loop_key(kind: Kind) -> (MethodId, Option<u32>) {
    match kind {
        Kind::Loop { method, index } => (method, index),
        Kind::Again { method } | Kind::Iteration { method } | Kind::Frame { method, .. } => (method, None),
        Kind::Root => (MethodId(u32::MAX), None),
    }
}

/// The open calls, without `hidden` ones between the outermost and the innermost.
fn open_calls(
    recording: &Recording,
    root: NodeId,
    path: &Path,
    frames: &[FrameOnPath],
    hidden: usize,
) -> Vec<Frame> {
    let replay = &recording.replay;
    let loops = replay.loops(&recording.blocks, path);
    let known = recording.contexts(root);
    let chain: Vec<_> = frames.iter().map(|frame| (frame.caller_block, frame.method)).collect();
    let contexts = known.find(&chain);
    let is_shown = |index: &usize| *index < OUTER || *index >= OUTER + hidden;
    let one = |index: usize| {
        let (frame, next) = (frames.get(index)?, frames.get(index + 1));
        let last = next.map_or(path.steps.len(), |next| next.step);
        let before = index.checked_sub(1).and_then(|before| frames.get(before));
        let own = |one: &&LoopOnPath| one.step > frame.step && one.step < last && is_loop(recording, one);
        let inner: Vec<&LoopOnPath> = loops.iter().filter(own).collect();
        let again = loops.iter().rev().find(|one| {
            one.step < frame.step
                && before.is_none_or(|before| one.step > before.step)
                && !is_loop(recording, one)
        });
        let block = match next {
            Some(next) => next.caller_block.map(|block| (block, false)),
            None => replay.block(path),
        };
        let iteration = inner.iter().rev().find(|one| one.iterations > 1 || one.iteration > 0);
        let ran = |slot: usize| recording.with_counts(|counts| counts.up_to(replay, path, slot));
        let (class, name) = recording.owned_names(frame.method);
        Some(Frame {
            depth: index,
            context: contexts.get(index).copied().flatten(),
            method: frame.method.0,
            class,
            name,
            how: frame.entered.into(),
            left: frame.left.into(),
            begin: frame.begin,
            end: frame.end,
            caller: frame.caller_block,
            block: block.map(|(block, _)| block),
            caught: block.is_some_and(|(_, is_caught)| is_caught),
            counts: pairs(ran(frame.step)),
            inferred: pairs(recording.inferred_up_to(root, path, frame.step)),
            iteration: iteration.map(|one| ran(one.step).into_iter().map(|(block, _)| block).collect()),
            loops: inner.iter().map(|one| loop_state(recording, one)).collect(),
            again: again.map(|one| loop_state(recording, one)),
        })
    };
    (0..frames.len()).filter(is_shown).filter_map(one).collect()
}

fn is_loop(recording: &Recording, one: &LoopOnPath) -> bool {
    matches!(recording.replay.kind(one.node), Kind::Loop { .. })
}

/// How often each block ran, for an answer.
pub(in crate::serve) fn pairs(counts: impl IntoIterator<Item = (BlockId, u64)>) -> Vec<BlockCount> {
    counts.into_iter().map(|(block, count)| BlockCount(block, count)).collect()
}

/// A loop that is going on.
fn loop_state(recording: &Recording, one: &LoopOnPath) -> LoopState {
    let (method, index) = loop_key(recording.replay.kind(one.node));
    let looks = recording.last_look(one.node).is_some();
    LoopState {
        method: method.0,
        index,
        slot: one.step,
        iteration: one.iteration,
        iterations: one.iterations,
        rounds: one.iterations.saturating_sub(u64::from(looks)),
        begin: one.all.begin,
        end: one.all.end,
        iteration_begin: one.now.begin,
        iteration_end: one.now.end,
    }
}
