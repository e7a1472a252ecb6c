//! Rounds: records put in the order of time although perf copies buffer after buffer.
//!
//! ```text
//! round 1   cpu 0: 10 12 15   cpu 1: 11 14        newest 15
//! round 2   cpu 0: 16 21      cpu 1: 13 20        at its end all up to 15 can go: 10 11 12 13 14 15
//! ```
//!
//! What was written before the newest record of a round was read must have been read when the next
//! round ends. So two rounds wait at most, and no more than [`limits::PERF_WAITING`] whatever the file
//! says; beyond that the older half goes, and records that come too late then are reported.

use super::bytes::Cursor;
use super::record::Record;
use crate::limits;

/// A record that waits, or goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) time: i64,
    pub(super) stream: u32,
    /// The first of the gaps behind it, plus one.
    pub(super) gap: u32,
    /// Where its bytes were kept, counted over the whole file, so also its place in the file.
    at: u64,
}

/// Puts records in order.
#[derive(Debug)]
pub(super) struct Rounds {
    waiting: Vec<Waiting>,
    /// In order; those before `next` went.
    ready: Vec<Waiting>,
    next: usize,
    bytes: Vec<u8>,
    /// What was dropped from the front of `bytes`.
    dropped: u64,
    /// The newest time of the round before, and of this one.
    before: i64,
    newest: i64,
    gone: i64,
}

impl Default for Rounds {
    fn default() -> Self {
        let (before, newest, gone) = (i64::MIN, i64::MIN, i64::MIN);
        let (waiting, ready, bytes) = (vec![], vec![], vec![]);
        Rounds { waiting, ready, next: 0, bytes, dropped: 0, before, newest, gone }
    }
}

impl Rounds {
    /// Keeps a record. `true` if no more should come before some went.
    pub(super) fn push(&mut self, time: i64, stream: u32, gap: u32, record: &Record<'_>) -> bool {
        let at = self.dropped + self.bytes.len() as u64;
        self.bytes.extend_from_slice(&record.offset.to_le_bytes());
        self.bytes.extend_from_slice(&record.kind.to_le_bytes());
        self.bytes.extend_from_slice(&(record.body.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(record.body);
        self.waiting.push(Waiting { time, stream, gap, at });
        self.newest = self.newest.max(time);
        let is_full =
            self.waiting.len() >= limits::PERF_WAITING || self.bytes.len() >= limits::PERF_WAITING_BYTES;
        if is_full {
            self.release_half();
        }
        is_full
    }

    /// A FINISHED_ROUND record was met. `true` if something can go.
    pub(super) fn end_of_round(&mut self) -> bool {
        self.release(self.before);
        self.before = self.newest;
        !self.ready.is_empty()
    }

    /// No more will come.
    pub(super) fn end(&mut self) {
        self.release(i64::MAX);
    }

    fn release_half(&mut self) {
        let middle = self.waiting.len() / 2;
        let (_, middle, _) = self.waiting.select_nth_unstable_by_key(middle, |waiting| waiting.time);
        let middle = middle.time;
        self.release(middle);
    }

    /// Lets go all up to `time`. What went before must be taken.
    fn release(&mut self, time: i64) {
        self.waiting.sort_unstable_by_key(|waiting| (waiting.time, waiting.stream, waiting.at));
        let count = self.waiting.partition_point(|waiting| waiting.time <= time);
        self.ready.clear();
        self.next = 0;
        if count == self.waiting.len() {
            // No second copy of all that waits.
            std::mem::swap(&mut self.ready, &mut self.waiting);
        } else {
            self.ready.extend(self.waiting.drain(..count));
        }
    }

    /// The next record that goes, and whether it is older than one that went.
    pub(super) fn pop(&mut self) -> Option<(Waiting, bool)> {
        let Some(waiting) = self.ready.get(self.next) else {
            self.forget();
            return None;
        };
        self.next += 1;
        let is_late = waiting.time < self.gone;
        self.gone = self.gone.max(waiting.time);
        Some((*waiting, is_late))
    }

    /// Drops the bytes before the first record that waits.
    fn forget(&mut self) {
        let first = self.waiting.iter().map(|waiting| waiting.at).min();
        let count = first.map_or(self.bytes.len(), |at| at.saturating_sub(self.dropped) as usize);
        self.bytes.drain(..count.min(self.bytes.len()));
        self.dropped += count as u64;
    }

    /// A record that went last.
    pub(super) fn record(&self, waiting: &Waiting) -> Option<Record<'_>> {
        let at = usize::try_from(waiting.at.checked_sub(self.dropped)?).ok()?;
        let mut cursor = Cursor::new(self.bytes.get(at..)?);
        let (offset, kind) = (cursor.u64()?, cursor.u32()?);
        let size = usize::try_from(cursor.u32()?).ok()?;
        Some(Record { offset, order: 0, kind, misc: 0, body: cursor.take(size)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(rounds: &mut Rounds) -> Vec<i64> {
        let mut times = vec![];
        while let Some((waiting, is_late)) = rounds.pop() {
            assert!(!is_late);
            let record = rounds.record(&waiting).unwrap();
            assert_eq!((record.kind, record.body), (9, &waiting.time.to_le_bytes()[..]));
            times.push(waiting.time);
        }
        times
    }

    #[test]
    fn the_drawn_example() {
        let mut rounds = Rounds::default();
        let push = |rounds: &mut Rounds, stream, times: &[i64]| {
            for time in times {
                let record = Record { offset: 0, order: 0, kind: 9, misc: 0, body: &time.to_le_bytes() };
                assert!(!rounds.push(*time, stream, 0, &record));
            }
        };
        push(&mut rounds, 0, &[10, 12, 15]);
        push(&mut rounds, 1, &[11, 14]);
        assert!(!rounds.end_of_round());
        assert_eq!(taken(&mut rounds), [0i64; 0]);
        push(&mut rounds, 0, &[16, 21]);
        push(&mut rounds, 1, &[13, 20]);
        assert!(rounds.end_of_round());
        assert_eq!(taken(&mut rounds), [10, 11, 12, 13, 14, 15]);
        rounds.end();
        assert_eq!(taken(&mut rounds), [16, 20, 21]);
    }

    #[test]
    fn without_rounds_memory_stays_bounded_and_what_is_late_is_told() {
        let mut rounds = Rounds::default();
        let mut count = 0;
        let mut late = 0;
        let all = limits::PERF_WAITING as i64 * 3;
        for number in 0..all {
            // Every millionth record is far too late.
            let time = if number % 1_000_000 == 999_999 { 0 } else { number };
            if rounds.push(time, 0, 0, &Record { offset: 0, order: 0, kind: 9, misc: 0, body: &[] }) {
                while let Some((_, is_late)) = rounds.pop() {
                    count += 1;
                    late += u64::from(is_late);
                }
            }
            assert!(rounds.waiting.len() <= limits::PERF_WAITING);
        }
        rounds.end();
        while let Some((_, is_late)) = rounds.pop() {
            count += 1;
            late += u64::from(is_late);
        }
        assert_eq!((count, late), (all, 4));
    }
}
