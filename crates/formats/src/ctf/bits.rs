//! Numbers out of bytes: any width, any bit offset, both bit orders
//! (CTF 1.8.3 specification, sections 4.1.5 and 4.1.7).
//!
//! ```text
//! little endian: bit 0 of the packet is the lowest bit of byte 0    |7.6.5.4.3.2.1.0|15 ...
//! big endian:    bit 0 of the packet is the highest bit of byte 0   |0.1.2.3.4.5.6.7|8 ...
//! ```

use super::tsdl::metadata::Order;

/// Bits of the widest number that is handled as one.
pub(super) const WIDEST: u32 = 128;

/// Bytes of a packet, from `origin` on. Positions are bits from the start of the packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'b> {
    pub(super) bytes: &'b [u8],
    /// In bytes from the start of the packet.
    pub(super) origin: u64,
}

impl<'b> View<'b> {
    /// The place of the byte that holds bit `position`.
    #[inline]
    fn index(&self, position: u64) -> usize {
        (position >> 3).wrapping_sub(self.origin) as usize
    }

    /// `len` bytes from `position`, which must be on a byte boundary.
    #[inline]
    pub(super) fn bytes_at(&self, position: u64, len: u64) -> Option<&'b [u8]> {
        let start = self.index(position);
        self.bytes.get(start..start.checked_add(usize::try_from(len).ok()?)?)
    }

    /// All bytes from `position` to `end`, both on byte boundaries.
    pub(super) fn bytes_until(&self, position: u64, end: u64) -> &'b [u8] {
        let stop = self.index(end).min(self.bytes.len());
        self.bytes.get(self.index(position)..stop).unwrap_or_default()
    }

    /// An unsigned number of 1 to 64 bits; `None` where the bytes end before it.
    #[inline(always)]
    pub(super) fn unsigned(&self, position: u64, bits: u32, order: Order) -> Option<u64> {
        let start = self.index(position);
        let shift = (position & 7) as u32;
        // Nearly every field of nearly every trace takes one of the next two ways.
        if let Some(word) = self.bytes.get(start..).and_then(|rest| rest.first_chunk::<8>())
            && shift + bits <= 64
        {
            let unused = 64 - bits;
            return Some(match order {
                Order::Little => u64::from_le_bytes(*word) << (unused - shift) >> unused,
                Order::Big => u64::from_be_bytes(*word) << shift >> unused,
            });
        }
        self.wide(position, bits, order).map(|value| value as u64)
    }

    /// An unsigned number of 1 to [`WIDEST`] bits, byte by byte.
    #[inline(never)]
    pub(super) fn wide(&self, position: u64, bits: u32, order: Order) -> Option<u128> {
        let start = self.index(position);
        let shift = (position & 7) as u32;
        let len = (shift + bits).div_ceil(8) as usize;
        let bytes = self.bytes.get(start..start.checked_add(len)?)?;
        let mut value = 0u128;
        match order {
            Order::Little => {
                // The low bits of the first byte belong to somebody else.
                let mut filled = 0u32;
                for (number, &byte) in bytes.iter().enumerate() {
                    let skipped = if number == 0 { shift } else { 0 };
                    value |= u128::from(byte >> skipped).checked_shl(filled).unwrap_or(0);
                    filled += 8 - skipped;
                }
                Some(if bits < 128 { value & ((1u128 << bits) - 1) } else { value })
            }
            Order::Big => {
                let mut left = bits;
                for (number, &byte) in bytes.iter().enumerate() {
                    let (have, byte) =
                        if number == 0 { (8 - shift, byte & (0xff >> shift)) } else { (8, byte) };
                    let take = have.min(left);
                    value = value << take | u128::from(byte >> (have - take));
                    left -= take;
                }
                Some(value)
            }
        }
    }
}

/// `value` of `bits` bits as a signed number.
#[inline]
pub(super) fn signed(value: u64, bits: u32) -> i64 {
    let unused = 64u32.saturating_sub(bits);
    (value << unused) as i64 >> unused
}

/// The same for up to [`WIDEST`] bits.
pub(super) fn signed_wide(value: u128, bits: u32) -> i128 {
    let unused = 128u32.saturating_sub(bits);
    (value << unused) as i128 >> unused
}

/// A binary floating-point number of `exponent` and `mantissa` bits (the mantissa counts the sign,
/// as the attributes of TSDL do), widened or rounded to 64 bits.
pub(super) fn float(raw: u128, exponent: u32, mantissa: u32) -> f64 {
    match (exponent, mantissa) {
        (8, 24) => return f64::from(f32::from_bits(raw as u32)),
        (11, 53) => return f64::from_bits(raw as u64),
        _ => {}
    }
    let fraction_bits = mantissa - 1;
    let fraction = raw & ((1u128 << fraction_bits) - 1);
    let power = (raw >> fraction_bits) as u32 & ((1u32 << exponent) - 1);
    let negative = raw >> (fraction_bits + exponent) & 1 == 1;
    let bias = (1i32 << (exponent - 1)) - 1;
    let magnitude = if power == (1 << exponent) - 1 {
        if fraction == 0 { f64::INFINITY } else { f64::NAN }
    } else {
        let (whole, power) = match power {
            0 => (fraction, 1 - bias),
            _ => (fraction | 1u128 << fraction_bits, power as i32 - bias),
        };
        // In two steps, as 2^-1074 times 2^53 would lose its low bits on the way.
        let scale = power.saturating_sub(fraction_bits as i32).clamp(-2_200, 2_200);
        whole as f64 * f64::powi(2.0, scale / 2) * f64::powi(2.0, scale - scale / 2)
    };
    if negative { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(bytes: &[u8]) -> View<'_> {
        View { bytes, origin: 0 }
    }

    #[test]
    fn both_ways_agree_with_a_reading_bit_by_bit() {
        let bytes: Vec<u8> = (0..40u32).map(|n| (n.wrapping_mul(0x9E37_79B9) >> 13) as u8).collect();
        let bit = |position: u64, order| {
            let byte = bytes[(position / 8) as usize];
            match order {
                Order::Little => byte >> (position % 8) & 1,
                Order::Big => byte >> (7 - position % 8) & 1,
            }
        };
        for order in [Order::Little, Order::Big] {
            for position in 0..64 {
                for bits in 1..=128u32 {
                    let mut expected = 0u128;
                    for step in 0..bits {
                        let one = u128::from(bit(position + u64::from(step), order));
                        match order {
                            Order::Little => expected |= one << step,
                            Order::Big => expected = expected << 1 | one,
                        }
                    }
                    assert_eq!(view(&bytes).wide(position, bits, order), Some(expected), "{position} {bits}");
                    if bits <= 64 {
                        assert_eq!(view(&bytes).unsigned(position, bits, order), Some(expected as u64));
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_behind_the_end_are_none() {
        assert_eq!(view(&[1, 2, 3]).unsigned(0, 24, Order::Little), Some(0x030201));
        assert_eq!(view(&[1, 2, 3]).unsigned(1, 24, Order::Little), None);
        assert_eq!(view(&[1, 2, 3]).unsigned(u64::MAX, 1, Order::Little), None);
        assert_eq!(View { bytes: &[1], origin: 5 }.unsigned(0, 8, Order::Big), None);
    }

    #[test]
    fn floats_of_all_widths() {
        assert_eq!(float(u128::from(1.5f32.to_bits()), 8, 24), 1.5);
        assert_eq!(float(u128::from((-2.25f64).to_bits()), 11, 53), -2.25);
        assert_eq!(float(0x3C00, 5, 11), 1.0);
        assert_eq!(float(0xC248, 5, 11), -3.140625);
        assert_eq!(float(0x0001, 5, 11), f64::powi(2.0, -24));
        assert_eq!(float(0x7C00, 5, 11), f64::INFINITY);
        assert_eq!(float(0x4000 << 112, 15, 113), 2.0);
        assert_eq!(signed(0b101, 3), -3);
    }
}
