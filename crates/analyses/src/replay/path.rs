//! Paths: from the thread down to one block or one call, and what lies around it.

use model::code::{BlockId, MethodId};
use model::flow::{Entered, Left};

use super::measure::Measure;
use super::store::{Item, Kind, NodeId, Replay, What};

/// No recorded program nests deeper; a damaged index must not take us further.
const DEEPEST: usize = 1 << 20;

/// One step of a path: a node on the way down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathStep {
    /// The node.
    pub node: NodeId,
    /// The position of its first block.
    pub begin: u64,
    /// The item in which the path goes on; the number of its items where the path ends at the node.
    pub item: usize,
    /// In which repetition of that item.
    pub copy: u64,
}

/// The path down to a block, or to the beginning of a call; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Outermost first: the root of the thread.
    pub steps: Vec<PathStep>,
    /// The number of blocks of the thread that ran before.
    pub position: u64,
}

/// A call on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameOnPath {
    /// Its index among the steps of the path.
    pub step: usize,
    /// Its node.
    pub node: NodeId,
    /// The method.
    pub method: MethodId,
    /// How it began.
    pub entered: Entered,
    /// How it will end.
    pub left: Left,
    /// Position of its first block.
    pub begin: u64,
    /// Position behind its last block.
    pub end: u64,
    /// The block of the frame around it that ran last before it.
    pub caller_block: Option<BlockId>,
}

/// An iteration that a path goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopOnPath {
    /// Its index among the steps of the path: that of the loop.
    pub step: usize,
    /// The node of the loop.
    pub node: NodeId,
    /// The number of the iteration, from 0.
    pub iteration: u64,
    /// How many iterations there are.
    pub iterations: u64,
    /// Positions of the iteration: the first block and behind the last.
    pub now: IterationRange,
    /// Positions of the whole loop.
    pub all: IterationRange,
}

/// Positions from `begin` up to and without `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IterationRange {
    /// The first.
    pub begin: u64,
    /// Behind the last.
    pub end: u64,
}

/// A kind of iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Its content.
    pub node: NodeId,
    /// How many iterations are like this.
    pub times: u64,
    /// The first of them.
    pub first_iteration: u64,
    /// Its position, counted from the loop's begin.
    pub offset: u64,
}

impl Replay {
    /// The path to the block at `position`; `None` behind the end.
    pub fn seek(&self, root: NodeId, blocks: &Measure, position: u64) -> Option<Path> {
        self.descend(root, blocks, blocks, position)
    }

    /// The path to the `k`-th of what `measure` counts in the thread, from 0.
    pub fn select(&self, root: NodeId, blocks: &Measure, measure: &Measure, k: u64) -> Option<Path> {
        self.descend(root, blocks, measure, k)
    }

    fn descend(&self, root: NodeId, blocks: &Measure, measure: &Measure, k: u64) -> Option<Path> {
        let (mut node, mut begin, mut left) = (root, 0u64, k);
        let mut steps = Vec::new();
        while steps.len() < DEEPEST {
            let own = measure.own(self, node);
            if left < own {
                let item = self.items(node).len();
                steps.push(PathStep { node, begin, item, copy: 0 });
                return Some(Path { steps, position: begin });
            }
            let (item, copy, inside) = measure.find(self, node, left - own)?;
            let kind = self.kind(node);
            let found = *self.items(node).get(item)?;
            let one = blocks.one(kind, item, found);
            let position = begin
                .saturating_add(blocks.before(self, node, item))
                .saturating_add(copy.saturating_mul(one));
            steps.push(PathStep { node, begin, item, copy });
            match found.what() {
                What::Node(inner) => (node, begin, left) = (inner, position, inside),
                _ => return Some(Path { steps, position }),
            }
        }
        None
    }

    /// How many of what `measure` counts lie before the end of this path: for a block the number
    /// of counted things before it, for a call those before its beginning.
    pub fn rank(&self, measure: &Measure, path: &Path) -> u64 {
        let last = path.steps.len().saturating_sub(1);
        let mut sum = 0u64;
        for (index, step) in path.steps.iter().enumerate() {
            let at_call = index == last && step.item >= self.items(step.node).len();
            if at_call {
                break;
            }
            let kind = self.kind(step.node);
            sum = sum.saturating_add(measure.own(self, step.node));
            sum = sum.saturating_add(measure.before(self, step.node, step.item));
            if let Some(&item) = self.items(step.node).get(step.item) {
                let one = measure.one(kind, step.item, item);
                if measure.first_iterations() && kind.has_iterations() {
                    // Nothing of a later iteration counts, and nothing follows in this loop.
                    if step.copy > 0 {
                        return sum.saturating_add(one);
                    }
                    if step.item > 0 {
                        return sum;
                    }
                } else {
                    sum = sum.saturating_add(one.saturating_mul(step.copy));
                }
            }
        }
        sum
    }

    /// The calls that are open at the end of the path, outermost first.
    pub fn frames(&self, blocks: &Measure, path: &Path) -> Vec<FrameOnPath> {
        let mut found = Vec::new();
        for (index, step) in path.steps.iter().enumerate() {
            let Kind::Frame { method, entered, left } = self.kind(step.node) else { continue };
            found.push(FrameOnPath {
                step: index,
                node: step.node,
                method,
                entered,
                left,
                begin: step.begin,
                end: step.begin.saturating_add(blocks.of_node(step.node)),
                caller_block: self.caller_block(&path.steps[..index]),
            });
        }
        found
    }

    fn caller_block(&self, above: &[PathStep]) -> Option<BlockId> {
        for step in above.iter().rev() {
            if let Some(block) = self.last_block(step.node, step.item) {
                return Some(block);
            }
            if matches!(self.kind(step.node), Kind::Frame { .. } | Kind::Root) {
                return None;
            }
        }
        None
    }

    /// The block at which the path ends, and whether an exception led there.
    pub fn block(&self, path: &Path) -> Option<(BlockId, bool)> {
        let step = path.steps.last()?;
        match self.items(step.node).get(step.item)?.what() {
            What::Block(block) => Some((block, false)),
            What::Catch(block) => Some((block, true)),
            _ => None,
        }
    }

    /// What was lost directly before the end of the path, or at it; 0 where nobody knows how much.
    pub fn lost_before(&self, path: &Path) -> Option<u32> {
        for step in path.steps.iter().rev() {
            let items = self.items(step.node);
            if let Some(What::Gap(lost)) = items.get(step.item).map(|item| item.what()) {
                return Some(lost);
            }
            match step.item.checked_sub(1).and_then(|before| items.get(before)) {
                Some(before) if step.copy == 0 && step.item < items.len() => match before.what() {
                    What::Gap(lost) => return Some(lost),
                    _ => return None,
                },
                _ if step.copy > 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether what stands directly before the end of the path is a gap, or the begin or the end of what is inferred.
    pub(super) fn is_after_boundary(&self, path: &Path) -> bool {
        for step in path.steps.iter().rev() {
            let items = self.items(step.node);
            let before = match (step.copy, step.item.checked_sub(1)) {
                (0, None) => continue,
                (0, Some(before)) => items.get(before),
                _ => items.get(step.item),
            };
            return before.is_some_and(|item| self.ends_at_boundary(*item));
        }
        false
    }

    fn ends_at_boundary(&self, item: Item) -> bool {
        let mut item = item;
        loop {
            match item.what() {
                What::Gap(_) | What::Inferred(_) | What::Observed => return true,
                What::Block(_) | What::Catch(_) => return false,
                What::Node(node) => match self.items(node).last() {
                    Some(last) => item = *last,
                    None => return false,
                },
            }
        }
    }

    /// The loops around the end of the path, outermost first, calls in a row included.
    pub fn loops(&self, blocks: &Measure, path: &Path) -> Vec<LoopOnPath> {
        let mut found = Vec::new();
        for (index, step) in path.steps.iter().enumerate() {
            let kind = self.kind(step.node);
            if !kind.has_iterations() {
                continue;
            }
            let items = self.items(step.node);
            let Some(&item) = items.get(step.item) else { continue };
            let before = blocks.iterations_before(self, step.node, step.item);
            let iterations = blocks.iterations_before(self, step.node, items.len());
            let one = blocks.one(kind, step.item, item);
            let begin = step
                .begin
                .saturating_add(blocks.before(self, step.node, step.item))
                .saturating_add(one.saturating_mul(step.copy));
            found.push(LoopOnPath {
                step: index,
                node: step.node,
                iteration: before + step.copy,
                iterations,
                now: IterationRange { begin, end: begin.saturating_add(one) },
                all: IterationRange {
                    begin: step.begin,
                    end: step.begin.saturating_add(blocks.of_node(step.node)),
                },
            });
        }
        found
    }

    /// Where iteration `iteration` of a loop begins, counted from the begin of the loop.
    pub fn iteration_offset(&self, blocks: &Measure, node: NodeId, iteration: u64) -> Option<u64> {
        let items = self.items(node);
        // The last item up to which there are no more iterations than these.
        let (mut index, mut upper) = (0, items.len());
        while upper - index > 1 {
            let middle = index.midpoint(upper);
            match blocks.iterations_before(self, node, middle) <= iteration {
                true => index = middle,
                false => upper = middle,
            }
        }
        let item = *items.get(index)?;
        let copy = iteration - blocks.iterations_before(self, node, index);
        let one = blocks.one(self.kind(node), index, item);
        let offset = blocks.before(self, node, index).saturating_add(one.saturating_mul(copy));
        (copy < u64::from(item.times)).then_some(offset)
    }

    /// The different iterations of a loop in the order of their first one, at most `limit`, and how
    /// many there are in all.
    pub fn variants(&self, blocks: &Measure, node: NodeId, limit: usize) -> (Vec<Variant>, usize) {
        let kind = self.kind(node);
        let mut index_of = rustc_hash::FxHashMap::default();
        let mut found: Vec<Variant> = Vec::new();
        let (mut iteration, mut offset) = (0u64, 0u64);
        for (index, &item) in self.items(node).iter().enumerate() {
            let times = u64::from(item.times);
            if let Some(inner) = item.node() {
                let at = *index_of.entry(inner).or_insert(found.len());
                match found.get_mut(at) {
                    Some(known) => known.times = known.times.saturating_add(times),
                    None => found.push(Variant { node: inner, times, first_iteration: iteration, offset }),
                }
            }
            iteration = iteration.saturating_add(times);
            offset = offset.saturating_add(blocks.one(kind, index, item).saturating_mul(times));
        }
        let all = found.len();
        found.truncate(limit);
        (found, all)
    }
}
