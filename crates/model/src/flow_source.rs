//! A recording of control flow that is being read: the one interface of all recorders.
//!
//! ```text
//! FlowSource ── code     what can run: classes, methods, blocks                          code.rs
//!            ── threads  who ran ──  flow(n): the steps of one of them, in order         flow.rs
//!            ── marks, stacks, running   moments with a name, what threads were in the middle of
//!            ── trace, ending, diagnostics   what the recording says about itself
//! ```
//!
//! A tracer of functions knows no blocks. Each of its methods has one block, [`crate::code::Block::body`], which stands
//! for the whole body and runs once, when the method is entered; so positions count calls.
//!
//! Reading never fails: what cannot be read becomes a diagnostic, what is missing a gap among the steps.

use crate::call_values::CallValues;
use crate::code::{ClassId, CodeMap};
use crate::running::Running;
use crate::{Diagnostic, FlowStep, StackSamples, Task, Throttled, Timestamp, TraceInfo};

/// See the module's head.
pub trait FlowSource {
    /// All that could run.
    fn code(&self) -> &CodeMap;

    /// The threads in the order of their serial numbers.
    fn threads(&self) -> &[ThreadInfo];

    /// The steps of a thread, by its index in [`FlowSource::threads`], from its first. An index that no thread has
    /// gives no step. It may outlive the source.
    fn flow(&self, thread: usize) -> Box<dyn Flow>;

    /// The same from about the record with this number on; what comes before is a gap. `None` where a source can only begin
    /// with the first one.
    fn flow_from(&self, thread: usize, record: u64) -> Option<Box<dyn Flow>> {
        let _ = (thread, record);
        None
    }

    /// Records of a thread, from this one on, where records took the most and the least room for their number: there something
    /// else than around them may have happened. At most so many, and none where that is not known.
    fn unusual_records(&self, thread: usize, from: u64, most: usize) -> Vec<u64> {
        let _ = (thread, from, most);
        vec![]
    }

    /// Format, host, recorder and whatever else the recording says about itself.
    fn trace(&self) -> &TraceInfo;

    /// Whether lost records are reported where they can be deduced, see [`FlowStep::Inferred`]. By default they are
    /// not; a source that cannot deduce any reports gaps only.
    fn infer_lost(&mut self, infers: bool) {
        let _ = infers;
    }

    /// When and how it began and ended.
    fn course(&self) -> &Course;

    /// Whether it is known when steps ran, or a clock has looked how far the threads were: then there are
    /// [`FlowStep::Clock`]s.
    fn has_clock(&self) -> bool {
        false
    }

    /// Moments that were named, in the order of time. The steps of every thread say where each of them is, also of a
    /// thread that had not begun or had ended by then.
    fn marks(&self) -> &[Mark] {
        &[]
    }

    /// The values of calls of the methods that they were to be kept of: those of each thread in the order in which they ran.
    fn values(&self) -> &[CallValues] {
        &[]
    }

    /// The tasks that went from one thread to another, where the recorder saw both ends, in the order of their beginnings.
    fn tasks(&self) -> &[Task] {
        &[]
    }

    /// The methods that the recorder stopped recording to keep its cost within a budget, in the order in which it did.
    fn throttled(&self) -> &[Throttled] {
        &[]
    }

    /// What threads were in the middle of at some moments.
    fn stacks(&self) -> &StackSamples {
        static NONE: StackSamples = StackSamples { methods: Vec::new(), samples: Vec::new() };
        &NONE
    }

    /// What threads were in the middle of when recording began, where no step reports it.
    fn running(&self) -> &[Running] {
        &[]
    }

    /// What is wrong with it. Readers bound its length.
    fn diagnostics(&self) -> &[Diagnostic];

    /// The file that a class was loaded from, where the recorder kept it.
    fn class_file(&self, class: ClassId) -> Option<Vec<u8>> {
        let _ = class;
        None
    }

    /// Whether the steps name blocks, with lines and loops; otherwise they name methods only.
    fn has_blocks(&self) -> bool {
        true
    }
}

/// The steps of one thread, in the order in which they ran.
pub trait Flow {
    /// The next step; `None` at the end, and then for ever.
    fn next_step(&mut self) -> Option<FlowStep<'_>>;

    /// Records taken so far, of [`ThreadInfo::records`].
    fn taken(&self) -> u64;

    /// What did not fit so far.
    fn anomalies(&self) -> Anomalies;
}

/// What did not fit among the records of a thread, counted: in a sound recording without losses all of it is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anomalies {
    /// Records that belong to no method that is known.
    pub unknown_records: u64,
    /// Frames that ended without a record of it, those still open at the end left out.
    pub unseen_ends: u64,
    /// Frames that began without a record of it.
    pub unseen_beginnings: u64,
    /// Records that could not be read.
    pub damaged_records: u64,
}

impl std::ops::AddAssign for Anomalies {
    fn add_assign(&mut self, more: Anomalies) {
        self.unknown_records += more.unknown_records;
        self.unseen_ends += more.unseen_ends;
        self.unseen_beginnings += more.unseen_beginnings;
        self.damaged_records += more.damaged_records;
    }
}

/// A thread of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadInfo {
    /// The recorder's number: each thread has another.
    pub serial: u32,
    /// The program's or the system's number for it; `None` if the thread is not described.
    pub tid: Option<u64>,
    /// What it is called. From the program: escape it before showing.
    pub name: String,
    /// Whether it is a virtual thread, which runs on others.
    pub is_virtual: bool,
    /// Records that it wrote, for a progress bar.
    pub records: u64,
    /// Records that the recorder dropped and counted.
    pub lost: u64,
    /// Pieces in which its records lie; 0 for formats without.
    pub chunks: u64,
    /// How far its records came, in the recorder's own numbers: comparable with
    /// [`SampledThread::position`](crate::SampledThread::position).
    pub position: (u32, u32),
    /// The first and the last moment that is known.
    pub time: Option<(Timestamp, Timestamp)>,
}

/// The recording as an undertaking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    /// What was recorded: a main class, a program.
    pub program: Option<String>,
    /// The process.
    pub pid: Option<u32>,
    /// When recording began.
    pub began: Option<Timestamp>,
    /// How it ended; `None` if it did not end in an orderly way.
    pub ending: Option<String>,
    /// It ended because it could not go on.
    pub failed: bool,
    /// Something is damaged or missing that lies in no gap, so nobody knows how much ran that is not shown.
    pub has_uncounted_damage: bool,
    /// The same of what holds the steps.
    pub has_damaged_steps: bool,
    /// Why records were dropped and how many for each reason, where the recorder measured it.
    pub drops: Vec<(DropReason, u64)>,
}

/// Why a recorder dropped records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// The disk was slower than the program.
    Disk,
    /// The recorder did not get enough of the processors.
    Processors,
}

/// A moment that was given a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Its name. From the user: escape it before showing.
    pub text: String,
    /// When.
    pub time: Timestamp,
    /// How far threads had come, by serial number, as [`ThreadInfo::position`] counts.
    pub positions: Vec<(u32, (u32, u32))>,
}
