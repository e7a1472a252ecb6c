//! A class that is ready to be recorded, in a form that is the same in every process.
//!
//! What differs is where the numbers of its records begin and what number its class loader has. So the
//! numbers count from 0 here, and [`Prepared::number_from`] and [`Prepared::put`] are told the rest.
//!
//! ```text
//! bytes   numbers u32, methods u32, left alone u32, flags u32: 1 every method is recorded
//!                                                              2 what is said of it is compressed
//!         places u32, bytes of the class file u32 (0: none), bytes of what is said of it u32
//!         places u32 each, class file, what is said of it
//! ```
//!
//! Little-endian; a place is where a number stands in the class file (there big-endian, as all in it).

use formats::capture::{Packed, put_class};

/// What instrumenting a class gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prepared {
    /// How many numbers its records have, recorded or not.
    pub(crate) numbers: u32,
    /// How many methods are recorded.
    pub(crate) methods: u32,
    /// How many are not.
    pub(crate) left_alone: u32,
    /// It was taken for a class of which every method is recorded.
    pub(crate) is_whole: bool,
    /// Where numbers stand in `class`.
    pub(crate) places: Vec<u32>,
    /// The instrumented class file; empty if no method of it could be instrumented.
    pub(crate) class: Vec<u8>,
    /// What the capture says of it.
    pub(crate) described: Packed,
}

const IS_WHOLE: u32 = 1;
const IS_COMPRESSED: u32 = 2;
/// Words in front.
const HEAD: usize = 7;

impl Prepared {
    /// Makes the class file one whose numbers begin at `first`.
    pub(crate) fn number_from(&mut self, first: u32) {
        for &place in &self.places {
            let number = usize::try_from(place).ok().and_then(|place| self.class.get_mut(place..place + 4));
            if let Some(number) = number.and_then(|bytes| bytes.first_chunk_mut::<4>()) {
                *number = u32::from_be_bytes(*number).wrapping_add(first).to_be_bytes();
            }
        }
        self.places.clear();
    }

    /// Appends what the capture says of it.
    pub(crate) fn put(&self, out: &mut Vec<u8>, first: u32, loader: u32) {
        put_class(out, first, loader, &self.described);
    }

    /// Appends its bytes.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let size = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let flags = if self.is_whole { IS_WHOLE } else { 0 }
            | if self.described.is_compressed { IS_COMPRESSED } else { 0 };
        let lengths = [self.places.len(), self.class.len(), self.described.bytes.len()].map(size);
        let head = [self.numbers, self.methods, self.left_alone, flags].into_iter().chain(lengths);
        out.extend(head.chain(self.places.iter().copied()).flat_map(u32::to_le_bytes));
        out.extend_from_slice(&self.class);
        out.extend_from_slice(&self.described.bytes);
    }

    /// Reads what [`Prepared::write`] wrote, and how many bytes that were. Whoever calls has seen that they
    /// are what was written; `None` for others.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Prepared, usize)> {
        let (words, _) = bytes.as_chunks::<4>();
        let (head, words) = words.split_first_chunk::<HEAD>()?;
        let [numbers, methods, left_alone, flags, places, class, described] = head.map(u32::from_le_bytes);
        let size = |number: u32| usize::try_from(number).ok();
        let places: Vec<u32> =
            words.get(..size(places)?)?.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let rest = bytes.get((HEAD + places.len()) * 4..)?;
        let (class, rest) = rest.split_at_checked(size(class)?)?;
        let (described, rest) = rest.split_at_checked(size(described)?)?;
        let is_compressed = flags & IS_COMPRESSED != 0;
        let prepared = Prepared {
            numbers,
            methods,
            left_alone,
            is_whole: flags & IS_WHOLE != 0,
            places,
            class: class.to_vec(),
            described: Packed { is_compressed, bytes: described.to_vec() },
        };
        Some((prepared, bytes.len() - rest.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared() -> Prepared {
        Prepared {
            numbers: 9,
            methods: 2,
            left_alone: 1,
            is_whole: true,
            places: vec![1, 6],
            class: vec![9, 0, 0, 1, 0, 9, 0, 0, 0, 255, 9],
            described: Packed { is_compressed: false, bytes: vec![1, 2, 3] },
        }
    }

    #[test]
    fn it_comes_back_from_its_bytes_and_no_part_of_them_will_do() {
        let mut bytes = vec![];
        prepared().write(&mut bytes);
        let length = bytes.len();
        (0..length).for_each(|cut| assert_eq!(Prepared::read(&bytes[..cut]), None, "{cut}"));
        bytes.push(7);
        assert_eq!(Prepared::read(&bytes), Some((prepared(), length)));
    }

    #[test]
    fn numbers_begin_where_they_are_told_to() {
        let mut class = prepared();
        class.number_from(258);
        assert_eq!(class.class, [9, 0, 0, 2, 2, 9, 0, 0, 2, 1, 9]);
    }
}
