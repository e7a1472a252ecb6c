//! The table of blocks: which lines ran, how often.

use std::collections::BTreeMap;
use std::path::Path;

use model::{BlockId, FlowStep, MethodId};

use super::{Column, IsIncomplete, Kind, Rows};
use crate::exit::{Result, Stop};
use crate::views::code_names;
use crate::warn::warn_of;
use crate::{process, recordings};

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("class", Kind::Text, "the class"),
        Column::new("method", Kind::Text, "the method"),
        Column::new("descriptor", Kind::Text, "its parameters and result as the class file has them"),
        Column::new("file", Kind::Text, "its source file"),
        Column::new("block", Kind::Count, "the number of the block in its method, from 0"),
        Column::new("first_line", Kind::Count, "the first of its lines"),
        Column::new("last_line", Kind::Count, "the last of them"),
        Column::new(
            "lines",
            Kind::Text,
            "all of them; lines of other files that were inlined are in `inlined`",
        ),
        Column::new("count", Kind::Count, "how often it ran, in all threads"),
        Column::new("threads", Kind::Count, "how many threads ran it"),
        Column::new(
            "inlined",
            Kind::Text,
            "the lines of other files whose code a compiler put there, as `Lists.kt:7-9`",
        ),
    ]
}

pub(super) fn fill(input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let recording = recordings::open(input)?;
    let recording = recording.as_ref();
    let is_incomplete = warn_of(input, recording);
    // How often, by how many threads, and the last of those.
    let mut counts: BTreeMap<(MethodId, BlockId), (u64, u64, usize)> = BTreeMap::new();
    for at in 0..recording.threads().len() {
        if process::is_over() {
            return Err(Stop::Unread);
        }
        let mut frames: Vec<MethodId> = vec![];
        let mut count = |method: MethodId, block: BlockId, times: u64| {
            let counted = counts.entry((method, block)).or_insert((0, 0, usize::MAX));
            counted.0 = counted.0.saturating_add(times);
            counted.1 += u64::from(counted.2 != at);
            counted.2 = at;
        };
        let mut flow = recording.flow(at);
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, .. } => frames.push(method),
                FlowStep::Leave { .. } => drop(frames.pop()),
                FlowStep::Blocks { blocks, times } => {
                    let Some(&method) = frames.last() else { continue };
                    blocks.iter().for_each(|block| count(method, *block, times));
                }
                FlowStep::Catch { block } => {
                    if let Some(&method) = frames.last() {
                        count(method, block, 1);
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
    }
    let code = recording.code();
    for ((method, block), (count, threads, _)) in counts {
        let about = code.method(method);
        let lines = about.and_then(|about| about.blocks.get(block as usize)).map(|block| &*block.lines);
        let lines = lines.unwrap_or_default();
        let text = code_names::ranges(lines);
        let inlined = code_names::inlined_lines(code, method, &[block]);
        rows.row(&[
            code_names::class(code, method).into(),
            about.map(|about| about.name.as_str()).into(),
            about.map(|about| about.descriptor.as_str()).into(),
            code_names::file(code, method).into(),
            block.into(),
            lines.iter().min().map(|line| u32::from(*line)).into(),
            lines.iter().max().map(|line| u32::from(*line)).into(),
            Some(text.as_str()).filter(|text| !text.is_empty()).into(),
            count.into(),
            threads.into(),
            Some(inlined.as_str()).filter(|text| !text.is_empty()).into(),
        ])?;
    }
    Ok(is_incomplete)
}
