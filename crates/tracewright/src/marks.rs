//! Marks of a recording: which ones an option means, and where they are.

use analyses::replay::{Measure, Replay, Thread};
use model::code::{BlockId, MethodId};
use model::{Cut, FlowSource};

use crate::exit::{Result, Stop};

/// Marks that are named where none was meant.
const NAMED: usize = 20;

/// What lies between the first mark called `from` and the first one behind it called `to`.
pub(crate) fn cut<'a>(
    recording: &'a dyn FlowSource,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<Cut<'a>> {
    let from = from.map(|text| find(recording, text, 0)).transpose()?;
    let after = from.map_or(0, |from| from as usize + 1);
    let to = to.map(|text| find(recording, text, after)).transpose()?;
    Ok(Cut::new(recording, from, to))
}

/// The first mark of this name that is not before `after`.
fn find(recording: &dyn FlowSource, text: &str, after: usize) -> Result<u32> {
    let marks = recording.marks();
    let found = marks.iter().zip(0..).skip(after).find(|(mark, _)| mark.text == text);
    if let Some((_, index)) = found {
        return Ok(index);
    }
    if marks.is_empty() {
        return Stop::failed("there are no marks in it; `tracewright mark PID TEXT` sets one".to_owned());
    }
    let names: Vec<&str> = marks.iter().take(NAMED).map(|mark| mark.text.as_str()).collect();
    let behind = match after {
        0 => String::new(),
        _ => format!(" after {:?}", marks.get(after - 1).map_or("", |mark| mark.text.as_str())),
    };
    Stop::failed(format!("no mark is called {text:?}{behind}; there are {}", names.join(", ")))
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
