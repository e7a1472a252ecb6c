//! Against the plainest way to do the same, and on bytes that nobody packed.

use std::collections::BTreeSet;

use super::*;
use crate::fixture::Rng;

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Where each one stands among the different ones before it, and these.
fn numbered<T: PartialEq + Clone>(all: &[T]) -> (Vec<T>, Vec<usize>) {
    let mut table: Vec<T> = vec![];
    let mut numbers = vec![];
    for one in all {
        let known = table.iter().position(|other| other == one);
        numbers.push(known.unwrap_or(table.len()));
        if known.is_none() {
            table.push(one.clone());
        }
    }
    (table, numbers)
}

/// Numbers below this in as few bits as are enough, bit by bit.
fn in_bits(numbers: &[usize], different: usize) -> Vec<u8> {
    let bits = (1..).find(|bits| 1 << bits >= different).unwrap();
    let mut out = vec![0; (numbers.len() * bits).div_ceil(8)];
    for (at, number) in numbers.iter().enumerate() {
        for bit in (0..bits).filter(|bit| number >> bit & 1 != 0) {
            out[(at * bits + bit) / 8] |= 1 << ((at * bits + bit) % 8);
        }
    }
    out
}

/// The same by the plainest way.
fn plain(words: &[u32], unit: usize) -> Option<Vec<u8>> {
    let mut filled = words.to_vec();
    filled.resize(words.len().next_multiple_of(WORDS[unit]), 0);
    let units: Vec<&[u32]> = filled.chunks(WORDS[unit]).collect();
    let (table, numbers) = numbered(&units);
    let mut out = (table.len() as u16).to_le_bytes().to_vec();
    let words = table.concat();
    let (singles, of_words) = numbered(&words);
    match (unit, singles.len()) {
        (0, _) => out.extend(bytes(&words)),
        (_, 257..) => {
            out.extend([0, 0]);
            out.extend(bytes(&words));
        }
        (_, count) => {
            out.extend((count as u16).to_le_bytes());
            out.extend(bytes(&singles));
            out.extend(in_bits(&of_words, count));
        }
    }
    out.extend(in_bits(&numbers, table.len()));
    (table.len() <= 256).then_some(out)
}

#[test]
fn it_is_what_the_plainest_path_gives_and_comes_back() {
    let (mut rng, mut dictionary) = (Rng(5), Dictionary::default());
    let (mut packed, mut back) = (vec![], vec![]);
    let (mut widths, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    for round in 0..2400 {
        let (unit, kind) = (round % 4, round / 4);
        let different = [1, 2, 3, 4, 5, 8, 9, 16, 17, 40, 64, 100, 200, 256, 257, 400][kind % 16];
        // Some that want the same slot, some that differ in a few bits.
        let all: Vec<u32> = (0..different)
            .map(|at| match rng.roll(3) {
                0 => 1 << (at % 32),
                1 => (rng.roll(1 << 12) << 20).wrapping_mul(0x144c_bc89) | 1,
                _ => rng.roll(u32::MAX - 1) + 1,
            })
            .collect();
        // In any order, or always in the same one with a slip now and then.
        let (count, is_regular) = (rng.roll(3000), rng.roll(2) == 0);
        let words: Vec<u32> = (0..count)
            .map(|at| {
                let slips = !is_regular || rng.roll(100) == 0;
                all[if slips { rng.roll(different) } else { at % different } as usize]
            })
            .collect();
        let expected = plain(&words, unit);
        let fits = dictionary.pack(&bytes(&words), unit, &mut packed);
        assert_eq!(fits.then_some(&packed), expected.as_ref(), "{round}");
        let width =
            |packed: &Vec<u8>| bits::enough_for(usize::from(packed[0]) + 256 * usize::from(packed[1]));
        widths.insert((unit, expected.as_ref().map(width)));
        kinds.extend(expected.filter(|_| unit > 0).map(|packed| (unit, packed[2..4] == [0, 0])));
        if fits {
            assert!(unpack(&packed, unit, words.len(), &mut back));
            assert_eq!(back, bytes(&words));
        }
    }
    assert_eq!(widths.len(), 4 * 9, "no dictionary and one of each width, for each unit: {widths:?}");
    assert_eq!(kinds.len(), 3 * 2, "numbers for the words of long units, and none: {kinds:?}");
}

#[test]
fn what_was_never_packed_is_refused() {
    let mut out = vec![];
    let words: Vec<u32> = (0..96).map(|at| 7 + at % 3).collect();
    for unit in 0..4 {
        let mut packed = vec![];
        assert!(Dictionary::default().pack(&bytes(&words), unit, &mut packed));
        (0..packed.len()).for_each(|cut| assert!(!unpack(&packed[..cut], unit, 96, &mut out), "{cut}"));
        let wrong = [0, 40, 140, usize::MAX >> 8];
        wrong.iter().for_each(|&count| assert!(!unpack(&packed, unit, count, &mut out), "{unit} {count}"));
        let at = packed.len() - 1;
        packed[at] = 255;
        assert!(!unpack(&packed, unit, 96, &mut out), "nothing has the last number of {unit}");
    }
    assert!(!unpack(&[1, 1, 9, 9, 9, 9, 0], 0, 1, &mut out), "257 are too many");
    assert!(!unpack(&[1, 0, 1, 1, 9, 9, 9, 9, 0, 0], 1, 2, &mut out), "257 words are too many");
    assert!(!unpack(&[1, 0, 0, 0, 0, 0, 0, 0], 0, 1, &mut out), "no word is 0");
    assert!(unpack(&[0, 0], 0, 0, &mut out) && out.is_empty());
    assert!(!unpack(&[0, 0], 4, 0, &mut out), "there are no such units");
}
