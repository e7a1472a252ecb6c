//! Ways through the folded tree: to where the work is, and to the first call of a method.

use analyses::calls::Inside;
use analyses::replay::{Kind, NodeId};
use model::code::MethodId;
use viewer::api::overview::{FoldedLine, LineKind, Way};
use viewer::api::{Handled, Parameters};

use super::{no_line, tree};
use crate::serve::play::{bad, ready};
use crate::serve::session::Session;

/// Lines of a way.
const STEPS: usize = 300;

pub(super) fn heaviest(session: &Session, asked: &Parameters<'_>) -> Handled<Way> {
    let recording = ready(session)?;
    let Some(mut id) = asked.text("entry") else { return Err(bad()) };
    let part = &session.overview;
    let mut way = Way { ids: vec![], indices: vec![] };
    let mut all = tree::chain(part, &recording, &id).ok_or_else(no_line)?.last().map_or(0, |inside| {
        let each = inside.nodes().map(|(node, times)| recording.blocks.of_node(node).saturating_mul(times));
        each.fold(0u64, u64::saturating_add)
    });
    while way.ids.len() < STEPS {
        let Some(level) = tree::level(part, &recording, &id) else { break };
        let most = level.lines.iter().enumerate().rev().max_by_key(|(_, line)| line.blocks);
        let Some((index, line)) = most.filter(|(_, line)| line.blocks > 0 && line.blocks >= all.div_ceil(2))
        else {
            break;
        };
        way.ids.push(line.id.clone());
        way.indices.push(index);
        if !line.opens {
            break;
        }
        (id, all) = (line.id.clone(), line.blocks);
    }
    Ok(way)
}

pub(super) fn first(session: &Session, asked: &Parameters<'_>) -> Handled<Way> {
    let recording = ready(session)?;
    let Some(method) = asked.number("id").map(MethodId) else { return Err(bad()) };
    let part = &session.overview;
    let replay = &recording.replay;
    // Children have smaller numbers.
    let mut has = vec![false; replay.len()];
    for node in (0..replay.len() as u32).map(NodeId) {
        let is_it = matches!(replay.kind(node), Kind::Frame { method: of, .. } if of == method);
        let inside = || {
            let mut inner = replay.items(node).iter().filter_map(|item| item.node());
            inner.any(|inner| has.get(inner.0 as usize).copied().unwrap_or(false))
        };
        let found = is_it || inside();
        if let Some(place) = has.get_mut(node.0 as usize) {
            *place = found;
        }
    }
    let leads =
        |inside: &Inside| inside.nodes().any(|(node, _)| has.get(node.0 as usize).copied().unwrap_or(false));
    let is_call = |line: &FoldedLine| {
        line.method == Some(method.0)
            && matches!(line.kind, LineKind::Call | LineKind::Within | LineKind::Recursion)
    };
    let mut way = Way { ids: vec![], indices: vec![] };
    let kinds = part.kinds(&recording).iter().enumerate();
    let kind = kinds
        .filter(|(_, kind)| kind.shapes.iter().any(|(_, inside)| leads(inside)))
        .map(|(index, kind)| (index, kind.line.id.clone()))
        .next();
    let Some((index, mut id)) = kind else { return Ok(way) };
    way.indices.push(index);
    way.ids.push(id.clone());
    while way.ids.len() < STEPS {
        let Some(level) = tree::level(part, &recording, &id) else { break };
        let inside = |line: &FoldedLine| {
            let number = line.id.rsplit('.').next()?.parse::<usize>().ok()?;
            level.insides.get(number)?.as_ref()
        };
        let next = level
            .lines
            .iter()
            .enumerate()
            .find(|(_, line)| is_call(line) || (line.opens && inside(line).is_some_and(leads)));
        let Some((index, line)) = next else { break };
        way.ids.push(line.id.clone());
        way.indices.push(index);
        if is_call(line) {
            break;
        }
        id.clone_from(&line.id);
    }
    Ok(way)
}
