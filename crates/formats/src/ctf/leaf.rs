//! Fields of CTF 2 that hold no others and are not plain numbers or texts: bits the other way round, bit maps,
//! booleans, numbers of variable length, BLOBs, texts of given length and in wide characters.

use std::fmt::Write;

use model::{Base, FieldSink, Value};

use super::bits::signed;
use super::class::{Encoding, Form, Integer, Leaf, Length, NONE, Show};
use super::clock::extend;
use super::tsdl::metadata::Order;
use super::walk::{Stop, Walker};

/// Bytes of the longest number of variable length.
const LONGEST: u64 = 10;

/// A number, how many bits it updates of a clock, and where it ends.
struct Number {
    value: u64,
    bits: u32,
    end: u64,
}

impl<'w> Walker<'w> {
    /// Moves over a leaf, and keeps its number where somebody needs it.
    #[inline(never)]
    pub(super) fn walk_leaf(&mut self, leaf: &Leaf, start: u64) -> Result<u64, Stop> {
        self.work += 1;
        match leaf.form {
            Form::Bits | Form::Variable => {
                let Number { value, bits, end } = self.leaf_number(leaf, start)?;
                if leaf.integer.slot != NONE
                    && let Some(slot) = self.slots.get(leaf.integer.slot as usize)
                {
                    slot.set(value);
                }
                if leaf.integer.clock {
                    self.clock = extend(self.clock, value, bits);
                }
                Ok(end)
            }
            Form::Digits => self.skip(start, u64::from(leaf.integer.bits)),
            Form::Bytes(length, encoding) => {
                let bytes = self.length(length);
                let end = self.skip(start, bytes.checked_mul(8).ok_or(Stop::Short)?)?;
                if encoding.is_none() {
                    self.work = self.work.saturating_add(bytes);
                }
                Ok(end)
            }
            Form::Wide(encoding) => {
                let width = encoding.width();
                let mut at = start;
                loop {
                    let end = self.skip(at, width * 8)?;
                    let unit = self.view.bytes_at(at, width).ok_or(Stop::Short)?;
                    if unit.iter().all(|byte| *byte == 0) {
                        return Ok(end);
                    }
                    at = end;
                }
            }
        }
    }

    fn length(&self, length: Length) -> u64 {
        match length {
            Length::Fixed(bytes) => bytes,
            Length::Slot(slot) => self.slot(slot),
        }
    }

    /// The number of a leaf of bits or of variable length, with its sign extended to 64 bits.
    fn leaf_number(&self, leaf: &Leaf, start: u64) -> Result<Number, Stop> {
        let integer = &leaf.integer;
        if leaf.form == Form::Bits {
            let end = self.skip(start, u64::from(integer.bits))?;
            let mut value = self.view.unsigned(start, integer.bits, integer.order).ok_or(Stop::Short)?;
            if leaf.is_reversed {
                value = value.reverse_bits() >> (64 - integer.bits);
            }
            let value = if integer.signed { signed(value, integer.bits) as u64 } else { value };
            return Ok(Number { value, bits: integer.bits, end });
        }
        let (mut value, mut count) = (0u128, 0);
        loop {
            let at = start.checked_add(count * 8).ok_or(Stop::Short)?;
            self.skip(at, 8)?;
            let byte = *self.view.bytes_at(at, 1).and_then(<[u8]>::first).ok_or(Stop::Short)?;
            if count == LONGEST {
                return Err(Stop::TooWide);
            }
            value |= u128::from(byte & 0x7f) << (7 * count);
            count += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let (bits, end) = (7 * count as u32, start + count * 8);
        if integer.signed {
            let wide = super::bits::signed_wide(value, bits);
            let value = i64::try_from(wide).map_err(|_| Stop::TooWide)? as u64;
            return Ok(Number { value, bits: bits.min(64), end });
        }
        let value = u64::try_from(value).map_err(|_| Stop::TooWide)?;
        Ok(Number { value, bits: bits.min(64), end })
    }

    /// The value of a leaf; `None` if it is a BLOB or has to be put together first.
    pub(super) fn leaf_value(&self, leaf: &'w Leaf, start: u64) -> Option<Value<'w>> {
        match leaf.form {
            Form::Bits | Form::Variable => {
                let value = self.leaf_number(leaf, start).ok()?.value;
                let number = if leaf.integer.signed { i128::from(value as i64) } else { i128::from(value) };
                Some(match &leaf.show {
                    Show::Bool => Value::Bool(value != 0),
                    Show::Labels(labels) => Value::Enum(number, labels.of(number)),
                    Show::Number | Show::Flags(_) if leaf.integer.signed => {
                        Value::Signed(number, leaf.integer.base)
                    }
                    Show::Number | Show::Flags(_) => Value::Unsigned(u128::from(value), leaf.integer.base),
                })
            }
            Form::Bytes(length, Some(Encoding::Utf8)) => {
                let bytes = self.view.bytes_at(start, self.length(length))?;
                let len = memchr::memchr(0, bytes).unwrap_or(bytes.len());
                bytes.get(..len).map(Value::Text)
            }
            Form::Digits | Form::Bytes(..) | Form::Wide(_) => None,
        }
    }

    /// The bits of a number as hexadecimal digits, of which the first stands for those that do not fill one; a
    /// negative number is shown as its bits, in two's complement.
    fn digits(&self, integer: &Integer, start: u64) -> Option<String> {
        let mut digits = "0x".to_owned();
        let mut left = u64::from(integer.bits);
        while left > 0 {
            // From the most significant on: of a little-endian number that is its end.
            let bits = if left.is_multiple_of(64) { 64 } else { left % 64 };
            let at = match integer.order {
                Order::Little => left - bits,
                Order::Big => u64::from(integer.bits) - left,
            };
            let part = self.view.unsigned(start + at, bits as u32, integer.order)?;
            // Writing to a text cannot fail.
            let _ = write!(digits, "{part:00$x}", bits.div_ceil(4) as usize);
            left -= bits;
        }
        Some(digits)
    }

    /// Hands a leaf to `sink`: a bit map as its number and the names of what is set, a BLOB byte by byte.
    pub(super) fn visit_leaf(
        &mut self,
        leaf: &'w Leaf,
        name: &str,
        start: u64,
        sink: &mut dyn FieldSink,
    ) -> Result<u64, Stop> {
        let end = self.walk_leaf(leaf, start)?;
        match (leaf.form, &leaf.show) {
            (Form::Bits, Show::Flags(flags)) => {
                let value = self.leaf_number(leaf, start)?.value;
                let set = flags.iter().filter(|(_, mask)| value & mask != 0);
                sink.begin_struct(name);
                sink.value("value", Value::Unsigned(u128::from(value), Base::Hexadecimal));
                sink.begin_array("flags", set.clone().count() as u64);
                set.for_each(|(flag, _)| sink.value("", Value::Text(flag.as_bytes())));
                sink.end();
                sink.end();
            }
            (Form::Digits, _) => {
                let digits = self.digits(&leaf.integer, start).ok_or(Stop::Short)?;
                self.work = self.work.saturating_add(digits.len() as u64);
                sink.value(name, Value::Text(digits.as_bytes()));
            }
            (Form::Bytes(_, None), _) => {
                let bytes = self.view.bytes_until(start, end);
                sink.begin_array(name, bytes.len() as u64);
                bytes
                    .iter()
                    .for_each(|byte| sink.value("", Value::Unsigned(u128::from(*byte), Base::Hexadecimal)));
                sink.end();
            }
            (Form::Bytes(_, Some(encoding)) | Form::Wide(encoding), _) if encoding != Encoding::Utf8 => {
                let text = encoding.decode(self.view.bytes_until(start, end));
                sink.value(name, Value::Text(text.as_bytes()));
            }
            _ => {
                if let Some(value) = self.leaf_value(leaf, start) {
                    sink.value(name, value);
                }
            }
        }
        Ok(end)
    }
}

impl Encoding {
    /// Bytes of a unit.
    fn width(self) -> u64 {
        match self {
            Encoding::Utf8 => 1,
            Encoding::Utf16(_) => 2,
            Encoding::Utf32(_) => 4,
        }
    }

    /// The characters before the first zero one; what is none becomes U+FFFD.
    fn decode(self, bytes: &[u8]) -> String {
        let number = |bytes: &[u8], order: Order| {
            let add = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
            if order == Order::Big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
        };
        match self {
            Encoding::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Encoding::Utf16(order) => {
                let units = bytes.chunks_exact(2).map(|unit| number(unit, order) as u16);
                let units = units.take_while(|unit| *unit != 0);
                char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
            Encoding::Utf32(order) => {
                let units = bytes.chunks_exact(4).map(|unit| number(unit, order));
                let units = units.take_while(|unit| *unit != 0);
                units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
        }
    }
}
