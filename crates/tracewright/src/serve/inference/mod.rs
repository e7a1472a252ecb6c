//! `/api/inference...`: events that were lost, as far as what is left implies them, and the user's choices.
//!
//! ```text
//! engine ── answer (never changed) ──┬── what is shown of each event
//!              choices, undo ────────┴── repaired trace, in memory ── a second index: the repaired layer
//! ```
//!
//! A choice is one of the listed values, and is refused where it contradicts another choice. Nothing is written:
//! the page hands out the file that `tracewright infer --choices` reads.

mod choose;
mod concerned;
mod describe;
mod long;
mod merged;
mod repair;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use inference::evaluate::Calibration;
use viewer::api::inference::{CHOICES, CHOOSE, EVENT, EVENTS, INFERENCE, Inference, LONG, OPEN, UNDO};
use viewer::api::{Handled, Parameters, Route};
use viewer::{Job, Reply};

use super::sentence;
use super::session::Session;
use super::timeline::Index;
use crate::answer::Answer;
use crate::choices::Choices;
use crate::cli::machines::Machines;
use crate::engines::{Wanted, run as run_engine};
use crate::evaluate::calibrate;
use crate::exit::Result;
use crate::models;
use crate::open::open;
use choose::Chosen;
use concerned::Concerned;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![
        INFERENCE.answered_by(answer),
        EVENTS.answered_by(describe::events),
        EVENT.answered_by(describe::event),
        LONG.answered_by(long::losses),
        OPEN.answered_by(describe::open),
        CHOICES.written_by(choose::file),
        CHOOSE.changed_by(choose::choose),
        UNDO.changed_by(choose::undo),
    ]
}

/// What an engine found, and the problems that it reported with the choices of the command line.
#[derive(Debug)]
pub(super) struct Inferred {
    pub(super) answer: Answer,
    /// Which rows an event concerns.
    concerned: Concerned,
    problems: Vec<String>,
}

/// What this part keeps in the session.
#[derive(Debug)]
pub(crate) struct Part {
    input: Option<PathBuf>,
    machines: Machines,
    choices: Option<PathBuf>,
    job: Arc<Job<Inferred>>,
    state: Arc<Mutex<Repaired>>,
}

/// The choices, and the layer that they lead to.
#[derive(Debug, Default)]
pub(super) struct Repaired {
    chosen: Chosen,
    /// Grows with each choice and each undo.
    revision: u64,
    /// The layer, and the revision that it is of.
    layer: Option<(u64, Arc<RwLock<Index>>)>,
    failure: Option<String>,
}

impl Part {
    /// Whether something was chosen on the page.
    pub(crate) fn has_choices(&self) -> bool {
        self.lock().chosen.steps() > 0
    }

    pub(crate) fn new(input: Option<PathBuf>, machines: Machines, choices: Option<PathBuf>) -> Part {
        let input = input.filter(|input| input.as_os_str() != "-");
        Part { input, machines, choices, job: Arc::default(), state: Arc::default() }
    }

    /// The layer with inferred events in it, once there is one.
    pub(super) fn layer(&self) -> Option<Arc<RwLock<Index>>> {
        self.lock().layer.as_ref().map(|(_, layer)| layer.clone())
    }

    /// Moments of inferred events, with their number.
    pub(super) fn moments(&self) -> Vec<i64> {
        self.job
            .done()
            .map(|found| found.answer.inferred.iter().map(|event| event.time.0).collect())
            .unwrap_or_default()
    }

    /// The names of the events inferred from one moment to another, both included; `None` while they are looked for.
    pub(super) fn names_between(&self, from: i64, to: i64) -> Option<Vec<String>> {
        let found = self.job.done()?;
        let inferred = &found.answer.inferred;
        let first = inferred.partition_point(|event| event.time.0 < from);
        let last = inferred.partition_point(|event| event.time.0 <= to).max(first);
        Some(inferred.get(first..last)?.iter().map(|event| event.key.name.clone()).collect())
    }

    fn lock(&self) -> MutexGuard<'_, Repaired> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self) {
        let Some(input) = self.input.clone() else { return };
        let (machines, choices) = (self.machines.clone(), self.choices.clone());
        self.job.start(move |progress| {
            let passed = |source: &dyn model::EventSource| progress.set(source.progress());
            infer(&input, &machines, choices.as_deref(), passed).map_err(sentence)
        });
    }

    /// Makes the layer of the present choices, in a thread, unless it is there or being made.
    fn repair(&self, session: &Session) {
        let (Some(input), Some(found)) = (self.input.clone(), self.job.done()) else { return };
        let Some(original) = session.timeline.whole() else { return };
        let (revision, chosen) = {
            let mut state = self.lock();
            let revision = state.revision;
            if state.layer.as_ref().is_some_and(|(of, _)| *of == revision)
                || state.chosen.is_being_repaired(revision)
            {
                return;
            }
            state.chosen.note_repair(revision);
            (revision, state.chosen.values())
        };
        let (state, machines) = (self.state.clone(), self.machines.clone());
        let work = move || {
            // What the user decided may change what else is inferred.
            let decided = match chosen.is_empty() {
                true => Ok(None),
                false => {
                    let text = choose::text(&found, &chosen);
                    rerun(&input, &machines, &text, found.answer.calibration.as_ref()).map(Some)
                }
            };
            let made: Result<Index> = decided.and_then(|decided| {
                let answer = decided.as_ref().unwrap_or(&found.answer);
                repair::repair(&input, machines.model.as_deref(), answer, &original)
            });
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            match made {
                Ok(layer) => state.layer = Some((revision, Arc::new(RwLock::new(layer)))),
                Err(stop) => state.failure = Some(sentence(stop)),
            }
        };
        if let Err(error) = std::thread::Builder::new().name("repair".into()).spawn(work) {
            self.lock().failure = Some(format!("no thread could be started: {error}"));
        }
    }
}

/// What is inferred with the choices of a file.
fn infer(
    input: &Path,
    machines: &Machines,
    choices: Option<&Path>,
    passed: impl FnMut(&dyn model::EventSource) + Send,
) -> Result<Inferred> {
    let (engine, model) = machines.resolve();
    let model = models::load(model)?;
    let mut choices = match choices {
        None => Choices::default(),
        Some(file) => Choices::load(file)?,
    };
    let mut source = open(input)?;
    let mut answer = run_engine(engine, &model, source.as_mut(), Wanted::Infer, &mut choices.made, passed)?;
    calibrate::calibrate(engine, &model, input, &mut answer)?;
    choices.finish(&answer);
    let concerned = Concerned::by(&model.pattern.machines);
    Ok(Inferred { answer, concerned, problems: choices.problems })
}

/// What is inferred with these choices.
fn rerun(input: &Path, machines: &Machines, choices: &str, learned: Option<&Calibration>) -> Result<Answer> {
    let (engine, model) = machines.resolve();
    let model = models::load(model)?;
    let mut choices = Choices::read(choices);
    let mut source = open(input)?;
    let mut answer = run_engine(engine, &model, source.as_mut(), Wanted::Infer, &mut choices.made, |_| ())?;
    calibrate::correct(learned, &mut answer.inferred);
    choices.finish(&answer);
    match choices.problems.first() {
        None => Ok(answer),
        Some(problem) => crate::exit::Stop::failed(format!("the choices cannot be followed: {problem}")),
    }
}

fn answer(session: &Session, _: &Parameters<'_>) -> Handled<Inference> {
    Ok(about(session))
}

fn about(session: &Session) -> Inference {
    let part = &session.inference;
    // Only where there are states to infer.
    let is_there = session.timeline.is_kernel();
    if is_there {
        part.start();
        part.repair(session);
    }
    let job = part.job.status();
    let found = part.job.done();
    let answer = found.as_ref().map(|found| &found.answer);
    let inferred = answer.map_or(&[][..], |answer| &answer.inferred);
    let problems = found.iter().flat_map(|found| &found.problems).take(100);
    let state = part.lock();
    Inference {
        is_there,
        job,
        engine: answer.map_or_else(String::new, |answer| answer.engine.to_owned()),
        model: answer.map_or_else(String::new, |answer| answer.model.clone()),
        events: inferred.len(),
        open: inferred.iter().filter(|event| describe::is_open(event)).count(),
        problems: problems.cloned().collect(),
        revision: state.revision,
        repaired: state.layer.as_ref().map(|(revision, _)| *revision),
        repair_failure: state.failure.clone(),
        chosen: state.chosen.values().len(),
        undo: state.chosen.steps(),
    }
}

/// The answer, or the reply that says that it is not there yet.
fn ready(session: &Session) -> Handled<Arc<Inferred>> {
    session
        .inference
        .job
        .done()
        .ok_or_else(|| Reply::refusal(409, "What is missing is still being looked for.\n"))
}
