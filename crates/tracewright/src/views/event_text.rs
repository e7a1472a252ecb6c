//! Events as lines for people.
//!
//! ```text
//! [2026-11-21 07:25:08.123456789] (cpu 3) sched_switch: { vtid = 12 }, { prev_comm = "x", addr = 0x7f }
//!                                                        context         payload
//! ```

use std::io::Write;

use model::{
    Base, Edge, Event, EventSource, FieldSink, Gap, Origin, Scope, StreamId, Symbol, Timestamp, Value,
};

use crate::escape::{plain, quoted};
use crate::losses::amount;
use crate::moment::{self, Clock};

/// Writes events.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    clock: Clock,
    context: Braces,
    payload: Braces,
    /// The name of each symbol, made harmless once.
    names: Vec<String>,
}

impl Writer {
    /// Appends the line of an event; `is_broken`: steps may be missing before it.
    pub(crate) fn event(&mut self, event: &Event<'_>, is_broken: bool, out: &mut Vec<u8>) {
        self.context.clear();
        self.payload.clear();
        event.fields.visit(Scope::Context, &mut self.context);
        event.fields.visit(Scope::Payload, &mut self.payload);
        let alphabet = event.origin.alphabet;
        for number in self.names.len()..alphabet.len() {
            self.names.push(plain(alphabet.name(Symbol(number as u32))).into_owned());
        }
        if is_broken {
            out.extend_from_slice(b"-- events of this track may be missing here --\n");
        }
        self.begin(event.time, event.cpu, event.stream, event.origin, out);
        let name = self.names.get(event.symbol.0 as usize);
        out.extend_from_slice(name.map_or(b"?", |name| name.as_bytes()));
        let (context, payload) = (&self.context.out, &self.payload.out);
        out.extend_from_slice(if context.is_empty() && payload.is_empty() { b"" } else { b": " });
        if !context.is_empty() {
            out.extend_from_slice(b"{ ");
            out.extend_from_slice(context);
            out.extend_from_slice(b" }");
        }
        if !payload.is_empty() {
            out.extend_from_slice(if context.is_empty() { b"{ " } else { b", { " });
            out.extend_from_slice(payload);
            out.extend_from_slice(b" }");
        }
        out.push(b'\n');
    }

    /// Appends the line of a loss. Its other end says nothing new: the line gives the whole range.
    pub(crate) fn gap(&mut self, gap: &Gap, source: &dyn EventSource, out: &mut Vec<u8>) {
        if gap.edge == Edge::End {
            return;
        }
        let cpu = source.streams().get(gap.stream.0 as usize).and_then(|stream| stream.cpu);
        self.begin(gap.from.or(gap.to), cpu, gap.stream, Origin::of(source), out);
        let _ = writeln!(out, "-- {} lost{} --", amount(gap.lost), between(gap)); // memory cannot fail
    }

    /// What stands before the name: when and where.
    fn begin(
        &mut self,
        time: Option<Timestamp>,
        cpu: Option<u32>,
        stream: StreamId,
        origin: Origin<'_>,
        out: &mut Vec<u8>,
    ) {
        if let Some(time) = time {
            out.push(b'[');
            self.clock.write(time, out);
            out.extend_from_slice(b"] ");
        }
        let stream = origin.streams.get(stream.0 as usize);
        if let Some(trace) = stream.and_then(|stream| origin.traces.get(stream.trace))
            && origin.traces.len() > 1
        {
            let _ = write!(out, "{}: ", plain(&trace.name));
        }
        let _ = match (cpu, stream) {
            (Some(cpu), _) => write!(out, "(cpu {cpu}) "),
            (None, Some(stream)) => write!(out, "({}) ", plain(&stream.name)),
            (None, None) => Ok(()),
        };
    }
}

/// The fields of an event as they stand in its line, those of its context last: for views that show the rest in
/// places of its own.
pub(crate) fn fields(event: &Event<'_>) -> String {
    let mut braces = Braces::default();
    event.fields.visit(Scope::Payload, &mut braces);
    event.fields.visit(Scope::Context, &mut braces);
    String::from_utf8_lossy(&braces.out).into_owned()
}

/// When a gap is, in words.
pub(crate) fn between(gap: &Gap) -> String {
    match (gap.from, gap.to) {
        (Some(from), Some(to)) => {
            format!(" between {} and {}", moment::text(from), moment::text_after(to, from))
        }
        (Some(from), None) => format!(" after {}", moment::text(from)),
        (None, Some(to)) => format!(" before {}", moment::text(to)),
        (None, None) => String::new(),
    }
}

/// Fields as they stand between braces.
#[derive(Debug, Default)]
struct Braces {
    out: Vec<u8>,
    /// What is open, innermost last: whether it is an array.
    open: Vec<bool>,
    has_sibling: bool,
}

impl Braces {
    fn clear(&mut self) {
        self.out.clear();
        self.open.clear();
        self.has_sibling = false;
    }

    fn begin(&mut self, name: &str) {
        let is_array = self.open.last() == Some(&true);
        let separator: &[u8] = match (self.has_sibling, self.open.is_empty() || is_array) {
            (true, _) => b", ",
            (false, true) => b"",
            (false, false) => b" ",
        };
        self.out.extend_from_slice(separator);
        self.has_sibling = true;
        if !is_array {
            self.out.extend_from_slice(plain(name).as_bytes());
            self.out.extend_from_slice(b" = ");
        }
    }
}

impl FieldSink for Braces {
    fn value(&mut self, name: &str, value: Value<'_>) {
        self.begin(name);
        let out = &mut self.out;
        let _ = match value {
            Value::Unsigned(value, base) => based(out, false, value, base),
            Value::Signed(value, base) => based(out, value < 0, value.unsigned_abs(), base),
            Value::Float(value) => write!(out, "{value:?}"),
            Value::Text(text) => {
                quoted(out, text);
                Ok(())
            }
            Value::Enum(value, Some(label)) => write!(out, "{} ({value})", plain(label)),
            Value::Enum(value, None) => write!(out, "({value})"),
            Value::Bool(value) => write!(out, "{value}"),
            Value::Null => write!(out, "null"),
        };
    }

    fn begin_struct(&mut self, name: &str) {
        self.begin(name);
        self.out.push(b'{');
        self.open.push(false);
        self.has_sibling = false;
    }

    fn begin_array(&mut self, name: &str, _: u64) {
        self.begin(name);
        self.out.push(b'[');
        self.open.push(true);
        self.has_sibling = false;
    }

    fn end(&mut self) {
        let is_array = self.open.pop() == Some(true);
        let has_content = std::mem::replace(&mut self.has_sibling, true);
        self.out.extend_from_slice(match (is_array, has_content) {
            (true, _) => b"]",
            (false, true) => b" }",
            (false, false) => b"}",
        });
    }
}

fn based(out: &mut Vec<u8>, is_negative: bool, size: u128, base: Base) -> std::io::Result<()> {
    let sign = if is_negative { "-" } else { "" };
    match (base, u64::try_from(size)) {
        (Base::Decimal, Ok(size)) => write!(out, "{sign}{size}"),
        (Base::Decimal, Err(_)) => write!(out, "{sign}{size}"),
        (Base::Hexadecimal, _) => write!(out, "{sign}{size:#x}"),
        (Base::Octal, _) => write!(out, "{sign}{size:#o}"),
        (Base::Binary, _) => write!(out, "{sign}{size:#b}"),
    }
}
