//! Which events were found: a bit for each, so that however many are found nothing is left out.

/// The events that were looked at, from the first on.
#[derive(Debug, Default)]
pub(super) struct Hits {
    bits: Vec<u64>,
    /// How many were looked at.
    pub(super) looked_at: usize,
    /// How many were found.
    pub(super) found: usize,
}

impl Hits {
    /// The next event is, or is not, one.
    pub(super) fn push(&mut self, is_hit: bool) {
        let at = self.looked_at;
        if at.is_multiple_of(64) {
            self.bits.push(0);
        }
        if let Some(bits) = self.bits.last_mut().filter(|_| is_hit) {
            *bits |= 1 << (at % 64);
            self.found += 1;
        }
        self.looked_at += 1;
    }

    /// The first one that is `from` or later.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let first = from / 64;
        let bits = self.bits.iter().enumerate().skip(first);
        let mut bits = bits
            .map(|(at, &bits)| if at == first { (at, bits & (u64::MAX << (from % 64))) } else { (at, bits) });
        let (at, bits) = bits.find(|&(_, bits)| bits != 0)?;
        Some(at * 64 + bits.trailing_zeros() as usize)
    }

    /// The last one before `to`.
    pub(super) fn last(&self, to: usize) -> Option<usize> {
        let to = to.min(self.looked_at);
        let last = to / 64;
        let bits = self.bits.iter().enumerate().take(last + 1).rev();
        let mut bits =
            bits.map(|(at, &bits)| if at == last { (at, bits & ((1 << (to % 64)) - 1)) } else { (at, bits) });
        let (at, bits) = bits.find(|&(_, bits)| bits != 0)?;
        Some(at * 64 + 63 - bits.leading_zeros() as usize)
    }

    /// How many are `from` or later and come before `to`; takes as long as it is from the one to the other.
    pub(super) fn between(&self, from: usize, to: usize) -> usize {
        let to = to.min(self.looked_at);
        let from = from.min(to);
        let (first, last) = (from / 64, to / 64);
        let words = self.bits.get(first..self.bits.len().min(last + 1)).unwrap_or_default();
        let count = |(word, &bits): (usize, &u64)| {
            let bits = if word == first { bits & (u64::MAX << (from % 64)) } else { bits };
            let bits = if word == last { bits & ((1 << (to % 64)) - 1) } else { bits };
            bits.count_ones() as usize
        };
        (first..).zip(words).map(count).sum()
    }

    /// How many come before `to`.
    pub(super) fn before(&self, to: usize) -> usize {
        self.between(0, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_those_of_a_plain_list() {
        for rarity in [1, 3, 61, 200, 1000] {
            let mut hits = Hits::default();
            let is_hit = |at: usize| (at * 31 + 7).is_multiple_of(rarity);
            (0..500).for_each(|at| hits.push(is_hit(at)));
            let all: Vec<usize> = (0..500).filter(|&at| is_hit(at)).collect();
            assert_eq!((hits.looked_at, hits.found), (500, all.len()));
            for at in 0..=520 {
                assert_eq!(hits.next(at), all.iter().copied().find(|&hit| hit >= at), "{rarity} {at}");
                assert_eq!(hits.last(at), all.iter().copied().rfind(|&hit| hit < at), "{rarity} {at}");
                assert_eq!(hits.before(at), all.iter().filter(|&&hit| hit < at).count(), "{rarity} {at}");
                for from in (0..at + 70).step_by(13) {
                    let count = all.iter().filter(|&&hit| hit >= from && hit < at).count();
                    assert_eq!(hits.between(from, at), count, "{rarity} {from} {at}");
                }
            }
        }
        assert_eq!((Hits::default().next(0), Hits::default().last(9)), (None, None));
    }
}
