//! `/api/play/profile`: how deep the calls were. `/api/play/variants`, `/api/play/iteration`: the iterations of a loop.

use analyses::replay::{LoopOnPath, NodeId};
use viewer::Reply;
use viewer::api::play::{IterationStart, Profile, Variant, Variants};
use viewer::api::{Handled, Parameters};

use super::recording::Recording;
use super::state::loop_key;
use super::{bad, ready};
use crate::serve::session::Session;

/// Pixels, losses and variants of one answer.
const PIXELS: u64 = 4096;
const GAPS: u64 = 2000;
const VARIANTS: usize = 60;

pub(super) fn profile(session: &Session, asked: &Parameters<'_>) -> Handled<Profile> {
    let recording = ready(session)?;
    let (Some(thread), Some(pixels)) = (asked.number("thread"), asked.number::<u64>("pixels")) else {
        return Err(bad());
    };
    let Some(root) = recording.root(thread) else { return Err(bad()) };
    let pixels = pixels.min(PIXELS) as usize;
    Ok(recording.profile(root, pixels, || draw(&recording, root, pixels)))
}

fn draw(recording: &Recording, root: NodeId, pixels: usize) -> Profile {
    let profile = recording.heights.profile(&recording.replay, &recording.blocks, root, pixels);
    let gaps = recording.gaps();
    let losses = gaps.of_node(root);
    let found =
        (0..losses.min(GAPS)).filter_map(|k| recording.replay.select(root, &recording.blocks, &gaps, k));
    let (inferred, inferences) = recording.inferred_ranges(root, GAPS);
    Profile {
        total: recording.total(root),
        min: profile.iter().map(|pixel| pixel.map(|pixel| pixel.min)).collect(),
        max: profile.iter().map(|pixel| pixel.map(|pixel| pixel.max)).collect(),
        losses,
        gaps: found.map(|path| path.position).collect(),
        inferences,
        inferred,
    }
}

/// Where an iteration begins.
pub(super) fn iteration(session: &Session, asked: &Parameters<'_>) -> Handled<IterationStart> {
    let recording = ready(session)?;
    let numbers = ["thread", "at", "slot", "iteration"].map(|name| asked.number::<u64>(name));
    let [Some(thread), Some(at), Some(slot), Some(iteration)] = numbers else { return Err(bad()) };
    let found = loop_at(&recording, thread, at, slot).and_then(|found| {
        let offset = recording.replay.iteration_offset(&recording.blocks, found.node, iteration)?;
        Some(found.all.begin.saturating_add(offset))
    });
    Ok(IterationStart { at: found })
}

fn loop_at(recording: &Recording, thread: u64, at: u64, slot: u64) -> Option<LoopOnPath> {
    let path = recording.seek(recording.root(thread)?, at)?;
    let loops = recording.replay.loops(&recording.blocks, &path);
    loops.into_iter().find(|one| one.step as u64 == slot)
}

pub(super) fn variants(session: &Session, asked: &Parameters<'_>) -> Handled<Variants> {
    let recording = ready(session)?;
    let numbers = ["thread", "at", "slot"].map(|name| asked.number::<u64>(name));
    let [Some(thread), Some(at), Some(slot)] = numbers else { return Err(bad()) };
    of_loop(&recording, thread, at, slot)
        .ok_or_else(|| Reply::refusal(404, "There is no such loop at that position.\n"))
}

fn of_loop(recording: &Recording, thread: u64, at: u64, slot: u64) -> Option<Variants> {
    let (replay, blocks) = (&recording.replay, &recording.blocks);
    let found = loop_at(recording, thread, at, slot)?;
    let (variants, all) = replay.variants(blocks, found.node, VARIANTS);
    let (method, index) = loop_key(replay.kind(found.node));
    let look = recording.last_look(found.node);
    let variants = variants.iter().map(|variant| {
        let ran = recording.with_counts(|counts| counts.of_node(replay, variant.node));
        Variant {
            times: variant.times,
            first_iteration: variant.first_iteration,
            look: look == Some(variant.node),
            at: found.all.begin.saturating_add(variant.offset),
            blocks: blocks.of_node(variant.node),
            calls: recording.calls.of_node(variant.node),
            ran: ran.into_iter().map(|(block, _)| block).collect(),
        }
    });
    Some(Variants {
        method: method.0,
        index,
        iterations: found.iterations,
        rounds: found.iterations.saturating_sub(u64::from(look.is_some())),
        iteration: found.iteration,
        begin: found.all.begin,
        all,
        variants: variants.collect(),
    })
}
