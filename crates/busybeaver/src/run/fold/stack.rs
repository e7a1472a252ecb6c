//! One side of a folded tape: segments of alike groups, nearest last.
//!
//! ```text
//! cells, from the data pointer on     5 1  5 1  5 1  5 1  4 1  3 1  2 1  0 0 ...
//! groups of two cells, folded         (5 1) + 0 0, 3 times    (5 1) - 1 0, 4 times
//! ```
//!
//! A segment is the count of its groups, the values of the nearest one, and for each place of a
//! group the slope: what a value changes by from one group to the next farther out. What lies behind
//! the last segment is zero. One content may be folded in several ways; each is right.

use super::world::{Side, World};

/// Segments, the nearest last.
#[derive(Debug, Clone, Default)]
pub(super) struct Stack<N> {
    /// For each segment its count and the values of its nearest group.
    pub(super) numbers: Vec<N>,
    /// For each segment the slopes.
    pub(super) slopes: Vec<i64>,
}

impl<N: Clone> Stack<N> {
    pub(super) fn new() -> Self {
        Stack { numbers: Vec::new(), slopes: Vec::new() }
    }

    /// How many segments there are, where groups have so many cells.
    pub(super) fn len(&self, width: usize) -> usize {
        self.slopes.len() / width
    }

    /// Looks at one more segment; false if there is none.
    pub(super) fn reveal<W: World<Number = N>>(&mut self, world: &mut W, side: Side) -> bool {
        let Some((numbers, slopes)) = world.reveal(side) else { return false };
        self.numbers.splice(0..0, numbers);
        self.slopes.splice(0..0, slopes);
        true
    }

    /// Takes the nearest group off; false if what that depends on cannot be noted.
    #[inline]
    pub(super) fn pop<W: World<Number = N>>(&mut self, world: &mut W, side: Side, group: &mut [N]) -> bool {
        let width = group.len();
        if self.slopes.is_empty() && !self.reveal(world, side) {
            group.fill(W::number(0));
            return true;
        }
        let at = self.numbers.len() - width - 1;
        let Some((count, values)) = self.numbers.get_mut(at..).and_then(<[N]>::split_first_mut) else {
            return false;
        };
        if !world.test(count, 1) {
            return false;
        }
        group.clone_from_slice(values);
        if W::now(count) == 1 {
            self.drop(width);
        } else {
            W::add(count, -1);
            let slopes = self.slopes.len() - width;
            for (value, &slope) in values.iter_mut().zip(self.slopes.iter().skip(slopes)) {
                W::add(value, slope);
            }
        }
        true
    }

    fn drop(&mut self, width: usize) {
        self.numbers.truncate(self.numbers.len() - width - 1);
        self.slopes.truncate(self.slopes.len() - width);
    }

    /// Puts a group in front of the others; false if what that depends on cannot be noted.
    #[inline]
    pub(super) fn push<W: World<Number = N>>(&mut self, world: &mut W, side: Side, group: &[N]) -> bool {
        let width = group.len();
        if self.slopes.is_empty() && !self.reveal(world, side) {
            if group.iter().all(|value| W::now(value) == 0) {
                // As everything behind it.
                return group.iter().all(|value| world.test(value, 0));
            }
            self.add::<W>(group);
            return true;
        }
        let (last, slopes) = (self.numbers.len() - width - 1, self.slopes.len() - width);
        let step = |slot: usize| W::now(&self.numbers[last + 1 + slot]) - W::now(&group[slot]);
        let is_single = W::now(&self.numbers[last]) == 1;
        if (0..width).all(|slot| step(slot) == self.slopes[slopes + slot]) {
            return self.join(world, group);
        }
        if is_single && (0..width).all(|slot| step(slot) == 0) {
            // A segment of one group has any slope.
            self.slopes[slopes..].fill(0);
            return world.test(&self.numbers[last], 1) && self.join(world, group);
        }
        if is_single && self.ends_row::<W>(group) {
            // Three groups in a row make a segment with slopes: this one and two single ones.
            let single = last - width - 1;
            let mut noted = world.test(&self.numbers[last], 1) && world.test(&self.numbers[single], 1);
            for slot in 0..width {
                let slope = step(slot);
                let (far, near) = (&self.numbers[single + 1 + slot], &self.numbers[last + 1 + slot]);
                noted &= world.hold(far, near, slope);
                self.slopes[slopes - width + slot] = slope;
            }
            self.numbers.drain(single..last);
            self.slopes.truncate(slopes);
            W::add(&mut self.numbers[single], 1);
            return noted && self.join(world, group);
        }
        self.add::<W>(group);
        true
    }

    /// Whether a group and the two nearest segments, if these have one group each, change evenly.
    fn ends_row<W: World<Number = N>>(&self, group: &[N]) -> bool {
        let width = group.len();
        if self.slopes.len() < 2 * width {
            return false;
        }
        let last = self.numbers.len() - width - 1;
        let single = last - width - 1;
        W::now(&self.numbers[single]) == 1
            && (0..width).all(|slot| {
                let now = |at: usize| W::now(&self.numbers[at + 1 + slot]);
                now(single) - now(last) == now(last) - W::now(&group[slot])
            })
    }

    /// Makes a group part of the nearest segment, whose slopes lead to it.
    #[inline]
    fn join<W: World<Number = N>>(&mut self, world: &mut W, group: &[N]) -> bool {
        let width = group.len();
        let (last, slopes) = (self.numbers.len() - width - 1, self.slopes.len() - width);
        let mut noted = true;
        let values = self.numbers[last + 1..].iter_mut().zip(group);
        for ((value, new), &slope) in values.zip(&self.slopes[slopes..]) {
            noted &= world.hold(value, new, slope);
            value.clone_from(new);
        }
        W::add(&mut self.numbers[last], 1);
        noted
    }

    fn add<W: World<Number = N>>(&mut self, group: &[N]) {
        self.numbers.push(W::number(1));
        self.numbers.extend_from_slice(group);
        self.slopes.extend(std::iter::repeat_n(0, group.len()));
    }
}
