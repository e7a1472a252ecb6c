//! The calls that one call made itself, and the loops that it ran.

use model::code::BlockId;
use rustc_hash::FxHashMap;

use crate::replay::{Kind, Measure, NodeId, Replay, What};

/// Equal calls that a call made from one of its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// What they did.
    pub node: NodeId,
    /// The block that ran last before the first of them.
    pub block: Option<BlockId>,
    /// How many.
    pub times: u64,
    /// Blocks from the beginning of the caller to that of the first of them.
    pub offset: u64,
}

/// The calls that a call, a loop, an iteration or a thread made itself, loops inside included, in the order of the first of
/// each.
pub fn made(replay: &Replay, blocks: &Measure, node: NodeId) -> Vec<Made> {
    let mut found: FxHashMap<(NodeId, Option<BlockId>), Made> = FxHashMap::default();
    walk(replay, blocks, node, |one| {
        if !matches!(replay.kind(one.node), Kind::Frame { .. }) {
            return;
        }
        let known = found.entry((one.node, one.block)).or_insert(Made { times: 0, ..one });
        known.times = known.times.saturating_add(one.times);
        known.offset = known.offset.min(one.offset);
    });
    let mut all: Vec<Made> = found.into_values().collect();
    all.sort_by_key(|one| (one.offset, std::cmp::Reverse(one.node)));
    all
}

/// Speaks of everything that lies directly in a node or in a loop, an iteration or a row of calls inside, each node
/// once for each item that it stands in.
pub(super) fn walk(replay: &Replay, blocks: &Measure, node: NodeId, mut hear: impl FnMut(Made)) {
    let outermost = Made { node, block: None, times: 1, offset: 0 };
    // The largest number first: whatever holds a node has a larger one, so all that is known of it is there.
    let mut waiting: std::collections::BTreeMap<NodeId, Made> = [(node, outermost)].into();
    while let Some((_, around)) = waiting.pop_last() {
        let (mut last, mut offset) = (around.block, around.offset);
        for item in replay.items(around.node) {
            let copies = u64::from(item.times);
            match item.what() {
                What::Block(block) | What::Catch(block) => {
                    last = Some(block);
                    offset = offset.saturating_add(copies);
                }
                What::Node(inner) => {
                    let times = around.times.saturating_mul(copies);
                    let one = Made { node: inner, block: last, times, offset };
                    hear(one);
                    if !matches!(replay.kind(inner), Kind::Frame { .. }) {
                        let known = waiting.entry(inner).or_insert(Made { times: 0, ..one });
                        known.times = known.times.saturating_add(times);
                        if offset < known.offset {
                            (known.offset, known.block) = (offset, last);
                        }
                        if !matches!(replay.kind(inner), Kind::Again { .. }) {
                            last = replay.last_block(inner, usize::MAX).or(last);
                        }
                    }
                    offset = offset.saturating_add(blocks.of_node(inner).saturating_mul(copies));
                }
                What::Gap(_) | What::Inferred(_) | What::Observed => {}
            }
        }
    }
}
