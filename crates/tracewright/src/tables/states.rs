//! The table of states.

use std::path::Path;

use inference::Value;

use super::{Asked, Cell, Column, IsIncomplete, Kind, Rows};
use crate::cli::{self, machines};
use crate::exit::Result;
use crate::states::find;

/// The model unless one is named: the one whose states the founding text shows.
const MODEL: &str = "kernel-2018";

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("attribute", Kind::Text, "the path of the attribute, with `/` between its parts"),
        Column::new("from", Kind::Moment, "since when"),
        Column::new("to", Kind::Moment, "up to when: where the next state begins or the trace ends"),
        Column::new("value", Kind::Text, "the value as text; states without a value are left out"),
        Column::new("integer", Kind::Number, "the value where it is a whole number"),
        Column::new("double", Kind::Real, "the value where it is another number"),
    ]
}

pub(super) fn fill(asked: &Asked<'_>, input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let options = machines::States {
        trace: cli::Trace { input: input.to_owned(), allow_loss: true },
        model: asked.model.unwrap_or(MODEL).to_owned(),
        analysis: None,
        attribute: vec![],
        unset: false,
        json: false,
        limit: 0,
        all: true,
    };
    let (found, is_incomplete) = find(&options)?;
    for attribute in &found.attributes {
        let path = attribute.path.join("/");
        for (from, to, value) in found.states(attribute) {
            let (text, integer, double) = match value {
                Value::Null => continue,
                Value::Int(number) => (number.to_string(), Cell::Number(number.into()), Cell::Empty),
                Value::Long(number) => (number.to_string(), Cell::Number(number), Cell::Empty),
                Value::Double(number) => (number.to_string(), Cell::Empty, Cell::Real(number)),
                Value::Text(text) => (found.engine.texts().get(text).to_owned(), Cell::Empty, Cell::Empty),
            };
            let [from, to] = [from, to].map(Cell::Moment);
            rows.row(&[Cell::Text(&path), from, to, Cell::Text(&text), integer, double])?;
        }
    }
    Ok(is_incomplete)
}
