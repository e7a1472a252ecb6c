//! Makes small CTF traces in memory, and shows what the reader makes of them as text.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test file uses another part; tests may stop"
)]

use std::fmt::Write as _;

use formats::ctf::{Error, Reader};
use model::{Base, Edge, EventSource, FieldSink, Item, Location, Lost, Scope, Value};
use source::NamedSource;

/// Bytes of packets, written field by field.
#[derive(Debug, Clone, Default)]
pub struct Bytes {
    bytes: Vec<u8>,
    /// Bits written.
    at: usize,
    big: bool,
}

impl Bytes {
    pub fn little() -> Bytes {
        Bytes::default()
    }

    pub fn big() -> Bytes {
        Bytes { big: true, ..Bytes::default() }
    }

    /// A number of any width at the current bit.
    pub fn bits(mut self, width: u32, value: u64) -> Bytes {
        for step in 0..width {
            let bit = if self.big { value >> (width - 1 - step) & 1 } else { value >> step & 1 } as u8;
            if self.at.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let shift = if self.big { 7 - self.at % 8 } else { self.at % 8 };
            *self.bytes.last_mut().unwrap() |= bit << shift;
            self.at += 1;
        }
        self
    }

    /// Zero bits up to a multiple of `bits`.
    pub fn align(mut self, bits: usize) -> Bytes {
        while !self.at.is_multiple_of(bits) {
            self = self.bits(1, 0);
        }
        self
    }

    pub fn u8(self, value: u8) -> Bytes {
        self.align(8).bits(8, value.into())
    }
    pub fn u16(self, value: u16) -> Bytes {
        self.align(8).bits_by_bytes(16, value.into())
    }
    pub fn u32(self, value: u32) -> Bytes {
        self.align(8).bits_by_bytes(32, value.into())
    }
    pub fn u64(self, value: u64) -> Bytes {
        self.align(8).bits_by_bytes(64, value)
    }

    fn bits_by_bytes(self, width: u32, value: u64) -> Bytes {
        let bytes = value.to_le_bytes();
        let bytes = &bytes[..width as usize / 8];
        let big = self.big;
        let order: Vec<u8> = if big { bytes.iter().rev().copied().collect() } else { bytes.to_vec() };
        self.raw(&order)
    }

    pub fn text(self, text: &str) -> Bytes {
        self.align(8).raw(text.as_bytes()).raw(&[0])
    }

    pub fn raw(mut self, bytes: &[u8]) -> Bytes {
        for &byte in bytes {
            self = self.bits(8, byte.into());
        }
        self
    }

    /// Zero bytes up to `len` bytes.
    pub fn pad(mut self, len: usize) -> Bytes {
        while self.bytes.len() < len {
            self = self.u8(0);
        }
        self
    }

    pub fn then(self, other: Bytes) -> Bytes {
        self.align(8).raw(&other.bytes)
    }

    pub fn done(self) -> Vec<u8> {
        self.bytes
    }
}

/// A trace in memory.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    pub files: Vec<(String, Vec<u8>)>,
}

impl Trace {
    pub fn new(metadata: &str) -> Trace {
        Trace::default().file("metadata", metadata.as_bytes().to_vec())
    }

    pub fn file(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Trace {
        self.files.push((name.into(), bytes.into()));
        self
    }

    pub fn stream(self, bytes: Bytes) -> Trace {
        self.file("stream", bytes.done())
    }

    pub fn open(&self) -> Result<Reader, Error> {
        let source = |(name, bytes): &(String, Vec<u8>)| NamedSource {
            name: name.clone(),
            source: Box::new(bytes.clone()),
        };
        Reader::open(self.files.iter().map(source).collect())
    }

    /// Everything that the reader says, a line an item.
    pub fn show(&self) -> String {
        let mut reader = match self.open() {
            Ok(reader) => reader,
            Err(error) => return format!("{error}\n"),
        };
        let mut out = String::new();
        let mut names: Vec<String> = Vec::new();
        loop {
            let line = match reader.next_item() {
                None => break,
                Some(Item::Event(event)) => {
                    names.push(String::new());
                    let time = event.time.map_or(String::new(), |time| format!("{} ", time.0));
                    let cpu = event.cpu.map_or(String::new(), |cpu| format!("cpu {cpu} "));
                    let context = fields(&event, Scope::Context);
                    let context = if context.is_empty() { context } else { format!(" <{context}>") };
                    let symbol = event.symbol;
                    let payload = fields(&event, Scope::Payload);
                    let stream = event.stream.0;
                    (Some(symbol), format!("{stream}: {time}{cpu}"), format!("{context} {payload}"))
                }
                Some(Item::Gap(gap)) => {
                    let lost = match gap.lost {
                        Lost::Events(count) => format!("{count} events"),
                        Lost::Packets(count) => format!("{count} packets"),
                        Lost::Unknown => "something".into(),
                    };
                    let time = |time: Option<model::Timestamp>| time.map_or("?".into(), |t| t.0.to_string());
                    let edge = if gap.edge == Edge::End { " (end)" } else { "" };
                    let (from, to) = (time(gap.from), time(gap.to));
                    let text = format!(
                        "{}: lost {lost} before event {} in {from}..{to}{edge}",
                        gap.stream.0, gap.before_event
                    );
                    (None, text, String::new())
                }
            };
            let (symbol, start, end) = line;
            let name = symbol.map_or("", |symbol| reader.alphabet().name(symbol));
            writeln!(out, "{start}{name}{end}").unwrap();
        }
        for diagnostic in reader.diagnostics() {
            let Location::File { file, offset } = &diagnostic.location else {
                panic!("a place without file")
            };
            writeln!(out, "{} {file}:{offset} {}", diagnostic.code, diagnostic.sentence).unwrap();
        }
        out
    }
}

/// The fields of an event as text.
pub fn fields(event: &model::Event<'_>, scope: Scope) -> String {
    let mut shown = Shown::default();
    event.fields.visit(scope, &mut shown);
    shown.text
}

#[derive(Default)]
struct Shown {
    text: String,
    ends: Vec<char>,
}

impl Shown {
    fn name(&mut self, name: &str) {
        if !self.text.is_empty() && !self.text.ends_with(['{', '[']) {
            self.text.push(' ');
        }
        if !name.is_empty() {
            write!(self.text, "{name}=").unwrap();
        }
    }
}

impl FieldSink for Shown {
    fn value(&mut self, name: &str, value: Value<'_>) {
        self.name(name);
        match value {
            Value::Unsigned(number, Base::Hexadecimal) => write!(self.text, "{number:#x}"),
            Value::Unsigned(number, Base::Octal) => write!(self.text, "{number:#o}"),
            Value::Unsigned(number, Base::Binary) => write!(self.text, "{number:#b}"),
            Value::Unsigned(number, Base::Decimal) => write!(self.text, "{number}"),
            Value::Signed(number, _) => write!(self.text, "{number:+}"),
            Value::Float(number) => write!(self.text, "{number:?}"),
            Value::Text(bytes) => write!(self.text, "{:?}", String::from_utf8_lossy(bytes)),
            Value::Enum(number, Some(label)) => write!(self.text, "{label}({number})"),
            Value::Enum(number, None) => write!(self.text, "?({number})"),
            other => write!(self.text, "{other:?}"),
        }
        .unwrap();
    }
    fn begin_struct(&mut self, name: &str) {
        self.name(name);
        self.text.push('{');
        self.ends.push('}');
    }
    fn begin_array(&mut self, name: &str, _: u64) {
        self.name(name);
        self.text.push('[');
        self.ends.push(']');
    }
    fn end(&mut self) {
        self.text.push(self.ends.pop().unwrap());
    }
}
