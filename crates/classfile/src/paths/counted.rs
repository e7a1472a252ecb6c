//! Which loops can count their iterations instead of recording them.
//!
//! An innermost natural loop with one path through it, from its header back to its header, in which
//! nothing recorded can be called. Handlers inside a loop make it an ordinary one.

use crate::control_flow_graph::ControlFlowGraph;
use crate::natural_loops::LoopId;
use model::BlockId;

use super::facts::Facts;

/// The counted loops of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// By loop: its blocks in the order in which an iteration runs them, if it is counted.
    loops: Vec<Option<Vec<BlockId>>>,
}

impl Counted {
    pub(super) fn of(graph: &ControlFlowGraph, facts: &[Facts]) -> Self {
        let all = &graph.loops.loops;
        if all.is_empty() {
            return Self::default();
        }
        let mut sizes = vec![0_usize; all.len()];
        for block in (0..).take(graph.blocks.len()) {
            if let Some(size) = graph.loops.innermost(block).and_then(|id| sizes.get_mut(at(id))) {
                *size += 1;
            }
        }
        let mut has_inner = vec![false; all.len()];
        for inner in all.iter().filter_map(|found| found.parent) {
            if let Some(has_inner) = has_inner.get_mut(at(inner)) {
                *has_inner = true;
            }
        }
        let mut found = Self { loops: vec![None; all.len()] };
        for (id, (size, has_inner)) in (0..).zip(sizes.into_iter().zip(has_inner)) {
            if has_inner {
                continue;
            }
            if let Some(known) = found.loops.get_mut(at(id)) {
                *known = iteration(graph, facts, id).filter(|iteration| iteration.len() == size);
            }
        }
        found
    }

    /// The counted loop that a block belongs to.
    pub(super) fn enclosing(&self, graph: &ControlFlowGraph, block: BlockId) -> Option<LoopId> {
        graph.loops.innermost(block).filter(|&id| self.loops.get(at(id)).is_some_and(Option::is_some))
    }

    /// The blocks of each, in the order in which an iteration runs them.
    pub(super) fn iterations(&self) -> impl Iterator<Item = &Vec<BlockId>> {
        self.loops.iter().flatten()
    }

    /// Gives up those that are not wanted.
    pub(super) fn retain(&mut self, wanted: impl Fn(&[BlockId]) -> bool) {
        for iteration in &mut self.loops {
            iteration.take_if(|iteration| !wanted(iteration));
        }
    }

    /// Gives one up; whether it was one.
    pub(super) fn remove(&mut self, id: LoopId) -> bool {
        self.loops.get_mut(at(id)).is_some_and(|iteration| iteration.take().is_some())
    }

    /// Whether the block is where a counted loop begins its turns.
    pub(super) fn is_header(&self, graph: &ControlFlowGraph, block: BlockId) -> bool {
        let id = self.enclosing(graph, block);
        id.and_then(|id| graph.loops.loops.get(at(id))).is_some_and(|found| found.header == block)
    }
}

/// The one path through a loop, if there is only one and nothing recorded runs on it.
fn iteration(graph: &ControlFlowGraph, facts: &[Facts], id: LoopId) -> Option<Vec<BlockId>> {
    let found = graph.loops.loops.get(at(id))?;
    let (header, latch) = (found.header, *found.latches.first()?);
    if found.latches.len() != 1 {
        return None;
    }
    let (mut path, mut block) = (Vec::new(), header);
    loop {
        let quiet = facts.get(at(block)).is_some_and(|facts| !facts.site);
        let plain = graph.blocks.get(at(block)).is_some_and(|block| !block.is_handler);
        if !quiet || !plain || path.len() > graph.blocks.len() {
            return None;
        }
        path.push(block);
        let mut inside = graph.out_of(block).filter(|edge| graph.loops.innermost(edge.to) == Some(id));
        let next = inside.next()?.to;
        if inside.next().is_some() || (next == header) != (block == latch) {
            return None;
        }
        if next == header {
            return Some(path);
        }
        block = next;
    }
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
