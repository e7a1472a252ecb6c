//! The table of sections: tests, requests and tasks that ran, and marks.

use std::path::Path;

use super::{Column, IsIncomplete, Kind, Rows};
use crate::exit::Result;
use crate::reports::SectionReport;
use crate::warn::warn_of;
use crate::{recordings, sections};

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("kind", Kind::Text, "`test`, `request`, `task` or `mark`"),
        Column::new(
            "name",
            Kind::Text,
            "the method that it is called after, with its class; of a mark its text",
        ),
        Column::new("thread", Kind::Text, "what its thread is called; empty for marks"),
        Column::new(
            "outcome",
            Kind::Text,
            "`returned`, `threw`, `open` (it had not ended) or `unknown` (its end was lost); empty for marks",
        ),
        Column::new("file", Kind::Text, "where an exception left it: the source file"),
        Column::new("line", Kind::Count, "and the line"),
        Column::new("begin", Kind::Moment, "when it began, at the earliest"),
        Column::new("length", Kind::Count, "how long it took, ns; of a mark the time to the next one"),
        Column::new("within", Kind::Count, "how far the true length may be from that, ns"),
        Column::new("waiting", Kind::Count, "how much of it its thread was on no processor, ns"),
        Column::new("blocks", Kind::Count, "blocks that ran in it"),
        Column::new("calls", Kind::Count, "calls that were made in it"),
        Column::new("gaps", Kind::Count, "how many times something was lost in it"),
        Column::new(
            "origin",
            Kind::Text,
            "of a task: the section that handed it over, as `calls --section` takes it, where that is known",
        ),
    ]
}

pub(super) fn fill(input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let recording = recordings::open(input)?;
    let recording = recording.as_ref();
    let is_incomplete = warn_of(input, recording);
    let all = sections::of(recording, |_| true, true);
    let unsigned = |ns: Option<i64>| ns.map(|ns| ns.max(0).cast_unsigned());
    for one in SectionReport::all(recording, &all) {
        rows.row(&[
            one.kind.name().into(),
            one.name.as_str().into(),
            one.thread.as_deref().into(),
            one.outcome.map(|outcome| outcome.name()).into(),
            one.at.as_ref().and_then(|at| at.file.as_deref()).into(),
            one.at.as_ref().and_then(|at| at.line).map(u32::from).into(),
            one.begin.map(model::Timestamp).into(),
            unsigned(one.length).into(),
            unsigned(one.within).into(),
            unsigned(one.waiting).into(),
            one.blocks.into(),
            one.calls.into(),
            one.gaps.into(),
            one.handed_over.as_ref().and_then(|from| from.section.as_deref()).into(),
        ])?;
    }
    Ok(is_incomplete)
}
