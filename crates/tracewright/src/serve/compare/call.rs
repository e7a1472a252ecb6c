//! `/api/compare/call`: the methods of one row, line by line, with how often each line ran in the two calls.

use analyses::diff::matches;
use analyses::replay::{Kind, NodeId};
use model::code::BlockId;
use viewer::Reply;
use viewer::api::compare::{ComparedCall, ComparedLine, CountedLine};
use viewer::api::{Handled, Parameters};

use crate::serve::play::bad;
use crate::serve::play::method::View;
use crate::serve::play::recording::Recording;
use crate::serve::session::Session;

/// Lines without a counterpart up to which lines are matched by their text.
const MOST: usize = 2000;

/// The lines of one side and whether they are source.
struct Lines {
    is_source: bool,
    lines: Vec<CountedLine>,
}

pub(super) fn answer(session: &Session, parameters: &Parameters<'_>) -> Handled<ComparedCall> {
    let (compared, pair, _) = super::asked(session, parameters)?;
    let Some(number) = parameters.number::<u64>("row") else { return Err(bad()) };
    let Some(row) = compared.rows.row(pair, number) else {
        return Err(Reply::refusal(404, "There is no such row.\n"));
    };
    let paths = compared.paths(pair, &row);
    let sides = [0, 1].map(|side: usize| {
        let node = paths[side].as_ref()?.steps.last()?.node;
        lines_of(&compared.sides[side].recording, node)
    });
    let is_source = sides.iter().flatten().all(|side| side.is_source);
    let lines = match sides {
        [Some(one), Some(other)] => beside(one.lines, other.lines),
        [Some(one), None] => one
            .lines
            .into_iter()
            .map(|line| ComparedLine { differs: false, a: Some(line), b: None })
            .collect(),
        [None, Some(other)] => other
            .lines
            .into_iter()
            .map(|line| ComparedLine { differs: false, a: None, b: Some(line) })
            .collect(),
        [None, None] => vec![],
    };
    Ok(ComparedCall { verdict: super::verdict(row.verdict), source: is_source, lines })
}

/// The lines of the method of a call.
fn lines_of(recording: &Recording, call: NodeId) -> Option<Lines> {
    let Kind::Frame { method, .. } = recording.replay.kind(call) else { return None };
    let view = View::of(recording, method);
    let counts = recording.with_counts(|counts| counts.of_node(&recording.replay, call));
    let ran = |block: &BlockId| {
        let found = counts.iter().find(|(ran, _)| ran == block);
        found.map_or(0, |(_, times)| *times)
    };
    let lines = view.rows.iter().map(|row| CountedLine {
        line: row.line,
        text: row.text.clone(),
        // A line of several blocks ran as often as the one that ran most.
        times: row.blocks.iter().map(ran).max(),
    });
    Some(Lines { is_source: view.is_source, lines: lines.collect() })
}

/// The lines of both, those of equal text beside each other.
fn beside(one: Vec<CountedLine>, other: Vec<CountedLine>) -> Vec<ComparedLine> {
    let texts = |lines: &[CountedLine]| lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    let equal = matches(&texts(&one), &texts(&other), MOST).unwrap_or_default();
    let (mut one, mut other) =
        (one.into_iter().enumerate().peekable(), other.into_iter().enumerate().peekable());
    let mut lines = vec![];
    for (x, y) in equal.into_iter().chain([(usize::MAX, usize::MAX)]) {
        while let Some((_, line)) = one.next_if(|(at, _)| *at < x) {
            let differs = line.times.is_some_and(|times| times > 0);
            lines.push(ComparedLine { differs, a: Some(line), b: None });
        }
        while let Some((_, line)) = other.next_if(|(at, _)| *at < y) {
            let differs = line.times.is_some_and(|times| times > 0);
            lines.push(ComparedLine { differs, a: None, b: Some(line) });
        }
        if let (Some((_, a)), Some((_, b))) = (one.next(), other.next()) {
            lines.push(ComparedLine { differs: a.times != b.times, a: Some(a), b: Some(b) });
        }
    }
    lines
}
