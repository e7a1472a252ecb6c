//! The folded tree: its beginnings, its lines, and the way to one of them.

use serde::Serialize;

use crate::api::JobStatus;
use crate::api::play::{Entered, Left};

/// A recording, once it has been read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Overview {
    #[serde(flatten)]
    pub job: JobStatus,
    /// Null until it has been read.
    pub whole: Option<Whole>,
}

/// What was recorded. Blocks measure work.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Whole {
    pub blocks: u64,
    pub calls: u64,
    /// Methods that ran, and that could have.
    pub ran: usize,
    pub known: usize,
    /// Threads in all.
    pub threads: usize,
    /// Kinds of threads, those with the most blocks first, at most 400; threads whose names differ in numbers only are one.
    pub kinds: Vec<FoldedLine>,
    /// Where something began, the most work first.
    pub beginnings: Vec<Beginning>,
    /// Packages by the blocks that ran in their own methods.
    pub packages: Vec<PackageWork>,
    /// Where exceptions came from, and where they were caught.
    pub thrown: Vec<Exception>,
    pub caught: Vec<Exception>,
    /// What is missing, in sentences.
    pub missing: Vec<String>,
    /// Whether source text may be found.
    pub sources: bool,
}

/// Where something began.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Beginning {
    pub kind: BeginningKind,
    pub method: u32,
    /// As people write it, and its class without the package.
    pub title: String,
    pub class: String,
    pub calls: u64,
    /// Blocks in these calls and below.
    pub blocks: u64,
}

/// What began there.
#[derive(Debug, Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum BeginningKind {
    /// The program.
    Main,
    /// A request to a servlet or to a server of the JDK.
    Request,
    Test,
    /// What a thread or a pool was given to run.
    Task,
    /// Anything else that nothing recorded called.
    Outermost,
}

/// The work of a package.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PackageWork {
    pub package: String,
    /// Methods of it that ran.
    pub ran: usize,
    pub calls: u64,
    /// Blocks of its own methods.
    pub blocks: u64,
}

/// Where exceptions began or ended.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Exception {
    pub method: u32,
    pub title: String,
    pub class: String,
    /// `Till.java:12`
    pub place: String,
    pub times: u64,
}

/// Some lines inside a line.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FoldedLines {
    /// Lines in all.
    pub total: usize,
    /// The first one below.
    pub from: usize,
    pub lines: Vec<FoldedLine>,
    /// Whether more was there than is looked at.
    pub is_cut: bool,
}

/// One line.
#[derive(Debug, Serialize, Clone)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FoldedLine {
    pub id: String,
    pub kind: LineKind,
    /// As people write it.
    pub title: String,
    /// Its class without the package; empty where there is none.
    pub class: String,
    pub method: Option<u32>,
    /// The source lines that ran: `Till.java:12-14`.
    pub place: String,
    /// The lines that called, the first of them.
    pub from: Vec<u16>,
    /// How often it happened, and what is around it.
    pub times: u64,
    pub around: u64,
    pub how: Option<Entered>,
    pub left: Option<Left>,
    /// What else is to be said, in words.
    pub note: String,
    /// Calls and blocks inside all of them.
    pub calls: u64,
    pub blocks: u64,
    /// Whether there is something inside.
    pub opens: bool,
    /// The same number for what did exactly the same; null where that differs from time to time.
    pub same: Option<u32>,
}

/// What a line tells.
#[derive(Debug, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum LineKind {
    Thread,
    Call,
    Loop,
    Variant,
    /// A call that is told together with those like it.
    Within,
    Recursion,
    Caught,
    Gap,
    More,
}

/// Lines that lead from one to another.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Way {
    /// The outermost first.
    pub ids: Vec<String>,
    /// The index of each of them among the lines beside it.
    pub indices: Vec<usize>,
}

/// Where the first of something ran.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// Serial number and name of the thread.
    pub thread: u32,
    pub thread_name: String,
    /// Its position in the thread.
    pub at: u64,
    /// The method whose source follows.
    pub method: Option<u32>,
    /// Its class with the package, its file, and whether this is source or byte code.
    pub class: String,
    pub file: Option<String>,
    pub source: bool,
    /// Lines of the source.
    pub rows: Vec<PlaceRow>,
    /// Rows that were left out.
    pub more: usize,
}

/// One line of source.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlaceRow {
    pub line: u32,
    pub text: String,
    /// Whether it ran there; null where no code stands on it.
    pub ran: Option<bool>,
}
