//! Measures: how many of something lie in each node, so that the n-th can be found without counting.
//!
//! A measure adds one for each wanted frame (at its beginning, before its blocks) and one for each
//! wanted block. Kept beside the items is the running sum at each sixteenth item only; between two
//! marks at most sixteen items are added up.

use model::code::{BlockId, MethodId};
use rustc_hash::FxHashMap;

use super::store::{Item, Kind, NodeId, Replay, What};

const STRIDE: usize = 16;

/// What a measure counts.
pub struct Wanted<'a> {
    /// Whether beginnings of frames of this method count.
    pub frame: &'a dyn Fn(MethodId) -> bool,
    /// Whether runs of this block of this method count; `None`: no block does.
    pub block: Option<&'a dyn Fn(MethodId, BlockId) -> bool>,
    /// Whether only the first iteration of each loop is looked at.
    pub first_iterations: bool,
}

impl std::fmt::Debug for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wanted").field("first_iterations", &self.first_iterations).finish_non_exhaustive()
    }
}

/// How many of something are in each node. Sums stop at 2^64 - 1.
#[derive(Debug, Default)]
pub struct Measure {
    nodes: Vec<u64>,
    marks: Vec<u64>,
    first_iterations: bool,
    /// Beside the items, as above: iterations of the loops before; of positions only.
    iterations: Vec<u64>,
    /// Blocks that count, as they are looked up for single items; `None`: all.
    blocks: BlockSet,
}

#[derive(Debug, Default)]
enum BlockSet {
    #[default]
    None,
    All,
    /// No block, but places where something was lost.
    Gaps,
    /// The same where nobody knows how much.
    UncountedGaps,
    /// What was lost in those where somebody counted it.
    Lost,
    /// What was lost and has been deduced, and that of which there was one way only.
    Inferred,
    OnlyWay,
    /// Where that begins, and where recording goes on.
    Boundaries,
    /// By method and block: [`YES`], or anything else.
    Some(Answers),
}

const YES: u8 = 2;
const NO: u8 = 1;
/// Below these, answers lie in rows that are looked up at once. A damaged index may name any method
/// and block, and must not make the rows long.
const METHODS: u32 = 1 << 20;
const BLOCKS: u32 = 1 << 10;

/// What was answered about blocks: [`YES`], [`NO`] or, if nobody asked yet, 0.
#[derive(Debug, Default)]
struct Answers {
    near: Vec<Vec<u8>>,
    far: FxHashMap<(u32, BlockId), u8>,
}

impl Answers {
    fn get(&self, method: MethodId, block: BlockId) -> u8 {
        let answer = match method.0 < METHODS && block < BLOCKS {
            true => self.near.get(method.0 as usize).and_then(|blocks| blocks.get(block as usize)),
            false => self.far.get(&(method.0, block)),
        };
        answer.copied().unwrap_or(0)
    }

    fn set(&mut self, method: MethodId, block: BlockId, answer: u8) {
        if method.0 >= METHODS || block >= BLOCKS {
            self.far.insert((method.0, block), answer);
            return;
        }
        let (row, step) = (method.0 as usize, block as usize);
        if self.near.len() <= row {
            self.near.resize(row + 1, Vec::new());
        }
        if self.near[row].len() <= step {
            self.near[row].resize(step + 1, 0);
        }
        self.near[row][step] = answer;
    }
}

impl BlockSet {
    fn has(&self, method: Option<MethodId>, block: BlockId) -> bool {
        match (self, method) {
            (BlockSet::All, Some(_)) => true,
            (BlockSet::Some(all), Some(method)) => all.get(method, block) == YES,
            _ => false,
        }
    }
}

/// The method whose blocks a node has.
pub(super) fn owner(kind: Kind) -> Option<MethodId> {
    match kind {
        Kind::Frame { method, .. } | Kind::Loop { method, .. } | Kind::Iteration { method } => Some(method),
        Kind::Root | Kind::Again { .. } => None,
    }
}

impl Measure {
    /// Every block: the measure of positions.
    pub fn blocks(replay: &Replay) -> Measure {
        Measure::compute(replay, &|_| false, BlockSet::All, false)
    }

    /// Every call.
    pub fn calls(replay: &Replay) -> Measure {
        Measure::compute(replay, &|_| true, BlockSet::None, false)
    }

    /// Every call but those of methods that `hidden` names, and but whatever these call.
    pub fn calls_outside(replay: &Replay, hidden: &dyn Fn(MethodId) -> bool) -> Measure {
        Measure::compute_outside(replay, &|_| true, BlockSet::None, false, hidden)
    }

    /// Every place where something was lost.
    pub fn gaps(replay: &Replay) -> Measure {
        Measure::compute(replay, &|_| false, BlockSet::Gaps, false)
    }

    /// Every place where something was lost and nobody knows how much.
    pub fn uncounted_gaps(replay: &Replay) -> Measure {
        Measure::compute(replay, &|_| false, BlockSet::UncountedGaps, false)
    }

    /// The records that were lost, where they were counted.
    pub fn lost(replay: &Replay) -> Measure {
        Measure::compute(replay, &|_| false, BlockSet::Lost, false)
    }

    /// The records that were lost and have been deduced.
    pub fn inferred(replay: &Replay) -> Measure {
        Measure::compute(replay, &|_| false, BlockSet::Inferred, false)
    }

    /// Those of them for which there was one way only.
    pub fn only_way(replay: &Replay) -> Measure {
        Measure::compute(replay, &|_| false, BlockSet::OnlyWay, false)
    }

    /// The places where what follows is inferred, and those where it is recorded again: in each thread they alternate, as
    /// its steps do.
    pub(super) fn boundaries(replay: &Replay) -> Measure {
        Measure::compute(replay, &|_| false, BlockSet::Boundaries, false)
    }

    /// What is wanted. Costs one look at each item of the tree, and one more where blocks are.
    pub fn of(replay: &Replay, wanted: &Wanted<'_>) -> Measure {
        let Some(is_wanted) = wanted.block else {
            return Measure::compute(replay, wanted.frame, BlockSet::None, wanted.first_iterations);
        };
        let mut blocks = Answers::default();
        let mut any = false;
        for (row, id) in replay.rows.iter().zip(0..) {
            let Some(method) = owner(row.kind) else { continue };
            for block in replay.items(NodeId(id)).iter().filter_map(|item| item.block()) {
                if blocks.get(method, block) == 0 {
                    let counts = is_wanted(method, block);
                    blocks.set(method, block, if counts { YES } else { NO });
                    any |= counts;
                }
            }
        }
        let set = if any { BlockSet::Some(blocks) } else { BlockSet::None };
        Measure::compute(replay, wanted.frame, set, wanted.first_iterations)
    }

    fn compute(
        replay: &Replay,
        frame: &dyn Fn(MethodId) -> bool,
        blocks: BlockSet,
        first_iterations: bool,
    ) -> Measure {
        Measure::compute_outside(replay, frame, blocks, first_iterations, &|_| false)
    }

    fn compute_outside(
        replay: &Replay,
        frame: &dyn Fn(MethodId) -> bool,
        blocks: BlockSet,
        first_iterations: bool,
        hidden: &dyn Fn(MethodId) -> bool,
    ) -> Measure {
        let marks = replay.items.len() / STRIDE + 1;
        let mut measure = Measure {
            nodes: Vec::with_capacity(replay.rows.len()),
            marks: Vec::with_capacity(marks),
            first_iterations,
            iterations: Vec::new(),
            blocks,
        };
        let has_iterations = matches!(measure.blocks, BlockSet::All);
        let (mut running, mut iterations) = (0u64, 0u64);
        for row in &replay.rows {
            let mut sum = match row.kind {
                Kind::Frame { method, .. } => u64::from(frame(method)),
                _ => 0,
            };
            for at in row.first..row.first + row.len {
                if at.is_multiple_of(STRIDE) {
                    measure.marks.push(running);
                    if has_iterations {
                        measure.iterations.push(iterations);
                    }
                }
                let Some(&item) = replay.items.get(at) else { continue };
                let weight = measure.weight(row.kind, at - row.first, item);
                iterations = iterations.wrapping_add(u64::from(item.times));
                sum = sum.saturating_add(weight);
                running = running.wrapping_add(weight);
            }
            let is_hidden = matches!(row.kind, Kind::Frame { method, .. } if hidden(method));
            measure.nodes.push(if is_hidden { 0 } else { sum });
        }
        measure
    }

    /// How many are in a node.
    pub fn of_node(&self, node: NodeId) -> u64 {
        self.nodes.get(node.0 as usize).copied().unwrap_or(0)
    }

    /// How many are in an item of a node of this kind, all its repetitions together.
    fn weight(&self, kind: Kind, index: usize, item: Item) -> u64 {
        let one = self.one(kind, index, item);
        if self.first_iterations && kind.has_iterations() {
            one
        } else {
            one.saturating_mul(u64::from(item.times))
        }
    }

    /// How many are in one repetition of an item.
    pub(super) fn one(&self, kind: Kind, index: usize, item: Item) -> u64 {
        if self.first_iterations && kind.has_iterations() && index > 0 {
            return 0;
        }
        match item.what() {
            What::Block(block) | What::Catch(block) => u64::from(self.blocks.has(owner(kind), block)),
            What::Node(node) => self.of_node(node),
            What::Gap(count) => match self.blocks {
                BlockSet::Gaps => 1,
                BlockSet::UncountedGaps => u64::from(count == 0),
                BlockSet::Lost => u64::from(count),
                _ => 0,
            },
            What::Inferred(inferred) => match self.blocks {
                BlockSet::Inferred => u64::from(inferred.records),
                BlockSet::OnlyWay if inferred.is_only_way() => u64::from(inferred.records),
                BlockSet::Boundaries => 1,
                _ => 0,
            },
            What::Observed => u64::from(matches!(self.blocks, BlockSet::Boundaries)),
        }
    }

    /// Whether only first iterations are looked at.
    pub(super) fn first_iterations(&self) -> bool {
        self.first_iterations
    }

    /// How many the node itself counts before its items: 1 for the beginning of a wanted frame.
    pub(super) fn own(&self, replay: &Replay, node: NodeId) -> u64 {
        let len = replay.items(node).len();
        self.of_node(node).saturating_sub(self.before(replay, node, len))
    }

    /// How many are in the first `index` items of a node, without its own.
    pub(super) fn before(&self, replay: &Replay, node: NodeId, index: usize) -> u64 {
        let Some(row) = replay.rows.get(node.0 as usize) else { return 0 };
        let to = row.first + index.min(row.len);
        let (low, high) = (row.first.div_ceil(STRIDE), to / STRIDE);
        if low >= high {
            return self.sum(replay, node, row.first, to);
        }
        let (Some(&first), Some(&last)) = (self.marks.get(low), self.marks.get(high)) else {
            return self.sum(replay, node, row.first, to);
        };
        self.sum(replay, node, row.first, low * STRIDE)
            .wrapping_add(last.wrapping_sub(first))
            .wrapping_add(self.sum(replay, node, high * STRIDE, to))
    }

    /// The items `from..to` of all items, which belong to this node, added up one by one.
    fn sum(&self, replay: &Replay, node: NodeId, from: usize, to: usize) -> u64 {
        let Some(row) = replay.rows.get(node.0 as usize) else { return 0 };
        let items = replay.items.get(from..to).unwrap_or(&[]);
        (from..)
            .zip(items)
            .fold(0u64, |sum, (at, &item)| sum.wrapping_add(self.weight(row.kind, at - row.first, item)))
    }

    /// How many iterations of a loop lie before an item of it; asked of the measure of positions.
    pub fn iterations_before(&self, replay: &Replay, node: NodeId, index: usize) -> u64 {
        let Some(row) = replay.rows.get(node.0 as usize) else { return 0 };
        let to = row.first + index.min(row.len);
        let sum = |from: usize, to: usize| -> u64 {
            replay.items.get(from..to).unwrap_or(&[]).iter().map(|item| u64::from(item.times)).sum()
        };
        let (low, high) = (row.first.div_ceil(STRIDE), to / STRIDE);
        match (self.iterations.get(low), self.iterations.get(high)) {
            (Some(first), Some(last)) if low < high => {
                sum(row.first, low * STRIDE) + last.wrapping_sub(*first) + sum(high * STRIDE, to)
            }
            _ => sum(row.first, to),
        }
    }

    /// Which item of a node holds the one with number `k` (without the node's own), in which of
    /// its repetitions, and the number that is left inside that.
    pub(super) fn find(&self, replay: &Replay, node: NodeId, k: u64) -> Option<(usize, u64, u64)> {
        let row = replay.rows.get(node.0 as usize)?;
        let (low, high) = (row.first.div_ceil(STRIDE), (row.first + row.len) / STRIDE);
        let head = self.sum(replay, node, row.first, (low * STRIDE).min(row.first + row.len));
        let (mut at, mut seen) = (row.first, 0u64);
        if low < high && k >= head {
            // The last mark of the node up to which no more than k are counted.
            let marks = self.marks.get(low..=high)?;
            let base = marks.first().copied()?;
            let upto = marks.partition_point(|mark| head.wrapping_add(mark.wrapping_sub(base)) <= k);
            let mark = upto.saturating_sub(1);
            at = (low + mark) * STRIDE;
            seen = head.wrapping_add(marks.get(mark)?.wrapping_sub(base));
        } else if low == high && k >= head && low * STRIDE >= row.first {
            (at, seen) = ((low * STRIDE).min(row.first + row.len), head);
        }
        while at < row.first + row.len {
            let item = *replay.items.get(at)?;
            let index = at - row.first;
            let weight = self.weight(row.kind, index, item);
            if k - seen < weight {
                let one = self.one(row.kind, index, item).max(1);
                return Some((index, (k - seen) / one, (k - seen) % one));
            }
            seen = seen.wrapping_add(weight);
            at += 1;
        }
        None
    }
}
