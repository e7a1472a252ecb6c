//! What a tracepoint wrote, decoded by its format.

use std::ops::Range;

use model::{Base, FieldSink, Value};

use super::format::{Content, Field, Number, Storage};

/// How many of the fields can be shown, and if that is not all of them, why: some lie outside of what was written, or
/// so many over one another that showing them would take for ever.
pub(crate) fn check(fields: &[Field], raw: &[u8]) -> (usize, Option<String>) {
    let mut outside = None;
    let mut left = raw.len().saturating_mul(2);
    for (index, field) in fields.iter().enumerate() {
        let Some(bytes) = bytes_of(field, raw) else {
            outside.get_or_insert(field);
            continue;
        };
        let Some(rest) = left.checked_sub(bytes.len()) else {
            let name = &field.name;
            let trouble =
                format!("The fields of a sample lie over one another; those from {name} on are left out.");
            return (index, Some(trouble));
        };
        left = rest;
    }
    let trouble = outside.map(|field: &Field| {
        let name = &field.name;
        format!("A field of a sample, {name}, lies outside of what was written; it is left out.")
    });
    (fields.len(), trouble)
}

/// Hands out the fields that are there.
pub(crate) fn visit(fields: &[Field], raw: &[u8], sink: &mut dyn FieldSink) {
    for field in fields {
        if let Some(value) = value(field, raw) {
            sink.value(&field.name, value);
        } else if let Content::Array { each, number } = field.content
            && let Some(bytes) = bytes_of(field, raw)
        {
            let elements = bytes.chunks_exact(each.max(1));
            sink.begin_array(&field.name, elements.len() as u64);
            for element in elements {
                sink.value("", value_of(element, number));
            }
            sink.end();
        }
    }
}

/// The value of a field, if it is one.
pub(crate) fn value<'a>(field: &Field, raw: &'a [u8]) -> Option<Value<'a>> {
    let bytes = bytes_of(field, raw)?;
    Some(match field.content {
        Content::Text => Value::Text(until_zero(bytes)),
        Content::Number(number) => value_of(bytes, number),
        Content::Array { .. } => return None,
    })
}

/// A number with a sign, such as that of a thread.
pub(crate) fn number(field: &Field, raw: &[u8]) -> Option<i128> {
    Some(number_of(bytes_of(field, raw)?, true))
}

/// The text before the first zero byte.
pub(crate) fn until_zero(text: &[u8]) -> &[u8] {
    memchr::memchr(0, text).and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The bytes of `field` in what a tracepoint wrote, if they are there.
fn bytes_of<'a>(field: &Field, raw: &'a [u8]) -> Option<&'a [u8]> {
    // A text of no size goes up to the end.
    if field.size == 0 && field.storage == Storage::Here && field.content == Content::Text {
        return raw.get(field.offset..);
    }
    let here = raw.get(field.offset..field.offset.checked_add(field.size)?)?;
    let start = match field.storage {
        Storage::Here => return Some(here),
        Storage::Elsewhere => 0,
        Storage::Relative => field.offset + 4,
    };
    let there = u32::from_le_bytes(*here.first_chunk()?);
    let start = start.checked_add((there & 0xffff) as usize)?;
    raw.get(Range { start, end: start.checked_add((there >> 16) as usize)? })
}

/// A number of up to eight bytes.
fn number_of(bytes: &[u8], is_signed: bool) -> i128 {
    let mut whole = [0; 8];
    for (to, from) in whole.iter_mut().zip(bytes) {
        *to = *from;
    }
    let number = u64::from_le_bytes(whole);
    if !is_signed {
        return number.into();
    }
    let unused = 64 - 8 * bytes.len().clamp(1, 8) as u32;
    i128::from(((number << unused) as i64) >> unused)
}

fn value_of(bytes: &[u8], number: Number) -> Value<'static> {
    let base = if number.is_hexadecimal { Base::Hexadecimal } else { Base::Decimal };
    let value = number_of(bytes, number.is_signed);
    match u128::try_from(value) {
        Ok(value) if !number.is_signed => Value::Unsigned(value, base),
        _ => Value::Signed(value, base),
    }
}
