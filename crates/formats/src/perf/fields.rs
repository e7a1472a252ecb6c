//! The event that is being looked at: fields decoded out of its record when somebody asks.
//!
//! Context: `procname` (from COMM records), `pid`, `tid`. Payload: the fields of the tracepoint; of
//! other events the address, what it touched and its weight, as far as they were recorded.

use std::rc::Rc;

use model::{Base, FieldSink, Fields, Scope, Value};

use super::comms::Comm;
use super::events::Kind;
use super::sample::Sample;
use crate::tracepoint::Field;
use crate::tracepoint::decode;

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
        let common = || i32::try_from(decode::number(kind.common_pid.as_ref()?, raw)?).ok();
        self.tid = sample.tid.filter(gone).or_else(common);
        self.procname = None;
        self.plain = if kind.is_tracepoint { [None; 3] } else { [sample.ip, sample.addr, sample.period] };
        self.kind = Some(kind.clone());
        let (shown, trouble) = decode::check(&kind.fields, &self.raw);
        self.shown = shown;
        trouble
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
        decode::visit(self.fields(), &self.raw, sink);
        for (name, value) in self.plain() {
            if let Some(value) = value {
                sink.value(name, value);
            }
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        if let Some(field) = self.fields().iter().find(|field| field.name == name) {
            return decode::value(field, &self.raw);
        }
        let mut others = self.plain().chain(self.context());
        others.find(|(other, _)| *other == name).and_then(|(_, value)| value)
    }
}
