//! Big-endian values from a slice, with the offset in every error. Never panics, never allocates.

use crate::error::{Error, Result};

/// A position in a slice that moves forward.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of `bytes[0]` in the class file, so that errors name offsets in the file.
    base: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    /// The offset in the class file.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    /// The offset in the slice.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(slice) => {
                self.at += length;
                Ok(slice)
            }
            None => Err(Error::Truncated { at: self.offset(), wanted: length, available: self.remaining() }),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let slice = self.take(N)?;
        let mut array = [0; N];
        array.copy_from_slice(slice);
        Ok(array)
    }

    pub(crate) fn u1(&mut self) -> Result<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn u2(&mut self) -> Result<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u4(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn i4(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_place_in_the_file() {
        let mut reader = Reader::new(&[1, 2, 3], 100);
        assert_eq!(reader.u2(), Ok(0x0102));
        assert_eq!(reader.u4(), Err(Error::Truncated { at: 102, wanted: 4, available: 1 }));
        assert_eq!(reader.u1(), Ok(3));
        assert!(reader.is_empty());
    }
}
