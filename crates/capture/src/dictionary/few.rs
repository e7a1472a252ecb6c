//! Chunks of few different words, as a loop leaves them: each word is told by a code of four bits, and so a unit of
//! up to four words by a number that is small enough to look it up as it is.
//!
//! ```text
//! words -> codes, half a byte each   lanes.rs
//! codes -> a unit of one, two or four words is an index of half a byte, one, or two: its number stands there
//!          one of eight words is four bytes of a table                        table.rs
//! in a hurry, where fewer than 16 units of two words are different:
//!          two of their numbers in a byte are the index of a unit of four
//! ```
//!
//! It finds the same as a [`Table`] of the words, in half to two thirds of the time.

use super::bits;
use super::lanes::{self, BLOCK, Book, CODES, NONE};
use super::table::Table;

/// A word has one of so many codes, from 1 on: 0 is what a unit is filled up with.
const WORDS: usize = 15;

/// After a chunk with more different words it is not tried once, after another such chunk three times, and so on up to
/// this.
const LONGEST_PAUSE: u32 = 31;

/// Where no book is found with so many factors, there is hardly one. With 15 words it takes a hundred.
const TRIES: usize = 2_000;

/// Known words are kept from chunk to chunk, and all else for its memory only.
#[derive(Debug)]
pub(super) struct Few {
    book: Book,
    /// By code - 1.
    words: Vec<u32>,
    /// How many times it is not tried, and how many it was not the last time.
    pause: u32,
    last_pause: u32,
    codes: Vec<[u8; CODES]>,
    /// The number of a unit by its codes; [`NONE`] is that of the last one that there can be, too.
    numbers: Box<[u8; 1 << 16]>,
    /// The codes of the different units.
    units: Vec<u16>,
    eights: Box<Table<4>>,
    /// Numbers of units of two words, two in a byte; the different ones of these bytes, and their numbers.
    pairs: Vec<u8>,
    fours: Vec<u8>,
    of_fours: Vec<u8>,
}

impl Default for Few {
    fn default() -> Few {
        Few {
            book: Book { factor: 0x9e37_79b1, ..Book::default() },
            words: Vec::new(),
            pause: 0,
            last_pause: 0,
            codes: Vec::new(),
            numbers: Box::new([NONE; 1 << 16]),
            units: Vec::new(),
            eights: Box::default(),
            pairs: Vec::new(),
            fours: Vec::new(),
            of_fours: Vec::new(),
        }
    }
}

impl Few {
    /// As [`Table::number`], for units of [`super::WORDS`]`[unit]` words; `None` where there is no saying it in this
    /// way.
    pub(super) fn number(
        &mut self,
        words: &[u8],
        unit: usize,
        numbers: &mut Vec<u8>,
        different: &mut Vec<u8>,
    ) -> Option<bool> {
        if !lanes::are_there() || self.pause > 0 {
            self.pause = self.pause.saturating_sub(1);
            return None;
        }
        let knew_some = !self.words.is_empty();
        let mut is_told = self.tell(words);
        if !is_told {
            self.forget();
        }
        // Known ones that come no more may have taken the room of others.
        if !is_told && knew_some {
            is_told = self.tell(words);
        }
        if !is_told {
            self.forget();
            self.last_pause = (self.last_pause * 2 + 1).min(LONGEST_PAUSE);
            self.pause = self.last_pause;
            return None;
        }
        self.last_pause = 0;
        let codes = std::mem::take(&mut self.codes);
        let count = words.len() / 4;
        let bytes = &codes.as_flattened()[..count.div_ceil(2)];
        different.clear();
        let done = match unit {
            0 => {
                let ones: Vec<[u8; 1]> = bytes.iter().flat_map(|two| [[two & 15], [two >> 4]]).collect();
                self.number_all(&ones[..count], numbers, different, 1)
            }
            1 => {
                // There are at most 240, for no word is 0.
                number_bytes(bytes, numbers, |unit| self.put_words(u16::from(unit), 2, different));
                true
            }
            2 => {
                let units = count.div_ceil(4);
                self.number_all(&codes.as_flattened().as_chunks::<2>().0[..units], numbers, different, 4)
            }
            _ => {
                let mut units = Vec::new();
                let done = self.eights.number(bytes, numbers, &mut units);
                units.iter().for_each(|two| self.put_words(u16::from(*two), 2, different));
                done
            }
        };
        self.codes = codes;
        Some(done)
    }

    /// No word is known any more.
    fn forget(&mut self) {
        self.words.clear();
        self.book = Book { factor: self.book.factor, ..Book::default() };
    }

    /// Fills `codes` with those of all words; whether all have one.
    fn tell(&mut self, words: &[u8]) -> bool {
        let (whole, rest) = words.as_chunks::<BLOCK>();
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        self.codes.resize(whole.len() + 1, [0; CODES]);
        let mut at = 0;
        while at < whole.len() {
            at += lanes::codes(&self.book, &whole[at..], &mut self.codes[at..]);
            if whole.get(at).is_some_and(|block| !self.learn(block)) {
                return false;
            }
        }
        self.learn(&last) && lanes::codes(&self.book, &[last], &mut self.codes[at..]) == 1
    }

    /// Takes the words of a block into the book; whether it has room for all.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, block: &[u8; BLOCK]) -> bool {
        let known = self.words.len();
        for word in block.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)) {
            let is_known = self.book.words[lanes::place(word, self.book.factor)] == word;
            if is_known || self.words[known..].contains(&word) {
                continue;
            }
            if self.words.len() == WORDS {
                return false;
            }
            self.words.push(word);
        }
        self.words.len() == known || self.arrange()
    }

    /// Looks for a factor by which each word has a place of its own, and writes the book.
    fn arrange(&mut self) -> bool {
        let mut factor = self.book.factor;
        for _ in 0..TRIES {
            let mut taken = 1u32;
            let is_free = |word: &u32| {
                let place = 1 << lanes::place(*word, factor);
                let is_free = taken & place == 0;
                taken |= place;
                is_free
            };
            if self.words.iter().all(is_free) {
                self.book = Book { factor, ..Book::default() };
                for (word, code) in self.words.iter().zip(1..) {
                    let place = lanes::place(*word, factor);
                    (self.book.words[place], self.book.codes[place]) = (*word, code);
                }
                return true;
            }
            factor = factor.wrapping_mul(0x2c92_77b5).wrapping_add(0xac56_4b06) | 1;
        }
        false
    }

    /// Makes units of four words out of numbered ones of two, where that takes fewer bits; whether it does.
    pub(super) fn join_twos(&mut self, numbers: &mut Vec<u8>, different: &mut Vec<u8>) -> bool {
        let (twos, _) = different.as_chunks::<8>();
        // Half a byte tells each, and one more of zeros, which fills up the last unit.
        let mut known = [[0; 8]; 16];
        if twos.len() >= known.len() {
            return false;
        }
        known[..twos.len()].copy_from_slice(twos);
        let filler = twos.len() as u8;
        let (pairs, rest) = numbers.as_chunks::<2>();
        self.pairs.clear();
        self.pairs.extend(pairs.iter().map(|[first, second]| first | second << 4));
        self.pairs.extend(rest.iter().map(|first| first | filler << 4));
        self.fours.clear();
        number_bytes(&self.pairs, &mut self.of_fours, |pair| self.fours.push(pair));
        if bits::enough_for(self.fours.len()) >= 2 * bits::enough_for(twos.len()) {
            return false;
        }
        std::mem::swap(numbers, &mut self.of_fours);
        different.clear();
        for pair in &self.fours {
            different.extend_from_slice(&known[usize::from(pair & 15)]);
            different.extend_from_slice(&known[usize::from(pair >> 4)]);
        }
        true
    }

    /// Finds the number of each unit by its codes, and the words of the different ones.
    fn number_all<const BYTES: usize>(
        &mut self,
        units: &[[u8; BYTES]],
        numbers: &mut Vec<u8>,
        different: &mut Vec<u8>,
        words: usize,
    ) -> bool {
        self.units.drain(..).for_each(|unit| self.numbers[usize::from(unit)] = NONE);
        numbers.clear();
        numbers.resize(units.len(), 0);
        // New ones are few, and most of them come first, so there is one branch for many.
        let (whole, rest) = units.as_chunks::<64>();
        let (to, to_rest) = numbers.as_chunks_mut::<64>();
        for (units, to) in whole.iter().zip(to) {
            let by_codes = &*self.numbers;
            units.iter().zip(&mut *to).for_each(|(unit, to)| *to = by_codes[index(unit)]);
            let is_new = to.iter().fold(false, |is_new, number| is_new | (*number == NONE));
            if is_new && !self.find_all(units, to) {
                return false;
            }
        }
        if !self.find_all(rest, to_rest) {
            return false;
        }
        let units = std::mem::take(&mut self.units);
        units.iter().for_each(|unit| self.put_words(*unit, words, different));
        self.units = units;
        true
    }

    /// Finds the numbers of units of which some may be new; whether all have one.
    #[cold]
    fn find_all<const BYTES: usize>(&mut self, units: &[[u8; BYTES]], numbers: &mut [u8]) -> bool {
        units.iter().zip(numbers).all(|(unit, number)| self.find(index(unit), number))
    }

    /// The number of a unit that may be new; whether it has one.
    fn find(&mut self, unit: usize, number: &mut u8) -> bool {
        *number = self.numbers[unit];
        if *number != NONE || self.units.get(usize::from(NONE)) == Some(&(unit as u16)) {
            return true;
        }
        let Ok(new) = u8::try_from(self.units.len()) else { return false };
        self.units.push(unit as u16);
        self.numbers[unit] = new;
        *number = new;
        true
    }

    /// Appends so many words by their codes.
    fn put_words(&self, unit: u16, words: usize, to: &mut Vec<u8>) {
        for at in 0..words {
            let code = usize::from(unit >> (4 * at) & 15);
            let word = code.checked_sub(1).and_then(|at| self.words.get(at)).copied();
            to.extend(word.unwrap_or_default().to_le_bytes());
        }
    }
}

/// Finds the number of each unit that a byte tells. The caller knows that at most 255 are different; `put` is told
/// these in the order of their first appearance.
fn number_bytes(units: &[u8], numbers: &mut Vec<u8>, mut put: impl FnMut(u8)) {
    let mut by_byte = [NONE; 256];
    let mut count = 0;
    numbers.clear();
    numbers.resize(units.len(), 0);
    let (lines, rest) = units.as_chunks();
    let (to, to_rest) = numbers.as_chunks_mut();
    let mut at = 0;
    loop {
        at += lanes::numbers(&by_byte, &lines[at..], &mut to[at..]);
        // What comes first, then each line with a new one, and then what is less than a line.
        let line = lines.get(at).map_or(rest, |line| &line[..]);
        for unit in line {
            let number = &mut by_byte[usize::from(*unit)];
            if *number == NONE {
                *number = count;
                count += 1;
                put(*unit);
            }
        }
        if at == lines.len() {
            break;
        }
    }
    to_rest.iter_mut().zip(rest).for_each(|(to, unit)| *to = by_byte[usize::from(*unit)]);
}

/// Of one or two bytes.
#[inline]
fn index<const BYTES: usize>(unit: &[u8; BYTES]) -> usize {
    let mut index = [0; 2];
    index[..BYTES].copy_from_slice(unit);
    usize::from(u16::from_le_bytes(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maker::Dice;

    /// The numbers, the different units and whether that can be done.
    fn by_table<const BYTES: usize>(words: &[u8]) -> (bool, Vec<u8>, Vec<u8>) {
        let (mut table, mut numbers, mut different) = (Box::<Table<BYTES>>::default(), vec![], vec![]);
        let done = table.number(words, &mut numbers, &mut different);
        (done, numbers, different)
    }

    #[test]
    fn it_finds_what_a_table_of_the_words_finds() {
        let (mut dice, mut few) = (Dice(11), Few::default());
        let (mut tried, mut too_many) = (0, 0);
        for round in 0..1200 {
            let different = dice.roll(if round % 40 < 30 { 15 } else { 40 }) + 1;
            let all: Vec<u32> = (0..different)
                .map(|at| if dice.roll(2) == 0 { 1 << (at % 32) } else { dice.roll(u32::MAX - 1) + 1 })
                .collect();
            // Iterations of a few words, with a slip more or less often: some hundred different units, or two.
            let slip = 1 << dice.roll(8);
            let words: Vec<u8> = (0..dice.roll(5000))
                .map(|at| if dice.roll(slip) == 0 { dice.roll(different) } else { at % different })
                .flat_map(|at| all[at as usize].to_le_bytes())
                .collect();
            let expected = [
                by_table::<4>(&words),
                by_table::<8>(&words),
                by_table::<16>(&words),
                by_table::<32>(&words),
            ];
            let is_few = expected[0].2.len() / 4 <= WORDS;
            for (unit, (done, numbers, units)) in expected.into_iter().enumerate() {
                let (mut found, mut found_units) = (vec![], vec![]);
                few.pause = 0;
                let way = few.number(&words, unit, &mut found, &mut found_units);
                if !lanes::are_there() || !is_few {
                    assert_eq!(way, None, "{round} {unit}");
                    continue;
                }
                assert_eq!(way, Some(done), "{round} {unit}");
                if done {
                    assert_eq!((found, &found_units), (numbers, &units), "{round} {unit}");
                }
                tried += 1;
                too_many += usize::from(!done);
            }
        }
        if lanes::are_there() {
            assert!(tried > 2_000 && too_many > 200, "{tried} {too_many}");
        }
    }

    #[test]
    fn as_many_units_have_a_number_as_in_a_table() {
        for (count, fits) in [(255, true), (256, true), (257, false)] {
            // Each unit is its number in sevens, and all come twice.
            let words: Vec<u8> = (0..2 * count)
                .flat_map(|at| [1, 7, 49, 343].map(|digit| 9 + at % count / digit % 7))
                .flat_map(u32::to_le_bytes)
                .collect();
            let expected = by_table::<16>(&words);
            assert_eq!(expected.0, fits);
            let (mut numbers, mut units) = (vec![], vec![]);
            let way = Few::default().number(&words, 2, &mut numbers, &mut units);
            assert_eq!(way, lanes::are_there().then_some(fits));
            if way == Some(true) {
                assert_eq!((numbers, units), (expected.1, expected.2));
            }
        }
    }

    #[test]
    fn many_words_are_tried_less_and_less_often() {
        let words: Vec<u8> = (1..=64u32).flat_map(u32::to_le_bytes).collect();
        let mut few = Few::default();
        let mut tried = vec![];
        for chunk in 0..100 {
            let pause = few.pause;
            assert_eq!(few.number(&words, 2, &mut vec![], &mut vec![]), None);
            tried.extend((few.pause > pause).then_some(chunk));
        }
        let expected = if lanes::are_there() { vec![0, 2, 6, 14, 30, 62, 94] } else { vec![] };
        assert_eq!(tried, expected);
    }
}
