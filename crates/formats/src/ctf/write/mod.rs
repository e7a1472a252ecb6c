//! Adds a stream of events to a CTF trace that exists, without touching what is there; in the version that it has.
//!
//! ```text
//! metadata        the original text, as plain text, then:
//!                   stream { id = N; event.header, packet.context, event.context };
//!                   event { name = "..."; id = 0; stream_id = N; fields };  ...
//! inferred_N_3    | header as the trace declares it | begin end content_size packet_size cpu_id |
//!                 | id u16 | time u64 | context ... | fields ... | id u16 | ...
//! ```
//!
//! A trace in CTF 2 gets the same as fragments of JSON, with roles where TSDL has names (`declare2.rs`).
//!
//! All that is added has whole bytes and no alignment beyond them: numbers of 64 bits, 64-bit floats
//! and text that ends in a zero. Names of fields begin with `_`, as LTTng writes them and readers take
//! off again, so that no name is a keyword. The new stream is of the clock of the trace.
//!
//! The caller gives the metadata file as it is, writes the files that come back beside copies of the
//! original ones, and gives events in any order. It will not change or check original streams, and
//! refuses, with a sentence, a trace without clock, without the id of its stream in its packet header, or with
//! a packet header of fields that are not whole bytes.

mod bytes;
mod declare;
mod declare2;
mod header;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use model::{ClockInfo, Timestamp};

use super::ctf2;
use super::text::{Text, signature};
use super::tsdl::metadata::{Class, Metadata};
use super::tsdl::parse;
use bytes::Bytes;
use declare::Shapes;
use header::Header;

/// An event to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct Added<'a> {
    /// Its name.
    pub name: &'a str,
    /// When.
    pub time: Timestamp,
    /// On which CPU; each CPU gets a file of its own.
    pub cpu: Option<u32>,
    /// What all added events carry: the same names and kinds of values in each.
    pub context: Vec<(&'a str, Cell<'a>)>,
    /// What this one carries.
    pub fields: Vec<(&'a str, Cell<'a>)>,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A whole number.
    Number(i64),
    /// A binary floating-point number.
    Float(f64),
    /// A text; it ends at its first zero.
    Text(&'a str),
}

/// What to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The new content of the file `metadata`.
    pub metadata: Vec<u8>,
    /// New files: names and contents.
    pub streams: Vec<(String, Vec<u8>)>,
}

/// Adds `events`. The error is one sentence.
pub fn add_stream(metadata: Vec<u8>, events: &[Added<'_>]) -> Result<Addition, String> {
    let text = Text::new(metadata).map_err(|refusal| refusal.sentence)?;
    if let Some((_, what)) = text.cut {
        return Err(format!("The metadata is cut, so nothing can be added to it. {what}"));
    }
    let is_version_2 = ctf2::is_sequence(&text.bytes);
    let declared = if is_version_2 { ctf2::parse(&text.bytes) } else { parse(&text.bytes) };
    let declared = declared.map_err(|refusal| refusal.sentence)?;
    let mut metadata = text.bytes;
    // Text that lay in packets may do without the comment by which plain text is known.
    if !is_version_2 && signature(&metadata).is_none() {
        metadata.splice(0..0, *b"/* CTF 1.8 */\n\n");
    }
    if events.is_empty() {
        return Ok(Addition { metadata, streams: vec![] });
    }
    let (clock, clock_id) = clock(&declared)?;
    let taken = declared.streams.iter().map(|stream| stream.id.unwrap_or(0));
    let stream = taken.max().map_or(0, |id| id.saturating_add(1));
    let header = Header::of(&declared, stream)?;
    let with_cpu = events.iter().all(|event| event.cpu.is_some());
    let shapes = Shapes::of(events)?;
    let more = match clock_id {
        Some(id) => shapes.declare_version_2(stream, &id, with_cpu),
        None => shapes.declare(stream, &clock.name, with_cpu),
    };
    metadata.extend_from_slice(more.as_bytes());

    let mut by_cpu: BTreeMap<Option<u32>, Vec<&Added<'_>>> = BTreeMap::new();
    for event in events {
        by_cpu.entry(event.cpu.filter(|_| with_cpu)).or_default().push(event);
    }
    let mut streams = Vec::new();
    for (number, (cpu, mut events)) in (0u64..).zip(by_cpu) {
        events.sort_by_key(|event| event.time);
        let mut out = Bytes::new(header.order);
        header.write(&mut out, number);
        packet(&mut out, &clock, cpu, &events, &shapes);
        let name = cpu.map_or_else(|| format!("inferred_{stream}"), |cpu| format!("inferred_{stream}_{cpu}"));
        streams.push((name, out.bytes));
    }
    Ok(Addition { metadata, streams })
}

/// The clock that the times of the trace are of, and in CTF 2 the id by which streams name it.
fn clock(declared: &Metadata) -> Result<(ClockInfo, Option<Rc<str>>), String> {
    let used = declared.classes.iter().find_map(|class| match class {
        Class::Integer(integer) => integer.clock.as_ref(),
        _ => None,
    });
    let of_stream = declared.streams.iter().find_map(|stream| stream.clock.as_ref());
    let named = declared.clocks.iter().find(|clock| match declared.is_version_2 {
        true => of_stream.is_some() && clock.id.as_ref() == of_stream,
        false => used.is_some_and(|used| *used == clock.name),
    });
    let clock = named.or(declared.clocks.first());
    let clock = clock.ok_or("The trace has no clock, so nothing can be placed between its events.")?;
    let info = ClockInfo {
        name: clock.name.to_string(),
        frequency: clock.frequency,
        offset_s: clock.offset_s,
        offset: clock.offset,
    };
    Ok((info, clock.id.clone()))
}

/// The value of a clock at a moment; moments before its zero become that.
fn ticks(clock: &ClockInfo, time: Timestamp) -> u64 {
    let frequency = i128::from(clock.frequency.max(1));
    let offset = i128::from(clock.offset_s) * frequency + i128::from(clock.offset);
    // 64 by 64 bits: cannot overflow 128.
    let total = (i128::from(time.0) * frequency).div_euclid(1_000_000_000);
    u64::try_from((total - offset).max(0)).unwrap_or(u64::MAX)
}

/// All after the packet header.
fn packet(out: &mut Bytes, clock: &ClockInfo, cpu: Option<u32>, events: &[&Added<'_>], shapes: &Shapes<'_>) {
    let times = || events.iter().map(|event| ticks(clock, event.time));
    out.u64(times().min().unwrap_or(0));
    out.u64(times().max().unwrap_or(0));
    let sizes = out.bytes.len();
    out.u64(0);
    out.u64(0);
    if let Some(cpu) = cpu {
        out.u32(cpu);
    }
    for event in events {
        out.u16(shapes.number(event));
        out.u64(ticks(clock, event.time));
        for (_, cell) in event.context.iter().chain(&event.fields) {
            out.cell(*cell);
        }
    }
    let bits = out.bytes.len() as u64 * 8;
    out.put_u64(sizes, bits);
    out.put_u64(sizes + 8, bits);
}
