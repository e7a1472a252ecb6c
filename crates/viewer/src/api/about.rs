//! What was opened, how far reading it is, what the reader found wrong in it; and this API.

use model::Severity as ModelSeverity;
use serde::Serialize;

use super::{Endpoint, Kind, Route, needed};
use crate::http::Reply;

/// What was opened.
pub const ABOUT: Endpoint<About> =
    Endpoint::get("/api/about", "What was opened, and which views can show it", &[]);
/// What is wrong in it.
pub const DIAGNOSTICS: Endpoint<Diagnostics> = Endpoint::get(
    "/api/diagnostics",
    "What the reader of the input has found wrong so far: how many diagnostics, how many of them are damage, and the first thousand",
    &[],
);
/// What to wait for.
pub(crate) const FINISHED: Endpoint<Finished> = Endpoint::get(
    "/api/finished",
    "How many answers that take long are there; held for some seconds until one more is than the page knows of",
    &[needed("after", Kind::Integer, "How many the page knows of: what 202 said")],
);
pub(crate) const DOCUMENT: Endpoint<Document> = Endpoint::get("/api/openapi.json", "This document", &[]);

/// What was opened.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct About {
    /// What people call it.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The views that have something to show, the first one first.
    pub views: Vec<View>,
}

/// A view, by the name of its folder in the page.
#[derive(Debug, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum View {
    Compare,
    Overview,
    Play,
    List,
    Threads,
    Timeline,
    TwoL,
    Loops,
}

/// How far work in the background is.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobStatus {
    pub phase: Phase,
    /// A share in 0..=1 while it runs and the share is known.
    pub progress: Option<f64>,
    /// Why it failed, as a sentence.
    pub failure: Option<String>,
}

/// Where work in the background stands.
#[derive(Debug, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Phase {
    Idle,
    Running,
    Done,
    Failed,
}

/// What the reader of the input found wrong so far.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnostics {
    #[serde(flatten)]
    pub job: JobStatus,
    /// All of them.
    pub count: usize,
    /// How many of them are damage.
    pub damage: usize,
    /// The first thousand.
    pub diagnostics: Vec<Diagnostic>,
}

/// One thing that is wrong.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnostic {
    pub severity: Severity,
    /// Where, and what.
    pub sentence: String,
}

/// How bad it is.
#[derive(Debug, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Severity {
    Note,
    Damage,
}

impl From<ModelSeverity> for Severity {
    fn from(severity: ModelSeverity) -> Severity {
        match severity {
            ModelSeverity::Note => Severity::Note,
            ModelSeverity::Damage => Severity::Damage,
        }
    }
}

/// How many answers that take long are there. With 202: the answer is not; to be asked for again when there are more.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finished {
    pub(crate) finished: u64,
}

/// The document of this API, which is made when it is built.
#[derive(Debug)]
pub(crate) struct Document;

impl Endpoint<Document> {
    pub(crate) fn document<S>(&self) -> Route<S> {
        self.route(|_, _| {
            let document: &'static str = include_str!("../../openapi.json");
            Ok(Reply::new(200, "application/json", document.as_bytes()))
        })
    }
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&ABOUT);
    document.add(&DIAGNOSTICS);
    document.add(&FINISHED);
    document.add_document(&DOCUMENT);
}
