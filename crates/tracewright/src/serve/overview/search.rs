//! One search over all threads: what is written on the page finds itself.

use std::cmp::Reverse;

use analyses::calls::{CallGraph, Work};
use analyses::replay::NodeId;
use model::code::{BlockId, MethodId};
use rustc_hash::FxHashMap;
use viewer::Reply;
use viewer::api::overview::{FoldedLine, Hit, HitKind, SearchResult, SearchResults};
use viewer::api::{Handled, Parameters};

use super::names::{class, is_name, is_written, place, title};
use super::place::owner;
use super::{methods, threads};
use crate::escape::plain;
use crate::serve::play::method::View;
use crate::serve::play::recording::Recording;
use crate::serve::play::{bad, ready};
use crate::serve::session::Session;

/// Bytes of a query, and results of a kind.
const BYTES: usize = 200;
const HITS: usize = 200;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<SearchResults> {
    let recording = ready(session)?;
    let Some(query) = asked.text("query") else { return Err(bad()) };
    if query.len() > BYTES {
        return Err(Reply::refusal(400, "A search has at most 200 bytes.\n"));
    }
    let query = query.trim().to_lowercase();
    let graph = session.overview.graph(&recording);
    if query.is_empty() {
        return Ok(SearchResults { results: vec![] });
    }
    let results = match asked.flag("source") {
        true => vec![source(&recording, graph, &query)],
        false => {
            let lines = session.overview.kinds(&recording).iter();
            let lines = lines
                .flat_map(|kind| std::iter::once(&kind.line).chain(kind.shapes.iter().map(|(line, _)| line)));
            let lines: Vec<&FoldedLine> = lines.collect();
            vec![
                of_threads(&recording, &lines, &query),
                marks(&recording, &query),
                packages(&recording, graph, &query),
                of_methods(&recording, graph, &query),
                values(&recording, &query),
            ]
        }
    };
    Ok(SearchResults { results: results.into_iter().filter(|one| one.total > 0).collect() })
}

fn result(kind: HitKind, hits: Vec<Hit>) -> SearchResult {
    sorted(kind, hits, |_| false)
}

/// Those that are exactly what was asked for come first, then the most work.
fn sorted(kind: HitKind, mut hits: Vec<Hit>, is_exact: impl Fn(&Hit) -> bool) -> SearchResult {
    let total = hits.len();
    hits.sort_by_cached_key(|hit| {
        (Reverse((is_exact(hit), hit.blocks, hit.times)), hit.title.clone(), hit.beside.clone())
    });
    hits.truncate(HITS);
    SearchResult { kind, total, hits }
}

fn hit(title: String, beside: String) -> Hit {
    Hit { title, beside, method: None, line: None, thread: None, at: None, times: 0, blocks: 0 }
}

fn of_threads(recording: &Recording, lines: &[&FoldedLine], query: &str) -> SearchResult {
    let kinds = lines.iter().filter(|line| line.title.to_lowercase().contains(query)).map(|line| Hit {
        line: Some(line.id.clone()),
        times: line.times,
        blocks: line.blocks,
        ..hit(line.title.clone(), line.note.clone())
    });
    let mut hits: Vec<Hit> = kinds.collect();
    for thread in &recording.replay.threads {
        let name = plain(threads::name(recording, thread)).into_owned();
        if name.to_lowercase().contains(query) && !hits.iter().any(|hit| hit.title == name) {
            hits.push(Hit {
                thread: Some(thread.serial),
                at: Some(0),
                times: 1,
                blocks: recording.total(thread.root),
                ..hit(name, String::new())
            });
        }
    }
    result(HitKind::Thread, hits)
}

fn marks(recording: &Recording, query: &str) -> SearchResult {
    let marks = recording.replay.threads.iter().flat_map(|thread| {
        thread.marks.iter().filter_map(move |&(at, index)| {
            let text = plain(recording.about.marks.get(index as usize)?).into_owned();
            let beside = plain(threads::name(recording, thread)).into_owned();
            text.to_lowercase().contains(query).then(|| Hit {
                thread: Some(thread.serial),
                at: Some(at),
                times: 1,
                ..hit(text, beside)
            })
        })
    });
    result(HitKind::Mark, marks.collect())
}

/// Calls in whose arguments or results the text is, in the order in which they ran.
fn values(recording: &Recording, query: &str) -> SearchResult {
    let (mut hits, mut total) = (vec![], 0);
    for thread in &recording.replay.threads {
        for (at, index) in &thread.values {
            let Some(values) = recording.about.values.get(*index as usize) else { continue };
            let shown = recording.shown_values(values);
            if !shown.to_lowercase().contains(query) {
                continue;
            }
            total += 1;
            if hits.len() < HITS {
                let (class, name) = recording.names(values.method);
                let beside = plain(&format!("{class}, {}", threads::name(recording, thread))).into_owned();
                let title = plain(&format!("{name}{shown}")).into_owned();
                // After its first block the call is the one that runs.
                let at = Some(at.saturating_add(1));
                hits.push(Hit { thread: Some(thread.serial), at, times: 1, ..hit(title, beside) });
            }
        }
    }
    SearchResult { kind: HitKind::Values, total, hits }
}

fn packages(recording: &Recording, graph: &CallGraph, query: &str) -> SearchResult {
    let all = methods::packages(recording, graph).into_iter();
    let found = all.filter(|one| one.package.to_lowercase().contains(query)).map(|one| Hit {
        times: one.calls,
        blocks: one.blocks,
        ..hit(one.package, String::new())
    });
    result(HitKind::Package, found.collect())
}

fn of_methods(recording: &Recording, graph: &CallGraph, query: &str) -> SearchResult {
    let query = query.strip_prefix("recursion of ").unwrap_or(query);
    let location_asked = query
        .rsplit_once(':')
        .and_then(|(file, lines)| Some((file, lines.split(['-', ',']).next()?.trim().parse::<u16>().ok()?)));
    let hits = |is_found: &dyn Fn(MethodId) -> bool| -> Vec<Hit> {
        let found = graph.methods.iter().filter(|&(&method, _)| is_found(method));
        let hit = |(&method, work): (&MethodId, &Work)| Hit {
            method: Some(method.0),
            times: work.calls,
            blocks: work.blocks,
            ..hit(title(recording, method), class(recording, method))
        };
        found.map(hit).collect()
    };
    let mut found = hits(&|method| match location_asked {
        Some((file, line)) => stands(recording, method, file, line),
        None => is_named(recording, method, query),
    });
    // Who does not know the names yet writes words of them.
    let words: Vec<&str> = query.split_whitespace().collect();
    if found.is_empty() && words.len() > 1 {
        found = hits(&|method| has_words(recording, method, &words));
    }
    let is_exact = |hit: &Hit| hit.method.is_some_and(|method| is_name(recording, MethodId(method), query));
    sorted(HitKind::Method, found, is_exact)
}

/// Whether all of the words are in the name of a method and its class.
fn has_words(recording: &Recording, method: MethodId, words: &[&str]) -> bool {
    let text = format!("{} {}", class(recording, method), title(recording, method)).to_lowercase();
    words.iter().all(|word| text.contains(word))
}

/// Whether a method has code on a line of a file.
fn stands(recording: &Recording, method: MethodId, file: &str, line: u16) -> bool {
    let Some(about) = recording.code.method(method) else { return false };
    let source = recording.code.class(about.class).and_then(|class| class.source_file.as_deref());
    let source = source.unwrap_or("").to_lowercase();
    let is_file = source == file || source.rsplit_once('.').is_some_and(|(stem, _)| stem == file);
    is_file && about.blocks.iter().any(|block| block.lines.contains(&line))
}

/// Whether a text is in one of the ways in which a method is written.
fn is_named(recording: &Recording, method: MethodId, query: &str) -> bool {
    let (owner, name) = recording.names(method);
    let has = |text: &str| text.to_lowercase().contains(query);
    is_written(recording, method, query)
        || has(&format!("{owner}.{name}"))
        || has(&place(recording, method, &[]))
}

/// Lines of source that ran and have the text.
fn source(recording: &Recording, graph: &CallGraph, query: &str) -> SearchResult {
    let mut found: FxHashMap<(MethodId, u32), (Vec<BlockId>, String)> = FxHashMap::default();
    for &method in graph.methods.keys() {
        for row in &View::of(recording, method).rows {
            if !row.blocks.is_empty() && row.text.to_lowercase().contains(query) {
                let one = found.entry((method, row.line)).or_insert_with(|| (vec![], row.text.clone()));
                one.0.extend(&row.blocks);
            }
        }
    }
    let ran = runs(recording, graph, &found);
    let hits = found.iter().filter_map(|(&(method, line), (blocks, text))| {
        let times = blocks.iter().filter_map(|block| ran.get(&(method, *block))).max().copied()?;
        let place = match line {
            0 => title(recording, method),
            line => format!("{}:{line}", place(recording, method, &[]).split(':').next().unwrap_or("")),
        };
        Some(Hit { method: Some(method.0), times, ..hit(plain(text.trim()).into_owned(), place) })
    });
    result(HitKind::Source, hits.collect())
}

/// How often blocks ran, in all threads; those that did.
fn runs(
    recording: &Recording,
    graph: &CallGraph,
    found: &FxHashMap<(MethodId, u32), (Vec<BlockId>, String)>,
) -> FxHashMap<(MethodId, BlockId), u64> {
    let mut asked: FxHashMap<(MethodId, BlockId), u64> = FxHashMap::default();
    for (&(method, _), (blocks, _)) in found {
        asked.extend(blocks.iter().map(|&block| ((method, block), 0)));
    }
    for node in (0..recording.replay.len() as u32).map(NodeId) {
        let (Some(owner), times) = (owner(recording.replay.kind(node)), graph.times_of(node)) else {
            continue;
        };
        for item in recording.replay.items(node).iter().filter(|_| times > 0) {
            if let Some(ran) = item.block().and_then(|block| asked.get_mut(&(owner, block))) {
                *ran = ran.saturating_add(times.saturating_mul(u64::from(item.times)));
            }
        }
    }
    asked.retain(|_, ran| *ran > 0);
    asked
}
