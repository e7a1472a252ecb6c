//! The words of one thread in their order, with what is missing between them.

use std::rc::Rc;

use model::Lost;

use crate::limits;

use super::chunk;
use super::contents::{Capture, ChunkAt, ChunkLocation, Sources, Thread};
use super::walk;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The words of one chunk lie in [`ThreadWords::words`].
    Words,
    /// Something is missing here.
    Gap(Lost),
    /// The clock showed this here, ns since 1970.
    Moment(i64),
}

/// Reads one thread's chunks, one after the other.
#[derive(Clone)]
pub(super) struct ThreadWords {
    sources: Rc<Sources>,
    thread: Rc<Thread>,
    /// The chunk that is next.
    at: usize,
    /// What is still to be handed out of it, or of the end.
    stage: Stage,
    /// The number that the next chunk should have.
    expected: u32,
    losses: usize,
    /// The words of the chunk that was handed out last.
    pub(super) words: Vec<u32>,
    /// Words that lay in chunks which could not be read.
    pub(super) damaged: u64,
    raw: Vec<u8>,
    packed: Vec<u8>,
    whole: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    Missing,
    Lost,
    First,
    Words,
    Last,
}

impl ThreadWords {
    pub(super) fn new(capture: &Capture, thread: &Thread) -> ThreadWords {
        ThreadWords {
            sources: Rc::clone(&capture.sources),
            thread: Rc::new(thread.clone()),
            at: 0,
            stage: Stage::Missing,
            expected: 0,
            losses: 0,
            words: vec![],
            damaged: 0,
            raw: vec![],
            packed: vec![],
            whole: vec![],
        }
    }

    /// Goes to the chunk that has the word with this number, or to the last one; how many words it left out.
    pub(super) fn skip_to(&mut self, word: u64) -> u64 {
        let (mut left_out, mut number) = (0, 0);
        for (at, chunk) in self.thread.chunks.iter().enumerate().skip(1) {
            let before = left_out + u64::from(self.thread.chunks[at - 1].head.words);
            if before > word {
                break;
            }
            (left_out, number, self.at) = (before, chunk.head.number, at);
        }
        if self.at > 0 {
            self.expected = number;
            while self.loss_before(number).is_some() {}
        }
        left_out
    }

    /// The next piece; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Part> {
        loop {
            let Some(chunk) = self.thread.chunks.get(self.at).copied() else { return self.rest() };
            let head = chunk.head;
            match self.stage {
                Stage::Missing => {
                    self.stage = Stage::Lost;
                    if head.number != self.expected {
                        return Some(Part::Gap(Lost::Unknown));
                    }
                }
                Stage::Lost => {
                    if let Some(words) = self.loss_before(head.number) {
                        return Some(Part::Gap(Lost::Events(words)));
                    }
                    self.stage = Stage::First;
                    if head.lost_before > 0 {
                        return Some(Part::Gap(Lost::Events(head.lost_before)));
                    }
                }
                Stage::First => {
                    self.stage = Stage::Words;
                    if head.time_first != 0 {
                        return Some(Part::Moment(head.time_first));
                    }
                }
                Stage::Words => {
                    self.stage = Stage::Last;
                    if self.read(&chunk) {
                        return Some(Part::Words);
                    }
                    self.damaged += u64::from(head.words);
                    return Some(Part::Gap(Lost::Events(u64::from(head.words))));
                }
                Stage::Last => {
                    self.stage = Stage::Missing;
                    self.expected = head.number.wrapping_add(1);
                    self.at += 1;
                    if head.time_last != 0 {
                        return Some(Part::Moment(head.time_last));
                    }
                }
            }
        }
    }

    /// Whether chunks are missing or cannot be read, whose words are counted.
    pub(super) fn has_damage(&self) -> bool {
        self.thread.chunks.iter().any(|chunk| matches!(chunk.location, ChunkLocation::Missing))
    }

    /// The number of the chunk that [`ThreadWords::words`] are of, while there are some.
    pub(super) fn chunk(&self) -> u32 {
        self.thread.chunks.get(self.at).map_or(u32::MAX, |chunk| chunk.head.number)
    }

    /// The next loss that is recorded before this chunk.
    fn loss_before(&mut self, number: u32) -> Option<u64> {
        let loss = self.thread.losses.get(self.losses).filter(|loss| loss.before_chunk <= number)?;
        self.losses += 1;
        Some(loss.words)
    }

    fn rest(&mut self) -> Option<Part> {
        self.loss_before(u32::MAX).map(|words| Part::Gap(Lost::Events(words)))
    }

    /// Reads the words of a chunk; whether they are what was written.
    fn read(&mut self, at: &ChunkAt) -> bool {
        self.words.clear();
        let length = at.head.words as usize * 4;
        let sources = &self.sources;
        let right = match at.location {
            ChunkLocation::Missing => false,
            ChunkLocation::Slot(slot) => {
                self.whole.resize(length.min(limits::CHUNK), 0);
                let read = sources.open.as_deref().map(|open| open.read_at(slot, &mut self.whole));
                matches!(read, Some(Ok(count)) if count == length)
            }
            ChunkLocation::Steps(found) => sources.steps.as_deref().is_some_and(|steps| {
                let (body, frame) = (found.body_at(), &found.frame);
                walk::body(steps, body, frame, limits::CHUNK, &mut self.raw, &mut self.packed)
                    && chunk::unpack(&self.packed, frame.flags, at.head.words, &mut self.whole)
            }),
        };
        if right {
            self.words.extend(self.whole.chunks_exact(4).map(|word| source::bytes::u32_at(word, 0)));
        }
        right
    }
}
