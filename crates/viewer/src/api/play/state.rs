//! Where a thread is: its open calls, the loops that are going on, what ran.

use serde::Serialize;

use super::{Entered, InferredPart, Left};

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
    /// Those of them that are inferred.
    pub inferred: Vec<BlockCount>,
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
    /// The lost records by which the block that runs is inferred; null: it was recorded.
    pub inferred: Option<InferredPart>,
    /// The inferred records after which recording goes on with the block that runs.
    pub resumes: Option<InferredPart>,
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
    /// Those of them that are inferred.
    pub inferred: Vec<BlockCount>,
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
    /// Positions at which something was lost and is not inferred.
    pub losses: u64,
    /// The first of them.
    pub gaps: Vec<u64>,
    /// How often something was lost and is inferred.
    pub inferences: u64,
    /// The first of these.
    pub inferred: Vec<InferredPart>,
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
