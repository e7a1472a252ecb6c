//! Threads that wait: for whom, whether in a circle, and whether anybody is left who could wake them.
//!
//! ```text
//! first   waits for a monitor that second holds    } a deadlock
//! second  waits for a lock that first holds        }
//! main    waits for first to end                     behind it
//! accept  waits for the next connection              idle: that is its work
//! ```
//!
//! Whoever waits with a time limit goes on by himself, and who is idle waits for work: neither is accused.

use std::collections::{HashMap, HashSet};

use model::stack::{STANDARD_INPUT, SampledThread, StackSample, StackSamples, ThreadState};

/// What a thread was doing when it was sampled last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It ran, or records.
    Runs,
    /// It sleeps, or waits with a time limit.
    Pauses,
    /// It waits for work: a connection, a task, the next element of a queue.
    Idle,
    /// It waits for bytes from outside.
    Input,
    /// It waits for standard input, from where a command may come at any time.
    Commands,
    /// It counts as running and uses no processor: the virtual machine itself holds it, for a class that another
    /// thread initialises.
    Held,
    /// It waits for a monitor or a lock.
    Lock,
    /// It waits to be woken, or for another thread to end.
    Waits,
}

/// Methods in which a thread waits for work, by the end of the class's name and the beginning of their own.
const IDLE: [(&str, &str); 14] = [
    ("ThreadPoolExecutor", "getTask"),
    ("ForkJoinPool", "awaitWork"),
    ("ForkJoinPool", "runWorker"),
    ("TimerThread", "mainLoop"),
    ("Queue", "take"),
    ("Deque", "take"),
    ("Queue", "poll"),
    ("TransferQueue", "xfer"),
    ("Selector", "select"),
    ("SelectorImpl", "lockAndDoSelect"),
    ("ServerSocket", "accept"),
    ("ServerSocketChannelImpl", "accept"),
    ("NioSocketImpl", "accept"),
    ("Net", "accept"),
];

/// How far from the top such a method may be.
pub const NEAR: usize = 12;

/// Threads of the virtual machine, which wait for work of its own.
const OF_THE_MACHINE: [&str; 4] = ["Reference Handler", "Finalizer", "Common-Cleaner", "Signal Dispatcher"];

/// Whether a thread waits for work in this method of this class, whose name has dots.
pub fn is_idle(class: &str, method: &str) -> bool {
    IDLE.iter().any(|(end, name)| class.ends_with(end) && method.starts_with(name))
}

/// Whether a thread of this name belongs to the virtual machine, and waits for work of that.
pub fn is_of_the_machine(name: &str) -> bool {
    OF_THE_MACHINE.contains(&name)
}

/// What `thread` was doing. `moves`: it used the processor, or has recorded something, since it was sampled before.
pub fn doing(stacks: &StackSamples, thread: &SampledThread, moves: bool) -> Doing {
    let is_timed = thread.waits.as_ref().is_some_and(|waits| waits.is_timed);
    let reads_commands =
        thread.waits.as_ref().is_some_and(|waits| waits.on.as_deref() == Some(STANDARD_INPUT));
    let idles = || {
        thread
            .frames
            .iter()
            .take(NEAR)
            .any(|frame| stacks.method(frame).is_some_and(|method| is_idle(&method.class, &method.name)))
    };
    match thread.state {
        ThreadState::Runnable if moves || thread.yields(&stacks.methods) => Doing::Runs,
        ThreadState::Runnable if idles() => Doing::Idle,
        ThreadState::Runnable if reads_commands => Doing::Commands,
        ThreadState::Runnable if thread.is_native() => Doing::Input,
        ThreadState::Runnable => Doing::Held,
        ThreadState::Blocked => Doing::Lock,
        ThreadState::Sleeping => Doing::Pauses,
        ThreadState::Waiting if idles() => Doing::Idle,
        ThreadState::Waiting if is_timed => Doing::Pauses,
        ThreadState::Waiting => {
            let on = thread.waits.as_ref().and_then(|waits| waits.on.as_deref()).unwrap_or_default();
            let is_lock = on.starts_with("java.util.concurrent.locks.") && on.ends_with("Sync");
            if is_lock { Doing::Lock } else { Doing::Waits }
        }
    }
}

/// Circles of threads each of which waits for the next one, as their places in the sample; the smallest place first.
pub fn deadlocks(sample: &StackSample) -> Vec<Vec<usize>> {
    let place: HashMap<u64, usize> =
        (0..).zip(&sample.threads).map(|(at, thread)| (thread.tid, at)).collect();
    let next = |at: usize| {
        let thread = sample.threads.get(at)?;
        let waits = thread.waits.as_ref().filter(|waits| !waits.is_timed)?;
        place.get(&waits.holder?).copied()
    };
    let (mut done, mut circles) = (HashSet::new(), vec![]);
    for start in 0..sample.threads.len() {
        let (mut chain, mut at) = (vec![], Some(start));
        while let Some(here) = at.filter(|here| done.insert(*here)) {
            chain.push(here);
            at = next(here);
        }
        if let Some(from) = at.and_then(|at| chain.iter().position(|here| *here == at)) {
            let mut circle = chain.split_off(from);
            let first = (0..circle.len()).min_by_key(|at| circle.get(*at).copied()).unwrap_or(0);
            circle.rotate_left(first);
            circles.push(circle);
        }
    }
    circles
}

/// Whether nothing goes on any more although somebody waits for it: every thread waits without a time limit, and none is
/// idle. `doing`: of each thread in the sample.
pub fn stands_still(sample: &StackSample, doing: &[Doing]) -> bool {
    let threads = || sample.threads.iter().zip(doing).filter(|(thread, _)| !is_of_the_machine(&thread.name));
    let waits = |doing: Doing| matches!(doing, Doing::Lock | Doing::Waits | Doing::Held | Doing::Input);
    threads().count() > 0 && threads().all(|(_, doing)| waits(*doing))
}

#[cfg(test)]
mod tests {
    use model::Timestamp;
    use model::stack::{SampledFrame, SampledMethod, Wait};

    use super::*;

    fn thread(tid: u64, state: ThreadState, holder: Option<u64>, is_timed: bool) -> SampledThread {
        SampledThread {
            tid,
            name: format!("t{tid}"),
            state,
            cpu: None,
            position: (0, 0),
            frames: vec![SampledFrame { method: 0, pc: Some(0), line: None, is_old: false }],
            is_cut: false,
            waits: (state != ThreadState::Runnable).then_some(Wait { on: None, holder, is_timed }),
        }
    }

    fn sample(threads: Vec<SampledThread>) -> StackSample {
        StackSample { time: Timestamp(0), at_end: true, threads }
    }

    #[test]
    fn circles_are_found_once_and_who_waits_behind_one_is_not_in_it() {
        use ThreadState::{Blocked, Runnable, Waiting};
        let waits = |tid, holder| thread(tid, Blocked, Some(holder), false);
        let circles = |threads| deadlocks(&sample(threads));
        assert_eq!(circles(vec![waits(9, 1), waits(1, 2), waits(2, 1)]), [vec![1, 2]]);
        assert_eq!(circles(vec![waits(3, 2), waits(1, 3), waits(2, 1)]), [vec![0, 2, 1]]);
        assert!(circles(vec![waits(1, 2), thread(2, Runnable, None, false)]).is_empty());
        let timed = thread(2, Waiting, Some(1), true);
        assert!(circles(vec![waits(1, 2), timed]).is_empty(), "it goes on by itself");
        assert_eq!(circles(vec![waits(1, 2), waits(2, 1), waits(3, 4), waits(4, 3)]).len(), 2);
    }

    #[test]
    fn nothing_goes_on_only_where_nobody_runs_pauses_or_is_idle() {
        use ThreadState::{Runnable, Sleeping, Waiting};
        let stacks = |class: &str, name: &str| StackSamples {
            methods: vec![SampledMethod {
                class: class.into(),
                name: name.into(),
                descriptor: String::new(),
            }],
            samples: vec![],
        };
        let own = stacks("shop.Till", "wait");
        let idle = stacks("java.util.concurrent.LinkedBlockingQueue", "take");
        let waiting = || thread(1, Waiting, None, false);
        assert_eq!(doing(&own, &waiting(), false), Doing::Waits);
        assert_eq!(doing(&idle, &waiting(), false), Doing::Idle);
        assert_eq!(doing(&own, &thread(1, Waiting, None, true), false), Doing::Pauses);
        assert_eq!(doing(&own, &thread(1, Runnable, None, false), true), Doing::Runs);
        assert_eq!(doing(&own, &thread(1, Runnable, None, false), false), Doing::Held);
        let two = sample(vec![waiting(), thread(2, Sleeping, None, false)]);
        assert!(stands_still(&two, &[Doing::Waits, Doing::Lock]));
        for other in [Doing::Runs, Doing::Pauses, Doing::Idle, Doing::Commands] {
            assert!(!stands_still(&two, &[Doing::Waits, other]), "{other:?}");
        }
        let mut machine = waiting();
        machine.name = "Finalizer".into();
        assert!(stands_still(&sample(vec![machine, waiting()]), &[Doing::Runs, Doing::Waits]));
        assert!(!stands_still(&sample(vec![]), &[]));
    }
}
