//! Candidates: periods that the end of the tail may be repeating just now.
//!
//! A candidate of period `k` is a segment in which every unit equals the one `k` before. It is a
//! square when the segment is `k` long, and it cannot be that before so many more units have come.
//! So a candidate is not followed unit by unit: it sleeps until the first moment at which it can
//! be complete, and is then compared at memory speed, once.

/// One period that is being repeated.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    period: usize,
    /// Units of the tail up to here (not included) were compared.
    compared: usize,
    /// The length of the tail at which the square would be complete.
    due: usize,
}

/// All candidates of a tail; a handful at any time.
#[derive(Debug, Clone)]
pub(super) struct Candidates {
    list: Vec<Candidate>,
    /// The smallest `due`.
    next: usize,
}

impl Default for Candidates {
    fn default() -> Self {
        Candidates { list: Vec::new(), next: usize::MAX }
    }
}

impl Candidates {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.next = usize::MAX;
    }

    /// Proposes `period` for the tail `units`, whose last `least` units must repeat it: less would
    /// not come from a square, and is soon refuted by the first units that differ.
    #[inline]
    pub(super) fn propose(&mut self, units: &[u32], period: usize, least: usize) {
        let length = units.len();
        if length < least + period || units[length - 1] != units[length - 1 - period] {
            return;
        }
        let known = self.list.iter().position(|candidate| candidate.period == period);
        if let Some(index) = known {
            let candidate = &mut self.list[index];
            let fresh = length - candidate.compared;
            if repeats(units, period, fresh) == fresh {
                candidate.compared = length;
                return;
            }
            self.list.swap_remove(index);
        }
        let matches = repeats(units, period, period);
        if matches >= least {
            self.list.push(Candidate { period, compared: length, due: length + period - matches });
        }
        self.find_next();
    }

    /// The smallest period whose square is complete at the end of `units`, if there is one.
    #[inline]
    pub(super) fn complete(&mut self, units: &[u32]) -> Option<usize> {
        if units.len() < self.next {
            return None;
        }
        let mut smallest = None;
        self.list.retain(|candidate| {
            if candidate.due > units.len() {
                return true;
            }
            let fresh = units.len() - candidate.compared;
            if repeats(units, candidate.period, fresh) == fresh {
                smallest =
                    Some(smallest.map_or(candidate.period, |other: usize| other.min(candidate.period)));
            }
            false
        });
        self.find_next();
        smallest
    }

    fn find_next(&mut self) {
        self.next = self.list.iter().map(|candidate| candidate.due).min().unwrap_or(usize::MAX);
    }
}

/// How many units at the end of `units`, at most `most`, equal the unit `period` before them.
#[inline]
pub(super) fn repeats(units: &[u32], period: usize, most: usize) -> usize {
    const BLOCK: usize = 16;
    let most = most.min(units.len() - period);
    let late = &units[units.len() - most..];
    let early = &units[units.len() - period - most..units.len() - period];
    let mut done = 0;
    while done + BLOCK <= most {
        let end = most - done;
        if late[end - BLOCK..end] != early[end - BLOCK..end] {
            break;
        }
        done += BLOCK;
    }
    while done < most && late[most - 1 - done] == early[most - 1 - done] {
        done += 1;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The definition of [`repeats`], without a bound.
    fn slow(units: &[u32], period: usize) -> usize {
        units
            .iter()
            .rev()
            .zip(units.iter().rev().skip(period))
            .take_while(|(late, early)| late == early)
            .count()
    }

    /// Segments that repeat with periods around the block that is compared at once, and break off now and then.
    fn word(rng: &mut Rng) -> Vec<u32> {
        let mut word: Vec<u32> = (0..40).map(|_| rng.u32(..3)).collect();
        while word.len() < 400 {
            let period = 1 + rng.usize(..40);
            for _ in 0..rng.u64(..2 * period as u64 + 5) {
                word.push(word[word.len() - period]);
            }
            word.push(rng.u32(..3));
        }
        word
    }

    #[test]
    fn repeats_are_counted_as_defined() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..50 {
            let word = word(&mut rng);
            for _ in 0..200 {
                let units = &word[..1 + rng.usize(..word.len())];
                let period = 1 + rng.usize(..units.len());
                let most = rng.usize(..100);
                assert_eq!(
                    repeats(units, period, most),
                    slow(units, period).min(most),
                    "{period} in {units:?}"
                );
            }
        }
    }

    /// A period that was proposed completes when its segment is as long as the period, unless the segment breaks before.
    #[test]
    fn what_was_proposed_completes_when_due() {
        let mut rng = Rng::with_seed(13);
        let mut completed = 0;
        for _ in 0..300 {
            let word = word(&mut rng);
            let mut candidates = Candidates::default();
            let mut followed: Vec<usize> = vec![];
            for length in 1..=word.len() {
                let units = &word[..length];
                followed.retain(|&period| slow(units, period) > 0);
                for _ in 0..rng.u64(..4) {
                    let period = 1 + rng.usize(..45);
                    let least = 1 + rng.usize(..period.min(20));
                    candidates.propose(units, period, least);
                    let repeated = length > period && slow(units, period) >= least;
                    if repeated && length >= least + period && !followed.contains(&period) {
                        followed.push(period);
                    }
                }
                let due = followed.extract_if(.., |period| slow(units, *period) >= *period).min();
                assert_eq!(candidates.complete(units), due, "{units:?}");
                assert_eq!(candidates.next == usize::MAX, candidates.list.is_empty());
                completed += usize::from(due.is_some());
            }
        }
        assert!(completed > 1_000, "{completed}");
    }
}
