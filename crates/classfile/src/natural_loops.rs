//! The loops of a control-flow graph.
//!
//! A loop is what an ordinary edge back to a block that dominates its source closes: that block is
//! the header, and all such edges to one header make one loop. Its body is found over ordinary and
//! exception edges, so a `catch` inside a loop that goes on with the loop belongs to it. An edge
//! that goes back in a walk to a block that does not dominate its source enters a cycle from the
//! side: such a cycle is irreducible, has no single header and is only reported. A loop that only
//! exceptions close (clean-up code that protects itself) is none.
//! Loops are stored as a forest, each block pointing to its innermost loop: lists of bodies would
//! take the square of the code length on a deep nest.

use crate::dominators::{Adjacency, Dominators};
use model::BlockId;

/// The number of a loop in its method.
pub type LoopId = u32;

/// The loops of one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NaturalLoops {
    /// The loops; an outer one has a smaller number than those inside it.
    pub loops: Vec<NaturalLoop>,
    /// Ordinary edges back into a cycle that has more than one entry.
    pub irreducible: Vec<(BlockId, BlockId)>,
    /// The innermost loop of each block.
    innermost: Vec<Option<LoopId>>,
    /// While loops are found: some loop around each loop, jumping over several where possible.
    shortcuts: Vec<Option<LoopId>>,
}

/// One loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaturalLoop {
    /// Where it is entered.
    pub header: BlockId,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// Sources of the edges back to the header.
    pub latches: Vec<BlockId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl NaturalLoops {
    pub(crate) fn of(
        dominators: &Dominators,
        ordinary: impl Iterator<Item = (BlockId, BlockId)> + Clone,
        all: impl Iterator<Item = (BlockId, BlockId)> + Clone,
    ) -> Self {
        let blocks = dominators.len();
        let mut found = Self { innermost: vec![None; blocks], ..Self::default() };
        let mut back: Vec<(BlockId, BlockId)> = Vec::new();
        let mut retreating = Vec::new();
        for (from, to) in ordinary {
            if dominators.dominates(to, from) {
                back.push((to, from));
            } else if dominators.is_retreating(from, to) {
                retreating.push((from, to));
            }
        }
        retreating.sort_unstable();
        retreating.dedup();
        found.irreducible = retreating;
        // A header that is dominated by another was met later in the walk: inner loops come first.
        back.sort_unstable_by_key(|&(header, latch)| {
            (std::cmp::Reverse(dominators.walk_order(header)), header, latch)
        });
        back.dedup();
        if back.is_empty() {
            return found;
        }
        let predecessors = Adjacency::of(blocks, all.map(|(from, to)| (to, from)));
        for edges in back.chunk_by(|left, right| left.0 == right.0) {
            found.grow(edges, &predecessors, dominators);
        }
        found.outer_first();
        found
    }

    /// Adds one loop: walks back from its latches to its header. An inner loop that is met is
    /// taken in as a whole, going on at its header, so each block is looked at once for each
    /// loop that has no loop between.
    fn grow(&mut self, edges: &[(BlockId, BlockId)], predecessors: &Adjacency, dominators: &Dominators) {
        let Some(&(header, _)) = edges.first() else { return };
        let id = LoopId::try_from(self.loops.len()).unwrap_or(LoopId::MAX);
        let latches: Vec<BlockId> = edges.iter().map(|&(_, latch)| latch).collect();
        let mut work = latches.clone();
        self.loops.push(NaturalLoop { header, parent: None, latches, depth: 0 });
        self.shortcuts.push(None);
        if let Some(innermost) = self.innermost.get_mut(at(header)) {
            innermost.get_or_insert(id);
        }
        while let Some(block) = work.pop() {
            if block == header || !dominators.is_reachable(block) {
                continue;
            }
            let next = match self.outermost(block) {
                None => {
                    if let Some(innermost) = self.innermost.get_mut(at(block)) {
                        *innermost = Some(id);
                    }
                    block
                }
                Some(outer) if outer == id => continue,
                Some(outer) => match self.loops.get_mut(at(outer)) {
                    Some(inner) => {
                        inner.parent = Some(id);
                        if let Some(shortcut) = self.shortcuts.get_mut(at(outer)) {
                            *shortcut = Some(id);
                        }
                        inner.header
                    }
                    None => continue,
                },
            };
            work.extend(predecessors.of_block(next));
        }
    }

    /// The outermost loop so far around a block. Ways up are as long as loops are deep, up to
    /// 10,000 in a method of 65,535 bytes, so each way is halved as it is walked.
    fn outermost(&mut self, block: BlockId) -> Option<LoopId> {
        let mut id = (*self.innermost.get(at(block))?)?;
        while let Some(up) = self.shortcuts.get(at(id)).copied().flatten() {
            let further = self.shortcuts.get(at(up)).copied().flatten();
            if let (Some(shortcut), Some(_)) = (self.shortcuts.get_mut(at(id)), further) {
                *shortcut = further;
            }
            id = up;
        }
        Some(id)
    }

    /// Iterations the order round, so that outer loops have the smaller numbers, and counts depths.
    fn outer_first(&mut self) {
        let count = u32::try_from(self.loops.len()).unwrap_or(u32::MAX);
        let turned = |id: LoopId| count.saturating_sub(1).saturating_sub(id);
        self.shortcuts = Vec::new();
        self.loops.reverse();
        for id in 0..self.loops.len() {
            let parent = self.loops.get(id).and_then(|found| found.parent).map(turned);
            let depth =
                parent.and_then(|parent| self.loops.get(at(parent))).map_or(1, |outer| outer.depth + 1);
            if let Some(found) = self.loops.get_mut(id) {
                (found.parent, found.depth) = (parent, depth);
            }
        }
        for innermost in self.innermost.iter_mut().flatten() {
            *innermost = turned(*innermost);
        }
    }

    /// The innermost loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost.get(at(block)).copied().flatten()
    }

    /// The loops around a block, innermost first.
    pub fn enclosing(&self, block: BlockId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost(block), |&id| self.loops.get(at(id))?.parent)
    }

    /// Whether a block belongs to a loop, directly or by a loop inside it.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        self.enclosing(block).any(|enclosing| enclosing == id)
    }
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
