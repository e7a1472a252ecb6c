//! A trace in columns: what each event is called, and its fields as small numbers.
//!
//! Only outer fields with whole numbers or texts are kept: nothing else can name an instance. Reading ends at
//! [`MOST_EVENTS`] events or [`MOST_CELLS`] values, which is reported; what came before is enough to learn from.

use std::collections::HashMap;

use model::{Event, EventSource, Gap, Item, OuterFields, Scalar, Scope, Value};
use rustc_hash::FxBuildHasher;

/// Events that are kept.
const MOST_EVENTS: usize = 2_000_000;
/// Values of fields that are kept.
const MOST_CELLS: usize = 24_000_000;
/// Bytes of text that are kept; a longer text names nothing.
const MOST_TEXT: usize = 64 << 20;
const LONGEST_TEXT: usize = 256;

/// One event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) kind: u32,
    pub(super) time: i64,
    /// How many losses were declared before it.
    pub(super) losses: u32,
    /// Until when something was lost, of all that was declared before it.
    pub(super) lost_until: i64,
    /// Where its values begin.
    cells: u32,
}

/// What was read of a trace.
#[derive(Debug, Default)]
pub struct Events {
    names: Vec<String>,
    /// By kind: the number of its name, and the value of a field that events of this kind have.
    kinds: Vec<(u32, Option<(u16, u32)>)>,
    pub(super) fields: Vec<String>,
    pub(super) rows: Vec<Row>,
    cells: Vec<(u16, u32)>,
    values: Values,
    is_cut: bool,
}

#[derive(Debug, Default)]
struct Values {
    all: Vec<Scalar>,
    numbers: HashMap<i64, u32, FxBuildHasher>,
    texts: HashMap<String, u32, FxBuildHasher>,
    bytes: usize,
}

impl Values {
    fn add(&mut self, value: Value<'_>) -> Option<u32> {
        let next = self.all.len() as u32;
        match value {
            Value::Text(text) => {
                let text = std::str::from_utf8(text).ok().filter(|text| text.len() <= LONGEST_TEXT)?;
                if let Some(&known) = self.texts.get(text) {
                    return Some(known);
                }
                self.bytes += text.len();
                self.texts.insert(text.to_owned(), next);
                self.all.push(Scalar::Text(text.to_owned()));
            }
            value => {
                let number = value.as_i64()?;
                if let Some(&known) = self.numbers.get(&number) {
                    return Some(known);
                }
                self.numbers.insert(number, next);
                self.all.push(Scalar::Number(number));
            }
        }
        Some(next)
    }
}

impl Events {
    /// Reads `source` to its end, or up to the bounds. `step` is called after each item, for a progress bar, `lost` for
    /// each declared loss.
    pub fn read(
        source: &mut dyn EventSource,
        mut step: impl FnMut(&dyn EventSource),
        mut lost: impl FnMut(&Gap),
    ) -> Events {
        let mut events = Events::default();
        let mut names: HashMap<String, u16, FxBuildHasher> = HashMap::default();
        let (mut losses, mut lost_until, mut last) = (0u32, i64::MIN, i64::MIN);
        loop {
            match source.next_item() {
                None => break,
                Some(Item::Gap(gap)) => {
                    lost(&gap);
                    losses = losses.saturating_add(1);
                    lost_until = lost_until.max(gap.to.map_or(last, |to| to.0));
                }
                Some(Item::Event(event)) => {
                    last = event.time.map_or(last, |time| time.0);
                    let row = Row {
                        kind: event.symbol.0,
                        time: last,
                        losses,
                        lost_until,
                        cells: events.cells.len() as u32,
                    };
                    events.rows.push(row);
                    events.store_fields(&event, &mut names);
                }
            }
            step(source);
            let is_full = events.cells.len() >= MOST_CELLS || events.values.bytes >= MOST_TEXT;
            if events.rows.len() >= MOST_EVENTS || is_full {
                events.is_cut = true;
                break;
            }
        }
        events.names = source.alphabet().names().map(str::to_owned).collect();
        events.kinds = (0..events.names.len() as u32).map(|name| (name, None)).collect();
        events
    }

    fn store_fields(&mut self, event: &Event<'_>, names: &mut HashMap<String, u16, FxBuildHasher>) {
        let Events { fields, cells, values, .. } = self;
        let begin = cells.len();
        for scope in [Scope::Payload, Scope::Context] {
            let each = |name: &str, value: Value<'_>| {
                let number = match names.get(name) {
                    Some(&number) => number,
                    None => {
                        let Ok(number) = u16::try_from(fields.len()) else { return };
                        names.insert(name.to_owned(), number);
                        fields.push(name.to_owned());
                        number
                    }
                };
                // A field of the payload hides one of the context.
                let is_hidden = cells.iter().skip(begin).any(|(known, _)| *known == number);
                if let Some(value) = values.add(value).filter(|_| !is_hidden) {
                    cells.push((number, value));
                }
            };
            event.fields.visit(scope, &mut OuterFields::new(each));
        }
    }

    /// The fields of an event: the number of each, and that of its value.
    pub(super) fn cells(&self, row: usize) -> &[(u16, u32)] {
        let begin = self.rows.get(row).map_or(0, |row| row.cells as usize);
        let end = self.rows.get(row + 1).map_or(self.cells.len(), |row| row.cells as usize);
        self.cells.get(begin..end).unwrap_or_default()
    }

    /// The value of a field of an event.
    pub(super) fn value(&self, row: usize, field: u16) -> Option<u32> {
        self.cells(row).iter().find(|(known, _)| *known == field).map(|(_, value)| *value)
    }

    pub(super) fn scalar(&self, value: u32) -> Option<&Scalar> {
        self.values.all.get(value as usize)
    }

    /// What events of a kind are called.
    pub(super) fn name(&self, kind: u32) -> &str {
        self.names.get(self.name_of(kind) as usize).map_or("?", |name| name)
    }

    /// The number of that name: kinds that were split share it.
    pub(super) fn name_of(&self, kind: u32) -> u32 {
        self.kinds.get(kind as usize).map_or(u32::MAX, |(name, _)| *name)
    }

    /// The field and value that make a kind of events that are called alike.
    pub(super) fn phase(&self, kind: u32) -> Option<(u16, &Scalar)> {
        let (field, value) = self.kinds.get(kind as usize)?.1?;
        Some((field, self.scalar(value)?))
    }

    /// How many kinds there are.
    pub(super) fn kinds(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Makes a kind of each value that `field` has in events of `kind`; these kinds.
    pub(super) fn split(&mut self, kind: u32, field: u16) -> Vec<u32> {
        let mut kinds: Vec<(u32, u32)> = Vec::new();
        for number in 0..self.rows.len() {
            if self.rows.get(number).is_none_or(|row| row.kind != kind) {
                continue;
            }
            let Some(value) = self.value(number, field) else { continue };
            let known = kinds.iter().find(|(known, _)| *known == value).map(|(_, kind)| *kind);
            let new = known.unwrap_or_else(|| {
                kinds.push((value, self.kinds.len() as u32));
                self.kinds.push((self.name_of(kind), Some((field, value))));
                self.kinds.len() as u32 - 1
            });
            if let Some(row) = self.rows.get_mut(number) {
                row.kind = new;
            }
        }
        kinds.into_iter().map(|(_, kind)| kind).collect()
    }

    /// The first `most` events.
    pub(super) fn sample(&self, most: usize) -> Events {
        let rows: Vec<Row> = self.rows.iter().take(most).copied().collect();
        let end = self.rows.get(most).map_or(self.cells.len(), |row| row.cells as usize);
        Events {
            names: self.names.clone(),
            kinds: self.kinds.clone(),
            fields: self.fields.clone(),
            rows,
            cells: self.cells.iter().take(end).copied().collect(),
            values: Values::default(),
            is_cut: self.is_cut,
        }
    }

    pub(super) fn field(&self, field: u16) -> &str {
        self.fields.get(usize::from(field)).map_or("?", |name| name)
    }

    /// Whether nothing was lost between two events, as far as anybody declared it.
    pub(super) fn is_intact(&self, from: usize, to: usize) -> bool {
        match (self.rows.get(from), self.rows.get(to)) {
            (Some(from), Some(to)) => from.losses == to.losses && from.lost_until < from.time,
            _ => false,
        }
    }

    /// How many events were read.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the trace has more events than were read.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

/// An event of a test: its name and its fields; `None` is a loss.
#[cfg(test)]
pub(super) type Given<'a> = Option<(&'a str, Vec<(&'a str, i64)>)>;

#[cfg(test)]
impl Events {
    /// Events at 1, 2, ... with fields whose values are whole numbers.
    pub(super) fn of(list: &[Given<'_>]) -> Events {
        let mut events = Events::default();
        for (index, one) in list.iter().enumerate() {
            let Some((name, fields)) = one else { continue };
            let time = index as i64 + 1;
            let losses = list.iter().take(index).filter(|one| one.is_none()).count() as u32;
            let known = events.names.iter().position(|known| known == name);
            let kind = known.unwrap_or(events.names.len()) as u32;
            if known.is_none() {
                events.names.push((*name).to_owned());
                events.kinds.push((kind, None));
            }
            let cells = events.cells.len() as u32;
            events.rows.push(Row { kind, time, losses, lost_until: i64::MIN, cells });
            for (field, value) in fields {
                let known = events.fields.iter().position(|known| known == field);
                let number = known.unwrap_or(events.fields.len()) as u16;
                if known.is_none() {
                    events.fields.push((*field).to_owned());
                }
                let value = model::Value::Signed(i128::from(*value), model::Base::Decimal);
                let value = events.values.add(value).unwrap();
                events.cells.push((number, value));
            }
        }
        events
    }
}
