//! What is written for one kind of processor: words to codes, 64 at a time, and bytes to their numbers, and those to
//! fewer bits.
//!
//! ```text
//! 16 words a lane each -> x factor >> 27: places -> a permutation of the book: words, which must be the same
//! 64 places as bytes   -> a permutation: codes   -> two multiplications that add: four codes in 16 bits
//! 64 bytes             -> two permutations of 128 numbers each, and of both the one that the highest bit says
//! ```
//!
//! Codes take half an instruction for each word, where looking one word up takes ten. All needs AVX-512 with VBMI (Intel
//! since Ice Lake, AMD since Zen 4); with AVX2 the same is no sooner done than looking units up, so elsewhere
//! nobody asks for it. Pure: bytes in, bytes out.
#![allow(unsafe_code)] // instructions that not every processor has

/// The bytes of the words that are told at once.
pub(super) const BLOCK: usize = 256;
/// The bytes of their codes: half a byte each, the first one in the lowest bits.
pub(super) const CODES: usize = BLOCK / 8;
/// Places in a book.
pub(super) const PLACES: usize = 32;

/// The number of an index that has none.
pub(super) const NONE: u8 = u8::MAX;

/// Words by place, each at the place that it has by the factor. A word of 0 is always at the place 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Book {
    /// 0 where no word is.
    pub(super) words: [u32; PLACES],
    /// The code of the word there, below 16; 0 for the word 0.
    pub(super) codes: [u8; PLACES],
    /// Odd.
    pub(super) factor: u32,
}

/// The place of a word.
pub(super) fn place(word: u32, factor: u32) -> usize {
    (word.wrapping_mul(factor) >> 27) as usize
}

/// Whether this processor can.
pub(crate) fn are_there() -> bool {
    #[cfg(target_arch = "x86_64")]
    let are_there = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    let are_there = false;
    are_there
}

/// Writes the codes of each block, up to one in which a word is not in the book; how many that are. None where the
/// processor cannot.
pub(super) fn codes(book: &Book, blocks: &[[u8; BLOCK]], codes: &mut [[u8; CODES]]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if are_there() {
        // The processor has what the function is built for.
        return unsafe { wide::codes(book, blocks, codes) };
    }
    let _ = (book, blocks, codes);
    0
}

/// Writes the number of each index, up to a line in which one is [`NONE`]; how many lines that are. None where the
/// processor cannot.
pub(super) fn numbers(by_index: &[u8; 256], lines: &[[u8; 64]], numbers: &mut [[u8; 64]]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if are_there() {
        // The processor has what the function is built for.
        return unsafe { wide::numbers(by_index, lines, numbers) };
    }
    let _ = (by_index, lines, numbers);
    0
}

/// Writes numbers of a byte each as numbers of `BITS` each to `out`, which has eight bytes more than they take; `false`
/// where the processor cannot. (The one instruction that this takes is slow on AMD's before Zen 3, which have no
/// AVX-512.)
pub(super) fn join<const BITS: usize>(numbers: &[[u8; 8]], out: &mut [u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if are_there() {
        // The processor has what the function is built for.
        unsafe { wide::join::<BITS>(numbers, out) };
        return true;
    }
    let _ = (numbers, out);
    false
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{BLOCK, Book, CODES, NONE};

    /// 64 bytes of something that has no padding, from its bytes.
    #[target_feature(enable = "avx512f")]
    fn load(bytes: &[u8; 64]) -> __m512i {
        // As many bytes are read as are there; they may lie anywhere.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "bmi2")]
    pub(super) fn join<const BITS: usize>(numbers: &[[u8; 8]], out: &mut [u8]) {
        let lowest = u64::from_le_bytes([u8::MAX >> (8 - BITS); 8]);
        let mut at = 0;
        for numbers in numbers {
            // The next ones overwrite what is too much.
            if let Some(to) = out[at..].first_chunk_mut() {
                *to = _pext_u64(u64::from_le_bytes(*numbers), lowest).to_le_bytes();
            }
            at += BITS;
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn numbers(by_index: &[u8; 256], lines: &[[u8; 64]], numbers: &mut [[u8; 64]]) -> usize {
        let (quarters, _) = by_index.as_chunks();
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|at| load(&quarters[at]));
        let none = _mm512_set1_epi8(NONE as i8);
        for (at, (line, numbers)) in lines.iter().zip(numbers).enumerate() {
            let indices = load(line);
            let lower = _mm512_permutex2var_epi8(first, indices, second);
            let upper = _mm512_permutex2var_epi8(third, indices, fourth);
            let found = _mm512_mask_blend_epi8(_mm512_movepi8_mask(indices), lower, upper);
            if _mm512_cmpeq_epi8_mask(found, none) != 0 {
                return at;
            }
            // As many bytes are written as are there; they may lie anywhere.
            unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), found) };
        }
        lines.len()
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn codes(book: &Book, blocks: &[[u8; BLOCK]], codes: &mut [[u8; CODES]]) -> usize {
        let bytes = book.words.map(u32::to_le_bytes);
        let (halves, _) = bytes.as_flattened().as_chunks();
        let [low, high] = [load(&halves[0]), load(&halves[1])];
        let mut twice = [0; 64];
        twice.as_chunks_mut().0.fill(book.codes);
        let by_place = load(&twice);
        let factor = _mm512_set1_epi32(book.factor as i32);
        // Packing works within each quarter, so the quarters' words of all four vectors come together.
        let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        for (at, (block, codes)) in blocks.iter().zip(codes).enumerate() {
            let (lines, _) = block.as_chunks::<64>();
            let mut others = 0;
            let places: [__m512i; 4] = std::array::from_fn(|line| {
                let words = load(&lines[line]);
                let places = _mm512_srli_epi32::<27>(_mm512_mullo_epi32(words, factor));
                let known = _mm512_permutex2var_epi32(low, places, high);
                others |= _mm512_cmpneq_epi32_mask(known, words);
                places
            });
            if others != 0 {
                return at;
            }
            let [first, second, third, fourth] = places;
            let (front, back) = (_mm512_packus_epi32(first, second), _mm512_packus_epi32(third, fourth));
            let places = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(front, back));
            let ones = _mm512_permutexvar_epi8(places, by_place);
            // 1 and 16 times, then 1 and 256 times.
            let twos = _mm512_maddubs_epi16(ones, _mm512_set1_epi16(0x1001));
            let fours = _mm512_cvtepi32_epi16(_mm512_madd_epi16(twos, _mm512_set1_epi32(0x0100_0001)));
            // As many bytes are written as are there; they may lie anywhere.
            unsafe { _mm256_storeu_si256(codes.as_mut_ptr().cast(), fours) };
        }
        blocks.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maker::Dice;

    #[test]
    fn codes_are_what_the_book_says_up_to_the_first_unknown_word() {
        let mut dice = Dice(7);
        for _ in 0..300 {
            let mut book = Book { factor: dice.roll(u32::MAX) | 1, ..Book::default() };
            let mut known = vec![(0, 0)];
            for code in 1..16 {
                let word = dice.roll(u32::MAX - 1) + 1;
                let place = place(word, book.factor);
                if place > 0 && book.words[place] == 0 {
                    (book.words[place], book.codes[place]) = (word, code);
                    known.push((word, code));
                }
            }
            let told: Vec<(u32, u8)> =
                (0..64 * 9).map(|_| known[dice.roll(known.len() as u32) as usize]).collect();
            let mut bytes: Vec<u8> = told.iter().flat_map(|(word, _)| word.to_le_bytes()).collect();
            let expected: Vec<u8> = told.chunks(2).map(|two| two[0].1 | two[1].1 << 4).collect();
            let bad = dice.roll(10) as usize;
            if bad < 9 {
                // A bit of one word, which then is another one, or one that is in the book no more.
                bytes[bad * BLOCK + dice.roll(64) as usize * 4] ^= 1;
            }
            let (blocks, _) = bytes.as_chunks();
            let mut out = [[0xee; CODES]; 10];
            let count = codes(&book, blocks, &mut out);
            if are_there() {
                let is_known = |block: &[u8; BLOCK]| {
                    let (words, _) = block.as_chunks();
                    words.iter().all(|word| known.iter().any(|(other, _)| other.to_le_bytes() == *word))
                };
                let first_bad = blocks.iter().position(|block| !is_known(block)).unwrap_or(9);
                assert_eq!(count, first_bad);
            } else {
                assert_eq!(count, 0);
            }
            let same = out.as_flattened().iter().zip(&expected).take(count.min(bad) * CODES);
            same.for_each(|(code, expected)| assert_eq!(code, expected));
            assert!(out[count..].as_flattened().iter().all(|byte| *byte == 0xee), "not one byte behind them");
        }
    }

    #[test]
    fn numbers_are_what_stands_there_up_to_the_first_that_has_none() {
        let mut dice = Dice(13);
        for _ in 0..300 {
            let mut by_index = [NONE; 256];
            (0..dice.roll(300)).for_each(|_| by_index[dice.roll(256) as usize] = dice.roll(255) as u8);
            let known: Vec<u8> = (0..=255).filter(|index| by_index[usize::from(*index)] != NONE).collect();
            let Some(&some) = known.first() else { continue };
            let mut lines = [[some; 64]; 5];
            for index in lines.as_flattened_mut() {
                *index = known[dice.roll(known.len() as u32) as usize];
            }
            lines.as_flattened_mut()[dice.roll(64 * 5) as usize] = dice.roll(256) as u8;
            let expected = lines.map(|line| line.map(|index| by_index[usize::from(index)]));
            let mut found = [[0xee; 64]; 6];
            let count = numbers(&by_index, &lines, &mut found);
            let first_bad = expected.iter().position(|line| line.contains(&NONE)).unwrap_or(5);
            assert_eq!(count, if are_there() { first_bad } else { 0 });
            assert_eq!(found[..count], expected[..count]);
            assert!(
                found[count..].as_flattened().iter().all(|byte| *byte == 0xee),
                "not one byte behind them"
            );
        }
    }
}
