//! Stack samples: which methods threads were in the middle of at some moments, as seen from outside.
//!
//! A recorder writes what has happened. What a thread is in the middle of may have left no record yet: a loop
//! that is counted leaves one when it is left. A sample shows it, and two samples without a record between
//! them show that the thread did not leave it.

use std::time::Duration;

use crate::time::Timestamp;

/// All stack samples of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StackSamples {
    /// The methods that [`SampledFrame::method`] counts.
    pub methods: Vec<SampledMethod>,
    /// The samples in the order of time.
    pub samples: Vec<StackSample>,
}

/// A method of a sampled frame. It need not be one that is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SampledMethod {
    /// The class with dots. From the program: escape it before showing.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// The threads at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackSample {
    /// When.
    pub time: Timestamp,
    /// It was taken when recording ended: what a thread was in the middle of, it was in the middle of at the end.
    pub at_end: bool,
    /// Each thread that had a frame.
    pub threads: Vec<SampledThread>,
}

/// One thread in a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledThread {
    /// The number of the thread.
    pub tid: u64,
    /// Its name at that moment.
    pub name: String,
    /// What it was doing.
    pub state: ThreadState,
    /// Processor time that it had used, in ns, where known.
    pub cpu: Option<u64>,
    /// How far its records had come: the number of its chunk and the records in it.
    pub position: (u32, u32),
    /// Its frames, innermost first.
    pub frames: Vec<SampledFrame>,
    /// Frames further out were left out.
    pub is_cut: bool,
    /// What it waited for; `None` if it did not wait, or the recorder did not say. A thread that reads counts as running.
    pub waits: Option<Wait>,
}

/// What a thread waits for that reads standard input, in [`Wait::on`].
pub const STANDARD_INPUT: &str = "standard input";

/// What a thread waits for that waits until another process ends, in [`Wait::on`]: of those that this process has started, one goes on.
pub const CHILD: &str = "another process";

/// The same where all of them only wait until their output is read.
pub const CHILD_THAT_WRITES: &str = "another process that waits until its output is read";

/// What a thread waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wait {
    /// The class, with dots, of the object that it waits for or to which it is parked, or [`STANDARD_INPUT`], or
    /// another one of the above. From the program: escape it before showing.
    pub on: Option<String>,
    /// The number of the thread that holds it, or that is itself waited for.
    pub holder: Option<u64>,
    /// It goes on by itself after some time.
    pub is_timed: bool,
}

/// One frame of a sampled thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledFrame {
    /// The method, by its index in [`StackSamples::methods`].
    pub method: u32,
    /// Where in its code it was, as the machine runs it: a recorder may have inserted some. `None` in a
    /// native method.
    pub pc: Option<u32>,
    /// The line of it, where the class says so.
    pub line: Option<u16>,
    /// It began before its method was instrumented, so nothing is recorded of it.
    pub is_old: bool,
}

/// A thread that runs for so long without a record stays where it is: whoever is looked at twice in a moment has mostly
/// left no record between.
pub const LONG: Duration = Duration::from_millis(250);

/// What a thread was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThreadState {
    /// It ran, or could have.
    Runnable,
    /// It waited for a monitor.
    Blocked,
    /// It waited for another thread, with or without a time limit.
    Waiting,
    /// It slept.
    Sleeping,
}

impl StackSamples {
    /// The method of a frame.
    pub fn method(&self, frame: &SampledFrame) -> Option<&SampledMethod> {
        self.methods.get(frame.method as usize)
    }
}

impl SampledThread {
    /// Whether it was in a native method, which may wait while it counts as running.
    pub fn is_native(&self) -> bool {
        self.frames.first().is_some_and(|frame| frame.pc.is_none())
    }

    /// Whether it gave way to others, and would have run else. `methods`: those that its frames count.
    pub fn yields(&self, methods: &[SampledMethod]) -> bool {
        let method = self.frames.first().and_then(|top| methods.get(top.method as usize));
        method.is_some_and(|method| method.class == "java.lang.Thread" && method.name.starts_with("yield"))
    }
}
