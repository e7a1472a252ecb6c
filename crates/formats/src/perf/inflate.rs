//! Records that `perf record -z` compressed: one stream of zstd, cut into records, of which each ends with a block.
//!
//! ```text
//! file        COMPRESSED blocks | ROUND | COMPRESSED blocks | ... | end
//! stream      frame: block block            block block              no end of the frame
//! records     SAMPLE SAMPLE SAM             PLE SAMPLE               what was compressed goes on in the next
//! ```
//!
//! What a frame holds last is needed for what follows in it, so it comes out late: at the end at the latest. Blocks are
//! decompressed when their records are asked for.

use std::io::{Cursor, Read};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::limits;

/// The stream, as far as it was read.
#[derive(Default)]
pub(super) struct Inflated {
    frame: Option<FrameDecoder>,
    /// Compressed bytes that wait, and how many of them were taken.
    packed: Vec<u8>,
    taken: usize,
    /// Decompressed bytes, of which those before `at` were handed out.
    bytes: Vec<u8>,
    at: usize,
    /// Bytes of both in all.
    all_packed: u64,
    all: u64,
    is_over: bool,
}

impl Inflated {
    /// Takes the body of a COMPRESSED record.
    pub(super) fn push(&mut self, body: &[u8]) {
        self.packed.drain(..self.taken);
        self.taken = 0;
        self.packed.extend_from_slice(body);
        self.all_packed += body.len() as u64;
    }

    /// No more will come, so what the frame holds can go; whether there is such.
    pub(super) fn end(&mut self) -> bool {
        let holds = self.frame.as_ref().is_some_and(|frame| !frame.is_finished()) && !self.is_over;
        if holds {
            self.is_over = true;
            // A last block of no bytes.
            self.push(&[1, 0, 0]);
        }
        holds
    }

    /// Whether any record was compressed.
    pub(super) fn is_used(&self) -> bool {
        self.all_packed > 0
    }

    /// Bytes from the next record on, at least `count`, or fewer if there are no more for now.
    pub(super) fn have(&mut self, count: usize) -> Result<&[u8], String> {
        while self.bytes.len() - self.at < count {
            self.bytes.drain(..self.at);
            self.at = 0;
            if !self.more()? {
                break;
            }
        }
        Ok(self.bytes.get(self.at..).unwrap_or_default())
    }

    /// Bytes that were handed out.
    pub(super) fn take(&mut self, count: usize) -> std::ops::Range<usize> {
        let start = self.at;
        self.at += count;
        start..self.at
    }

    /// Bytes that [`Inflated::take`] named.
    pub(super) fn bytes(&self, range: std::ops::Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// Whether nothing that was decompressed is left.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.len() == self.at
    }

    /// Decompresses a block; false if none is there.
    fn more(&mut self) -> Result<bool, String> {
        let damaged = |error: &dyn std::fmt::Display| format!("Compressed records are damaged: {error}.");
        let frame = match &mut self.frame {
            Some(frame) if !frame.is_finished() || frame.can_collect() > 0 => frame,
            _ => {
                let rest = self.packed.get(self.taken..).unwrap_or_default();
                if rest.is_empty() || self.is_over {
                    return Ok(false);
                }
                let mut cursor = Cursor::new(rest);
                let mut frame = FrameDecoder::new();
                frame.set_max_window_size(limits::ZSTD_WINDOW);
                frame.init(&mut cursor).map_err(|error| damaged(&error))?;
                self.taken += cursor.position() as usize;
                self.frame.insert(frame)
            }
        };
        if frame.can_collect() == 0 {
            let rest = self.packed.get(self.taken..).unwrap_or_default();
            if rest.is_empty() {
                return Ok(false);
            }
            let mut cursor = Cursor::new(rest);
            let strategy = BlockDecodingStrategy::UptoBlocks(1);
            frame.decode_blocks(&mut cursor, strategy).map_err(|error| damaged(&error))?;
            self.taken += cursor.position() as usize;
        }
        let had = self.bytes.len();
        let there = frame.can_collect() as u64;
        frame.by_ref().take(there).read_to_end(&mut self.bytes).map_err(|error| damaged(&error))?;
        self.all += (self.bytes.len() - had) as u64;
        let allowed =
            limits::PERF_INFLATED.saturating_add(self.all_packed.saturating_mul(limits::PERF_RATIO));
        if self.all > allowed {
            return Err("Compressed records decompress to more than is allowed.".to_owned());
        }
        Ok(true)
    }
}
