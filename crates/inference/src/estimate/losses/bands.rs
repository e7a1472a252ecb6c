//! Bands: who ran when in a loss whose events are not listed, as a probability for each part of its time.
//!
//! ```text
//! loss       [A ................................ B]   A ran when it began, B when it ended
//! like it    [A  A  C  C  D  D  A  A  B  B  B  B ]    weighs much in all parts
//!            [A  A  D  D  D  C  C  C  A  A  A  A ]    much in the first parts
//!            [C  C  C  C  C  B  B  B  B  B  B  B ]    much in the last parts
//! ```
//!
//! A band is the weighted mean of who ran in that part of intervals of the same CPU in which nothing was lost, with as
//! many events. An interval weighs as much as it is like the loss: by its duration, and by who ran at its ends, the more so the
//! nearer the part is to that end. Whoever is seen to run elsewhere meanwhile does not run here.

use std::collections::BTreeMap;

use super::marks::{NONE, Who};

/// Parts of a loss.
pub(crate) const PARTS: usize = 12;
/// How much an interval weighs in the part next to an end if somebody else ran at that end of it; and by how much more in
/// the part furthest away.
const OTHER_END: (f64, f64) = (0.02, 0.6);
/// What weighs an interval of any other duration, against 1 for one of the same.
const FAR: f64 = 0.005;
/// By which factor durations may differ, as standard deviations of its logarithm: the first one with which so many
/// intervals have a say.
const SPREADS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];
const EFFECTIVE_SIZE: f64 = 40.0;
/// Who is in fewer than one of so many intervals is seldom seen.
const SELDOM: usize = 20;

/// An interval in which nothing was lost.
#[derive(Debug, Clone)]
pub(super) struct Interval {
    pub(super) switches: f64,
    pub(super) duration: f64,
    /// Who ran in which share of each of its parts, nobody included.
    pub(super) shares: BTreeMap<Who, [f64; PARTS]>,
    /// Who ran when it began and when it ended.
    pub(super) ends: (Who, Who),
}

/// What is known of the ends of a loss: who ran then.
pub(super) type Ends = (Option<Who>, Option<Who>);

impl Interval {
    /// Of events in a row: when each was, and who left and came by it. `runs`: who ran behind the first one. `None`: it is
    /// not known who ran.
    pub(super) fn of(events: &[(i64, Option<(Who, Who)>)], runs: Option<Who>) -> Option<Interval> {
        let (start, end) = (events.first()?.0, events.last()?.0);
        let mut shares: BTreeMap<Who, [f64; PARTS]> = BTreeMap::new();
        let (mut since, mut first, mut runs, mut switches) = (start, runs, runs, 0.0);
        let mut ran = |who: Who, from: i64, to: i64| {
            let parts = shares.entry(who).or_insert([0.0; PARTS]);
            for (part, share) in parts.iter_mut().enumerate() {
                let (begin, finish) = part_of((start, end), part);
                *share += ((to as f64).min(finish) - (from as f64).max(begin)).max(0.0)
                    / (finish - begin).max(f64::MIN_POSITIVE);
            }
        };
        for &(time, switch) in events.iter().skip(1) {
            let Some((prev, next)) = switch else { continue };
            ran(prev, since, time);
            first = first.or(Some(prev));
            (since, runs, switches) = (time, Some(next), switches + 1.0);
        }
        ran(runs?, since, end);
        Some(Interval { switches, duration: (end - start) as f64, shares, ends: (first?, runs?) })
    }

    /// The part of its time in which somebody ran.
    pub(super) fn share(&self, who: Who) -> f64 {
        self.shares.get(&who).map_or(0.0, |parts| parts.iter().sum::<f64>() / PARTS as f64)
    }

    fn weight_of_ends(&self, ends: Ends, part: f64) -> f64 {
        let of = |end: Option<Who>, own: Who, away: f64| {
            if end.is_none_or(|end| end == own) { 1.0 } else { OTHER_END.0 + OTHER_END.1 * away }
        };
        of(ends.0, self.ends.0, part) * of(ends.1, self.ends.1, 1.0 - part)
    }
}

/// A thread that lives for a moment is in no other interval, so who is seldom seen is known by its role: whoever ran when the
/// interval began stands for the one who ran when the loss began, if both are seldom seen, and so at the end.
pub(super) fn in_roles(mut like: Vec<Interval>, ends: Ends) -> Vec<Interval> {
    let mut seen: BTreeMap<Who, usize> = BTreeMap::new();
    like.iter().flat_map(|one| one.shares.keys()).for_each(|who| *seen.entry(*who).or_default() += 1);
    let least = like.len().div_ceil(SELDOM);
    let is_seldom = |who: Who| who != NONE && seen.get(&who).is_none_or(|count| *count < least);
    for one in &mut like {
        let (first, last) = one.ends;
        let role =
            |end: Option<Who>, own: Who| end.filter(|end| is_seldom(*end) && is_seldom(own) && *end != own);
        let (begins, finishes) = (role(ends.0, first), role(ends.1, last));
        // One who ran at both ends cannot stand for two, nor two for one.
        if begins.is_some() && finishes.is_some() && (ends.0 == ends.1) != (first == last) {
            continue;
        }
        for (role, own) in [(begins, first), (finishes, last)] {
            let Some(role) = role else { continue };
            if let Some(shares) = one.shares.remove(&own) {
                one.shares.insert(role, shares);
            }
        }
        one.ends = (begins.unwrap_or(first), finishes.unwrap_or(last));
    }
    like
}

/// From when to when a part of a time is.
fn part_of((from, to): (i64, i64), part: usize) -> (f64, f64) {
    let edge = |part: usize| from as f64 + (to - from) as f64 * part as f64 / PARTS as f64;
    (edge(part), edge(part + 1))
}

/// How much each interval says of a loss that lasts so long, ends aside.
pub(super) fn weights(like: &[Interval], duration: f64, ends: Ends) -> Vec<f64> {
    let of = |spread: f64| -> Vec<f64> {
        let weight = |one: &Interval| {
            let factor = (one.duration.max(1.0) / duration.max(1.0)).ln() / spread;
            (-factor * factor / 2.0).exp() + FAR
        };
        like.iter().map(weight).collect()
    };
    // How many equal ones would say as much.
    let effective_size = |weights: &[f64]| {
        let both = weights.iter().zip(like).map(|(weight, one)| weight * one.weight_of_ends(ends, 0.5));
        let (sum, squares) = both.fold((0.0, 0.0), |(sum, squares), one| (sum + one, squares + one * one));
        sum * sum / squares
    };
    let mut all = SPREADS.iter().map(|spread| of(*spread));
    all.find(|weights| effective_size(weights) >= EFFECTIVE_SIZE).unwrap_or_else(|| vec![1.0; like.len()])
}

/// The weights for the loss as a whole: both ends count.
pub(super) fn of_both_ends(like: &[Interval], weights: &[f64], ends: Ends) -> Vec<f64> {
    weights.iter().zip(like).map(|(weight, one)| weight * one.weight_of_ends(ends, 0.5)).collect()
}

/// For each of `names`, and last for everybody else: the probability that it runs, in each of [`PARTS`] equal parts of
/// the loss. `elsewhere`: how long it is seen to run on other CPUs between two moments.
pub(super) fn bands(
    (like, weights): (&[Interval], &[f64]),
    (time, ends): ((i64, i64), Ends),
    names: &[Who],
    elsewhere: impl Fn(Who, (i64, i64)) -> i64,
) -> Vec<[f64; PARTS]> {
    let mut found = vec![[0.0; PARTS]; names.len() + 1];
    for part in 0..PARTS {
        let index = (part as f64 + 0.5) / PARTS as f64;
        let mut sums = vec![0.0; names.len() + 1];
        for (one, weight) in like.iter().zip(weights) {
            let weight = weight * one.weight_of_ends(ends, index);
            for (who, shares) in &one.shares {
                let at = names.iter().position(|name| name == who).unwrap_or(names.len());
                if let (Some(sum), Some(share)) = (sums.get_mut(at), shares.get(part)) {
                    *sum += weight * share;
                }
            }
        }
        let (begin, end) = part_of(time, part);
        let length = (end - begin).max(1.0);
        for (sum, who) in sums.iter_mut().zip(names).filter(|(_, who)| **who != NONE) {
            let away = elsewhere(*who, (begin as i64, end as i64)) as f64 / length;
            *sum *= 1.0 - away.clamp(0.0, 1.0);
        }
        let all = sums.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        for (band, sum) in found.iter_mut().zip(sums) {
            if let Some(probability) = band.get_mut(part) {
                *probability = sum / all;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seven runs for 900 of 1,000 ns, then eight for 100, and so on; intervals of 1,500 ns that begin anywhere.
    fn like() -> Vec<Interval> {
        let one = |start: i64| {
            let inside =
                (0..4).flat_map(|round| [(round * 1_000, Some((8, 7))), (round * 1_000 + 900, Some((7, 8)))]);
            let inside = inside.filter(|(time, _)| (start + 1..start + 1_500).contains(time));
            let events: Vec<_> =
                [(start, None)].into_iter().chain(inside).chain([(start + 1_500, None)]).collect();
            Interval::of(&events, Some(if start % 1_000 < 900 { 7 } else { 8 }))
        };
        (0..400).filter_map(|at| one(at * 5)).collect()
    }

    #[test]
    fn an_interval_is_read_from_its_events() {
        let found =
            Interval::of(&[(0, None), (30, Some((1, 2))), (60, Some((2, NONE))), (120, None)], None).unwrap();
        assert_eq!((found.switches, found.duration, found.ends), (2.0, 120.0, (1, NONE)));
        assert_eq!(found.shares[&1], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!([1, 2, NONE].map(|who| found.share(who)), [0.25, 0.25, 0.5]);
        assert!(Interval::of(&[(50, None), (90, None)], None).is_none());
        let quiet = Interval::of(&[(50, None), (90, None)], Some(1)).unwrap();
        assert_eq!((quiet.switches, quiet.ends, quiet.share(1)), (0.0, (1, 1), 1.0));
    }

    #[test]
    fn whoever_ran_at_an_end_runs_in_the_parts_next_to_it() {
        let like = like();
        let of = |ends: Ends| bands((&like, &vec![1.0; like.len()]), ((0, 1_500), ends), &[7, 8], |_, _| 0);
        let usual = of((None, None));
        let (first, last) = (of((Some(8), None)), of((None, Some(8))));
        assert!(first[1][0] > 2.0 * usual[1][0] && last[1][PARTS - 1] > 2.0 * usual[1][PARTS - 1]);
        for bands in [&usual, &first, &last] {
            for part in 0..PARTS {
                let sum: f64 = bands.iter().map(|band| band[part]).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            }
        }
    }

    #[test]
    fn whoever_is_seldom_seen_is_known_by_its_role() {
        let one = |first: Who, last: Who| {
            let events = [(0, None), (30, Some((first, NONE))), (60, Some((NONE, last))), (120, None)];
            Interval::of(&events, Some(first)).unwrap()
        };
        let all = || (0..100).map(|at| one(if at % 2 == 0 { 7 } else { 1_000 + at }, 2_000 + at)).collect();
        let shares = |like: &[Interval], who: Who| like.iter().filter(|one| one.share(who) > 0.0).count();
        // Five and six are in none, seven in half of them: nobody stands for seven.
        let found = in_roles(all(), (Some(5), Some(6)));
        assert_eq!((shares(&found, 5), shares(&found, 6), shares(&found, 7)), (50, 100, 50));
        assert_eq!((found[1].ends, found[1].share(5), found[1].share(6)), ((5, 6), 0.25, 0.5));
        let found = in_roles(all(), (Some(7), None));
        assert_eq!((shares(&found, 7), found[0].ends, found[1].ends), (50, (7, 2_000), (1_001, 2_001)));
        // Who ran at both ends stands for nobody who ran at one.
        let both = in_roles((0..100).map(|at| one(1_000 + at, 1_000 + at)).collect(), (Some(5), Some(6)));
        assert_eq!((shares(&both, 5), shares(&both, 6)), (0, 0));
    }

    #[test]
    fn whoever_runs_elsewhere_does_not_run_here() {
        let like = like();
        let away = |who, (from, to): (i64, i64)| if who == 7 && to <= 600 { to - from } else { 0 };
        let found = bands((&like, &vec![1.0; like.len()]), ((0, 1_500), (None, None)), &[7, 8], away);
        assert!(found[0][0] < 1e-9 && found[1][0] > 1.0 - 1e-9 && found[0][PARTS - 1] > 0.8, "{found:?}");
    }

    #[test]
    fn intervals_of_another_duration_hardly_count_where_there_are_enough_of_the_same() {
        let one = |duration: f64| Interval { switches: 1.0, duration, shares: BTreeMap::new(), ends: (1, 1) };
        let many: Vec<Interval> = (0..100).map(|at| one(if at % 2 == 0 { 1e3 } else { 1e6 })).collect();
        let found = weights(&many, 1e3, (None, None));
        assert!(found[0] > 100.0 * found[1], "{found:?}");
        let few: Vec<Interval> = (0..30).map(|at| one(if at % 2 == 0 { 1e3 } else { 1e6 })).collect();
        assert_eq!(weights(&few, 1e3, (None, None)), vec![1.0; 30]);
    }
}
