//! Play: what the threads of a recorded program did, step by step.
//!
//! A position is the number of a block of one thread.

use model::flow;
use serde::Serialize;

use super::{Endpoint, JobStatus, Kind, Parameter, needed, optional};

pub(super) const THREAD: Parameter = needed("thread", Kind::Integer, "Serial number of the thread");
const AT: Parameter = needed("at", Kind::Integer, "Position: number of a block of the thread");
const SLOT: Parameter = needed("slot", Kind::Integer, "The loop, as /api/play/state numbers it");

/// The threads.
pub const PLAY: Endpoint<Play> =
    Endpoint::get("/api/play", "Threads of a recording, once it has been read", &[]);
/// Chains of calls.
pub const CONTEXTS: Endpoint<Contexts> = Endpoint::get(
    "/api/play/contexts",
    "Chains of calls in the order of their first call, with the size of each bubble",
    &[THREAD],
);
/// The last call of one.
pub const LAST: Endpoint<LastCall> = Endpoint::get(
    "/api/play/last",
    "What ran in the last call of a context before a position",
    &[THREAD, AT, needed("context", Kind::Integer, "Number of the context, as /api/play/contexts counts")],
);
/// The text of a method.
pub const METHOD: Endpoint<Method> = Endpoint::get(
    "/api/play/method",
    "The text of a method: source where it is found, else byte code",
    &[needed("id", Kind::Integer, "Number of the method")],
);
/// Where a thread is.
pub const STATE: Endpoint<State> =
    Endpoint::get("/api/play/state", "The open calls at a position, and what ran in them", &[THREAD, AT]);
/// Where it is one step on.
pub const STEP: Endpoint<State> = Endpoint::get(
    "/api/play/step",
    "The same one step on or back",
    &[
        THREAD,
        AT,
        needed("go", Kind::OneOf(&["next", "back", "over", "backover", "out", "outback"]), "Which step"),
        optional(
            "unfold",
            Kind::Text,
            "Loops to go through iteration by iteration: all, or method:loop with commas between; - for calls in a row",
        ),
    ],
);
/// When a line runs next.
pub const UNTIL: Endpoint<Until> = Endpoint::get(
    "/api/play/until",
    "When a line runs next",
    &[
        THREAD,
        AT,
        needed("method", Kind::Integer, "Number of the method"),
        needed("line", Kind::Integer, "Line of its source"),
    ],
);
/// How deep the calls were.
pub const PROFILE: Endpoint<Profile> = Endpoint::get(
    "/api/play/profile",
    "How deep the calls were, pixel by pixel",
    &[THREAD, needed("pixels", Kind::Integer, "Width of the picture, at most 4096")],
);
/// Where an iteration begins.
pub const ITERATION: Endpoint<IterationStart> = Endpoint::get(
    "/api/play/iteration",
    "Where an iteration of a loop begins",
    &[THREAD, AT, SLOT, needed("iteration", Kind::Integer, "Number of the iteration, from 0")],
);
/// The iterations of a loop.
pub const VARIANTS: Endpoint<Variants> =
    Endpoint::get("/api/play/variants", "The different iterations of a loop", &[THREAD, AT, SLOT]);

/// A recording, once it has been read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Play {
    #[serde(flatten)]
    pub job: JobStatus,
    /// Null until it has been read.
    pub recording: Option<Recording>,
}

/// What was recorded.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Recording {
    /// Those with the most blocks first.
    pub threads: Vec<Thread>,
    /// Packages of its classes, sorted.
    pub packages: Vec<String>,
    /// Blocks or records that the recorder declared lost.
    pub lost: u64,
    /// Facts about the recording: what, and its value.
    pub facts: Vec<(String, String)>,
    /// Whether source text may be found.
    pub sources: bool,
}

/// One thread.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Thread {
    pub serial: u32,
    pub name: String,
    pub blocks: u64,
    pub calls: u64,
    /// How deep its calls nest.
    pub depth: u32,
    /// Steps that do not fit what ran before.
    pub unfit: u64,
    /// What of the thread was not recorded, as a sentence without its full stop.
    pub ran_before: Option<String>,
    /// The moments that were named while it ran, in order.
    pub marks: Vec<Mark>,
}

/// A moment that was given a name.
#[derive(Debug, Serialize, Clone)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mark {
    pub text: String,
    /// Blocks of the thread that ran before.
    pub at: u64,
}

/// How a call began.
#[derive(Debug, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Entered {
    /// Called by the recorded caller.
    Call,
    /// Called by code that was not recorded.
    Library,
    /// Nothing recorded called it.
    Outermost,
    /// It ran already when recording began, or its beginning was lost.
    Unseen,
}

/// How a call ended.
#[derive(Debug, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Left {
    Returned,
    Threw,
    /// Its end was lost.
    Unseen,
    /// It had not ended when recording did.
    Open,
}

impl From<flow::Entered> for Entered {
    fn from(how: flow::Entered) -> Entered {
        match how {
            flow::Entered::Call => Entered::Call,
            flow::Entered::Library => Entered::Library,
            flow::Entered::Outermost => Entered::Outermost,
            flow::Entered::Unseen => Entered::Unseen,
        }
    }
}

impl From<flow::Left> for Left {
    fn from(how: flow::Left) -> Left {
        match how {
            flow::Left::Returned => Left::Returned,
            flow::Left::Threw => Left::Threw,
            flow::Left::Unseen => Left::Unseen,
            flow::Left::Open => Left::Open,
        }
    }
}

/// Chains of calls, and the methods at their ends.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Contexts {
    /// Whether these are all.
    pub complete: bool,
    pub contexts: Vec<Context>,
    pub methods: Vec<MethodSize>,
}

/// One chain of calls: what a bubble stands for.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Context {
    /// The chain without its last call: its index; null for an outermost call.
    pub parent: Option<usize>,
    pub method: u32,
    /// The block of the caller that ran last before.
    pub caller: Option<u32>,
    /// How its first call began.
    pub how: Entered,
    /// Position of its first call.
    pub first: u64,
    /// The row of the caller's text from which it is called.
    pub row: Option<usize>,
}

/// What a bubble needs before its text is there.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodSize {
    pub id: u32,
    pub class: String,
    pub name: String,
    /// Rows of its text.
    pub rows: usize,
    /// Characters of the longest row.
    pub columns: usize,
}

/// How often a block ran.
#[derive(Debug, Serialize, Clone, Copy)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(description = "`[block, count]`"))]
pub struct BlockCount(pub u32, pub u64);

/// What ran in the last call of a context; null where there is none.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LastCall {
    pub begin: Option<u64>,
    pub end: Option<u64>,
    pub left: Option<Left>,
    pub counts: Vec<BlockCount>,
}

/// The text of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Method {
    pub id: u32,
    pub class: String,
    pub name: String,
    pub descriptor: String,
    /// The file of its source.
    pub file: Option<String>,
    /// Whether the rows are source, and not byte code.
    pub source: bool,
    pub rows: Vec<TextRow>,
    /// The lines of each block.
    pub blocks: Vec<Vec<u16>>,
    pub loops: Vec<MethodLoop>,
    pub calls: Vec<CallSite>,
}

/// One row of the text of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TextRow {
    /// Its line in the source; 0 where that is not known.
    pub line: u32,
    pub text: String,
    /// The blocks with code of this row.
    pub blocks: Vec<u32>,
}

/// A loop of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodLoop {
    /// The block through which it is entered.
    pub head: u32,
    pub blocks: Vec<u32>,
}

/// A call in the text of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CallSite {
    pub block: u32,
    pub class: String,
    pub name: String,
}

/// Where a thread is.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct State {
    /// The position.
    pub at: u64,
    /// Blocks of the thread.
    pub total: u64,
    /// Calls of the thread.
    pub calls: u64,
    /// The row of the innermost call in the list of all calls.
    pub call: u64,
    /// Open calls in all.
    pub depth: usize,
    /// Open calls that are left out between the outermost and the innermost.
    pub hidden: usize,
    /// Whether there was no step left to go.
    pub end: bool,
    /// The last moment that is known: nanoseconds as text.
    pub time: Option<String>,
    /// What was lost directly before: 0 where nobody knows how much.
    pub lost: Option<u32>,
    /// Loops whose iterations the step left out.
    pub skipped: Vec<SkippedLoop>,
    /// Open calls, the outermost first.
    pub frames: Vec<Frame>,
}

/// A loop whose iterations a step left out.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SkippedLoop {
    pub method: u32,
    /// Its index in the method; null: calls of the method in a row, made by a library.
    #[serde(rename = "loop")]
    pub index: Option<u32>,
    /// Iterations that were left out.
    pub iterations: u64,
}

/// An open call.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Frame {
    /// Open calls around it.
    pub depth: usize,
    /// Its chain of calls; null where that is not among the first ones.
    pub context: Option<usize>,
    pub method: u32,
    pub class: String,
    pub name: String,
    pub how: Entered,
    /// How it will end.
    pub left: Left,
    pub begin: u64,
    pub end: u64,
    /// The block of the caller that ran last before.
    pub caller: Option<u32>,
    /// The block that runs.
    pub block: Option<u32>,
    /// Whether an exception was caught there.
    pub caught: bool,
    /// What ran in it so far.
    pub counts: Vec<BlockCount>,
    /// The blocks that ran in the present iteration of its innermost loop.
    pub iteration: Option<Vec<u32>>,
    /// The loops of it that are going on, the outermost first.
    pub loops: Vec<LoopState>,
    /// Calls of the method in a row, of which it is one.
    pub again: Option<LoopState>,
}

/// A loop that is going on.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LoopState {
    pub method: u32,
    /// Its index in the method; null: calls of the method in a row, made by a library.
    #[serde(rename = "loop")]
    pub index: Option<u32>,
    /// Its number at this position, for further questions.
    pub slot: usize,
    /// The number of the iteration, from 0.
    pub iteration: u64,
    pub iterations: u64,
    /// The same without a last iteration that only found out that there is no other.
    pub rounds: u64,
    pub begin: u64,
    pub end: u64,
    /// Position of the first block of the iteration.
    pub iteration_begin: u64,
    /// Position behind the last.
    pub iteration_end: u64,
}

/// When a line runs next.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Until {
    /// Null: it does not run again.
    pub at: Option<u64>,
    /// How often it runs at all.
    pub total: u64,
}

/// How deep the calls were.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Profile {
    /// Blocks of the thread.
    pub total: u64,
    /// The least depth of each pixel.
    pub min: Vec<Option<u32>>,
    /// The greatest.
    pub max: Vec<Option<u32>>,
    /// Positions at which something was lost.
    pub losses: u64,
    /// The first of them.
    pub gaps: Vec<u64>,
}

/// Where an iteration begins.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IterationStart {
    /// Null: there is no such iteration.
    pub at: Option<u64>,
}

/// The different iterations of a loop.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Variants {
    pub method: u32,
    /// Its index in the method; null: calls of the method in a row, made by a library.
    #[serde(rename = "loop")]
    pub index: Option<u32>,
    pub iterations: u64,
    /// The same without a last iteration that only found out that there is no other.
    pub rounds: u64,
    /// The number of the iteration at the position, from 0.
    pub iteration: u64,
    /// Position of the loop.
    pub begin: u64,
    /// Variants in all.
    pub all: usize,
    /// Those that are listed.
    pub variants: Vec<Variant>,
}

/// Iterations that are alike.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Variant {
    /// How many there are.
    pub times: u64,
    /// The number of the first, from 0.
    pub first_iteration: u64,
    /// Whether it only found out that there is no other.
    pub look: bool,
    /// Position of the first.
    pub at: u64,
    pub blocks: u64,
    pub calls: u64,
    /// The blocks that ran.
    pub ran: Vec<u32>,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&PLAY);
    document.add(&CONTEXTS);
    document.add(&LAST);
    document.add(&METHOD);
    document.add(&STATE);
    document.add(&STEP);
    document.add(&UNTIL);
    document.add(&PROFILE);
    document.add(&ITERATION);
    document.add(&VARIANTS);
}
