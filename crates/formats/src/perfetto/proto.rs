//! Protocol buffers: the fields of one message, in their order. Nothing is copied and nothing allocated.
//!
//! ```text
//! field   key = number << 3 | kind      kind 0: a number   1: eight bytes   2: length and bytes   5: four bytes
//! ```

use source::bytes::Cursor;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire<'a> {
    Number(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

/// The fields of a message. It ends where a field makes no sense.
#[derive(Debug, Clone)]
pub(super) struct Message<'a> {
    left: Cursor<'a>,
    /// Whether all that was read up to now makes sense.
    pub(super) is_whole: bool,
}

impl<'a> Message<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Message<'a> {
        Message { left: Cursor::new(bytes), is_whole: true }
    }

    /// How many bytes were not read yet.
    pub(super) fn left(&self) -> usize {
        self.left.left()
    }

    fn field(&mut self) -> Option<(u32, Wire<'a>)> {
        let key = self.left.number()?;
        let number = u32::try_from(key >> 3).ok().filter(|number| *number > 0)?;
        let wire = match key & 7 {
            0 => Wire::Number(self.left.number()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.left.take(8)?.try_into().ok()?)),
            2 => Wire::Bytes(self.left.bytes()?),
            5 => Wire::Fixed32(u32::from_le_bytes(self.left.take(4)?.try_into().ok()?)),
            _ => return None,
        };
        Some((number, wire))
    }
}

impl<'a> Iterator for Message<'a> {
    type Item = (u32, Wire<'a>);

    fn next(&mut self) -> Option<(u32, Wire<'a>)> {
        if !self.is_whole || self.left.left() == 0 {
            return None;
        }
        let field = self.field();
        self.is_whole = field.is_some();
        field
    }
}

/// Whether all fields of a message make sense.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let mut message = Message::new(bytes);
    message.by_ref().for_each(drop);
    message.is_whole
}

/// The numbers of a repeated field, packed or one by one.
pub(super) fn numbers(wire: Wire<'_>) -> impl Iterator<Item = u64> + '_ {
    let (one, mut many) = match wire {
        Wire::Number(number) | Wire::Fixed64(number) => (Some(number), Cursor::new(&[])),
        Wire::Fixed32(number) => (Some(number.into()), Cursor::new(&[])),
        Wire::Bytes(bytes) => (None, Cursor::new(bytes)),
    };
    one.into_iter().chain(std::iter::from_fn(move || if many.left() > 0 { many.number() } else { None }))
}

/// A text, as far as it is UTF-8.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
