//! Words encoded by their numbers in a table of the different ones: a chunk has many words and often few
//! different ones, since the paths of a loop recur. They also recur in the same order, so the table may be one of
//! units of two, four or eight words: shorter, and sooner done.
//!
//! ```text
//! different u16 | the different units in the order of their first appearance | numbers of all units    bits.rs
//!
//! units of one word       u32 each
//! units of more of them   different u16 | these words u32 each | numbers of all words of the units
//!                         or, if more than 256 are different: 0 u16 | all words of the units u32 each
//! ```
//!
//! Little-endian. How many words there are stands in the chunk's head, how many a unit has in the frame's flags.
//! The last unit is filled up with zeros; no word is 0. Pure: bytes in, bytes out.

mod bits;
mod table;

use table::{MOST, Table};

/// How many words a unit can have, by the number that stands in a frame's flags.
pub(super) const WORDS: [usize; 4] = [1, 2, 4, 8];

/// Looks units up. Reused from chunk to chunk for its memory.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    ones: Box<Table<4>>,
    twos: Box<Table<8>>,
    fours: Box<Table<16>>,
    eights: Box<Table<32>>,
    /// The number of each unit of the chunk.
    numbers: Vec<u8>,
    /// The words of the different ones.
    units: Vec<u8>,
    /// The number of each word of the units.
    of_words: Vec<u8>,
    /// The different words of the units.
    singles: Vec<u8>,
}

impl Dictionary {
    /// Fills `out` with what these words (none of them 0) are expressed by, in units of [`WORDS`]`[unit]`; `false` if
    /// too many are different.
    pub(super) fn pack(&mut self, words: &[u8], unit: usize, out: &mut Vec<u8>) -> bool {
        let done = self.number(words, unit);
        if done {
            self.put(unit, out);
        }
        done
    }

    /// Fills `out` with what was found.
    fn put(&mut self, unit: usize, out: &mut Vec<u8>) {
        out.clear();
        let different = self.units.len() / (4 * WORDS[unit]);
        put_size(different, out);
        if unit == 0 {
            out.extend_from_slice(&self.units);
        } else {
            self.put_units(out);
        }
        bits::join(&self.numbers, bits::enough_for(different), out);
    }

    /// Finds the units' numbers and the different ones of them.
    fn number(&mut self, words: &[u8], unit: usize) -> bool {
        let Dictionary { ones, twos, fours, eights, numbers, units, .. } = self;
        match unit {
            0 => ones.number(words, numbers, units),
            1 => twos.number(words, numbers, units),
            2 => fours.number(words, numbers, units),
            _ => eights.number(words, numbers, units),
        }
    }

    /// Appends the words of the different units.
    fn put_units(&mut self, out: &mut Vec<u8>) {
        let Dictionary { ones, units, of_words, singles, .. } = self;
        if ones.number(units, of_words, singles) {
            let different = singles.len() / 4;
            put_size(different, out);
            out.extend_from_slice(singles);
            bits::join(of_words, bits::enough_for(different), out);
        } else {
            put_size(0, out);
            out.extend_from_slice(units);
        }
    }
}

/// Appends a count of different ones.
fn put_size(different: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(different as u16).to_le_bytes());
}

/// Fills `out` with the bytes of so many words that [`Dictionary::pack`] packed; whether that is what they
/// are.
pub(super) fn unpack(packed: &[u8], unit: usize, count: usize, out: &mut Vec<u8>) -> bool {
    let done = match unit {
        0 => units::<4>(packed, count, out),
        1 => units::<8>(packed, count, out),
        2 => units::<16>(packed, count, out),
        3 => units::<32>(packed, count, out),
        _ => None,
    };
    // No word is 0, so none came from behind a table's end.
    done.is_some() && !out.as_chunks::<4>().0.contains(&[0; 4])
}

fn units<const BYTES: usize>(packed: &[u8], count: usize, out: &mut Vec<u8>) -> Option<()> {
    out.clear();
    let (different, rest) = size(packed)?;
    // As long as a number can be large, and 0 where there is no such unit.
    let mut table = [[0; BYTES]; MOST];
    let known = table.get_mut(..different)?.as_flattened_mut();
    let rest = match BYTES {
        4 => words(rest, known)?,
        _ => match size(rest)? {
            (0, rest) => words(rest, known)?,
            (singles, rest) => {
                let mut single = [[0; 4]; MOST];
                let rest = words(rest, single.get_mut(..singles)?.as_flattened_mut())?;
                looked_up(rest, singles, &single, known)?
            }
        },
    };
    // Checked before memory is taken for as many words as the head claims.
    let units = count.div_ceil(BYTES / 4);
    if rest.len() != bits::bytes_of(units, bits::enough_for(different)) {
        return None;
    }
    out.resize(units * BYTES, 0);
    looked_up(rest, different, &table, out)?;
    out.truncate(count * 4);
    Some(())
}

/// A count of different ones.
fn size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    Some((usize::from(u16::from_le_bytes(*count)), rest))
}

/// Copies what stands there; what follows it.
fn words<'b>(bytes: &'b [u8], to: &mut [u8]) -> Option<&'b [u8]> {
    let (words, rest) = bytes.split_at_checked(to.len())?;
    to.copy_from_slice(words);
    Some(rest)
}

/// Fills `to` with those that the numbers mean; what follows these.
fn looked_up<'b, const BYTES: usize>(
    bytes: &'b [u8],
    different: usize,
    table: &[[u8; BYTES]; MOST],
    to: &mut [u8],
) -> Option<&'b [u8]> {
    let (to, _) = to.as_chunks_mut::<BYTES>();
    let bits = bits::enough_for(different);
    let (bytes, rest) = bytes.split_at_checked(bits::bytes_of(to.len(), bits))?;
    let mut numbers = Vec::new();
    bits::split(bytes, bits, to.len(), &mut numbers);
    to.iter_mut().zip(numbers).for_each(|(to, number)| *to = table[usize::from(number)]);
    Some(rest)
}

#[cfg(test)]
mod tests;
