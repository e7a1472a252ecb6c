//! Groups: nodes with how often each occurred.

use model::BlockId;
use rustc_hash::FxHashMap;

use crate::replay::{Kind, NodeId, Replay};

use super::shapes::{Lines, Shapes, Slot, owner};

/// Nodes in the order in which they were met first, each once, with how often it occurred.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    pub(super) nodes: Vec<(NodeId, u64)>,
    /// Where each node stands; only kept for larger groups.
    index_of: FxHashMap<NodeId, usize>,
}

/// Groups up to this size are searched one by one.
const SMALL: usize = 8;

impl Group {
    pub(super) fn one(node: NodeId, times: u64) -> Group {
        Group { nodes: vec![(node, times)], index_of: FxHashMap::default() }
    }

    pub(super) fn add(&mut self, node: NodeId, times: u64) {
        let known = match self.nodes.len() <= SMALL {
            true => self.nodes.iter().position(|(known, _)| *known == node),
            false => self.index_of.get(&node).copied(),
        };
        match known.and_then(|at| self.nodes.get_mut(at)) {
            Some((_, all)) => *all = all.saturating_add(times),
            None => {
                self.nodes.push((node, times));
                if self.nodes.len() == SMALL + 1 {
                    self.index_of.extend(self.nodes.iter().enumerate().map(|(at, (node, _))| (*node, at)));
                } else if self.nodes.len() > SMALL {
                    self.index_of.insert(node, self.nodes.len() - 1);
                }
            }
        }
    }

    pub(super) fn times(&self) -> u64 {
        self.nodes.iter().fold(0, |sum, (_, times)| sum.saturating_add(*times))
    }

    /// Split by shape, in the order of the first of each.
    pub(super) fn by_shape(self, replay: &Replay, shapes: &mut Shapes<'_>) -> Vec<Group> {
        let mut groups: Vec<Group> = vec![];
        let mut index_of: FxHashMap<u32, usize> = FxHashMap::default();
        for (node, times) in self.nodes {
            let shape = shapes.of(replay, node);
            let at = *index_of.entry(shape).or_insert(groups.len());
            match groups.get_mut(at) {
                // Nodes of a group are different, so there is nothing to search.
                Some(group) => group.nodes.push((node, times)),
                None => groups.push(Group::one(node, times)),
            }
        }
        groups
    }
}

/// One slot of a shape, filled with what all nodes of a group have there.
#[derive(Debug)]
pub(super) struct Filled {
    pub(super) slot: Slot,
    /// The block that ran last there, if blocks did.
    pub(super) block: Option<BlockId>,
    /// How often the place was come by.
    pub(super) times: u64,
    /// The nodes there. For a row of calls the calls themselves.
    pub(super) group: Group,
}

/// The slots of a group whose nodes all have the same shape. `work` counts the items looked at.
pub(super) fn slots(
    replay: &Replay,
    group: &Group,
    lines: Option<&Lines<'_>>,
    work: &mut u64,
) -> Vec<Filled> {
    let mut filled: Vec<Filled> = vec![];
    for (index, &(node, times)) in group.nodes.iter().enumerate() {
        let mut at = 0;
        let mut before: Option<Slot> = None;
        let items = replay.items(node);
        let owner = owner(replay.kind(node));
        *work = work.saturating_add(items.len() as u64);
        for &item in items {
            let slot = Slot::of(replay, item, owner, lines);
            if before.is_some_and(|before| before.joins(slot)) {
                at -= 1;
            }
            if index == 0 && at == filled.len() {
                filled.push(Filled { slot, block: None, times: 0, group: Group::default() });
            }
            let Some(position) = filled.get_mut(at) else { break };
            position.block = item.block().or(position.block);
            let all = times.saturating_mul(u64::from(item.times));
            position.times = position.times.saturating_add(all);
            if let Some(inner) = item.node() {
                match replay.kind(inner) {
                    Kind::Again { .. } => add_items(replay, &mut position.group, inner, all, work),
                    _ => position.group.add(inner, all),
                }
            }
            before = Some(slot);
            at += 1;
        }
    }
    filled
}

/// Adds what a loop or a row of calls has for iterations.
pub(super) fn add_items(replay: &Replay, group: &mut Group, node: NodeId, times: u64, work: &mut u64) {
    let items = replay.items(node);
    *work = work.saturating_add(items.len() as u64);
    for item in items {
        if let Some(iteration) = item.node() {
            group.add(iteration, times.saturating_mul(u64::from(item.times)));
        }
    }
}
