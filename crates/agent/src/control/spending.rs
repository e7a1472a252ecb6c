//! What recording costs, as far as can be estimated, and which methods to throttle so that it costs less.
//!
//! ```text
//! words written x their price = cost;  processor time of the threads that write - cost = the program's own
//! cost above the budget's share of that: the methods that wrote the most are throttled, those of libraries before those
//! that were built where they run, until what the others write fits
//! ```

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::classes::throttle::Owner;

/// What a word costs, in ns, with all that belongs to it. Where a few methods write most of it, as in 15 small programs of a
/// loop each, 1 to 3: they are compiled into one. In a server, whose time goes to hundreds of methods, 11 while all of it is
/// recorded, and 20 when the small ones no longer are: what is left is too long to be compiled into its callers.
const OF_FEW: u64 = 3;
const OF_MANY: u64 = 20;
/// So many methods are a few.
const FEW: usize = 8;
/// When it is looked first: what threads had used before is known then.
const FIRST: Duration = Duration::from_millis(200);
/// Methods that write less than one in so many words are never throttled.
const SMALLEST: u64 = 500;
/// What the program would use without recording is at least this part of what it uses.
const LEAST_OWN: u64 = 4;

/// Of one recording.
#[derive(Debug)]
pub(super) struct Budget {
    /// When it is looked next.
    pub(super) next: Instant,
    /// When it was looked last, and what had been written and used by then.
    pub(super) last: Instant,
    pub(super) words: u64,
    /// By the number of a thread that writes.
    pub(super) used: HashMap<u32, u64>,
    /// By the element of the counts: first record number of a throttled method, and what stood there before.
    pub(super) throttled: HashMap<i16, (u32, i64)>,
}

impl Budget {
    pub(super) fn new() -> Budget {
        let now = Instant::now();
        Budget { next: now + FIRST, last: now, words: 0, used: HashMap::new(), throttled: HashMap::new() }
    }
}

/// A method, and how many of the sampled words were its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampled {
    pub(super) owner: Owner,
    pub(super) words: u64,
}

/// What happened since it was looked last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) words: u64,
    /// Processor time, ns.
    pub(super) used: u64,
    /// The budget.
    pub(super) percent: u32,
}

/// The methods to throttle, each with its share of the words in thousandths.
pub(super) fn chosen(written: Written, methods: &[Sampled]) -> Vec<(Owner, u32)> {
    let Written { words, used, percent } = written;
    let all: u64 = methods.iter().map(|method| method.words).sum();
    let mut most: Vec<u64> = methods.iter().map(|method| method.words).collect();
    most.sort_unstable_by(|one, other| other.cmp(one));
    let of_few: u64 = most.iter().take(FEW).sum();
    let cost = words.saturating_mul(if of_few > all / 2 { OF_FEW } else { OF_MANY });
    let own = used.saturating_sub(cost).max(used / LEAST_OWN);
    let allowed = own.saturating_mul(u64::from(percent)) / 100;
    if cost <= allowed {
        return vec![];
    }
    // A fifth less, so that what comes next does not exceed it at once.
    let excess = u128::from(cost - allowed / 5 * 4);
    let mut sorted: Vec<&Sampled> =
        methods.iter().filter(|method| method.words >= (all / SMALLEST).max(1)).collect();
    sorted.sort_by_key(|method| (method.owner.is_own, std::cmp::Reverse(method.words), method.owner.first));
    let (mut chosen, mut saved) = (vec![], 0_u128);
    for method in sorted {
        if saved >= excess {
            break;
        }
        saved += u128::from(method.words) * u128::from(cost) / u128::from(all.max(1));
        let share = u32::try_from(method.words * 1000 / all.max(1)).unwrap_or(1000);
        chosen.push((method.owner, share));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::throttle::Throttle;

    /// Methods of which each wrote so many words, and whether it is own, as `chosen` names them.
    fn throttled(written: Written, methods: &[(u64, bool)]) -> Vec<(u32, u32)> {
        let throttle = Throttle::default();
        let sampled = |(at, &(words, is_own)): (u32, &(u64, bool))| {
            throttle.add([u64::from(at), 0], is_own, at, &[(0, 0, 1)]);
            Sampled { owner: throttle.owner(at).unwrap(), words }
        };
        let sampled: Vec<Sampled> = (0..).zip(methods).map(sampled).collect();
        chosen(written, &sampled).into_iter().map(|(owner, share)| (owner.first, share)).collect()
    }

    #[test]
    fn nothing_is_throttled_within_the_budget() {
        // 6 ms of 36: a fifth of the program's own 30.
        let written = Written { words: 2_000_000, used: 36_000_000, percent: 20 };
        assert_eq!(throttled(written, &[(10, false), (10, true)]), []);
        assert_ne!(throttled(Written { percent: 19, ..written }, &[(10, false), (10, true)]), []);
        assert_eq!(throttled(Written { words: 0, used: 0, percent: 1 }, &[(10, false)]), []);
    }

    #[test]
    fn libraries_come_first_and_the_most_used_of_them() {
        let written = Written { words: 5_000_000, used: 30_000_000, percent: 50 };
        // 15 ms of 30, and 7.5 are allowed, of which a fifth is spared: 9 have to go, 600 of 1000 words.
        let methods = [(390, true), (300, false), (9, false), (301, false)];
        assert_eq!(throttled(written, &methods), [(3, 301), (1, 300)]);
        // Where that is not enough, own ones too; what hardly writes anything is left alone.
        let methods = [(600, true), (390, false), (1, false), (9, false)];
        assert_eq!(throttled(written, &methods), [(1, 390), (3, 9), (0, 600)]);
    }

    #[test]
    fn words_of_many_methods_cost_more() {
        let many = [(10, false); 100];
        let written = |used| Written { words: 1_000_000, used, percent: 100 };
        assert_eq!(throttled(written(7_000_000), &[(1000, false)]), []);
        assert_ne!(throttled(written(39_000_000), &many), []);
        assert_eq!(throttled(written(41_000_000), &many), []);
    }

    #[test]
    fn a_program_that_does_nothing_but_record_is_taken_to_do_something() {
        let written = Written { words: 1_000_000_000, used: 1_000_000, percent: 100 };
        assert_eq!(throttled(written, &[(1, true)]), [(0, 1000)]);
    }
}
