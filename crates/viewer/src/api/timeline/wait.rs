//! Why a thread did not run: who woke it, and who ran meanwhile.

use serde::Serialize;

use super::{Endpoint, Kind, LAYER, needed};

/// Why a thread did not run.
pub const WAIT: Endpoint<Wait> = Endpoint::get(
    "/api/timeline/wait",
    "Of the state of a thread at one time: who woke it, and who ran on the CPU meanwhile",
    &[needed("row", Kind::Integer, "The row"), needed("time", Kind::Number, "The time"), LAYER],
);
/// What a state of a thread means.
#[derive(Debug, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Doing {
    Runs,
    /// It waits for a CPU.
    Ready,
    /// It waits for something else.
    Waits,
    Over,
    /// Several of these, or it is no thread.
    Unknown,
}

/// Of a state of a thread: how it ended, and what happened on the CPU meanwhile.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wait {
    pub row: usize,
    pub doing: Doing,
    pub from: Option<i64>,
    /// Null: it is the last one.
    pub to: Option<i64>,
    /// What it did next.
    pub next: Option<Doing>,
    /// How it was woken: at the end of a wait, or before it was ready. Null: no event tells.
    pub woken: Option<Woken>,
    /// The CPU that it ran on next, or else before; null: not known, or it ran.
    pub cpu: Option<u32>,
    /// Whether that is the CPU that it ran on next.
    pub is_next_cpu: bool,
    /// Who ran there in all of the time.
    pub all_runners: usize,
    /// The ones that ran longest.
    pub runners: Vec<Ran>,
    /// Nanoseconds in which it was idle.
    pub idle: u64,
    /// Nanoseconds of which nothing is known.
    pub unknown: u64,
}

/// How a thread was woken.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Woken {
    /// When the event was by which it began to be woken.
    pub time: i64,
    /// When the thread was ready.
    pub ready: i64,
    /// The number of the event, and its name.
    pub event: u32,
    pub name: String,
    /// Its CPU, and the row of that.
    pub cpu: Option<u32>,
    pub cpu_row: Option<usize>,
    /// Who ran there.
    pub by: Waker,
    /// The row of the thread that ran there, and its name and state.
    pub row: Option<usize>,
    pub row_name: Option<String>,
    pub state: Option<u16>,
    /// The state of the interrupts of that CPU, where there are any.
    pub interrupt: Option<u16>,
}

/// Who ran where a thread was woken.
#[derive(Debug, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Waker {
    Thread,
    /// The CPU was idle: an interrupt did it.
    Nobody,
    /// Nothing tells who ran there.
    Unknown,
}

/// A thread that ran on a CPU for some time.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ran {
    pub row: usize,
    pub name: String,
    /// When it began first.
    pub from: i64,
    /// Nanoseconds.
    pub lasted: u64,
}
