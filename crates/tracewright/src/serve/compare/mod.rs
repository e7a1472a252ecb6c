//! `/api/compare...`: the recording and another one, side by side, call by call.
//!
//! ```text
//! recording A ── play, which reads it ─┐
//! recording B ── open ─────────────────┴─ Compared: rows of both, once ─┬─ rows, find, profile   by number
//!                                                                       └─ call                  lines of one row
//! ```

mod call;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use analyses::diff::{Joint, Row, RowVerdict, Rows, Sums};
use analyses::replay::{Measure, NodeId, Path};
use model::code::{CodeMap, MethodId};
use viewer::api::compare::{
    COMPARE, Compare, ComparedRow, ComparedRows, ComparedThread, Comparison, DIFFERENCE, DIFFERENCES,
    DifferenceFound, DifferencePixel, DifferenceProfile, PAIR_OF_CALLS, PairOfThreads, ROWS,
    RowVerdict as VerdictAnswer,
};
use viewer::api::list::Call;
use viewer::api::{Handled, JobStatus, Parameters, Phase, Route};
use viewer::{Cache, Job, Reply};

use super::play::recording::Recording;
use super::play::{self, bad};
use super::sentence;
use super::session::Session;

/// Rows of one answer, and pixels.
const MOST_ROWS: u64 = 400;
const MOST_PIXELS: u64 = 2000;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![
        COMPARE.answered_by(compare),
        ROWS.answered_by(rows),
        DIFFERENCE.answered_by(find),
        DIFFERENCES.answered_by(profile),
        PAIR_OF_CALLS.answered_by(call::answer),
    ]
}

/// What this part keeps in the session.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// The recording of side B; `None`: there is none.
    against: Option<PathBuf>,
    roots: Vec<PathBuf>,
    cache: Cache,
    job: Arc<Job<Compared>>,
}

/// Both recordings, side by side.
#[derive(Debug)]
struct Compared {
    sides: [Side; 2],
    rows: Rows,
}

/// One of them.
#[derive(Debug)]
struct Side {
    recording: Arc<Recording>,
    /// The measure of calls that have rows.
    calls: Measure,
    /// The roots of the threads in the order of their serial numbers, as the rows number them.
    threads: Vec<(u32, NodeId)>,
}

impl Side {
    fn of(recording: Arc<Recording>) -> Side {
        let code: &CodeMap = &recording.code;
        let is_initializer =
            |method: MethodId| code.method(method).is_some_and(|method| method.name == "<clinit>");
        let calls = Measure::calls_outside(&recording.replay, &is_initializer);
        let threads = recording.replay.threads.iter();
        let mut threads: Vec<_> = threads.map(|thread| (thread.serial, thread.root)).collect();
        threads.sort_unstable_by_key(|(serial, _)| *serial);
        Side { calls, threads, recording }
    }

    fn thread(&self, index: usize) -> Option<ComparedThread> {
        let &(serial, root) = self.threads.get(index)?;
        let known = self.recording.about.threads.iter().find(|known| known.serial == serial);
        Some(ComparedThread {
            serial,
            name: known.map_or_else(|| "?".into(), |known| known.name.clone()),
            calls: self.calls.of_node(root),
        })
    }

    /// The way to a call of a thread by its number.
    fn path(&self, index: usize, call: u64) -> Option<Path> {
        let &(_, root) = self.threads.get(index)?;
        self.recording.replay.select(root, &self.recording.blocks, &self.calls, call)
    }
}

impl Compared {
    fn of(recordings: [Arc<Recording>; 2]) -> Compared {
        let mut joint = Joint::default();
        for recording in &recordings {
            let name = |serial: u32| {
                let known = recording.about.threads.iter().find(|known| known.serial == serial);
                known.map_or_else(String::new, |known| known.name.clone())
            };
            joint.add(&recording.code, &recording.replay, |serial| (name(serial), 0));
        }
        let rows = Rows::of(&joint, 0, 1);
        Compared { sides: recordings.map(Side::of), rows }
    }

    /// The path to the call of each side of a row.
    fn paths(&self, pair: usize, row: &Row) -> [Option<Path>; 2] {
        let Some(thread) = self.rows.threads.get(pair) else { return [None, None] };
        let indices = [thread.indices.0, thread.indices.1];
        [0, 1].map(|side| self.sides[side].path(indices[side]?, row.calls[side]?))
    }

    fn call(&self, pair: usize, side: usize, call: Option<u64>, path: Option<&Path>) -> Option<Call> {
        let (one, other) = self.rows.threads.get(pair)?.indices;
        let (serial, _) = *self.sides[side].threads.get([one, other][side]?)?;
        play::list::call(&self.sides[side].recording, u64::from(serial), call?, path?)
    }

    fn answer(&self, names: [String; 2]) -> Comparison {
        let pairs = self.rows.threads.iter().map(|pair| PairOfThreads {
            a: pair.indices.0.and_then(|index| self.sides[0].thread(index)),
            b: pair.indices.1.and_then(|index| self.sides[1].thread(index)),
            rows: pair.sums.rows,
            differences: pair.sums.differences,
            only_a: pair.sums.only[0],
            only_b: pair.sums.only[1],
        });
        let mut missing = vec![];
        for (side, letter) in self.sides.iter().zip(["A", "B"]) {
            missing
                .extend(side.recording.about.missing.iter().map(|sentence| format!("{letter}: {sentence}.")));
        }
        if self.rows.is_cut {
            missing.push(
                "More differs than is aligned: some calls stand on one side, then on the other.".into(),
            );
        }
        let [a, b] = names;
        Comparison { a, b, pairs: pairs.collect(), missing }
    }
}

impl Part {
    pub(crate) fn new(against: Option<PathBuf>, roots: Vec<PathBuf>, cache: Cache) -> Part {
        Part { against, roots, cache, job: Arc::default() }
    }

    /// Whether there is something to compare.
    pub(crate) fn has_other(&self) -> bool {
        self.against.is_some()
    }

    fn name(&self) -> String {
        let file = self.against.as_ref().and_then(|path| path.file_name());
        file.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    fn start(&self, recording: Arc<Recording>) {
        let Some(against) = self.against.clone() else { return };
        let (roots, cache) = (self.roots.clone(), self.cache.clone());
        self.job.start(move |progress| {
            let other = play::open::open(&against, &roots, false, &cache, progress).map_err(sentence)?;
            Ok(Compared::of([recording, Arc::new(other)]))
        });
    }

    #[cfg(test)]
    fn of_recordings(recordings: [Recording; 2]) -> Part {
        let part = Part { against: Some("b.capture".into()), ..Part::default() };
        part.job.start(move |_| Ok(Compared::of(recordings.map(Arc::new))));
        while part.job.done().is_none() {
            std::thread::yield_now();
        }
        part
    }
}

/// As the API has it.
fn verdict(verdict: RowVerdict) -> VerdictAnswer {
    match verdict {
        RowVerdict::Equal => VerdictAnswer::Equal,
        RowVerdict::Differs => VerdictAnswer::Differs,
        RowVerdict::Only => VerdictAnswer::Only,
        RowVerdict::Unknown => VerdictAnswer::Unknown,
    }
}

fn compare(session: &Session, _: &Parameters<'_>) -> Handled<Compare> {
    let part = &session.compare;
    let Some((job, recording)) = session.play.read().filter(|_| part.has_other()) else {
        return Err(Reply::refusal(
            404,
            "Nothing was given to compare with: `tracewright view A --against B`.\n",
        ));
    };
    let Some(recording) = recording else { return Ok(Compare { job, comparison: None }) };
    part.start(recording);
    let job = match part.job.status() {
        // It was asked for a moment ago.
        JobStatus { phase: Phase::Idle, .. } => {
            JobStatus { phase: Phase::Running, progress: None, failure: None }
        }
        job => job,
    };
    let names = [session.opened.name.clone(), part.name()];
    Ok(Compare { job, comparison: part.job.done().map(|compared| compared.answer(names)) })
}

/// Both recordings and the number of the pair of threads that a request is about.
fn asked(session: &Session, asked: &Parameters<'_>) -> Handled<(Arc<Compared>, usize, Sums)> {
    let Some(compared) = session.compare.job.done() else {
        return Err(Reply::refusal(409, "The recordings are still being compared.\n"));
    };
    let Some(pair) = asked.number::<usize>("pair") else { return Err(bad()) };
    match compared.rows.threads.get(pair).map(|thread| thread.sums) {
        Some(sums) => Ok((compared, pair, sums)),
        None => Err(Reply::refusal(404, "There is no such pair of threads.\n")),
    }
}

fn rows(session: &Session, parameters: &Parameters<'_>) -> Handled<ComparedRows> {
    let (compared, pair, sums) = asked(session, parameters)?;
    let (Some(from), Some(count)) = (parameters.number::<u64>("from"), parameters.number::<u64>("count"))
    else {
        return Err(bad());
    };
    let to = from.saturating_add(count.min(MOST_ROWS)).min(sums.rows);
    let found = (from..to).filter_map(|number| {
        let row = compared.rows.row(pair, number)?;
        let [a, b] = compared.paths(pair, &row);
        Some(ComparedRow {
            row: number,
            verdict: verdict(row.verdict),
            a: compared.call(pair, 0, row.calls[0], a.as_ref()),
            b: compared.call(pair, 1, row.calls[1], b.as_ref()),
        })
    });
    let row = parameters.number::<u64>("position").and_then(|position| {
        let index = compared.rows.threads.get(pair)?.indices.0?;
        let side = &compared.sides[0];
        let &(_, root) = side.threads.get(index)?;
        let recording = &side.recording;
        let path = recording.replay.seek(root, &recording.blocks, position)?;
        compared.rows.row_of_call(pair, 0, play::list::row_of(recording, root, &side.calls, &path)?)
    });
    Ok(ComparedRows { row, rows: found.collect() })
}

fn find(session: &Session, parameters: &Parameters<'_>) -> Handled<DifferenceFound> {
    let (compared, pair, sums) = asked(session, parameters)?;
    let from = parameters.number::<u64>("row");
    let found = match parameters.flag("back") {
        true => from.and_then(|from| compared.rows.previous(pair, from)),
        false => compared.rows.next(pair, from),
    };
    Ok(DifferenceFound {
        total: sums.differences,
        row: found.map(|found| found.0),
        index: found.map(|found| found.1),
    })
}

fn profile(session: &Session, parameters: &Parameters<'_>) -> Handled<DifferenceProfile> {
    let (compared, pair, sums) = asked(session, parameters)?;
    let Some(pixels) = parameters.number::<u64>("pixels").filter(|pixels| *pixels > 0) else {
        return Err(bad());
    };
    let pixels = pixels.min(MOST_PIXELS);
    let edge = |pixel: u64| {
        let row = u128::from(sums.rows) * u128::from(pixel) / u128::from(pixels);
        compared.rows.before(pair, row as u64)
    };
    let mut before = Sums::default();
    let drawn = (1..=pixels).map(|pixel| {
        let after = edge(pixel);
        let drawn = DifferencePixel {
            differences: after.differences.saturating_sub(before.differences),
            only_a: after.only[0].saturating_sub(before.only[0]),
            only_b: after.only[1].saturating_sub(before.only[1]),
        };
        before = after;
        drawn
    });
    Ok(DifferenceProfile { pixels: drawn.collect() })
}
