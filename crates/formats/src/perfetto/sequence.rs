//! A sequence: the packets of one writer, in its order. What one says holds for those behind it, until it begins anew.

use std::collections::{BTreeMap, HashMap};

use super::proto::{Message, Wire, text};
use crate::limits;

/// Names are forgotten with this packet, and begin with it.
const CLEARED: u64 = 1;
/// Nothing of this packet can be understood without what came before.
const NEEDS: u64 = 2;

/// The state of one sequence.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// Names of events by their numbers.
    names: HashMap<u64, String>,
    pub(super) clock: Option<u32>,
    pub(super) track: Option<u64>,
    /// The thread whose track it writes to, in older traces: process and thread.
    pub(super) thread: Option<(u64, u64)>,
    /// us that its times count from, in older traces.
    pub(super) reference: i64,
    /// Whether all since the last beginning is there.
    is_understood: bool,
    /// How often something of it was lost, and when it was noticed last.
    pub(super) losses: u32,
    pub(super) lost_at: i64,
    /// Tracks that it wrote to, and how many of its losses were reported on each.
    pub(super) tracks: BTreeMap<u64, u32>,
    /// Packets that were seen of it.
    pub(super) packets: u64,
    /// The first one did not say that it is the first.
    pub(super) may_lack_beginning: bool,
}

/// The parts of a packet that concern its sequence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Head {
    pub(super) sequence: u32,
    pub(super) time: Option<u64>,
    pub(super) clock: Option<u32>,
    flags: u64,
    was_dropped: bool,
    is_first: bool,
}

impl Head {
    pub(super) fn parse(packet: &[u8]) -> (Head, bool) {
        let mut head = Head::default();
        let mut message = Message::new(packet);
        for field in message.by_ref() {
            match field {
                (8, Wire::Number(time)) => head.time = Some(time),
                (10, Wire::Number(sequence)) => head.sequence = sequence as u32,
                (13, Wire::Number(flags)) => head.flags |= flags,
                (41, Wire::Number(is)) => head.flags |= if is != 0 { CLEARED } else { 0 },
                (42, Wire::Number(was)) => head.was_dropped = was != 0,
                (58, Wire::Number(clock)) => head.clock = u32::try_from(clock).ok(),
                (87, Wire::Number(is)) => head.is_first = is != 0,
                _ => {}
            }
        }
        (head, message.is_whole)
    }
}

impl Sequence {
    /// Takes what a packet says of its sequence; whether the rest of it can be understood.
    pub(super) fn begin(&mut self, head: &Head, time: i64) -> bool {
        let is_first = self.packets == 0;
        self.packets += 1;
        if is_first {
            self.may_lack_beginning = !head.is_first;
        }
        // The service says so of the first packet of every sequence, too.
        if head.was_dropped && !is_first {
            self.lose(time);
        }
        if head.flags & CLEARED != 0 {
            self.names.clear();
            (self.clock, self.track) = (None, None);
            self.is_understood = true;
        }
        let can = head.flags & NEEDS == 0 || self.is_understood;
        if !can && is_first {
            self.lose(time);
        }
        can
    }

    /// Something is missing before this moment.
    fn lose(&mut self, time: i64) {
        self.losses += 1;
        self.lost_at = time;
        self.is_understood = false;
    }

    /// Takes defaults and names that a packet brings; `remaining` is how many more names may come.
    pub(super) fn learn(&mut self, packet: &[u8], remaining: &mut usize) {
        for field in Message::new(packet) {
            match field {
                (59, Wire::Bytes(defaults)) => self.defaults(defaults),
                (12, Wire::Bytes(data)) => {
                    for field in Message::new(data) {
                        if let (2, Wire::Bytes(name)) = field {
                            self.name_of(name, remaining);
                        }
                    }
                }
                (44, Wire::Bytes(thread)) => {
                    let (mut pid, mut tid) = (0, 0);
                    for field in Message::new(thread) {
                        match field {
                            (1, Wire::Number(number)) => pid = number,
                            (2, Wire::Number(number)) => tid = number,
                            (6, Wire::Number(time)) => self.reference = time.cast_signed(),
                            _ => {}
                        }
                    }
                    self.thread = Some((pid, tid));
                }
                _ => {}
            }
        }
    }

    fn defaults(&mut self, defaults: &[u8]) {
        for field in Message::new(defaults) {
            match field {
                (58, Wire::Number(clock)) => self.clock = u32::try_from(clock).ok(),
                (11, Wire::Bytes(of_events)) => {
                    for field in Message::new(of_events) {
                        if let (11, Wire::Number(track)) = field {
                            self.track = Some(track);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn name_of(&mut self, entry: &[u8], remaining: &mut usize) {
        let (mut number, mut name) = (0, None);
        for field in Message::new(entry) {
            match field {
                (1, Wire::Number(iid)) => number = iid,
                (2, Wire::Bytes(bytes)) => name = Some(bytes),
                _ => {}
            }
        }
        if let (Some(name), Some(left)) = (name, remaining.checked_sub(1)) {
            *remaining = left;
            self.names.insert(number, text(name.get(..limits::PERFETTO_NAME).unwrap_or(name)));
        }
    }

    pub(super) fn name(&self, number: u64) -> Option<&str> {
        self.names.get(&number).map(String::as_str)
    }
}
