//! Packets one after the other, from a stream, with what was deflated inflated.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::proto::{Message, Wire};
use crate::limits;

/// Hands out packets. Holds one at a time, or the inflated ones of one.
pub(super) struct Packets<R> {
    bytes: R,
    buffer: Vec<u8>,
    at: usize,
    /// Where `buffer` begins in the stream.
    start: u64,
    is_at_end: bool,
    inflated: Vec<u8>,
    inflated_at: usize,
    /// Bytes that were inflated up to now.
    all_inflated: u64,
    is_over: bool,
}

/// What comes next.
pub(super) enum Step<'a> {
    /// A packet.
    Packet(&'a [u8]),
    /// Something that is left out: where, and why.
    Odd(u64, &'static str),
    /// The rest cannot be read.
    Broken(u64, String),
    End,
}

/// Of a packet in the stream.
enum Head {
    Packet { start: usize, length: usize },
    Other,
    End,
}

/// How much is read at once.
const CHUNK: usize = 256 << 10;

impl<R: Read> Packets<R> {
    pub(super) fn new(bytes: R) -> Packets<R> {
        Packets {
            bytes,
            buffer: vec![],
            at: 0,
            start: 0,
            is_at_end: false,
            inflated: vec![],
            inflated_at: 0,
            all_inflated: 0,
            is_over: false,
        }
    }

    /// How far the stream was read.
    pub(super) fn offset(&self) -> u64 {
        self.start + self.at as u64
    }

    /// Makes sure that `count` bytes are there, if the stream has them.
    fn have(&mut self, count: usize) -> std::io::Result<usize> {
        while self.buffer.len() - self.at < count && !self.is_at_end {
            self.buffer.drain(..self.at);
            self.start += self.at as u64;
            self.at = 0;
            // As much again as is there, so that a length that is a lie costs nothing.
            let had = self.buffer.len();
            let limit = CHUNK.max(had.min(count)) as u64;
            self.bytes.by_ref().take(limit).read_to_end(&mut self.buffer)?;
            self.is_at_end = self.buffer.len() == had;
        }
        Ok(self.buffer.len() - self.at)
    }

    pub(super) fn next(&mut self) -> Step<'_> {
        loop {
            if let Some((start, length)) = self.next_inflated() {
                return Step::Packet(&self.inflated[start..start + length]);
            }
            if self.is_over {
                return Step::End;
            }
            let offset = self.offset();
            let (start, length) = match self.head() {
                Ok(Head::Packet { start, length }) => (start, length),
                Ok(Head::Other) => continue,
                Ok(Head::End) => {
                    self.is_over = true;
                    return Step::End;
                }
                Err(sentence) => {
                    self.is_over = true;
                    return Step::Broken(offset, sentence);
                }
            };
            self.at = start + length;
            let packet = &self.buffer[start..start + length];
            let deflated = Message::new(packet).find_map(|field| match field {
                (50, Wire::Bytes(bytes)) => Some(bytes),
                _ => None,
            });
            let Some(deflated) = deflated else {
                return Step::Packet(&self.buffer[start..start + length]);
            };
            self.inflated.clear();
            self.inflated_at = 0;
            let allowed = (limits::PERFETTO_INFLATED + self.start.saturating_mul(limits::PERFETTO_RATIO))
                .saturating_sub(self.all_inflated)
                .min(limits::PERFETTO_PACKET as u64);
            let result = ZlibDecoder::new(deflated).take(allowed + 1).read_to_end(&mut self.inflated);
            self.all_inflated += self.inflated.len() as u64;
            if self.inflated.len() as u64 > allowed {
                self.inflated.clear();
                return Step::Odd(offset, "Packets were inflated to more than is allowed and were left out.");
            }
            if result.is_err() {
                return Step::Odd(offset, "Deflated packets are damaged; those before the damage are used.");
            }
        }
    }

    /// Where the next inflated packet stands. What makes no sense among them ends them.
    fn next_inflated(&mut self) -> Option<(usize, usize)> {
        let rest = self.inflated.get(self.inflated_at..)?;
        let mut message = Message::new(rest);
        loop {
            let field = message.next();
            let end = self.inflated.len() - message.left();
            match field {
                Some((1, Wire::Bytes(packet))) => {
                    self.inflated_at = end;
                    return Some((end - packet.len(), packet.len()));
                }
                Some(_) => {}
                None => {
                    self.inflated.clear();
                    self.inflated_at = 0;
                    return None;
                }
            }
        }
    }

    /// Reads a field of the trace, and all of its bytes if it is a packet.
    fn head(&mut self) -> Result<Head, String> {
        let unreadable = |error: std::io::Error| format!("The file cannot be read on: {error}.");
        let there = self.have(20).map_err(unreadable)?;
        if there == 0 {
            return Ok(Head::End);
        }
        let mut cursor = source::bytes::Cursor::new(&self.buffer[self.at..]);
        let (Some(key), Some(value)) = (cursor.number(), cursor.number()) else {
            return Err("The file ends, or is damaged, where a packet should begin.".to_owned());
        };
        let head = there - cursor.left();
        match (key >> 3, key & 7) {
            (1.., 0) => {
                self.at += head;
                return Ok(Head::Other);
            }
            (1.., 2) => {}
            _ => return Err("No packet begins here; what follows cannot be found.".to_owned()),
        }
        let length = usize::try_from(value).ok().filter(|length| *length <= limits::PERFETTO_PACKET);
        let Some(length) = length else {
            return Err(format!("A packet claims {value} bytes, which is more than is read."));
        };
        let there = self.have(head + length).map_err(unreadable)?;
        if there < head + length {
            let there = there.saturating_sub(head);
            return Err(format!("The file ends {there} bytes into a packet of {length} bytes."));
        }
        if key >> 3 != 1 {
            self.at += head + length;
            return Ok(Head::Other);
        }
        Ok(Head::Packet { start: self.at + head, length })
    }
}

/// See [`super::may_be`].
pub(super) fn may_be(beginning: &[u8]) -> bool {
    let mut rest = beginning;
    let mut packets = 0;
    while let Some((&0x0a, following)) = rest.split_first() {
        let mut cursor = source::bytes::Cursor::new(following);
        let Some(length) = cursor.number().and_then(|length| usize::try_from(length).ok()) else { break };
        let start = following.len() - cursor.left();
        let packet = following.get(start..).unwrap_or_default();
        let is_all = packet.len() >= length;
        let packet = packet.get(..length).unwrap_or(packet);
        let mut message = Message::new(packet);
        let mut fields = 0;
        for (number, wire) in message.by_ref() {
            fields += 1;
            let fits = match (number, wire) {
                (8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98, Wire::Number(_)) => true,
                (8 | 10 | 13 | 41 | 42 | 58 | 79 | 87 | 98, _) => false,
                (1 | 2 | 6 | 11 | 12 | 33..=36 | 43..=45 | 50 | 59 | 60 | 69, wire) => {
                    matches!(wire, Wire::Bytes(_))
                }
                (number, _) => (3..=2_000).contains(&number) && fields > 1,
            };
            if !fits {
                return false;
            }
        }
        if !is_all {
            return fields > 0 || packets > 0 || begins_long_field(packet, length);
        }
        if !message.is_whole || length > 0 && fields == 0 {
            return false;
        }
        packets += u32::from(length > 0);
        rest = following.get(start + length..).unwrap_or_default();
    }
    packets > 0 && (rest.is_empty() || rest.first() == Some(&0x0a))
}

/// Whether a packet begins with a field that goes on behind what is shown of it.
fn begins_long_field(packet: &[u8], length: usize) -> bool {
    let mut cursor = source::bytes::Cursor::new(packet);
    let (Some(key), Some(inner)) = (cursor.number(), cursor.number()) else { return false };
    let head = (packet.len() - cursor.left()) as u64;
    let is_known = matches!(key >> 3, 1 | 2 | 6 | 11 | 12 | 33..=36 | 43..=45 | 50 | 59 | 60 | 69);
    key & 7 == 2 && is_known && inner > 0 && inner <= (length as u64).saturating_sub(head)
}
