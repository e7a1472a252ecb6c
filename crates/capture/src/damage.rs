//! Captures that are damaged on purpose: records are left out of one that has all, as if they had been dropped, and
//! what is deduced is held against them. Nothing in here is used by the program.

use std::rc::Rc;

use model::{Certainty, Lost};

use crate::contents::Capture;
use crate::decode::{Filled, NotDeduced};
use crate::fixture::Rng;
use crate::paths::{CODE, FOLLOWING, NO_STATE, PathEnd, Paths};
use crate::records::Encoding;
use crate::thread_words::{Part, ThreadWords};
use crate::{ChunkHead, ChunkWriter};

/// Words of a chunk that is written here.
const CHUNK: usize = 16_000;

/// A capture's steps without some of its records.
#[derive(Debug, Default)]
pub struct Damaged {
    /// The file.
    pub steps: Vec<u8>,
    /// By thread, in the order of the capture: the words of each gap.
    pub lost: Vec<Vec<Vec<u32>>>,
}

/// Leaves out `at_once` records, again and again, about `apart` records from each other.
pub fn without(capture: &Capture, at_once: usize, apart: usize, rng: &mut Rng) -> Damaged {
    let mut damaged = Damaged::default();
    let records_paths = capture.header.as_ref().is_some_and(|header| header.encoding == Encoding::Paths);
    for thread in &capture.threads {
        let (mut reading, mut words) = (ThreadWords::new(capture, thread), vec![]);
        while let Some(part) = reading.next() {
            if part == Part::Words {
                words.append(&mut reading.words);
            }
        }
        let (mut begin, mut at, mut lost_before, mut number) = (0, 0, 0, 0);
        let (mut left, mut gaps, mut writer) =
            (apart + rng.roll(apart as u32) as usize, vec![], ChunkWriter::new());
        let length = |at: usize| if records_paths { 1 + (words[at] >> FOLLOWING) as usize } else { 1 };
        let mut write = |words: &[u32], lost_before: u64, steps: &mut Vec<u8>| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let encoding = capture.header.as_ref().map_or(Encoding::Blocks, |header| header.encoding);
            let head = ChunkHead {
                thread: thread.serial,
                number,
                words: 0,
                encoding,
                last: false,
                lost_before,
                time_first: 0,
                time_last: 0,
            };
            number += 1;
            writer.put(steps, head, &bytes);
        };
        while at < words.len() {
            at += length(at);
            left -= 1;
            if at - begin >= CHUNK {
                write(&words[begin..at], std::mem::take(&mut lost_before), &mut damaged.steps);
                begin = at;
            }
            if left > 0 {
                continue;
            }
            let mut end = at;
            for _ in 0..at_once {
                end += words.get(end).map_or(0, |_| length(end));
            }
            left = apart / 2 + 1 + rng.roll(apart as u32) as usize;
            // Something must be read behind.
            if end + 40 < words.len() {
                if begin < at {
                    write(&words[begin..at], std::mem::take(&mut lost_before), &mut damaged.steps);
                }
                gaps.push(words[at..end].to_vec());
                lost_before = (end - at) as u64;
                (begin, at) = (end, end);
            }
        }
        if begin < words.len() {
            write(&words[begin..], lost_before, &mut damaged.steps);
        }
        damaged.lost.push(gaps);
    }
    damaged
}

/// How what was deduced compares with what was lost.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Gaps.
    pub gaps: u64,
    /// All of their words deduced as they were.
    pub right: u64,
    /// Reported as the only way, and how many of those wrongly.
    pub only_way: u64,
    /// See `only_way`.
    pub only_way_wrong: u64,
    /// Reported as likely, rightly and wrongly.
    pub likely: [u64; 2],
    /// The sum of the probabilities of those.
    pub stated: f64,
    /// Not deduced since nothing fitted, and for other reasons.
    pub not_deduced: [u64; 2],
}

impl Figures {
    /// Adds what was found of the gaps of a thread. `wrong` is given each that is the only way and wrong.
    pub fn add(
        &mut self,
        capture: &Capture,
        filled: &[Filled],
        lost: &[Vec<u32>],
        mut wrong: impl FnMut(usize, &Filled),
    ) {
        for (index, (filled, lost)) in filled.iter().zip(lost).enumerate() {
            assert_eq!(filled.lost, Lost::Events(lost.len() as u64), "gap {index}");
            self.gaps += 1;
            match &filled.found {
                Ok(deduced) => {
                    let is_right = meant(capture, &deduced.words) == meant(capture, lost);
                    self.right += u64::from(is_right);
                    match deduced.certainty {
                        Certainty::Likely { probability } => {
                            self.likely[usize::from(!is_right)] += 1;
                            self.stated += probability;
                        }
                        _ => {
                            self.only_way += 1;
                            self.only_way_wrong += u64::from(!is_right);
                            if !is_right {
                                wrong(index, filled);
                            }
                        }
                    }
                }
                Err(NotDeduced::NothingFits) => self.not_deduced[0] += 1,
                Err(_) => self.not_deduced[1] += 1,
            }
        }
    }
}

/// The words without what no reader uses: the position of the caller that an exception in a known frame records.
fn meant(capture: &Capture, words: &[u32]) -> Vec<u32> {
    let mut meant = words.to_vec();
    if capture.header.as_ref().is_none_or(|header| header.encoding != Encoding::Paths) {
        return meant;
    }
    let (mut paths, mut at) = (Paths::new(Rc::clone(&capture.methods)), 0);
    while let Some(&[first, came, caller]) = meant.get(at..at + 3) {
        let is_thrown = paths
            .find(first & CODE)
            .is_some_and(|path| matches!(path.end, PathEnd::Caught(_) | PathEnd::Unwound));
        if is_thrown
            && first >> FOLLOWING > 1
            && paths.find(came).is_some_and(|path| !path.fresh)
            && caller > 0
        {
            meant[at + 2] = NO_STATE;
        }
        at += 1 + (first >> FOLLOWING) as usize;
    }
    meant
}
