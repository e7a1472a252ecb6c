//! A program in the middle of a run, on a folded tape.

use super::stack::Stack;
use super::world::{Plain, Side, World};
use crate::blocks::{Block, BlockId, Graph, Op};

/// The block due, and the tape around the data pointer.
#[derive(Debug, Clone)]
pub(super) struct State<N> {
    pub(super) block: BlockId,
    /// The segments on both sides of the group that the data pointer is in.
    pub(super) sides: [Stack<N>; 2],
    /// That group.
    pub(super) hand: Vec<N>,
    /// The place of the data pointer in it.
    pub(super) at: usize,
    /// The group, counted from the one that the run began in.
    pub(super) group: i64,
}

impl State<i64> {
    /// A tape with this data pointer, folded in groups of `width` cells.
    pub(super) fn folded(
        block: BlockId,
        position: i64,
        cells: std::ops::Range<i64>,
        value: impl Fn(i64) -> i64,
        width: usize,
    ) -> Self {
        let cell = |group: i64, slot: usize| value(group * width as i64 + slot as i64);
        let (first, last) = (cells.start.div_euclid(width as i64), cells.end.div_euclid(width as i64));
        let group = position.div_euclid(width as i64);
        let read = |group| -> Vec<i64> { (0..width).map(|slot| cell(group, slot)).collect() };
        let mut sides = [Stack::new(), Stack::new()];
        (first..group).for_each(|group| _ = sides[0].push(&mut Plain, Side::Left, &read(group)));
        (group + 1..=last).rev().for_each(|group| _ = sides[1].push(&mut Plain, Side::Right, &read(group)));
        let at = position.rem_euclid(width as i64) as usize;
        State { block, sides, hand: read(group), at, group }
    }

    /// The cells around the data pointer, from the left; and how many are to the left of it.
    pub(super) fn cells(&self) -> (Vec<i64>, usize) {
        let width = self.hand.len();
        let unfold = |stack: &Stack<i64>| {
            let mut groups: Vec<Vec<i64>> = Vec::new();
            for (numbers, slopes) in
                stack.numbers.chunks_exact(width + 1).zip(stack.slopes.chunks_exact(width)).rev()
            {
                let Some((&count, values)) = numbers.split_first() else { continue };
                let group = |n| values.iter().zip(slopes).map(|(value, slope)| value + slope * n).collect();
                groups.extend((0..count).map(group));
            }
            groups
        };
        let mut left = unfold(&self.sides[0]);
        left.reverse();
        let before = left.len() * width + self.at;
        let right = unfold(&self.sides[1]);
        (left.into_iter().chain([self.hand.clone()]).chain(right).flatten().collect(), before)
    }

    /// How many cells [`State::cells`] would give.
    pub(super) fn span(&self) -> u64 {
        let width = self.hand.len();
        let counts = self.sides.iter().flat_map(|side| side.numbers.iter().step_by(width + 1));
        counts.fold(width as u64, |sum, &count| {
            sum.saturating_add((count.max(0) as u64).saturating_mul(width as u64))
        })
    }
}

impl<N: Clone> State<N> {
    /// What the run looks like from afar: the block due and the place in the group.
    #[inline]
    pub(super) fn key(&self) -> u32 {
        u32::from(self.block.number()) << 4 | self.at as u32
    }

    /// Runs the block due and gives its steps. None if it is an end, or if what it depends on
    /// cannot be noted.
    #[inline]
    pub(super) fn run<W: World<Number = N>>(&mut self, world: &mut W, graph: &Graph) -> Option<u8> {
        let Some(Block::Work { op, steps, zero, nonzero }) = graph.block(self.block) else { return None };
        match op {
            Op::Delta(amount) => W::add(&mut self.hand[self.at], amount.into()),
            Op::Shift(amount) => self.shift(world, amount.into())?,
        }
        let value = &self.hand[self.at];
        if !world.test(value, 0) {
            return None;
        }
        self.block = match zero {
            Some(zero) if W::now(value) == 0 => zero,
            _ => nonzero,
        };
        Some(steps)
    }

    #[inline]
    fn shift<W: World<Number = N>>(&mut self, world: &mut W, amount: isize) -> Option<()> {
        let width = self.hand.len() as isize;
        let mut at = self.at as isize + amount;
        while at < 0 || at >= width {
            let (ahead, by) = if at < 0 { (Side::Left, -1) } else { (Side::Right, 1) };
            let behind = ahead.other();
            if !self.sides[behind.index()].push(world, behind, &self.hand)
                || !self.sides[ahead.index()].pop(world, ahead, &mut self.hand)
            {
                return None;
            }
            at -= by * width;
            self.group += by as i64;
        }
        self.at = at as usize;
        Some(())
    }
}
