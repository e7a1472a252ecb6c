//! Marks of a recording: which ones an option means, and where they are.

use std::collections::BTreeSet;

use analyses::replay::{Measure, Replay, Thread};
use model::code::{BlockId, MethodId};
use model::{Cut, FlowSource};

use crate::between::{Between, Place};
use crate::exit::{Result, Stop};
use crate::method_names::MethodNames;

/// Marks that are named where none was meant.
const NAMED: usize = 20;

/// Where an option says that something begins or ends.
pub(crate) enum Moment {
    /// A mark, by its index.
    Mark(u32),
    /// A line or a call, to which each thread comes by itself.
    Place(Place),
}

impl Moment {
    fn mark(&self) -> Option<u32> {
        match self {
            Moment::Mark(mark) => Some(*mark),
            Moment::Place(_) => None,
        }
    }

    fn place(self) -> Option<Place> {
        match self {
            Moment::Mark(_) => None,
            Moment::Place(place) => Some(place),
        }
    }
}

/// What `from` and `to` mean: the first of that name, and the next one behind it.
pub(crate) fn moments(
    recording: &dyn FlowSource,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<[Option<Moment>; 2]> {
    let from = from.map(|text| find(recording, text, 0)).transpose()?;
    let after = from.as_ref().and_then(Moment::mark).map_or(0, |from| from as usize + 1);
    let to = to.map(|text| find(recording, text, after)).transpose()?;
    Ok([from, to])
}

/// Whether one of them is a line or a call.
pub(crate) fn has_place(moments: &[Option<Moment>]) -> bool {
    moments.iter().flatten().any(|moment| matches!(moment, Moment::Place(_)))
}

/// What lies between the marks among these moments.
pub(crate) fn cut<'a>(recording: &'a dyn FlowSource, moments: &[Option<Moment>; 2]) -> Cut<'a> {
    let [from, to] = moments.each_ref().map(|moment| moment.as_ref().and_then(Moment::mark));
    Cut::new(recording, from, to)
}

/// What lies between the lines and calls among them.
pub(crate) fn between(recording: &dyn FlowSource, moments: [Option<Moment>; 2]) -> Between<'_> {
    let [from, to] = moments.map(|moment| moment.and_then(Moment::place));
    Between::new(recording, from, to)
}

/// The first mark of this name that is not before `after`, else the line or the method.
fn find(recording: &dyn FlowSource, text: &str, after: usize) -> Result<Moment> {
    let marks = recording.marks();
    let found = marks.iter().zip(0..).skip(after).find(|(mark, _)| mark.text == text);
    if let Some((_, index)) = found {
        return Ok(Moment::Mark(index));
    }
    let is_mark = marks.iter().any(|mark| mark.text == text);
    if let Some(place) = line(recording, text).or_else(|| method(recording, text)).filter(|_| !is_mark) {
        return Ok(Moment::Place(place));
    }
    if marks.is_empty() {
        return Stop::failed(format!(
            "no recorded line (Oven.java:14) or method is called {text:?}, and there are no marks; `tracewright mark PID TEXT` sets one"
        ));
    }
    let names: Vec<&str> = marks.iter().take(NAMED).map(|mark| mark.text.as_str()).collect();
    let behind = match after {
        0 => String::new(),
        _ => format!(" after {:?}", marks.get(after - 1).map_or("", |mark| mark.text.as_str())),
    };
    Stop::failed(format!(
        "no mark, recorded line (Oven.java:14) or method is called {text:?}{behind}; marks are {}",
        names.join(", ")
    ))
}

/// The blocks of a line, `File.java:12`, also with folders before the file.
fn line(recording: &dyn FlowSource, text: &str) -> Option<Place> {
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
    (!blocks.is_empty()).then_some(Place::Blocks(blocks))
}

/// The methods of this name.
fn method(recording: &dyn FlowSource, text: &str) -> Option<Place> {
    let code = recording.code();
    let methods: BTreeSet<MethodId> = MethodNames::new(&[text.to_owned()]).of(code).into_iter().collect();
    (!methods.is_empty()).then_some(Place::Calls(methods))
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
