//! What a report is made of.

use crate::replay::Inferred;
use model::code::{BlockId, MethodId};
use model::flow::{Entered, Left};

use super::inside::Inside;

/// One entry of a report. Entries come with [`Visitor::open`], what is inside, [`Visitor::close`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The method in which it happened, and the block of it that ran last before.
    pub at: Option<(MethodId, BlockId)>,
    /// How often it happened.
    pub times: u64,
    /// How often what is around it happened.
    pub around: u64,
    /// What happened.
    pub what: What<'a>,
}

/// Kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What<'a> {
    /// Calls of a method that were alike, or with [`What::Variant`]s inside.
    Call {
        /// The method called.
        method: MethodId,
        /// How the first of them began.
        entered: Entered,
        /// How they ended; `None` where the variants have it.
        left: Option<Left>,
        /// The blocks that each of them ran outside its loops, ascending; empty where variants have them.
        blocks: &'a [BlockId],
    },
    /// Calls of a method within itself: what they did is reported by the [`What::Recursion`] behind
    /// this or around it.
    Within {
        /// The method called.
        method: MethodId,
    },
    /// A call that did exactly what was reported of another one before.
    AsBefore {
        /// The method called.
        method: MethodId,
        /// How it began.
        entered: Entered,
        /// How it ended.
        left: Left,
        /// The blocks that it ran outside its loops, ascending.
        blocks: &'a [BlockId],
    },
    /// A loop; its times are those of its iterations.
    Loop {
        /// The method that has it.
        method: MethodId,
        /// Its index in the method's loops; `None`: blocks that the recorder itself repeated.
        index: Option<u32>,
        /// How often it was entered.
        entered: u64,
        /// The blocks that each iteration ran, ascending; empty where variants have them.
        blocks: &'a [BlockId],
        /// Those that any iteration ran, ascending.
        ran: &'a [BlockId],
    },
    /// Iterations, or calls, that were alike.
    Variant {
        /// The method whose blocks these are.
        method: MethodId,
        /// How they ended, for calls.
        left: Option<Left>,
        /// The blocks that each ran outside its inner loops, ascending.
        blocks: &'a [BlockId],
    },
    /// Calls of a method within itself, at any depth, the variants of those alike inside. Its times
    /// are those of all of them.
    Recursion {
        /// The method.
        method: MethodId,
        /// How many frames of it were open at once, the outermost included.
        depth: u64,
    },
    /// An exception was caught here.
    Caught {
        /// The handler.
        block: BlockId,
    },
    /// Something was lost here: so many blocks or records; 0 where nobody knows.
    Gap {
        /// How many.
        lost: u32,
    },
    /// What follows, up to [`What::Observed`], was lost and has been deduced.
    Inferred {
        /// How much, and how sure that is.
        inferred: Inferred,
    },
    /// What follows was recorded again.
    Observed,
    /// More is inside, which is not reported.
    More {
        /// Calls.
        calls: u64,
        /// Blocks.
        blocks: u64,
    },
}

/// Who is given the calls, entry by entry.
pub trait Visitor {
    /// An entry begins. `false`: no more, of anything.
    fn open(&mut self, entry: &Entry<'_>) -> bool;

    /// What is inside the entry that was opened last. Given back, it is reported now; what is stored may be reported later, by
    /// [`Report::inside`](super::Report::inside).
    fn take(&mut self, inside: Inside) -> Option<Inside> {
        Some(inside)
    }

    /// The entry that was opened last ends.
    fn close(&mut self);
}
