//! Which block lies on every way from the entry to which other block.
//!
//! The algorithm is Lengauer and Tarjan's (1979) with simple path compression, which needs
//! `edges x log(blocks)` steps on any graph; an iterative one would be shorter, but a hostile class
//! file can make it take the square. Nothing here recurses. Blocks that cannot be reached have no
//! dominator and dominate nothing.

use model::BlockId;

const NONE: u32 = u32::MAX;

/// The dominator tree of a graph whose entry is block 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dominators {
    /// Immediate dominator by block; `NONE` for the entry and for unreachable blocks.
    parent: Vec<u32>,
    /// Position in a depth-first walk of the graph, and `NONE` for unreachable blocks.
    order: Vec<u32>,
    /// An interval that contains those of the blocks which it dominates, so that a question takes constant
    /// time.
    interval: Vec<(u32, u32)>,
    /// When it was entered and left in the depth-first walk.
    visit: Vec<(u32, u32)>,
}

impl Dominators {
    pub(crate) fn of(blocks: usize, edges: impl Iterator<Item = (BlockId, BlockId)> + Clone) -> Self {
        if is_chain(blocks, edges.clone()) {
            return Self::of_chain(u32::try_from(blocks).unwrap_or(NONE));
        }
        let successors = Adjacency::of(blocks, edges.clone());
        let predecessors = Adjacency::of(blocks, edges.map(|(from, to)| (to, from)));
        let walk = depth_first(&successors);
        let parent = lengauer_tarjan(&walk, &predecessors);
        let interval = nest(&walk, &parent);
        Self { parent, order: walk.order, interval, visit: walk.visit }
    }

    /// Each block leads to the next one: most methods only call this and that and return.
    fn of_chain(blocks: u32) -> Self {
        let interval: Vec<(u32, u32)> = (0..blocks).map(|block| (block + 1, 2 * blocks - block)).collect();
        Self {
            parent: (0..blocks).map(|block| block.wrapping_sub(1)).collect(),
            order: (0..blocks).collect(),
            visit: interval.clone(),
            interval,
        }
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
        match (self.interval.get(index(above)), self.interval.get(index(below))) {
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

    /// Position of a block in the depth-first walk in which it was first met.
    pub(crate) fn walk_order(&self, block: BlockId) -> u32 {
        self.order.get(index(block)).copied().unwrap_or(NONE)
    }
}

/// Whether the edges are those from each block to the next, in this order.
fn is_chain(blocks: usize, edges: impl Iterator<Item = (BlockId, BlockId)>) -> bool {
    let mut block = 0;
    for (from, to) in edges {
        if from != block || to != block + 1 {
            return false;
        }
        block = to;
    }
    index(block) + 1 == blocks
}

/// Block numbers index vectors of the same length; a number that fits no vector finds nothing.
fn index(block: u32) -> usize {
    usize::try_from(block).unwrap_or(usize::MAX)
}

/// For each block the others that it leads to, one list behind the other.
pub(crate) struct Adjacency {
    /// Where the list of each block ends; the next one begins there.
    ends: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// Edges from blocks that do not exist are passed over. Lists keep the order of the edges.
    pub(crate) fn of(blocks: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut ends = vec![0_u32; blocks];
        for (from, _) in edges.clone() {
            if let Some(count) = ends.get_mut(index(from)) {
                *count += 1;
            }
        }
        // The number of each becomes its start, and filling the list moves that to its end.
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        let mut targets = vec![0; index(next)];
        for (from, to) in edges {
            let Some(end) = ends.get_mut(index(from)) else { continue };
            if let Some(target) = targets.get_mut(index(*end)) {
                *target = to;
            }
            *end += 1;
        }
        Self { ends, targets }
    }

    pub(crate) fn of_block(&self, block: BlockId) -> &[u32] {
        let Some(&end) = self.ends.get(index(block)) else { return &[] };
        let start = index(block).checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        self.targets.get(index(start.unwrap_or(0))..index(end)).unwrap_or_default()
    }

    fn len(&self) -> usize {
        self.ends.len()
    }
}

/// A depth-first walk from block 0.
struct Walk {
    /// Number of each block in the walk, `NONE` if it was not reached.
    order: Vec<u32>,
    /// The blocks in that order.
    blocks: Vec<u32>,
    /// By number: the number of the block from which it was reached.
    parents: Vec<u32>,
    /// By block: when it was entered and left.
    visit: Vec<(u32, u32)>,
}

fn depth_first(successors: &Adjacency) -> Walk {
    let count = successors.len();
    let mut walk = Walk {
        order: vec![NONE; count],
        blocks: Vec::with_capacity(count),
        parents: Vec::with_capacity(count),
        visit: vec![(0, 0); count],
    };
    let mut clock = 0;
    // (block, its number, those of its successors that were not looked at)
    let mut stack: Vec<(u32, u32, std::slice::Iter<'_, u32>)> = Vec::with_capacity(16);
    let mut coming = Some((0, NONE));
    loop {
        if let Some((block, parent)) = coming.take()
            && let Some(order) = walk.order.get_mut(index(block)).filter(|order| **order == NONE)
        {
            let number = u32::try_from(walk.blocks.len()).unwrap_or(NONE);
            *order = number;
            walk.blocks.push(block);
            walk.parents.push(parent);
            clock += 1;
            if let Some(visit) = walk.visit.get_mut(index(block)) {
                visit.0 = clock;
            }
            stack.push((block, number, successors.of_block(block).iter()));
        }
        let Some((block, number, left)) = stack.last_mut() else { return walk };
        match left.next() {
            Some(&next) => coming = Some((next, *number)),
            None => {
                clock += 1;
                if let Some(visit) = walk.visit.get_mut(index(*block)) {
                    visit.1 = clock;
                }
                stack.pop();
            }
        }
    }
}

/// Immediate dominators by block. Inside, blocks go by their number in the walk.
#[allow(clippy::indexing_slicing)] // every number is below `count` by construction of the walk
fn lengauer_tarjan(walk: &Walk, predecessors: &Adjacency) -> Vec<u32> {
    let count = walk.blocks.len();
    let mut semi: Vec<usize> = (0..count).collect();
    let mut label = semi.clone();
    let mut ancestor = vec![usize::MAX; count];
    let mut dominator = vec![0; count];
    // Nodes that wait for each node: the first, and behind each the next.
    let mut first = vec![usize::MAX; count];
    let mut next_in_bucket = vec![usize::MAX; count];
    let mut path = Vec::new();
    for node in (1..count).rev() {
        let parent = index(walk.parents[node]);
        for &predecessor in predecessors.of_block(walk.blocks[node]) {
            let from = index(walk.order[index(predecessor)]);
            if from < count {
                let best = evaluate(from, &mut ancestor, &mut label, &semi, &mut path);
                semi[node] = semi[node].min(semi[best]);
            }
        }
        next_in_bucket[node] = first[semi[node]];
        first[semi[node]] = node;
        ancestor[node] = parent;
        let mut next = std::mem::replace(&mut first[parent], usize::MAX);
        while next != usize::MAX {
            let waiting = next;
            next = next_in_bucket[waiting];
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

/// By block an interval that holds those of the blocks which it dominates, and no others.
fn nest(walk: &Walk, parent: &[u32]) -> Vec<(u32, u32)> {
    let mut interval = vec![(0_u32, 0_u32); parent.len()];
    let above = |block: u32| parent.get(index(block)).copied().unwrap_or(NONE);
    // Their lengths first. A dominator was met before all that it dominates.
    for &block in walk.blocks.iter().rev() {
        let Some(own) = interval.get_mut(index(block)) else { continue };
        own.1 += 1;
        let length = own.1;
        if let Some(outer) = interval.get_mut(index(above(block))) {
            outer.1 += length;
        }
    }
    // Then each begins where the last one beside it ended; `next` is where the next one inside begins.
    let mut next = vec![0_u32; parent.len()];
    for &block in &walk.blocks {
        let start = next.get(index(above(block))).copied().unwrap_or(0);
        let Some(own) = interval.get_mut(index(block)) else { continue };
        own.0 = start;
        own.1 += start;
        let end = own.1;
        if let Some(outer) = next.get_mut(index(above(block))) {
            *outer = end;
        }
        if let Some(inner) = next.get_mut(index(block)) {
            *inner = start + 1;
        }
    }
    interval
}
