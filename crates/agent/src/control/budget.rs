//! Keeping the cost of recording within a budget: the methods that write the most are throttled.
//!
//! ```text
//! each second    spending.rs: what was written since costs too much --> throttle its methods --> their classes come again
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
use super::spending::{Sampled, Written, chosen};
use crate::classes::recorder_class::{COUNTERS, SHARDS};
use crate::classes::retransform;
use crate::classes::throttle::{Owner, RecordedMethod};
use crate::jvm::Jni;
use crate::jvm::handles::Handles;
use crate::sys;

/// How often it is looked.
const PAUSE: Duration = Duration::from_secs(1);
/// After methods were throttled their classes run interpreted for a while, which says nothing about later.
const SETTLES: Duration = Duration::from_secs(2);
/// A program that used less than this part of a processor is left alone.
const IDLE: u32 = 10;

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
    let mut all: HashMap<RecordedMethod, Sampled> = HashMap::new();
    for (number, words) in samples {
        let throttle = &recording.classes.throttle;
        if let Some(owner) = throttle.owner(*number).filter(|owner| !throttle.has(owner.method)) {
            all.entry(owner.method).or_insert(Sampled { owner, words: 0 }).words += words;
        }
    }
    all.into_values().collect()
}

fn throttle(agent: &Agent, jni: Jni, recording: &Recording, chosen: &[(Owner, u32)]) {
    let Some(java) = agent.java.get() else { return };
    let time = Timestamp(sys::now());
    let mut records = vec![];
    for (owner, share) in chosen {
        let Some(element) = recording.classes.throttle.begin(owner.method) else { continue };
        let before = counted(jni, java, element);
        recording.budget.lock().throttled.insert(element, (owner.first, before));
        records.push(ThrottleRecord::Begun { method: owner.first, time, share: *share });
    }
    recording.output.throttled(&records);
    let classes = chosen.iter().map(|(owner, _)| owner.method.class).collect();
    retransform::again((agent.jvmti, jni), &agent.loaders, classes);
}

/// How often methods that add to this element were called, in all shards.
fn counted(jni: Jni, java: &Handles, element: i16) -> i64 {
    let of_shard = |shard| jni.long_element(java.counts, shard * i32::from(COUNTERS) + i32::from(element));
    (0..i32::from(SHARDS)).map(of_shard).fold(0, i64::saturating_add)
}

/// The recording ends: how often the throttled methods were called.
pub(crate) fn end(agent: &Agent, jni: Jni, recording: &Recording) {
    let Some(java) = agent.java.get() else { return };
    let calls = |(element, (method, before)): (&i16, &(u32, i64))| {
        let now = counted(jni, java, *element);
        let calls = u64::try_from(now.saturating_sub(*before)).unwrap_or(0);
        ThrottleRecord::Calls { method: *method, calls }
    };
    let records: Vec<ThrottleRecord> = recording.budget.lock().throttled.iter().map(calls).collect();
    recording.output.throttled(&records);
}
