//! Words told by their numbers in a table of the different ones: a chunk has many words and often few
//! different ones, for a loop's ways through come again and again.
//!
//! ```text
//! different u16 | these words u32 each, in the order of their first appearance | numbers in it
//! a number has 1 to 8 bits, as few as are enough for all, the first one in the lowest bits of the first byte;
//! the bits left over in the last byte are 0
//! ```
//!
//! Little-endian. How many words there are stands in the chunk's head. No word is 0. Pure: bytes in, bytes
//! out. Most of the time goes into finding numbers: two loads and a comparison for a word and one branch for
//! 32, about 0.6 ns a word. LZ4 alone takes ten times as long where the ways alternate as the data wants, and
//! what it leaves is three times as much.

/// More different words than that are not told so.
const MOST: usize = 256;

/// Places in which a word's number is looked for: so many that hardly two words want the same one.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 12;

/// Words that are looked up together.
const LINE: usize = 32;

/// Looks words up. Kept from chunk to chunk for its memory only.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    table: Table,
    /// The number of each word of the chunk.
    numbers: Vec<u8>,
}

/// The different words.
#[derive(Debug)]
struct Table {
    /// By a hash of the word: its number, or that of another one; 0 also where nothing is.
    places: Box<[u8; PLACES]>,
    /// By number; no word is 0, so nothing is found before it was added.
    words: Box<[u32; MOST]>,
    /// How many there are.
    different: usize,
}

impl Default for Table {
    fn default() -> Table {
        Table { places: Box::new([0; PLACES]), words: Box::new([0; MOST]), different: 0 }
    }
}

impl Dictionary {
    /// Fills `out` with what these words (none of them 0) are told by; `false` if too many are different.
    pub(super) fn pack(&mut self, words: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        if !self.number(words.as_chunks().0) {
            return false;
        }
        let different = self.table.different;
        out.extend_from_slice(&(different as u16).to_le_bytes());
        out.extend(self.table.words[..different].iter().flat_map(|word| word.to_le_bytes()));
        let join = [join::<1>, join::<2>, join::<3>, join::<4>, join::<5>, join::<6>, join::<7>, join::<8>];
        join[bits(different) - 1](&self.numbers, out);
        true
    }

    /// Finds the number of each word; whether few enough are different.
    fn number(&mut self, words: &[[u8; 4]]) -> bool {
        let Dictionary { table, numbers } = self;
        table.places.fill(0);
        table.words.fill(0);
        table.different = 0;
        numbers.resize(words.len(), 0);
        let (lines, rest) = words.as_chunks::<LINE>();
        let (of_lines, of_rest) = numbers.as_chunks_mut::<LINE>();
        for (line, numbers) in lines.iter().zip(of_lines) {
            let (places, words, mut is_other) = (&*table.places, &*table.words, 0);
            for (word, number) in line.iter().zip(&mut *numbers) {
                let word = u32::from_le_bytes(*word);
                *number = places[first_place(word)];
                is_other |= words[usize::from(*number)] ^ word;
            }
            if is_other != 0 && !table.find(line, numbers) {
                return false;
            }
        }
        table.find(rest, of_rest)
    }
}

impl Table {
    /// The numbers of words of which some are new, or lie elsewhere since another one has their first place;
    /// `false` if one is one too many.
    #[cold]
    fn find(&mut self, words: &[[u8; 4]], numbers: &mut [u8]) -> bool {
        let found = words.iter().zip(numbers).map(|(word, number)| {
            *number = self.find_one(u32::from_le_bytes(*word))?;
            Some(())
        });
        found.collect::<Option<()>>().is_some()
    }

    fn find_one(&mut self, word: u32) -> Option<u8> {
        let mut at = first_place(word);
        loop {
            let number = self.places[at];
            if self.words[usize::from(number)] == word {
                return Some(number);
            }
            // The word with the number 0 came first, so it lies where it is looked for first.
            if number == 0 && (self.different == 0 || at != first_place(self.words[0])) {
                break;
            }
            at = (at + 1) % PLACES;
        }
        let number = u8::try_from(self.different).ok()?;
        self.words[self.different] = word;
        self.places[at] = number;
        self.different += 1;
        Some(number)
    }
}

fn first_place(word: u32) -> usize {
    (word.wrapping_mul(0x9e37_79b1) >> (u32::BITS - PLACE_BITS)) as usize
}

/// The bits of a number where so many words are different.
fn bits(different: usize) -> usize {
    different.saturating_sub(1).max(1).ilog2() as usize + 1
}

/// Eight numbers of a byte each become numbers of `BITS` each, or the other way round: in three steps each
/// second one moves to the one before it, first single ones, then twos, then fours. For a step: what stays of
/// both, what moves, and how far.
const fn step<const BITS: usize>(step: usize) -> (u64, u64, usize) {
    let (apart, bits) = (8 << step, BITS << step);
    let (mut stays, mut at) = (0, 0);
    while at < 64 {
        stays |= ((1 << bits) - 1) << at;
        at += 2 * apart;
    }
    (stays, stays << bits, apart - bits)
}

/// Appends numbers of so many bits.
fn join<const BITS: usize>(numbers: &[u8], out: &mut Vec<u8>) {
    let join = |numbers: [u8; 8]| {
        let mut all = u64::from_le_bytes(numbers);
        for at in 0..3 {
            let (stays, moves, far) = step::<BITS>(at);
            all = all & stays | all >> far & moves;
        }
        all.to_le_bytes()
    };
    let (whole, rest) = numbers.as_chunks::<8>();
    out.extend(whole.iter().flat_map(|numbers| *join(*numbers).first_chunk::<BITS>().unwrap_or(&[0; BITS])));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    out.extend_from_slice(&join(last)[..(rest.len() * BITS).div_ceil(8)]);
}

/// Fills `out` with the bytes of so many words that [`Dictionary::pack`] packed; whether that is what they
/// are.
pub(super) fn unpack(packed: &[u8], count: usize, out: &mut Vec<u8>) -> bool {
    out.clear();
    let Some((different, rest)) = packed.split_first_chunk() else { return false };
    let different = usize::from(u16::from_le_bytes(*different));
    let Some((words, numbers)) = rest.split_at_checked(different * 4).filter(|_| different <= MOST) else {
        return false;
    };
    let (words, _) = words.as_chunks::<4>();
    let bits = bits(different);
    if numbers.len() != (count * bits).div_ceil(8) {
        return false;
    }
    // As long as a number can be large, and 0 where there is no such word.
    let mut table = [[0; 4]; MOST];
    table[..different].copy_from_slice(words);
    out.reserve(count * 4 + 32);
    let split =
        [split::<1>, split::<2>, split::<3>, split::<4>, split::<5>, split::<6>, split::<7>, split::<8>];
    split[bits - 1](&table, numbers, out);
    out.truncate(count * 4);
    // No word is 0, so none of them lay behind the table's end.
    different == MOST || !out.as_chunks::<4>().0.contains(&[0; 4])
}

/// Appends the words of numbers of so many bits, eight at a time.
fn split<const BITS: usize>(table: &[[u8; 4]; MOST], numbers: &[u8], out: &mut Vec<u8>) {
    let split = |numbers: &[u8]| {
        let mut all = [0; 8];
        all[..numbers.len()].copy_from_slice(numbers);
        let mut all = u64::from_le_bytes(all);
        for at in (0..3).rev() {
            let (stays, moves, far) = step::<BITS>(at);
            all = all & stays | (all & moves) << far;
        }
        all.to_le_bytes().map(|number| table[usize::from(number)])
    };
    numbers.chunks(BITS).for_each(|numbers| out.extend_from_slice(split(numbers).as_flattened()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::maker::Dice;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The same by the plainest way: where each word stands among the ones before it.
    fn plain(words: &[u32]) -> Option<Vec<u8>> {
        let mut table: Vec<u32> = vec![];
        let mut numbers = vec![];
        for word in words {
            let known = table.iter().position(|other| other == word);
            numbers.push(known.unwrap_or(table.len()));
            if known.is_none() {
                table.push(*word);
            }
        }
        let bits = match table.len() {
            257.. => return None,
            129.. => 8,
            65.. => 7,
            33.. => 6,
            17.. => 5,
            9.. => 4,
            5.. => 3,
            3.. => 2,
            _ => 1,
        };
        let mut out = (table.len() as u16).to_le_bytes().to_vec();
        out.extend(bytes(&table));
        let start = out.len();
        out.resize(start + (words.len() * bits).div_ceil(8), 0);
        for (at, number) in numbers.into_iter().enumerate() {
            for bit in (0..bits).filter(|bit| number >> bit & 1 != 0) {
                out[start + (at * bits + bit) / 8] |= 1 << ((at * bits + bit) % 8);
            }
        }
        Some(out)
    }

    #[test]
    fn it_is_what_the_plainest_way_gives_and_comes_back() {
        let (mut dice, mut dictionary) = (Dice(5), Dictionary::default());
        let (mut packed, mut back) = (vec![], vec![]);
        let mut seen = std::collections::BTreeSet::new();
        for round in 0..600 {
            let different = [1, 2, 3, 4, 5, 8, 9, 16, 17, 40, 64, 100, 200, 256, 257, 400][round % 16];
            // Some that want the same place, some that differ in a few bits.
            let all: Vec<u32> = (0..different)
                .map(|at| match dice.roll(3) {
                    0 => 1 << (at % 32),
                    1 => (dice.roll(1 << 12) << 20).wrapping_mul(0x144c_bc89) | 1,
                    _ => dice.roll(u32::MAX - 1) + 1,
                })
                .collect();
            let words: Vec<u32> = (0..dice.roll(1500)).map(|_| all[dice.roll(different) as usize]).collect();
            let expected = plain(&words);
            let fits = dictionary.pack(&bytes(&words), &mut packed);
            assert_eq!(fits.then_some(&packed), expected.as_ref(), "{round}");
            seen.insert(expected.map(|packed| bits(usize::from(packed[0]) + 256 * usize::from(packed[1]))));
            if fits {
                assert!(unpack(&packed, words.len(), &mut back));
                assert_eq!(back, bytes(&words));
            }
        }
        assert_eq!(seen.len(), 9, "no dictionary, and one of each width: {seen:?}");
    }

    #[test]
    fn what_was_never_packed_is_refused() {
        let (mut packed, mut out) = (vec![], vec![]);
        let words: Vec<u32> = (0..100).map(|at| 7 + at % 3).collect();
        assert!(Dictionary::default().pack(&bytes(&words), &mut packed));
        (0..packed.len()).for_each(|cut| assert!(!unpack(&packed[..cut], 100, &mut out), "{cut}"));
        [0, 96, 101, usize::MAX >> 8].iter().for_each(|&count| assert!(!unpack(&packed, count, &mut out)));
        let at = packed.len() - 1;
        packed[at] |= 3;
        assert!(!unpack(&packed, 100, &mut out), "there are three words, and none has the number 3");
        assert!(!unpack(&[1, 1, 9, 9, 9, 9, 0], 1, &mut out), "257 are too many");
        assert!(unpack(&[0, 0], 0, &mut out) && out.is_empty());
    }
}
