//! The event that is being looked at: fields decoded out of its record when somebody asks.
//!
//! Context: `procname` (from COMM records), `pid`, `tid`. Payload: the fields of the tracepoint; of
//! other events the address, what it touched and its weight, as far as they were recorded.

use std::ops::Range;
use std::rc::Rc;

use model::{Base, FieldSink, Fields, Scope, Value};

use super::bytes::{Cursor, until_zero};
use super::comms::Comm;
use super::events::Kind;
use super::format::{Content, Field, Number, Place};
use super::sample::Sample;

/// A copy of one sample.
#[derive(Debug, Default)]
pub(super) struct Current {
    kind: Option<Rc<Kind>>,
    /// How many fields are shown.
    shown: usize,
    raw: Vec<u8>,
    pub(super) tid: Option<i32>,
    pid: Option<i32>,
    procname: Option<Comm>,
    /// `ip`, `addr`, `period` of an event that is no tracepoint.
    plain: [Option<u64>; 3],
}

const PLAIN: [(&str, Base); 3] =
    [("ip", Base::Hexadecimal), ("addr", Base::Hexadecimal), ("period", Base::Decimal)];

impl Current {
    /// Takes a sample; if not all of its fields can be shown, a sentence that says why.
    pub(super) fn set(&mut self, kind: &Rc<Kind>, sample: &Sample<'_>) -> Option<String> {
        let gone = |number: &i32| *number != -1;
        let raw = sample.raw.unwrap_or_default();
        self.raw.clear();
        self.raw.extend_from_slice(raw);
        self.pid = sample.pid.filter(gone);
        // The thread that wrote it: the sample says so, else the tracepoint.
        let common = || {
            let number = number_of(bytes_of(kind.common_pid.as_ref()?, raw)?, true);
            i32::try_from(number).ok()
        };
        self.tid = sample.tid.filter(gone).or_else(common);
        self.procname = None;
        self.plain = if kind.is_tracepoint { [None; 3] } else { [sample.ip, sample.addr, sample.period] };
        self.shown = kind.fields.len();
        self.kind = Some(kind.clone());
        self.look(kind)
    }

    /// Looks for fields outside of what was written, and for so many that lie over one another that
    /// showing them would take for ever.
    fn look(&mut self, kind: &Kind) -> Option<String> {
        let mut outside = None;
        let mut left = self.raw.len().saturating_mul(2);
        for (index, field) in kind.fields.iter().enumerate() {
            let Some(bytes) = bytes_of(field, &self.raw) else {
                outside.get_or_insert(field);
                continue;
            };
            let Some(rest) = left.checked_sub(bytes.len()) else {
                self.shown = index;
                let name = &field.name;
                return Some(format!(
                    "The fields of a sample lie over one another; those from {name} on are left out."
                ));
            };
            left = rest;
        }
        let name = &outside?.name;
        Some(format!("A field of a sample, {name}, lies outside of what was written; it is left out."))
    }

    pub(super) fn set_procname(&mut self, comm: Option<Comm>) {
        self.procname = comm;
    }

    /// The number of a system call.
    pub(super) fn call_number(&self) -> Option<i64> {
        self.get("id")?.as_i64()
    }

    fn fields(&self) -> &[Field] {
        let all = self.kind.as_ref().map_or(&[][..], |kind| &kind.fields);
        all.get(..self.shown).unwrap_or(all)
    }

    fn context(&self) -> [(&'static str, Option<Value<'_>>); 3] {
        let number = |number: Option<i32>| number.map(|n| Value::Signed(n.into(), Base::Decimal));
        let procname = self.procname.as_ref().map(|comm| Value::Text(comm.bytes()));
        [("procname", procname), ("pid", number(self.pid)), ("tid", number(self.tid))]
    }

    fn plain(&self) -> impl Iterator<Item = (&'static str, Option<Value<'_>>)> {
        let value =
            |(name, base), number: Option<u64>| (name, number.map(|n| Value::Unsigned(n.into(), base)));
        PLAIN.iter().zip(self.plain).map(move |(&shown, number)| value(shown, number))
    }

    /// The value of a field, if it is one.
    fn value(&self, field: &Field) -> Option<Value<'_>> {
        let bytes = bytes_of(field, &self.raw)?;
        Some(match field.content {
            Content::Text => Value::Text(until_zero(bytes)),
            Content::Number(number) => value_of(bytes, number),
            Content::Array { .. } => return None,
        })
    }
}

impl Fields for Current {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        if scope == Scope::Context {
            for (name, value) in self.context() {
                if let Some(value) = value {
                    sink.value(name, value);
                }
            }
            return;
        }
        for field in self.fields() {
            if let Some(value) = self.value(field) {
                sink.value(&field.name, value);
            } else if let Content::Array { each, number } = field.content
                && let Some(bytes) = bytes_of(field, &self.raw)
            {
                let elements = bytes.chunks_exact(each.max(1));
                sink.begin_array(&field.name, elements.len() as u64);
                for element in elements {
                    sink.value("", value_of(element, number));
                }
                sink.end();
            }
        }
        for (name, value) in self.plain() {
            if let Some(value) = value {
                sink.value(name, value);
            }
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        if let Some(field) = self.fields().iter().find(|field| field.name == name) {
            return self.value(field);
        }
        let mut others = self.plain().chain(self.context());
        others.find(|(other, _)| *other == name).and_then(|(_, value)| value)
    }
}

/// The bytes of `field` in what a tracepoint wrote, if they are there.
fn bytes_of<'a>(field: &Field, raw: &'a [u8]) -> Option<&'a [u8]> {
    let here = raw.get(field.offset..field.offset.checked_add(field.size)?)?;
    let start = match field.place {
        Place::Here => return Some(here),
        Place::Elsewhere => 0,
        Place::Behind => field.offset + 4,
    };
    let there = Cursor::new(here).u32()?;
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
