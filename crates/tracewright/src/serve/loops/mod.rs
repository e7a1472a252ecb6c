//! `/api/loops...`: the levels of run summaries as lanes over the history.
//!
//! The summaries are found when the view is first opened, and those of a long input are cached for the next time
//! (`cached.rs`); nothing else of it is. A lane is asked for
//! with a range of steps and a width, and answered with runs, or with columns where there are more runs than
//! columns to draw them in.

mod cached;
pub(super) mod find;
mod iterations;
pub(super) mod lane;

use std::sync::Arc;

use analyses::loops::Summaries;
use analyses::timeline::DiagnosticLine;
use busybeaver::Grid;

use viewer::api::loops::{GROWTH, ITERATIONS, LANE, LOOPS, Loops as LoopsAnswer};
use viewer::api::{Handled, JobStatus, Parameters, Route};
use viewer::{Cache, Job, Reply};

use super::sentence;
use super::session::Session;
use crate::cli;
use find::Loops;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![
        LOOPS.answered_by(tracks),
        LANE.answered_by(lane::answer),
        ITERATIONS.answered_by(iterations::answer),
        GROWTH.answered_by(iterations::growth),
    ]
}

/// What this part keeps in the session.
#[derive(Debug)]
pub(crate) struct Part {
    from: From,
    job: Arc<Job<Loops>>,
}

/// What has the history.
#[derive(Debug)]
enum From {
    Input(Box<cli::History>, Cache),
    /// A 2L program, which is run for so many steps.
    Program(Box<Grid>, u64),
}

impl Part {
    pub(crate) fn new(history: cli::History, cache: Cache) -> Part {
        Part { from: From::Input(Box::new(history), cache), job: Arc::default() }
    }

    /// Of a 2L program, which is run for so many steps.
    pub(crate) fn of_program(program: Grid, steps: u64) -> Part {
        Part { from: From::Program(Box::new(program), steps), job: Arc::default() }
    }

    /// Begins to look for loops.
    fn start(&self) {
        match &self.from {
            From::Input(history, cache) => {
                let (history, cache) = (history.clone(), cache.clone());
                self.job.start(move |progress| {
                    cached::find_or_read(&history, (&cache, cached::WORTH_CACHING), progress)
                        .map_err(sentence)
                });
            }
            From::Program(program, steps) => {
                let (program, steps) = (program.clone(), *steps);
                self.job.start(move |_| {
                    let (alphabet, summary) = find::of_program(&program, steps);
                    let tracks = vec![(program.to_string(), summary)];
                    Ok(Loops::of(Summaries { alphabet, tracks }, vec![]))
                });
            }
        }
    }

    /// What the reader of a history, or of what came from standard input, found wrong; nothing until it is done.
    pub(crate) fn diagnostics(&self) -> (JobStatus, Vec<DiagnosticLine>) {
        self.start();
        let status = self.job.status();
        (status, self.job.done().map_or_else(Vec::new, |loops| loops.diagnostics.clone()))
    }
}

/// Tracks that are listed; the busiest.
const TRACKS: usize = 1000;

fn tracks(session: &Session, _: &Parameters<'_>) -> Handled<LoopsAnswer> {
    let part = &session.loops;
    part.start();
    let job = part.job.status();
    let loops = part.job.done();
    let tracks = loops.as_ref().map_or(&[][..], |loops| &loops.tracks);
    Ok(LoopsAnswer {
        job,
        all: tracks.len(),
        tracks: tracks.iter().take(TRACKS).map(find::TrackLoops::answer).collect(),
    })
}

/// The summaries, or the reply that says that they are not there yet.
fn ready(session: &Session) -> Handled<Arc<Loops>> {
    session.loops.job.done().ok_or_else(|| Reply::refusal(409, "The loops are still being looked for.\n"))
}
