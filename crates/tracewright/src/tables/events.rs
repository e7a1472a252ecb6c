//! The table of events.

use std::path::{Path, PathBuf};

use formats::event_lines;
use model::{Event, FieldSink, Item, Scope, Value};

use super::{Asked, Cell, Column, IsIncomplete, Kind, Rows, Share};
use crate::exit::Result;
use crate::losses::Losses;
use crate::open::open;
use crate::pattern::Patterns;
use crate::warn::warn;

/// Events looked at in each input, and those among them with a name that was asked for, to see what they carry.
const MOST_SCANNED: usize = 200_000;
const SEEN: usize = 1_000;
/// Fields that get a column of their own; further ones stand in `fields`.
const FIELDS: usize = 200;

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("time", Kind::Moment, "when, on the clock of the trace"),
        Column::new("stream", Kind::Text, "the stream that it was recorded in"),
        Column::new("seq", Kind::Count, "its place in that stream, from 0"),
        Column::new("cpu", Kind::Count, "the CPU, where the tracer says so"),
        Column::new("name", Kind::Text, "what it is called"),
        Column::new(
            "fields",
            Kind::Text,
            "its fields as a JSON object; where fields have columns of their own, only of events for which those do not say all",
        ),
    ]
}

pub(super) fn fill(
    asked: &Asked<'_>,
    input: &Path,
    share: Share,
    rows: &mut dyn Rows,
) -> Result<IsIncomplete> {
    let mut source = asked.open(input)?;
    let (names, mut losses) = (Patterns::new(asked.names), Losses::default());
    let mut fields = OwnFields::new(&asked.fields);
    let mut writer = event_lines::FieldsJson::default();
    let mut number = 0;
    while let Some(item) = source.next_item() {
        // By reference: to move an event costs more than to read it.
        let event = match &item {
            Item::Gap(gap) => {
                losses.add(gap);
                continue;
            }
            Item::Event(event) => event,
        };
        if share.ends_before(number) {
            rows.end_block()?;
        }
        number += 1;
        if !share.has(number - 1) {
            continue;
        }
        let name = event.name();
        if !names.allow(name) {
            continue;
        }
        let are_all_reported = !asked.fields.is_empty() && fields.read(event);
        let json = if are_all_reported { None } else { Some(writer.write(event)) };
        let info = event.stream_info();
        let cpu = event.cpu.or(info.and_then(|info| info.cpu));
        let cells = [
            event.time.into(),
            info.map(|info| info.name.as_str()).into(),
            event.seq.into(),
            cpu.into(),
            name.into(),
            json.into(),
        ];
        match asked.fields.is_empty() {
            true => rows.row(&cells)?,
            false => rows.row(&cells.into_iter().chain(fields.cells()).collect::<Vec<_>>())?,
        }
    }
    Ok(share.is_first() && warn(input, losses.total, source.as_ref()))
}

/// The columns for what events with these names carry in the first of `inputs`.
pub(super) fn fields(names: &[String], inputs: &[PathBuf]) -> Vec<Column> {
    let names = Patterns::new(names);
    let mut found: Vec<(String, Option<Kind>)> = vec![];
    // Standard input cannot be read twice.
    for input in inputs.iter().filter(|input| input.as_os_str() != "-") {
        let Ok(mut source) = open(input) else { continue };
        let (mut scanned, mut seen) = (0, 0);
        while scanned < MOST_SCANNED
            && seen < SEEN
            && let Some(item) = source.next_item()
        {
            let Item::Event(event) = item else { continue };
            scanned += 1;
            if names.allow(event.name()) {
                seen += 1;
                visit(&event, |name, value| learn(&mut found, name, kind_of(&value)));
            }
        }
    }
    let fixed = columns();
    let column = |(name, kind): (String, Option<Kind>)| {
        let is_taken = name == "trace" || name == "error" || fixed.iter().any(|column| column.name == name);
        let name = if is_taken { format!("field_{name}") } else { name };
        field(name, kind.unwrap_or(Kind::Text))
    };
    found.into_iter().take(FIELDS).map(column).collect()
}

/// The column of a field.
pub(super) fn field(name: String, kind: Kind) -> Column {
    Column::new(name, kind, "a field of the event")
}

fn learn(found: &mut Vec<(String, Option<Kind>)>, name: &str, kind: Option<Kind>) {
    match found.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => {
            *known = match (*known, kind) {
                (Some(one), Some(other)) if one != other => Some(Kind::Text),
                (known, kind) => known.or(kind),
            }
        }
        None => found.push((name.to_owned(), kind)),
    }
}

/// `None`: nothing is known from this value.
fn kind_of(value: &Value<'_>) -> Option<Kind> {
    Some(match value {
        Value::Unsigned(number, _) if u64::try_from(*number).is_ok() => Kind::Count,
        Value::Signed(number, _) if i64::try_from(*number).is_ok() => Kind::Number,
        Value::Float(_) => Kind::Real,
        Value::Bool(_) => Kind::Flag,
        Value::Null => return None,
        _ => Kind::Text,
    })
}

/// The outer fields of an event, those of its payload first; a structure or an array has no value.
fn visit(event: &Event<'_>, mut each: impl FnMut(&str, Value<'_>)) {
    for scope in [Scope::Payload, Scope::Context] {
        event.fields.visit(scope, &mut model::OuterFields::new(&mut each));
    }
}

/// The fields that have a column.
struct OwnFields {
    columns: Vec<(String, Kind)>,
    values: Vec<Own>,
}

/// A value that is kept while its row is made.
enum Own {
    Empty,
    Text(String),
    Count(u64),
    Number(i64),
    Real(f64),
    Flag(bool),
}

impl OwnFields {
    fn new(columns: &[Column]) -> OwnFields {
        let named = |column: &Column| {
            let name = column.name.strip_prefix("field_").unwrap_or(&column.name);
            (name.to_owned(), column.kind)
        };
        OwnFields { columns: columns.iter().map(named).collect(), values: vec![] }
    }

    /// Takes the fields of an event; whether the columns hold all of them.
    fn read(&mut self, event: &Event<'_>) -> bool {
        let OwnFields { columns, values } = self;
        values.clear();
        values.resize_with(columns.len(), || Own::Empty);
        let mut all = true;
        visit(event, |name, value| {
            let position = columns.iter().position(|(known, _)| known == name);
            let own =
                position.and_then(|position| Some((values.get_mut(position)?, columns.get(position)?.1)));
            let Some((own @ Own::Empty, kind)) = own else { return all = false };
            match Own::of(value, kind) {
                Some(taken) => *own = taken,
                None => all = false,
            }
        });
        let mut nested = Nested(false);
        event.fields.visit(Scope::Payload, &mut nested);
        event.fields.visit(Scope::Context, &mut nested);
        all && !nested.0
    }

    fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.columns.len()).map(|position| match self.values.get(position) {
            Some(Own::Text(text)) => Cell::Text(text),
            Some(Own::Count(count)) => Cell::Count(*count),
            Some(Own::Number(number)) => Cell::Number(*number),
            Some(Own::Real(number)) => Cell::Real(*number),
            Some(Own::Flag(flag)) => Cell::Flag(*flag),
            Some(Own::Empty) | None => Cell::Empty,
        })
    }
}

impl Own {
    /// A value as a column of this kind stores it; `None` if it cannot.
    fn of(value: Value<'_>, kind: Kind) -> Option<Own> {
        Some(match (kind, value) {
            (_, Value::Null) => Own::Empty,
            (Kind::Count, Value::Unsigned(number, _)) => Own::Count(u64::try_from(number).ok()?),
            (Kind::Number, Value::Signed(number, _)) => Own::Number(i64::try_from(number).ok()?),
            (Kind::Real, Value::Float(number)) => Own::Real(number),
            (Kind::Flag, Value::Bool(flag)) => Own::Flag(flag),
            (Kind::Text, Value::Text(text)) => Own::Text(std::str::from_utf8(text).ok()?.to_owned()),
            (Kind::Text, Value::Enum(_, Some(label))) => Own::Text(label.to_owned()),
            (Kind::Text, Value::Enum(number, None)) => Own::Text(number.to_string()),
            (Kind::Text, Value::Unsigned(number, _)) => Own::Text(number.to_string()),
            (Kind::Text, Value::Signed(number, _)) => Own::Text(number.to_string()),
            _ => return None,
        })
    }
}

/// Whether there is a structure or an array.
struct Nested(bool);

impl FieldSink for Nested {
    fn value(&mut self, _: &str, _: Value<'_>) {}

    fn begin_struct(&mut self, _: &str) {
        self.0 = true;
    }

    fn begin_array(&mut self, _: &str, _: u64) {
        self.0 = true;
    }

    fn end(&mut self) {}
}
