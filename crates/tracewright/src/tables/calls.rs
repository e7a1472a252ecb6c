//! The table of calls: who called whom from which line, how often, by thread.

use std::collections::HashMap;
use std::path::Path;

use model::flow::Left;
use model::{BlockId, FlowStep, MethodId};

use super::{Column, IsIncomplete, Kind, Rows};
use crate::exit::{Result, Stop};
use crate::views::code_names;
use crate::warn::warn_of;
use crate::{process, recordings};

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("thread", Kind::Text, "what the thread is called"),
        Column::new("serial", Kind::Count, "the recorder's number of the thread"),
        Column::new("caller_class", Kind::Text, "empty: nothing recorded called it"),
        Column::new("caller_method", Kind::Text, "the method that called, or in which a library was called"),
        Column::new("caller_line", Kind::Count, "the line from which it did"),
        Column::new("class", Kind::Text, "the class of the method that was called"),
        Column::new("method", Kind::Text, "its name"),
        Column::new("descriptor", Kind::Text, "its parameters and result as the class file has them"),
        Column::new("file", Kind::Text, "its source file"),
        Column::new("calls", Kind::Count, "how often it was called so"),
        Column::new("threw", Kind::Count, "how many of those calls an exception ended"),
        Column::new("blocks", Kind::Count, "blocks that ran in those calls, those of further calls left out"),
    ]
}

/// A caller and the line, and the method called.
type Edge = (Option<(MethodId, Option<u16>)>, MethodId);

#[derive(Default)]
struct Counts {
    calls: u64,
    threw: u64,
    blocks: u64,
}

/// A frame that is open.
struct Frame {
    method: MethodId,
    last: Option<BlockId>,
    edge: Edge,
}

pub(super) fn fill(input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let recording = recordings::open(input)?;
    let recording = recording.as_ref();
    let is_incomplete = warn_of(input, recording);
    let code = recording.code();
    for (at, thread) in recording.threads().iter().enumerate() {
        if process::is_over() {
            return Err(Stop::Unread);
        }
        let mut counts: HashMap<Edge, Counts> = HashMap::new();
        let mut order: Vec<Edge> = vec![];
        let mut frames: Vec<Frame> = vec![];
        let mut flow = recording.flow(at);
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, .. } => {
                    let line = |frame: &Frame| {
                        let block = frame.last?;
                        code_names::last_line(code.method(frame.method)?, block)
                    };
                    let edge = (frames.last().map(|frame| (frame.method, line(frame))), method);
                    let counted = counts.entry(edge).or_insert_with(|| {
                        order.push(edge);
                        Counts::default()
                    });
                    counted.calls += 1;
                    frames.push(Frame { method, last: None, edge });
                }
                FlowStep::Blocks { blocks, times } => {
                    let Some(frame) = frames.last_mut() else { continue };
                    frame.last = blocks.last().copied().or(frame.last);
                    if let Some(counted) = counts.get_mut(&frame.edge) {
                        counted.blocks += times.saturating_mul(blocks.len() as u64);
                    }
                }
                FlowStep::Catch { block } => {
                    let Some(frame) = frames.last_mut() else { continue };
                    frame.last = Some(block);
                    if let Some(counted) = counts.get_mut(&frame.edge) {
                        counted.blocks += 1;
                    }
                }
                FlowStep::Leave { how } => {
                    let left = frames.pop();
                    if let Some(counted) = left.and_then(|frame| counts.get_mut(&frame.edge)) {
                        counted.threw += u64::from(how == Left::Threw);
                    }
                }
                FlowStep::Gap { .. }
                | FlowStep::Inferred { .. }
                | FlowStep::Observed
                | FlowStep::Moment(_)
                | FlowStep::Clock(_)
                | FlowStep::Mark(_)
                | FlowStep::Values(_)
                | FlowStep::Task(_) => {}
            }
        }
        for edge in order {
            let (caller, method) = edge;
            let counted = counts.remove(&edge).unwrap_or_default();
            let name = |method: MethodId| code.method(method).map(|method| method.name.as_str());
            let about = code.method(method);
            rows.row(&[
                thread.name.as_str().into(),
                thread.serial.into(),
                caller.map(|(caller, _)| code_names::class(code, caller)).into(),
                caller.and_then(|(caller, _)| name(caller)).into(),
                caller.and_then(|(_, line)| line).map(u32::from).into(),
                code_names::class(code, method).into(),
                name(method).into(),
                about.map(|about| about.descriptor.as_str()).into(),
                code_names::file(code, method).into(),
                counted.calls.into(),
                counted.threw.into(),
                counted.blocks.into(),
            ])?;
        }
    }
    Ok(is_incomplete)
}
