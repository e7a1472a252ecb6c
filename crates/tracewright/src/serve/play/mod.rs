//! `/api/play...` and `/api/list...`: what the threads of a recorded Java program did, step by step.
//!
//! ```text
//! capture ── open ── Recording: code, the tree of calls, sources ─┬─ state, step, until   where a thread is
//!                                                                 ├─ contexts, method     what the bubbles show
//!                                                                 ├─ profile, variants    how deep, which iterations
//!                                                                 └─ list                 calls by their number
//! ```
//!
//! The recording is opened when one of the two views is first shown; while that lasts, `/api/play` tells how
//! far it is. Positions are numbers of blocks of one thread. Every answer is computed from the tree without
//! unfolding it and is bounded, whatever the length of the recording.

#[cfg(test)]
mod bakery;
mod bytecode;
mod contexts;
mod iterations;
mod list;
mod measures;
mod method;
mod open;
mod recording;
mod search;
mod source;
mod state;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use analyses::timeline::DiagnosticLine;

use super::api::{Handled, Route};
use super::http::{Reply, Request};
use super::job::Job;
use super::kept::Cache;
use super::session::Session;
use crate::views::json::Json;
use recording::Recording;

pub(super) const ROUTES: &[Route] = &[
    Route { method: "GET", path: "/api/play", answer: overview },
    Route { method: "GET", path: "/api/play/contexts", answer: contexts::answer },
    Route { method: "GET", path: "/api/play/last", answer: contexts::last },
    Route { method: "GET", path: "/api/play/method", answer: method::answer },
    Route { method: "GET", path: "/api/play/state", answer: state::answer },
    Route { method: "GET", path: "/api/play/step", answer: state::step },
    Route { method: "GET", path: "/api/play/until", answer: search::until },
    Route { method: "GET", path: "/api/play/profile", answer: iterations::profile },
    Route { method: "GET", path: "/api/play/iteration", answer: iterations::iteration },
    Route { method: "GET", path: "/api/play/variants", answer: iterations::variants },
    Route { method: "GET", path: "/api/list", answer: list::answer },
    Route { method: "GET", path: "/api/list/find", answer: search::find },
];

/// What this part keeps in the session.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// The capture; `None`: something else was opened.
    capture: Option<PathBuf>,
    /// Folders and archives that may hold the source text.
    roots: Vec<PathBuf>,
    cache: Cache,
    job: Arc<Job<Recording>>,
}

impl Part {
    pub(crate) fn new(capture: Option<PathBuf>, roots: Vec<PathBuf>, cache: Cache) -> Part {
        Part { capture, roots, cache, job: Arc::default() }
    }

    /// Whether there is something to play.
    pub(crate) fn has_capture(&self) -> bool {
        self.capture.is_some()
    }

    /// Begins to read the capture.
    pub(super) fn start(&self) {
        let Some(capture) = self.capture.clone() else { return };
        let (roots, cache) = (self.roots.clone(), self.cache.clone());
        self.job.start(move |progress| open::open(&capture, &roots, &cache, progress));
    }

    /// What the reader has found wrong; nothing until it is done.
    pub(crate) fn diagnostics(&self, json: &mut Json) -> Vec<DiagnosticLine> {
        self.start();
        self.job.describe(json);
        self.job.done().map_or_else(Vec::new, |recording| recording.about.diagnostics.clone())
    }

    #[cfg(test)]
    pub(super) fn of_recording(recording: Recording) -> Part {
        let part = Part { capture: Some(PathBuf::new()), ..Part::default() };
        part.job.start(move |_| Ok(recording));
        while part.job.done().is_none() {
            std::thread::yield_now();
        }
        part
    }
}

fn overview(session: &Session, _: &Request) -> Handled {
    let part = &session.play;
    if !part.has_capture() {
        return Err(Reply::refusal(404, "This is no capture of a Java program.\n"));
    }
    part.start();
    let mut json = Json::default();
    json.object(|json| {
        part.job.describe(json);
        if let Some(recording) = part.job.done() {
            recording.describe(json);
        }
    });
    Ok(Reply::json(json.out))
}

/// The recording, or the reply that says that it is not there yet.
fn ready(session: &Session) -> std::result::Result<Arc<Recording>, Reply> {
    session.play.job.done().ok_or_else(|| Reply::refusal(409, "The capture is still being read.\n"))
}

/// What a handler needs is missing or no number.
fn bad() -> Reply {
    Reply::refusal(400, "The request lacks something, or something in it is not a number.\n")
}
