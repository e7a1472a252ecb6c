//! `/api/timeline...`: rows of states over time, what was lost, what does not fit, the events themselves.
//!
//! ```text
//! trace ── fill: one pass, in a thread ── analyses::timeline: lanes, moments, losses ── states, marks, histogram
//!   │      keep: or as it was kept ─┘
//!   └───── table: a few events around a moment, read again from the trace
//! ```
//!
//! Times in questions and answers are nanoseconds after the first event, because a page counts in numbers that
//! hold 2^53 exactly; that is 104 days. Where the trace begins is told as text.

mod compare;
mod fill;
mod keep;
mod marks;
mod states;
mod table;
mod tap;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use analyses::timeline::DiagnosticLine;
pub(super) use analyses::timeline::{Index, RowKind};
use analyses::tracks::TrackBy;

use super::api::{Handled, Route};
use super::http::{Reply, Request};
use super::job::Job;
use super::kept::Cache;
use super::session::Session;
use crate::models::{self, Model};
use crate::views::json::Json;
pub(super) use compare::compare;
use keep::{Question, WORTH_KEEPING, fill_or_read};

pub(super) const ROUTES: &[Route] = &[
    Route { method: "GET", path: "/api/timeline", answer: about },
    Route { method: "GET", path: "/api/timeline/rows", answer: rows },
    Route { method: "GET", path: "/api/timeline/states", answer: states::answer },
    Route { method: "GET", path: "/api/timeline/state", answer: states::at },
    Route { method: "GET", path: "/api/timeline/histogram", answer: marks::histogram },
    Route { method: "GET", path: "/api/timeline/marks", answer: marks::answer },
    Route { method: "GET", path: "/api/timeline/step", answer: marks::step },
    Route { method: "GET", path: "/api/timeline/events", answer: table::answer },
];

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
}

impl Part {
    pub(crate) fn new(input: Option<PathBuf>, by: TrackBy, model: Option<String>, cache: Cache) -> Part {
        // What comes from standard input cannot be read again.
        let input = input.filter(|input| input.as_os_str() != "-");
        let (job, index, table) = (Arc::default(), Arc::default(), table::Table::default());
        Part { input, by, model, cache, job, index, table }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.input.is_some()
    }

    /// Begins to read the trace.
    pub(crate) fn start(&self) {
        let Some(input) = self.input.clone() else { return };
        let (index, by, cache) = (self.index.clone(), self.by, self.cache.clone());
        let asked_for = self.model.clone();
        self.job.start(move |progress| {
            let model = model(asked_for.as_deref())?;
            let question = Question { model: &model, is_asked_for: asked_for.is_some(), by };
            let mut passed = |source: &dyn model::EventSource| progress.set(source.progress());
            fill_or_read(&index, &input, question, (&cache, WORTH_KEEPING), &mut passed)
        });
    }

    /// What the reader has found wrong so far.
    pub(crate) fn diagnostics(&self, json: &mut Json) -> Vec<DiagnosticLine> {
        self.start();
        self.job.describe(json);
        self.original().diagnostics.clone()
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
    pub(super) fn range(&self, request: &Request) -> (i64, i64) {
        range(request, &self.original())
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

/// A moment of the query, as nanoseconds of the trace.
fn moment(request: &Request, name: &str, index: &Index) -> Option<i64> {
    let offset: f64 = request.query(name)?.parse().ok()?;
    offset.is_finite().then(|| index.start().saturating_add(offset.round() as i64))
}

/// The range `from` to `to` of the query; all of the trace where it is left out.
fn range(request: &Request, index: &Index) -> (i64, i64) {
    let from = moment(request, "from", index).unwrap_or(index.start());
    let to = moment(request, "to", index).unwrap_or(index.end());
    (from, to.max(from.saturating_add(1)))
}

fn about(session: &Session, _: &Request) -> Handled {
    let part = &session.timeline;
    part.start();
    let mut json = Json::default();
    json.object(|json| {
        part.job.describe(json);
        let index = part.original();
        json.key("start").text(&index.start().to_string());
        json.key("length").number(index.end().saturating_sub(index.start()));
        json.key("events").number(index.times.len());
        json.key("is_kernel").bool(index.is_kernel);
        json.key("rows").number(index.rows.len());
        json.key("losses").number(index.losses.len());
        let lost: u64 = index
            .losses
            .iter()
            .map(|loss| if let model::Lost::Events(lost) = loss.lost { lost } else { 0 })
            .sum();
        json.key("lost_events").number(lost);
        json.key("incoherences").number(index.incoherences.len());
        // A repaired layer numbers the states of the original alike and goes on from there.
        json.key("states");
        match session.inference.layer() {
            Some(layer) => states_of(json, &layer.read().unwrap_or_else(PoisonError::into_inner)),
            None => states_of(json, &index),
        }
    });
    Ok(Reply::json(json.out))
}

fn states_of(json: &mut Json, index: &Index) {
    json.array(&index.states.all, |json, state| {
        json.object(|json| {
            json.key("kind").text(kind_name(state.kind));
            json.key("names").array(&state.names, |json, name| json.text(name));
            json.key("is_inferred").bool(state.is_inferred);
        });
    });
}

fn kind_name(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Cpu => "cpu",
        RowKind::Interrupts => "interrupts",
        RowKind::Thread => "thread",
        RowKind::Machine => "machine",
        RowKind::Track => "track",
    }
}

/// Rows of one answer.
const ROWS: usize = 20_000;

fn rows(session: &Session, _: &Request) -> Handled {
    let index = session.timeline.original();
    let mut json = Json::default();
    json.object(|json| {
        json.key("all").number(index.rows.len());
        json.key("rows").array(index.order().into_iter().take(ROWS), |json, (number, depth)| {
            let Some(row) = index.rows.get(number) else { return json.null() };
            json.object(|json| {
                json.key("row").number(number);
                json.key("kind").text(kind_name(row.kind));
                json.key("name").text(&row.name);
                json.key("depth").number(depth);
                json.key("changes").number(row.lane.len());
            });
        });
    });
    Ok(Reply::json(json.out))
}
