//! Parts of a trace: ranges of time, so that several readers share the work of one long trace.
//!
//! ```text
//! stream 0   |  packet  |  packet   |   packet   |   packet   |
//! stream 1   |     packet     |     packet    |     packet    |
//! cuts                  ^            ^              ^            as many bytes lie between two
//! ```
//!
//! Where the events of a stream first come to a cut, there the stream is cut. Streams are merged by the latest moment that
//! each has come to, so parts one after the other are the whole trace in its order, whatever its times are.
//!
//! A packet that ends before a part is left out without a look at its events, where somebody counted those before the part
//! and found that packets end when they say so ([`Reader::events_between`]); else they are stepped over.

use model::Timestamp;

use super::class::NONE;
use super::packet;
use super::reader::Reader;
use super::stream::{Advance, Stream};

/// Which events a reader hands out.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Those from where streams come to this moment, else from the first one on.
    pub from: Option<Timestamp>,
    /// Those before streams come to this moment, else all.
    pub to: Option<Timestamp>,
    /// How many events each stream has before the part, where that is known: the sums of
    /// [`Reader::events_between`] of all parts before it.
    pub before: Option<Vec<u64>>,
}

impl Reader {
    /// The moments between `parts` parts with about as many bytes each, ascending; by packets and their times alone, so
    /// that all readers of a trace find the same. Without such times the first part has everything.
    pub fn cuts(&mut self, parts: u32) -> Vec<Timestamp> {
        let mut packets: Vec<Extent> = self.streams.iter_mut().flat_map(Stream::extents).collect();
        packets.sort_unstable_by_key(|packet| (packet.begins, packet.ends));
        let all: u128 = packets.iter().map(|packet| u128::from(packet.bytes)).sum();
        let mut packets = packets.into_iter();
        let (mut current, mut before) = (packets.next(), 0);
        // Events without a time come before all cuts.
        let mut latest = Timestamp(i64::MIN + 1);
        let cut = |number: u32| {
            let wanted = all * u128::from(number) / u128::from(parts.max(1));
            while let Some(packet) = current
                && before + u128::from(packet.bytes) <= wanted
            {
                before += u128::from(packet.bytes);
                current = packets.next();
            }
            latest = latest.max(current.map_or(Timestamp(i64::MAX), |packet| packet.moment(wanted - before)));
            latest
        };
        (1..parts).map(cut).collect()
    }

    /// How many events each stream has in a part. `None`: a packet has events after its end, so none may be left out by
    /// that. To be called before the first item, of a reader that is used for nothing else.
    pub fn events_between(&mut self, from: Option<Timestamp>, to: Option<Timestamp>) -> Option<Vec<u64>> {
        let streams = self.streams.len() as u32;
        let count = |number: u32| {
            if from.is_some() && !self.come_to(number, from, true) {
                return Some(0);
            }
            // The current event is of the part or behind it.
            let first = self.events(number).saturating_sub(u64::from(from.is_some()));
            if !self.come_to(number, to, false) {
                return Some(self.events(number).saturating_sub(first));
            }
            let ends = self.streams.get(number as usize)?.packet.as_ref()?.ends;
            let is_after_its_end = ends.is_some() && ends < to;
            (!is_after_its_end).then(|| (self.events(number) - 1).saturating_sub(first))
        };
        (0..streams).map(count).collect()
    }

    /// Hands out only what is in a part; to be called before the first item. Diagnostics of the rest are not complete.
    pub fn restrict_to(&mut self, part: &Part) {
        self.until = part.to;
        if part.from.is_none() {
            return;
        }
        let before = part.before.as_ref().filter(|before| before.len() == self.streams.len());
        for number in 0..self.streams.len() as u32 {
            if !self.come_to(number, part.from, before.is_some()) {
                continue;
            }
            let at = number as usize;
            let before = before.and_then(|before| before.get(at));
            if let (Some(stream), Some(info)) = (self.streams.get_mut(at), self.infos.get_mut(at)) {
                info.events = before.copied().unwrap_or(stream.events.saturating_sub(1));
                stream.events = info.events.saturating_add(1);
                self.order.add(stream.current().time.map_or(i64::MIN, |time| time.0), number);
            }
        }
        self.started = self.streams.len() as u32;
    }

    /// Events of a stream up to now, the current one included.
    fn events(&self, number: u32) -> u64 {
        self.streams.get(number as usize).map_or(0, |stream| stream.events)
    }

    /// Brings a stream to its first event, the current one included, that is not before `time`; `false`: there is none. What
    /// was lost up to there is forgotten. With `leaves_out` packets are that end before, where they can be.
    fn come_to(&mut self, number: u32, time: Option<Timestamp>, leaves_out: bool) -> bool {
        let Some(stream) = self.streams.get_mut(number as usize) else { return false };
        let is_there = |of: Option<Timestamp>| time.is_some() && of >= time;
        if stream.events > 0 && !stream.ended && is_there(stream.current().time) {
            return true;
        }
        if leaves_out && stream.has_absolute_times() {
            stream.skip_before = time;
            stream.window.skim(true);
        }
        loop {
            let (advance, key) = self.advance(number);
            self.gaps.clear();
            match advance {
                Advance::Event if is_there(Some(Timestamp(key))) => return true,
                Advance::Event | Advance::Pause => {}
                Advance::End => return false,
            }
        }
    }
}

/// When a packet was written, and its bytes.
#[derive(Debug, Clone, Copy)]
struct Extent {
    begins: Timestamp,
    ends: Timestamp,
    bytes: u64,
}

impl Extent {
    /// When its first `bytes` were written, if it filled evenly.
    fn moment(&self, bytes: u128) -> Timestamp {
        let length = (i128::from(self.ends.0) - i128::from(self.begins.0)).max(0);
        let part = length.saturating_mul(bytes as i128) / i128::from(self.bytes.max(1));
        Timestamp(i64::try_from(i128::from(self.begins.0) + part).unwrap_or(i64::MAX))
    }
}

impl Stream {
    /// The packets up to the first that cannot be read, those without times left out.
    fn extents(&mut self) -> Vec<Extent> {
        let (mut start, mut clock, mut extents) = (0, 0, vec![]);
        self.window.skim(true);
        while let Ok(packet) = packet::read(&self.trace, &mut self.window, &self.slots, start, clock) {
            clock = packet.clock.unwrap_or(clock);
            if let Some(begins) = packet.begins {
                let ends = packet.ends.unwrap_or(begins).max(begins);
                extents.push(Extent { begins, ends, bytes: packet.end.saturating_sub(start) });
            }
            start = packet.end.max(start + 1);
        }
        self.window.skim(false);
        extents
    }

    /// Whether packets say when they begin without a look at the one before.
    fn has_absolute_times(&self) -> bool {
        self.trace.classes.iter().all(|class| {
            let context = class.packet_context.as_ref();
            context.is_some_and(|context| context.begin != NONE && context.begin_bits >= 64)
        })
    }
}
