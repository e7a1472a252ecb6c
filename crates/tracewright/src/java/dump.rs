//! A thread dump, as HotSpot writes one when it is asked through its socket: nothing need be loaded for it.
//!
//! ```text
//! "main" #1 prio=5 os_prio=0 cpu=84.63ms elapsed=12.01s tid=0x00007f nid=0x2a01 runnable  [0x00007f]
//!    java.lang.Thread.State: RUNNABLE
//!         at shop.Till.pay(Till.java:31)
//!         at shop.Main.main(Main.java:7)
//!
//! Found one Java-level deadlock:
//! "one":
//!   waiting to lock monitor 0x00007f (object 0x00007f, a shop.Key),
//!   which is held by "two"
//! ```

use std::collections::BTreeSet;

use crate::libraries::is_of_jdk;

/// Who waits here waits to write.
const WRITE_LOCK: &str = "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock(";

/// Who waits here waits until a thread ends; and how far from the innermost frame that is looked for.
const JOIN: &str = "java.lang.Thread.join";
const NEAR: usize = 4;

/// How a frame of a native method ends.
const NATIVE: &str = "Native Method)";

/// All threads of a program at one moment.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Dump {
    pub(crate) threads: Vec<DumpedThread>,
    /// The names of those that wait for one another.
    pub(crate) deadlocked: BTreeSet<String>,
}

/// A thread that runs Java code.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DumpedThread {
    pub(crate) name: String,
    /// Java's number, as it is written.
    pub(crate) number: String,
    /// The system's number.
    pub(crate) native: Option<u32>,
    /// Processor time in ms, where the dump has it.
    pub(crate) cpu: Option<f64>,
    /// `TIMED_WAITING`.
    pub(crate) state: String,
    /// `shop.Till.pay(Till.java:31)`, innermost first.
    pub(crate) frames: Vec<String>,
    /// A virtual thread, whose name is not in dumps, listed in place of its carrier.
    pub(crate) is_virtual: bool,
}

impl Dump {
    pub(crate) fn parse(text: &str) -> Dump {
        let mut dump = Dump::default();
        let (threads, deadlocks) = match text.find("\nFound ") {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        for line in threads.lines() {
            if let Some(thread) = head(line) {
                dump.threads.push(thread);
                continue;
            }
            let Some(thread) = dump.threads.last_mut() else { continue };
            if let Some(frame) = line.trim_start().strip_prefix("at ") {
                // `java.lang.Object.wait(java.base@17.0.15/Native Method)`
                thread.frames.push(frame.trim_end().to_owned());
            } else if let Some(number) = line.trim().strip_prefix("Mounted virtual thread #") {
                // What its carrier does itself is to carry it. Other lines of the head are the carrier's, and true of both.
                thread.number = number.to_owned();
                thread.name = format!("virtual thread #{number}");
                (thread.is_virtual, thread.frames) = (true, vec![]);
            } else if let Some(state) = line.trim_start().strip_prefix("java.lang.Thread.State: ") {
                thread.state = state.split(' ').next().unwrap_or_default().to_owned();
            }
        }
        dump.threads.retain(|thread| !thread.frames.is_empty());
        let names = deadlocks.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix("\":"));
        dump.deadlocked = names.map(str::to_owned).collect();
        dump
    }
}

fn head(line: &str) -> Option<DumpedThread> {
    let (name, rest) = line.strip_prefix('"')?.rsplit_once("\" #")?;
    let mut words = rest.split(' ');
    let number = words.next()?.to_owned();
    let cpu = words.find_map(|word| word.strip_prefix("cpu=")?.strip_suffix("ms")?.parse().ok());
    // Up to JDK 20 in hex; since then in brackets, too, and of a carrier only there.
    let native = match words.find_map(|word| word.strip_prefix("nid=")) {
        Some(word) => match word.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => word.parse().ok(),
        },
        None => {
            rest.split(' ').nth(1).and_then(|word| word.strip_prefix('[')?.strip_suffix(']')?.parse().ok())
        }
    };
    let (name, state) = (name.to_owned(), String::new());
    Some(DumpedThread { name, number, native, cpu, state, frames: vec![], is_virtual: false })
}

impl DumpedThread {
    /// The methods of its frames with the lines, from the outermost on.
    pub(crate) fn outward(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().rev().map(String::as_str)
    }

    /// Whether it gives way to others, and would run else.
    pub(crate) fn yields(&self) -> bool {
        self.frames.first().is_some_and(|frame| frame.starts_with("java.lang.Thread.yield"))
    }

    /// Whether it waits for work: a task, the next element of a queue, a connection.
    pub(crate) fn is_idle(&self) -> bool {
        analyses::hangs::is_idle(self.methods())
    }

    /// Whether it waits, without a time limit, until another thread does something.
    pub(crate) fn awaits_another(&self) -> bool {
        self.state == "WAITING" && analyses::hangs::awaits(self.methods()).is_some()
    }

    /// Whether it waits, without a time limit, until another thread ends.
    pub(crate) fn joins(&self) -> bool {
        let mut near = self.frames.iter().take(NEAR);
        self.state == "WAITING" && near.any(|frame| method(frame) == JOIN)
    }

    /// Whether it goes on by itself after some time.
    pub(crate) fn has_limit(&self) -> bool {
        self.state == "TIMED_WAITING" && !analyses::hangs::is_at_pipe(self.methods())
    }

    /// The methods of its frames, innermost first: the class, with dots, and the name.
    fn methods(&self) -> impl Iterator<Item = (&str, &str)> {
        self.frames.iter().filter_map(|frame| method(frame).rsplit_once('.'))
    }

    /// Whether it waits for something from outside: a connection, an answer, a command.
    pub(crate) fn awaits_outside(&self, used: f64) -> bool {
        let is_native = self.frames.first().is_some_and(|frame| frame.ends_with(NATIVE));
        self.state == "RUNNABLE" && is_native && !self.yields() && used < 1.0
    }

    /// Whether it is a worker of a pool that waits for a task which another thread has to give it.
    pub(crate) fn is_spare(&self) -> bool {
        analyses::hangs::is_spare(self.methods())
    }

    /// Whether it runs code of the program.
    pub(crate) fn has_own_frames(&self) -> bool {
        self.own_classes().next().is_some()
    }

    /// The classes of the program that it is in, innermost first.
    pub(crate) fn own_classes(&self) -> impl Iterator<Item = &str> {
        let classes = self.frames.iter().filter_map(|frame| Some(method(frame).rsplit_once('.')?.0));
        classes.filter(|class| !is_of_jdk(class))
    }

    /// Whether it may wait for itself, or in a circle, without the virtual machine's saying so: for a lock that it holds for reading,
    /// or for a class. `used`: how much of the processor's time, in ms, where it has not moved for a while.
    pub(crate) fn may_be_deadlocked(&self, used: f64) -> bool {
        let is_of_lock = |frame: &String| frame.starts_with(WRITE_LOCK);
        let is_native = self.frames.first().is_some_and(|frame| frame.ends_with(NATIVE));
        match self.state.as_str() {
            "WAITING" => self.frames.iter().any(is_of_lock),
            "RUNNABLE" => !is_native && !self.yields() && used < 1.0,
            _ => false,
        }
    }

    /// Whether it belongs to the virtual machine.
    pub(crate) fn is_of_the_machine(&self) -> bool {
        analyses::hangs::is_of_the_machine(&self.name)
    }
}

/// `shop.Till.pay` of `shop.Till.pay(Till.java:31)`.
pub(crate) fn method(frame: &str) -> &str {
    frame.split('(').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "2026-11-25 16:00:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):

\"a \"b\" #c\" #11 [77] daemon prio=5 os_prio=0 cpu=84.63ms elapsed=12.01s tid=0x7f nid=0x2a01 waiting  [0x7f]
   java.lang.Thread.State: TIMED_WAITING (sleeping)
\tat java.lang.Thread.sleep(java.base@17.0.15/Native Method)
\tat shop.Main.main(Main.java:7)
\t- locked <0x000000009> (a shop.Key)

\"VM Thread\" os_prio=0 cpu=3.50ms elapsed=12.03s tid=0x7f nid=0x29f9 runnable

JNI global refs: 17, weak refs: 0


Found one Java-level deadlock:
=============================
\"one\":
  waiting to lock monitor 0x7f (object 0x9, a shop.Key),
  which is held by \"two\"
";

    #[test]
    fn threads_with_frames_and_deadlocks_are_read() {
        let dump = Dump::parse(TEXT);
        let [thread] = &dump.threads[..] else { panic!("{dump:?}") };
        assert_eq!(
            (thread.name.as_str(), thread.number.as_str(), thread.cpu),
            ("a \"b\" #c", "11", Some(84.63))
        );
        assert_eq!(thread.native, Some(0x2a01));
        assert_eq!(thread.state, "TIMED_WAITING");
        assert_eq!(thread.outward().next(), Some("shop.Main.main(Main.java:7)"));
        assert!(thread.has_own_frames());
        assert_eq!(dump.deadlocked, BTreeSet::from(["one".to_owned()]));
    }

    #[test]
    fn a_virtual_thread_stands_for_the_thread_that_carries_it() {
        let text = "\
\"ForkJoinPool-1-worker-1\" #23 [11215] daemon prio=5 os_prio=0 cpu=646.51ms elapsed=1.52s tid=0x7f [0x7f]
   Carrying virtual thread #22
\tat jdk.internal.vm.Continuation.run(java.base@25.0.3/Continuation.java:251)
\tat java.util.concurrent.ForkJoinWorkerThread.run(java.base@25.0.3/ForkJoinWorkerThread.java:187)
   Mounted virtual thread #22
\tat shop.Gate.await(Gate.java:9)
\tat java.lang.VirtualThread.run(java.base@25.0.3/VirtualThread.java:460)
";
        let dump = Dump::parse(text);
        let [thread] = &dump.threads[..] else { panic!("{dump:?}") };
        assert_eq!((thread.name.as_str(), thread.number.as_str()), ("virtual thread #22", "22"));
        assert!(thread.is_virtual && thread.cpu == Some(646.51) && thread.native == Some(11215));
        assert_eq!(thread.own_classes().collect::<Vec<_>>(), ["shop.Gate"]);
        assert_eq!(thread.frames.len(), 2);
    }

    #[test]
    fn whatever_is_sent_can_be_read() {
        for text in ["", "\"", "\"\" #", "Found one", "\nFound ", "at x\n\"x\" #1\nat y"] {
            let _ = Dump::parse(text);
        }
        for end in (0..TEXT.len()).filter(|&end| TEXT.is_char_boundary(end)) {
            let _ = Dump::parse(&TEXT[..end]);
        }
    }
}
