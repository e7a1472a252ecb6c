//! One scene: a call, what ran in it, and what leads away from it.

use serde::Serialize;

use super::Hidden;
use crate::api::play::{BlockCount, Entered, Left};

/// A call that is shown.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Scene {
    /// Number of the call.
    pub call: u32,
    pub method: u32,
    pub title: String,
    pub class: String,
    /// File and lines.
    pub place: String,
    /// What happens, in a few sentences.
    pub text: String,
    pub how: Entered,
    pub left: Left,
    /// Where it began: serial number of the thread, its name, position.
    pub thread: u32,
    pub thread_name: String,
    pub at: u64,
    /// How often this very call ran below the entry, and calls of the method in all.
    pub times: u64,
    pub calls_of_method: u64,
    /// Null: it is where the story enters.
    pub caller: Option<Caller>,
    /// How often each block ran in this call.
    pub ran: Vec<BlockCount>,
    /// Blocks that ran in other calls of the method only.
    pub ran_elsewhere: Vec<u32>,
    /// The loops of the method, with the iterations of all its calls below the entry.
    pub loops: Vec<LoopOfScene>,
    /// What it called itself, in the order of the first of each; at most 500.
    pub made: Vec<MadeCall>,
    /// Calls that are not listed.
    pub more: usize,
}

/// Who made the call that is shown.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Caller {
    /// Number of its call.
    pub call: u32,
    pub method: u32,
    pub title: String,
    pub class: String,
    /// The block that ran last before.
    pub block: Option<u32>,
    /// Whether it is a scene.
    pub is_scene: bool,
    /// How often each block of it ran.
    pub ran: Vec<BlockCount>,
    /// Names of the calls between the scene around and this caller, the outermost first, at most 20; how many there are.
    pub levels: Vec<String>,
    pub level_count: usize,
}

/// A loop of the method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LoopOfScene {
    /// The block at its head; null: blocks that the recorder itself repeated.
    pub head: Option<u32>,
    /// Its lines.
    pub place: String,
    pub iterations: u64,
    /// In the order of the first of each; all of them.
    pub variants: Vec<VariantOfLoop>,
}

/// Iterations that ran the same lines and made the same calls.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VariantOfLoop {
    /// How many, in all calls of the method.
    pub times: u64,
    /// The call in which the first of them ran; where that began.
    pub call: u32,
    pub thread: u32,
    pub at: u64,
    /// The blocks that ran.
    pub ran: Vec<u32>,
    /// What it calls, at most 6 names; how many different calls it makes.
    pub calls: Vec<String>,
    pub call_count: usize,
}

/// Equal calls that it made.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MadeCall {
    /// Number of the call.
    pub call: u32,
    pub method: u32,
    pub title: String,
    pub class: String,
    pub times: u64,
    /// The block that ran last before the first, and its line.
    pub block: Option<u32>,
    pub line: Option<u16>,
    /// Calls inside all of them.
    pub inside: u64,
    pub fate: Fate,
    /// The scene that shows it, by its index in the list.
    pub scene: Option<usize>,
    pub hidden: Option<Hidden>,
}

/// How a call is told.
#[derive(Debug, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Fate {
    /// By a scene that follows.
    Here,
    /// By the scene of an equal call.
    Equal,
    /// It only leads to scenes.
    Level,
    /// Its method has a scene, of a call that did something else.
    Alike,
    /// Its method has none, by rule.
    Hidden,
    /// Its method has none.
    Untold,
}
