//! The different units of a chunk, and which of them each unit is.
//!
//! Most of the time of writing a chunk goes into this: a sum, two loads and a comparison for a unit, with a branch
//! that is nearly always foreseen. That is about 1 ns for a unit of one word and 1.3 ns for one of four.

/// More different units than that are not expressed by numbers.
pub(super) const MOST: usize = 256;

/// Slots in which a unit's number is looked for: so many that hardly two units want the same one.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 12;

/// Units of so many bytes, a multiple of 4. Kept from chunk to chunk for its memory only, and in a box: it is large.
#[derive(Debug)]
pub(super) struct Table<const BYTES: usize> {
    /// By a sum of the unit: its number, or that of another one; 0 also where nothing is.
    slots: [u8; SLOTS],
    /// By number. No unit begins with a word of 0, so nothing is found before it was added.
    units: [[u8; BYTES]; MOST],
    /// How many there are.
    different: usize,
}

impl<const BYTES: usize> Default for Table<BYTES> {
    fn default() -> Self {
        Self { slots: [0; SLOTS], units: [[0; BYTES]; MOST], different: 0 }
    }
}

impl<const BYTES: usize> Table<BYTES> {
    /// Finds the number of each unit of these words, the last one filled up with zeros, and the different ones in
    /// the order of their first appearance; whether these are few enough.
    pub(super) fn number(&mut self, words: &[u8], numbers: &mut Vec<u8>, different: &mut Vec<u8>) -> bool {
        self.slots.fill(0);
        self.units[..self.different].fill([0; BYTES]);
        self.different = 0;
        numbers.clear();
        numbers.resize(words.len().div_ceil(BYTES), 0);
        let (units, over) = words.as_chunks::<BYTES>();
        let mut last = [0; BYTES];
        last[..over.len()].copy_from_slice(over);
        let (whole, rest) = numbers.split_at_mut(units.len());
        let done = self.number_all(units, whole) && self.number_all(&[last][..rest.len()], rest);
        different.clear();
        different.extend_from_slice(self.units[..self.different].as_flattened());
        done
    }

    fn number_all(&mut self, units: &[[u8; BYTES]], numbers: &mut [u8]) -> bool {
        for (unit, number) in units.iter().zip(numbers) {
            *number = self.slots[first_slot(unit)];
            if difference(&self.units[usize::from(*number)], unit) != 0 {
                let Some(found) = self.find(unit) else { return false };
                *number = found;
            }
        }
        true
    }

    /// The number of a unit that is new, or lies elsewhere since another one has its first place; `None` if it is one
    /// too many.
    #[cold]
    #[inline(never)]
    fn find(&mut self, unit: &[u8; BYTES]) -> Option<u8> {
        let mut at = first_slot(unit);
        loop {
            let number = self.slots[at];
            if self.units[usize::from(number)] == *unit {
                return Some(number);
            }
            // The unit with the number 0 came first, so it lies where it is looked for first.
            if number == 0 && (self.different == 0 || at != first_slot(&self.units[0])) {
                break;
            }
            at = (at + 1) % SLOTS;
        }
        let number = u8::try_from(self.different).ok()?;
        self.units[self.different] = *unit;
        self.slots[at] = number;
        self.different += 1;
        Some(number)
    }
}

/// Where a unit is looked for first.
#[inline]
fn first_slot<const BYTES: usize>(unit: &[u8; BYTES]) -> usize {
    // Each pair of words counts in another way, so that equal ones in another order want another slot.
    const ODD: [u64; 4] =
        [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0xd6e8_feb8_6659_fd93];
    let (pairs, last) = words(unit);
    let products = pairs.iter().zip(ODD).map(|(pair, odd)| u64::from_le_bytes(*pair).wrapping_mul(odd));
    let sum = products.fold(u64::from(last).wrapping_mul(ODD[0]), u64::wrapping_add);
    (sum >> (u64::BITS - SLOT_BITS)) as usize
}

/// 0 if both are the same.
#[inline]
fn difference<const BYTES: usize>(one: &[u8; BYTES], other: &[u8; BYTES]) -> u64 {
    let (ones, one) = words(one);
    let (others, other) = words(other);
    let pairs =
        ones.iter().zip(others).map(|(one, other)| u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other));
    pairs.fold(u64::from(one ^ other), |all, pair| all | pair)
}

/// A unit as pairs of words and, if it is no pair, the one word.
#[inline]
fn words<const BYTES: usize>(unit: &[u8; BYTES]) -> (&[[u8; 8]], u32) {
    let (pairs, last) = unit.as_chunks::<8>();
    (pairs, last.first_chunk().map_or(0, |word| u32::from_le_bytes(*word)))
}
