//! Attributes: what was asked of the kernel for each event, and with it how its samples look.
//!
//! ```text
//! type u32 | size u32 | config | period | sample_type | read_format | flags | ... | ids: offset, size
//! 2: tracepoint         its id            which parts   counters      bit 18: records have trailers
//!                                         (sample.rs)                 bit 1: for children, too; bit 12: from the exec on
//! ```

use crate::limits;
use source::Source;

use super::bytes::{Cursor, Section};
use super::header::Header;
use super::sample::Shape;

/// `PERF_TYPE_TRACEPOINT`.
const TRACEPOINT: u32 = 2;

#[derive(Debug, Clone)]
pub(super) struct Attr {
    pub(super) kind: u32,
    pub(super) config: u64,
    pub(super) shape: Shape,
    /// Children of a thread that it belongs to have it, too. perf sets it for whole CPUs as well.
    pub(super) is_inherited: bool,
    /// It is off until the command that perf started is executed.
    pub(super) starts_at_exec: bool,
    /// One for each buffer of the event.
    pub(super) ids: Vec<u64>,
}

impl Attr {
    pub(super) fn is_tracepoint(&self) -> bool {
        self.kind == TRACEPOINT
    }

    pub(super) fn parse(mut cursor: Cursor<'_>) -> Option<Attr> {
        let kind = cursor.u32()?;
        let _size = cursor.u32()?;
        let config = cursor.u64()?;
        let _period = cursor.u64()?;
        let sample_type = cursor.u64()?;
        let read_format = cursor.u64()?;
        let flags = cursor.u64()?;
        let shape = Shape { sample_type, read_format, has_trailers: flags >> 18 & 1 == 1 };
        let has = |bit: u32| flags >> bit & 1 == 1;
        Some(Attr { kind, config, shape, is_inherited: has(1), starts_at_exec: has(12), ids: vec![] })
    }
}

/// Reads all attributes; the sentence says at which byte what is wrong if that ends early.
pub(super) fn read(header: &Header, source: &dyn Source) -> (Vec<Attr>, Option<(u64, String)>) {
    let section = header.attributes;
    let mut attrs = vec![];
    let most = limits::PERF_EVENTS as u64 * header.attribute_size.min(1 << 12);
    let bytes = match section.read(source, most) {
        Ok(bytes) => bytes,
        Err(error) => return (attrs, Some((section.offset, format!("Attributes cannot be read: {error}.")))),
    };
    let each = usize::try_from(header.attribute_size).unwrap_or(usize::MAX);
    let mut left = limits::PERF_IDS.min(source.size() / 8);
    let mut trouble = None;
    for (number, bytes) in bytes.chunks(each).enumerate() {
        let at = section.offset + (number * each) as u64;
        let ids = bytes.get(each.saturating_sub(16)..).and_then(|end| Section::parse(&mut Cursor::new(end)));
        let (Some(mut attr), Some(ids)) = (Attr::parse(Cursor::new(bytes)), ids) else { break };
        let read = ids.read(source, left.saturating_mul(8)).unwrap_or_default();
        let (chunks, _) = read.as_chunks::<8>();
        attr.ids = chunks.iter().copied().map(u64::from_le_bytes).collect();
        left -= (attr.ids.len() as u64).min(left);
        if trouble.is_none() && (attr.ids.len() as u64) < ids.size / 8 {
            let what = format!(
                "Event number {number} should have {} identifiers at byte {}, of which {} could be read.",
                ids.size / 8,
                ids.offset,
                attr.ids.len()
            );
            trouble = Some((at, what));
        }
        attrs.push(attr);
    }
    let promised = section.size / header.attribute_size;
    if (attrs.len() as u64) < promised {
        let what = format!("There should be {promised} events, but {} could be read.", attrs.len());
        trouble = Some((section.offset, what));
    }
    (attrs, trouble)
}
