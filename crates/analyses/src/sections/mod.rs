//! Sections: the tests, requests and tasks that a recorded program ran, each from its call to its end, and what ran from
//! one mark to the next.
//!
//! ```text
//! main    Enter(main) ... Enter(CartTest.adds) ... Leave  Enter(CartTest.pays) ... threw  ...
//!                         |_ test, returned ____________| |_ test, threw ______________|
//! exec-1  Enter(Filter.doFilter)  Enter(App.doGet) ... Leave  Leave  Enter(Report.run) ... Leave
//!         |_ request, called App.doGet ____________________________| |_ task _________________|
//! ```
//!
//! - The caller says which methods begin which kind, from their class files. Of two of one kind within each
//!   other the outer one is the section. A request is called after the handler that it is meant for, as far as one was called
//!   before any returned: filters pass it on to a servlet, and the servlet of a framework to a method that is mapped to its
//!   path. What a servlet includes or forwards to is called by it.
//! - A task is what code that is not recorded, a pool say, called outermost in a thread, where the method is one that
//!   tasks have; and where the recording says that a task begins, even within another one.
//! - A task begins with the section of the next call. The innermost section hands over a task; where there is none, the one
//!   with which the last task began: a stage of a `CompletableFuture` is handed over when the stage before has returned.
//! - Sections of different kinds may lie within each other.
//!
//! The caller gives the steps of one thread after the other, each to a [`Sections`] of its own.

mod walk;

pub use walk::Sections;

use model::code::{BlockId, MethodId};
use model::flow::Left;

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectionKind {
    /// A test of a test framework.
    Test,
    /// A request that a server handled.
    Request,
    /// What a thread was given to do.
    Task,
}

/// How a handler deals with a request. The later ones are nearer to what it is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Handler {
    /// It passes requests on, as filters do, or may.
    Passes,
    /// It answers, or leads to what is mapped to a path.
    Answers,
    /// A framework leads to it by a path.
    Mapped,
}

/// How methods begin sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Begins {
    /// A test, whoever calls them.
    Test,
    /// A request, whoever calls them.
    Request(Handler),
    /// None: a thread's own beginning, or the machine's work.
    Never,
    /// A task, where they are called outermost.
    Outermost,
}

/// One section of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// What it is called after; see the module's head.
    pub method: MethodId,
    /// The number of its call among the calls of the thread, from 0.
    pub call: u64,
    /// How many calls were open, this one included.
    pub depth: u32,
    /// How many blocks the thread had run before.
    pub position: u64,
    /// How many blocks ran in it.
    pub blocks: u64,
    /// How many calls it made, itself left out.
    pub calls: u64,
    /// How many times something was lost in it.
    pub gaps: u64,
    /// The task that it begins with, by its index in the recording, where that was handed over by a thread that is recorded.
    pub task: Option<u32>,
    /// How it ended.
    pub left: Left,
    /// Where it ended: in the method that it is called after if that ended alike, else in the one that began it, and the
    /// block that ran last there.
    pub end: (MethodId, Option<BlockId>),
}

/// What was found in one thread.
#[derive(Debug, Default)]
pub struct Found {
    /// In the order of their beginnings.
    pub sections: Vec<Section>,
    /// What ran after each mark.
    pub marks: Vec<AfterMark>,
    /// The tasks that sections handed over.
    pub handed_over: Vec<HandedOver>,
}

/// A task that a section handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandedOver {
    /// The task, by its index in the recording.
    pub task: u32,
    /// The section, by its call.
    pub call: u64,
}

/// What a thread did from one mark to the next, or to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AfterMark {
    /// The mark, by its index in the recording.
    pub mark: u32,
    /// How many blocks ran.
    pub blocks: u64,
    /// How many calls began.
    pub calls: u64,
}

#[cfg(test)]
mod tests;
