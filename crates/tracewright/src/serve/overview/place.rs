//! Where the first call or loop of a line ran, and the source that ran there.

use analyses::calls;
use analyses::replay::{Kind, NodeId};
use model::code::MethodId;
use rustc_hash::FxHashSet;
use viewer::api::overview::{Place, PlaceRow};
use viewer::api::{Handled, Parameters};

use super::{no_line, threads, tree};
use crate::serve::play::method::View;
use crate::serve::play::recording::Recording;
use crate::serve::play::{bad, ready};
use crate::serve::session::Session;

/// Rows of source.
const ROWS: usize = 400;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Place> {
    let recording = ready(session)?;
    let Some(id) = asked.text("entry") else { return Err(bad()) };
    let chain = tree::chain(&session.overview, &recording, &id).ok_or_else(no_line)?;
    let sets: Vec<Vec<NodeId>> =
        chain.iter().map(|inside| inside.nodes().map(|(node, _)| node).collect()).collect();
    find(&recording, &sets).ok_or_else(no_line)
}

/// The first node of the last set that lies in one of each set before.
fn find(recording: &Recording, sets: &[Vec<NodeId>]) -> Option<Place> {
    let replay = &recording.replay;
    let last = sets.last()?;
    let mut inner: Vec<FxHashSet<NodeId>> = vec![];
    for set in sets.iter().filter(|set| !set.iter().any(|node| replay.kind(*node) == Kind::Root)) {
        // A variant is some of what is around it, and not inside that.
        if inner.last().is_some_and(|around| set.iter().all(|node| around.contains(node))) {
            inner.pop();
        }
        inner.push(set.iter().copied().collect());
    }
    let roots = sets.iter().rfind(|set| set.iter().any(|node| replay.kind(*node) == Kind::Root));
    let asked = replay.threads.iter().filter(|thread| roots.is_none_or(|roots| roots.contains(&thread.root)));
    let (thread, at) = asked
        .map(|thread| (thread, calls::first(replay, &recording.blocks, thread.root, &inner)))
        .find(|(_, at)| at.is_some() || inner.is_empty())?;
    let method = last.first().and_then(|node| owner(replay.kind(*node)));
    let mut place = Place {
        thread: thread.serial,
        thread_name: threads::name(recording, thread).to_owned(),
        at: at.unwrap_or(0),
        method: method.map(|method| method.0),
        class: String::new(),
        file: None,
        source: false,
        rows: vec![],
        more: 0,
    };
    if let Some(method) = method {
        source(recording, &mut place, method, last);
    }
    Some(place)
}

fn source(recording: &Recording, place: &mut Place, method: MethodId, nodes: &[NodeId]) {
    let view = View::of(recording, method);
    let mut ran = FxHashSet::default();
    let known = recording.code.method(method).map_or(0, |method| method.blocks.len());
    // The last of very many calls may be the only one in which a line ran, so all are looked at until nothing is missing.
    for node in nodes {
        if ran.len() >= known {
            break;
        }
        let counts = recording.with_counts(|counts| counts.of_node(&recording.replay, *node));
        ran.extend(counts.into_iter().map(|(block, _)| block));
    }
    place.class = recording.names(method).0.to_owned();
    let class = recording.code.method(method).and_then(|method| recording.code.class(method.class));
    place.file = class.and_then(|class| class.source_file.clone());
    place.source = view.is_source;
    place.more = view.rows.len().saturating_sub(ROWS);
    let row = |row: &crate::serve::play::method::Row| PlaceRow {
        line: row.line,
        text: row.text.clone(),
        ran: (!row.blocks.is_empty()).then(|| row.blocks.iter().any(|block| ran.contains(block))),
    };
    place.rows = view.rows.iter().take(ROWS).map(row).collect();
}

/// The method that a node belongs to.
pub(super) fn owner(kind: Kind) -> Option<MethodId> {
    match kind {
        Kind::Frame { method, .. }
        | Kind::Loop { method, .. }
        | Kind::Iteration { method }
        | Kind::Again { method } => Some(method),
        Kind::Root => None,
    }
}
