//! `/api/play/profile`: how deep the calls were. `/api/play/variants`, `/api/play/iteration`: the iterations of a loop.

use analyses::replay::{LoopPlace, Measure, NodeId};

use super::recording::Recording;
use super::state::loop_key;
use super::{bad, ready};
use crate::serve::api::Handled;
use crate::serve::http::{Reply, Request};
use crate::serve::session::Session;
use crate::views::json::Json;

/// Pixels, losses and variants that are told.
const PIXELS: u64 = 4096;
const GAPS: u64 = 2000;
const VARIANTS: usize = 60;

pub(super) fn profile(session: &Session, request: &Request) -> Handled {
    let recording = ready(session)?;
    let (Some(thread), Some(pixels)) = (request.number("thread"), request.number("pixels")) else {
        return Err(bad());
    };
    let Some(root) = recording.root(thread) else { return Err(bad()) };
    let pixels = pixels.min(PIXELS) as usize;
    Ok(Reply::json(recording.profile(root, pixels, || draw(&recording, root, pixels))))
}

fn draw(recording: &Recording, root: NodeId, pixels: usize) -> Vec<u8> {
    let profile = recording.heights.profile(&recording.replay, &recording.blocks, root, pixels);
    let mut json = Json::default();
    json.object(|json| {
        json.key("total").number(recording.total(root));
        json.key("min").array(&profile, |json, pixel| json.number_or_null(pixel.map(|pixel| pixel.min)));
        json.key("max").array(&profile, |json, pixel| json.number_or_null(pixel.map(|pixel| pixel.max)));
        let gaps = recording.measures.get("gaps", || Measure::gaps(&recording.replay));
        let all = gaps.of_node(root);
        json.key("losses").number(all);
        let found =
            (0..all.min(GAPS)).filter_map(|k| recording.replay.select(root, &recording.blocks, &gaps, k));
        json.key("gaps").array(found, |json, path| json.number(path.position));
    });
    json.out
}

/// Where an iteration begins.
pub(super) fn iteration(session: &Session, request: &Request) -> Handled {
    let recording = ready(session)?;
    let numbers = ["thread", "at", "place", "iteration"].map(|name| request.number(name));
    let [Some(thread), Some(at), Some(place), Some(iteration)] = numbers else { return Err(bad()) };
    let found = loop_at(&recording, thread, at, place).and_then(|found| {
        let offset = recording.replay.iteration_offset(&recording.blocks, found.node, iteration)?;
        Some(found.all.begin.saturating_add(offset))
    });
    let mut json = Json::default();
    json.object(|json| json.key("at").number_or_null(found));
    Ok(Reply::json(json.out))
}

fn loop_at(recording: &Recording, thread: u64, at: u64, place: u64) -> Option<LoopPlace> {
    let path = recording.seek(recording.root(thread)?, at)?;
    let loops = recording.replay.loops(&recording.blocks, &path);
    loops.into_iter().find(|one| one.place as u64 == place)
}

pub(super) fn variants(session: &Session, request: &Request) -> Handled {
    let recording = ready(session)?;
    let (Some(thread), Some(at), Some(place)) =
        (request.number("thread"), request.number("at"), request.number("place"))
    else {
        return Err(bad());
    };
    describe(&recording, thread, at, place)
        .ok_or_else(|| Reply::refusal(404, "There is no loop at that place.\n"))
}

fn describe(recording: &Recording, thread: u64, at: u64, place: u64) -> Option<Reply> {
    let (replay, blocks) = (&recording.replay, &recording.blocks);
    let found = loop_at(recording, thread, at, place)?;
    let (variants, all) = replay.variants(blocks, found.node, VARIANTS);
    let (method, index) = loop_key(replay.kind(found.node));
    let look = recording.last_look(found.node);
    let mut json = Json::default();
    json.object(|json| {
        json.key("method").number(method.0);
        json.key("loop").number_or_null(index);
        json.key("iterations").number(found.iterations);
        json.key("rounds").number(found.iterations.saturating_sub(u64::from(look.is_some())));
        json.key("iteration").number(found.iteration);
        json.key("begin").number(found.all.begin);
        json.key("all").number(all);
        json.key("variants").array(&variants, |json, variant| {
            json.object(|json| {
                json.key("times").number(variant.times);
                json.key("firstIteration").number(variant.first_iteration);
                json.key("look").bool(look == Some(variant.node));
                json.key("at").number(found.all.begin.saturating_add(variant.offset));
                json.key("blocks").number(blocks.of_node(variant.node));
                json.key("calls").number(recording.calls.of_node(variant.node));
                let ran = recording.with_counts(|counts| counts.of_node(replay, variant.node));
                json.key("ran").array(ran, |json, (block, _)| json.number(block));
            });
        });
    });
    Some(Reply::json(json.out))
}
