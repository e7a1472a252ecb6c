//! Numbers and strings of a body, written and read.
//!
//! A reading function gives `None` where the bytes end too early or make no sense, and never panics.
//! Lengths are checked against what is left before anything is allocated.

/// Appends `value` as LEB128: seven bits a byte, low ones first, the top bit says that more follow.
pub fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number: zigzag, so that small ones of both signs stay short.
pub fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_number(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Appends a length and the bytes.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a length and the text.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_bytes(out, text.as_bytes());
}

/// Bytes that are being read.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    left: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Reads `bytes` from their start.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { left: bytes }
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.left.split_at_checked(count)?;
        self.left = left;
        Some(taken)
    }

    /// One byte.
    pub fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// A LEB128 number of at most 64 bits.
    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A number that must fit 32 bits.
    pub fn number32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// A number of things that follow, each of at least one byte.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.left()).then_some(count)
    }

    /// See [`put_signed`].
    pub fn signed(&mut self) -> Option<i64> {
        let zigzag = self.number()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// See [`put_bytes`].
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        self.take(length)
    }

    /// See [`put_text`]. Bytes that are no UTF-8 are replaced, not refused.
    pub fn text(&mut self) -> Option<String> {
        Some(String::from_utf8_lossy(self.bytes()?).into_owned())
    }
}

/// The `u32` at `at`; 0 past the end.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
}

/// The `u64` at `at`; 0 past the end.
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut out = vec![];
        let values = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, -1, 1, i64::MIN, i64::MAX];
        values.iter().for_each(|value| put_number(&mut out, *value));
        signed.iter().for_each(|value| put_signed(&mut out, *value));
        let mut cursor = Cursor::new(&out);
        assert_eq!(values.map(|_| cursor.number().unwrap()), values);
        assert_eq!(signed.map(|_| cursor.signed().unwrap()), signed);
        assert_eq!((cursor.left(), cursor.number()), (0, None));
    }

    #[test]
    fn what_is_too_long_is_no_number() {
        for bad in [&[0x80][..], &[0xff; 10], &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2]] {
            assert_eq!(Cursor::new(bad).number(), None, "{bad:?}");
        }
        assert_eq!(Cursor::new(&[5, 1, 2]).bytes(), None);
    }
}
