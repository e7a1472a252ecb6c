//! Threads of a program that seem to make no progress, judged by successive thread dumps.
//!
//! ```text
//! dump       1             2             3
//! frames     main (7)      main (7)      main (7)     outer frames stand at the same call
//!            load          load          load         the innermost one they share: it was never left
//!            read          parse         read
//! processor  + 1.9 s       + 1.9 s       + 1.9 s      it is busy: suspect after a while
//! ```
//!
//! Whoever reads or writes makes progress. Else, from outside, a loop over many things looks like one over the same thing
//! for ever. So this only suspects; a short recording decides, and who was cleared is suspected again after twice the time.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::dump::{Dump, DumpedThread, method};
use crate::libraries::is_of_jdk;

/// Who uses less than this part of the time is not busy.
const BUSY: f64 = 0.05;

/// So many frames a thread dump shows of a thread, innermost ones.
pub(crate) const DEEPEST: usize = 1024;

/// How many times the usual time is given at most to who was cleared.
const LONGER: u32 = 4;

/// What is known of the threads of one program.
#[derive(Debug)]
pub(crate) struct Progress {
    stalled: Duration,
    threads: HashMap<(String, String), Seen>,
    /// Since when all threads of the program wait where they are, and use no time.
    rest: Option<Instant>,
    /// When it was looked at last.
    last: Option<Instant>,
    /// Until when nobody is suspected again of resting.
    rest_patience: Duration,
}

#[derive(Debug)]
struct Seen {
    since: Instant,
    last: Instant,
    cpu: f64,
    /// The frames that all dumps since then share, outermost first; of the innermost of these only the method.
    shared: Vec<String>,
    frames: Vec<String>,
    is_virtual: bool,
    /// The classes of the program that it was seen in since then.
    classes: BTreeSet<String>,
    /// All frames that it was seen in since then.
    seen: BTreeSet<String>,
    /// How often it had read or written.
    transfers: u64,
    deadlocked: Option<Instant>,
    /// Since when it has waited for another thread to do something; `None` also if it was cleared of waiting in vain.
    awaits_another: Option<Instant>,
    /// It was cleared of that, and still stands there.
    is_cleared: bool,
    patience: Duration,
}

/// Why somebody is suspected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Suspicion {
    /// The names of the threads.
    pub(crate) threads: BTreeSet<String>,
    /// Virtual threads are among them, which a recording calls otherwise than a dump.
    pub(crate) has_virtual: bool,
    /// The classes of the program that they were seen in.
    pub(crate) classes: BTreeSet<String>,
    /// Of those that use the processor: the frames that each has never left, outermost first, each with the lines it was seen at.
    pub(crate) frames: Vec<Vec<(String, BTreeSet<u16>)>>,
    /// For how long it has looked like that.
    pub(crate) long: Duration,
    /// They use the processor.
    pub(crate) is_busy: bool,
    /// What the other threads do decides, whatever classes that is in.
    pub(crate) is_about_others: bool,
}

impl Progress {
    pub(crate) fn new(stalled: Duration) -> Progress {
        Progress { stalled, threads: HashMap::new(), rest: None, last: None, rest_patience: stalled }
    }

    /// Takes a dump of this moment. `transfers`: how often a thread has read or written so far; `reads_commands`: whether
    /// one waits for standard input, from where anything may come at any time.
    pub(crate) fn add(
        &mut self,
        dump: &Dump,
        now: Instant,
        transfers: impl Fn(&DumpedThread) -> u64,
        reads_commands: bool,
    ) -> Option<Suspicion> {
        let mut before = std::mem::take(&mut self.threads);
        // One thread that joins another one is in no circle of those.
        let joins = dump.threads.iter().filter(|thread| thread.joins()).count() > 1;
        let (mut all_rest, mut own, mut may_be_woken) = (!reads_commands, 0, reads_commands);
        for thread in dump.threads.iter().filter(|thread| !thread.is_of_the_machine()) {
            all_rest &= thread.is_spare() || !thread.is_idle() && !thread.has_limit();
            let key = (thread.number.clone(), thread.name.clone());
            let old = before.remove(&key);
            let used = old.as_ref().map_or(f64::MAX, |old| thread.cpu.unwrap_or(0.0) - old.cpu);
            let is_same = old.as_ref().is_some_and(|old| old.frames == thread.frames);
            all_rest &= is_same && used < 1.0;
            own += usize::from(thread.has_own_frames());
            let is_deadlocked =
                dump.deadlocked.contains(&thread.name) || is_same && thread.may_be_deadlocked(used);
            let mut seen = seen(old, thread, (used, transfers(thread)), now, self.stalled);
            seen.deadlocked = seen.deadlocked.or(Some(now)).filter(|_| is_deadlocked);
            let awaits_another = thread.awaits_another() || joins && thread.joins();
            let awaits_another = awaits_another && is_same && used < 1.0;
            seen.is_cleared &= awaits_another;
            let is_suspect = awaits_another && !seen.is_cleared;
            seen.awaits_another = seen.awaits_another.or(Some(now)).filter(|_| is_suspect);
            // What is asked for from outside may start anything.
            may_be_woken |= thread.awaits_outside(used);
            self.threads.insert(key, seen);
        }
        // Who stands where he stood has rested since then.
        self.rest = self.rest.or(self.last).filter(|_| all_rest && own > 0);
        self.last = Some(now);
        if may_be_woken {
            self.threads.values_mut().for_each(|seen| seen.awaits_another = None);
        }
        self.suspects(now)
    }

    fn suspects(&self, now: Instant) -> Option<Suspicion> {
        let suspect = |since: &dyn Fn(&Seen) -> Option<(Instant, Duration)>| {
            let mut found = Suspicion::default();
            for (key, seen) in &self.threads {
                let Some((begin, patience)) = since(seen) else { continue };
                let long = now.duration_since(begin);
                if long >= patience {
                    found.threads.insert(key.1.clone());
                    found.has_virtual |= seen.is_virtual;
                    found.classes.extend(seen.classes.iter().cloned());
                    found.frames.push(seen.shared_lines());
                    found.long = found.long.max(long);
                }
            }
            (!found.threads.is_empty()).then_some(found)
        };
        let is_spinning = |seen: &Seen| seen.shared.iter().any(|frame| !is_of_jdk(frame));
        let deadlock = suspect(&|seen| Some((seen.deadlocked?, seen.patience)));
        let busy = || {
            let found = suspect(&|seen| is_spinning(seen).then_some((seen.since, seen.patience)))?;
            Some(Suspicion { is_busy: true, ..found })
        };
        let rest = || suspect(&|_| Some((self.rest?, self.rest_patience)));
        let waits = || {
            let found = suspect(&|seen| Some((seen.awaits_another?, seen.patience)))?;
            Some(Suspicion { is_about_others: true, ..found })
        };
        deadlock.or_else(busy).or_else(rest).or_else(waits)
    }

    /// Drops a suspicion that proved wrong without touching the program: its threads are observed anew from now on.
    pub(crate) fn renew(&mut self, suspicion: &Suspicion, now: Instant) {
        for (key, seen) in &mut self.threads {
            if suspicion.threads.contains(&key.1) {
                // What was left before is forgotten, so that a deeper frame that is not left from now on shows.
                seen.shared = seen.frames.iter().rev().cloned().collect();
                seen.seen = seen.frames.iter().cloned().collect();
                (seen.since, seen.deadlocked, seen.awaits_another) = (now, None, None);
                // Code does not change, so it need not be looked at again before the thread has gone on.
                seen.is_cleared |= suspicion.is_about_others;
            }
        }
    }

    /// Gives the threads of a wrong suspicion twice the time, up to a limit, as they may hang later.
    pub(crate) fn clear(&mut self, suspicion: &Suspicion, now: Instant) {
        let most = self.stalled * LONGER;
        let longer = |patience: Duration| (patience * 2).min(most);
        for (key, seen) in &mut self.threads {
            if suspicion.threads.contains(&key.1) {
                seen.patience = longer(seen.patience);
            }
        }
        self.renew(suspicion, now);
        if self.rest.is_some() {
            (self.rest, self.rest_patience) = (Some(now), longer(self.rest_patience));
        }
    }
}

impl Seen {
    /// See [`Suspicion::frames`].
    fn shared_lines(&self) -> Vec<(String, BTreeSet<u16>)> {
        let lines = |shared: &String| {
            // Only of the innermost one the line is not the same each time.
            let is_it = |frame: &&String| {
                if shared.contains('(') { frame == &shared } else { method(frame) == shared }
            };
            self.seen.iter().filter(is_it).filter_map(|frame| line(frame)).collect()
        };
        self.shared.iter().map(|shared| (method(shared).to_owned(), lines(shared))).collect()
    }
}

/// 31 of `shop.Till.pay(Till.java:31)`.
fn line(frame: &str) -> Option<u16> {
    frame.rsplit_once(':')?.1.strip_suffix(')')?.parse().ok()
}

fn seen(
    old: Option<Seen>,
    thread: &DumpedThread,
    (used, transfers): (f64, u64),
    now: Instant,
    stalled: Duration,
) -> Seen {
    let cpu = thread.cpu.unwrap_or(0.0);
    let frames = thread.frames.clone();
    let classes = thread.own_classes().map(str::to_owned).collect();
    let shared = thread.outward().map(str::to_owned).collect();
    let seen = frames.iter().cloned().collect();
    let new = Seen {
        since: now,
        last: now,
        cpu,
        shared,
        frames,
        is_virtual: thread.is_virtual,
        classes,
        seen,
        transfers,
        deadlocked: None,
        awaits_another: None,
        is_cleared: false,
        patience: stalled,
    };
    let Some(mut old) = old else { return new };
    let time = now.duration_since(old.last).as_secs_f64() * 1000.0;
    // Whoever gives way gets little time where others want the processors, and would use all of it.
    let is_busy = (used >= time * BUSY || thread.yields()) && transfers == old.transfers;
    let shared = shared_frames(&old.shared, thread);
    // A frame that was left is progress, and so is a rest.
    if !is_busy || shared.is_empty() {
        let Seen { deadlocked, awaits_another, is_cleared, .. } = old;
        let is_suspect = deadlocked.is_some() || awaits_another.is_some();
        let patience = if is_suspect { old.patience } else { stalled };
        return Seen { deadlocked, awaits_another, is_cleared, patience, ..new };
    }
    old.classes.extend(new.classes);
    old.seen.extend(new.seen);
    let Seen { since, classes, seen, deadlocked, awaits_another, is_cleared, patience, .. } = old;
    Seen { since, shared, classes, seen, deadlocked, awaits_another, is_cleared, patience, ..new }
}

/// Those of these frames that the thread is still in.
fn shared_frames(before: &[String], thread: &DumpedThread) -> Vec<String> {
    // Outer frames are left out: it is not known which it has left.
    if thread.frames.len() >= DEEPEST {
        return before.to_vec();
    }
    if before.len() >= DEEPEST {
        return thread.outward().map(str::to_owned).collect();
    }
    let mut both = vec![];
    for (old, new) in before.iter().zip(thread.outward()) {
        if method(old) != method(new) {
            break;
        }
        both.push(method(old).to_owned());
        if old != new {
            // Another call of the same method, or another place in it: what lies within is new.
            break;
        }
        if let Some(last) = both.last_mut() {
            new.clone_into(last);
        }
    }
    if let Some(last) = both.last_mut() {
        *last = method(last).to_owned();
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread of these frames, outermost first, that has used so many ms.
    fn dump(frames: &[&str], state: &str, cpu: f64) -> Dump {
        let frames = frames.iter().rev().map(|&frame| frame.to_owned()).collect();
        let (name, number) = ("main".to_owned(), "1".to_owned());
        let (state, is_virtual) = (state.to_owned(), false);
        let thread = DumpedThread { name, number, native: None, cpu: Some(cpu), state, frames, is_virtual };
        Dump { threads: vec![thread], ..Dump::default() }
    }

    /// The seconds at which somebody is suspected, of one dump a second.
    fn suspected(dumps: impl IntoIterator<Item = Dump>) -> Vec<u64> {
        let (mut progress, begin) = (Progress::new(Duration::from_secs(3)), Instant::now());
        let seconds = (0..).zip(dumps).filter_map(|(second, dump)| {
            progress.add(&dump, begin + Duration::from_secs(second), |_| 0, false).map(|_| second)
        });
        seconds.collect()
    }

    #[test]
    fn who_is_busy_in_one_frame_is_suspected_after_a_while() {
        let lines = ["a.B.m(B.java:1)", "a.B.m(B.java:2)", "a.B.m(B.java:1)"];
        let spins = (0..6).map(|at| dump(&[lines[at % 3]], "RUNNABLE", at as f64 * 900.0));
        assert_eq!(suspected(spins), [3, 4, 5]);
        let calls = (0..6).map(|at| {
            let inner = ["a.B.x(B.java:9)", "a.B.y(B.java:8)"][at % 2];
            dump(&["a.B.m(B.java:1)", inner], "RUNNABLE", at as f64 * 900.0)
        });
        assert_eq!(suspected(calls), [3, 4, 5]);
    }

    /// With others that want the processor it uses 4 ms a second.
    #[test]
    fn who_gives_way_to_others_is_suspected_though_it_uses_little() {
        let frames = ["a.B.m(B.java:1)", "java.lang.Thread.yield(java.base@17.0.15/Native Method)"];
        let yields = (0..5).map(|at| dump(&frames, "RUNNABLE", f64::from(at) * 4.0));
        assert_eq!(suspected(yields), [3, 4]);
    }

    #[test]
    fn who_waits_for_a_class_or_to_write_may_be_in_a_deadlock_beside_others() {
        let tick = |second: u32| {
            let mut other =
                dump(&["a.B.tick(B.java:7)"], "TIMED_WAITING", f64::from(second)).threads.remove(0);
            (other.name, other.number) = ("tick".to_owned(), "2".to_owned());
            other
        };
        let beside = |second: u32, mut dump: Dump| {
            dump.threads.push(tick(second));
            dump
        };
        let write = "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock(java.base@17.0.15/ReentrantReadWriteLock.java:959)";
        let park = "jdk.internal.misc.Unsafe.park(java.base@17.0.15/Native Method)";
        let waits = |second| beside(second, dump(&["a.B.m(B.java:1)", write, park], "WAITING", 3.0));
        assert_eq!(suspected((0..5).map(waits)), [4]);
        let is_held = |second| beside(second, dump(&["a.B.<clinit>(B.java:1)"], "RUNNABLE", 3.0));
        assert_eq!(suspected((0..5).map(is_held)), [4]);
        let other = |second| beside(second, dump(&["a.B.m(B.java:1)", park], "WAITING", 3.0));
        assert_eq!(suspected((0..9).map(other)), [0; 0]);
    }

    #[test]
    fn who_rests_alone_or_sleeps_is_another_matter() {
        let rests = (0..5).map(|_| dump(&["a.B.m(B.java:1)"], "WAITING", 3.0));
        assert_eq!(suspected(rests), [3, 4]);
        let sleeps = (0..9).map(|_| dump(&["a.B.m(B.java:1)"], "TIMED_WAITING", 3.0));
        assert_eq!(suspected(sleeps), [0; 0]);
        let moves = (0..9).map(|at| dump(&[&format!("a.B.m{at}(B.java:1)")], "RUNNABLE", at as f64 * 900.0));
        assert_eq!(suspected(moves), [0; 0]);
    }

    #[test]
    fn who_reads_or_writes_makes_progress_and_who_reads_commands_may_rest() {
        let (mut progress, begin) = (Progress::new(Duration::from_secs(3)), Instant::now());
        for second in 0..9 {
            let now = begin + Duration::from_secs(second);
            let dump = dump(&["a.B.m(B.java:1)"], "RUNNABLE", second as f64 * 900.0);
            assert_eq!(progress.add(&dump, now, |_| second, false), None, "{second}");
        }
        for second in 9..18 {
            let now = begin + Duration::from_secs(second);
            let reads = "java.io.FileInputStream.readBytes(java.base@17.0.15/Native Method)";
            let dump = dump(&["a.B.m(B.java:1)", reads], "RUNNABLE", 9000.0);
            assert_eq!(progress.add(&dump, now, |_| 9, true), None, "{second}");
        }
    }

    #[test]
    fn who_was_cleared_is_given_twice_the_time_up_to_a_limit() {
        let (mut progress, begin) = (Progress::new(Duration::from_secs(3)), Instant::now());
        let mut suspected = vec![];
        for second in 0..46 {
            let now = begin + Duration::from_secs(second);
            let dump = dump(&["a.B.m(B.java:1)"], "RUNNABLE", second as f64 * 900.0);
            if let Some(suspicion) = progress.add(&dump, now, |_| 0, false) {
                progress.clear(&suspicion, now);
                suspected.push(second);
            }
        }
        assert_eq!(suspected, [3, 9, 21, 33, 45]);
    }
}
