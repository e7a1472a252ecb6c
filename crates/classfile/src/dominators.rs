//! Which block lies on every way from the entry to which other block.
//!
//! The algorithm is Lengauer and Tarjan's (1979) with simple path compression, which needs
//! `edges x log(blocks)` steps on any graph; an iterative one would be shorter, but a hostile class
//! file can make it take the square. Nothing here recurses. Blocks that cannot be reached have no
//! dominator and dominate nothing.

use crate::control_flow_graph::BlockId;

const NONE: u32 = u32::MAX;

/// The dominator tree of a graph whose entry is block 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dominators {
    /// Immediate dominator by block; `NONE` for the entry and for unreachable blocks.
    parent: Vec<u32>,
    /// Place in a depth-first walk of the graph, and `NONE` for unreachable blocks.
    order: Vec<u32>,
    /// First and last visit in a walk of the dominator tree: an ancestor's stretch contains its
    /// descendants', so that a question takes constant time.
    stretch: Vec<(u32, u32)>,
    /// The same for the tree of the depth-first walk of the graph.
    visit: Vec<(u32, u32)>,
}

impl Dominators {
    pub(crate) fn of(blocks: usize, edges: impl Iterator<Item = (BlockId, BlockId)> + Clone) -> Self {
        let successors = adjacency(blocks, edges.clone());
        let predecessors = adjacency(blocks, edges.map(|(from, to)| (to, from)));
        let walk = depth_first(&successors);
        let parent = lengauer_tarjan(&walk, &predecessors);
        let stretch = nest(&adjacency(blocks, parent.iter().copied().zip(0..)));
        let climbed = walk.parents.iter().filter_map(|&number| walk.blocks.get(index(number)).copied());
        let visit = nest(&adjacency(blocks, climbed.zip(walk.blocks.iter().skip(1).copied())));
        Self { parent, order: walk.order, stretch, visit }
    }

    /// The nearest block that every way to `block` passes, other than `block` itself.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.parent.get(index(block)).copied().filter(|&parent| parent != NONE)
    }

    /// Whether any way leads from the entry to `block`.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.order.get(index(block)).is_some_and(|&order| order != NONE)
    }

    /// Whether every way to `below` passes `above`. A block dominates itself.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        if !self.is_reachable(above) || !self.is_reachable(below) {
            return false;
        }
        match (self.stretch.get(index(above)), self.stretch.get(index(below))) {
            (Some(outer), Some(inner)) => outer.0 <= inner.0 && inner.1 <= outer.1,
            _ => false,
        }
    }

    /// How many blocks the graph has.
    pub(crate) fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether an edge goes back in the depth-first walk, to a block from which its source was
    /// reached (or itself). In a reducible graph these are exactly the edges back to dominators.
    pub(crate) fn is_retreating(&self, from: BlockId, to: BlockId) -> bool {
        match (self.visit.get(index(to)), self.visit.get(index(from))) {
            (Some(outer), Some(inner)) => {
                self.is_reachable(from) && self.is_reachable(to) && outer.0 <= inner.0 && inner.1 <= outer.1
            }
            _ => false,
        }
    }

    /// Place of a block in the depth-first walk in which it was first met.
    pub(crate) fn walk_order(&self, block: BlockId) -> u32 {
        self.order.get(index(block)).copied().unwrap_or(NONE)
    }
}

/// Block numbers index vectors of the same length; a number that fits no vector finds nothing.
fn index(block: u32) -> usize {
    usize::try_from(block).unwrap_or(usize::MAX)
}

pub(crate) fn adjacency(blocks: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); blocks];
    for (from, to) in edges {
        if let Some(list) = lists.get_mut(index(from)) {
            list.push(to);
        }
    }
    lists
}

/// A depth-first walk from block 0.
struct Walk {
    /// Number of each block in the walk, `NONE` if it was not reached.
    order: Vec<u32>,
    /// The blocks in that order.
    blocks: Vec<u32>,
    /// By number: the number of the block from which it was reached.
    parents: Vec<u32>,
}

fn depth_first(successors: &[Vec<u32>]) -> Walk {
    let mut walk = Walk { order: vec![NONE; successors.len()], blocks: Vec::new(), parents: Vec::new() };
    // (block, how many of its successors were looked at)
    let mut stack: Vec<(u32, usize)> = Vec::new();
    let enter = |walk: &mut Walk, stack: &mut Vec<(u32, usize)>, block: u32, parent: u32| {
        if let Some(order) = walk.order.get_mut(index(block)).filter(|order| **order == NONE) {
            *order = u32::try_from(walk.blocks.len()).unwrap_or(NONE);
            walk.blocks.push(block);
            walk.parents.push(parent);
            stack.push((block, 0));
        }
    };
    enter(&mut walk, &mut stack, 0, NONE);
    while let Some((block, done)) = stack.last_mut() {
        let block = *block;
        let next = successors.get(index(block)).and_then(|list| list.get(*done)).copied();
        *done += 1;
        match next {
            Some(next) => {
                let number = walk.order.get(index(block)).copied().unwrap_or(NONE);
                enter(&mut walk, &mut stack, next, number);
            }
            None => {
                stack.pop();
            }
        }
    }
    walk
}

/// Immediate dominators by block. Inside, blocks go by their number in the walk.
#[allow(clippy::indexing_slicing)] // every number is below `count` by construction of the walk
fn lengauer_tarjan(walk: &Walk, predecessors: &[Vec<u32>]) -> Vec<u32> {
    let count = walk.blocks.len();
    let mut semi: Vec<usize> = (0..count).collect();
    let mut label = semi.clone();
    let mut ancestor = vec![usize::MAX; count];
    let mut dominator = vec![0; count];
    let mut bucket: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut path = Vec::new();
    for node in (1..count).rev() {
        let parent = index(walk.parents[node]);
        for &predecessor in &predecessors[index(walk.blocks[node])] {
            let from = index(walk.order[index(predecessor)]);
            if from < count {
                let best = evaluate(from, &mut ancestor, &mut label, &semi, &mut path);
                semi[node] = semi[node].min(semi[best]);
            }
        }
        bucket[semi[node]].push(node);
        ancestor[node] = parent;
        for waiting in std::mem::take(&mut bucket[parent]) {
            let best = evaluate(waiting, &mut ancestor, &mut label, &semi, &mut path);
            dominator[waiting] = if semi[best] < semi[waiting] { best } else { parent };
        }
    }
    let mut immediate = vec![NONE; walk.order.len()];
    for node in 1..count {
        if dominator[node] != semi[node] {
            dominator[node] = dominator[dominator[node]];
        }
        immediate[index(walk.blocks[node])] = walk.blocks[dominator[node]];
    }
    immediate
}

/// The node with the least semidominator on the way up from `node`, compressing the way.
#[allow(clippy::indexing_slicing)] // as above
fn evaluate(
    node: usize,
    ancestor: &mut [usize],
    label: &mut [usize],
    semi: &[usize],
    path: &mut Vec<usize>,
) -> usize {
    if ancestor[node] == usize::MAX {
        return node;
    }
    let mut top = node;
    path.clear();
    while ancestor[ancestor[top]] != usize::MAX {
        path.push(top);
        top = ancestor[top];
    }
    while let Some(below) = path.pop() {
        let above = ancestor[below];
        if semi[label[above]] < semi[label[below]] {
            label[below] = label[above];
        }
        ancestor[below] = ancestor[above];
    }
    label[node]
}

/// First and last visit of each node in a walk of a forest.
fn nest(tree: &[Vec<u32>]) -> Vec<(u32, u32)> {
    let mut stretch = vec![(0, 0); tree.len()];
    let mut clock = 0;
    let mut stack = vec![(0_u32, false)];
    while let Some((node, leaving)) = stack.pop() {
        let Some(times) = stretch.get_mut(index(node)) else { continue };
        clock += 1;
        if leaving {
            times.1 = clock;
            continue;
        }
        times.0 = clock;
        stack.push((node, true));
        stack.extend(tree.get(index(node)).into_iter().flatten().map(|&child| (child, false)));
    }
    stretch
}
