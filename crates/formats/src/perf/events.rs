//! Events: the kinds of sample that a file has, and to which event and buffer a record belongs.
//!
//! Each event has identifiers, one for each buffer. The identifier in a record determines its event
//! and, by the record ID_INDEX, its buffer:
//!
//! ```text
//! count u64 | count x ( id u64 | number u64 | cpu u64 | tid u64 )        cpu is -1: buffer of a thread
//! ```

use std::collections::HashMap;
use std::rc::Rc;

use crate::kernel_names::{self as names, Name};
use crate::limits;
use crate::tracepoint::{Field, decode};

use super::attr::Attr;
use super::bytes::Cursor;
use super::features::About;
use super::sample::{Sample, Shape, Trailer};
use super::scope::Scope;
use super::tracing_data::TracingData;

/// A buffer of the kernel: what becomes a stream. The order is that of the streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Buffer {
    Cpu(u32),
    Thread(i32),
    /// The file does not say.
    Unknown,
}

/// One event that was asked for.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: Name,
    pub(super) is_tracepoint: bool,
    /// Of a tracepoint, under the names that are shown.
    pub(super) fields: Vec<Field>,
    pub(super) common_pid: Option<Field>,
    /// Of a context switch: who leaves and who comes.
    switch: Option<(Field, Field)>,
    shape: Shape,
}

impl Kind {
    /// Of a context switch: who leaves and who comes.
    pub(super) fn switch(&self, raw: Option<&[u8]>) -> Option<(i64, i64)> {
        let (prev, next) = self.switch.as_ref()?;
        let tid = |field| i64::try_from(decode::number(field, raw?)?).ok();
        Some((tid(prev)?, tid(next)?))
    }
}

#[derive(Debug)]
pub(super) struct Events {
    pub(super) kinds: Vec<Rc<Kind>>,
    ids: HashMap<u64, Id>,
    /// How records of unknown events look, and where their id stands.
    shape: Shape,
    id_in_sample: Option<usize>,
    id_in_trailer: Option<usize>,
    pub(super) scope: Scope,
}

#[derive(Debug)]
struct Id {
    kind: u32,
    buffer: Option<Buffer>,
}

/// Why a sample cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    /// It carries this identifier, if any, which belongs to no event.
    Unknown(Option<u64>),
    /// A part of it does not fit.
    Short,
}

impl Events {
    /// `attrs` must not be empty. The second part are diagnostics.
    pub(super) fn new(attrs: &[Attr], about: &About, tracing: &TracingData) -> (Events, Vec<String>) {
        let mut diagnostics = vec![];
        let shape = attrs
            .first()
            .map_or(Shape { sample_type: 0, read_format: 0, has_trailers: false }, |attr| attr.shape);
        let odd = attrs.iter().filter(|attr| {
            attr.shape.id_in_sample() != shape.id_in_sample()
                || attr.shape.id_in_trailer() != shape.id_in_trailer()
        });
        let odd = odd.count();
        if odd > 0 {
            diagnostics.push(format!(
                "{odd} of {} events keep their identifier elsewhere than the first one; their samples may be unknown.",
                attrs.len()
            ));
        }
        let mut events = Events {
            kinds: vec![],
            ids: HashMap::new(),
            shape,
            id_in_sample: shape.id_in_sample(),
            id_in_trailer: shape.id_in_trailer(),
            scope: Scope::default(),
        };
        for (number, attr) in attrs.iter().enumerate() {
            let ids = attr.ids.iter().map(|id| (*id, Id { kind: number as u32, buffer: None }));
            events.ids.extend(ids);
            let stated = about.event_names.get(number).map(String::as_str);
            events.kinds.push(Rc::new(kind(attr, stated, tracing, &mut diagnostics)));
        }
        (events, diagnostics)
    }

    /// Takes an ID_INDEX record.
    pub(super) fn index(&mut self, body: &[u8]) {
        let mut cursor = Cursor::new(body);
        let Some(count) = cursor.u64() else { return };
        let mut one = || Some((cursor.u64()?, cursor.u64()?, cursor.u64()?, cursor.u64()?));
        for _ in 0..count {
            let Some((id, _, cpu, tid)) = one() else { return };
            let buffer = match u32::try_from(cpu) {
                Ok(cpu) if cpu != u32::MAX => Buffer::Cpu(cpu),
                _ => Buffer::Thread(tid as i32),
            };
            if let Some(id) = self.ids.get_mut(&id) {
                self.scope.index(tid as i32);
                id.buffer = Some(buffer);
            }
        }
    }

    /// The kind of a sample, its buffer and its parts.
    #[inline]
    pub(super) fn sample<'a>(&self, body: &'a [u8]) -> Result<(usize, Buffer, Sample<'a>), Unusable> {
        let id = self.id_in_sample.and_then(|at| Cursor::new(body.get(at..)?).u64());
        let found = id.and_then(|id| self.ids.get(&id));
        let number = match (found, self.kinds.len()) {
            (Some(id), _) => id.kind as usize,
            // perf writes no identifiers when there is but one event.
            (None, 1) => 0,
            _ => return Err(Unusable::Unknown(id)),
        };
        let kind = self.kinds.get(number).ok_or(Unusable::Unknown(id))?;
        let sample = kind.shape.sample(body).ok_or(Unusable::Short)?;
        let buffer = found.and_then(|id| id.buffer).or(sample.cpu.map(Buffer::Cpu));
        Ok((number, buffer.unwrap_or(Buffer::Unknown), sample))
    }

    /// The trailer of another record, and the buffer that it names.
    pub(super) fn trailer(&self, body: &[u8]) -> (Trailer, Buffer) {
        let id = self.id_in_trailer.and_then(|back| {
            let start = body.len().checked_sub(back)?;
            Cursor::new(body.get(start..)?).u64()
        });
        let found = id.and_then(|id| self.ids.get(&id));
        let kind = found.and_then(|id| self.kinds.get(id.kind as usize));
        let trailer = kind.map_or(self.shape, |kind| kind.shape).trailer(body);
        let buffer = found.and_then(|id| id.buffer).or(trailer.cpu.map(Buffer::Cpu));
        (trailer, buffer.unwrap_or(Buffer::Unknown))
    }

    /// The buffer of an identifier, by ID_INDEX only.
    pub(super) fn buffer_of(&self, id: Option<u64>) -> Option<Buffer> {
        self.ids.get(&id?)?.buffer
    }
}

fn kind(attr: &Attr, stated: Option<&str>, tracing: &TracingData, diagnostics: &mut Vec<String>) -> Kind {
    let mut kind = Kind {
        name: Name::Fixed(String::new()),
        is_tracepoint: attr.is_tracepoint(),
        fields: vec![],
        common_pid: None,
        switch: None,
        shape: attr.shape,
    };
    let format = tracing.formats.get(&attr.config).filter(|_| attr.is_tracepoint());
    kind.name = match (format, stated) {
        (Some(format), _) => names::event(&format.system, &format.name),
        (None, Some(stated)) => match stated.split_once(':') {
            Some((system, name)) if attr.is_tracepoint() => names::event(system, name),
            _ => Name::Fixed(stated.into()),
        },
        (None, None) if attr.is_tracepoint() => Name::Fixed(format!("tracepoint {}", attr.config)),
        (None, None) => Name::Fixed(format!("event {}:{}", attr.kind, attr.config)),
    };
    let Some(format) = format else { return kind };
    kind.fields = format.fields.clone();
    kind.common_pid = format.common_pid.clone();
    for field in &mut kind.fields {
        field.name = names::field(&format.system, &field.name);
    }
    if (format.system.as_str(), format.name.as_str()) == ("sched", "sched_switch") {
        let find = |name| kind.fields.iter().find(|field: &&Field| field.name == name).cloned();
        kind.switch = find("prev_tid").zip(find("next_tid"));
    }
    if format.left_out > 0 {
        diagnostics.push(format!(
            "{} fields of {}:{} are left out: their description makes no sense, or there are more than {}.",
            format.left_out,
            format.system,
            format.name,
            limits::PERF_FIELDS
        ));
    }
    kind
}
