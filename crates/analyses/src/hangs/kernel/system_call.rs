//! System calls of Linux in which threads wait: what for, and whether with a time limit.

use model::{Event, FieldSink, Scope, Value};

/// Arguments that a system call can have.
const ARGUMENTS: usize = 6;

/// A system call that a thread has entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemCall {
    /// `read`.
    pub name: String,
    /// The arguments in their order, as far as the trace has them.
    pub arguments: [Option<i64>; ARGUMENTS],
}

/// What is waited for in a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaits {
    /// Bytes from this descriptor.
    Input(i64),
    /// Room for bytes in this descriptor.
    Output(i64),
    /// A connection.
    Connection,
    /// Something on one of several descriptors.
    Events,
    /// A change of a word of memory.
    Futex {
        /// Whether only threads of the same process can wake it.
        is_private: bool,
        /// The value that the word had: of who waits for a thread to end, the number of that thread.
        value: Option<i64>,
    },
    /// The end of a child, of this one or of any.
    Child(Option<i64>),
    /// A signal.
    Signal,
    /// A moment.
    Time,
    /// Nothing that is known.
    Unknown,
}

/// The names of the arguments that are looked at, by call: of tracers that name them.
const NAMES: [(&str, [&str; ARGUMENTS]); 30] = [
    ("read", ["fd", "", "", "", "", ""]),
    ("readv", ["fd", "", "", "", "", ""]),
    ("recvfrom", ["fd", "", "", "", "", ""]),
    ("recvmsg", ["fd", "", "", "", "", ""]),
    ("write", ["fd", "", "", "", "", ""]),
    ("writev", ["fd", "", "", "", "", ""]),
    ("sendto", ["fd", "", "", "", "", ""]),
    ("sendmsg", ["fd", "", "", "", "", ""]),
    ("close", ["fd", "", "", "", "", ""]),
    ("dup", ["fildes", "", "", "", "", ""]),
    ("dup2", ["oldfd", "newfd", "", "", "", ""]),
    ("dup3", ["oldfd", "newfd", "", "", "", ""]),
    ("fcntl", ["fd", "cmd", "arg", "", "", ""]),
    ("pipe2", ["", "flags", "", "", "", ""]),
    ("poll", ["", "nfds", "timeout_msecs", "", "", ""]),
    ("ppoll", ["", "nfds", "tsp", "", "", ""]),
    ("select", ["n", "", "", "", "tvp", ""]),
    ("pselect6", ["n", "", "", "", "tsp", ""]),
    ("epoll_wait", ["epfd", "", "", "timeout", "", ""]),
    ("epoll_pwait", ["epfd", "", "", "timeout", "", ""]),
    ("epoll_pwait2", ["epfd", "", "", "timeout", "", ""]),
    ("futex", ["uaddr", "op", "val", "utime", "", ""]),
    ("wait4", ["upid", "", "options", "", "", ""]),
    ("waitid", ["which", "upid", "", "options", "", ""]),
    ("rt_sigtimedwait", ["", "", "uts", "", "", ""]),
    ("semtimedop", ["semid", "", "", "timeout", "", ""]),
    ("io_getevents", ["", "", "", "", "timeout", ""]),
    ("accept", ["fd", "", "", "", "", ""]),
    ("accept4", ["fd", "", "", "", "", ""]),
    ("clone", ["clone_flags", "", "", "", "", ""]),
];

/// Operations of futexes, and the flags beside them.
const FUTEX_COMMAND: i64 = 0x7f;
const FUTEX_PRIVATE: i64 = 0x80;

impl SystemCall {
    /// The call called `name` that `event` begins.
    pub fn of(name: &str, event: &Event<'_>) -> SystemCall {
        let mut sink = Arguments { in_list: false, depth: 0, count: 0, found: [None; ARGUMENTS] };
        event.fields.visit(Scope::Payload, &mut sink);
        let mut arguments = sink.found;
        if sink.count == 0
            && let Some((_, names)) = NAMES.iter().find(|(call, _)| *call == name)
        {
            let value = |name: &&str| event.fields.get(name).as_ref().and_then(word);
            for (argument, name) in arguments.iter_mut().zip(names).filter(|(_, name)| !name.is_empty()) {
                *argument = value(name);
            }
        }
        SystemCall { name: name.to_owned(), arguments }
    }

    fn argument(&self, index: usize) -> Option<i64> {
        self.arguments.get(index).copied().flatten()
    }

    /// One that the kernel takes as an `int`, such as a descriptor.
    pub(super) fn int(&self, index: usize) -> Option<i64> {
        self.argument(index).map(|value| i64::from(value as i32))
    }

    /// What is waited for in it.
    pub fn awaits(&self) -> Awaits {
        let descriptor = |of: fn(i64) -> Awaits| self.int(0).map_or(Awaits::Unknown, of);
        match &*self.name {
            "read" | "readv" | "pread64" | "recvfrom" | "recvmsg" | "recvmmsg" => descriptor(Awaits::Input),
            "write" | "writev" | "pwrite64" | "sendto" | "sendmsg" | "sendmmsg" => descriptor(Awaits::Output),
            "accept" | "accept4" => Awaits::Connection,
            "poll" | "ppoll" | "select" | "pselect6" | "epoll_wait" | "epoll_pwait" | "epoll_pwait2"
            | "io_getevents" | "io_pgetevents" | "io_uring_enter" => Awaits::Events,
            "futex" => match self.argument(1) {
                Some(operation) => Awaits::Futex {
                    is_private: operation & FUTEX_PRIVATE != 0,
                    // 0 and 9 wait for a value; others take a lock or wake somebody.
                    value: self.int(2).filter(|_| matches!(operation & FUTEX_COMMAND, 0 | 9)),
                },
                None => Awaits::Unknown,
            },
            "wait4" => Awaits::Child(self.int(0).filter(|pid| *pid > 0)),
            // 1: the child of this number.
            "waitid" => Awaits::Child(self.int(1).filter(|_| self.int(0) == Some(1))),
            "pause" | "rt_sigsuspend" | "rt_sigtimedwait" => Awaits::Signal,
            "nanosleep" | "clock_nanosleep" => Awaits::Time,
            _ => Awaits::Unknown,
        }
    }

    /// Whether it ends by itself after a time; `None` where the trace does not say so.
    pub fn is_timed(&self) -> Option<bool> {
        let pointer = |index| self.argument(index).map(|value| value != 0);
        let milliseconds = |index| self.int(index).map(|value| value >= 0);
        match &*self.name {
            "nanosleep" | "clock_nanosleep" => Some(true),
            "poll" => milliseconds(2),
            "epoll_wait" | "epoll_pwait" => milliseconds(3),
            "ppoll" | "rt_sigtimedwait" => pointer(2),
            "futex" | "epoll_pwait2" | "semtimedop" => pointer(3),
            "select" | "pselect6" | "io_getevents" => pointer(4),
            "io_uring_enter" | "io_pgetevents" | "recvmmsg" => None,
            _ => Some(false),
        }
    }

    /// What a wait is for, which distinguishes waits of one kind of a thread: a descriptor, or the word of a futex.
    pub(super) fn object(&self) -> Option<i64> {
        match self.awaits() {
            Awaits::Input(descriptor) | Awaits::Output(descriptor) => Some(descriptor),
            Awaits::Futex { .. } => self.argument(0),
            _ => None,
        }
    }
}

/// The numbers of the two ends of a pipe, to be read from and to be written to, where `event`, which ends the call, has them.
pub(super) fn pipe_ends(event: &Event<'_>) -> Option<[i64; 2]> {
    let mut sink = Arguments { in_list: false, depth: 0, count: 0, found: [None; ARGUMENTS] };
    event.fields.visit(Scope::Payload, &mut sink);
    match (sink.count, sink.found) {
        (2, [Some(read), Some(write), ..]) => Some([read, write]),
        _ => None,
    }
}

/// A word as a number with a sign: an address may have the highest bit.
pub(super) fn word(value: &Value<'_>) -> Option<i64> {
    match *value {
        Value::Unsigned(value, _) => u64::try_from(value).ok().map(u64::cast_signed),
        ref other => other.as_i64(),
    }
}

/// Takes the elements of the array that has the arguments, or the two ends of a pipe.
struct Arguments {
    in_list: bool,
    depth: usize,
    count: usize,
    found: [Option<i64>; ARGUMENTS],
}

impl FieldSink for Arguments {
    fn value(&mut self, _: &str, value: Value<'_>) {
        if self.in_list {
            if let Some(position) = self.found.get_mut(self.count) {
                *position = word(&value);
            }
            self.count += 1;
        }
    }

    fn begin_struct(&mut self, _: &str) {
        self.depth += 1;
    }

    fn begin_array(&mut self, name: &str, _: u64) {
        self.in_list = self.depth == 0 && matches!(name, "args" | "fildes");
        self.depth += 1;
    }

    fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.in_list = false;
    }
}
