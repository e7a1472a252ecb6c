//! Messages between hosts: segments of TCP that were recorded where they were sent and where they were received.

use std::collections::HashMap;

use model::{EventSource, FieldSink, Item, Scope, Timestamp, Value};

use crate::limits;

/// A message, with the traces of both its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) sent: Timestamp,
    pub(super) received: Timestamp,
}

/// Pairs of events of a kernel: where a segment leaves, and where one arrives.
const KINDS: [[&str; 2]; 2] =
    [["inet_sock_local_out", "inet_sock_local_in"], ["net_dev_queue", "net_if_receive_skb"]];

/// The fields that identify a segment; retransmitted ones are alike.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
struct Segment {
    kind: usize,
    sequence: u64,
    acknowledged: u64,
    flags: u64,
}

/// One end of a segment: which host saw it and when, or that it was seen more than once and cannot be used.
#[derive(Debug, Clone, Copy)]
enum Seen {
    Once(usize, Timestamp),
    Often,
}

/// What an event says of segments: its kind, and whether it is the end that sends (0) or that receives (1).
type Role = Option<(usize, usize)>;

/// Reads all of `source`.
pub(super) fn messages(source: &mut dyn EventSource) -> Vec<Message> {
    let mut roles: Vec<Role> = vec![];
    let mut ends: [HashMap<Segment, Seen>; 2] = [HashMap::new(), HashMap::new()];
    while let Some(item) = source.next_item() {
        let Item::Event(event) = item else { continue };
        let (symbol, stream) = (event.symbol, event.stream);
        let (Some(time), role) = (event.time, roles.get(symbol.0 as usize).copied()) else { continue };
        if role == Some(None) {
            continue;
        }
        let mut fields = Fields::default();
        event.fields.visit(Scope::Payload, &mut fields);
        // The name can be asked for once the event is gone.
        for name in source.alphabet().names().skip(roles.len()) {
            roles.push(self::role(name));
        }
        let role = roles.get(symbol.0 as usize).copied().flatten();
        let trace = source.streams().get(stream.0 as usize).map(|stream| stream.trace);
        if let (Some((kind, end)), Some(segment), Some(trace)) = (role, fields.segment(), trace)
            && let Some(seen) = ends.get_mut(end)
        {
            let segment = Segment { kind, ..segment };
            if seen.len() < limits::CTF_MESSAGES || seen.contains_key(&segment) {
                seen.entry(segment).and_modify(|seen| *seen = Seen::Often).or_insert(Seen::Once(trace, time));
            }
        }
    }
    let [sent, received] = ends;
    let pair = |(segment, sent): (&Segment, &Seen)| match (sent, received.get(segment)?) {
        (&Seen::Once(from, sent), &Seen::Once(to, received)) if from != to => {
            Some(Message { from, to, sent, received })
        }
        _ => None,
    };
    let mut messages: Vec<Message> = sent.iter().filter_map(pair).collect();
    messages.sort_by_key(|message| (message.sent, message.received));
    messages
}

fn role(name: &str) -> Role {
    KINDS
        .iter()
        .enumerate()
        .find_map(|(kind, ends)| ends.iter().position(|end| *end == name).map(|end| (kind, end)))
}

/// The fields of a segment, at whatever depth they stand: newer tracers put them into those of the network layer.
#[derive(Debug, Default)]
struct Fields {
    sequence: Option<u64>,
    acknowledged: Option<u64>,
    flags: Option<u64>,
}

impl Fields {
    fn segment(&self) -> Option<Segment> {
        let (sequence, acknowledged) = (self.sequence?, self.acknowledged?);
        Some(Segment { kind: 0, sequence, acknowledged, flags: self.flags? })
    }
}

impl FieldSink for Fields {
    fn value(&mut self, name: &str, value: Value<'_>) {
        let number = match value {
            Value::Unsigned(number, _) => u64::try_from(number).ok(),
            Value::Signed(number, _) | Value::Enum(number, _) => u64::try_from(number).ok(),
            _ => None,
        };
        match name.trim_start_matches('_') {
            "seq" => self.sequence = number,
            "ack_seq" => self.acknowledged = number,
            "flags" => self.flags = number,
            _ => {}
        }
    }

    fn begin_struct(&mut self, _: &str) {}

    fn begin_array(&mut self, _: &str, _: u64) {}

    fn end(&mut self) {}
}
