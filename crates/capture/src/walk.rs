//! Walks the frames of a file from head to head, and finds the next one after damage.

use crate::frame::{self, CLASS_HEAD, Frame, START};
use source::Source;

/// Bytes that hold any frame's head.
const MOST_HEAD: usize = START + super::chunk::HEAD + frame::CRC;

/// How much is read at once while the next frame is looked for.
const WINDOW: usize = 256 << 10;

/// What the walk comes across.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A frame whose head is right; its body lies wholly in the file.
    Frame(Found),
    /// Bytes that are no frame, up to the next one or the end of the file.
    Damage {
        /// Where they begin.
        offset: u64,
        /// How many.
        bytes: u64,
    },
    /// The last frame is longer than the file.
    Cut {
        /// What there is of it.
        found: Found,
        /// How many of its bytes are missing.
        missing: u64,
    },
}

/// A frame at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it begins.
    pub(super) offset: u64,
    /// Its first fields.
    pub(super) frame: Frame,
    /// The head of its kind.
    pub(super) head: [u8; super::chunk::HEAD],
}

impl Found {
    /// The head of a class or of a class file.
    pub(super) fn class_head(&self) -> Option<&[u8; CLASS_HEAD]> {
        self.head.first_chunk()
    }

    /// Where its body begins.
    pub(super) fn body_at(&self) -> u64 {
        self.offset + self.frame.before_body as u64
    }
}

/// Walks one source.
pub(super) struct Walk<'a> {
    source: &'a dyn Source,
    offset: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(source: &'a dyn Source) -> Walk<'a> {
        Walk { source, offset: 0 }
    }

    /// The next thing in the file; `None` at its end. A read that fails ends the walk like a cut.
    pub(super) fn next(&mut self) -> Option<Step> {
        let left = self.source.size().saturating_sub(self.offset);
        if left == 0 {
            return None;
        }
        let Some(found) = self.frame_at(self.offset) else { return Some(self.skip()) };
        let length = found.frame.before_body as u64 + u64::from(found.frame.body);
        if length > left {
            self.offset = self.source.size();
            return Some(Step::Cut { found, missing: length - left });
        }
        self.offset += length;
        Some(Step::Frame(found))
    }

    fn frame_at(&self, offset: u64) -> Option<Found> {
        let mut bytes = [0; MOST_HEAD];
        let count = self.source.read_at(offset, &mut bytes).ok()?;
        found_in(&bytes[..count], offset)
    }

    /// Moves to the next frame behind bytes that are none.
    fn skip(&mut self) -> Step {
        let start = self.offset;
        let mut window = vec![0; WINDOW];
        let mut at = start + 1;
        loop {
            at = self.source.next_data(at).max(at);
            let Ok(count) = self.source.read_at(at, &mut window) else { break };
            for index in memchr::memmem::find_iter(&window[..count], &frame::MAGIC) {
                let inside = found_in(&window[index..count], at + index as u64);
                if inside.or_else(|| self.frame_at(at + index as u64)).is_some() {
                    self.offset = at + index as u64;
                    return Step::Damage { offset: start, bytes: self.offset - start };
                }
            }
            if count < WINDOW {
                break;
            }
            // A magic may lie across the border of two windows.
            at += count as u64 - 1;
        }
        self.offset = self.source.size();
        Step::Damage { offset: start, bytes: self.offset - start }
    }
}

fn found_in(bytes: &[u8], offset: u64) -> Option<Found> {
    let frame = Frame::read(bytes)?;
    let mut head = [0; super::chunk::HEAD];
    let length = frame::head_bytes(frame.kind);
    head[..length].copy_from_slice(bytes.get(START..START + length)?);
    Some(Found { offset, frame, head })
}

/// Reads the body of a frame into `raw` and expands it into `whole`; whether it is what was written.
pub(super) fn body(
    source: &dyn Source,
    at: u64,
    frame: &Frame,
    most: usize,
    raw: &mut Vec<u8>,
    whole: &mut Vec<u8>,
) -> bool {
    let length = frame.body as usize;
    if length > most || at.saturating_add(u64::from(frame.body)) > source.size() {
        return false;
    }
    raw.resize(length, 0);
    source.read_at(at, raw).ok() == Some(length)
        && crc32fast::hash(raw) == frame.crc
        && frame::expand_into(raw, frame.flags, most, whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::kind;

    fn walk(bytes: &[u8]) -> Vec<String> {
        let mut walk = Walk::new(&bytes);
        let mut lines = vec![];
        while let Some(step) = walk.next() {
            lines.push(match step {
                Step::Frame(found) => format!("{}: kind {}", found.offset, found.frame.kind),
                Step::Damage { offset, bytes } => format!("{offset}: {bytes} damaged"),
                Step::Cut { found, missing } => format!("{}: {missing} missing", found.offset),
            });
        }
        lines
    }

    #[test]
    fn damage_costs_the_frame_that_it_hits() {
        let mut file = vec![];
        (0..3).for_each(|at| frame::put(&mut file, kind::MARK + at, 0, &[], b"TWTW some TW body"));
        assert_eq!(walk(&file), ["0: kind 5", "33: kind 6", "66: kind 7"]);
        file[35] ^= 1;
        assert_eq!(walk(&file), ["0: kind 5", "33: 33 damaged", "66: kind 7"]);
        file.truncate(90);
        assert_eq!(walk(&file), ["0: kind 5", "33: 33 damaged", "66: 9 missing"]);
        file.truncate(70);
        assert_eq!(walk(&file), ["0: kind 5", "33: 37 damaged"]);
        assert_eq!(walk(&[0; 3]), ["0: 3 damaged"]);
        assert_eq!(walk(&[]), [""; 0]);
    }

    #[test]
    fn a_frame_is_found_across_windows() {
        for before in [WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + 20] {
            let mut file = vec![b'T'; before];
            frame::put(&mut file, kind::MARK, 0, &[], b"x");
            assert_eq!(walk(&file), [format!("0: {before} damaged"), format!("{before}: kind 5")]);
        }
    }
}
