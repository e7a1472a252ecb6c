//! Processes: which threads they have, whose children they are, and which pipes they hold.
//!
//! Tracers that record only the arguments of system calls do not record which numbers the ends of a pipe got. A process
//! may then hold both ends of each pipe that it or a process before it has made, and a descriptor of unknown origin may
//! be any of them: so more processes are taken to be able to wake a thread than can, never fewer.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::system_call::SystemCall;

/// Children and descriptors that are remembered of a process.
const MOST: usize = 1 << 12;
/// Processes that are remembered.
const MOST_PROCESSES: usize = 1 << 16;

/// `O_CLOEXEC`.
const CLOSES_AT_EXEC: i64 = 0x8_0000;
/// `F_DUPFD` and `F_DUPFD_CLOEXEC`.
const COPIES: [i64; 2] = [0, 1030];
/// `CLONE_THREAD`.
const IS_THREAD: i64 = 0x1_0000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Descriptor {
    /// The end of this pipe that is read from.
    Reads(u32),
    /// The end of this pipe that is written to.
    Writes(u32),
    /// An end of one of the pipes that the process may hold.
    SomePipe,
    Other,
}

#[derive(Debug, Clone, Default)]
struct Process {
    parent: Option<i64>,
    threads: BTreeSet<i64>,
    /// All its threads have been seen, for it began during the trace.
    is_whole: bool,
    descriptors: BTreeMap<i64, Descriptor>,
    /// Pipes whose ends it may hold, under numbers that are not known.
    pipes: BTreeSet<u32>,
}

/// All processes that were seen.
#[derive(Debug, Default)]
pub(super) struct Processes {
    of_thread: HashMap<i64, i64>,
    all: HashMap<i64, Process>,
    /// By pipe: whether it is closed when another program is run.
    pipes: Vec<bool>,
    /// The recorder follows the threads of one command, all of which it sees.
    sees_all: bool,
}

impl Processes {
    pub(super) fn new(sees_all: bool) -> Processes {
        Processes { sees_all, ..Processes::default() }
    }

    /// The process of a thread: by itself where nothing else is known.
    pub(super) fn of(&self, tid: i64) -> i64 {
        self.of_thread.get(&tid).copied().unwrap_or(tid)
    }

    /// The thread was seen, in this process where that is known.
    pub(super) fn seen(&mut self, tid: i64, process: Option<i64>) {
        let known = self.of_thread.get(&tid).copied();
        let process = process.or(known).unwrap_or(tid);
        if known == Some(process) || known.is_none() && self.of_thread.len() >= MOST_PROCESSES {
            return;
        }
        if let Some(known) = known
            && let Some(before) = self.all.get_mut(&known)
        {
            before.threads.remove(&tid);
            if before.threads.is_empty() {
                self.all.remove(&known);
            }
        }
        self.of_thread.insert(tid, process);
        self.all.entry(process).or_default().threads.insert(tid);
    }

    /// A thread has made another one. `call`: the system call it did so in.
    pub(super) fn forked(
        &mut self,
        parent: i64,
        child: i64,
        process: Option<i64>,
        call: Option<&SystemCall>,
    ) {
        let parent = self.of(parent);
        let clones = call.filter(|call| call.name == "clone").and_then(|call| call.int(0));
        let is_thread = process.map_or(clones.is_some_and(|flags| flags & IS_THREAD != 0), |it| it == parent);
        if is_thread {
            return self.seen(child, Some(parent));
        }
        self.seen(child, Some(child));
        let enclosing = self.all.get(&parent).cloned().unwrap_or_default();
        if let Some(new) = self.all.get_mut(&child) {
            (new.parent, new.is_whole) = (Some(parent), true);
            (new.descriptors, new.pipes) = (enclosing.descriptors, enclosing.pipes);
        }
    }

    /// A thread is no more.
    pub(super) fn ended(&mut self, tid: i64) {
        let process = self.of(tid);
        if let Some(its) = self.all.get_mut(&process) {
            its.threads.remove(&tid);
            if its.threads.is_empty() {
                (its.descriptors, its.pipes) = (BTreeMap::new(), BTreeSet::new());
            }
        }
    }

    /// A system call of a thread has ended. `ends`: of a pipe, where the trace has their numbers.
    pub(super) fn returned(&mut self, tid: i64, call: &SystemCall, result: i64, ends: Option<[i64; 2]>) {
        if result < 0 {
            return;
        }
        let Self { of_thread, all, pipes, .. } = self;
        let process = of_thread.get(&tid).copied().unwrap_or(tid);
        let its = all.entry(process).or_default();
        let kind = |its: &Process, of: Option<i64>| of.and_then(|of| its.descriptor(of));
        let old = kind(its, call.int(0));
        match &*call.name {
            "pipe" | "pipe2" | "socketpair" if its.pipes.len() < MOST => {
                let number = u32::try_from(pipes.len()).unwrap_or(u32::MAX);
                pipes.push(
                    call.name == "pipe2" && call.int(1).is_some_and(|flags| flags & CLOSES_AT_EXEC != 0),
                );
                match ends.filter(|_| call.name != "socketpair") {
                    Some([reads, writes]) => {
                        its.put(reads, Descriptor::Reads(number));
                        its.put(writes, Descriptor::Writes(number));
                    }
                    None => _ = its.pipes.insert(number),
                }
            }
            "open" | "openat" | "openat2" | "creat" | "socket" | "accept" | "accept4" | "epoll_create"
            | "epoll_create1" | "eventfd" | "eventfd2" | "timerfd_create" | "memfd_create" | "signalfd"
            | "signalfd4" | "inotify_init" | "inotify_init1" | "pidfd_open" | "perf_event_open"
            | "io_uring_setup" | "userfaultfd" | "fanotify_init" => its.put(result, Descriptor::Other),
            "dup" => its.copy(result, old),
            "dup2" | "dup3" => its.copy(result, old),
            "fcntl" if call.int(1).is_some_and(|command| COPIES.contains(&command)) => its.copy(result, old),
            "close" => {
                if let Some(descriptor) = call.int(0) {
                    its.descriptors.remove(&descriptor);
                }
            }
            "execve" | "execveat" => its.run_another(pipes),
            _ => {}
        }
    }

    /// Whether the descriptor of a thread is an end of a pipe.
    pub(super) fn is_pipe(&self, tid: i64, descriptor: i64) -> bool {
        let its = self.all.get(&self.of(tid));
        its.and_then(|its| its.descriptor(descriptor)).is_some_and(|it| it != Descriptor::Other)
    }

    /// Threads that hold, or may hold, the other end of the pipe that a thread reads from, or writes to, by this descriptor. `None`: it
    /// is not known to be a pipe.
    pub(super) fn at_other_end(&self, tid: i64, descriptor: i64, reads: bool) -> Option<BTreeSet<i64>> {
        let its = self.all.get(&self.of(tid))?;
        let (pipes, ends): (BTreeSet<u32>, bool) = match its.descriptor(descriptor)? {
            Descriptor::Reads(pipe) if reads => ([pipe].into(), true),
            Descriptor::Writes(pipe) if !reads => ([pipe].into(), true),
            Descriptor::SomePipe => (its.pipes.clone(), false),
            _ => return None,
        };
        let holds = |other: &&Process| {
            let end = |descriptor: &Descriptor| match *descriptor {
                Descriptor::Writes(pipe) if reads || !ends => pipes.contains(&pipe),
                Descriptor::Reads(pipe) if !reads || !ends => pipes.contains(&pipe),
                _ => false,
            };
            other.pipes.intersection(&pipes).next().is_some() || other.descriptors.values().any(end)
        };
        Some(self.all.values().filter(holds).flat_map(|other| other.threads.iter().copied()).collect())
    }

    /// The threads of the process of a thread; `None` where there may be others.
    pub(super) fn beside(&self, tid: i64) -> Option<BTreeSet<i64>> {
        let its = self.all.get(&self.of(tid))?;
        (its.is_whole || self.sees_all).then(|| its.threads.clone())
    }

    /// Whether two threads are of one process.
    pub(super) fn is_beside(&self, one: i64, other: i64) -> bool {
        self.of_thread.contains_key(&other) && self.of(one) == self.of(other)
    }

    /// The threads of the children of a thread's process, or of this child; `None` where none is known.
    pub(super) fn children(&self, tid: i64, child: Option<i64>) -> Option<BTreeSet<i64>> {
        let process = self.of(tid);
        let is_asked = |(pid, its): &(&i64, &Process)| {
            its.parent == Some(process) && child.is_none_or(|child| child == **pid)
        };
        let threads: BTreeSet<i64> =
            self.all.iter().filter(is_asked).flat_map(|(_, its)| its.threads.iter().copied()).collect();
        (!threads.is_empty()).then_some(threads)
    }
}

impl Process {
    /// What a descriptor is; `None` where nothing is known of it.
    fn descriptor(&self, number: i64) -> Option<Descriptor> {
        // The first three were there before.
        let may_be_pipe = number > 2 && !self.pipes.is_empty();
        self.descriptors.get(&number).copied().or(may_be_pipe.then_some(Descriptor::SomePipe))
    }

    fn put(&mut self, number: i64, descriptor: Descriptor) {
        if self.descriptors.len() < MOST {
            self.descriptors.insert(number, descriptor);
        }
    }

    fn copy(&mut self, number: i64, descriptor: Option<Descriptor>) {
        match descriptor {
            Some(descriptor) => self.put(number, descriptor),
            None => _ = self.descriptors.remove(&number),
        }
    }

    /// It has become another program.
    fn run_another(&mut self, closes: &[bool]) {
        let stays = |pipe: &u32| !closes.get(*pipe as usize).copied().unwrap_or(false);
        self.descriptors.retain(|_, descriptor| match descriptor {
            Descriptor::Reads(pipe) | Descriptor::Writes(pipe) => stays(pipe),
            _ => true,
        });
        // A copy made by dup2 stays open, whatever it is a copy of.
        if !self.descriptors.values().any(|descriptor| *descriptor == Descriptor::SomePipe) {
            self.pipes.retain(stays);
        }
    }
}
