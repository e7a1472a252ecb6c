//! Chunks: the words of one thread for a while, as they are appended to `steps`.
//!
//! ```text
//! head  thread u32 | number u32 | words u32 | encoding u8, last u8, 0 0 | lost before u64 | time first i64 | time last i64
//! body  the words, u32 each; encoded by a dictionary and compressed if the frame says so   dictionary.rs
//! ```
//!
//! Chunks of a thread are numbered from 0 without holes, so a missing one is seen. They lie in the file in any
//! order, those of one thread too: several write.

use super::dictionary::{self, Dictionary};
use super::frame::{self, kind};
use super::records::Encoding;
use crate::limits;

/// Bytes of a chunk's head within its frame.
pub const HEAD: usize = 40;

/// What is known of a chunk without reading its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkHead {
    /// The thread's serial number.
    pub thread: u32,
    /// Its number in the thread, from 0.
    pub number: u32,
    /// How many words it holds.
    pub words: u32,
    /// How they are to be read.
    pub encoding: Encoding,
    /// Whether the thread wrote no further one: it ended, or recording was stopped.
    pub last: bool,
    /// How many words of the thread were dropped directly before it.
    pub lost_before: u64,
    /// When its first word was written, ns since 1970; 0 if unknown.
    pub time_first: i64,
    /// When its last word was written, ns since 1970; 0 if unknown.
    pub time_last: i64,
}

impl ChunkHead {
    /// As it lies in the frame.
    pub fn to_bytes(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[0..4].copy_from_slice(&self.thread.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.words.to_le_bytes());
        bytes[12] = self.encoding.to_byte();
        bytes[13] = u8::from(self.last);
        bytes[16..24].copy_from_slice(&self.lost_before.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.time_first.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.time_last.to_le_bytes());
        bytes
    }

    /// Back from the bytes of the frame; `None` for an encoding that is not known.
    pub fn read(bytes: &[u8; HEAD]) -> Option<ChunkHead> {
        let (word, long) = (|at| source::bytes::u32_at(bytes, at), |at| source::bytes::u64_at(bytes, at));
        Some(ChunkHead {
            thread: word(0),
            number: word(4),
            words: word(8),
            encoding: Encoding::from_byte(bytes[12])?,
            last: bytes[13] & 1 != 0,
            lost_before: long(16),
            time_first: long(24) as i64,
            time_last: long(32) as i64,
        })
    }
}

/// Where LZ4 alone leaves less than this part of a chunk, it takes less time than a dictionary.
const HARDLY_ANYTHING: usize = 100;

/// Where LZ4 leaves less than this part of words of which too many are different for a dictionary, none is tried.
const LITTLE: usize = 8;

/// Where LZ4 leaves more than so many eighths of a dictionary's numbers it is not worth its time: when there is
/// none to lose, and when there is. Where it leaves little it takes little, too.
const WORTH_IT: [usize; 2] = [2, 7];

/// For how many chunks more it is taken to be true what was found out of one: whether LZ4 is worth its time, how
/// many words a unit of the dictionary has best, and that there can be none. To find it out anew takes as long as to
/// write three chunks.
#[derive(Debug, Default)]
struct Trust {
    left: u32,
    length: u32,
}

impl Trust {
    /// The first time, and after each surprise.
    const LEAST: u32 = 15;
    /// To find out anew is a fortieth of the work then.
    const MOST: u32 = 127;

    /// Asked once a chunk: whether it shall be found out anew.
    fn is_over(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_due
    }

    /// It was. What is found again and again is trusted longer and longer.
    fn renew(&mut self, is_as_before: bool) {
        let longer = if is_as_before { self.length * 2 + 1 } else { 0 };
        self.length = longer.clamp(Self::LEAST, Self::MOST);
        self.left = self.length;
    }
}

/// Compresses chunks; keep one for each writing thread.
#[derive(Debug, Default)]
pub struct ChunkWriter {
    /// Whether the next chunks shall rather be written soon than be short.
    pub is_hurried: bool,
    /// Whether hardly anything was left of the last chunk: the next one is likely to be its like.
    is_regular: bool,
    /// Whether too many words of the last chunk were different, and LZ4 left little of it.
    is_varied: bool,
    in_varied: Trust,
    /// How many words a unit has best, by its number.
    unit: usize,
    in_unit: Trust,
    /// How many eighths LZ4 left when it was last tried on the numbers of a dictionary.
    eighths: usize,
    in_eighths: Trust,
    dictionary: Dictionary,
    packed: Vec<u8>,
    other: Vec<u8>,
    body: Vec<u8>,
}

impl ChunkWriter {
    /// With buffers that are kept from chunk to chunk.
    pub fn new() -> ChunkWriter {
        ChunkWriter::default()
    }

    /// Appends one chunk to `out`. `words` are its bytes as they lay in the slot, without the zeros
    /// behind them; `head.words` is set from them.
    pub fn put(&mut self, out: &mut Vec<u8>, head: ChunkHead, words: &[u8]) {
        let is_alone = self.is_regular || self.is_varied && !self.in_varied.is_over();
        let unit = if is_alone { None } else { self.pack(words) };
        let are_too_many = if is_alone { self.is_varied } else { unit.is_none() };
        let unit = unit.filter(|_| self.packed.len() < words.len());
        let (packed, flag) = unit.map_or((words, 0), |unit| (&self.packed[..], frame::dictionary(unit)));
        let is_packed = unit.is_some();
        let [hurried, at_leisure] = WORTH_IT;
        let most = if self.is_hurried { hurried } else { at_leisure };
        let is_tried = !is_packed || self.eighths <= most || self.in_eighths.is_over();
        let is_compressed = is_tried && frame::compress_into(packed, &mut self.body);
        if is_packed && is_tried {
            let eighths = self.body.len() * 8 / packed.len();
            self.in_eighths.renew((eighths <= most) == (self.eighths <= most));
            self.eighths = eighths;
        }
        let (body, flags) =
            if is_compressed { (&self.body[..], flag | frame::COMPRESSED) } else { (packed, flag) };
        self.is_regular = body.len() * HARDLY_ANYTHING < words.len();
        let is_varied = are_too_many && body.len() * LITTLE < words.len();
        if !is_alone || !is_varied {
            self.in_varied.renew(is_varied && self.is_varied);
        }
        self.is_varied = is_varied;
        let head = ChunkHead { words: (words.len() / 4) as u32, ..head };
        frame::put(out, kind::CHUNK, flags, &head.to_bytes(), body);
    }

    /// Fills `packed` with the words, encoded by a dictionary of the units that seem best, and returns the units;
    /// `None` if that cannot be done.
    fn pack(&mut self, words: &[u8]) -> Option<usize> {
        while !self.dictionary.pack(words, self.unit, &mut self.packed) {
            // Longer ones will not do either, for some time.
            self.in_unit.renew(false);
            self.unit = self.unit.checked_sub(1)?;
        }
        if !self.in_unit.is_over() {
            return Some(self.unit);
        }
        let was = self.unit;
        while self.take_if_shorter(words, self.unit + 1) {}
        while self.unit <= was && self.unit > 0 && self.take_if_shorter(words, self.unit - 1) {}
        self.in_unit.renew(self.unit == was);
        Some(self.unit)
    }

    /// Takes other units if they leave less; whether it did.
    fn take_if_shorter(&mut self, words: &[u8], unit: usize) -> bool {
        let is_shorter = unit < dictionary::WORDS.len()
            && self.dictionary.pack(words, unit, &mut self.other)
            && self.other.len() < self.packed.len();
        if is_shorter {
            std::mem::swap(&mut self.packed, &mut self.other);
            self.unit = unit;
        }
        is_shorter
    }
}

/// Fills `words` with the bytes of a chunk's words. `body`: what the frame with these flags held, no longer
/// compressed; `count`: how many the head says. Whether that is what they are.
pub(super) fn unpack(body: &[u8], flags: u8, count: u32, words: &mut Vec<u8>) -> bool {
    let count = count as usize;
    if count > limits::CHUNK / 4 {
        return false;
    }
    if let Some(unit) = frame::unit(flags) {
        return dictionary::unpack(body, unit, count, words);
    }
    words.clear();
    words.extend_from_slice(body);
    words.len() == count * 4
}

/// The bytes of a slot's words up to the first zero word: what a recorder hands to [`ChunkWriter::put`].
pub fn written(words: &[u8]) -> &[u8] {
    // Sixteen at once where none of them is zero: a writer looks through all that a program writes.
    let (all, _) = words.as_chunks::<4>();
    let (lines, _) = all.as_chunks::<16>();
    let has_zero = |line: &[[u8; 4]; 16]| line.iter().fold(false, |has, word| has | (*word == [0; 4]));
    let whole = 16 * lines.iter().position(has_zero).unwrap_or(lines.len());
    let more = all[whole..].iter().position(|word| *word == [0; 4]).unwrap_or(all.len() - whole);
    &words[..(whole + more) * 4]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Rng;
    use crate::frame::Frame;

    #[test]
    fn a_chunk_comes_back() {
        let head = ChunkHead {
            thread: 3,
            number: 9,
            words: 0,
            encoding: Encoding::Blocks,
            last: true,
            lost_before: 77,
            time_first: -5,
            time_last: i64::MAX,
        };
        let of = |different: u32| -> Vec<u8> {
            (1..=1000u32).flat_map(|word| (word % different + 1).to_le_bytes()).collect()
        };
        let (dictionary, compressed) = (frame::dictionary, frame::COMPRESSED);
        let mut rng = Rng(3);
        let random: Vec<u8> = (0..1000).flat_map(|_| (rng.roll(7) + 1).to_le_bytes()).collect();
        // Seven words, each always followed by the same one.
        let pairs: Vec<u8> = random
            .as_chunks::<4>()
            .0
            .iter()
            .flat_map(|one| [*one, [one[0], 9, 0, 0]])
            .collect::<Vec<_>>()
            .concat();
        let cases = [
            // Paths through a loop in a fixed order, and in an order that depends on data.
            (of(7), false, dictionary(3) | compressed),
            (of(7), true, dictionary(3)),
            (random.clone(), false, dictionary(0)),
            (random, true, dictionary(0)),
            (pairs, true, dictionary(1)),
            // Ways through everything, a handful of words, and always the same one.
            (of(400), false, compressed),
            (of(1000), true, 0),
            (of(7)[..8].to_vec(), false, 0),
            (of(1).repeat(4), false, compressed),
        ];
        for (words, is_hurried, flags) in cases {
            let mut writer = ChunkWriter { is_hurried, ..ChunkWriter::new() };
            let mut out = vec![];
            // Each chunk but the first is written as the one before it suggests.
            for _ in 0..20 {
                out.clear();
                writer.put(&mut out, head, &words);
            }
            let frame = Frame::read(&out).unwrap();
            let read = ChunkHead::read(out[frame::START..].first_chunk().unwrap()).unwrap();
            let count = words.len() as u32 / 4;
            assert_eq!((read, frame.flags), (ChunkHead { words: count, ..head }, flags));
            let body = frame::expand(&out[frame.before_body..], frame.flags, 16_000).unwrap();
            let mut back = vec![];
            assert!(unpack(&body, frame.flags, count, &mut back));
            assert_eq!(back, words);
            assert!(!unpack(&body, frame.flags, count + 99, &mut back));
        }
    }

    #[test]
    fn a_dictionary_is_tried_again_where_words_become_few() {
        let head = ChunkHead {
            thread: 1,
            number: 0,
            words: 0,
            encoding: Encoding::Paths,
            last: false,
            lost_before: 0,
            time_first: 0,
            time_last: 0,
        };
        let bytes =
            |words: Vec<u32>| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
        let varied = bytes((0..8000).map(|at| at % 400 + 1).collect());
        let mut rng = Rng(3);
        let random = bytes((0..8000).map(|_| rng.roll(7) + 1).collect());
        // Four ways through a method that each leave sixty words.
        let path = |path: u32| (1..=60).map(move |at| path * 60 + at);
        let paths = bytes((0..130).flat_map(|_| path(rng.roll(4))).collect());
        let mut writer = ChunkWriter::new();
        let mut flags = |words: &[u8]| {
            let mut out = vec![];
            writer.put(&mut out, head, words);
            Frame::read(&out).unwrap().flags
        };
        assert_eq!([0; 40].map(|_| flags(&varied)), [frame::COMPRESSED; 40]);
        // Where much is left at once; where little is after some time.
        flags(&random);
        assert_eq!(flags(&random) & frame::DICTIONARY, frame::DICTIONARY);
        assert_eq!([0; 40].map(|_| flags(&varied)), [frame::COMPRESSED; 40]);
        let first = (0..200).position(|_| flags(&paths) & frame::DICTIONARY != 0);
        assert!(first.is_some_and(|chunks| (1..130).contains(&chunks)), "{first:?}");
    }

    #[test]
    fn more_words_than_a_chunk_may_have_are_refused_before_memory_is_taken() {
        assert!(!unpack(&[0; 2], frame::DICTIONARY, u32::MAX, &mut vec![]));
    }

    #[test]
    fn a_slot_ends_at_its_first_zero_word() {
        assert_eq!(written(&[1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0]), [1, 0, 0, 0, 0, 2, 0, 0]);
        assert_eq!(written(&[1, 0, 0, 0]), [1, 0, 0, 0]);
        assert_eq!(written(&[0; 8]), [0u8; 0]);
        for count in 0..100 {
            let mut words = vec![9; 400];
            words[count * 4..][..4].fill(0);
            assert_eq!(written(&words).len(), count * 4);
            assert_eq!(written(&vec![9; count * 4]).len(), count * 4);
        }
    }
}
