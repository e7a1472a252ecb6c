//! `/api/two_l...`: the run of a 2L program: the program, its tape over time, its state after any step, its loops.
//!
//! ```text
//! a program, or the history of one ── run, in a thread ── busybeaver: Replay ── state, tape
//!                                                                   History ── loops: lane
//!                                  └─ decide, in another ── the verdict
//! ```
//!
//! A history names its program, and that is all that is taken of it here: the program is run again, which gives more than
//! its history does and cannot be wrong.

mod run;
mod state;
mod tape;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use busybeaver::Grid;
use busybeaver::history;
use busybeaver::proof::{Effort, decide};
use busybeaver::report::verdict_text;

use viewer::api::loops::Lane;
use viewer::api::two_l::{LANE, STATE, TAPE, TWO_L, TwoL};
use viewer::api::{Handled, Parameters, Route};
use viewer::{Job, Reply};

use super::loops::lane::lane as lane_of;
use super::play::bad;
use super::session::Session;
use crate::{input, stdin};
use run::Run;

/// Steps of a run that are shown by default.
pub(crate) const STEPS: u64 = 1_000_000;
/// Steps after which a program that has no proof is given up.
const DECIDED_WITHIN: u64 = 1_000_000_000;
/// Pixels of a lane.
const LONGEST_LANE: u64 = 4096;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![
        TWO_L.answered_by(about),
        STATE.answered_by(state::answer),
        TAPE.answered_by(tape::answer),
        LANE.answered_by(lane),
    ]
}

/// What this part keeps in the session.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// None: something else was opened.
    program: Option<Grid>,
    /// Steps that are shown.
    steps: u64,
    job: Arc<Job<Run>>,
    verdict: Arc<Job<String>>,
}

impl Part {
    pub(super) fn of(program: Option<Grid>, steps: u64) -> Part {
        Part { program, steps, ..Part::default() }
    }

    pub(super) fn is_there(&self) -> bool {
        self.program.is_some()
    }

    /// Begins to run the program, and to look whether it ever ends.
    pub(super) fn start(&self) {
        let Some(program) = &self.program else { return };
        let (grid, steps) = (program.clone(), self.steps);
        self.job.start(move |_| Ok(Run::of(grid, steps)));
        let grid = program.clone();
        self.verdict.start(move |_| {
            let verdict = decide(&grid, Effort { steps: DECIDED_WITHIN, ..Effort::default() });
            Ok(verdict_text(&grid, &verdict))
        });
    }
}

/// The program whose history lies in a file or comes from standard input; none where it is something else.
pub(super) fn program_of(input: &Path) -> Option<Grid> {
    if input.as_os_str() == "-" {
        return history::program_of(&stdin::beginning().ok()?);
    }
    let stream = input.is_file().then(|| input::stream(input).ok())??;
    history::program_of(stream.beginning())
}

/// The run, or the reply that says that it is not there.
fn ready(session: &Session) -> Handled<Arc<Run>> {
    if !session.two_l.is_there() {
        return Err(Reply::refusal(404, "This is not the history of a 2L program.\n"));
    }
    session.two_l.job.done().ok_or_else(|| Reply::refusal(409, "The program is still being run.\n"))
}

fn about(session: &Session, _: &Parameters<'_>) -> Handled<TwoL> {
    let part = &session.two_l;
    part.start();
    let job = part.job.status();
    let verdict = part.verdict.done().map(|verdict| verdict.to_string());
    Ok(TwoL { job, run: part.job.done().map(|run| run.answer(verdict)) })
}

fn lane(session: &Session, asked: &Parameters<'_>) -> Handled<Lane> {
    let run = ready(session)?;
    let Some((level, range)) = asked.number("level").zip(part_of(&run, asked)) else { return Err(bad()) };
    let width = asked.number("width").unwrap_or(1000).clamp(1, LONGEST_LANE);
    Ok(lane_of(&run.loops, level, range, width))
}

/// The part of the run that a request is about: states after at least one step of it.
fn part_of(run: &Run, asked: &Parameters<'_>) -> Option<std::ops::Range<u64>> {
    let end = run.replay.steps() + 1;
    let (from, to) = (asked.number::<u64>("from")?, asked.number::<u64>("to")?.min(end));
    (from < to).then_some(from..to)
}
