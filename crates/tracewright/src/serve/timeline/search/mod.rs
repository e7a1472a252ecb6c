//! `/api/timeline/search`, `/hits`: events by name and field, in all of the trace, and where those in a range are.
//!
//! ```text
//! query ── a thread ── the trace, or for names alone the index ── a bit for each event ── count, next, previous
//! ```
//!
//! Events are searched from the first on, and requests are answered meanwhile from what was searched: a next one that may
//! come later is reported as not known yet. The last few searches are cached; one that is evicted stops.

mod hits;
mod query;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use analyses::timeline::{Index, RowKind};
use model::{Item, Symbol};

use viewer::api::timeline::{EventHit, EventHits, EventSearch};
use viewer::api::{Handled, JobStatus, Parameters, Phase};
use viewer::{Job, Reply};

use super::super::sentence;
use super::super::session::Session;
use super::marks::{self, WIDEST};
use super::{Part, moment, range};
use crate::exit::Result;
use crate::open::open;
use hits::Hits;
use query::Query;

/// Searches that are remembered.
const MOST: usize = 3;
/// Events between two looks of others at what was found.
const BATCH: usize = 4096;

/// The searches that were asked for last.
#[derive(Debug, Default)]
pub(super) struct Searches(Mutex<VecDeque<Arc<Search>>>);

/// One search.
#[derive(Debug)]
struct Search {
    text: String,
    query: Query,
    job: Arc<Job<()>>,
    found: Mutex<Found>,
    is_forgotten: AtomicBool,
}

#[derive(Debug, Default)]
struct Found {
    hits: Hits,
    /// Of each condition: whether some event had its field.
    seen: Vec<bool>,
}

impl Search {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at all events; `passed` hears how many.
    fn run(&self, input: &Path, index: &RwLock<Index>, is_whole: bool, passed: impl Fn(usize)) -> Result<()> {
        if self.query.conditions.is_empty() && is_whole {
            let index = index.read().unwrap_or_else(PoisonError::into_inner);
            // Names beyond these share a number.
            if index.alphabet.len() < usize::from(u16::MAX) {
                self.by_names(&index);
                return Ok(());
            }
        }
        let mut source = open(input)?;
        let (mut allowed, mut seen) = (Vec::new(), vec![false; self.query.conditions.len()]);
        let mut batch = Vec::with_capacity(BATCH);
        let mut all = 0;
        loop {
            let item = source.next_item();
            if let Some(Item::Event(event)) = item {
                let alphabet = event.origin.alphabet;
                for number in allowed.len()..alphabet.len() {
                    allowed.push(self.query.allows(alphabet, Symbol(number as u32)));
                }
                let is_allowed = allowed.get(event.symbol.0 as usize) == Some(&true);
                batch.push(is_allowed && self.query.holds(&event, &mut seen));
            }
            let is_over = item.is_none();
            if batch.len() == BATCH || is_over {
                let mut found = self.found();
                batch.drain(..).for_each(|is_hit| found.hits.push(is_hit));
                found.seen.clone_from(&seen);
                all = found.hits.looked_at.max(all);
                passed(all);
            }
            if is_over || self.is_forgotten.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }

    fn by_names(&self, index: &Index) {
        let names = 0..index.alphabet.len();
        let allowed: Vec<bool> =
            names.map(|number| self.query.allows(&index.alphabet, Symbol(number as u32))).collect();
        let mut found = self.found();
        for name in index.names.all() {
            found.hits.push(allowed.get(usize::from(*name)) == Some(&true));
        }
    }

    /// What is to be known once all events were looked at.
    fn note(&self) -> Option<String> {
        let found = self.found();
        let unseen = self.query.conditions.iter().zip(&found.seen).find(|(_, seen)| !**seen);
        let field = unseen?.0.field.as_ref()?;
        let called = match self.query.names.names.as_slice() {
            [] => String::new(),
            names => format!(" called {}", names.join("|")),
        };
        Some(format!("No event{called} that fulfils what stands before it has a field \"{field}\"."))
    }
}

impl Searches {
    fn get(&self, text: &str) -> Option<Arc<Search>> {
        let mut all = self.all();
        let at = all.iter().position(|known| known.text == text)?;
        let found = all.remove(at)?;
        all.push_back(found.clone());
        Some(found)
    }

    fn add(&self, search: Arc<Search>) {
        let mut all = self.all();
        all.push_back(search);
        if all.len() > MOST
            && let Some(oldest) = all.pop_front()
        {
            oldest.is_forgotten.store(true, Ordering::Relaxed);
        }
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<Arc<Search>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<EventSearch> {
    let part = &session.timeline;
    let search = match asked_for(part, asked)? {
        Ok(search) => search,
        Err(problem) => return Ok(refused(problem)),
    };
    // Whether it is over is asked first: if it ends a moment later, more is known than is reported.
    let job = search.job.status();
    let (is_over, is_whole) = (job.phase == Phase::Done, part.whole().is_some());
    let note = if is_over { search.note() } else { None };
    let index = part.original();
    let found = search.found();
    let hits = &found.hits;
    let note = note.or_else(|| {
        // The names were not all there when the query came.
        let is_empty = is_over && is_whole && hits.found == 0;
        if is_empty { search.query.unknown_name(&index.alphabet) } else { None }
    });
    let (hit, is_known) = next((&index, is_whole), hits, asked, is_over);
    // The search may have come further than reading for the picture: the time of that event is not known yet.
    let is_known = is_known && hit.is_none_or(|event| event < index.times.len());
    let hit = hit.filter(|&event| event < index.times.len()).map(|event| {
        let time = index.times.get(event).copied().unwrap_or(0);
        EventHit {
            event,
            time: time.saturating_sub(index.start()),
            row: row(&index, event, time),
            nth: hits.before(event + 1),
        }
    });
    Ok(EventSearch { job, problem: None, looked_at: hits.looked_at, found: hits.found, note, hit, is_known })
}

/// The search of a query, which is begun where nobody has asked for it lately; or what is wrong with the query.
fn asked_for(part: &Part, asked: &Parameters<'_>) -> Handled<std::result::Result<Arc<Search>, String>> {
    let Some(input) = part.input.clone() else { return Err(Reply::refusal(404, "There is no trace.\n")) };
    let text = asked.text("query").unwrap_or_default().trim().to_owned();
    if let Some(search) = part.searches.get(&text) {
        return Ok(Ok(search));
    }
    let query = match Query::parse(&text) {
        Ok(query) => query,
        Err(problem) => return Ok(Err(problem)),
    };
    let is_whole = part.whole().is_some();
    if is_whole && let Some(problem) = query.unknown_name(&part.original().alphabet) {
        return Ok(Err(problem));
    }
    let (job, found) = (Arc::default(), Mutex::default());
    let search = Search { text, query, job, found, is_forgotten: AtomicBool::new(false) };
    let search = Arc::new(search);
    part.searches.add(search.clone());
    let (working, index) = (search.clone(), part.index.clone());
    search.job.start(move |progress| {
        let all = index.read().map_or(0, |index| index.times.len());
        let passed = |seen: usize| {
            if is_whole {
                progress.set((seen as u64, all as u64))
            }
        };
        working.run(&input, &index, is_whole, passed).map_err(sentence)
    });
    Ok(Ok(search))
}

/// How many of what a query finds lie in each column of a range; of a query that is wrong, none.
pub(super) fn in_columns(session: &Session, asked: &Parameters<'_>) -> Handled<EventHits> {
    let part = &session.timeline;
    let Ok(search) = asked_for(part, asked)? else {
        return Ok(EventHits { found: 0, is_whole: true, is_over: true, columns: vec![] });
    };
    // Asked first: what is found meanwhile is shown as well.
    let phase = search.job.status().phase;
    let is_read = part.whole().is_some();
    let index = part.original();
    let (from, to) = range(asked, &index);
    let width = asked.number("width").unwrap_or(1000).clamp(1, WIDEST);
    let search = search.found();
    let (mut found, mut last, mut columns) = (0, 0, vec![]);
    for (column, events) in marks::columns(&index, (from, to), width).enumerate() {
        let count = search.hits.between(events.start, events.end);
        if count > 0 {
            columns.extend([column, count]);
        }
        found += count;
        last = events.end;
    }
    let is_whole = match phase {
        Phase::Done => is_read,
        _ => (is_read || last < index.times.len()) && last <= search.hits.looked_at,
    };
    Ok(EventHits { found, is_whole, is_over: is_whole || phase == Phase::Failed, columns })
}

fn refused(problem: String) -> EventSearch {
    EventSearch {
        job: JobStatus { phase: Phase::Done, progress: None, failure: None },
        problem: Some(problem),
        looked_at: 0,
        found: 0,
        note: None,
        hit: None,
        is_known: true,
    }
}

/// The hit that is asked for, and whether it is certain that it is that one, or none.
fn next(
    (index, is_whole): (&Index, bool),
    hits: &Hits,
    asked: &Parameters<'_>,
    is_over: bool,
) -> (Option<usize>, bool) {
    let (event, back) = (asked.number::<usize>("event"), asked.flag("back"));
    let before = |time: i64| index.times.partition_point(|&known| known < time);
    let time = moment(asked, "time", index);
    let from = match (event, time) {
        (Some(event), _) if back => event,
        (Some(event), _) => event.saturating_add(1),
        (None, Some(time)) if back || asked.flag("first") => before(time),
        (None, Some(time)) => before(time.saturating_add(1)),
        (None, None) => return (None, true),
    };
    if event.is_none() && !is_whole && from >= index.times.len() {
        return (None, false);
    }
    match back {
        true if from <= hits.looked_at || is_over => (hits.last(from), true),
        true => (None, false),
        false => {
            let hit = hits.next(from);
            (hit, hit.is_some() || is_over)
        }
    }
}

/// The row that has an event as its state, where rows are tracks.
fn row(index: &Index, event: usize, time: i64) -> Option<usize> {
    let name = index.alphabet.name(Symbol(u32::from(*index.names.all().get(event)?)));
    let is_it = |row: &analyses::timeline::Row| {
        let at = row.lane.index_at(time).and_then(|at| row.lane.get(at));
        row.kind == RowKind::Track
            && at.is_some_and(|(from, state, _)| {
                let names = index.states.all.get(usize::from(state)).map(|state| state.names.as_slice());
                from == time && names.is_some_and(|names| names == [name])
            })
    };
    index.rows.iter().position(is_it)
}
