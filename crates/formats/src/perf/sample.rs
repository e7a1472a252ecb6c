//! Samples: which parts one has, as its event's attribute says, and the trailers of other records.
//!
//! ```text
//! sample    | identifier | ip | pid tid | time | addr | id | stream id | cpu - | period | read | callchain |
//!           | raw size u32 | raw data ... |  further parts, which are not looked at
//! trailer   | pid tid | time | id | stream id | cpu - | identifier |        ends with its record
//! ```
//!
//! Each part is there if its bit is set in `sample_type`; all but those of `read` and behind have eight
//! bytes. The numbers 2^32 - 1 for pid and tid mean a thread that is gone.

use super::bytes::Cursor;

const IP: u64 = 1 << 0;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const ADDR: u64 = 1 << 3;
const READ: u64 = 1 << 4;
const CALLCHAIN: u64 = 1 << 5;
const ID: u64 = 1 << 6;
const CPU: u64 = 1 << 7;
const PERIOD: u64 = 1 << 8;
const STREAM_ID: u64 = 1 << 9;
const RAW: u64 = 1 << 10;
const IDENTIFIER: u64 = 1 << 16;

/// How the samples of an event look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) sample_type: u64,
    pub(super) read_format: u64,
    /// Whether records that are no samples end with a trailer.
    pub(super) has_trailers: bool,
}

/// One sample, taken apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sample<'a> {
    pub(super) ip: Option<u64>,
    pub(super) pid: Option<i32>,
    pub(super) tid: Option<i32>,
    pub(super) time: Option<u64>,
    pub(super) addr: Option<u64>,
    pub(super) cpu: Option<u32>,
    pub(super) period: Option<u64>,
    /// What the tracepoint wrote.
    pub(super) raw: Option<&'a [u8]>,
}

/// What the end of another record says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Trailer {
    pub(super) time: Option<u64>,
    pub(super) id: Option<u64>,
    pub(super) cpu: Option<u32>,
}

impl Shape {
    fn has(&self, part: u64) -> bool {
        self.sample_type & part != 0
    }

    fn count(&self, parts: u64) -> usize {
        (self.sample_type & parts).count_ones() as usize
    }

    /// Where the id stands in a sample, in bytes from its start.
    pub(super) fn id_in_sample(&self) -> Option<usize> {
        match (self.has(IDENTIFIER), self.has(ID)) {
            (true, _) => Some(0),
            (_, true) => Some(8 * self.count(IP | TID | TIME | ADDR)),
            _ => None,
        }
    }

    /// Where the id stands in a trailer, in bytes from its end.
    pub(super) fn id_in_trailer(&self) -> Option<usize> {
        match (self.has(IDENTIFIER), self.has(ID)) {
            _ if !self.has_trailers => None,
            (true, _) => Some(8),
            (_, true) => Some(8 + 8 * self.count(STREAM_ID | CPU)),
            _ => None,
        }
    }

    /// Takes `body` apart; `None` if a part does not fit into it.
    #[inline]
    pub(super) fn sample<'a>(&self, body: &'a [u8]) -> Option<Sample<'a>> {
        let mut cursor = Cursor::new(body);
        let mut sample = Sample::default();
        if self.has(IDENTIFIER) {
            cursor.u64()?;
        }
        if self.has(IP) {
            sample.ip = Some(cursor.u64()?);
        }
        if self.has(TID) {
            sample.pid = Some(cursor.u32()? as i32);
            sample.tid = Some(cursor.u32()? as i32);
        }
        if self.has(TIME) {
            sample.time = Some(cursor.u64()?);
        }
        if self.has(ADDR) {
            sample.addr = Some(cursor.u64()?);
        }
        cursor.take(8 * self.count(ID | STREAM_ID))?;
        if self.has(CPU) {
            sample.cpu = Some(cursor.u32()?);
            cursor.u32()?;
        }
        if self.has(PERIOD) {
            sample.period = Some(cursor.u64()?);
        }
        if self.has(READ) {
            self.skip_read(&mut cursor)?;
        }
        if self.has(CALLCHAIN) {
            let count = usize::try_from(cursor.u64()?).ok()?;
            cursor.take(count.checked_mul(8)?)?;
        }
        if self.has(RAW) {
            let size = cursor.u32()?;
            sample.raw = Some(cursor.take(usize::try_from(size).ok()?)?);
        }
        Some(sample)
    }

    /// The counters that a sample may carry.
    fn skip_read(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        const ENABLED_AND_RUNNING: u64 = 1 | 2;
        const ID_AND_LOST: u64 = 4 | 16;
        const GROUP: u64 = 8;
        let times = 8 * (self.read_format & ENABLED_AND_RUNNING).count_ones() as usize;
        let extra = 8 * (self.read_format & ID_AND_LOST).count_ones() as usize;
        if self.read_format & GROUP == 0 {
            cursor.take(8 + times + extra)?;
            return Some(());
        }
        let count = usize::try_from(cursor.u64()?).ok()?;
        cursor.take(count.checked_mul(8 + extra)?.checked_add(times)?)?;
        Some(())
    }

    /// The trailer at the end of `body`, if there are trailers and it fits.
    pub(super) fn trailer(&self, body: &[u8]) -> Trailer {
        self.try_trailer(body).unwrap_or_default()
    }

    fn try_trailer(&self, body: &[u8]) -> Option<Trailer> {
        if !self.has_trailers {
            return None;
        }
        let size = 8 * self.count(TID | TIME | ID | STREAM_ID | CPU | IDENTIFIER);
        let mut cursor = Cursor::new(body.get(body.len().checked_sub(size)?..)?);
        let mut trailer = Trailer::default();
        if self.has(TID) {
            cursor.u64()?;
        }
        if self.has(TIME) {
            trailer.time = Some(cursor.u64()?);
        }
        if self.has(ID) {
            trailer.id = Some(cursor.u64()?);
        }
        if self.has(STREAM_ID) {
            cursor.u64()?;
        }
        if self.has(CPU) {
            trailer.cpu = Some(cursor.u32()?);
            cursor.u32()?;
        }
        if self.has(IDENTIFIER) {
            trailer.id = Some(cursor.u64()?);
        }
        Some(trailer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn each_part_is_found_behind_those_before_it() {
        let all =
            IP | TID | TIME | ADDR | READ | CALLCHAIN | ID | CPU | PERIOD | STREAM_ID | RAW | IDENTIFIER;
        let shape = Shape { sample_type: all, read_format: 1 | 4 | 8, has_trailers: true };
        let mut body = words(&[77, 0x10, 5 << 32 | 4, 1_000, 0x20, 77, 1, 3, 9]);
        body.extend(words(&[2, 0, 11, 77, 12, 78])); // a group of two counters
        body.extend(words(&[1, 0xffff])); // a chain of one call
        body.extend([3, 0, 0, 0, b'r', b'a', b'w', 0xee]);
        let expected = Sample {
            ip: Some(0x10),
            pid: Some(4),
            tid: Some(5),
            time: Some(1_000),
            addr: Some(0x20),
            cpu: Some(3),
            period: Some(9),
            raw: Some(b"raw"),
        };
        assert_eq!(shape.sample(&body), Some(expected));
        for len in 0..body.len() - 1 {
            assert_eq!(shape.sample(&body[..len]), None, "cut to {len} bytes");
        }
        assert_eq!(shape.id_in_sample(), Some(0));
        let old = Shape { sample_type: IP | TIME | ID | CPU, read_format: 0, has_trailers: true };
        assert_eq!((old.id_in_sample(), old.id_in_trailer()), (Some(16), Some(16)));
    }

    #[test]
    fn a_trailer_is_read_from_the_end() {
        let shape = Shape { sample_type: TID | TIME | ID | CPU, read_format: 0, has_trailers: true };
        let body = words(&[1, 2, 3, 4, 1_000, 77, 3]);
        assert_eq!(shape.trailer(&body), Trailer { time: Some(1_000), id: Some(77), cpu: Some(3) });
        assert_eq!(shape.trailer(&body[..24]), Trailer::default());
        assert_eq!(Shape { has_trailers: false, ..shape }.trailer(&body), Trailer::default());
    }
}
