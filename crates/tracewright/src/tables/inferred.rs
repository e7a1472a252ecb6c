//! The table of inferred events, with how sure each of them is.

use std::path::Path;

use model::Scalar;
use serde_json::{Map, Value};

use super::incoherences::answer;
use super::{Asked, Cell, Column, IsIncomplete, Kind, Rows};
use crate::engines::Wanted;
use crate::exit::Result;

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("time", Kind::Moment, "a moment in the interval, for drawing"),
        Column::new("from", Kind::Moment, "when at the earliest"),
        Column::new("to", Kind::Moment, "when at the latest"),
        Column::new("name", Kind::Text, "what it is called"),
        Column::new("cpu", Kind::Count, "the CPU"),
        Column::new("machine", Kind::Text, "the machine that it is concluded by"),
        Column::new("instance", Kind::Text, "of which thing: a thread, a CPU"),
        Column::new(
            "evidence",
            Kind::Text,
            "`only way` where nothing else fits what was recorded, else `inferred`",
        ),
        Column::new("probability", Kind::Real, "that there was such an event"),
        Column::new("reason", Kind::Text, "why it is concluded"),
        Column::new("fields", Kind::Text, "the most probable value of each field, as a JSON object"),
        Column::new("loss", Kind::Count, "the number, from 0, of the declared loss in which it lies"),
    ]
}

pub(super) fn fill(asked: &Asked<'_>, input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let (answer, is_incomplete) = answer(asked, input, Wanted::Infer)?;
    for event in &answer.inferred {
        let mut fields = Map::new();
        for field in &event.fields {
            let value = match &field.value {
                Some(Scalar::Number(number)) => Value::from(*number),
                Some(Scalar::Text(text)) => Value::from(text.as_str()),
                None => Value::Null,
            };
            fields.insert(field.name.clone(), value);
        }
        let fields = Value::Object(fields).to_string();
        rows.row(&[
            event.time.into(),
            event.key.from.into(),
            event.key.to.into(),
            event.key.name.as_str().into(),
            event.cpu.into(),
            (&*event.key.machine).into(),
            event.key.instance.as_str().into(),
            Cell::Text(if event.is_only_explanation { "only way" } else { "inferred" }),
            event.probability.filter(|number| number.is_finite()).into(),
            event.reason.as_deref().into(),
            Cell::Text(&fields),
            event.window.map(|window| window as u64).into(),
        ])?;
    }
    Ok(is_incomplete)
}
