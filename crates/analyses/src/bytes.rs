//! Numbers, texts and moments as bytes, for what is kept to be opened again.
//!
//! Numbers have seven bits a byte, the last byte without its highest bit; those with a sign are folded
//! (0, -1, 1, -2, ...). A text is its length and its bytes. The bytes may be damaged: every function of
//! [`Reader`] answers `None` where they make no sense.

/// What is written.
#[derive(Debug)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(crate) fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)).cast_unsigned());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn maybe<T>(&mut self, value: Option<T>, write: impl Fn(&mut Writer, T)) {
        self.0.push(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// Moments that never run backwards; those that do are taken as the one before.
    pub(crate) fn steps(&mut self, moments: impl Iterator<Item = i64> + Clone) {
        self.number(moments.clone().count() as u64);
        let mut last = None;
        for moment in moments {
            match last {
                None => self.signed(moment),
                Some(last) => self.number(moment.max(last).abs_diff(last)),
            }
            last = Some(last.map_or(moment, |last: i64| last.max(moment)));
        }
    }
}

/// What is left to be read. Whatever the bytes are, nothing more is taken than they pay for.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if (part << shift) >> shift != part {
                return None;
            }
            number |= part << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// A number of things of `size` bytes or more each, which must be there.
    pub(crate) fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count.checked_mul(size)? <= self.0.len()).then_some(count)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.count(1)?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    pub(crate) fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.flag()? {
            true => Some(Some(read(self)?)),
            false => Some(None),
        }
    }

    pub(crate) fn steps(&mut self) -> Option<Vec<i64>> {
        let count = self.count(1)?;
        let mut moments = Vec::with_capacity(count);
        for index in 0..count {
            let moment = match moments.last() {
                Some(&last) if index > 0 => i64::checked_add_unsigned(last, self.number()?)?,
                _ => self.signed()?,
            };
            moments.push(moment);
        }
        Some(moments)
    }
}
