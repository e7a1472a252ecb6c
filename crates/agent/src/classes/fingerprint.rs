//! Fingerprints by which a class is known again: XXH3 of 128 bits.
//!
//! They are quick, for a thread of the program waits for them, and two versions of a class on one machine will not
//! have the same. They withstand no one who looks for two that do; what a user keeps is read by that user alone.

use twox_hash::XxHash3_128;

pub(crate) use capture::class_cache::Fingerprint;

/// A fingerprint with these bytes and their number.
pub(crate) fn with_bytes(fingerprint: Fingerprint, bytes: &[u8]) -> Fingerprint {
    with(fingerprint, halves(XxHash3_128::oneshot(bytes)))
}

/// A fingerprint with two more words.
pub(crate) fn with([one, other]: Fingerprint, [first, second]: [u64; 2]) -> Fingerprint {
    let words = [one, other, first, second].map(u64::to_le_bytes);
    halves(XxHash3_128::oneshot(words.as_flattened()))
}

/// The fingerprint of a class file, as a capture has it.
pub(crate) fn of_class_file(bytes: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    digest[..16].copy_from_slice(&XxHash3_128::oneshot(bytes).to_le_bytes());
    digest
}

fn halves(fingerprint: u128) -> Fingerprint {
    [fingerprint as u64, (fingerprint >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn sums_differ_wherever_one_byte_or_the_order_does() {
        let plain: Vec<u8> = (0..100_u8).collect();
        let mut seen: Vec<Fingerprint> =
            (0..=100).map(|length| with_bytes([0, 0], &plain[..length])).collect();
        for at in 0..100 {
            for bit in 0..8 {
                let mut other = plain.clone();
                other[at] ^= 1 << bit;
                seen.push(with_bytes([0, 0], &other));
            }
        }
        seen.extend([with([1, 2], [3, 4]), with([2, 1], [3, 4]), with([1, 2], [4, 3]), with([3, 4], [1, 2])]);
        let halves = |which: usize| seen.iter().map(|fingerprint| fingerprint[which]).collect::<HashSet<_>>();
        assert_eq!((halves(0).len(), halves(1).len()), (seen.len(), seen.len()));
    }
}
