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

use model::stack::{CHILD, STANDARD_INPUT, SampledThread, StackSample, StackSamples, ThreadState};

/// What a thread was doing when it was sampled last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It ran, or records.
    Runs,
    /// It sleeps, or waits with a time limit.
    Pauses,
    /// It waits for work: a connection, a task, the next element of a queue.
    Idle,
    /// It is a worker of a pool and waits for a task, which another thread has to give it.
    Spare,
    /// It waits for bytes from outside.
    Input,
    /// It waits for standard input, from where a command may come at any time.
    Commands,
    /// It waits for another process to end, which goes on.
    Child,
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

/// The methods of [`IDLE`] in which workers of pools wait for tasks. A timer, too, may have tasks for those of a schedule.
const OF_POOLS: [(&str, &str); 2] = [("ThreadPoolExecutor", "getTask"), ("ForkJoinPool", "awaitWork")];
const SCHEDULE: &str = "DelayedWorkQueue";

/// The method that runs a task of a pool, by the end of the class's name: whoever is in one is not idle by what runs tasks.
const TASK: (&str, &str) = ("ForkJoinTask", "doExec");

/// Classes of Java that are the end of a pipe within the program.
const PIPES: [&str; 2] = ["java.io.PipedInputStream", "java.io.PipedReader"];

/// How far from the top a method of [`IDLE`] may be.
const NEAR: usize = 12;

/// What a thread waits for another one to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Awaits {
    /// To take something from a queue that is full.
    Capacity,
    /// To count a latch down.
    Count,
    /// To release a permit.
    Permit,
    /// To come to the same barrier.
    Parties,
    /// To notify an object.
    Notification,
    /// To signal a condition.
    Signal,
    /// To read what a process writes that was started.
    Reading,
    /// To give back a lock that does not know who holds it.
    Unlock,
    /// To complete a task.
    Result,
}

/// What waits for what: the end of a class of Java, and the beginning of its method.
const AWAITS: [(&str, &str, Awaits); 18] = [
    ("Queue", "put", Awaits::Capacity),
    ("Deque", "put", Awaits::Capacity),
    ("CountDownLatch", "await", Awaits::Count),
    ("Semaphore", "acquire", Awaits::Permit),
    ("Phaser", "awaitAdvance", Awaits::Parties),
    ("Phaser", "arriveAndAwaitAdvance", Awaits::Parties),
    ("CyclicBarrier", "await", Awaits::Parties),
    ("Exchanger", "exchange", Awaits::Parties),
    ("java.lang.Object", "wait", Awaits::Notification),
    ("ConditionObject", "await", Awaits::Signal),
    ("ProcessImpl", "waitFor", Awaits::Reading),
    ("StampedLock", "writeLock", Awaits::Unlock),
    ("StampedLock", "readLock", Awaits::Unlock),
    ("FutureTask", "get", Awaits::Result),
    ("CompletableFuture", "get", Awaits::Result),
    ("CompletableFuture", "join", Awaits::Result),
    ("ForkJoinTask", "join", Awaits::Result),
    ("ForkJoinTask", "get", Awaits::Result),
];

/// Packages of Java itself.
pub(super) const OF_JAVA: [&str; 4] = ["java.", "javax.", "jdk.", "sun."];

/// Threads of the virtual machine, which wait for work of its own.
const OF_THE_MACHINE: [&str; 4] = ["Reference Handler", "Finalizer", "Common-Cleaner", "Signal Dispatcher"];
/// What the names of those begin with that wait until a process ends which was started (`process reaper (pid 4711)`).
const REAPER: &str = "process reaper";

/// Whether a thread in these methods, innermost first, waits for work; each as its class, whose name has dots, and its name.
pub fn is_idle<'m>(frames: impl Iterator<Item = (&'m str, &'m str)>) -> bool {
    let mut frames =
        frames.take(NEAR).take_while(|(class, name)| !(class.ends_with(TASK.0) && *name == TASK.1));
    frames.any(|(class, method)| {
        IDLE.iter().any(|(end, name)| class.ends_with(end) && method.starts_with(name))
    })
}

/// Whether a thread in these methods, which is idle, is a worker of a pool that only has what other threads give it.
pub fn is_spare<'m>(frames: impl Iterator<Item = (&'m str, &'m str)>) -> bool {
    let mut of_pool = false;
    for (class, method) in frames.take(NEAR) {
        if class.ends_with(SCHEDULE) {
            return false;
        }
        of_pool |= OF_POOLS.iter().any(|(end, name)| class.ends_with(end) && method.starts_with(name));
    }
    of_pool
}

/// What a thread in these methods, innermost first, waits for another one to do, by what the program called; `None` of anything else.
pub fn awaits<'m>(frames: impl Iterator<Item = (&'m str, &'m str)>) -> Option<Awaits> {
    let is_of_java = |class: &str| OF_JAVA.iter().any(|package| class.starts_with(package));
    let (class, method) = frames.take_while(|(class, _)| is_of_java(class)).last()?;
    let is_it = |(end, begin, _): &&(&str, &str, Awaits)| class.ends_with(end) && method.starts_with(begin);
    AWAITS.iter().find(is_it).map(|(.., what)| *what)
}

/// Whether a thread in these methods, innermost first, waits for the other end of a pipe: a second at a time, again and again, and so
/// without a limit.
pub fn is_at_pipe<'m>(frames: impl Iterator<Item = (&'m str, &'m str)>) -> bool {
    frames.take(NEAR).any(|(class, _)| PIPES.contains(&class))
}

/// Whether a thread of this name belongs to the virtual machine: it waits for work of that, or ends the program because a signal
/// came (`SIGTERM handler`).
pub fn is_of_the_machine(name: &str) -> bool {
    OF_THE_MACHINE.contains(&name)
        || name.starts_with(REAPER)
        || name.starts_with("SIG") && name.ends_with(" handler")
}

/// What `thread` was doing. `moves`: it used the processor, or has recorded something, since it was sampled before; `wakes`: it
/// has used it for a moment at least.
pub fn doing(stacks: &StackSamples, thread: &SampledThread, moves: bool, wakes: bool) -> Doing {
    let has_limit = thread.waits.as_ref().is_some_and(|waits| waits.is_timed);
    let on = thread.waits.as_ref().and_then(|waits| waits.on.as_deref()).unwrap_or_default();
    let methods = || {
        let methods = thread.frames.iter().filter_map(|frame| stacks.method(frame));
        methods.map(|method| (method.class.as_str(), method.name.as_str()))
    };
    let idles = || is_idle(methods());
    let is_timed = has_limit && !is_at_pipe(methods());
    match thread.state {
        ThreadState::Runnable if moves || thread.yields(&stacks.methods) => Doing::Runs,
        ThreadState::Runnable if idles() => Doing::Idle,
        ThreadState::Runnable if on == STANDARD_INPUT => Doing::Commands,
        // Whoever waits for input in one go uses nothing.
        ThreadState::Runnable if thread.is_native() && wakes => Doing::Pauses,
        ThreadState::Runnable if thread.is_native() => Doing::Input,
        ThreadState::Runnable => Doing::Held,
        ThreadState::Blocked => Doing::Lock,
        ThreadState::Sleeping => Doing::Pauses,
        ThreadState::Waiting if idles() && is_spare(methods()) => Doing::Spare,
        ThreadState::Waiting if idles() => Doing::Idle,
        ThreadState::Waiting if is_timed => Doing::Pauses,
        ThreadState::Waiting if on == CHILD => Doing::Child,
        ThreadState::Waiting => {
            let is_lock = on.starts_with("java.util.concurrent.locks.") && on.ends_with("Sync");
            if is_lock { Doing::Lock } else { Doing::Waits }
        }
    }
}

/// Circles of threads each of which waits for the next one, as their indices in the sample; the smallest index first.
pub fn deadlocks(sample: &StackSample) -> Vec<Vec<usize>> {
    let index: HashMap<u64, usize> =
        (0..).zip(&sample.threads).map(|(at, thread)| (thread.tid, at)).collect();
    let next = |at: usize| {
        let thread = sample.threads.get(at)?;
        let waits = thread.waits.as_ref().filter(|waits| !waits.is_timed)?;
        index.get(&waits.holder?).copied()
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

/// Whether nothing goes on any more although somebody waits for it: every thread waits without a time limit, or for a task that one
/// of the others would have to give it, and none is idle otherwise. `doing`: of each thread in the sample.
pub fn stands_still(sample: &StackSample, doing: &[Doing]) -> bool {
    let threads = || sample.threads.iter().zip(doing).filter(|(thread, _)| !is_of_the_machine(&thread.name));
    let waits = |doing: Doing| matches!(doing, Doing::Lock | Doing::Waits | Doing::Held | Doing::Input);
    threads().any(|(_, doing)| waits(*doing))
        && threads().all(|(_, doing)| waits(*doing) || *doing == Doing::Spare)
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
    fn who_waits_for_work_is_idle_and_who_waits_in_a_task_is_not() {
        let pool = ["ForkJoinPool.awaitWork", "ForkJoinPool.runWorker", "ForkJoinWorkerThread.run"];
        let task = ["ForkJoinTask.join", "shop.Till.pay", "ForkJoinTask.doExec", "ForkJoinPool.runWorker"];
        let takes = ["Queue.take", "shop.Till.serve", "ForkJoinTask.doExec", "ForkJoinPool.runWorker"];
        let far = ["a.A.a"; NEAR].into_iter().chain(pool).collect::<Vec<_>>();
        for (frames, is) in [(&pool[..], true), (&task, false), (&takes, true), (&far, false), (&[], false)] {
            assert_eq!(is_idle(frames.iter().filter_map(|frame| frame.rsplit_once('.'))), is, "{frames:?}");
        }
    }

    #[test]
    fn what_the_program_called_says_what_a_thread_waits_for() {
        let of = |called| {
            let frames = ["jdk.internal.misc.Unsafe.park", called, "shop.Till.fill", "java.lang.Thread.run"];
            awaits(frames.iter().filter_map(|frame| frame.rsplit_once('.')))
        };
        for (called, what) in [
            ("java.util.concurrent.ArrayBlockingQueue.put", Some(Awaits::Capacity)),
            ("java.util.concurrent.LinkedBlockingDeque.putFirst", Some(Awaits::Capacity)),
            ("java.util.concurrent.ArrayBlockingQueue.take", None),
            ("java.util.concurrent.CountDownLatch.await", Some(Awaits::Count)),
            ("java.util.concurrent.Semaphore.acquireUninterruptibly", Some(Awaits::Permit)),
            ("java.lang.Object.wait", Some(Awaits::Notification)),
            ("java.util.concurrent.CompletableFuture.join", Some(Awaits::Result)),
            ("shop.Queue.put", None),
        ] {
            assert_eq!(of(called), what, "{called}");
        }
    }

    #[test]
    fn a_worker_of_a_pool_waits_for_others_unless_a_timer_has_work_for_it() {
        let pool = ["LinkedBlockingQueue.take", "ThreadPoolExecutor.getTask", "ThreadPoolExecutor.runWorker"];
        let timer = ["ScheduledThreadPoolExecutor$DelayedWorkQueue.take", "ThreadPoolExecutor.getTask"];
        let own = ["LinkedBlockingQueue.take", "shop.Till.serve"];
        for (frames, is) in
            [(&pool[..], true), (&["ForkJoinPool.awaitWork"], true), (&timer, false), (&own, false)]
        {
            assert_eq!(is_spare(frames.iter().filter_map(|frame| frame.rsplit_once('.'))), is, "{frames:?}");
        }
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
        assert_eq!(doing(&own, &waiting(), false, false), Doing::Waits);
        assert_eq!(doing(&idle, &waiting(), false, false), Doing::Idle);
        assert_eq!(doing(&own, &thread(1, Waiting, None, true), false, false), Doing::Pauses);
        assert_eq!(doing(&own, &thread(1, Runnable, None, false), true, false), Doing::Runs);
        assert_eq!(doing(&own, &thread(1, Runnable, None, false), false, false), Doing::Held);
        let two = sample(vec![waiting(), thread(2, Sleeping, None, false)]);
        assert!(stands_still(&two, &[Doing::Waits, Doing::Lock]));
        for other in [Doing::Runs, Doing::Pauses, Doing::Idle, Doing::Commands, Doing::Child] {
            assert!(!stands_still(&two, &[Doing::Waits, other]), "{other:?}");
        }
        assert!(stands_still(&two, &[Doing::Waits, Doing::Spare]));
        assert!(!stands_still(&two, &[Doing::Spare, Doing::Spare]), "a server without work");
        let mut machine = waiting();
        machine.name = "Finalizer".into();
        assert!(stands_still(&sample(vec![machine.clone(), waiting()]), &[Doing::Runs, Doing::Waits]));
        machine.name = "SIGTERM handler".into();
        assert!(stands_still(&sample(vec![machine, waiting()]), &[Doing::Runs, Doing::Waits]));
        assert!(!stands_still(&sample(vec![]), &[]));
    }
}
