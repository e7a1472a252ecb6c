//! Keeping the cost of recording within a budget: the methods that write the most are throttled.
//!
//! ```text
//! each second    words written x their price = cost;  processor time of the threads that write - cost = the program's own
//! cost above the budget's share of that: the methods that wrote the most are throttled, those of libraries before those
//! that were built where they run, until what the others write fits
//! ```
//!
//! What recording costs cannot be measured while it runs, since nobody knows how fast the program would be without. So
//! it is estimated from what is written. Only threads that write count: while a program warms up, its compilers use more
//! than it does.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use capture::ThrottleRecord;
use model::Timestamp;

use super::agent::Agent;
use super::recording::Recording;
use crate::classes::retransform;
use crate::classes::throttle::{Owner, Place};
use crate::jvm::Jni;
use crate::sys;

/// What a word costs, in ns, with all that belongs to it. Where a few methods write most of it, as in 15 small programs of a
/// loop each, 1 to 3: they are compiled into one. In a server, whose time goes to hundreds of methods, 11: recorded ones are
/// too long to be compiled into their callers.
const OF_FEW: u64 = 3;
const OF_MANY: u64 = 11;
/// So many methods are a few.
const FEW: usize = 8;
/// When it is looked first: what threads had used before is known then.
const FIRST: Duration = Duration::from_millis(200);
/// How often it is looked.
const PAUSE: Duration = Duration::from_secs(1);
/// After methods were throttled their classes run interpreted for a while, which says nothing about later.
const SETTLES: Duration = Duration::from_secs(2);
/// A program that used less than this part of a processor is left alone.
const IDLE: u32 = 10;
/// Methods that write less than one in so many words are never throttled.
const SMALLEST: u64 = 500;
/// What the program would use without recording is at least this part of what it uses.
const LEAST_OWN: u64 = 4;

/// Of one recording.
#[derive(Debug)]
pub(crate) struct Budget {
    /// When it is looked next.
    next: Instant,
    /// When it was looked last, and what had been written and used by then.
    last: Instant,
    words: u64,
    /// By the number of a thread that writes.
    used: HashMap<u32, u64>,
    /// By the element of the counts: first record number of a throttled method, and what stood there before.
    throttled: HashMap<i16, (u32, i64)>,
}

impl Budget {
    pub(crate) fn new() -> Budget {
        let now = Instant::now();
        Budget { next: now + FIRST, last: now, words: 0, used: HashMap::new(), throttled: HashMap::new() }
    }
}

/// How long until the next look; `None` without a budget.
pub(crate) fn patience(recording: &Recording) -> Option<Duration> {
    recording.choices.budget?;
    Some(recording.budget.lock().next.saturating_duration_since(Instant::now()))
}

/// Looks if it is time to, and throttles methods if more is written than fits.
pub(crate) fn throttle_if_due(agent: &Agent, jni: Jni) {
    let Some(recording) = agent.current() else { return };
    if !patience(&recording).is_some_and(|patience| patience.is_zero()) {
        return;
    }
    let Some(percent) = recording.choices.budget else { return };
    let samples = recording.output.steps.take_samples();
    let (words, used, time) = since_last(agent, &recording, PAUSE);
    if used < (time / IDLE).as_nanos() as u64 {
        return;
    }
    let chosen = chosen(Written { words, used, percent }, &by_method(&recording, &samples));
    if chosen.is_empty() {
        return;
    }
    throttle(agent, jni, &recording, &chosen);
    let _ = since_last(agent, &recording, SETTLES);
    let _ = recording.output.steps.take_samples();
}

/// Words written, processor time that the threads used which write, and time that has passed since it was asked last.
/// It is asked again after `pause`.
fn since_last(agent: &Agent, recording: &Recording, pause: Duration) -> (u64, u64, Duration) {
    let positions = &agent.buffers.positions;
    let writes = (0..positions.count()).filter_map(|index| positions.writes(index));
    let tasks: HashSet<u32> = writes.map(|writes| writes.task).filter(|task| *task != 0).collect();
    let used: HashMap<u32, u64> =
        tasks.into_iter().filter_map(|task| Some((task, sys::used_by(task)?))).collect();
    let (now, words) = (Instant::now(), recording.output.steps.words());
    let mut budget = recording.budget.lock();
    // A thread that is new has used all since; at first nobody knows when.
    let is_first = budget.used.is_empty();
    let before =
        |task: u32, now: u64| budget.used.get(&task).copied().unwrap_or(if is_first { now } else { 0 });
    let all = used.iter().map(|(task, now)| now.saturating_sub(before(*task, *now))).sum();
    let since = (words.saturating_sub(budget.words), all, now.saturating_duration_since(budget.last));
    (budget.last, budget.words, budget.used, budget.next) = (now, words, used, now + pause);
    since
}

/// What sampled methods wrote that can be throttled. A call of a throttled one that is still open may write for long.
fn by_method(recording: &Recording, samples: &HashMap<u32, u64>) -> Vec<Sampled> {
    let mut all: HashMap<Place, Sampled> = HashMap::new();
    for (number, words) in samples {
        let throttle = &recording.classes.throttle;
        if let Some(owner) = throttle.owner(*number).filter(|owner| !throttle.has(owner.place)) {
            all.entry(owner.place).or_insert(Sampled { owner, words: 0 }).words += words;
        }
    }
    all.into_values().collect()
}

/// A method, and how many of the sampled words were its own.
#[derive(Debug, Clone, Copy)]
struct Sampled {
    owner: Owner,
    words: u64,
}

/// What happened since it was looked last.
#[derive(Debug, Clone, Copy)]
struct Written {
    words: u64,
    /// Processor time, ns.
    used: u64,
    /// The budget.
    percent: u32,
}

/// The methods to throttle, each with its share of the words in thousandths.
fn chosen(written: Written, methods: &[Sampled]) -> Vec<(Owner, u32)> {
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

fn throttle(agent: &Agent, jni: Jni, recording: &Recording, chosen: &[(Owner, u32)]) {
    let Some(java) = agent.java.get() else { return };
    let time = Timestamp(sys::now());
    let mut records = vec![];
    for (owner, share) in chosen {
        let Some(element) = recording.classes.throttle.begin(owner.place) else { continue };
        let before = jni.long_element(java.counts, i32::from(element));
        recording.budget.lock().throttled.insert(element, (owner.first, before));
        records.push(ThrottleRecord::Begun { method: owner.first, time, share: *share });
    }
    recording.output.throttled(&records);
    let classes = chosen.iter().map(|(owner, _)| owner.place.class).collect();
    retransform::again((agent.jvmti, jni), &agent.loaders, classes);
}

/// The recording ends: how often the throttled methods were called.
pub(crate) fn end(agent: &Agent, jni: Jni, recording: &Recording) {
    let Some(java) = agent.java.get() else { return };
    let calls = |(element, (method, before)): (&i16, &(u32, i64))| {
        let now = jni.long_element(java.counts, i32::from(*element));
        let calls = u64::try_from(now.saturating_sub(*before)).unwrap_or(0);
        ThrottleRecord::Calls { method: *method, calls }
    };
    let records: Vec<ThrottleRecord> = recording.budget.lock().throttled.iter().map(calls).collect();
    recording.output.throttled(&records);
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
        assert_ne!(throttled(written(21_000_000), &many), []);
        assert_eq!(throttled(written(23_000_000), &many), []);
    }

    #[test]
    fn a_program_that_does_nothing_but_record_is_taken_to_do_something() {
        let written = Written { words: 1_000_000_000, used: 1_000_000, percent: 100 };
        assert_eq!(throttled(written, &[(1, true)]), [(0, 1000)]);
    }
}
