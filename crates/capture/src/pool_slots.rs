//! Reading the pool: the chunks that were being filled when recording ended, and where they begin.

use crate::limits;
use source::Source;
use source::bytes::{u32_at, u64_at};

use super::contents::{ChunkAt, ChunkLocation};
use super::pool::{self, FREE, HEAD, SIZES, SLOT_HEAD, SLOT_MAGIC, SLOT_UNIT, slot};
use super::{ChunkHead, Encoding, VERSION};

/// How much is read at once while the end of a slot is looked for.
const WINDOW: usize = 64 << 10;

/// The head of a pool; `None` if it is none.
pub(super) fn head(source: &dyn Source) -> Option<[u8; HEAD]> {
    let mut head = [0; HEAD];
    let length = source.read_at(0, &mut head).ok()?;
    (length == HEAD && head[..8] == pool::MAGIC && u32_at(&head, 8) == VERSION).then_some(head)
}

/// Where the bytes of a tail begin, by its number; behind the last one the slots do.
pub(super) fn tail_at(head: &[u8; HEAD], which: usize) -> u64 {
    let capacity = |at: &usize| u64::from(u32_at(head, at + pool::tail::BYTES));
    HEAD as u64 + pool::tail::AT[..which].iter().map(capacity).sum::<u64>()
}

/// The slots that hold words; `None` if the head of the pool is none.
pub(super) fn read(source: &dyn Source, encoding: Encoding) -> Option<Vec<ChunkAt>> {
    let head = head(source)?;
    let (mut slots, mut at) = (vec![], tail_at(&head, pool::tail::AT.len()));
    for size in 0..(u32_at(&head, 12) as usize).min(SIZES) {
        let (bytes, count) = (u32_at(&head, 16 + size * 8) as usize, u32_at(&head, 20 + size * 8));
        if !(SLOT_UNIT..=limits::CHUNK).contains(&bytes) {
            return None;
        }
        for _ in 0..count {
            if at >= source.size() || slots.len() >= limits::CHUNKS {
                return Some(slots);
            }
            slots.extend(read_slot(source, at, bytes, encoding));
            at += bytes as u64;
        }
    }
    Some(slots)
}

fn read_slot(source: &dyn Source, at: u64, bytes: usize, encoding: Encoding) -> Option<ChunkAt> {
    let mut head = [0; SLOT_HEAD];
    source.read_at(at, &mut head).ok().filter(|count| *count == SLOT_HEAD)?;
    if u32_at(&head, slot::MAGIC) != SLOT_MAGIC || u32_at(&head, slot::STATE) == FREE {
        return None;
    }
    let words = count_words(source, at + SLOT_HEAD as u64, bytes - SLOT_HEAD);
    let lost_before = u64_at(&head, slot::LOST_BEFORE);
    if words == 0 && lost_before == 0 {
        return None;
    }
    let head = ChunkHead {
        thread: u32_at(&head, slot::THREAD),
        number: u32_at(&head, slot::NUMBER),
        words,
        encoding,
        last: false,
        lost_before,
        time_first: u64_at(&head, slot::TIME_FIRST) as i64,
        time_last: 0,
    };
    Some(ChunkAt { head, location: ChunkLocation::Slot(at + SLOT_HEAD as u64) })
}

/// Words up to the first zero word.
fn count_words(source: &dyn Source, at: u64, bytes: usize) -> u32 {
    let mut window = [0; WINDOW];
    let mut words = 0;
    while words * 4 < bytes {
        let wanted = WINDOW.min(bytes - words * 4);
        let Ok(count) = source.read_at(at + words as u64 * 4, &mut window[..wanted]) else { break };
        let written = super::chunk::written(&window[..count]).len() / 4;
        words += written;
        if written * 4 < wanted {
            break;
        }
    }
    words as u32
}
