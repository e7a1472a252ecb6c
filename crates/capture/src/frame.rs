//! Frames: how everything in `code` and `steps` is wrapped, so that damage is seen and stays small.
//!
//! ```text
//! 0  'T' 'W'   kind u8   flags u8
//! 4  length of the body u32
//! 8  crc32 of the body u32
//! 12 head: the bytes that belong to the kind; `chunk`, `class` and `class file` have some
//! .. crc32 of all before it u32
//! .. body
//! ```
//!
//! The head has a checksum of its own: a reader walks from head to head without reading bodies, and
//! after damage it finds the next frame by searching for `TW` with a head that is right.

/// What every frame begins with.
pub const MAGIC: [u8; 2] = *b"TW";

/// Flag: the body is compressed.
pub const COMPRESSED: u8 = 1;

/// Flag of a chunk: before that, its words are expressed by a dictionary. The two bits behind it: how many words a unit
/// has, by its number.
pub const DICTIONARY: u8 = 2;

/// How far these bits are up.
const UNIT: u32 = 2;

/// The flags of a chunk that is expressed by a dictionary with such units, 0 to 3.
pub(super) fn dictionary(unit: usize) -> u8 {
    DICTIONARY | (unit as u8 & 3) << UNIT
}

/// Which units the dictionary has that a chunk with these flags is expressed by.
pub(super) fn unit(flags: u8) -> Option<usize> {
    (flags & DICTIONARY != 0).then_some(usize::from(flags >> UNIT & 3))
}

/// Bytes before the head of a kind.
pub const START: usize = 12;

/// Bytes of the checksum of the head.
pub const CRC: usize = 4;

/// Bytes of the head of a class and of a class file.
pub const CLASS_HEAD: usize = 8;

/// Bodies shorter than this are not worth compressing.
const WORTH_COMPRESSING: usize = 256;

/// Kinds of frames.
pub mod kind {
    /// See [`crate::Header`].
    pub const HEADER: u8 = 1;
    /// See [`crate::Skipped`].
    pub const SKIPPED_CLASS: u8 = 3;
    /// See [`crate::ThreadRecord`].
    pub const THREAD: u8 = 4;
    /// See [`crate::put_mark`].
    pub const MARK: u8 = 5;
    /// See [`crate::Loss`].
    pub const LOSS: u8 = 6;
    /// See [`crate::End`].
    pub const END: u8 = 7;
    /// See [`crate::put_running`].
    pub const RUNNING: u8 = 9;
    /// See [`crate::put_running_samples`].
    pub const RUNNING_SAMPLES: u8 = 10;
    /// See [`crate::ClassRecord`].
    pub const CLASS: u8 = 11;
    /// See [`crate::ClassFileRecord`].
    pub const CLASS_FILE: u8 = 12;
    /// See [`crate::StacksRecord`].
    pub const STACKS: u8 = 13;
    /// See [`crate::TickWriter`].
    pub const TICKS: u8 = 14;
    /// See [`crate::records::ValuesRecord`].
    pub const VALUES: u8 = 15;
    /// See [`crate::ChunkHead`].
    pub const CHUNK: u8 = 16;
    /// See [`crate::records::TaskRecord`].
    pub const TASKS: u8 = 17;
    /// See [`crate::records::put_origin`].
    pub const ORIGIN: u8 = 18;
    /// Methods that leave no records any more, and how often they were called since.
    pub const THROTTLED: u8 = 19;
}

/// How many bytes of head belong to a kind of frame; unknown kinds have none.
pub fn head_bytes(kind: u8) -> usize {
    match kind {
        kind::CHUNK => super::chunk::HEAD,
        kind::CLASS | kind::CLASS_FILE => CLASS_HEAD,
        _ => 0,
    }
}

/// A frame's first bytes, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// See [`kind`].
    pub kind: u8,
    /// See [`COMPRESSED`].
    pub flags: u8,
    /// Bytes of the body as it lies in the file.
    pub body: u32,
    /// The checksum of the body.
    pub crc: u32,
    /// Bytes before the body.
    pub before_body: usize,
}

impl Frame {
    /// Reads the start of a frame; `None` if it is none, or damaged, or cut.
    pub fn read(bytes: &[u8]) -> Option<Frame> {
        let start: &[u8; START] = bytes.first_chunk()?;
        if start[..2] != MAGIC {
            return None;
        }
        let kind = start[2];
        let checked = START + head_bytes(kind);
        let stored = bytes.get(checked..checked + CRC)?;
        if crc32fast::hash(&bytes[..checked]).to_le_bytes() != stored {
            return None;
        }
        let (body, crc) = (source::bytes::u32_at(start, 4), source::bytes::u32_at(start, 8));
        Some(Frame { kind, flags: start[3], body, crc, before_body: checked + CRC })
    }
}

/// Appends one frame. `body` must be shorter than 4 GiB; the recorder's are a few MB at most.
pub fn put(out: &mut Vec<u8>, kind: u8, flags: u8, head: &[u8], body: &[u8]) {
    debug_assert_eq!(head.len(), head_bytes(kind));
    let at = out.len();
    out.extend_from_slice(&[MAGIC[0], MAGIC[1], kind, flags]);
    out.extend_from_slice(&(body.len() as u32).to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(body).to_le_bytes());
    out.extend_from_slice(head);
    let crc = crc32fast::hash(&out[at..]);
    out.extend_from_slice(&crc.to_le_bytes());
    out.extend_from_slice(body);
}

/// Appends one frame, its body compressed where that makes it shorter.
pub fn put_small(out: &mut Vec<u8>, kind: u8, head: &[u8], body: &[u8]) {
    match compress(body) {
        Some(compressed) => put(out, kind, COMPRESSED, head, &compressed),
        None => put(out, kind, 0, head, body),
    }
}

/// A body as it lies in a file. It is the same in every file, so whoever writes it often may keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// Whether it is compressed.
    pub is_compressed: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Packed {
    /// Compresses a body where that makes it shorter.
    pub(super) fn of(body: Vec<u8>) -> Packed {
        match compress(&body) {
            Some(bytes) => Packed { is_compressed: true, bytes },
            None => Packed { is_compressed: false, bytes: body },
        }
    }

    /// The same, borrowed.
    pub fn borrowed(&self) -> PackedBytes<'_> {
        PackedBytes { is_compressed: self.is_compressed, bytes: &self.bytes }
    }
}

/// A [`Packed`] body that lies somewhere else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PackedBytes<'p> {
    /// Whether it is compressed.
    pub is_compressed: bool,
    /// Its bytes.
    pub bytes: &'p [u8],
}

impl PackedBytes<'_> {
    /// Appends the frame.
    pub(super) fn put(self, out: &mut Vec<u8>, kind: u8, head: &[u8]) {
        put(out, kind, if self.is_compressed { COMPRESSED } else { 0 }, head, self.bytes);
    }
}

/// The compressed form of `body`, its length in front; `None` where that would be longer.
pub(super) fn compress(body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = vec![];
    (body.len() >= WORTH_COMPRESSING && compress_into(body, &mut whole)).then_some(whole)
}

/// Fills `whole` with the compressed form of `body`, its length in front; whether that is shorter.
pub(super) fn compress_into(body: &[u8], whole: &mut Vec<u8>) -> bool {
    whole.clear();
    whole.extend_from_slice(&(body.len() as u32).to_le_bytes());
    whole.resize(4 + lz4_flex::block::get_maximum_output_size(body.len()), 0);
    let Ok(length) = lz4_flex::block::compress_into(body, &mut whole[4..]) else { return false };
    whole.truncate(4 + length);
    whole.len() < body.len()
}

/// No byte of LZ4 stands for more than this many.
const MOST_EXPANSION: usize = 256;

/// The body as it was before it was compressed; `None` if it cannot be, or would be larger than `most`.
pub fn expand(body: &[u8], flags: u8, most: usize) -> Option<Vec<u8>> {
    let mut whole = vec![];
    expand_into(body, flags, most, &mut whole).then_some(whole)
}

/// Fills `whole` with the body as it was before it was compressed; whether that worked.
pub fn expand_into(body: &[u8], flags: u8, most: usize, whole: &mut Vec<u8>) -> bool {
    whole.clear();
    if flags & COMPRESSED == 0 {
        whole.extend_from_slice(body);
        return body.len() <= most;
    }
    let Some((length, compressed)) = body.split_first_chunk() else { return false };
    let length = u32::from_le_bytes(*length) as usize;
    if length > most || length > compressed.len().saturating_mul(MOST_EXPANSION) {
        return false;
    }
    whole.resize(length, 0);
    lz4_flex::block::decompress_into(compressed, whole).ok() == Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back_and_any_flipped_bit_of_its_start_is_seen() {
        let mut out = vec![];
        put_small(&mut out, kind::MARK, &[], &[7; 1000]);
        let frame = Frame::read(&out).unwrap();
        assert_eq!((frame.kind, frame.flags, frame.before_body), (kind::MARK, COMPRESSED, 16));
        assert_eq!(frame.before_body + frame.body as usize, out.len());
        assert_eq!(expand(&out[16..], frame.flags, 1000), Some(vec![7; 1000]));
        assert_eq!(expand(&out[16..], frame.flags, 999), None, "the bound holds");
        for bit in 0..16 * 8 {
            let mut bad = out.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Frame::read(&bad), None, "bit {bit}");
        }
        (0..16).for_each(|cut| assert_eq!(Frame::read(&out[..cut]), None));
    }
}
