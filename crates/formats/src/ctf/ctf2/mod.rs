//! CTF 2 metadata: fragments of JSON, made into the same declared classes as TSDL (CTF2-SPEC-2.0).
//!
//! ```text
//! 1E {"type": "preamble", "version": 2, "uuid": [...]}                 a JSON text sequence (RFC 7464)
//! 1E {"type": "trace-class", "packet-header-field-class": ..., ...}
//! 1E {"type": "clock-class", "id": ..., "frequency": ..., ...}
//! 1E {"type": "field-class-alias", "name": ..., "field-class": ...}
//! 1E {"type": "data-stream-class", "id": ..., ...}                    fields.rs: what is a field class
//! 1E {"type": "event-record-class", "id": ..., ...}                   json.rs: what is an object
//! ```
//!
//! A fragment is understood when it is met: what it names must have come before. What a version 2 does not have
//! is refused by its name, as are extensions: a trace that needs one means something else without it.

mod fields;
mod json;

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::tsdl::Refusal;
use super::tsdl::metadata::{ClassId, ClockBlock, EventBlock, Metadata, Order, StreamBlock, TraceBlock};
use crate::limits;
use json::{Object, Wrong, elements, within};

/// What comes before each fragment.
const SEPARATOR: u8 = 0x1e;

/// Whether metadata is of this kind.
pub(super) fn is_sequence(bytes: &[u8]) -> bool {
    bytes.first() == Some(&SEPARATOR)
}

/// What has been understood so far.
#[derive(Debug, Default)]
struct Reader {
    out: Metadata,
    aliases: HashMap<String, ClassId>,
    has_preamble: bool,
    uuid: Option<[u8; 16]>,
    /// Field classes that were declared, against the limit.
    budget: u64,
    depth: u32,
    /// Where the fragment begins.
    at: usize,
}

/// Understands a whole sequence.
pub(super) fn parse(bytes: &[u8]) -> Result<Metadata, Refusal> {
    let (metadata, refusal) = parse_prefix(bytes);
    refusal.map_or(Ok(metadata), Err)
}

/// Understands as many fragments as can be: what was declared up to the first fault, and the fault.
pub(super) fn parse_prefix(bytes: &[u8]) -> (Metadata, Option<Refusal>) {
    let more = bytes.len() as u64 / limits::CTF_TEXT_PER_CLASS;
    let mut reader = Reader { budget: limits::CTF_CLASSES + more, ..Reader::default() };
    reader.out.is_version_2 = true;
    let mut at = 0;
    let mut fault = None;
    for fragment in bytes.split(|byte| *byte == SEPARATOR) {
        let start = at;
        at += fragment.len() + 1;
        if fragment.trim_ascii().is_empty() {
            continue;
        }
        // Up to the first character that is no space.
        reader.at = start + fragment.len() - fragment.trim_ascii_start().len();
        if let Err(refusal) = reader.fragment(start, fragment) {
            fault = Some(refusal);
            break;
        }
    }
    if fault.is_none() && !reader.has_preamble {
        fault = Some(Refusal::new(0, "The metadata has no preamble."));
    }
    let mut out = reader.out;
    if reader.has_preamble && out.trace.is_none() {
        out.trace = Some(TraceBlock { order: Order::Little, uuid: None, packet_header: None });
    }
    if let Some(trace) = &mut out.trace {
        trace.uuid = reader.uuid;
    }
    (out, fault)
}

impl Reader {
    fn fragment(&mut self, start: usize, text: &[u8]) -> Result<(), Refusal> {
        let value: Value = serde_json::from_slice(text).map_err(|error| {
            // serde_json counts lines and columns from the start of the fragment.
            let lines = text.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
            let at = start + lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1);
            let what = error.to_string();
            let what = what.rsplit_once(" at line").map_or(what.as_str(), |(what, _)| what);
            Refusal::new(at, format!("A fragment is not JSON: {what}."))
        })?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let done = match kind.as_str() {
            "preamble" if self.has_preamble => Err("There is a second preamble.".into()),
            "preamble" => self.preamble(&value),
            _ if !self.has_preamble => Err("The first fragment is not a preamble.".into()),
            "trace-class" => self.trace_class(&value),
            "clock-class" => self.clock_class(&value),
            "field-class-alias" => self.alias(&value),
            "data-stream-class" => self.data_stream_class(&value),
            "event-record-class" => self.event_record_class(&value),
            "" => Err("The fragment has no type.".into()),
            other => Err(format!("A fragment of the type `{other}` is unknown.")),
        };
        done.map_err(|wrong| {
            let sentence = if kind.is_empty() { wrong } else { within(&kind, wrong) };
            Refusal::new(self.at, sentence)
        })
    }

    fn preamble(&mut self, value: &Value) -> Result<(), Wrong> {
        let object = Object::new(value, &["version", "uuid"])?;
        match object.need("version")?.as_u64() {
            Some(2) => {}
            _ => return Err("The version is not 2.".into()),
        }
        if let Some(value) = object.get("uuid") {
            let bytes: Option<Vec<u8>> = elements(value)?
                .iter()
                .map(|byte| byte.as_u64().and_then(|byte| byte.try_into().ok()))
                .collect();
            let uuid = bytes.and_then(|bytes| bytes.try_into().ok());
            self.uuid = Some(uuid.ok_or_else(|| within("uuid", "These are not 16 bytes."))?);
        }
        self.has_preamble = true;
        Ok(())
    }

    fn trace_class(&mut self, value: &Value) -> Result<(), Wrong> {
        let known = ["namespace", "name", "uid", "environment", "packet-header-field-class"];
        let object = Object::new(value, &known)?;
        object.check_texts(&["namespace", "name", "uid"])?;
        if self.out.trace.is_some() {
            return Err("There is a second one, or it comes after a data stream class.".into());
        }
        if let Some(environment) = object.get("environment") {
            let Value::Object(map) = environment else {
                return Err(within("environment", "This is not an object."));
            };
            for (name, value) in map {
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Number(number) if !number.is_f64() => number.to_string(),
                    _ => {
                        return Err(within(
                            "environment",
                            format!("`{name}` is neither an integer nor a string."),
                        ));
                    }
                };
                self.out.environment.push((name.clone(), text));
            }
        }
        let packet_header = self.root(&object, "packet-header-field-class")?;
        self.out.trace = Some(TraceBlock { order: Order::Little, uuid: None, packet_header });
        Ok(())
    }

    fn clock_class(&mut self, value: &Value) -> Result<(), Wrong> {
        let known = [
            "id",
            "namespace",
            "name",
            "uid",
            "description",
            "frequency",
            "precision",
            "accuracy",
            "origin",
            "offset-from-origin",
        ];
        let object = Object::new(value, &known)?;
        object.check_texts(&["namespace", "uid", "description"])?;
        object.unsigned("precision")?;
        object.unsigned("accuracy")?;
        let id = object.text("id")?.ok_or("The property `id` is missing.")?;
        let name = object.text("name")?.unwrap_or(id);
        let frequency = object.unsigned("frequency")?.ok_or("The property `frequency` is missing.")?;
        if frequency == 0 {
            return Err(within("frequency", "A clock of 0 Hz stands still."));
        }
        match object.get("origin") {
            None => {}
            Some(Value::String(origin)) if origin == "unix-epoch" => {}
            Some(origin @ Value::Object(_)) => {
                let origin = Object::new(origin, &["namespace", "name", "uid"])
                    .map_err(|wrong| within("origin", wrong))?;
                origin.check_texts(&["namespace", "name", "uid"])?;
            }
            Some(_) => return Err(within("origin", "This is neither `unix-epoch` nor an object.")),
        }
        let (mut offset_s, mut offset) = (0, 0);
        if let Some(value) = object.get("offset-from-origin") {
            let from = Object::new(value, &["seconds", "cycles"])
                .map_err(|wrong| within("offset-from-origin", wrong))?;
            offset_s = from.signed("seconds")?.unwrap_or(0);
            let cycles = from.unsigned("cycles")?.unwrap_or(0);
            if cycles >= frequency {
                return Err(within("offset-from-origin", "The cycles are a second or more."));
            }
            offset = i64::try_from(cycles).map_err(|_| "The cycles are too many.")?;
        }
        if self.out.clocks.iter().any(|clock| clock.id.as_deref() == Some(id)) {
            return Err(format!("Two clocks have the id `{id}`."));
        }
        let (id, name) = (Some(Rc::from(id)), Rc::from(name));
        self.out.clocks.push(ClockBlock { id, name, frequency, offset_s, offset });
        Ok(())
    }

    fn alias(&mut self, value: &Value) -> Result<(), Wrong> {
        let object = Object::new(value, &["name", "field-class"])?;
        let name = object.text("name")?.ok_or("The property `name` is missing.")?;
        let class = object.need("field-class")?;
        if !class.is_object() && !class.is_string() {
            return Err(within("field-class", "This is not a field class."));
        }
        let class = self.class(class).map_err(|wrong| within("field-class", wrong))?;
        if self.aliases.insert(name.to_owned(), class).is_some() {
            return Err(format!("Two aliases have the name `{name}`."));
        }
        Ok(())
    }

    fn data_stream_class(&mut self, value: &Value) -> Result<(), Wrong> {
        let known = [
            "id",
            "namespace",
            "name",
            "uid",
            "default-clock-class-id",
            "packet-context-field-class",
            "event-record-header-field-class",
            "event-record-common-context-field-class",
        ];
        let object = Object::new(value, &known)?;
        object.check_texts(&["namespace", "name", "uid"])?;
        let id = object.unsigned("id")?.unwrap_or(0);
        let clock = object.text("default-clock-class-id")?;
        if let Some(clock) = clock
            && self.out.clocks.iter().all(|known| known.id.as_deref() != Some(clock))
        {
            return Err(format!("There is no clock class `{clock}` before it."));
        }
        if self.out.streams.iter().any(|stream| stream.id == Some(id)) {
            return Err(format!("Two data stream classes have the id {id}."));
        }
        self.out.trace.get_or_insert(TraceBlock { order: Order::Little, uuid: None, packet_header: None });
        let stream = StreamBlock {
            id: Some(id),
            clock: clock.map(Rc::from),
            packet_context: self.root(&object, "packet-context-field-class")?,
            event_header: self.root(&object, "event-record-header-field-class")?,
            event_context: self.root(&object, "event-record-common-context-field-class")?,
            at: self.at,
        };
        self.out.streams.push(stream);
        Ok(())
    }

    fn event_record_class(&mut self, value: &Value) -> Result<(), Wrong> {
        let known = [
            "id",
            "data-stream-class-id",
            "namespace",
            "name",
            "uid",
            "specific-context-field-class",
            "payload-field-class",
        ];
        let object = Object::new(value, &known)?;
        object.check_texts(&["namespace", "uid"])?;
        let stream_id = object.unsigned("data-stream-class-id")?.unwrap_or(0);
        if self.out.streams.iter().all(|stream| stream.id != Some(stream_id)) {
            return Err(format!("There is no data stream class {stream_id} before it."));
        }
        let event = EventBlock {
            name: object.text("name")?.or(object.text("uid")?).map(str::to_owned),
            id: Some(object.unsigned("id")?.unwrap_or(0)),
            stream_id: Some(stream_id),
            context: self.root(&object, "specific-context-field-class")?,
            fields: self.root(&object, "payload-field-class")?,
            at: self.at,
        };
        self.out.events.push(event);
        Ok(())
    }
}
