//! Threads that can go on only if one of them does.

use std::collections::{BTreeMap, BTreeSet};

/// A thread that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Waiter {
    pub(super) tid: i64,
    /// All threads that could make it go on, not it itself.
    pub(super) wakers: BTreeSet<i64>,
}

/// A thread that nobody makes go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stuck {
    pub(super) tid: i64,
    /// The number of the circle that it is in; `None`: it only waits for such.
    pub(super) deadlock: Option<usize>,
    pub(super) waits_for: Vec<i64>,
}

/// More waiters than this are not compared.
const MOST: usize = 1 << 12;

/// Those of `waiters` all of whose wakers are among them, again and again until no other is left, in their order.
pub(super) fn stuck(waiters: &[Waiter]) -> Vec<Stuck> {
    let mut left: BTreeMap<i64, &BTreeSet<i64>> =
        waiters.iter().take(MOST).map(|waiter| (waiter.tid, &waiter.wakers)).collect();
    loop {
        let is_stuck = |wakers: &BTreeSet<i64>| wakers.iter().all(|waker| left.contains_key(waker));
        let gone: Vec<i64> =
            left.iter().filter(|(_, wakers)| !is_stuck(wakers)).map(|(tid, _)| *tid).collect();
        if gone.is_empty() {
            break;
        }
        gone.iter().for_each(|tid| _ = left.remove(tid));
    }
    let circles = circles(&left);
    let one = |waiter: &Waiter| {
        left.get(&waiter.tid).map(|wakers| Stuck {
            tid: waiter.tid,
            deadlock: circles.get(&waiter.tid).copied(),
            waits_for: wakers.iter().copied().collect(),
        })
    };
    waiters.iter().take(MOST).filter_map(one).collect()
}

/// By thread the number of the circle that it is in: those that reach one another are in one.
fn circles(of: &BTreeMap<i64, &BTreeSet<i64>>) -> BTreeMap<i64, usize> {
    let reached: BTreeMap<i64, BTreeSet<i64>> = of.keys().map(|from| (*from, reach(of, *from))).collect();
    let mut numbers = BTreeMap::new();
    let mut count = 0;
    for (one, others) in &reached {
        if numbers.contains_key(one) || !others.contains(one) {
            continue;
        }
        let together = others.iter().filter(|other| reached.get(other).is_some_and(|its| its.contains(one)));
        together.for_each(|other| _ = numbers.insert(*other, count));
        count += 1;
    }
    numbers
}

fn reach(of: &BTreeMap<i64, &BTreeSet<i64>>, from: i64) -> BTreeSet<i64> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        for next in of.get(&at).into_iter().flat_map(|wakers| wakers.iter()) {
            if found.insert(*next) {
                open.push(*next);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1:2,3 2:1` are waiters and their wakers; the answer has the numbers of circles.
    fn check(waiters: &str, expected: &str) {
        let one = |text: &str| {
            let (tid, wakers) = text.split_once(':').unwrap();
            let wakers = wakers.split(',').filter(|text| !text.is_empty()).map(|tid| tid.parse().unwrap());
            Waiter { tid: tid.parse().unwrap(), wakers: wakers.collect() }
        };
        let waiters: Vec<Waiter> = waiters.split(' ').map(one).collect();
        let show = |stuck: &Stuck| match stuck.deadlock {
            Some(number) => format!("{}#{number}", stuck.tid),
            None => stuck.tid.to_string(),
        };
        let found: Vec<String> = stuck(&waiters).iter().map(show).collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn who_waits_only_for_stuck_ones_is_stuck() {
        check("1:2 2:1", "1#0 2#0");
        check("1:2 2:1 3:2", "1#0 2#0 3");
        check("1:2 2:3 3:1 4:5 5:4", "1#0 2#0 3#0 4#1 5#1");
        // 9 runs, so whoever it can wake may go on, and so on.
        check("1:2 2:1,9 3:2", "");
        check("1:2 2:1 3:1,9", "1#0 2#0");
        // Nobody is left who could wake it.
        check("1:", "1");
    }
}
