//! Where options begin and end a part of a recording, and where its marks are.

use std::collections::BTreeSet;

use analyses::replay::{Measure, Replay, Thread};
use model::code::{BlockId, MethodId};
use model::{Boundary, FlowSource};

use crate::exit::{Result, Stop};
use crate::method_names::MethodNames;

/// Marks that are named where none was meant.
const NAMED: usize = 20;

/// What `from` and `to` mean: the first of that name, and the next one after it.
pub(crate) fn boundaries(
    recording: &dyn FlowSource,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<[Option<Boundary>; 2]> {
    let from = from.map(|text| find(recording, text, 0)).transpose()?;
    let after = match from {
        Some(Boundary::Mark(mark)) => mark as usize + 1,
        _ => 0,
    };
    let to = to.map(|text| find(recording, text, after)).transpose()?;
    Ok([from, to])
}

/// The first mark of this name that is not before `after`, else the line or the method.
fn find(recording: &dyn FlowSource, text: &str, after: usize) -> Result<Boundary> {
    let marks = recording.marks();
    let found = marks.iter().zip(0..).skip(after).find(|(mark, _)| mark.text == text);
    if let Some((_, index)) = found {
        return Ok(Boundary::Mark(index));
    }
    let is_mark = marks.iter().any(|mark| mark.text == text);
    if let Some(found) = line(recording, text).or_else(|| method(recording, text)).filter(|_| !is_mark) {
        return Ok(found);
    }
    if marks.is_empty() {
        return Stop::failed(format!(
            "no recorded line (Oven.java:14) or method is called {text:?}, and there are no marks; `tracewright mark PID TEXT` sets one"
        ));
    }
    let names: Vec<&str> = marks.iter().take(NAMED).map(|mark| mark.text.as_str()).collect();
    let later = match after {
        0 => String::new(),
        _ => format!(" after {:?}", marks.get(after - 1).map_or("", |mark| mark.text.as_str())),
    };
    Stop::failed(format!(
        "no mark, recorded line (Oven.java:14) or method is called {text:?}{later}; marks are {}",
        names.join(", ")
    ))
}

/// The blocks of a line, `File.java:12`, also with folders before the file.
fn line(recording: &dyn FlowSource, text: &str) -> Option<Boundary> {
    let (file, line) = text.rsplit_once(':')?;
    let line: u16 = line.parse().ok()?;
    let file = file.rsplit('/').next().unwrap_or(file);
    let code = recording.code();
    let mut blocks = BTreeSet::new();
    for (method, id) in code.methods.iter().zip(0..) {
        if code.class(method.class).and_then(|class| class.source_file.as_deref()) != Some(file) {
            continue;
        }
        let all = method.blocks.iter().zip(0 as BlockId..);
        let of_line = all.filter(|(block, _)| block.lines.contains(&line));
        blocks.extend(of_line.map(|(_, block)| (MethodId(id), block)));
    }
    (!blocks.is_empty()).then_some(Boundary::Blocks(blocks))
}

/// The methods of this name.
fn method(recording: &dyn FlowSource, text: &str) -> Option<Boundary> {
    let code = recording.code();
    let methods: BTreeSet<MethodId> = MethodNames::new(&[text.to_owned()]).of(code).into_iter().collect();
    (!methods.is_empty()).then_some(Boundary::Calls(methods))
}

/// A mark in a thread.
pub(crate) struct MarkIn<'a> {
    /// Its name. From the user: escape it before showing.
    pub(crate) text: &'a str,
    /// How many blocks of the thread ran before.
    pub(crate) position: u64,
    /// The block that ran last before it, and the method that it is of.
    pub(crate) last: Option<(MethodId, BlockId)>,
}

/// The marks of a thread, in order.
pub(crate) fn of<'a>(
    recording: &'a dyn FlowSource,
    replay: &'a Replay,
    blocks: &'a Measure,
    thread: &'a Thread,
) -> impl Iterator<Item = MarkIn<'a>> {
    thread.marks.iter().filter_map(|&(position, index)| {
        let text = recording.marks().get(index as usize)?.text.as_str();
        let before = position.checked_sub(1).and_then(|last| replay.seek(thread.root, blocks, last));
        let last = before.and_then(|path| {
            let frame = replay.frames(blocks, &path).pop()?;
            Some((frame.method, replay.block(&path)?.0))
        });
        Some(MarkIn { text, position, last })
    })
}
