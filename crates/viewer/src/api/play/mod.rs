//! Play: what the threads of a recorded program did, step by step.
//!
//! A position is the number of a block of one thread.

mod bubbles;
mod inferred;
mod state;

use model::flow;
use serde::Serialize;

pub use bubbles::{CallSite, Context, Contexts, Method, MethodLoop, MethodSize, TextRow};
pub use inferred::{InferredPart, InferredRecords};
pub use state::{
    BlockCount, Frame, IterationStart, LastCall, LoopState, Profile, SkippedLoop, State, Until, Variant,
    Variants,
};

use super::{Endpoint, JobStatus, Kind, Parameter, needed, optional};

pub(in crate::api) const THREAD: Parameter = needed("thread", Kind::Integer, "Serial number of the thread");
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
    /// Classes that others are called like but for the package: the full name, and what it is written as.
    pub class_labels: Vec<(String, String)>,
    /// Blocks or records that the recorder declared lost.
    pub lost: u64,
    /// What of it is inferred.
    pub inferred: InferredRecords,
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

#[cfg(test)]
pub(in crate::api) fn describe(document: &mut super::generate::Document) {
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
