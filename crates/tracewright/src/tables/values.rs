//! The table of values: calls of the methods whose values were kept.

use std::path::Path;

use super::{Column, IsIncomplete, Kind, Rows};
use crate::exit::Result;
use crate::parameter_names::ParameterNames;
use crate::recordings;
use crate::reports::{self, CallReport, ValueReport};
use crate::warn::warn_of;

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("method", Kind::Text, "what was called, with its class"),
        Column::new("descriptor", Kind::Text, "its descriptor, as the class file has it"),
        Column::new("thread", Kind::Text, "what the thread is called"),
        Column::new("begin", Kind::Moment, "when it was called"),
        Column::new("length", Kind::Count, "how long it took, ns; empty if its end is not known"),
        Column::new(
            "object",
            Kind::Text,
            "whose method it is, in JSON; empty for static methods and constructors",
        ),
        Column::new(
            "arguments",
            Kind::Text,
            "a JSON array of objects with `name` and `value`, as in `values --json`",
        ),
        Column::new("outcome", Kind::Text, "`returned`, `threw`, or `open` (its end is not known)"),
        Column::new("value", Kind::Text, "the result or the exception, in JSON; empty if there is none"),
    ]
}

pub(super) fn fill(input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let recording = recordings::open(input)?;
    let recording = recording.as_ref();
    let is_incomplete = warn_of(input, recording);
    let mut names = ParameterNames::default();
    let json = |value: Option<&ValueReport>| value.map(reports::json_text);
    for call in recording.values() {
        let call = CallReport::of(recording, call, &mut names);
        let (object, value) = (json(call.object.as_ref()), json(call.value.as_ref()));
        rows.row(&[
            call.method.as_str().into(),
            call.descriptor.as_str().into(),
            call.thread.as_deref().into(),
            model::Timestamp(call.begin).into(),
            call.length.into(),
            object.as_deref().into(),
            reports::json_text(&call.arguments).as_str().into(),
            call.outcome.into(),
            value.as_deref().into(),
        ])?;
    }
    Ok(is_incomplete)
}
