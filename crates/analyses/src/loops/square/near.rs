//! Squares of short period: for every period up to [`REACH`], how many units in a row equal the
//! unit one period before. The tail may end with a square as soon as that count reaches the
//! period.
//!
//! One comparison per period and unit, all lanes at once, no branch but the one that asks whether
//! any lane is there: histories that loop tightly never get any further than this file. To have
//! many lanes in few registers it sees one byte of a hash of each unit, so it may call a square
//! that is none. The caller compares the units themselves before it believes it.

/// The longest period that is looked for here.
pub(super) const REACH: usize = 128;

/// Lanes that are handled at once while the tail is short.
const GROUP: usize = 16;

/// Match counts; lane `j` follows period `REACH - j`, so that the lanes line up with the last
/// units of the tail in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    matches: [u8; REACH],
}

/// The largest count that completes no square, by lane.
const MISSING: [u8; REACH] = by_lane();

/// `MASKS[n]`: which lanes have a unit to look back to when `n` units came before.
static MASKS: [[u8; REACH]; REACH + 1] = masks();

const fn by_lane() -> [u8; REACH] {
    let mut periods = [0; REACH];
    let mut lane = 0;
    while lane < REACH {
        periods[lane] = (REACH - lane - 1) as u8;
        lane += 1;
    }
    periods
}

const fn masks() -> [[u8; REACH]; REACH + 1] {
    let mut masks = [[0; REACH]; REACH + 1];
    let mut before = 0;
    while before <= REACH {
        let mut lane = REACH - before;
        while lane < REACH {
            masks[before][lane] = u8::MAX;
            lane += 1;
        }
        before += 1;
    }
    masks
}

/// The byte of a unit.
#[inline]
pub(super) fn mark(unit: u32) -> u8 {
    (unit.wrapping_mul(0x9e37_79b1) >> 24) as u8
}

impl Near {
    pub(super) const NEW: Near = Near { matches: [0; REACH] };

    /// Takes the mark of a unit that comes after `before` units, whose last [`REACH`] marks are
    /// `window` (padded in front by anything), and says whether some count is high enough.
    #[inline]
    pub(super) fn push(&mut self, window: &[u8; REACH], before: usize, mark: u8) -> bool {
        let mask = &MASKS[before.min(REACH)];
        if before > GROUP {
            return pass(&mut self.matches, window, mask, &MISSING, mark);
        }
        // Longer periods have nothing to look back to yet: most tails never need them.
        match (self.matches.last_chunk_mut(), window.last_chunk(), mask.last_chunk(), MISSING.last_chunk()) {
            (Some(matches), Some(window), Some(mask), Some(missing)) => {
                pass::<GROUP>(matches, window, mask, missing, mark)
            }
            _ => false,
        }
    }

    /// The periods whose count is high enough, smallest first.
    pub(super) fn periods(&self) -> impl Iterator<Item = usize> + '_ {
        (1..=REACH).filter(|&period| self.matches[REACH - period] > MISSING[REACH - period])
    }
}

/// Brings `LANES` counts up to date and says whether one is high enough. Plain passes over whole
/// arrays: the shape that the compiler turns into vectors.
#[inline]
fn pass<const LANES: usize>(
    matches: &mut [u8; LANES],
    window: &[u8; LANES],
    mask: &[u8; LANES],
    missing: &[u8; LANES],
    mark: u8,
) -> bool {
    let mut equal = [0; LANES];
    for (lane, equal) in equal.iter_mut().enumerate() {
        *equal = u8::from(window[lane] == mark).wrapping_neg() & mask[lane];
    }
    for (lane, count) in matches.iter_mut().enumerate() {
        *count = count.saturating_add(1) & equal[lane];
    }
    let mut most = 0;
    for (lane, count) in matches.iter().enumerate() {
        most = most.max(count.saturating_sub(missing[lane]));
    }
    most != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The definition: how many marks at the end in a row equal the one `period` before.
    fn count(marks: &[u8], period: usize) -> usize {
        marks
            .iter()
            .rev()
            .zip(marks.iter().rev().skip(period))
            .take_while(|(late, early)| late == early)
            .count()
    }

    #[test]
    fn the_periods_are_those_whose_count_reaches_them() {
        let mut rng = Rng::with_seed(17);
        for _ in 0..40 {
            let (mut near, mut marks) = (Near::NEW, vec![]);
            let mut padded = vec![rng.u8(..3); REACH];
            while marks.len() < 500 {
                // Segments that repeat, and break off.
                let period = 1 + rng.usize(..150);
                for _ in 0..1 + rng.u64(..2 * period as u64 + 9) {
                    let before = marks.len();
                    let mark = before.checked_sub(period).map_or_else(|| rng.u8(..3), |at| marks[at]);
                    marks.push(mark);
                    let is_near = near.push(padded[before..].first_chunk().unwrap(), before, mark);
                    padded.push(mark);
                    let reached = |period: &usize| count(&marks, *period) >= *period;
                    let expected: Vec<usize> = (1..=REACH).filter(reached).collect();
                    assert_eq!(is_near, !expected.is_empty(), "{marks:?}");
                    assert_eq!(near.periods().collect::<Vec<_>>(), expected, "{marks:?}");
                }
            }
        }
    }

    #[test]
    fn few_units_have_the_same_byte() {
        let marks: std::collections::BTreeSet<u8> = (0..256).map(mark).collect();
        assert!(marks.len() > 128, "{}", marks.len());
    }
}
