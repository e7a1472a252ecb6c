//! `/api/play/state`: the open calls at a position and what ran in them. `/api/play/step`: the same one step on.

use analyses::replay::{Folds, FramePlace, Go, Kind, LoopPlace, NodeId, Path, Skipped, Walker};
use model::code::{BlockId, MethodId};
use model::flow::{Entered, Left};

use super::recording::Recording;
use super::{bad, list, ready};
use crate::serve::api::Handled;
use crate::serve::http::{Reply, Request};
use crate::serve::session::Session;
use crate::views::json::Json;

/// Open calls that are told: the outermost few and the innermost.
const OUTER: usize = 8;
const INNER: usize = 56;
/// Loops that a request may name as unfolded.
const UNFOLDED: usize = 200;

pub(super) fn answer(session: &Session, request: &Request) -> Handled {
    let recording = ready(session)?;
    let (Some(thread), Some(at)) = (request.number("thread"), request.number("at")) else {
        return Err(bad());
    };
    let Some(root) = recording.root(thread) else { return Err(bad()) };
    let at = at.min(recording.total(root).saturating_sub(1));
    reply(&recording, root, recording.seek(root, at), &[], false)
}

pub(super) fn step(session: &Session, request: &Request) -> Handled {
    let recording = ready(session)?;
    let (Some(thread), Some(at)) = (request.number("thread"), request.number("at")) else {
        return Err(bad());
    };
    let (Some(root), Some(go)) = (recording.root(thread), request.query("go")) else { return Err(bad()) };
    let at = at.min(recording.total(root).saturating_sub(1));
    let folds = folds(&request.query("unfold").unwrap_or_default());
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
    match walker.go(at, go) {
        Some(moved) => reply(&recording, root, Some(moved.path), &moved.skipped, false),
        None => reply(&recording, root, recording.seek(root, at), &[], true),
    }
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

fn reply(
    recording: &Recording,
    root: NodeId,
    path: Option<Path>,
    skipped: &[Skipped],
    is_end: bool,
) -> Handled {
    let mut json = Json::default();
    json.object(|json| {
        json.key("total").number(recording.total(root));
        json.key("calls").number(recording.calls.of_node(root));
        json.key("end").bool(is_end);
        json.key("skipped").array(skipped, |json, one| {
            json.object(|json| {
                let (method, index) = loop_key(recording.replay.kind(one.node));
                json.key("method").number(method.0);
                json.key("loop").number_or_null(index);
                let looks = recording.last_look(one.node).is_some();
                json.key("iterations").number(one.iterations.saturating_sub(u64::from(looks)));
            });
        });
        let Some(path) = &path else {
            json.key("at").number(0);
            json.key("depth").number(0);
            json.key("frames").array([(); 0], |_, ()| ());
            return;
        };
        json.key("at").number(path.position);
        let moments = recording.replay.threads.iter().find(|thread| thread.root == root);
        let time = moments.and_then(|thread| {
            let after = thread.moments.partition_point(|moment| moment.0 <= path.position);
            thread.moments.get(after.checked_sub(1)?)
        });
        json.key("time").text_or_null(time.map(|time| time.1.to_string()).as_deref());
        json.key("lost").number_or_null(recording.replay.lost_before(path));
        describe(recording, root, path, json);
    });
    Ok(Reply::json(json.out))
}

/// The method and the loop's index, which together name a loop for a page.
pub(super) fn loop_key(kind: Kind) -> (MethodId, Option<u32>) {
    match kind {
        Kind::Loop { method, index } => (method, index),
        Kind::Again { method } | Kind::Iteration { method } | Kind::Frame { method, .. } => (method, None),
        Kind::Root => (MethodId(u32::MAX), None),
    }
}

fn describe(recording: &Recording, root: NodeId, path: &Path, json: &mut Json) {
    let (replay, blocks) = (&recording.replay, &recording.blocks);
    let frames = replay.frames(blocks, path);
    let loops = replay.loops(blocks, path);
    let known = recording.contexts(root);
    let chain: Vec<_> = frames.iter().map(|frame| (frame.caller_block, frame.method)).collect();
    let contexts = known.find(&chain);
    let call = frames.last().and_then(|frame| list::call_at(recording, path, frame.place));
    let row = call.map_or(0, |call| replay.rank(&recording.calls, &call));
    json.key("depth").number(frames.len());
    json.key("call").number(row);
    let hidden = frames.len().saturating_sub(OUTER + INNER);
    json.key("hidden").number(hidden);
    let told = frames.iter().enumerate().filter(|(index, _)| *index < OUTER || *index >= OUTER + hidden);
    json.key("frames").array(told, |json, (index, frame)| {
        let next = frames.get(index + 1);
        let last = next.map_or(path.places.len(), |next| next.place);
        let before = index.checked_sub(1).and_then(|before| frames.get(before));
        let own = |one: &&LoopPlace| one.place > frame.place && one.place < last && is_loop(recording, one);
        let inner: Vec<&LoopPlace> = loops.iter().filter(own).collect();
        let again = loops.iter().rev().find(|one| {
            one.place < frame.place
                && before.is_none_or(|before| one.place > before.place)
                && !is_loop(recording, one)
        });
        let block = match next {
            Some(next) => next.caller_block.map(|block| (block, false)),
            None => replay.block(path),
        };
        let context = contexts.get(index).copied().flatten();
        json.object(|json| {
            one(recording, json, index, frame, block, context);
            let counts = recording.with_counts(|counts| counts.up_to(replay, path, frame.place));
            json.key("counts").array(counts, pair);
            let iteration = inner.iter().rev().find(|one| one.iterations > 1 || one.iteration > 0);
            let ran = iteration
                .map(|iteration| recording.with_counts(|counts| counts.up_to(replay, path, iteration.place)));
            match ran {
                Some(ran) => json.key("iteration").array(ran, |json, (block, _)| json.number(block)),
                None => json.key("iteration").null(),
            }
            json.key("loops").array(inner.iter().copied(), |json, one| iterations(recording, json, one));
            json.key("again");
            match again {
                Some(again) => iterations(recording, json, again),
                None => json.null(),
            }
        });
    });
}

fn is_loop(recording: &Recording, one: &LoopPlace) -> bool {
    matches!(recording.replay.kind(one.node), Kind::Loop { .. })
}

fn pair(json: &mut Json, (block, count): (BlockId, u64)) {
    json.array([u64::from(block), count], |json, number| json.number(number));
}

fn one(
    recording: &Recording,
    json: &mut Json,
    depth: usize,
    frame: &FramePlace,
    block: Option<(BlockId, bool)>,
    context: Option<usize>,
) {
    let (class, name) = recording.names(frame.method);
    json.key("depth").number(depth);
    json.key("context").number_or_null(context);
    json.key("method").number(frame.method.0);
    json.key("class").text(class);
    json.key("name").text(name);
    json.key("how").text(entered(frame.entered));
    json.key("left").text(left(frame.left));
    json.key("begin").number(frame.begin);
    json.key("end").number(frame.end);
    json.key("caller").number_or_null(frame.caller_block);
    json.key("block").number_or_null(block.map(|block| block.0));
    json.key("caught").bool(block.is_some_and(|block| block.1));
}

/// A loop that is going on, in an object of its own.
fn iterations(recording: &Recording, json: &mut Json, one: &LoopPlace) {
    let (method, index) = loop_key(recording.replay.kind(one.node));
    json.object(|json| {
        json.key("method").number(method.0);
        json.key("loop").number_or_null(index);
        json.key("place").number(one.place);
        json.key("iteration").number(one.iteration);
        json.key("iterations").number(one.iterations);
        let looks = recording.last_look(one.node).is_some();
        json.key("rounds").number(one.iterations.saturating_sub(u64::from(looks)));
        json.key("begin").number(one.all.begin);
        json.key("end").number(one.all.end);
        json.key("iterationBegin").number(one.now.begin);
        json.key("iterationEnd").number(one.now.end);
    });
}

pub(super) fn entered(how: Entered) -> &'static str {
    match how {
        Entered::Call => "call",
        Entered::Library => "library",
        Entered::Outermost => "outermost",
        Entered::Unseen => "unseen",
    }
}

pub(super) fn left(how: Left) -> &'static str {
    match how {
        Left::Returned => "returned",
        Left::Threw => "threw",
        Left::Unseen => "unseen",
        Left::Open => "open",
    }
}
