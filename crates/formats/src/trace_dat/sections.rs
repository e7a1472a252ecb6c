//! Sections of version 7, and their compression.

use std::io::{Cursor, Read};

use flate2::read::ZlibDecoder;
use ruzstd::decoding::StreamingDecoder;
use source::Source;

use super::at::At;
use super::header::Header;
use crate::limits;

/// How the file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Zlib,
    Zstd,
}

impl Compression {
    /// What was compressed to `bytes`: exactly `size` bytes, or nothing.
    pub(super) fn undo(self, bytes: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let most = size as u64 + 1;
        match self {
            Compression::Zlib => ZlibDecoder::new(bytes).take(most).read_to_end(&mut out).ok()?,
            Compression::Zstd => {
                let mut decoder = ruzstd::decoding::FrameDecoder::new();
                decoder.set_max_window_size(limits::ZSTD_WINDOW);
                let decoder = StreamingDecoder::new_with_decoder(Cursor::new(bytes), decoder).ok()?;
                decoder.take(most).read_to_end(&mut out).ok()?
            }
        };
        (out.len() == size).then_some(out)
    }
}

/// The head of a section.
struct Head {
    id: u16,
    is_compressed: bool,
    size: u64,
}

fn head(at: &mut At<'_>) -> Option<Head> {
    let bytes = at.bytes(16)?;
    let (id, flags) = (bytes.first_chunk::<2>()?, bytes.get(2..)?.first_chunk::<2>()?);
    let size = u64::from_le_bytes(bytes.get(8..)?.try_into().ok()?);
    Some(Head { id: u16::from_le_bytes(*id), is_compressed: u16::from_le_bytes(*flags) & 1 != 0, size })
}

/// The bytes of the section that begins here.
fn section(header: &Header, at: &mut At<'_>) -> Option<(u16, Vec<u8>)> {
    let Head { id, is_compressed, size } = head(at)?;
    if !is_compressed {
        return Some((id, at.bytes(size)?));
    }
    let (packed, size) = (at.u32()?, at.u32()?);
    let bytes = at.bytes(packed.into())?;
    if u64::from(size) > limits::TRACE_DAT_SECTION {
        return None;
    }
    Some((id, header.compression?.undo(&bytes, size as usize)?))
}

/// Reads what follows the size of a page.
pub(super) fn read(header: &mut Header, at: &mut At<'_>, long: usize) -> Option<()> {
    let name = at.text()?;
    at.text()?;
    header.compression = match name.as_str() {
        "zlib" => Some(Compression::Zlib),
        "zstd" => Some(Compression::Zstd),
        _ => None,
    };
    if header.compression.is_none() && name != "none" {
        header.troubles.push((
            at.offset,
            format!("The compression {name} is not known, so what is compressed is left out"),
        ));
    }
    let mut next = at.u64()?;
    // Each is read once, whatever they say of the next.
    for _ in 0..limits::TRACE_DAT_BUFFERS {
        if next == 0 {
            break;
        }
        let mut here = At { source: at.source, offset: next };
        let Some((0, bytes)) = section(header, &mut here) else {
            header.troubles.push((
                next,
                "No options begin here, or they are damaged; what they describe is left out".to_owned(),
            ));
            break;
        };
        next = options(header, &bytes);
    }
    // Whether the pages of a buffer are compressed.
    for (number, (_, offset)) in std::mem::take(&mut header.options.buffers_6).into_iter().enumerate() {
        let mut here = At { source: at.source, offset };
        if let (Some(head), Some(buffer)) = (head(&mut here), header.options.buffers.get_mut(number)) {
            buffer.is_compressed = head.is_compressed;
        }
    }
    for (id, offset) in header.options.sections.clone() {
        let mut here = At { source: at.source, offset };
        let parsed = section(header, &mut here).and_then(|(found, bytes)| {
            let source: &dyn Source = &bytes;
            let mut inner = At { source, offset: 0 };
            match id {
                _ if found != id => None,
                16 => header.pages(&mut inner),
                17 => header.ftrace_formats(&mut inner, long),
                18 => header.formats(&mut inner, long),
                _ => header.comms(&mut inner),
            }
        });
        if parsed.is_none() {
            let what = match id {
                16 => "What says how a page looks",
                17 | 18 => "What says which fields events have",
                _ => "The names of threads",
            };
            header.troubles.push((offset, format!("{what} cannot be read, or not all of it")));
        }
    }
    Some(())
}

/// Takes all options of a section; where the next section with options is.
fn options(header: &mut Header, bytes: &[u8]) -> u64 {
    let mut rest = bytes;
    while let (Some(id), Some(size)) =
        (rest.first_chunk::<2>(), rest.get(2..).and_then(|rest| rest.first_chunk::<4>()))
    {
        let (id, size) = (u16::from_le_bytes(*id), u32::from_le_bytes(*size) as usize);
        let Some(data) = rest.get(6..).and_then(|rest| rest.get(..size)) else { return 0 };
        if id == 0 {
            return data.first_chunk::<8>().map_or(0, |offset| u64::from_le_bytes(*offset));
        }
        header.options.take(id, data);
        rest = rest.get(6 + size..).unwrap_or_default();
    }
    0
}
