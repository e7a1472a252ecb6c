//! `/api/overview...`: what the threads of a recording did, folded as in `calls`, and requested line by line.
//!
//! ```text
//! replay ── calls::Report ── Inside ── tree: the lines inside a line, remembered ─┬─ way      the heaviest, the first
//!                                      threads: kinds of threads                  └─ place    where it ran, its source
//!        ── calls::CallGraph ── beginnings, methods, search
//! ```
//!
//! A line is identified by the numbers that lead to it, so it fits into an address. Results are cached up to a bound;
//! the rest is computed again from the lines around it.

pub(super) mod beginnings;
mod line;
mod methods;
pub(super) mod names;
mod place;
mod search;
pub(super) mod threads;
mod tree;
mod way;

use std::sync::{Arc, OnceLock};

use analyses::calls::CallGraph;
use analyses::replay::NodeId;
use viewer::Reply;
use viewer::api::overview::{
    CALLS, CLASSES, FIRST, FoldedLines, HEAVIEST, INSIDE, OVERVIEW, Overview, PLACE, SEARCH, Whole,
};
use viewer::api::{Handled, Parameters, Route};

use super::play::recording::Recording;
use super::play::{bad, ready};
use super::session::Session;
use crate::numbers::counted;
use threads::ThreadKind;
use tree::Levels;

/// Lines of one answer.
const LINES: usize = 200;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![
        OVERVIEW.answered_by(overview),
        INSIDE.answered_by(inside),
        HEAVIEST.answered_by(way::heaviest),
        FIRST.answered_by(way::first),
        PLACE.answered_by(place::answer),
        CALLS.answered_by(methods::answer),
        CLASSES.answered_by(methods::classes),
        SEARCH.answered_by(search::answer),
    ]
}

/// What this part keeps in the session.
#[derive(Debug, Default)]
pub(crate) struct Part {
    graph: OnceLock<CallGraph>,
    kinds: OnceLock<Vec<ThreadKind>>,
    levels: Levels,
}

impl Part {
    /// Who called whom, worked out when it is first asked for.
    pub(super) fn graph(&self, recording: &Recording) -> &CallGraph {
        self.graph.get_or_init(|| CallGraph::of(&recording.replay, &roots(recording)))
    }

    /// The kinds of threads.
    fn kinds(&self, recording: &Recording) -> &[ThreadKind] {
        self.kinds.get_or_init(|| tree::with_report(recording, |report| threads::kinds(recording, report)))
    }
}

/// All threads.
fn roots(recording: &Recording) -> Vec<NodeId> {
    recording.replay.threads.iter().map(|thread| thread.root).collect()
}

fn overview(session: &Session, _: &Parameters<'_>) -> Handled<Overview> {
    let Some((job, recording)) = session.play.read() else {
        return Err(Reply::refusal(404, "This is no recording of control flow.\n"));
    };
    let whole = recording.map(|recording| whole(&session.overview, &recording));
    Ok(Overview { job, whole })
}

fn whole(part: &Part, recording: &Arc<Recording>) -> Whole {
    let graph = part.graph(recording);
    let sum =
        |of: &dyn Fn(NodeId) -> u64| roots(recording).into_iter().map(of).fold(0u64, u64::saturating_add);
    let gaps = recording.gaps();
    Whole {
        blocks: sum(&|root| recording.total(root)),
        calls: sum(&|root| recording.calls.of_node(root)),
        ran: graph.methods.len(),
        known: recording.code.methods.len(),
        threads: recording.replay.threads.len(),
        kinds: part.kinds(recording).iter().map(|kind| kind.line.clone()).collect(),
        beginnings: beginnings::all(recording, graph),
        packages: methods::packages(recording, graph),
        thrown: beginnings::thrown(recording, graph),
        caught: beginnings::caught(recording, graph),
        missing: missing(recording, sum(&|root| gaps.of_node(root))),
        sources: recording.sources.is_some(),
    }
}

/// What was not recorded, in sentences; of damaged files the places at least.
fn missing(recording: &Recording, gaps: u64) -> Vec<String> {
    match recording.about.missing.as_slice() {
        [] if gaps > 0 => vec![format!("something is missing in {}", counted(gaps, "place"))],
        known => known.iter().cloned().chain(inferred(recording)).collect(),
    }
}

/// How much of what is missing is inferred, in a sentence.
fn inferred(recording: &Recording) -> Option<String> {
    let records = recording.inferred_records().records;
    let are = if records == 1 { "is" } else { "are" };
    (records > 0).then(|| {
        format!(
            "{} of these {are} inferred from the code, and marked where shown",
            counted(records, "record")
        )
    })
}

fn inside(session: &Session, asked: &Parameters<'_>) -> Handled<FoldedLines> {
    let recording = ready(session)?;
    let Some(id) = asked.text("entry") else { return Err(bad()) };
    let from = asked.number::<usize>("from").unwrap_or(0);
    let count = asked.number::<usize>("count").unwrap_or(LINES).min(LINES);
    let level = tree::level(&session.overview, &recording, &id).ok_or_else(no_line)?;
    let lines = level.lines.iter().skip(from).take(count).cloned().collect();
    Ok(FoldedLines { total: level.lines.len(), from, lines, is_cut: level.is_cut })
}

fn no_line() -> Reply {
    Reply::refusal(404, "There is no such line in this recording.\n")
}
