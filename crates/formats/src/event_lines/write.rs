//! Writes event lines.

use model::{Edge, Event, FieldSink, Gap, Lost, Scope, StreamInfo, Timestamp, Value};

use super::json;

/// Writes events as lines. It keeps its buffers, so a line costs no allocation.
#[derive(Debug, Default)]
pub struct Writer {
    fields: FieldWriter,
    /// `"stream":"..."` and `"name":"..."`, written once for each.
    streams: Vec<Vec<u8>>,
    names: Vec<Vec<u8>>,
}

impl Writer {
    /// Appends the line of an event. All events of a writer come from one reader.
    pub fn event(&mut self, event: &Event<'_>, out: &mut Vec<u8>) {
        let alphabet = event.origin.alphabet;
        for number in self.names.len()..alphabet.len() {
            let mut name = b"\"name\":".to_vec();
            json::text(&mut name, alphabet.name(model::Symbol(number as u32)).as_bytes());
            self.names.push(name);
        }
        self.name_streams(event.origin.streams);
        self.fields.read(event);
        out.push(b'{');
        if let Some(time) = event.time {
            out.extend_from_slice(b"\"ts\":");
            json::integer(out, time.0);
            out.push(b',');
        }
        let stream = self.streams.get(event.stream.0 as usize);
        out.extend_from_slice(stream.map_or(b"\"stream\":\"?\"", |stream| stream));
        if let Some(cpu) = event.cpu {
            out.extend_from_slice(b",\"cpu\":");
            json::integer(out, cpu);
        }
        out.push(b',');
        let name = self.names.get(event.symbol.0 as usize);
        out.extend_from_slice(name.map_or(b"\"name\":\"?\"", |name| name));
        out.extend_from_slice(b",\"fields\":");
        out.extend_from_slice(&self.fields.out);
        out.extend_from_slice(b"}\n");
    }

    /// Appends the line of a loss.
    pub fn gap(&mut self, gap: &Gap, streams: &[StreamInfo], out: &mut Vec<u8>) {
        self.name_streams(streams);
        let mut moment = |name: &str, time: Option<Timestamp>| {
            if let Some(time) = time {
                out.extend_from_slice(name.as_bytes());
                json::integer(out, time.0);
            }
        };
        moment("{\"ts\":", gap.from.or(gap.to));
        out.push(if gap.from.or(gap.to).is_some() { b',' } else { b'{' });
        let stream = self.streams.get(gap.stream.0 as usize);
        out.extend_from_slice(stream.map_or(b"\"stream\":\"?\"", |stream| stream));
        out.extend_from_slice(b",\"lost\":");
        match (gap.edge, gap.lost) {
            (Edge::End, _) => out.push(b'0'),
            (_, Lost::Events(count) | Lost::Packets(count)) => json::integer(out, count),
            (_, Lost::Unknown) => out.extend_from_slice(b"null"),
        }
        let unit = if matches!(gap.lost, Lost::Packets(_)) { "packets" } else { "events" };
        out.extend_from_slice(b",\"unit\":");
        json::text(out, unit.as_bytes());
        if gap.edge == Edge::End {
            out.extend_from_slice(b",\"edge\":\"end\"");
        }
        let mut moment = |name: &str, time: Option<Timestamp>| {
            if let Some(time) = time {
                out.extend_from_slice(name.as_bytes());
                json::integer(out, time.0);
            }
        };
        moment(",\"from\":", gap.from);
        moment(",\"to\":", gap.to);
        out.extend_from_slice(b"}\n");
    }

    fn name_streams(&mut self, streams: &[StreamInfo]) {
        for stream in &streams[self.streams.len().min(streams.len())..] {
            let mut name = b"\"stream\":".to_vec();
            json::text(&mut name, stream.name.as_bytes());
            self.streams.push(name);
        }
    }
}

/// Writes fields as the members of one flat object.
#[derive(Debug, Default)]
struct FieldWriter {
    out: Vec<u8>,
    /// What is open, innermost last: whether it is an array.
    open: Vec<bool>,
    /// Where the names of the payload's own fields stand in `out`, quotes included.
    names: Vec<std::ops::Range<usize>>,
    in_context: bool,
    /// A name that is being compared.
    scratch: Vec<u8>,
}

/// Writes the fields of events as they stand in lines, alone.
#[derive(Debug, Default)]
pub struct FieldsJson(FieldWriter);

impl FieldsJson {
    /// The fields of `event` as one JSON object.
    pub fn write(&mut self, event: &Event<'_>) -> &str {
        self.0.read(event);
        // Names and numbers are UTF-8, and of other text `json::text` makes it.
        std::str::from_utf8(&self.0.out).unwrap_or_default()
    }
}

impl FieldWriter {
    /// Takes the fields of `event` in place of those that are there.
    fn read(&mut self, event: &Event<'_>) {
        self.out.clear();
        self.open.clear();
        self.names.clear();
        self.in_context = false;
        self.out.push(b'{');
        event.fields.visit(Scope::Payload, self);
        self.in_context = true;
        event.fields.visit(Scope::Context, self);
        self.out.push(b'}');
    }

    /// The comma and the name before a value.
    fn begin(&mut self, name: &str) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[')) {
            self.out.push(b',');
        }
        match self.open.last() {
            Some(true) => {}
            Some(false) => json::key(&mut self.out, name),
            None => self.own_name(name),
        }
    }

    fn own_name(&mut self, name: &str) {
        if self.in_context {
            self.scratch.clear();
            json::text(&mut self.scratch, name.as_bytes());
            let out = &self.out;
            if self.names.iter().any(|slot| out[slot.clone()] == self.scratch[..]) {
                self.out.extend_from_slice(b"\"context.");
                self.out.extend_from_slice(&self.scratch[1..]);
            } else {
                self.out.extend_from_slice(&self.scratch);
            }
        } else {
            let start = self.out.len();
            json::text(&mut self.out, name.as_bytes());
            self.names.push(start..self.out.len());
        }
        self.out.push(b':');
    }
}

impl FieldSink for FieldWriter {
    fn value(&mut self, name: &str, value: Value<'_>) {
        self.begin(name);
        let out = &mut self.out;
        match value {
            // The 64-bit way is several times faster, and nearly all values fit.
            Value::Unsigned(value, _) => match u64::try_from(value) {
                Ok(value) => json::integer(out, value),
                Err(_) => json::integer(out, value),
            },
            Value::Signed(value, _) => match i64::try_from(value) {
                Ok(value) => json::integer(out, value),
                Err(_) => json::integer(out, value),
            },
            Value::Float(value) => json::float(out, value),
            Value::Text(text) => json::text(out, text),
            Value::Enum(value, label) => {
                out.extend_from_slice(b"{\"value\":");
                json::integer(out, value);
                if let Some(label) = label {
                    out.extend_from_slice(b",\"label\":");
                    json::text(out, label.as_bytes());
                }
                out.push(b'}');
            }
            Value::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
            Value::Null => out.extend_from_slice(b"null"),
        }
    }

    fn begin_struct(&mut self, name: &str) {
        self.begin(name);
        self.out.push(b'{');
        self.open.push(false);
    }

    fn begin_array(&mut self, name: &str, _: u64) {
        self.begin(name);
        self.out.push(b'[');
        self.open.push(true);
    }

    fn end(&mut self) {
        self.out.push(if self.open.pop() == Some(true) { b']' } else { b'}' });
    }
}
