//! Inferences: which positions of a thread were lost and are inferred, and where recording goes on.
//!
//! ```text
//! items      0 1 Inferred 2 [bake] 3 Observed 1
//! boundaries       0                   1           positions 2.. of the thread up to that of the last 1 are inferred
//! ```
//!
//! The caller guarantees that both boundaries alternate in each thread, as a decoder reports them; where they do not,
//! nothing is reported. A range may be without a block: then what was lost is the end of a call.

use model::code::BlockId;
use rustc_hash::FxHashMap;

use super::counts::Counts;
use super::measure::Measure;
use super::path::{Path, PathStep};
use super::store::{Inferred, Item, Kind, NodeId, Replay, What};

/// Items that are passed at once where no boundary lies among them.
const STRIDE: usize = 1024;

type Sum = FxHashMap<BlockId, u64>;

/// The boundaries of all inferred ranges, counted.
#[derive(Debug)]
pub struct Inferences {
    boundaries: Measure,
}

/// Records that were lost one after the other, and what is inferred of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InferredRange {
    /// How many records, and how sure.
    pub inferred: Inferred,
    /// The position of the first inferred block.
    pub begin: u64,
    /// The position from which on blocks were recorded again.
    pub end: u64,
}

impl Inferences {
    /// Those of all threads.
    pub fn of(replay: &Replay) -> Inferences {
        Inferences { boundaries: Measure::boundaries(replay) }
    }

    /// How many ranges a thread has.
    pub fn len(&self, root: NodeId) -> u64 {
        self.boundaries.of_node(root).div_ceil(2)
    }

    /// The range with this number of a thread, from 0.
    pub fn get(&self, replay: &Replay, blocks: &Measure, root: NodeId, number: u64) -> Option<InferredRange> {
        let first = number.checked_mul(2)?;
        let begin = replay.select(root, blocks, &self.boundaries, first)?;
        let step = begin.steps.last()?;
        let What::Inferred(inferred) = replay.items(step.node).get(step.item)?.what() else { return None };
        let end = replay.select(root, blocks, &self.boundaries, first + 1);
        let end = end.map_or(blocks.of_node(root), |path| path.position);
        Some(InferredRange { inferred, begin: begin.position, end })
    }

    /// The range that the end of a path lies in.
    pub fn around(
        &self,
        replay: &Replay,
        blocks: &Measure,
        root: NodeId,
        path: &Path,
    ) -> Option<InferredRange> {
        let before = replay.rank(&self.boundaries, path);
        match before % 2 {
            1 => self.get(replay, blocks, root, before / 2),
            _ => None,
        }
    }

    /// The last range that was over before the end of a path.
    pub fn last_before(
        &self,
        replay: &Replay,
        blocks: &Measure,
        root: NodeId,
        path: &Path,
    ) -> Option<InferredRange> {
        let number = (replay.rank(&self.boundaries, path) / 2).checked_sub(1)?;
        self.get(replay, blocks, root, number)
    }

    /// The path to where recording went on last before the end of a path.
    pub fn resumed_before(
        &self,
        replay: &Replay,
        blocks: &Measure,
        root: NodeId,
        path: &Path,
    ) -> Option<Path> {
        let boundary = (replay.rank(&self.boundaries, path) / 2).checked_sub(1)? * 2 + 1;
        replay.select(root, blocks, &self.boundaries, boundary)
    }

    /// Whether something in a node is inferred or ends to be.
    pub fn are_in(&self, node: NodeId) -> bool {
        self.boundaries.of_node(node) > 0
    }

    /// How often each block ran, as far as that is inferred, in the call at `step` of the path, before and with the end of
    /// the path; ascending by block.
    pub fn up_to(
        &self,
        replay: &Replay,
        counts: &mut Counts,
        path: &Path,
        step: usize,
    ) -> Vec<(BlockId, u64)> {
        let mut sum = Sum::default();
        let mut is_inferred = self.begins_inferred(replay, path, step);
        for (index, at) in path.steps.iter().enumerate().skip(step) {
            if index > step && !has_blocks_of_call(replay.kind(at.node)) {
                break;
            }
            self.add_items(replay, counts, (at.node, at.item), &mut is_inferred, &mut sum);
            let Some(item) = replay.items(at.node).get(at.item) else { continue };
            match item.what() {
                What::Block(block) | What::Catch(block) if is_inferred => {
                    *sum.entry(block).or_default() += at.copy + 1;
                }
                What::Node(inner) => {
                    self.add_node(replay, counts, (inner, at.copy), &mut is_inferred, &mut sum);
                }
                _ => {}
            }
        }
        sorted(sum)
    }

    /// The same of the whole call at `step` of the path.
    pub fn of_call(
        &self,
        replay: &Replay,
        counts: &mut Counts,
        path: &Path,
        step: usize,
    ) -> Vec<(BlockId, u64)> {
        let mut sum = Sum::default();
        let mut is_inferred = self.begins_inferred(replay, path, step);
        if let Some(call) = path.steps.get(step) {
            self.add_items(replay, counts, (call.node, usize::MAX), &mut is_inferred, &mut sum);
        }
        sorted(sum)
    }

    /// Whether the call at `step` of a path begins in an inferred range.
    fn begins_inferred(&self, replay: &Replay, path: &Path, step: usize) -> bool {
        let Some(&call) = path.steps.get(step) else { return false };
        let mut steps = path.steps.get(..step).unwrap_or_default().to_vec();
        steps.push(PathStep { item: replay.items(call.node).len(), copy: 0, ..call });
        replay.rank(&self.boundaries, &Path { steps, position: call.begin }) % 2 == 1
    }

    /// Adds what is inferred in the first `until` items of a node.
    fn add_items(
        &self,
        replay: &Replay,
        counts: &mut Counts,
        (node, until): (NodeId, usize),
        is_inferred: &mut bool,
        sum: &mut Sum,
    ) {
        let items = replay.items(node);
        let until = until.min(items.len());
        for from in (0..until).step_by(STRIDE) {
            let to = (from + STRIDE).min(until);
            let boundaries = |index: usize| self.boundaries.before(replay, node, index);
            if !*is_inferred && boundaries(to) == boundaries(from) {
                continue;
            }
            for item in items.get(from..to).unwrap_or_default() {
                self.add_item(replay, counts, *item, is_inferred, sum);
            }
        }
    }

    fn add_item(
        &self,
        replay: &Replay,
        counts: &mut Counts,
        item: Item,
        is_inferred: &mut bool,
        sum: &mut Sum,
    ) {
        let times = u64::from(item.times);
        match item.what() {
            What::Block(block) | What::Catch(block) if *is_inferred => add(sum, block, times),
            What::Node(inner) => self.add_node(replay, counts, (inner, times), is_inferred, sum),
            What::Inferred(_) | What::Observed => *is_inferred = !*is_inferred,
            What::Block(_) | What::Catch(_) | What::Gap(_) => {}
        }
    }

    /// Adds what is inferred in so many copies of a node, one after the other.
    fn add_node(
        &self,
        replay: &Replay,
        counts: &mut Counts,
        (node, times): (NodeId, u64),
        is_inferred: &mut bool,
        sum: &mut Sum,
    ) {
        if times == 0 {
            return;
        }
        let is_own = has_blocks_of_call(replay.kind(node));
        let boundaries = self.boundaries.of_node(node);
        if boundaries == 0 {
            if is_own && *is_inferred {
                for (block, count) in counts.of_node(replay, node) {
                    add(sum, block, count.saturating_mul(times));
                }
            }
            return;
        }
        // With an odd number of boundaries inside, every other copy begins as the first does.
        let alternates = boundaries % 2 == 1;
        if is_own {
            let like_first = if alternates { times.div_ceil(2) } else { times };
            for (copies, begins) in [(like_first, *is_inferred), (times - like_first, !*is_inferred)] {
                if copies == 0 {
                    continue;
                }
                let (mut inside, mut is_inferred) = (Sum::default(), begins);
                self.add_items(replay, counts, (node, usize::MAX), &mut is_inferred, &mut inside);
                for (block, count) in inside {
                    add(sum, block, count.saturating_mul(copies));
                }
            }
        }
        *is_inferred ^= alternates && times % 2 == 1;
    }
}

/// Whether the blocks in a node are those of the call around it.
fn has_blocks_of_call(kind: Kind) -> bool {
    matches!(kind, Kind::Loop { .. } | Kind::Iteration { .. })
}

fn add(sum: &mut Sum, block: BlockId, times: u64) {
    let count = sum.entry(block).or_default();
    *count = count.saturating_add(times);
}

fn sorted(sum: Sum) -> Vec<(BlockId, u64)> {
    let mut list: Vec<_> = sum.into_iter().collect();
    list.sort_unstable();
    list
}
