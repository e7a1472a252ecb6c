//! A rule: what an iteration of a loop makes of a tape, proved for every tape that looks so.
//!
//! ```text
//! looks so    block 12 due; to the left a segment of x0 groups (x1), the group (x2), to the right
//!             a segment of x3 groups (x4)
//! holds       x2 = x4, x1 = x2 + 1
//! least       x3 >= 2, x4 >= 1
//! an iteration      x0 + 1, x3 - 1, 5 steps
//! ```
//!
//! An iteration adds the same to every number, whatever the numbers are, so what holds after it is known,
//! and how many iterations can be made is arithmetic. An iteration may make iterations of other rules, as many as
//! the numbers say: that is a loop of loops, and nothing here cares how deep.

use super::cost::Iteration;
use super::form::Form;
use super::state::State;

/// What a rule asks of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExpectedEnd {
    /// Slopes of the segments that an iteration touches, the nearest last.
    pub(super) slopes: Vec<i64>,
    /// Whether there must be no more than these.
    pub(super) is_all: bool,
}

/// A number that must not be negative when an iteration begins, and what an iteration adds to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Least {
    pub(super) form: Form,
    pub(super) per_iteration: i64,
}

/// The effect of an iteration. Its variables are the numbers that it touches: those of the left side, of
/// the group in hand and of the right side, as they lie there, counted in grains from the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// Block due and place in the group, see [`State::key`].
    pub(super) key: u32,
    pub(super) expected: [ExpectedEnd; 2],
    pub(super) base: Vec<i64>,
    /// A number differs from its base by a multiple of its grain.
    pub(super) grains: Vec<i64>,
    /// What an iteration adds to each number.
    pub(super) change: Vec<i64>,
    /// What an iteration adds to each variable: the change in grains.
    pub(super) by: Vec<i64>,
    /// Forms that are zero.
    pub(super) holds: Vec<Form>,
    pub(super) least: Vec<Least>,
    pub(super) iteration: Iteration,
}

impl Rule {
    /// The numbers of a state that the rule is about; false if the state does not look so.
    #[inline]
    pub(super) fn read(&self, state: &State<i64>, numbers: &mut Vec<i64>) -> bool {
        let width = state.hand.len();
        let matches = |side: usize| {
            let (expected_end, stack) = (&self.expected[side], &state.sides[side]);
            stack.slopes.ends_with(&expected_end.slopes)
                && (!expected_end.is_all || stack.slopes.len() == expected_end.slopes.len())
        };
        if !matches(0) || !matches(1) {
            return false;
        }
        let near = |side: usize| {
            let stack = &state.sides[side].numbers;
            let touched = self.expected[side].slopes.len() / width * (width + 1);
            &stack[stack.len() - touched..]
        };
        numbers.clear();
        numbers.extend_from_slice(near(0));
        numbers.extend_from_slice(&state.hand);
        numbers.extend_from_slice(near(1));
        true
    }

    /// The variables of these numbers; false if the rule does not hold for them.
    #[inline]
    pub(super) fn variables(&self, numbers: &mut [i64]) -> bool {
        for ((number, base), &grain) in numbers.iter_mut().zip(&self.base).zip(&self.grains) {
            *number -= base;
            if grain != 1 {
                if *number % grain != 0 {
                    return false;
                }
                *number /= grain;
            }
        }
        self.holds.iter().all(|form| form.at(numbers) == Some(0))
    }

    /// How many iterations can be made from these variables; none if there is no end to it.
    #[inline]
    pub(super) fn iterations(&self, variables: &[i64]) -> Option<u64> {
        let mut iterations = u64::MAX;
        for Least { form, per_iteration } in &self.least {
            match form.at(variables) {
                Some(left @ 0..) if *per_iteration < 0 => {
                    iterations = iterations.min(left.unsigned_abs() / per_iteration.unsigned_abs() + 1);
                }
                Some(0..) => {}
                _ => return Some(0),
            }
        }
        (iterations < u64::MAX).then_some(iterations)
    }

    /// Makes some iterations of a state that looks so.
    #[inline]
    pub(super) fn make(&self, state: &mut State<i64>, iterations: i64) {
        let width = state.hand.len();
        let State { sides: [left, right], hand, .. } = state;
        let touched = |side: usize| self.expected[side].slopes.len() / width * (width + 1);
        let left_at = left.numbers.len() - touched(0);
        let right_at = right.numbers.len() - touched(1);
        let numbers =
            left.numbers[left_at..].iter_mut().chain(hand.iter_mut()).chain(&mut right.numbers[right_at..]);
        for (number, change) in numbers.zip(&self.change) {
            *number += change * iterations;
        }
    }
}
