//! Control flow: what one thread ran, block by block, with the calls around it.
//!
//! ```text
//! Enter(main)  Blocks[0 1]  Enter(bake)  Blocks[0]  Blocks[1 2]x159  Blocks[3]  Leave  Blocks[2]  Leave
//!                           |_ a frame: from its Enter to its Leave ___________________|
//! ```
//!
//! Steps come from a decoder, thread by thread, in the order in which they ran. `Blocks` always
//! speaks of the innermost frame. A decoder guarantees that frames nest and that the blocks of a
//! frame follow the edges of its method, calls, exceptions and gaps between them; where the record
//! does not show how a frame came to be, it says so in [`Entered`] instead of guessing.

use crate::code::{BlockId, MethodId};
use crate::tasks::TaskStep;
use crate::{Certainty, Lost, Timestamp};

/// One thing that a thread did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FlowStep<'a> {
    /// A frame begins. No block of it ran yet.
    Enter {
        /// Whose frame.
        method: MethodId,
        /// How it came to be.
        how: Entered,
    },
    /// The innermost frame ran these blocks, one after the other, and the whole of them so many
    /// times in a row. A recorder that counts iterations of a loop says so here without listing them.
    Blocks {
        /// Never empty.
        blocks: &'a [BlockId],
        /// At least 1. More than 1 only where the last block has an edge to the first.
        times: u64,
    },
    /// An exception arrived in the innermost frame at this handler, which runs now. The same as
    /// `Blocks` of this one block, but reached by an exception.
    Catch {
        /// The handler.
        block: BlockId,
    },
    /// The innermost frame ends.
    Leave {
        /// In which way.
        how: Left,
    },
    /// Something was lost here. Which frames are open afterwards follows from the next steps: frames
    /// that turn out to have ended are left with [`Left::Unseen`], new ones entered with
    /// [`Entered::Unseen`].
    Gap {
        /// How many blocks are missing, if that is known; else how many records.
        lost: Lost,
    },
    /// What follows, up to the next [`FlowStep::Observed`], was lost and has been deduced. Comes only where
    /// [`FlowSource::infer_lost`](crate::FlowSource::infer_lost) asked for it.
    Inferred {
        /// How many records they were, counted as in [`FlowStep::Gap`].
        lost: u64,
        /// How sure that is.
        certainty: Certainty,
    },
    /// What follows was recorded again.
    Observed,
    /// The clock showed this here.
    Moment(Timestamp),
    /// A clock reading, taken when the thread was here: by a recorder that notes each time, before and after each of its
    /// steps; or from outside: then the steps around it were recorded before and after the reading. A call that leaves one
    /// record at its end comes as a whole after the readings before that record, so a time between two of these is known
    /// only within their bounds.
    Clock(ClockReading),
    /// This one of [`FlowSource::marks`](crate::FlowSource::marks), by its index, was set here.
    Mark(u32),
    /// These of [`FlowSource::values`](crate::FlowSource::values), by their index, belong to the frame that begins next. If
    /// that is of another method, it never began: there was no space on the stack.
    Values(u32),
    /// A task of [`FlowSource::tasks`](crate::FlowSource::tasks) was handed over or begun here.
    Task(TaskStep),
}

impl<'a> FlowStep<'a> {
    /// The step by itself, or its row of blocks and how many times it ran: only these are borrowed from the source.
    pub fn apart(self) -> Result<FlowStep<'static>, (&'a [BlockId], u64)> {
        Ok(match self {
            FlowStep::Blocks { blocks, times } => return Err((blocks, times)),
            FlowStep::Enter { method, how } => FlowStep::Enter { method, how },
            FlowStep::Catch { block } => FlowStep::Catch { block },
            FlowStep::Leave { how } => FlowStep::Leave { how },
            FlowStep::Gap { lost } => FlowStep::Gap { lost },
            FlowStep::Inferred { lost, certainty } => FlowStep::Inferred { lost, certainty },
            FlowStep::Observed => FlowStep::Observed,
            FlowStep::Moment(time) => FlowStep::Moment(time),
            FlowStep::Clock(reading) => FlowStep::Clock(reading),
            FlowStep::Mark(mark) => FlowStep::Mark(mark),
            FlowStep::Values(values) => FlowStep::Values(values),
            FlowStep::Task(step) => FlowStep::Task(step),
        })
    }
}

/// One clock reading of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReading {
    /// When it began: what follows ran after this.
    pub from: Timestamp,
    /// When it was over: what stands before it ran before this.
    pub to: Timestamp,
    /// The processor time that the thread had used, in ns, where it was looked up.
    pub used: Option<u64>,
}

impl ClockReading {
    /// A moment that is known exactly.
    pub fn at(time: Timestamp) -> ClockReading {
        ClockReading { from: time, to: time, used: None }
    }
}

/// How a frame came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entered {
    /// Called by the call that the caller's last block ends with.
    Call,
    /// Called by code that was not recorded, which the caller's last block called (or, as class
    /// initialisers are, by the virtual machine while that block ran).
    Library,
    /// The outermost recorded frame of the thread at this moment: nothing recorded called it.
    Outermost,
    /// It was running already when recording began, or its beginning was lost.
    Unseen,
}

/// How a frame ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Left {
    /// It returned.
    Returned,
    /// An exception left it.
    Threw,
    /// Its end was lost.
    Unseen,
    /// It had not ended when recording did.
    Open,
}
