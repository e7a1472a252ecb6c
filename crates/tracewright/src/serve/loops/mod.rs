//! `/api/loops...`: the levels of run summaries as strips over the history.
//!
//! The summaries are found when the view is first opened, and those of a long input are kept for the next time
//! (`keep.rs`); nothing else of it is. A strip is asked for
//! with a range of steps and a width, and answered with runs, or with columns where there are more runs than
//! columns to draw them in.

mod find;
mod iterations;
mod keep;
mod strip;

use std::sync::Arc;

use analyses::timeline::DiagnosticLine;

use super::api::{Handled, Route};
use super::http::{Reply, Request};
use super::job::Job;
use super::kept::Cache;
use super::session::Session;
use crate::cli;
use crate::views::json::Json;
use find::Loops;

pub(super) const ROUTES: &[Route] = &[
    Route { method: "GET", path: "/api/loops", answer: tracks },
    Route { method: "GET", path: "/api/loops/strip", answer: strip::answer },
    Route { method: "GET", path: "/api/loops/iterations", answer: iterations::answer },
    Route { method: "GET", path: "/api/loops/growth", answer: iterations::growth },
];

/// What this part keeps in the session.
#[derive(Debug)]
pub(crate) struct Part {
    history: cli::History,
    cache: Cache,
    job: Arc<Job<Loops>>,
}

impl Part {
    pub(crate) fn new(history: cli::History, cache: Cache) -> Part {
        Part { history, cache, job: Arc::default() }
    }

    /// Begins to look for loops.
    fn start(&self) {
        let (history, cache) = (self.history.clone(), self.cache.clone());
        self.job.start(move |progress| keep::find_or_read(&history, (&cache, keep::WORTH_KEEPING), progress));
    }

    /// What the reader of a history, or of what came from standard input, found wrong; nothing until it is done.
    pub(crate) fn diagnostics(&self, json: &mut Json) -> Vec<DiagnosticLine> {
        self.start();
        self.job.describe(json);
        self.job.done().map_or_else(Vec::new, |loops| loops.diagnostics.clone())
    }
}

/// Tracks that are listed; the busiest.
const TRACKS: usize = 1000;

fn tracks(session: &Session, _: &Request) -> Handled {
    let part = &session.loops;
    part.start();
    let mut json = Json::default();
    json.object(|json| {
        part.job.describe(json);
        let loops = part.job.done();
        let tracks = loops.as_ref().map_or(&[][..], |loops| &loops.tracks);
        json.key("all").number(tracks.len());
        json.key("tracks").array(tracks.iter().take(TRACKS), find::describe);
    });
    Ok(Reply::json(json.out))
}

/// The summaries, or the reply that says that they are not there yet.
fn ready(session: &Session) -> std::result::Result<Arc<Loops>, Reply> {
    session.loops.job.done().ok_or_else(|| Reply::refusal(409, "The loops are still being looked for.\n"))
}
