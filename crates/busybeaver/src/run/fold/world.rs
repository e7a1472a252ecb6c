//! What a run on a folded tape asks of its numbers: plain ones, or forms that take notes.

/// The sides of the data pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    pub(super) fn index(self) -> usize {
        self as usize
    }

    pub(super) fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// Numbers, and what is noted when a run depends on them.
pub(super) trait World {
    /// A number.
    type Number: Clone;

    /// The number of a value.
    fn number(value: i64) -> Self::Number;

    /// What a number is now.
    fn now(number: &Self::Number) -> i64;

    /// Adds to a number.
    fn add(number: &mut Self::Number, amount: i64);

    /// Notes that these numbers differ by so much, as they do now. False if that cannot be noted.
    fn hold(&mut self, one: &Self::Number, other: &Self::Number, difference: i64) -> bool;

    /// Notes on which side of a value a number is, or that it is this value, as it is now. False if
    /// that cannot be noted.
    fn test(&mut self, number: &Self::Number, value: i64) -> bool;

    /// The next segment of a side that has not been looked at: its numbers and its slopes.
    fn reveal(&mut self, side: Side) -> Option<(Vec<Self::Number>, Vec<i64>)>;
}

/// Plain numbers: everything is known, nothing is noted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain;

impl World for Plain {
    type Number = i64;

    #[inline]
    fn number(value: i64) -> i64 {
        value
    }

    #[inline]
    fn now(number: &i64) -> i64 {
        *number
    }

    #[inline]
    fn add(number: &mut i64, amount: i64) {
        *number += amount;
    }

    #[inline]
    fn hold(&mut self, _one: &i64, _other: &i64, _difference: i64) -> bool {
        true
    }

    #[inline]
    fn test(&mut self, _number: &i64, _value: i64) -> bool {
        true
    }

    #[inline]
    fn reveal(&mut self, _side: Side) -> Option<(Vec<i64>, Vec<i64>)> {
        None
    }
}
