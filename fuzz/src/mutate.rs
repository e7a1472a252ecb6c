//! Seeded mutations: from kept inputs to new ones, the same for the same seed on every machine.
//!
//! Blind, that is without looking at coverage: what it lacks in wit it has in speed, and it needs
//! no special toolchain. cargo-fuzz does the clever search over the same targets.

/// A small random generator (splitmix64). Good enough to choose mutations, and for nothing else.
#[derive(Debug, Clone)]
pub struct Rng(pub u64);

impl Rng {
    /// The next 64 random bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.draw() % bound as u64) as usize }
    }
}

/// Numbers that length, offset and time fields break on.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    i64::MAX as u64,
    u64::MAX,
];

/// Makes the next input: an element of `corpus` with one to eight changes, or now and then noise.
///
/// `out` is overwritten and never longer than `longest`.
pub fn mutate(rng: &mut Rng, corpus: &[Vec<u8>], longest: usize, out: &mut Vec<u8>) {
    out.clear();
    if let Some(seed) = corpus.get(rng.below(corpus.len())).filter(|_| rng.below(64) != 0) {
        out.extend_from_slice(&seed[..seed.len().min(longest)]);
    } else {
        let len = rng.below(256.min(longest));
        out.extend((0..len).map(|_| rng.draw() as u8));
    }
    for _ in 0..=rng.below(8) {
        change(rng, corpus, out);
    }
    out.truncate(longest);
}

fn change(rng: &mut Rng, corpus: &[Vec<u8>], out: &mut Vec<u8>) {
    let at = rng.below(out.len());
    match rng.below(9) {
        0 => flip_bit(rng, out, at),
        1 => set_byte(rng, out, at),
        2 => overwrite_number(rng, out, at),
        3 => out.truncate(at),
        4 => drop(out.drain(..at.min(64))),
        5 => remove_range(rng, out, at),
        6 => repeat_range(rng, out, at),
        7 => insert_bytes(rng, out, at),
        _ => splice(rng, corpus, out, at),
    }
}

fn flip_bit(rng: &mut Rng, out: &mut [u8], at: usize) {
    if let Some(byte) = out.get_mut(at) {
        *byte ^= 1 << rng.below(8);
    }
}

fn set_byte(rng: &mut Rng, out: &mut [u8], at: usize) {
    if let Some(byte) = out.get_mut(at) {
        *byte = rng.draw() as u8;
    }
}

/// Binary numbers of 1, 2, 4 or 8 bytes in both orders, and the same number as decimal text.
fn overwrite_number(rng: &mut Rng, out: &mut Vec<u8>, at: usize) {
    let number = NUMBERS[rng.below(NUMBERS.len())];
    let width = 1 << rng.below(4);
    let text = number.to_string();
    let little = number.to_le_bytes();
    let big = number.to_be_bytes();
    let bytes = match rng.below(3) {
        0 => &little[..width],
        1 => &big[8 - width..],
        _ => text.as_bytes(),
    };
    let end = (at + bytes.len()).min(out.len());
    out.splice(at..end, bytes.iter().copied());
}

fn remove_range(rng: &mut Rng, out: &mut Vec<u8>, at: usize) {
    let end = at + rng.below((out.len() - at).min(512));
    out.drain(at..end);
}

fn repeat_range(rng: &mut Rng, out: &mut Vec<u8>, at: usize) {
    let range = out[at..at + rng.below((out.len() - at).min(128))].to_vec();
    for _ in 0..=rng.below(8) {
        out.splice(at..at, range.iter().copied());
    }
}

fn insert_bytes(rng: &mut Rng, out: &mut Vec<u8>, at: usize) {
    let byte = if rng.below(2) == 0 { rng.draw() as u8 } else { b"{}[]<>;:=.\"\\ \n\0"[rng.below(15)] };
    let count = 1 + rng.below(16);
    out.splice(at..at, std::iter::repeat_n(byte, count));
}

fn splice(rng: &mut Rng, corpus: &[Vec<u8>], out: &mut Vec<u8>, at: usize) {
    let Some(other) = corpus.get(rng.below(corpus.len())) else { return };
    let start = rng.below(other.len());
    let end = start + rng.below((other.len() - start).min(4096));
    let until = (at + (end - start) * rng.below(2)).min(out.len());
    out.splice(at..until, other[start..end].iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_inputs_and_keeps_the_bound() {
        let corpus = [b"ABCABCAD".to_vec(), vec![0; 300], vec![]];
        let run = |seed| {
            let (mut rng, mut out, mut all) = (Rng(seed), Vec::new(), Vec::new());
            for _ in 0..2_000 {
                mutate(&mut rng, &corpus, 200, &mut out);
                assert!(out.len() <= 200);
                all.push(out.clone());
            }
            all
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }
}
