//! `/api/list/find`: the next or previous match of a search. `/api/play/until`: when a line runs next.
//!
//! ```text
//! Baker.java:12      blocks on line 12 of files of that name
//! text:flour         blocks on lines of source that hold the text
//! bake, new Oven     calls of methods whose name as the rows show it, or class without its package, holds the text
//! Oven.heat          the same of class and name together; with more dots also of the package
//! ```
//!
//! Capital letters make no difference. A package holds too many calls to be meant by a word.

use std::sync::Arc;

use analyses::replay::{Measure, NodeId, Path, Wanted};
use model::code::{BlockId, MethodId};
use rustc_hash::FxHashSet;
use viewer::Reply;
use viewer::api::list::Match;
use viewer::api::play::Until;
use viewer::api::{Handled, Parameters};

use super::list::{Filter, row_of};
use super::method::View;
use super::recording::{Recording, package};
use super::{bad, ready};
use crate::serve::overview::names::is_written;
use crate::serve::session::Session;

/// Bytes of a query.
const BYTES: usize = 200;

/// What a query stands for.
struct Matches {
    methods: FxHashSet<MethodId>,
    blocks: FxHashSet<(MethodId, BlockId)>,
}

impl Matches {
    fn of(recording: &Recording, query: &str) -> Matches {
        let mut found = Matches { methods: FxHashSet::default(), blocks: FxHashSet::default() };
        let query = query.trim().to_lowercase();
        if query.is_empty() {
            return found;
        }
        let line = query.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u16>().ok()?)));
        for (method, id) in recording.code.methods.iter().zip(0..).map(|(method, id)| (method, MethodId(id)))
        {
            let class = recording.code.class(method.class);
            if let Some((file, line)) = line {
                let named = class.and_then(|class| class.source_file.as_deref()).unwrap_or("").to_lowercase();
                if named == file || named.strip_suffix(".java") == Some(file) {
                    let blocks = method.blocks.iter().zip(0..);
                    let on_it = blocks.filter(|(block, _)| block.lines.contains(&line));
                    found.blocks.extend(on_it.map(|(_, block)| (id, block)));
                }
            } else if let Some(text) = query.strip_prefix("text:") {
                let view = View::of(recording, id);
                for row in view.rows.iter().filter(|row| row.text.to_lowercase().contains(text.trim())) {
                    found.blocks.extend(row.blocks.iter().map(|&block| (id, block)));
                }
            } else {
                let (class, name) = recording.names(id);
                let package = if query.contains('.') { 0 } else { package(class).len() };
                let whole = format!("{}.{name}", &class[package..]).to_lowercase();
                if whole.contains(&query) || is_written(recording, id, &query) {
                    found.methods.insert(id);
                }
            }
        }
        found
    }

    fn measure(&self, recording: &Recording, first_iterations: bool) -> Measure {
        let wants_block = |method, block| self.blocks.contains(&(method, block));
        let wanted = Wanted {
            frame: &|method| self.methods.contains(&method),
            block: (!self.blocks.is_empty()).then_some(&wants_block),
            first_iterations,
        };
        Measure::of(&recording.replay, &wanted)
    }
}

pub(super) fn find(session: &Session, asked: &Parameters<'_>) -> Handled<Match> {
    let recording = ready(session)?;
    let (Some(query), Some(at)) = (asked.text("query"), asked.number("at")) else { return Err(bad()) };
    let Some(root) = asked.number("thread").and_then(|thread| recording.root(thread)) else {
        return Err(bad());
    };
    if query.len() > BYTES {
        return Err(Reply::refusal(400, "A search has at most 200 bytes.\n"));
    }
    let back = asked.flag("back");
    let filter = Filter::of(asked);
    let name = format!("find {} {query}", filter.first_iterations);
    let measure = recording
        .measures
        .get(&name, || Matches::of(&recording, &query).measure(&recording, filter.first_iterations));
    let total = measure.of_node(root);
    // `after` and `at` name a row: the search goes on after it, or before it.
    let here = filter.measure(&recording);
    let from = recording.replay.select(root, &recording.blocks, &here, at);
    let rank = match &from {
        Some(path) => recording.replay.rank(&measure, path),
        None => 0,
    };
    let own = asked.number("position").and_then(|position| recording.seek(root, position));
    let rank = match &own {
        Some(path) => recording.replay.rank(&measure, path),
        None => rank,
    };
    let path = next(&recording, root, &measure, rank, back, own.as_ref().or(from.as_ref()));
    Ok(Match {
        total,
        index: path.as_ref().map(|(index, _)| *index),
        at: path.as_ref().map(|(_, path)| path.position),
        row: path.as_ref().and_then(|(_, path)| row_of(&recording, root, &here, path)),
    })
}

/// The match after or before `from`, wrapping around at the ends, and its number.
fn next(
    recording: &Recording,
    root: NodeId,
    measure: &Measure,
    rank: u64,
    back: bool,
    from: Option<&Path>,
) -> Option<(u64, Path)> {
    let total = measure.of_node(root);
    if total == 0 {
        return None;
    }
    let select = |index: u64| recording.replay.select(root, &recording.blocks, measure, index);
    let index = match back {
        true => rank.checked_sub(1).unwrap_or(total - 1),
        // Where we stand on a match the next one is wanted, not this one.
        false => match select(rank) {
            Some(path) if Some(&path) == from => rank + 1,
            _ => rank,
        },
    };
    let index = if index >= total { 0 } else { index };
    Some((index, select(index)?))
}

pub(super) fn until(session: &Session, asked: &Parameters<'_>) -> Handled<Until> {
    let recording = ready(session)?;
    let (Some(at), Some(method), Some(line)) =
        (asked.number::<u64>("at"), asked.number("method").map(MethodId), asked.number::<u64>("line"))
    else {
        return Err(bad());
    };
    let Some(root) = asked.number("thread").and_then(|thread| recording.root(thread)) else {
        return Err(bad());
    };
    let measure: Arc<Measure> = recording.measures.get(&format!("line {} {line}", method.0), || {
        let view = View::of(&recording, method);
        let blocks: FxHashSet<BlockId> = view
            .rows
            .iter()
            .filter(|row| u64::from(row.line) == line)
            .flat_map(|row| row.blocks.iter().copied())
            .collect();
        let wanted = Wanted {
            frame: &|_| false,
            block: Some(&|of, block| of == method && blocks.contains(&block)),
            first_iterations: false,
        };
        Measure::of(&recording.replay, &wanted)
    });
    let found = recording.seek(root, at.saturating_add(1)).and_then(|path| {
        let rank = recording.replay.rank(&measure, &path);
        recording.replay.select(root, &recording.blocks, &measure, rank)
    });
    Ok(Until { at: found.map(|path| path.position), total: measure.of_node(root) })
}
