//! Perfetto's own form: a sequence of packets in protocol buffers, written by hand.
//!
//! ```text
//! Trace        1 packet*
//! TracePacket  8 timestamp (ns), 10 sequence, 11 TrackEvent, 12 InternedData, 13 flags, 60 TrackDescriptor
//! descriptor   1 uuid, 2 name, 3 process (1 pid, 6 name), 4 thread (1 pid, 2 tid, 5 name), 5 parent,
//!              14 description
//! TrackEvent   4 annotation (10 name, 6 text)*, 9 type (1 begin, 2 end, 3 instant), 10 name's number,
//!              11 track's uuid, 23 name
//! InternedData 2 event name (1 number, 2 name)
//! ```
//!
//! One sequence for each thread, so that names are numbered within it. The numbers of the fields are
//! those of Perfetto's published descriptions; a number never changes its meaning there.

use std::collections::HashMap;

use model::flow::{Entered, FlowStep, Left};
use model::{CodeMap, Lost, MethodId};

use super::timeline::{Shown, Timeline};
use super::{ABOUT_TIME, ThreadName, name};
use source::bytes::put_number;

/// The process's own track; threads have their serial number plus this.
const PROCESS: u64 = 1;

const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;

/// The flags of a packet: names begin anew with it; it needs the names before it.
const CLEARED: u64 = 1;
const NEEDS: u64 = 2;

fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    put_number(out, field << 3);
    put_number(out, value);
}

fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    put_number(out, field << 3 | 2);
    put_number(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// A message within a message.
fn message(out: &mut Vec<u8>, field: u64, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut inner = vec![];
    fill(&mut inner);
    bytes(out, field, &inner);
}

/// Appends what comes before all threads.
pub fn begin(out: &mut Vec<u8>, process: &str, pid: u32) {
    message(out, 1, |packet| {
        number(packet, 10, PROCESS);
        message(packet, 60, |track| {
            number(track, 1, PROCESS);
            message(track, 3, |about| {
                number(about, 1, u64::from(pid));
                bytes(about, 6, process.as_bytes());
            });
            bytes(track, 14, ABOUT_TIME.as_bytes());
        });
    });
}

/// Writes one thread.
#[derive(Debug)]
pub struct Writer<'a> {
    code: &'a CodeMap,
    track: u64,
    timeline: Timeline,
    names: Names,
}

/// Names that the sequence knows already.
#[derive(Debug, Default)]
struct Names {
    known: HashMap<MethodId, u64>,
    any: bool,
}

impl<'a> Writer<'a> {
    /// Appends the thread's name.
    pub fn new(code: &'a CodeMap, pid: u32, thread: &ThreadName, out: &mut Vec<u8>) -> Writer<'a> {
        let track = PROCESS + u64::from(thread.serial);
        message(out, 1, |packet| {
            number(packet, 10, track);
            message(packet, 60, |about| {
                number(about, 1, track);
                number(about, 5, PROCESS);
                message(about, 4, |named| {
                    number(named, 1, u64::from(pid));
                    // Java threads are identified by their number in the recording; that of the system is not known.
                    number(named, 2, u64::from(pid).saturating_add(u64::from(thread.serial)) & 0x7fff_ffff);
                    bytes(named, 5, thread.name.as_bytes());
                });
            });
        });
        Writer { code, track, timeline: Timeline::new(), names: Names::default() }
    }

    /// Appends what the step lets know of.
    pub fn step(&mut self, step: &FlowStep<'_>, out: &mut Vec<u8>) {
        let (code, track, names) = (self.code, self.track, &mut self.names);
        self.timeline.step(step, &mut |time, shown| event(code, track, names, time, shown, out));
    }

    /// No further step comes.
    pub fn finish(self, out: &mut Vec<u8>) {
        let Writer { code, track, timeline, mut names } = self;
        timeline.finish(&mut |time, shown| event(code, track, &mut names, time, shown, out));
    }
}

fn event(code: &CodeMap, track: u64, names: &mut Names, time: i64, shown: Shown, out: &mut Vec<u8>) {
    message(out, 1, |packet| {
        number(packet, 8, time.max(0) as u64);
        number(packet, 10, track);
        let first = !std::mem::replace(&mut names.any, true);
        number(packet, 13, if first { CLEARED | NEEDS } else { NEEDS });
        let next = names.known.len() as u64 + 1;
        let named = match shown {
            Shown::Begin(method, _) => Some(*names.known.entry(method).or_insert(next)),
            Shown::End(_) | Shown::Lost(_) => None,
        };
        if let (Shown::Begin(method, _), Some(new)) = (shown, named.filter(|named| *named == next)) {
            message(packet, 12, |data| {
                message(data, 2, |entry| {
                    number(entry, 1, new);
                    bytes(entry, 2, name(code, method).as_bytes());
                });
            });
        }
        message(packet, 11, |event| {
            let kind = match shown {
                Shown::Begin(..) => BEGIN,
                Shown::End(_) => END,
                Shown::Lost(_) => INSTANT,
            };
            number(event, 9, kind);
            number(event, 11, track);
            if let Some(named) = named {
                number(event, 10, named);
            }
            match shown {
                Shown::Begin(_, Entered::Library) => annotate(event, "called", "via library"),
                Shown::Begin(_, Entered::Unseen) => annotate(event, "called", "beginning not seen"),
                Shown::End(Left::Threw) => annotate(event, "left", "threw"),
                Shown::End(Left::Unseen) => annotate(event, "left", "end not seen"),
                Shown::End(Left::Open) => annotate(event, "left", "still open at the end"),
                Shown::Lost(Lost::Events(count)) => {
                    bytes(event, 23, format!("{count} records lost").as_bytes())
                }
                Shown::Lost(_) => bytes(event, 23, b"records lost"),
                Shown::Begin(..) | Shown::End(_) => {}
            }
        });
    });
}

fn annotate(event: &mut Vec<u8>, name: &str, value: &str) {
    message(event, 4, |annotation| {
        bytes(annotation, 10, name.as_bytes());
        bytes(annotation, 6, value.as_bytes());
    });
}
