//! Counts: how often each block of one call ran, up to some place in it.
//!
//! Blocks of callees do not count. What whole nodes count is remembered, and in long lists the sum
//! at each thousandth item, so that asking again further on costs little.

use model::code::BlockId;
use rustc_hash::FxHashMap;

use super::path::Path;
use super::store::{Kind, NodeId, Replay, What};

const STRIDE: usize = 1024;
const REMEMBERED: usize = 1 << 16;

/// Remembers the counts of nodes.
#[derive(Debug, Default)]
pub struct Counts {
    /// By node: how often each block ran in it, ascending by block.
    nodes: FxHashMap<NodeId, Vec<(BlockId, u64)>>,
    /// By node with a long list: the sums before each [`STRIDE`]th item.
    marks: FxHashMap<NodeId, Vec<Vec<(BlockId, u64)>>>,
}

type Sum = FxHashMap<BlockId, u64>;

impl Counts {
    /// How often each block of the whole node ran, ascending by block.
    pub fn of_node(&mut self, replay: &Replay, node: NodeId) -> Vec<(BlockId, u64)> {
        let mut sum = Sum::default();
        self.add_items(replay, node, usize::MAX, &mut sum);
        sorted(sum)
    }

    /// How often each block ran in the call at `step` of the path, or in the iteration there, before
    /// and with the end of the path. Inside a called method: with the block that called it.
    pub fn up_to(&mut self, replay: &Replay, path: &Path, step: usize) -> Vec<(BlockId, u64)> {
        let mut sum = Sum::default();
        for (index, at) in path.steps.iter().enumerate().skip(step) {
            let kind = replay.kind(at.node);
            if index > step && matches!(kind, Kind::Frame { .. } | Kind::Again { .. }) {
                break;
            }
            if index == step && kind.has_iterations() {
                // Of a loop only the iteration that runs is asked for.
                continue;
            }
            self.add_items(replay, at.node, at.item, &mut sum);
            let Some(item) = replay.items(at.node).get(at.item) else { continue };
            match item.what() {
                What::Block(block) | What::Catch(block) => {
                    *sum.entry(block).or_default() += at.copy + 1;
                }
                What::Node(inner) if at.copy > 0 => self.add_node(replay, inner, at.copy, &mut sum),
                _ => {}
            }
        }
        sorted(sum)
    }

    fn add_node(&mut self, replay: &Replay, node: NodeId, times: u64, sum: &mut Sum) {
        if matches!(replay.kind(node), Kind::Frame { .. } | Kind::Again { .. }) {
            return;
        }
        if let Some(known) = self.nodes.get(&node) {
            add(known, times, sum);
            return;
        }
        let counted = self.of_node(replay, node);
        add(&counted, times, sum);
        if self.nodes.len() >= REMEMBERED {
            self.nodes.clear();
        }
        self.nodes.insert(node, counted);
    }

    /// Adds the first `until` items of a node.
    fn add_items(&mut self, replay: &Replay, node: NodeId, until: usize, sum: &mut Sum) {
        let items = replay.items(node);
        let until = until.min(items.len());
        let mut from = 0;
        if until >= STRIDE {
            if !self.marks.contains_key(&node) {
                let marks = self.make_marks(replay, node);
                self.marks.insert(node, marks);
            }
            if let Some(mark) = self.marks.get(&node).and_then(|marks| marks.get(until / STRIDE)) {
                add(mark, 1, sum);
                from = until / STRIDE * STRIDE;
            }
        }
        for item in items.get(from..until).unwrap_or(&[]) {
            self.add_item(replay, item.what(), u64::from(item.times), sum);
        }
    }

    fn add_item(&mut self, replay: &Replay, what: What, times: u64, sum: &mut Sum) {
        match what {
            What::Block(block) | What::Catch(block) => {
                let count = sum.entry(block).or_default();
                *count = count.saturating_add(times);
            }
            What::Node(inner) => self.add_node(replay, inner, times, sum),
            What::Gap(_) | What::Inferred(_) | What::Observed => {}
        }
    }

    fn make_marks(&mut self, replay: &Replay, node: NodeId) -> Vec<Vec<(BlockId, u64)>> {
        let (mut marks, mut sum) = (Vec::new(), Sum::default());
        for (index, item) in replay.items(node).iter().enumerate() {
            if index.is_multiple_of(STRIDE) {
                marks.push(sorted(sum.clone()));
            }
            self.add_item(replay, item.what(), u64::from(item.times), &mut sum);
        }
        if replay.items(node).len().is_multiple_of(STRIDE) {
            marks.push(sorted(sum));
        }
        marks
    }
}

fn add(known: &[(BlockId, u64)], times: u64, sum: &mut Sum) {
    for &(block, count) in known {
        let all = sum.entry(block).or_default();
        *all = all.saturating_add(count.saturating_mul(times));
    }
}

fn sorted(sum: Sum) -> Vec<(BlockId, u64)> {
    let mut list: Vec<_> = sum.into_iter().collect();
    list.sort_unstable();
    list
}
