//! `/api/play/contexts`: which bubbles there are, in the order in which they appear, and how large each is.
//! `/api/play/last`: what ran in the last call that a bubble stands for.

use analyses::replay::{Context, FramePlace, Measure, NodeId, Wanted};
use model::code::MethodId;

use super::method::View;
use super::recording::Recording;
use super::state::{entered, left};
use super::{bad, ready};
use crate::serve::api::Handled;
use crate::serve::http::{Reply, Request};
use crate::serve::session::Session;
use crate::views::json::Json;

pub(super) fn answer(session: &Session, request: &Request) -> Handled {
    let recording = ready(session)?;
    let Some(root) = request.number("thread").and_then(|thread| recording.root(thread)) else {
        return Err(bad());
    };
    let known = recording.contexts(root);
    let mut json = Json::default();
    json.object(|json| {
        json.key("complete").bool(known.contexts.complete);
        let mut methods: Vec<MethodId> = Vec::new();
        json.key("contexts").array(&known.contexts.list, |json, context| {
            methods.push(context.method);
            json.object(|json| {
                json.key("parent").number_or_null(context.parent);
                json.key("method").number(context.method.0);
                json.key("caller").number_or_null(context.caller_block);
                json.key("how").text(entered(context.entered));
                json.key("first").number(context.first);
                json.key("row").number_or_null(caller_row(&recording, &known.contexts.list, context));
            });
        });
        methods.sort_unstable();
        methods.dedup();
        json.key("methods").array(methods, |json, method| summary(&recording, json, method));
    });
    Ok(Reply::json(json.out))
}

/// What a bubble needs before its text is there.
fn summary(recording: &Recording, json: &mut Json, method: MethodId) {
    let (class, name) = recording.names(method);
    json.object(|json| {
        json.key("id").number(method.0);
        json.key("class").text(class);
        json.key("name").text(name);
        let view = View::of(recording, method);
        json.key("rows").number(view.rows.len());
        let columns = view.rows.iter().map(|row| row.text.chars().count()).max();
        json.key("columns").number(columns.unwrap_or(0));
    });
}

/// The row of the caller's bubble from which the call is made.
fn caller_row(recording: &Recording, all: &[Context], context: &Context) -> Option<usize> {
    let caller = all.get(context.parent?)?;
    let block = context.caller_block?;
    View::of(recording, caller.method).rows.iter().rposition(|row| row.blocks.contains(&block))
}

/// So many calls of the method are looked at for one from the context.
const TRIES: u64 = 64;

/// The last call from a context that began before a position: what ran in it, if it is over.
pub(super) fn last(session: &Session, request: &Request) -> Handled {
    let recording = ready(session)?;
    let (Some(thread), Some(at), Some(index)) =
        (request.number("thread"), request.number("at"), request.number("context"))
    else {
        return Err(bad());
    };
    let Some(root) = recording.root(thread) else { return Err(bad()) };
    let at = at.min(recording.total(root).saturating_sub(1));
    let found = find_last(&recording, root, at, index as usize);
    let mut json = Json::default();
    json.object(|json| {
        json.key("begin").number_or_null(found.map(|frame| frame.begin));
        json.key("end").number_or_null(found.map(|frame| frame.end));
        json.key("left").text_or_null(found.map(|frame| left(frame.left)));
        let counts = found.map_or_else(Vec::new, |frame| {
            recording.with_counts(|counts| counts.of_node(&recording.replay, frame.node))
        });
        json.key("counts").array(counts, |json, (block, count)| {
            json.array([u64::from(block), count], |json, number| json.number(number));
        });
    });
    Ok(Reply::json(json.out))
}

fn find_last(recording: &Recording, root: NodeId, at: u64, index: usize) -> Option<FramePlace> {
    let (replay, blocks) = (&recording.replay, &recording.blocks);
    let known = recording.contexts(root);
    let method = known.contexts.list.get(index)?.method;
    let measure = recording.measures.get(&format!("calls of {}", method.0), || {
        let wanted = Wanted { frame: &|one| one == method, block: None, first_iterations: false };
        Measure::of(replay, &wanted)
    });
    let before = replay.rank(&measure, &recording.seek(root, at)?);
    for rank in (before.saturating_sub(TRIES)..before).rev() {
        let frames = replay.frames(blocks, &replay.select(root, blocks, &measure, rank)?);
        let chain: Vec<_> = frames.iter().map(|frame| (frame.caller_block, frame.method)).collect();
        if known.find(&chain).last().copied().flatten() == Some(index) {
            return frames.last().copied();
        }
    }
    None
}
