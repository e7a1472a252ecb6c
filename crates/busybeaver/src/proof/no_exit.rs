//! No way out: the blocks that can still be reached never leave the grid, whatever the tape holds.
//!
//! Only the value at the DP is followed, as a set of values: exactly from -14 to 14, beyond that
//! by sign. After a shift any value is possible. If, starting with a block, only blocks that work
//! on can be reached, the program hangs; the set of pairs (block, value) is a [closure] with
//! nothing in view but the value itself, and that is the certificate.
//!
//! The search asks this often, so it is quick: sets are bit masks. It asks in `search::escape`;
//! here are the sets of values, and the certificate.
//!
//! [closure]: super::closure

use super::closure::{Found, Lens, Scale, close};
use super::{Certificate, Hang, Kind};
use crate::Grid;
use crate::blocks::{BlockId, Graph};
use crate::run::Tape;

/// The scale of the values followed.
const SCALE: Scale = Scale { exact: 14, modulus: 1 };

/// Bit `n + 15` is the value `n`; the lowest and the highest bit stand for all beyond.
pub(crate) const ALL: u32 = 0x7fff_ffff;
const LARGER: u32 = 1 << 30;
pub(crate) const ZERO: u32 = 1 << 15;

/// The values that may come of adding `amount` to one of these.
pub(crate) fn add(values: u32, amount: i8) -> u32 {
    let by = u32::from(amount.unsigned_abs()).min(30);
    if amount >= 0 {
        // Values near the upper edge pass it; those below the lower edge may stay there or come
        // in as far as the amount reaches.
        let moved = (u64::from(values) << by) as u32 & ALL;
        let passed = if u64::from(values) << by > u64::from(ALL) { LARGER } else { 0 };
        let came = if values & 1 != 0 { (1 << (by + 1)) - 1 } else { 0 };
        moved | passed | came
    } else {
        mirror(add(mirror(values), -amount))
    }
}

/// The set of one value.
pub(crate) fn set_of(value: i64) -> u32 {
    1 << (value.clamp(-15, 15) + 15)
}

fn mirror(values: u32) -> u32 {
    values.reverse_bits() >> 1
}

/// The hang with its certificate, for a program that cannot escape from the block due.
pub(crate) fn hang(grid: &Grid, due: BlockId, after: u64, tape: &Tape) -> Option<Hang> {
    let lens = Lens { scale: SCALE, reach: 0, period: 1, most: 1 << 16 };
    match close(&Graph::of(grid), due, tape, lens) {
        Found::Closed(closure) => {
            let certificate = Certificate::new(grid.to_string(), after, closure.claim());
            Some(Hang { kind: Kind::NoExit, certificate })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_values_add_as_their_members_do() {
        let bit = |value: i32| set_of(value.into());
        for amount in -7_i8..=7 {
            for value in -40_i32..=40 {
                let sum = add(bit(value), amount);
                assert_ne!(sum & bit(value + i32::from(amount)), 0, "{value} {amount}");
                if value.abs() < 15 {
                    assert_eq!(sum.count_ones(), 1);
                }
            }
        }
    }
}
