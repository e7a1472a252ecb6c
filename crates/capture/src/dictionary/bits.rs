//! Numbers below 256 in as few bits as are enough for all of them, eight at a time.
//!
//! The first number stands in the lowest bits of the first byte; the bits left over in the last byte are 0.

/// The bits of a number where there are so many different ones.
pub(super) fn enough_for(different: usize) -> usize {
    different.saturating_sub(1).max(1).ilog2() as usize + 1
}

/// The bytes of so many numbers.
pub(super) fn bytes_of(count: usize, bits: usize) -> usize {
    (count * bits).div_ceil(8)
}

/// Appends numbers of so many bits, 1 to 8.
pub(super) fn join(numbers: &[u8], bits: usize, out: &mut Vec<u8>) {
    let of = [of::<1>, of::<2>, of::<3>, of::<4>, of::<5>, of::<6>, of::<7>, of::<8>];
    of[bits - 1](numbers, out);
}

/// Fills `numbers` with so many of them.
pub(super) fn split(bytes: &[u8], bits: usize, count: usize, numbers: &mut Vec<u8>) {
    numbers.clear();
    numbers.reserve(count + 8);
    let apart =
        [apart::<1>, apart::<2>, apart::<3>, apart::<4>, apart::<5>, apart::<6>, apart::<7>, apart::<8>];
    apart[bits - 1](bytes, numbers);
    numbers.truncate(count);
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

fn of<const BITS: usize>(numbers: &[u8], out: &mut Vec<u8>) {
    let (whole, rest) = numbers.as_chunks::<8>();
    let start = out.len();
    out.resize(start + whole.len() * BITS + 8, 0);
    let mut at = start;
    for numbers in whole {
        // Eight bytes are written each time, so the next ones overwrite what is too much.
        if let Some(to) = out.get_mut(at..at + 8) {
            to.copy_from_slice(&together::<BITS>(u64::from_le_bytes(*numbers)).to_le_bytes());
        }
        at += BITS;
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    out.truncate(start + whole.len() * BITS);
    let last = together::<BITS>(u64::from_le_bytes(last)).to_le_bytes();
    out.extend_from_slice(&last[..bytes_of(rest.len(), BITS)]);
}

/// Eight numbers of a byte each as numbers of `BITS` each.
fn together<const BITS: usize>(mut numbers: u64) -> u64 {
    for at in 0..3 {
        let (stays, moves, far) = step::<BITS>(at);
        numbers = numbers & stays | numbers >> far & moves;
    }
    numbers
}

fn apart<const BITS: usize>(bytes: &[u8], numbers: &mut Vec<u8>) {
    let split = |bytes: &[u8]| {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        let mut all = u64::from_le_bytes(all);
        for at in (0..3).rev() {
            let (stays, moves, far) = step::<BITS>(at);
            all = all & stays | (all & moves) << far;
        }
        all.to_le_bytes()
    };
    bytes.chunks(BITS).for_each(|bytes| numbers.extend_from_slice(&split(bytes)));
}
