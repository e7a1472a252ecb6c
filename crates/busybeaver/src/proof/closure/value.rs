//! Values, exactly when small, otherwise by sign and remainder.

use serde::{Deserialize, Serialize};

/// How exactly values are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scale {
    /// Values from `-exact` to `exact` are seen as they are.
    pub exact: i8,
    /// Values beyond are seen by sign and by their remainder modulo this.
    pub modulus: i8,
}

/// A value as seen on a scale: a number below 32.
///
/// ```text
/// 0 ..= 2*exact                  value + exact
/// then `modulus` numbers         larger, by remainder
/// then `modulus` numbers         smaller, by remainder
/// ```
pub(super) type Seen = u8;

impl Scale {
    /// Whether all values get numbers below 32.
    pub fn is_possible(self) -> bool {
        self.exact >= 0
            && self.modulus >= 1
            && 2 * i32::from(self.exact) + 1 + 2 * i32::from(self.modulus) <= 32
    }

    /// All that can be seen.
    pub(super) fn all(self) -> std::ops::Range<Seen> {
        0..(2 * self.exact + 1 + 2 * self.modulus) as Seen
    }

    /// How the value zero is seen.
    pub(super) fn zero(self) -> Seen {
        self.exact as u8
    }

    /// How a value is seen.
    pub(super) fn see(self, value: i64) -> Seen {
        let (exact, modulus) = (i64::from(self.exact), i64::from(self.modulus));
        let number = if value.abs() <= exact {
            value + exact
        } else if value > 0 {
            2 * exact + 1 + value.rem_euclid(modulus)
        } else {
            2 * exact + 1 + modulus + value.rem_euclid(modulus)
        };
        number as u8
    }

    /// All that may be seen after adding `amount` to a value that is seen as `seen`.
    pub(super) fn add(self, seen: Seen, amount: i64, mut found: impl FnMut(Seen)) {
        let (exact, modulus) = (i64::from(self.exact), i64::from(self.modulus));
        let number = i64::from(seen);
        if number <= 2 * exact {
            found(self.see(number - exact + amount));
            return;
        }
        let larger = number < 2 * exact + 1 + modulus;
        let remainder = (number - 2 * exact - 1) % modulus;
        // Only the values next to the exact ones can come back into them; one representative
        // beyond what the amount can bridge stands for the rest.
        let far = exact + amount.abs() + modulus;
        let mut last = None;
        for size in exact + 1..=far {
            let value = if larger { size } else { -size };
            if value.rem_euclid(modulus) == remainder {
                let now = self.see(value + amount);
                if last != Some(now) {
                    found(now);
                }
                last = Some(now);
            }
        }
    }
}
