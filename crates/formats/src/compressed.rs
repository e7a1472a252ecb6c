//! Compressed inputs: which compression it is, and what was compressed, as a stream of bounded memory.
//!
//! How long the stream gets is for the caller to bound: a thousand bytes may stand for a million.

use std::io::{self, Cursor, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::limits;

/// A compression that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1952, one member or several.
    Gzip,
    /// RFC 8878, one frame or several.
    Zstd,
}

impl Compression {
    /// Bytes at the beginning of an input that identify the compression.
    pub const MAGIC: usize = 4;

    /// By the bytes that an input begins with.
    pub fn of(first: &[u8]) -> Option<Compression> {
        match first {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }

    /// What was compressed, from what it was compressed to. All members or frames are read; what is damaged is an error
    /// where it is met.
    pub fn undo(self, bytes: impl Read + Send + 'static) -> Box<dyn Read + Send> {
        match self {
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(bytes)),
            Compression::Zstd => Box::new(Zstd::new(bytes)),
        }
    }

    /// What to do about a file that cannot be read while it is compressed.
    pub fn advice(self) -> &'static str {
        match self {
            Compression::Gzip => "it is compressed with gzip; decompress it first (gzip -d)",
            Compression::Zstd => "it is compressed with zstd; decompress it first (zstd -d)",
        }
    }
}

/// Decompresses all frames of a zstd file; each is held against its checksum.
struct Zstd<R> {
    bytes: R,
    /// The frame that is being decompressed; `None` between two.
    frame: Option<FrameDecoder>,
}

impl<R: Read> Zstd<R> {
    fn new(bytes: R) -> Zstd<R> {
        Zstd { bytes, frame: None }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            // After an error there is no frame.
            let mut frame = match self.frame.take() {
                Some(frame) => frame,
                None => match begin(&mut self.bytes)? {
                    Some(frame) => frame,
                    None => break,
                },
            };
            while frame.can_collect() == 0 && !frame.is_finished() {
                frame
                    .decode_blocks(&mut self.bytes, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(io::Error::other)?;
            }
            let count = frame.read(buffer)?;
            if count > 0 {
                self.frame = Some(frame);
                return Ok(count);
            }
            let written = frame.get_checksum_from_data();
            if written.is_some() && written != frame.get_calculated_checksum() {
                return Err(io::Error::other("the checksum of a zstd frame does not fit what it holds"));
            }
        }
        Ok(0)
    }
}

/// Begins the next frame; `None` at the end.
fn begin(bytes: &mut impl Read) -> io::Result<Option<FrameDecoder>> {
    loop {
        let mut magic = vec![];
        bytes.take(4).read_to_end(&mut magic)?;
        if magic.is_empty() {
            return Ok(None);
        }
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(limits::ZSTD_WINDOW);
        match frame.init(Cursor::new(magic).chain(&mut *bytes)) {
            Ok(()) => return Ok(Some(frame)),
            // A frame for others to read.
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                io::copy(&mut bytes.take(length.into()), &mut io::sink())?;
            }
            Err(error) => return Err(io::Error::other(error)),
        }
    }
}
