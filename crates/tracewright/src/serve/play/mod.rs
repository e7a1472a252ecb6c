//! `/api/play...` and `/api/list...`: what the threads of a recorded Java program did, step by step.
//!
//! ```text
//! capture ── open ── Recording: code, the tree of calls, sources ─┬─ state, step, until   where a thread is
//!                                                                 ├─ contexts, method     what the bubbles show
//!                                                                 ├─ profile, variants    how deep, which iterations
//!                                                                 └─ list                 calls by their number
//! ```
//!
//! The recording is opened when one of the two views is first shown; while that lasts, `/api/play` says how
//! far it is. Positions are numbers of blocks of one thread. Every answer is computed from the tree without
//! unfolding it and is bounded, whatever the length of the recording.

#[cfg(test)]
pub(super) mod bakery;
mod bytecode;
mod class_labels;
mod contexts;
pub(super) mod inferred;
mod iterations;
pub(super) mod list;
mod measures;
pub(super) mod method;
pub(super) mod open;
pub(super) mod recording;
mod search;
pub(super) mod state;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use analyses::timeline::DiagnosticLine;

use viewer::api::list::{FIND, LIST};
use viewer::api::play::{
    CONTEXTS, ITERATION, LAST, METHOD, PLAY, PROFILE, Play, STATE, STEP, UNTIL, VARIANTS,
};
use viewer::api::{Handled, JobStatus, Parameters, Route};
use viewer::{Cache, Job, Reply};

use super::sentence;
use super::session::Session;
use recording::Recording;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![
        PLAY.answered_by(overview),
        CONTEXTS.answered_by(contexts::answer),
        LAST.answered_by(contexts::last),
        METHOD.answered_by(method::answer),
        STATE.answered_by(state::answer),
        STEP.answered_by(state::step),
        UNTIL.answered_by(search::until),
        PROFILE.answered_by(iterations::profile),
        ITERATION.answered_by(iterations::iteration),
        VARIANTS.answered_by(iterations::variants),
        LIST.answered_by(list::answer),
        FIND.answered_by(search::find),
    ]
}

/// What this part keeps in the session.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// The capture; `None`: something else was opened.
    capture: Option<PathBuf>,
    /// Folders and archives that may hold the source text.
    roots: Vec<PathBuf>,
    /// Whether lost records are inferred.
    infers: bool,
    cache: Cache,
    job: Arc<Job<Recording>>,
}

impl Part {
    pub(crate) fn new(capture: Option<PathBuf>, roots: Vec<PathBuf>, infers: bool, cache: Cache) -> Part {
        Part { capture, roots, infers, cache, job: Arc::default() }
    }

    /// Whether there is something to play.
    pub(crate) fn has_capture(&self) -> bool {
        self.capture.is_some()
    }

    /// Begins to read the capture.
    pub(super) fn start(&self) {
        let Some(capture) = self.capture.clone() else { return };
        let (roots, infers, cache) = (self.roots.clone(), self.infers, self.cache.clone());
        self.job
            .start(move |progress| open::open(&capture, &roots, infers, &cache, progress).map_err(sentence));
    }

    /// How far reading the capture is, and the recording once it has been read.
    pub(super) fn read(&self) -> Option<(JobStatus, Option<Arc<Recording>>)> {
        self.start();
        // In this order, so that what is reported as done is there.
        self.capture.as_ref().map(|_| (self.job.status(), self.job.done()))
    }

    /// The recording, if it has been read.
    pub(super) fn recording(&self) -> Option<Arc<Recording>> {
        self.job.done()
    }

    /// What the reader has found wrong; nothing until it is done.
    pub(crate) fn diagnostics(&self) -> (JobStatus, Vec<DiagnosticLine>) {
        self.start();
        let status = self.job.status();
        (status, self.job.done().map_or_else(Vec::new, |recording| recording.about.diagnostics.clone()))
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

fn overview(session: &Session, _: &Parameters<'_>) -> Handled<Play> {
    let part = &session.play;
    if !part.has_capture() {
        return Err(Reply::refusal(404, "This is no capture of a Java program.\n"));
    }
    part.start();
    let job = part.job.status();
    Ok(Play { job, recording: part.job.done().map(|recording| recording.answer()) })
}

/// The recording, or the reply that says that it is not there yet.
pub(super) fn ready(session: &Session) -> Handled<Arc<Recording>> {
    session.play.job.done().ok_or_else(|| Reply::refusal(409, "The capture is still being read.\n"))
}

/// What a handler needs is missing or no number.
pub(in crate::serve) fn bad() -> Reply {
    Reply::refusal(400, "The request lacks something, or something in it is not a number.\n")
}
