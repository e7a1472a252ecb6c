//! A class that is ready to be recorded, in a form that is the same in every process.
//!
//! What differs is where the numbers of its records begin and what number its class loader has. So the
//! numbers count from 0 here, and [`Ready::number_from`] and [`Ready::put`] are given the rest.
//!
//! ```text
//! bytes   numbers u32, methods u32, skipped u32, flags u32: 1 every method is recorded
//!                                                              2 its description is compressed
//!         offsets u32, bytes of the class file u32 (0: none), bytes of its description u32
//!         offsets u32 each, class file, its description
//! ```
//!
//! Little-endian; an offset is where a number stands in the class file (there big-endian, as all in it).

use crate::{Packed, PackedBytes, put_class};

/// What instrumenting a class gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instrumented {
    /// How many numbers its records have, recorded or not.
    pub numbers: u32,
    /// How many methods are recorded.
    pub methods: u32,
    /// How many are not.
    pub skipped: u32,
    /// It was taken for a class of which every method is recorded.
    pub is_whole: bool,
    /// Where numbers stand in `class`, as in the drawing above.
    pub offsets: Vec<[u8; 4]>,
    /// The instrumented class file; empty if no method of it could be instrumented.
    pub class: Vec<u8>,
    /// Its description in the capture.
    pub described: Packed,
}

const IS_WHOLE: u32 = 1;
const IS_COMPRESSED: u32 = 2;
/// Words in front.
const HEAD: usize = 7;

/// The same, wherever its bytes lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready<'p> {
    /// See [`Instrumented::numbers`].
    pub numbers: u32,
    /// See [`Instrumented::methods`].
    pub methods: u32,
    /// See [`Instrumented::skipped`].
    pub skipped: u32,
    /// See [`Instrumented::is_whole`].
    pub is_whole: bool,
    /// See [`Instrumented::offsets`].
    pub offsets: &'p [[u8; 4]],
    /// See [`Instrumented::class`].
    pub class: &'p [u8],
    /// See [`Instrumented::described`].
    pub described: PackedBytes<'p>,
}

impl Instrumented {
    /// The same, borrowed.
    pub fn ready(&self) -> Ready<'_> {
        let Instrumented { numbers, methods, skipped, is_whole, .. } = *self;
        let (offsets, class, described) = (&*self.offsets, &*self.class, self.described.borrowed());
        Ready { numbers, methods, skipped, is_whole, offsets, class, described }
    }
}

impl<'p> Ready<'p> {
    /// Whether nothing of the class is recorded, and no method was skipped.
    pub fn is_nothing(&self) -> bool {
        self.class.is_empty() && self.skipped == 0
    }

    /// Makes a copy of the class file one whose numbers begin at `first`.
    pub fn number_from(&self, class: &mut [u8], first: u32) {
        for &offset in self.offsets {
            let offset = usize::try_from(u32::from_le_bytes(offset)).ok();
            let number = offset.and_then(|offset| class.get_mut(offset..)?.first_chunk_mut::<4>());
            if let Some(number) = number {
                *number = u32::from_be_bytes(*number).wrapping_add(first).to_be_bytes();
            }
        }
    }

    /// Appends its description to a capture.
    pub fn put(&self, out: &mut Vec<u8>, first: u32, loader: u32) {
        put_class(out, first, loader, self.described);
    }

    /// Appends its bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let size = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let flags = if self.is_whole { IS_WHOLE } else { 0 }
            | if self.described.is_compressed { IS_COMPRESSED } else { 0 };
        let lengths = [self.offsets.len(), self.class.len(), self.described.bytes.len()].map(size);
        let head = [self.numbers, self.methods, self.skipped, flags].into_iter().chain(lengths);
        out.extend(head.flat_map(u32::to_le_bytes));
        out.extend_from_slice(self.offsets.as_flattened());
        out.extend_from_slice(self.class);
        out.extend_from_slice(self.described.bytes);
    }

    /// Finds what [`Ready::write`] wrote. Whoever calls has seen that the bytes are what was written; `None` for
    /// others.
    pub fn read(bytes: &'p [u8]) -> Option<Ready<'p>> {
        let (words, _) = bytes.as_chunks::<4>();
        let (head, words) = words.split_first_chunk::<HEAD>()?;
        let [numbers, methods, skipped, flags, offsets, class, described] = head.map(u32::from_le_bytes);
        let size = |number: u32| usize::try_from(number).ok();
        let offsets = words.get(..size(offsets)?)?;
        let rest = bytes.get((HEAD + offsets.len()) * 4..)?;
        let (class, rest) = rest.split_at_checked(size(class)?)?;
        let (described, rest) = rest.split_at_checked(size(described)?)?;
        let described = PackedBytes { is_compressed: flags & IS_COMPRESSED != 0, bytes: described };
        let is_whole = flags & IS_WHOLE != 0;
        rest.is_empty().then_some(Ready { numbers, methods, skipped, is_whole, offsets, class, described })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instrumented() -> Instrumented {
        Instrumented {
            numbers: 9,
            methods: 2,
            skipped: 1,
            is_whole: true,
            offsets: vec![[1, 0, 0, 0], [6, 0, 0, 0]],
            class: vec![9, 0, 0, 1, 0, 9, 0, 0, 0, 255, 9],
            described: Packed { is_compressed: false, bytes: vec![1, 2, 3] },
        }
    }

    #[test]
    fn it_comes_back_from_its_bytes_and_no_part_of_them_will_do() {
        let mut bytes = vec![];
        instrumented().ready().write(&mut bytes);
        (0..bytes.len()).for_each(|cut| assert_eq!(Ready::read(&bytes[..cut]), None, "{cut}"));
        assert_eq!(Ready::read(&bytes), Some(instrumented().ready()));
        bytes.push(7);
        assert_eq!(Ready::read(&bytes), None);
    }

    #[test]
    fn numbers_begin_where_they_are_told_to() {
        let mut instrumented = instrumented();
        let mut class = instrumented.class.clone();
        instrumented.ready().number_from(&mut class, 258);
        assert_eq!(class, [9, 0, 0, 2, 2, 9, 0, 0, 2, 1, 9]);
        // Offsets that are none.
        instrumented.offsets = vec![[8, 0, 0, 0], [255; 4], [11, 0, 0, 0]];
        instrumented.ready().number_from(&mut class, 1);
        assert_eq!(class, [9, 0, 0, 2, 2, 9, 0, 0, 2, 1, 9]);
    }
}
