//! Where each node below some roots ran first, in which call, and how often.

use model::code::BlockId;

use crate::replay::{Kind, Measure, NodeId, Replay, What};

/// A node that a story is about, where it began and how often it occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Root {
    pub(super) node: NodeId,
    pub(super) begin: u64,
    pub(super) times: u64,
}

/// See the module's head; by node.
#[derive(Debug)]
pub(super) struct Firsts {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    begin: u64,
    times: u64,
    /// The call around the first, and the block of it that ran last before.
    around: Option<NodeId>,
    block: Option<BlockId>,
}

const NEVER_RUN: Row = Row { begin: u64::MAX, times: 0, around: None, block: None };

impl Firsts {
    /// Below these roots. Nothing is looked at inside nodes that are `closed`, except roots.
    pub(super) fn below(
        replay: &Replay,
        blocks: &Measure,
        roots: &[Root],
        closed: &dyn Fn(NodeId) -> bool,
    ) -> Firsts {
        let mut rows = vec![NEVER_RUN; replay.len()];
        for root in roots {
            if let Some(row) = rows.get_mut(root.node.0 as usize) {
                row.begin = row.begin.min(root.begin);
                row.times = row.times.saturating_add(root.times);
            }
        }
        // Children have smaller numbers.
        for node in (0..replay.len() as u32).rev().map(NodeId) {
            let Some(&row) = rows.get(node.0 as usize) else { continue };
            if row.times == 0 || closed(node) {
                continue;
            }
            let (around, mut last) = match replay.kind(node) {
                Kind::Frame { .. } => (Some(node), None),
                _ => (row.around, row.block),
            };
            let mut at = row.begin;
            for item in replay.items(node) {
                let copies = u64::from(item.times);
                match item.what() {
                    What::Block(block) | What::Catch(block) => {
                        last = Some(block);
                        at = at.saturating_add(copies);
                    }
                    What::Node(inner) => {
                        if let Some(known) = rows.get_mut(inner.0 as usize) {
                            known.times = known.times.saturating_add(row.times.saturating_mul(copies));
                            if at < known.begin {
                                (known.begin, known.around, known.block) = (at, around, last);
                            }
                        }
                        if !matches!(replay.kind(inner), Kind::Frame { .. } | Kind::Again { .. }) {
                            last = replay.last_block(inner, usize::MAX).or(last);
                        }
                        at = at.saturating_add(blocks.of_node(inner).saturating_mul(copies));
                    }
                    What::Gap(_) | What::Inferred(_) | What::Observed => {}
                }
            }
        }
        Firsts { rows }
    }

    fn row(&self, node: NodeId) -> Row {
        self.rows.get(node.0 as usize).copied().unwrap_or(NEVER_RUN)
    }

    /// Where it began first; `None`: it is not below the roots.
    pub(super) fn begin(&self, node: NodeId) -> Option<u64> {
        let row = self.row(node);
        (row.times > 0).then_some(row.begin)
    }

    /// How often it occurred.
    pub(super) fn times(&self, node: NodeId) -> u64 {
        self.row(node).times
    }

    /// The call around the first; `None` for roots.
    pub(super) fn around(&self, node: NodeId) -> Option<NodeId> {
        self.row(node).around
    }

    /// The block of that call that ran last before.
    pub(super) fn block(&self, node: NodeId) -> Option<BlockId> {
        self.row(node).block
    }
}
