//! `/api/play/method`: the text of a method as a bubble shows it, row by row, with the blocks of each row.
//!
//! The rows are lines of the source where that is found, else its byte code, line by line.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use model::code::{Block, BlockId, Ending, Method, MethodId};
use viewer::Reply;
use viewer::api::play::{CallSite, Method as Answer, MethodLoop, TextRow};
use viewer::api::{Handled, Parameters};

use super::recording::Recording;
use super::{bad, bytecode, ready};
use crate::serve::session::Session;

/// Rows of a method, and bytes of a row.
const ROWS: usize = 3000;
const BYTES: usize = 500;
/// How far above its first line with code the head of a method is looked for.
const HEAD: u32 = 12;

/// The text of a method.
#[derive(Debug, Default)]
pub(in crate::serve) struct View {
    pub(in crate::serve) is_source: bool,
    pub(in crate::serve) rows: Vec<Row>,
}

/// One row of it.
#[derive(Debug, Default, Clone)]
pub(in crate::serve) struct Row {
    /// Its line in the source; 0 where that is not known.
    pub(in crate::serve) line: u32,
    pub(in crate::serve) text: String,
    /// The blocks with code of this row.
    pub(in crate::serve) blocks: Vec<BlockId>,
}

impl View {
    /// The view of a method; made once.
    pub(in crate::serve) fn of(recording: &Recording, id: MethodId) -> Arc<View> {
        let views = || recording.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = views().get(&id) {
            return view.clone();
        }
        let view = Arc::new(View::read(recording, id));
        views().insert(id, view.clone());
        view
    }

    fn read(recording: &Recording, id: MethodId) -> View {
        let Some(method) = recording.code.method(id) else { return View::default() };
        let rows = match recording.sources.lines(&recording.code, method.class) {
            Some(lines) => from_source(method, &lines, recording.names(id)),
            None => None,
        };
        match rows {
            Some(rows) => View { is_source: true, rows },
            None => View { is_source: false, rows: bytecode::rows(recording, method) },
        }
    }
}

/// The lines from the head of the method to its last; `None` if the source does not reach that far.
fn from_source(method: &Method, lines: &[String], (class, name): (&str, &str)) -> Option<Vec<Row>> {
    let mut blocks: BTreeMap<u32, Vec<BlockId>> = BTreeMap::new();
    for (block, id) in method.blocks.iter().zip(0..) {
        for &line in &block.lines {
            let known = blocks.entry(u32::from(line)).or_default();
            if known.last() != Some(&id) {
                known.push(id);
            }
        }
    }
    let (first, last) = (*blocks.keys().next()?, *blocks.keys().next_back()?);
    let text = |line: u32| lines.get(line.checked_sub(1)? as usize).map(String::as_str);
    text(last)?;
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    let head = match name {
        "<init>" => format!("{simple}("),
        "<clinit>" => "static".to_owned(),
        name => format!("{name}("),
    };
    let is_head = |line: &u32| text(*line).is_some_and(|text| text.contains(&head));
    // A lambda and a generated method have no head of their own.
    let first = match name.starts_with("lambda$") {
        true => first,
        false => (first.saturating_sub(HEAD).max(1)..=first).rev().find(is_head).unwrap_or(first),
    };
    // The brace that closes the method stands below its head; another one closes the class.
    let indent = |text: &str| text.len() - text.trim_start().len();
    let head_indent = text(first).map(indent);
    let closes = text(last + 1).is_some_and(|text| text.trim() == "}" && Some(indent(text)) == head_indent);
    let last = if closes && !name.starts_with("lambda$") { last + 1 } else { last };
    let rows = (first..=last).take(ROWS).map(|line| Row {
        line,
        text: cut(text(line).unwrap_or("")),
        blocks: blocks.remove(&line).unwrap_or_default(),
    });
    Some(without_indent(rows.collect()))
}

/// Tabs become spaces, and what all rows are indented by goes.
fn without_indent(mut rows: Vec<Row>) -> Vec<Row> {
    for row in &mut rows {
        row.text = row.text.replace('\t', "    ");
    }
    let indent = |row: &Row| row.text.len() - row.text.trim_start_matches(' ').len();
    let least = rows.iter().filter(|row| !row.text.trim().is_empty()).map(indent).min().unwrap_or(0);
    for row in &mut rows {
        row.text = row.text.get(least..).unwrap_or("").trim_end().to_owned();
    }
    rows
}

/// At most so many bytes, cut between characters.
pub(in crate::serve) fn cut(text: &str) -> String {
    let mut end = text.len().min(BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Answer> {
    let recording = ready(session)?;
    let Some(id) = asked.number("id").map(MethodId) else { return Err(bad()) };
    let Some(method) = recording.code.method(id) else {
        return Err(Reply::refusal(404, "There is no such method.\n"));
    };
    let view = View::of(&recording, id);
    let (class, name) = recording.owned_names(id);
    let row = |row: &Row| TextRow { line: row.line, text: row.text.clone(), blocks: row.blocks.clone() };
    let call = |(block, id): (&Block, BlockId)| match &block.ending {
        Ending::Call(site) => {
            Some(CallSite { block: id, class: site.class.clone(), name: site.name.clone() })
        }
        _ => None,
    };
    Ok(Answer {
        id: id.0,
        class,
        name,
        descriptor: method.descriptor.clone(),
        file: recording.code.class(method.class).and_then(|class| class.source_file.clone()),
        source: view.is_source,
        rows: view.rows.iter().map(row).collect(),
        blocks: method.blocks.iter().map(|block| block.lines.to_vec()).collect(),
        loops: method
            .loops
            .iter()
            .map(|one| MethodLoop { head: one.head, blocks: one.blocks.clone() })
            .collect(),
        calls: method.blocks.iter().zip(0..).filter_map(call).collect(),
    })
}
