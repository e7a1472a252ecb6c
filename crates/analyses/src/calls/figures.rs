//! How much there was, and how much is left when what is alike is reported once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::replay::{Measure, NodeId, Replay, What};

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
    pub shown: u64,
}

impl Figures {
    /// How many of a hundred blocks need not be reported: the reduction of the founding text.
    pub fn reduction(&self) -> f64 {
        percent(self.blocks, self.without_loops)
    }

    /// The same with equal calls reported once.
    pub fn reduction_shown(&self) -> f64 {
        percent(self.blocks, self.shown)
    }

    /// Of these threads of a replay, given by their roots: of all together, and of each.
    pub fn of(
        replay: &Replay,
        blocks: &Measure,
        calls: &Measure,
        roots: &[NodeId],
    ) -> (Figures, Vec<Figures>) {
        let mut shapes = Shapes::default();
        let sizes = without_loops(replay, &mut shapes);
        let mut shown = Shown { last: vec![0; replay.len()], walks: 0 };
        let mut all = Figures { shown: shown.below(replay, &mut shapes, roots), ..Figures::default() };
        // Thousands of threads often did a handful of different things.
        let mut known: FxHashMap<NodeId, Figures> = FxHashMap::default();
        let each = roots.iter().map(|&root| {
            let figures = *known.entry(root).or_insert_with(|| Figures {
                blocks: blocks.of_node(root),
                calls: calls.of_node(root),
                without_loops: sizes.get(root.0 as usize).copied().unwrap_or(0),
                shown: shown.below(replay, &mut shapes, &[root]),
            });
            all.blocks = all.blocks.saturating_add(figures.blocks);
            all.calls = all.calls.saturating_add(figures.calls);
            all.without_loops = all.without_loops.saturating_add(figures.without_loops);
            figures
        });
        let each = each.collect();
        (all, each)
    }
}

fn percent(all: u64, left: u64) -> f64 {
    if all == 0 { 0.0 } else { 100.0 * (1.0 - left as f64 / all as f64) }
}

/// For each node the blocks that are left of it.
fn without_loops(replay: &Replay, shapes: &mut Shapes<'_>) -> Vec<u64> {
    let mut sizes = Vec::with_capacity(replay.len());
    let mut seen = FxHashSet::default();
    for node in (0..replay.len() as u32).map(NodeId) {
        let iterations = replay.kind(node).has_iterations();
        seen.clear();
        let mut sum = 0u64;
        for item in replay.items(node) {
            let one = match item.what() {
                What::Block(_) | What::Catch(_) => 1,
                What::Node(inner) => sizes.get(inner.0 as usize).copied().unwrap_or(0),
                What::Gap(_) | What::Inferred(_) | What::Observed => 0,
            };
            match item.node() {
                Some(iteration) if iterations => {
                    if seen.insert(shapes.of(replay, iteration)) {
                        sum = sum.saturating_add(one);
                    }
                }
                // The same block or call in a row is reported with its count.
                _ => sum = sum.saturating_add(one),
            }
        }
        sizes.push(sum);
    }
    sizes
}

/// Counts what is reported, again and again over one replay.
struct Shown {
    /// By node: the walk that reached it last.
    last: Vec<u32>,
    walks: u32,
}

impl Shown {
    /// The blocks of all nodes that are reached when of alike iterations only the first is followed.
    fn below(&mut self, replay: &Replay, shapes: &mut Shapes<'_>, roots: &[NodeId]) -> u64 {
        self.walks += 1;
        let mut waiting: Vec<NodeId> = roots.to_vec();
        let mut sum = 0u64;
        let mut seen = FxHashSet::default();
        while let Some(node) = waiting.pop() {
            match self.last.get_mut(node.0 as usize) {
                Some(last) if *last != self.walks => *last = self.walks,
                _ => continue,
            }
            let iterations = replay.kind(node).has_iterations();
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
}
