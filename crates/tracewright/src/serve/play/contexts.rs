//! `/api/play/contexts`: which bubbles there are, in the order in which they appear, and how large each is.
//! `/api/play/last`: what ran in the last call that a bubble stands for.

use analyses::replay::{Context, FrameOnPath, Measure, NodeId, Path, Wanted};
use model::code::MethodId;
use viewer::api::play::{Context as Answer, Contexts, LastCall, MethodSize};
use viewer::api::{Handled, Parameters};

use super::method::View;
use super::recording::Recording;
use super::state::pairs;
use super::{bad, ready};
use crate::serve::session::Session;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Contexts> {
    let recording = ready(session)?;
    let Some(root) = asked.number("thread").and_then(|thread| recording.root(thread)) else {
        return Err(bad());
    };
    let known = recording.contexts(root);
    let all = &known.contexts.list;
    let mut methods: Vec<MethodId> = all.iter().map(|context| context.method).collect();
    methods.sort_unstable();
    methods.dedup();
    let context = |context: &Context| Answer {
        parent: context.parent,
        method: context.method.0,
        caller: context.caller_block,
        how: context.entered.into(),
        first: context.first,
        row: caller_row(&recording, all, context),
    };
    Ok(Contexts {
        complete: known.contexts.complete,
        contexts: all.iter().map(context).collect(),
        methods: methods.into_iter().map(|method| size(&recording, method)).collect(),
    })
}

/// What a bubble needs before its text is there.
fn size(recording: &Recording, method: MethodId) -> MethodSize {
    let (class, name) = recording.owned_names(method);
    let view = View::of(recording, method);
    let columns = view.rows.iter().map(|row| row.text.chars().count()).max();
    MethodSize { id: method.0, class, name, rows: view.rows.len(), columns: columns.unwrap_or(0) }
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
pub(super) fn last(session: &Session, asked: &Parameters<'_>) -> Handled<LastCall> {
    let recording = ready(session)?;
    let (Some(thread), Some(at), Some(index)) =
        (asked.number("thread"), asked.number::<u64>("at"), asked.number("context"))
    else {
        return Err(bad());
    };
    let Some(root) = recording.root(thread) else { return Err(bad()) };
    let at = at.min(recording.total(root).saturating_sub(1));
    let found = find_last(&recording, root, at, index);
    let counts = found.as_ref().map_or_else(Vec::new, |(frame, _)| {
        recording.with_counts(|counts| counts.of_node(&recording.replay, frame.node))
    });
    let inferred = found.as_ref().map(|(frame, path)| recording.inferred_in(root, path, frame.step));
    let found = found.map(|(frame, _)| frame);
    Ok(LastCall {
        begin: found.map(|frame| frame.begin),
        end: found.map(|frame| frame.end),
        left: found.map(|frame| frame.left.into()),
        counts: pairs(counts),
        inferred: pairs(inferred.unwrap_or_default()),
    })
}

fn find_last(recording: &Recording, root: NodeId, at: u64, index: usize) -> Option<(FrameOnPath, Path)> {
    let (replay, blocks) = (&recording.replay, &recording.blocks);
    let known = recording.contexts(root);
    let method = known.contexts.list.get(index)?.method;
    let measure = recording.measures.get(&format!("calls of {}", method.0), || {
        let wanted = Wanted { frame: &|one| one == method, block: None, first_iterations: false };
        Measure::of(replay, &wanted)
    });
    let before = replay.rank(&measure, &recording.seek(root, at)?);
    for rank in (before.saturating_sub(TRIES)..before).rev() {
        let path = replay.select(root, blocks, &measure, rank)?;
        let frames = replay.frames(blocks, &path);
        let chain: Vec<_> = frames.iter().map(|frame| (frame.caller_block, frame.method)).collect();
        if known.find(&chain).last().copied().flatten() == Some(index) {
            return frames.last().map(|frame| (*frame, path));
        }
    }
    None
}
