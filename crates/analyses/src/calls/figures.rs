//! How much there was, and how much is left when what is alike is told once.

use rustc_hash::FxHashSet;

use crate::replay::{Kind, Measure, NodeId, Replay, What};

use super::shapes::Shapes;

/// The figures of a recording or of a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Blocks that ran.
    pub blocks: u64,
    /// Calls that were made.
    pub calls: u64,
    /// Blocks that are left when of each loop, and of each row of calls by a library, only one iteration
    /// of each shape is kept.
    pub without_loops: u64,
    /// Blocks that are left when, besides, of equal calls only one is kept wherever they are.
    pub told: u64,
}

impl Figures {
    /// How many of a hundred blocks need not be told: the reduction of the founding text.
    pub fn reduction(&self) -> f64 {
        percent(self.blocks, self.without_loops)
    }

    /// The same with equal calls told once.
    pub fn reduction_told(&self) -> f64 {
        percent(self.blocks, self.told)
    }

    /// Of these threads of a replay, given by their roots.
    pub fn of(replay: &Replay, blocks: &Measure, calls: &Measure, roots: &[NodeId]) -> Figures {
        let mut figures = Figures::default();
        let mut shapes = Shapes::default();
        let kept = without_loops(replay, &mut shapes);
        for &root in roots {
            let at = root.0 as usize;
            figures.blocks = figures.blocks.saturating_add(blocks.of_node(root));
            figures.calls = figures.calls.saturating_add(calls.of_node(root));
            figures.without_loops = figures.without_loops.saturating_add(kept.get(at).copied().unwrap_or(0));
        }
        figures.told = told(replay, &mut shapes, roots);
        figures
    }
}

fn percent(all: u64, left: u64) -> f64 {
    if all == 0 { 0.0 } else { 100.0 * (1.0 - left as f64 / all as f64) }
}

/// For each node the blocks that are left of it.
fn without_loops(replay: &Replay, shapes: &mut Shapes<'_>) -> Vec<u64> {
    let mut kept = Vec::with_capacity(replay.len());
    let mut seen = FxHashSet::default();
    for node in (0..replay.len() as u32).map(NodeId) {
        let iterations = replay.kind(node).has_iterations();
        seen.clear();
        let mut sum = 0u64;
        for item in replay.items(node) {
            let one = match item.what() {
                What::Block(_) | What::Catch(_) => 1,
                What::Node(inner) => kept.get(inner.0 as usize).copied().unwrap_or(0),
                What::Gap(_) | What::Inferred(_) | What::Observed => 0,
            };
            match item.node() {
                Some(iteration) if iterations => {
                    if seen.insert(shapes.of(replay, iteration)) {
                        sum = sum.saturating_add(one);
                    }
                }
                // The same block or call in a row is told with its count.
                _ => sum = sum.saturating_add(one),
            }
        }
        kept.push(sum);
    }
    kept
}

/// The blocks of all nodes that are reached when of alike iterations only the first is followed.
fn told(replay: &Replay, shapes: &mut Shapes<'_>, roots: &[NodeId]) -> u64 {
    let mut reached = vec![false; replay.len()];
    let mut waiting: Vec<NodeId> = roots.to_vec();
    let mut sum = 0u64;
    let mut seen = FxHashSet::default();
    while let Some(node) = waiting.pop() {
        match reached.get_mut(node.0 as usize) {
            Some(known) if !*known => *known = true,
            _ => continue,
        }
        let iterations = matches!(replay.kind(node), Kind::Loop { .. } | Kind::Again { .. });
        seen.clear();
        for item in replay.items(node) {
            match item.what() {
                What::Block(_) | What::Catch(_) => sum = sum.saturating_add(1),
                What::Node(inner) if !iterations || seen.insert(shapes.of(replay, inner)) => {
                    waiting.push(inner)
                }
                _ => {}
            }
        }
    }
    sum
}
