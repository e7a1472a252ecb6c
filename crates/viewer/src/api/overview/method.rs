//! Methods: what ran of a package, who called one, and what a search finds.

use serde::Serialize;

use crate::api::play::Entered;

/// What ran of a package.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Classes {
    pub package: String,
    /// Those that ran most blocks first, at most 2000.
    pub methods: Vec<MethodWork>,
    /// How many were left out.
    pub more: usize,
}

/// The work of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodWork {
    pub method: u32,
    pub title: String,
    /// Its class without the package.
    pub class: String,
    pub calls: u64,
    /// Blocks of its own.
    pub blocks: u64,
}

/// All about a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodCalls {
    pub method: u32,
    pub title: String,
    /// With the package.
    pub class: String,
    pub descriptor: String,
    /// `Till.java:12-40`
    pub place: String,
    pub calls: u64,
    /// Calls that ended with an exception.
    pub threw: u64,
    /// Blocks of its own, and with what it called.
    pub own: u64,
    pub blocks: u64,
    /// The names of the threads that called it.
    pub threads: Vec<String>,
    /// Who called it, the most frequent first, at most 500.
    pub callers: Vec<MethodLink>,
    /// What it called.
    pub callees: Vec<MethodLink>,
    /// Links that were left out.
    pub more: usize,
}

/// Calls between two methods from one line.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodLink {
    /// The other method; null: nothing that was recorded.
    pub method: Option<u32>,
    pub title: String,
    pub class: String,
    /// The line that calls: `Till.java:12`.
    pub place: String,
    pub how: Entered,
    pub times: u64,
}

/// What a search finds.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchResults {
    pub results: Vec<SearchResult>,
}

/// What it finds of one kind.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchResult {
    pub kind: HitKind,
    /// In all.
    pub total: usize,
    /// The first of them, at most 200.
    pub hits: Vec<Hit>,
}

/// Kinds of what is found.
#[derive(Debug, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum HitKind {
    Thread,
    Mark,
    Package,
    Method,
    /// Arguments and results of a call.
    Values,
    /// A line of source.
    Source,
}

/// One thing that is found.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hit {
    /// As it is shown.
    pub title: String,
    /// What stands beside it: the class, the file and line.
    pub beside: String,
    pub method: Option<u32>,
    /// The line of a thread, or where a mark was set: serial number and position.
    pub line: Option<String>,
    pub thread: Option<u32>,
    pub at: Option<u64>,
    /// Calls, or runs of a line.
    pub times: u64,
    pub blocks: u64,
}
