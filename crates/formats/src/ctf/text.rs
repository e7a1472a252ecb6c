//! The text of metadata: as it is, or taken out of metadata packets
//! (CTF 1.8.3 specification, section 7.1).
//!
//! ```text
//! | magic 75D11D57 | uuid 16 bytes | checksum u32 | content_size u32 | packet_size u32 |
//! | compression u8 | encryption u8 | checksum kind u8 | major u8 | minor u8 | text ... | padding |
//! ```
//!
//! Sizes are in bits and count the header of 37 bytes.

use super::ctf2;
use super::tsdl::Refusal;

/// Metadata text, and where it comes from.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    /// Offsets in the text and the offsets in the file that they come from, ascending.
    offsets: Vec<(usize, u64)>,
    /// Why the text is not whole.
    pub(super) cut: Option<(u64, String)>,
}

const MAGIC: u32 = 0x75D1_1D57;
const HEADER: usize = 37;

impl Text {
    pub(super) fn new(file: Vec<u8>) -> Result<Text, Refusal> {
        let start: [u8; 4] = file.get(..4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
        if u32::from_le_bytes(start) == MAGIC {
            return packets(&file, u32::from_le_bytes);
        }
        if u32::from_be_bytes(start) == MAGIC {
            return packets(&file, u32::from_be_bytes);
        }
        if file.iter().all(u8::is_ascii_whitespace) {
            return Err(Refusal::new(0, "The metadata is empty."));
        }
        // LTTng 2.14 writes plain text without a signature.
        if ctf2::is_sequence(&file) {
            return Ok(Text { bytes: file, offsets: vec![(0, 0)], cut: None });
        }
        match signature(&file) {
            None | Some((1, 8)) => Ok(Text { bytes: file, offsets: vec![(0, 0)], cut: None }),
            Some((major, minor)) => {
                let what = format!(
                    "The metadata is of CTF {major}.{minor}, and of plain text only CTF 1.8 is read."
                );
                Err(Refusal::new(0, what))
            }
        }
    }

    /// Where in the file the byte `at` of the text is.
    pub(super) fn offset(&self, at: usize) -> u64 {
        let next = self.offsets.partition_point(|&(start, _)| start <= at);
        let entry = next.checked_sub(1).and_then(|index| self.offsets.get(index));
        entry.map_or(0, |&(start, offset)| offset + (at - start) as u64)
    }
}

/// Line and column of a byte, from 1; the last ones where there is no such byte.
pub(super) fn line_and_column(text: &[u8], at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let column = String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1;
    format!("line {line}, column {column}")
}

/// The version in the comment that plain metadata starts with.
pub(super) fn signature(file: &[u8]) -> Option<(u32, u32)> {
    let start = file.trim_ascii_start().strip_prefix(b"/*")?.trim_ascii_start();
    let version = start.strip_prefix(b"CTF")?.trim_ascii_start();
    let len = version.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
    let (major, minor) = std::str::from_utf8(version.get(..len)?).ok()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn packets(file: &[u8], number: fn([u8; 4]) -> u32) -> Result<Text, Refusal> {
    let mut text = Text::default();
    let mut start = 0usize;
    let read = |at: usize| {
        let bytes = file.get(at..)?.first_chunk::<4>()?;
        Some(number(*bytes))
    };
    while start < file.len() {
        let rest = file.get(start..).unwrap_or_default();
        let refuse = |what: String| (start as u64, what);
        let (Some(magic), Some(content), Some(total), Some(&[compression, encryption, _, major, minor])) = (
            read(start),
            read(start.saturating_add(24)),
            read(start.saturating_add(28)),
            rest.get(32..HEADER).and_then(|bytes| bytes.first_chunk::<5>()),
        ) else {
            text.cut = Some(refuse("A metadata packet ends within its header.".into()));
            break;
        };
        if magic != MAGIC {
            text.cut = Some(refuse(format!("A metadata packet starts with 0x{magic:08X}.")));
            break;
        }
        if !matches!((major, minor), (1, 8) | (2, 0)) {
            let what = format!("The metadata is of CTF {major}.{minor}, and only 1.8 and 2.0 are read.");
            return Err(Refusal::new(start, what));
        }
        if compression != 0 || encryption != 0 {
            return Err(Refusal::new(start, "The metadata is compressed or encrypted."));
        }
        let (content, total) = ((content / 8) as usize, (total / 8) as usize);
        if content < HEADER || total < content {
            let what = format!(
                "A metadata packet has {content} bytes in a packet of {total}, with a header of {HEADER}."
            );
            text.cut = Some(refuse(what));
            break;
        }
        text.offsets.push((text.bytes.len(), (start + HEADER) as u64));
        let inside = rest.get(HEADER..content.min(rest.len())).unwrap_or_default();
        text.bytes.extend_from_slice(inside);
        if content > rest.len() {
            let what = format!("A metadata packet has {content} bytes, but only {} are there.", rest.len());
            text.cut = Some(refuse(what));
            break;
        }
        start = start.saturating_add(total);
    }
    Ok(text)
}
