//! `/api/timeline...`: rows of states over time, what was lost, what does not fit, the events themselves.
//!
//! ```text
//! trace ── fill: one pass, in a thread ── analyses::timeline: lanes, moments, losses ── states, marks, histogram
//!   │      cached: or as before    ─┘
//!   │                                                                                                 range, wait
//!   ├───── search: events by name and field, in a thread; where only names are asked for, by the index
//!   └───── table: a few events around a moment, read again from the trace
//! ```
//!
//! Times in questions and answers are nanoseconds after the first event, because a page counts in numbers that
//! hold 2^53 exactly; that is 104 days. When the trace begins is given as text.

mod after_loss;
mod cached;
mod compare;
mod fill;
mod marks;
mod question;
mod range;
mod row_kind;
mod running;
mod search;
mod states;
mod table;
mod tap;
#[cfg(test)]
mod tests;
mod wait;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use analyses::timeline::{DiagnosticLine, Loss, State};
pub(super) use analyses::timeline::{Index, RowKind};
use analyses::tracks::TrackBy;

use viewer::api::timeline::{
    EVENTS, HISTOGRAM, HITS, MARKS, RANGE, ROWS, Row, RowKind as RowKindAnswer, Rows, SEARCH, STATE, STATES,
    STEP, StateNames, TIMELINE, Timeline, WAIT,
};
use viewer::api::{Handled, JobStatus, Parameters, Route};
use viewer::{Cache, Job};

use super::sentence;
use super::session::Session;
use crate::models::{self, Model};
use cached::{WORTH_CACHING, fill_or_read};
pub(super) use compare::compare;
use question::Question;
pub(super) use row_kind::row_of;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![
        TIMELINE.answered_by(about),
        ROWS.answered_by(rows),
        STATES.answered_by(states::answer),
        STATE.answered_by(states::at),
        HISTOGRAM.answered_by(marks::histogram),
        MARKS.answered_by(marks::answer),
        STEP.answered_by(marks::step),
        EVENTS.answered_by(table::answer),
        RANGE.answered_by(range::answer),
        WAIT.answered_by(wait::answer),
        SEARCH.answered_by(search::answer),
        HITS.answered_by(search::in_columns),
    ]
}

/// What this part keeps in the session.
#[derive(Debug)]
pub(crate) struct Part {
    /// The trace; a history that was typed has no timeline.
    input: Option<PathBuf>,
    by: TrackBy,
    /// The model that was asked for.
    model: Option<String>,
    cache: Cache,
    job: Arc<Job<()>>,
    index: Arc<RwLock<Index>>,
    table: table::Table,
    searches: search::Searches,
    meanings: Arc<OnceLock<Arc<wait::Meanings>>>,
}

impl Part {
    pub(crate) fn new(input: Option<PathBuf>, by: TrackBy, model: Option<String>, cache: Cache) -> Part {
        // What comes from standard input cannot be read again.
        let input = input.filter(|input| input.as_os_str() != "-");
        let (job, index, table) = (Arc::default(), Arc::default(), table::Table::default());
        let (searches, meanings) = (search::Searches::default(), Arc::default());
        Part { input, by, model, cache, job, index, table, searches, meanings }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.input.is_some()
    }

    /// Begins to read the trace.
    pub(crate) fn start(&self) {
        let Some(input) = self.input.clone() else { return };
        let (index, by, cache) = (self.index.clone(), self.by, self.cache.clone());
        let (asked_for, meanings) = (self.model.clone(), self.meanings.clone());
        self.job.start(move |progress| {
            let model = model(asked_for.as_deref()).map_err(sentence)?;
            meanings.get_or_init(|| Arc::new(wait::Meanings::of(&model.pattern)));
            let question = Question { model: &model, is_asked_for: asked_for.is_some(), by };
            let mut passed = |source: &dyn model::EventSource| progress.set(source.progress());
            fill_or_read(&index, &input, question, (&cache, WORTH_CACHING), &mut passed).map_err(sentence)
        });
    }

    /// What the reader has found wrong so far.
    pub(crate) fn diagnostics(&self) -> (JobStatus, Vec<DiagnosticLine>) {
        self.start();
        (self.job.status(), self.original().diagnostics.clone())
    }

    /// What the states of threads mean; nothing is known before the model was read.
    fn meanings(&self) -> Arc<wait::Meanings> {
        self.meanings.get().cloned().unwrap_or_default()
    }

    /// Whether states of threads and CPUs are shown.
    pub(super) fn is_kernel(&self) -> bool {
        self.original().is_kernel
    }

    /// The index, once it is whole.
    pub(super) fn whole(&self) -> Option<Arc<RwLock<Index>>> {
        self.job.done().map(|_| self.index.clone())
    }

    pub(super) fn with_original<T>(&self, ask: impl FnOnce(&Index) -> T) -> T {
        ask(&self.original())
    }

    /// The range that a request asks for, in nanoseconds of the trace.
    pub(super) fn range(&self, asked: &Parameters<'_>) -> (i64, i64) {
        range(asked, &self.original())
    }

    fn original(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fills an index by the machines of the model that was asked for.
pub(super) fn fill_machines(
    index: &RwLock<Index>,
    source: &mut dyn model::EventSource,
    asked_for: Option<&str>,
) -> crate::exit::Result<()> {
    fill::kernel(index, tap::Tap::new(source, false, true), &model(asked_for)?, &mut |_| {})
}

/// The model whose states are shown: by the rules of the engine for work, whatever infers.
fn model(asked_for: Option<&str>) -> crate::exit::Result<Model> {
    models::load(asked_for.unwrap_or("kernel"))
}

/// A time of the query, as nanoseconds of the trace.
fn moment(asked: &Parameters<'_>, name: &str, index: &Index) -> Option<i64> {
    let offset: f64 = asked.number(name)?;
    offset.is_finite().then(|| index.start().saturating_add(offset.round() as i64))
}

/// The range `from` to `to` of the query; all of the trace where it is left out.
fn range(asked: &Parameters<'_>, index: &Index) -> (i64, i64) {
    let from = moment(asked, "from", index).unwrap_or(index.start());
    let to = moment(asked, "to", index).unwrap_or(index.end());
    (from, to.max(from.saturating_add(1)))
}

fn about(session: &Session, _: &Parameters<'_>) -> Handled<Timeline> {
    let part = &session.timeline;
    part.start();
    let job = part.job.status();
    let index = part.original();
    let lost = |loss: &Loss| if let model::Lost::Events(lost) = loss.lost { lost } else { 0 };
    // A repaired layer numbers the states of the original alike and goes on from there.
    let states = match session.inference.layer() {
        Some(layer) => states_of(&layer.read().unwrap_or_else(PoisonError::into_inner), &part.meanings()),
        None => states_of(&index, &part.meanings()),
    };
    Ok(Timeline {
        job,
        start: index.start().to_string(),
        length: index.end().saturating_sub(index.start()),
        events: index.times.len(),
        is_kernel: index.is_kernel,
        rows: index.rows.len(),
        losses: index.losses.len(),
        lost_events: index.losses.iter().map(lost).sum(),
        incoherences: index.incoherences.len(),
        states,
    })
}

fn states_of(index: &Index, meanings: &wait::Meanings) -> Vec<StateNames> {
    let names = |state: &State| StateNames {
        kind: kind(state.kind),
        names: state.names.clone(),
        is_inferred: state.is_inferred,
        is_over: meanings.is_over(state),
    };
    index.states.all.iter().map(names).collect()
}

fn kind(kind: RowKind) -> RowKindAnswer {
    match kind {
        RowKind::Cpu => RowKindAnswer::Cpu,
        RowKind::Interrupts => RowKindAnswer::Interrupts,
        RowKind::Thread => RowKindAnswer::Thread,
        RowKind::Machine => RowKindAnswer::Machine,
        RowKind::Track => RowKindAnswer::Track,
    }
}

/// Rows of one answer.
const MOST_ROWS: usize = 20_000;

fn rows(session: &Session, _: &Parameters<'_>) -> Handled<Rows> {
    let index = session.timeline.original();
    let row = |(number, depth): (usize, usize)| {
        let row = index.rows.get(number)?;
        let (kind, name) = (kind(row.kind), row.name.clone());
        Some(Row { row: number, kind, name, depth, changes: row.lane.len() })
    };
    let rows = index.order().into_iter().take(MOST_ROWS).filter_map(row).collect();
    Ok(Rows { all: index.rows.len(), rows })
}
