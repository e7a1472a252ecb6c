//! The oracle: for small problems every history is listed, weighed by itself, and compared with the sum.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::chain::{IDLE, Item, OTHER, Problem, RUNNERS, Runner, Sight, Weights};
use super::marks::{Mark, Marks, NONE, What};
use super::{Estimates, Loss, Losses, settle};

/// From 0.01 to 0.99.
fn share(random: &mut Rng) -> f64 {
    f64::from(random.u32(1..100)) / 100.0
}

/// One history: its lost switches as (gap, number in the gap, who leaves, who comes), its weight.
type History = (Vec<(usize, usize, Runner, Runner)>, f64);

#[derive(Clone)]
struct Now {
    runner: Runner,
    ready: Vec<bool>,
    here: Vec<bool>,
    found: Vec<(usize, usize, Runner, Runner)>,
    weight: f64,
    /// Switches of the gap so far.
    used: usize,
    /// Whether who runs did something since it came.
    has_done: bool,
}

/// Everything that may have happened, one by one.
fn histories(problem: &Problem) -> Vec<History> {
    let bits = |mask: u32| (0..problem.candidates).map(|who| mask >> who & 1 == 1).collect::<Vec<_>>();
    let start = Now {
        runner: problem.first,
        ready: bits(problem.ready),
        here: bits(problem.here),
        found: vec![],
        weight: 1.0,
        used: 0,
        has_done: false,
    };
    let mut all = vec![];
    go(problem, 0, start, &mut all);
    all
}

fn go(problem: &Problem, at: usize, mut now: Now, all: &mut Vec<History>) {
    if now.weight == 0.0 {
        return;
    }
    let weights = &problem.weights;
    let Some(item) = problem.items.get(at) else {
        if now.runner == problem.last {
            for &(who, ready, not) in &problem.later {
                now.weight *= if now.ready[who] { ready } else { not };
            }
            all.push((now.found, now.weight));
        }
        return;
    };
    match item {
        Item::Slot { gap, share } => slot(problem, at, (*gap, *share), 0, now, all),
        Item::End { gap } => {
            now.weight *= problem.gaps[*gap][now.used] * (1..=now.used).product::<usize>() as f64;
            now.used = 0;
            go(problem, at + 1, now, all);
        }
        Item::Ready { who, is_here } => {
            if now.runner == *who {
                now.weight *= weights.woken_running;
            } else {
                now.weight *= if now.ready[*who] { weights.woken_ready } else { 1.0 };
                (now.ready[*who], now.here[*who]) = (true, *is_here);
            }
            go(problem, at + 1, now, all);
        }
        Item::Taken { who } => {
            let fits = now.ready[*who] && now.runner != *who;
            now.weight *= if fits { 1.0 } else { weights.contradiction };
            if now.runner == *who {
                (now.runner, now.has_done) = (OTHER, false);
            }
            (now.ready[*who], now.here[*who]) = (false, false);
            go(problem, at + 1, now, all);
        }
        Item::Off { who, is_ready } => {
            now.weight *= if now.runner == *who { weights.contradiction } else { 1.0 };
            (now.ready[*who], now.here[*who]) = (*is_ready, false);
            go(problem, at + 1, now, all);
        }
        Item::Seen(seen) => {
            match seen.goes_on {
                Some(goes_on) if now.has_done => now.weight *= goes_on,
                _ => now.weight *= seen.fresh[now.runner],
            }
            now.has_done |= seen.goes_on.is_some();
            go(problem, at + 1, now, all);
        }
    }
}

/// No switch more in this slot, or each that is possible.
fn slot(
    problem: &Problem,
    at: usize,
    (gap, share): (usize, f64),
    here: usize,
    now: Now,
    all: &mut Vec<History>,
) {
    go(problem, at + 1, now.clone(), all);
    if now.used + 1 >= problem.gaps[gap].len() {
        return;
    }
    let is_one = now.runner < problem.candidates;
    let stays = if is_one { problem.weights.stays_ready[now.runner] } else { 0.0 };
    for (stays_ready, weight) in [(true, stays), (false, 1.0 - stays)] {
        let mut left = now.clone();
        if is_one {
            (left.ready[now.runner], left.here[now.runner]) = (stays_ready, stays_ready);
        }
        for (comes, share_of) in comers(problem, now.runner, &left) {
            let mut next = left.clone();
            if comes < problem.candidates {
                (next.ready[comes], next.here[comes]) = (false, false);
            }
            if now.runner != comes {
                next.found.push((gap, now.used, now.runner, comes));
            }
            (next.runner, next.used, next.has_done) = (comes, now.used + 1, false);
            next.weight *= weight * share_of * share / (here + 1) as f64;
            slot(problem, at, (gap, share), here + 1, next, all);
        }
    }
}

/// Who may come, and how probably: nobody; or of those of one kind, the odds of the kinds that there are.
fn comers(problem: &Problem, leaves: Runner, now: &Now) -> Vec<(Runner, f64)> {
    let weights = &problem.weights;
    let others: Vec<Runner> = (0..problem.candidates).filter(|who| *who != leaves).collect();
    let is_ready_here = (0..problem.candidates).any(|who| now.ready[who] && now.here[who]);
    let idle = if leaves == IDLE { 0.0 } else { weights.idle[usize::from(is_ready_here)] };
    let kind = |who: Runner| if !now.ready[who] { 2 } else { usize::from(!now.here[who]) };
    let follows = &weights.follows[leaves];
    let sum = |of: usize| others.iter().filter(|who| kind(**who) == of).map(|who| follows[*who]).sum::<f64>();
    let odds: Vec<f64> =
        (0..3).map(|of| if of == 2 || sum(of) > 0.0 { weights.classes[of] } else { 0.0 }).collect();
    let share = |of: usize| odds[of] / odds.iter().sum::<f64>() * (1.0 - idle);
    let mut found = vec![(IDLE, idle), (OTHER, share(2) * (1.0 - sum(2)).max(0.02))];
    for &who in &others {
        let of = kind(who);
        found.push((who, share(of) * follows[who] / if of == 2 { 1.0 } else { sum(of) }));
    }
    found
}

fn problem(random: &mut Rng) -> Problem {
    let candidates = random.usize(2..=4);
    let runner = |random: &mut Rng| match random.usize(..=candidates) {
        who if who < candidates => who,
        _ => IDLE,
    };
    let (first, last) = (runner(random), runner(random));
    let who = |random: &mut Rng| random.usize(..candidates);
    let (mut items, mut gaps) = (vec![], vec![]);
    for gap in 0..random.usize(1..=2) {
        let most = random.usize(1..=2);
        for _ in 0..random.usize(1..=2) {
            items.push(Item::Slot { gap, share: share(random) });
            items.push(match random.u8(..4) {
                0 => Item::Ready { who: who(random), is_here: random.bool() },
                1 => Item::Taken { who: who(random) },
                2 => Item::Off { who: who(random), is_ready: random.bool() },
                _ => {
                    let mut fresh = [0.0; RUNNERS];
                    fresh.iter_mut().for_each(|weight| *weight = share(random));
                    let goes_on = Some(share(random)).filter(|_| random.u8(..3) > 0);
                    Item::Seen(Box::new(Sight { fresh, goes_on }))
                }
            });
        }
        items.push(Item::End { gap });
        gaps.push((0..=most).map(|_| share(random)).collect());
    }
    let mut follows = vec![[0.0; RUNNERS]; RUNNERS];
    for row in &mut follows {
        row.iter_mut().take(candidates).for_each(|cell| *cell = share(random) / 4.0);
    }
    let mut stays_ready = [0.0; RUNNERS];
    stays_ready.iter_mut().for_each(|cell| *cell = share(random));
    let ready = random.u32(..1 << candidates) & !if first < candidates { 1 << first } else { 0 };
    Problem {
        candidates,
        first,
        last,
        ready,
        here: ready & random.u32(..1 << candidates),
        items,
        gaps,
        later: vec![(who(random), share(random), share(random))],
        weights: Weights {
            stays_ready,
            idle: [share(random), share(random)],
            classes: [share(random), share(random), share(random)],
            follows,
            woken_running: share(random),
            woken_ready: share(random),
            contradiction: share(random),
        },
    }
}

#[test]
fn the_sum_over_all_histories_is_that_of_listing_them() {
    let (mut random, mut compared, mut impossible) = (Rng::with_seed(7), 0, 0);
    for number in 0..400 {
        let problem = problem(&mut random);
        let all = histories(&problem);
        let total: f64 = all.iter().map(|(_, weight)| weight).sum();
        let Some(switches) = problem.solve() else {
            assert!(total < 1e-12, "{number}: {total}");
            impossible += 1;
            continue;
        };
        let mut expected: BTreeMap<(usize, usize, Runner, Runner), f64> = BTreeMap::new();
        for (found, weight) in &all {
            for switch in found {
                *expected.entry(*switch).or_default() += weight / total;
            }
        }
        assert_eq!(switches.len(), expected.values().filter(|share| **share > 0.0).count(), "{number}");
        for one in &switches {
            let share = expected[&(one.gap, one.number, one.leaves, one.comes)];
            assert!((one.probability - share).abs() < 1e-9, "{number}: {one:?} is {share}");
            compared += 1;
        }
    }
    assert!(compared > 4_000 && impossible < 100, "{compared} {impossible}");
}

/// Marks of `A` to `D` on CPUs 0 and 1: `0:A-B` A leaves for B on CPU 0 and blocks, `0:A+B` it stays ready, `0:B!` B
/// is made ready there, `1:x` something on CPU 1, `0:?` events were lost. A dot is nobody.
fn marks(text: &str) -> Marks {
    let mut marks = Marks::default();
    let who = |letter: u8| if letter == b'.' { NONE } else { u32::from(letter - b'A') };
    for (time, word) in (0i64..).zip(text.split_whitespace()) {
        let (cpu, what) = word.split_once(':').unwrap();
        let cpu = cpu.parse().unwrap();
        let (symbol, what) = match what.as_bytes() {
            [prev, b'-', next] => {
                (0, What::Switch { prev: who(*prev), next: who(*next), stays_ready: Some(false) })
            }
            [prev, b'+', next] => {
                (0, What::Switch { prev: who(*prev), next: who(*next), stays_ready: Some(true) })
            }
            [one, b'!'] => (1, What::Ready { who: who(*one), target: cpu }),
            [one, b'='] => (3, What::Here { who: who(*one) }),
            [b'?'] => (u32::MAX, What::Gap { window: marks.gaps as u32 }),
            _ => (2, What::Own),
        };
        marks.push(Mark { time: time * 10, cpu, symbol, what });
    }
    marks
}

/// Losses by their numbers, and no others.
pub(super) struct Declared<F>(pub(super) F);

impl<F: Fn(u32) -> Option<Loss>> Losses for Declared<F> {
    fn of(&self, window: u32) -> Option<Loss> {
        (self.0)(window)
    }

    fn may_be(&self, _: u32, _: i64, _: i64) -> bool {
        false
    }
}

/// What is reported of losses of so many events each: `A-B 0.93`, `A-B certain`.
fn estimated(text: &str, lost: &[u64]) -> Vec<String> {
    let mut marks = marks(text);
    let at: Vec<i64> =
        marks.iter().filter(|mark| matches!(mark.what, What::Gap { .. })).map(|mark| mark.time).collect();
    let losses = Declared(|window: u32| {
        let from = at[window as usize];
        Some(Loss { lost: Some(lost[window as usize]), from: from - 9, to: from + 9, is_elsewhere: false })
    });
    let switches = settle(&mut marks, &losses, true).switches;
    let name = |who: Option<u32>| match who {
        None => '?',
        Some(NONE) => '.',
        Some(who) => char::from(b'A' + who as u8),
    };
    let line = |one: &super::LostSwitch| match one.is_certain {
        true => format!("{}-{} certain", name(one.prev), name(one.next)),
        false => format!("{}-{} {:.2}", name(one.prev), name(one.next), one.probability),
    };
    switches.iter().filter(|one| one.probability >= 0.3).map(line).collect()
}

/// A and B alternate, each does something when it came, and is made ready by the other one.
const HABITS: &str = "0:.-A 0:x 0:B! 0:A-B 0:x 0:A! 0:B-A 0:x 0:B! 0:A-B 0:x 0:A! 0:B-A 0:x 0:B! 0:A-B 0:x 0:A! 0:B-A 0:x \
                      0:A-. 0:A! 0:.-A 0:x 0:B! 0:A-B 0:x 0:A! 0:B-A 0:x";

#[test]
fn one_lost_event_between_two_recorded_ones_is_certain() {
    assert_eq!(estimated(&format!("{HABITS} 0:B! 0:? 0:B-A"), &[1]), ["A-B certain"]);
    // The same one ran on both sides, so it need not have been a switch at all.
    assert!(estimated(&format!("{HABITS} 0:? 0:A-B"), &[1]).is_empty());
}

#[test]
fn what_may_have_been_lost_behind_recorded_events_is_not_certain() {
    let mut marks = marks(&format!("{HABITS} 0:B! 0:? 0:B-A 0:x 0:A-B"));
    let at = marks.iter().find(|mark| matches!(mark.what, What::Gap { .. })).unwrap().time;
    let until = |to: i64| Some(Loss { lost: Some(1), from: at - 10, to: at + to, is_elsewhere: false });
    assert!(settle(&mut marks, &Declared(|_| until(25)), true).switches.is_empty());
    assert!(settle(&mut marks, &Declared(|_| until(10)), true).switches[0].is_certain);
}

#[test]
fn two_lost_events_are_never_certain_for_one_who_left_no_mark_may_have_run() {
    let switches = estimated(&format!("{HABITS} 0:C! 0:B! 0:? 0:x 0:? 0:B-A"), &[1, 1]);
    assert!(!switches.is_empty() && switches.iter().all(|line| !line.ends_with("certain")), "{switches:?}");
}

#[test]
fn what_is_seen_decides_who_ran() {
    // B was made ready and blocks again before it is made ready once more: it ran.
    let ran = estimated(&format!("{HABITS} 0:B! 0:? 0:x 0:? 0:x 0:A-. 0:B! 0:.-B"), &[1, 1]);
    assert_eq!(ran.len(), 2, "{ran:?}");
    assert!(ran[0].starts_with("A-B") && ran[1].starts_with("B-A"), "{ran:?}");
    // C says that it runs here.
    let here = estimated(&format!("{HABITS} 0:? 0:C= 0:? 0:x 0:A-B"), &[1, 1]);
    assert!(here.len() == 2 && here[0].starts_with("A-C") && here[1].starts_with("C-A"), "{here:?}");
}

#[test]
fn the_declared_number_is_kept() {
    // A ... A with one event lost cannot be two switches.
    assert!(estimated(&format!("{HABITS} 0:B! 0:? 0:A-B"), &[1]).is_empty());
    // Three lost events are at most three switches.
    let three = estimated(&format!("{HABITS} 0:B! 0:? 0:B-A"), &[3]);
    assert!(three.len() <= 3, "{three:?}");
    // Nobody counted: nothing is listed.
    let mut unknown = marks(&format!("{HABITS} 0:B! 0:? 0:B-A"));
    let loss = Loss { lost: None, from: 0, to: 1_000, is_elsewhere: false };
    assert_eq!(settle(&mut unknown, &Declared(|_| Some(loss)), true), Estimates::default());
}

#[test]
fn what_nobody_declared_is_estimated_where_another_one_leaves_than_came() {
    let of_one = |lines: Vec<String>| match &*lines {
        [line] => line.strip_prefix("A-B ").and_then(|share| share.parse::<f64>().ok()),
        _ => None,
    };
    // One who was made ready came, and there is no evidence of more.
    let one = of_one(estimated(&format!("{HABITS} 0:B! 0:B-A 0:x"), &[]));
    assert!(one.is_some_and(|share| share > 0.9), "{one:?}");
    // C, too, was made ready, and is made ready again behind it: it may have run and blocked between.
    let two = of_one(estimated(&format!("{HABITS} 0:C! 0:B! 0:B-A 0:x 0:C! 0:A-C"), &[]));
    assert!(two.is_some_and(|share| share < 0.7), "{two:?}");
    // Nothing is missing where the same one leaves that came.
    assert!(estimated(&format!("{HABITS} 0:A-B 0:x 0:B-A"), &[]).is_empty());
}
