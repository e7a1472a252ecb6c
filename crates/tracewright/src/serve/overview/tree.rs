//! The lines inside a line, by its number. They are cached; evicted ones are computed again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use analyses::calls::{Inside, Options, Report};
use model::code::{BlockId, MethodId};

use super::line::{Level, Lines};
use super::{Part, roots};
use crate::serve::play::recording::Recording;
use crate::views::code_names::{comes_round, line_key};

/// Bytes of the number of a line: about 2000 levels.
const BYTES: usize = 8000;
/// Lines and nodes that are cached.
const REMEMBERED: usize = 2_000_000;

/// The lines computed so far, by the number of the line around them.
#[derive(Debug, Default)]
pub(super) struct Levels(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    levels: HashMap<String, Arc<Level>>,
    size: usize,
}

impl Levels {
    fn get(&self, id: &str) -> Option<Arc<Level>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).levels.get(id).cloned()
    }

    fn keep(&self, id: &str, level: &Arc<Level>) {
        let nodes = level.insides.iter().flatten().map(|inside| inside.nodes().count());
        let size = 1 + level.lines.len() + nodes.sum::<usize>();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.size.saturating_add(size) > REMEMBERED {
            *known = Known::default();
        }
        known.size += size;
        known.levels.insert(id.to_owned(), level.clone());
    }
}

/// Gives a report that folds as `calls` does.
pub(super) fn with_report<T>(recording: &Recording, ask: impl FnOnce(&mut Report<'_>) -> T) -> T {
    let lines = |method: MethodId, block: BlockId| line_key(&recording.code, method, block);
    let comes_round = |method, index, block| comes_round(&recording.code, method, index, block);
    let options = Options { lines: Some(&lines), comes_round: Some(&comes_round), ..Options::default() };
    let mut report = Report::new(&recording.replay, &recording.blocks, &recording.calls, options);
    ask(&mut report)
}

/// The lines inside a line; `None`: there is no such line, or nothing is inside it.
pub(super) fn level(part: &Part, recording: &Recording, id: &str) -> Option<Arc<Level>> {
    if id.len() > BYTES {
        return None;
    }
    let ends = id.match_indices('.').map(|(at, _)| at).chain([id.len()]);
    let mut around: Option<Arc<Level>> = None;
    for end in ends {
        let prefix = id.get(..end)?;
        let level = match part.levels.get(prefix) {
            Some(level) => level,
            None => {
                let level = match &around {
                    Some(around) => {
                        let number = prefix.rsplit('.').next()?.parse::<usize>().ok()?;
                        level_inside(recording, prefix, around.insides.get(number)?.as_ref()?)
                    }
                    None => outermost(part, recording, prefix)?,
                };
                let level = Arc::new(level);
                part.levels.keep(prefix, &level);
                level
            }
        };
        around = Some(level);
    }
    around
}

/// The content of each line around one, the outermost first, and of the line itself; for all calls of a method, as
/// `m17`, these.
pub(super) fn chain(part: &Part, recording: &Recording, id: &str) -> Option<Vec<Inside>> {
    let mut chain = vec![];
    match id.split_once('.').map_or(id, |(first, _)| first) {
        first if first.starts_with('k') => {
            let kind = part.kinds(recording).get(number(first)?)?;
            match kind.shapes.as_slice() {
                [(_, only)] => chain.push(only.clone()),
                _ if id == first => chain.extend(kind.shapes.first().map(|(_, inside)| inside.clone())),
                _ => {}
            }
        }
        first => chain.push(calls(recording, MethodId(u32::try_from(number(first)?).ok()?))?.1),
    }
    for (at, _) in id.match_indices('.') {
        let (around, rest) = (id.get(..at)?, id.get(at + 1..)?);
        let number = rest.split('.').next()?.parse::<usize>().ok()?;
        let level = level(part, recording, around)?;
        // What has nothing inside ran in what is around it.
        chain.extend(level.insides.get(number)?.clone());
    }
    Some(chain)
}

fn number(first: &str) -> Option<usize> {
    first.get(1..)?.parse().ok()
}

fn level_inside(recording: &Recording, prefix: &str, inside: &Inside) -> Level {
    let mut lines = Lines::new(recording, prefix);
    with_report(recording, |report| report.inside(inside, &mut lines));
    lines.finish()
}

/// Of a kind of thread, as `k0`, or of all calls of a method, as `m17`.
fn outermost(part: &Part, recording: &Recording, id: &str) -> Option<Level> {
    if id.starts_with('m') {
        let method = MethodId(u32::try_from(number(id)?).ok()?);
        return Some(level_inside(recording, id, &calls(recording, method)?.1));
    }
    let kind = id.starts_with('k').then(|| part.kinds(recording).get(number(id)?))??;
    match kind.shapes.as_slice() {
        [(_, only)] => Some(level_inside(recording, id, only)),
        shapes => Some(Level {
            lines: shapes.iter().map(|(line, _)| line.clone()).collect(),
            insides: shapes.iter().map(|(_, inside)| Some(inside.clone())).collect(),
            is_cut: false,
        }),
    }
}

/// The line of all calls of a method, and what is inside.
pub(super) fn calls(
    recording: &Recording,
    method: MethodId,
) -> Option<(viewer::api::overview::FoldedLine, Inside)> {
    let mut lines = Lines::new(recording, "m");
    with_report(recording, |report| {
        report.methods(&roots(recording), &|asked| asked == method, &mut lines);
    });
    let Level { lines, insides, .. } = lines.finish();
    Some((lines.into_iter().next()?, insides.into_iter().next()??))
}
