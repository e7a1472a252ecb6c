//! Story: a recording in few scenes, each of them one call.
//!
//! ```text
//! /api/story          the scenes in the order of execution, and what passes between them
//! /api/story/scene    one of them: what ran, the variants of its loops, its caller, what it called and how that is covered
//! /api/story/untold   methods that ran and have no scene
//! /api/story/call     the call in which a line ran first
//! ```
//!
//! An entry is what a story covers: `t1` a thread by its serial number, `m17` all calls of a method, `c42` one call, by the
//! number that the call has wherever it is named here. The same entry, length and extra calls always give the same story.

mod scene;

use serde::Serialize;

pub use scene::{Caller, Fate, LoopOfScene, MadeCall, Scene, VariantOfLoop};

use super::overview::BeginningKind;
use super::play::Left;
use super::{Endpoint, JobStatus, Kind, Parameter, needed, optional};

const ENTRY: Parameter =
    optional("entry", Kind::Text, "What is shown: t1, m17 or c42; left out: what has the most work");
const SCENES: Parameter = optional("scenes", Kind::Integer, "Scenes at most; 300 where left out");
const WITH: Parameter =
    optional("with", Kind::Text, "Calls that are scenes besides, by their numbers with commas between");

/// The scenes.
pub const STORY: Endpoint<StoryStatus> = Endpoint::get(
    "/api/story",
    "What ran, in so many scenes, once the recording has been read",
    &[ENTRY, SCENES, WITH],
);
/// One of them.
pub const SCENE: Endpoint<Scene> = Endpoint::get(
    "/api/story/scene",
    "One scene: what ran in the call, its loops, its caller and what it called",
    &[ENTRY, SCENES, WITH, needed("call", Kind::Integer, "Number of the call")],
);
/// What has none.
pub const UNTOLD: Endpoint<UntoldMethods> = Endpoint::get(
    "/api/story/untold",
    "Methods that ran and have no scene, in the order of their first calls",
    &[
        ENTRY,
        SCENES,
        WITH,
        optional("behind", Kind::Integer, "Only those that ran first behind so many scenes"),
    ],
);
/// Where a line ran.
pub const CALL: Endpoint<CallOfLine> = Endpoint::get(
    "/api/story/call",
    "The first call of a method in which a line of it ran",
    &[
        ENTRY,
        needed("method", Kind::Integer, "Number of the method"),
        optional("line", Kind::Integer, "Line of its source; left out: any call"),
    ],
);

/// A recording, once it has been read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StoryStatus {
    #[serde(flatten)]
    pub job: JobStatus,
    /// Null until it has been read.
    pub story: Option<Story>,
}

/// What ran below an entry, in scenes.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Story {
    /// What is told.
    pub entry: String,
    pub title: String,
    /// What else can be told: where something began, then threads; the most work first.
    pub entries: Vec<StoryEntry>,
    /// In the order of execution.
    pub scenes: Vec<SceneLine>,
    /// What passes before the first scene.
    pub before: Passing,
    /// Scenes that show something new, however many were asked for.
    pub all: usize,
    /// Calls below the entry, and the methods that they are of.
    pub calls: u64,
    pub methods: usize,
    /// Methods that have no scene; how many of them are hidden by rule.
    pub untold: usize,
    pub hidden: usize,
    /// Lines that ran, and those of them that scenes show.
    pub lines: usize,
    pub lines_shown: usize,
    /// Variants of loops, and those that scenes show.
    pub variants: usize,
    pub variants_shown: usize,
    /// Lines that the first scenes show, for each number of scenes from 1 on, at most 1000.
    pub curve: Vec<usize>,
}

/// What may be told.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StoryEntry {
    pub entry: String,
    pub title: String,
    pub class: String,
    /// Null for a thread.
    pub kind: Option<BeginningKind>,
    pub calls: u64,
    pub blocks: u64,
}

/// A scene in the list of all.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SceneLine {
    /// Number of the call.
    pub call: u32,
    pub method: u32,
    pub title: String,
    pub class: String,
    /// Scenes around it.
    pub depth: usize,
    /// The scene around it, by its index in the list.
    pub around: Option<usize>,
    /// Calls between that and this one, which show nothing new.
    pub levels: usize,
    /// How often this very call ran below the entry.
    pub times: u64,
    /// Variants of the loops of the method.
    pub variants: usize,
    pub left: Left,
    /// Where it began: serial number of the thread, position.
    pub thread: u32,
    pub at: u64,
    /// What passes before the next scene.
    pub passing: Passing,
}

/// What is not shown between two scenes.
#[derive(Debug, Serialize, Clone, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Passing {
    /// Calls, those inside others counted too.
    pub calls: u64,
    /// Methods among them that ran first here and have no scene, and the variants of their loops.
    pub methods: usize,
    pub variants: usize,
    /// In words; empty where nothing passes.
    pub text: String,
}

/// Methods without a scene.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UntoldMethods {
    /// How many there are.
    pub total: usize,
    /// At most 5000.
    pub methods: Vec<UntoldMethod>,
}

/// A method without a scene.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UntoldMethod {
    /// Number of its first call, which makes it a scene where it is asked for.
    pub call: u32,
    pub method: u32,
    pub title: String,
    pub class: String,
    pub package: String,
    pub calls: u64,
    /// Variants of its loops.
    pub variants: usize,
    /// Why it has none; null: the story is too short.
    pub hidden: Option<Hidden>,
    /// Scenes that have begun before its first call.
    pub behind: usize,
}

/// Why a method has no scene unless it is asked for.
#[derive(Debug, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Hidden {
    Accessor,
    /// Made by the compiler.
    Bridge,
    EmptyConstructor,
    Delegation,
    /// A class initialiser, or called by one only.
    SetUp,
}

/// The call of a line.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CallOfLine {
    /// Null: it never ran below the entry.
    pub call: Option<u32>,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&STORY);
    document.add(&SCENE);
    document.add(&UNTOLD);
    document.add(&CALL);
}
