//! Ticks: when the recorder's clock looked at the threads, and how far those had come that had moved.
//!
//! ```text
//! ticks   time signed (µs since 1970), then ticks up to the end of the body:
//!         µs since the look before this one   µs from the tick before this one to that look   µs the look took
//!         count of threads that moved, each:
//!           serial, signed difference to the last one in this body
//!           words * 4 + flags; without 1 since its last tick in this body, in the same chunk
//!             1  words in another chunk, whose number follows, since its last tick in this body
//!             2  the reading before this one could not see how far it was
//!           0, or 1 + µs of processor time since its last tick in this body
//! ```
//!
//! A thread that does not stand in a tick had written nothing since its last one. Readings at which no thread had moved
//! are no ticks: only the last of them is stored, with the tick that follows. The first values of a thread in a body count
//! from 0, so each can be read alone. Times are rounded so that no bound becomes narrower than it was measured.

use std::collections::HashMap;

use crate::frame::{self, kind};
use source::bytes::{Cursor, put_number, put_signed};

/// Nanoseconds of the unit of time.
const MICROSECOND: i64 = 1_000;

/// Flags of a thread in a tick.
const OTHER_CHUNK: u64 = 1;
const MISSED: u64 = 2;

/// One reading of the clock at which threads had moved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tick {
    /// When the reading began, ns since 1970, on a clock that never is set.
    pub time: i64,
    /// When the reading before it began: up to then no thread had moved since the tick before.
    pub before: i64,
    /// When the reading ended.
    pub until: i64,
    /// The threads that had moved.
    pub threads: Vec<ThreadTick>,
}

/// How far a thread had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadTick {
    /// Its serial number.
    pub serial: u32,
    /// The number of its chunk, and words in it.
    pub position: (u32, u32),
    /// Whether the reading before could not see how far it was: it may have moved by then.
    pub was_missed: bool,
    /// The processor time that it had used, in ns; `None` if that is not known.
    pub used: Option<u64>,
}

/// Writes ticks one after the other.
#[derive(Debug, Default)]
pub struct TickWriter {
    body: Vec<u8>,
    /// The time of the last tick, µs.
    last: i64,
    serial: u32,
    threads: HashMap<u32, Written>,
}

/// What was last written of a thread.
#[derive(Debug, Clone, Copy, Default)]
struct Written {
    chunk: u32,
    words: u32,
    /// µs.
    used: u64,
}

impl TickWriter {
    /// Bytes that wait to be written.
    pub fn length(&self) -> usize {
        self.body.len()
    }

    /// One more tick, not earlier than the last.
    pub fn add(&mut self, tick: &Tick) {
        let time = tick.time.div_euclid(MICROSECOND);
        let before = tick.before.div_euclid(MICROSECOND).min(time);
        let until = -((-tick.until).div_euclid(MICROSECOND));
        if self.body.is_empty() {
            put_signed(&mut self.body, time);
            self.last = time;
        }
        let length = |from: i64, to: i64| to.saturating_sub(from).max(0).cast_unsigned();
        put_number(&mut self.body, length(before, time));
        put_number(&mut self.body, length(self.last, before));
        put_number(&mut self.body, length(time, until));
        put_number(&mut self.body, tick.threads.len() as u64);
        self.last = time;
        for thread in &tick.threads {
            put_signed(&mut self.body, i64::from(thread.serial) - i64::from(self.serial));
            self.serial = thread.serial;
            let written = self.threads.entry(thread.serial).or_default();
            let (chunk, words) = thread.position;
            let missed = if thread.was_missed { MISSED } else { 0 };
            if chunk == written.chunk && words >= written.words {
                put_number(&mut self.body, u64::from(words - written.words) * 4 + missed);
            } else {
                put_number(&mut self.body, u64::from(words) * 4 + OTHER_CHUNK + missed);
                put_number(&mut self.body, u64::from(chunk.saturating_sub(written.chunk)));
            }
            (written.chunk, written.words) = (chunk.max(written.chunk), words);
            let used = thread.used.map(|used| used / MICROSECOND.cast_unsigned());
            put_number(&mut self.body, used.map_or(0, |used| 1 + used.saturating_sub(written.used)));
            written.used = used.unwrap_or(written.used).max(written.used);
        }
    }

    /// Appends the frame with all that was added, and begins anew; nothing if nothing was.
    pub fn put(&mut self, out: &mut Vec<u8>) {
        if !self.body.is_empty() {
            frame::put_small(out, kind::TICKS, &[], &self.body);
        }
        self.body.clear();
        self.threads.clear();
        (self.last, self.serial) = (0, 0);
    }
}

/// Reads a body: each tick is given to `take` as soon as it is read. `None` where it makes no sense.
pub fn read_ticks(body: &[u8], mut take: impl FnMut(&Tick)) -> Option<()> {
    let mut cursor = Cursor::new(body);
    let mut last = cursor.signed()?;
    let (mut serial, mut threads) = (0u32, HashMap::<u32, Written>::new());
    let mut tick = Tick::default();
    let mut is_first = true;
    while cursor.left() > 0 {
        let since = |from: i64, length: u64| from.checked_add(i64::try_from(length).ok()?);
        let (sampled, idle, took) = (cursor.number()?, cursor.number()?, cursor.number()?);
        let time = if is_first { last } else { since(last, sampled).and_then(|time| since(time, idle))? };
        let before = time.checked_sub(i64::try_from(sampled).ok()?)?;
        tick.time = time.checked_mul(MICROSECOND)?;
        tick.before = before.checked_mul(MICROSECOND)?;
        tick.until = since(time, took)?.checked_mul(MICROSECOND)?;
        (last, is_first) = (time, false);
        tick.threads.clear();
        for _ in 0..cursor.count()? {
            serial = u32::try_from(i64::from(serial).checked_add(cursor.signed()?)?).ok()?;
            let written = threads.entry(serial).or_default();
            let words = cursor.number()?;
            let (was_missed, count) = (words & MISSED != 0, u32::try_from(words >> 2).ok()?);
            if words & OTHER_CHUNK == 0 {
                written.words = written.words.checked_add(count)?;
            } else {
                written.words = count;
                written.chunk = written.chunk.checked_add(cursor.number32()?)?;
            }
            let used = match cursor.number()? {
                0 => None,
                more => {
                    written.used = written.used.checked_add(more - 1)?;
                    Some(written.used.checked_mul(MICROSECOND.cast_unsigned())?)
                }
            };
            let position = (written.chunk, written.words);
            tick.threads.push(ThreadTick { serial, position, was_missed, used });
        }
        take(&tick);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;

    fn tick(time: i64, before: i64, until: i64, threads: &[(u32, (u32, u32), Option<u64>)]) -> Tick {
        let of = |&(serial, position, used): &(u32, (u32, u32), Option<u64>)| {
            let was_missed = position.1 % 2 == 1;
            ThreadTick { serial, position, was_missed, used }
        };
        let threads = threads.iter().map(of);
        Tick { time, before, until, threads: threads.collect() }
    }

    #[test]
    fn ticks_come_back() {
        let begin = 1_700_000_000_000_000_000;
        let at = |us: i64| begin + us * 1_000;
        let ticks = [
            tick(at(0), at(-900), at(3), &[(4, (0, 17), Some(2_000_000)), (2, (7, 90), None)]),
            tick(at(1_050), at(0), at(1_052), &[(2, (7, 91), None)]),
            // Nothing had moved for a while.
            tick(at(9_000), at(7_950), at(9_001), &[(2, (9, 3), None), (4, (0, 18), Some(2_011_000))]),
            tick(at(9_500), at(9_000), at(9_500), &[(4, (1, 0), None)]),
            tick(at(9_900), at(9_500), at(9_900), &[(4, (1, 1), Some(3_000_000))]),
        ];
        let (mut writer, mut out) = (TickWriter::default(), vec![]);
        writer.put(&mut out);
        assert_eq!(out, [0u8; 0], "nothing was added");
        for _ in 0..2 {
            out.clear();
            ticks.iter().for_each(|tick| writer.add(tick));
            writer.put(&mut out);
            let frame = Frame::read(&out).unwrap();
            assert_eq!(frame.kind, kind::TICKS);
            let mut back = vec![];
            let body = &out[frame.before_body..];
            read_ticks(body, |tick| back.push(tick.clone())).unwrap();
            assert_eq!(back, ticks);
            // Whatever is cut off, nothing panics, and what was whole before is given.
            (0..body.len()).for_each(|cut| {
                let mut count = 0;
                read_ticks(&body[..cut], |_| count += 1);
                assert!(count < ticks.len());
            });
        }
    }

    #[test]
    fn bounds_become_no_narrower() {
        let mut writer = TickWriter::default();
        writer.add(&tick(1_999, 1_001, 2_001, &[(1, (0, 1), Some(999))]));
        let mut out = vec![];
        writer.put(&mut out);
        let mut back = vec![];
        read_ticks(&out[16..], |tick| back.push(tick.clone())).unwrap();
        assert_eq!(back, [tick(1_000, 1_000, 3_000, &[(1, (0, 1), Some(0))])]);
    }

    #[test]
    fn nonsense_is_refused() {
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        for bad in [
            vec![],
            [&[0, 0, 0, 0, 200][..]].concat(),
            [&[0][..], &huge, &[0, 0, 0]].concat(),
            [&huge[..], &[0, 0, 0, 0]].concat(),
            vec![0, 0, 0, 0, 1, 1, 0, 0],
        ] {
            assert_eq!(read_ticks(&bad, |_| ()), None, "{bad:?}");
        }
    }
}
