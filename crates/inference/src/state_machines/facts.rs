//! What the model asks of an event, fetched in one visit: asking for each field by name costs a walk
//! through all of them each time.

use model::{Event, OuterFields, Scope, Value as FieldValue};

use crate::state_machines::intake::{Batch, Taken};
use crate::value::{Texts, Value};

/// A field of an event, and where it is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Tests or keys ask for it.
    Asked,
    /// It is only reported again: texts are copied, not made into values.
    Owned,
}

/// Field names by number, and what the present event says of them.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    names: Vec<(String, Kind)>,
    values: Vec<(u64, Option<Value>)>,
    texts: Vec<Vec<u8>>,
    /// By symbol: the fields in the order in which they come, and which of them are wanted.
    layouts: Vec<Layout>,
    event: u64,
    /// The fields that were taken from the present event.
    taken: Vec<usize>,
    /// By the number of a field in batches: its number here.
    in_batches: Vec<usize>,
}

/// Fields of one event type that are remembered by their place.
const MOST_FIELDS: usize = 64;

/// The fields of the events of one name.
#[derive(Debug, Default, Clone)]
pub(crate) struct Layout {
    pub(crate) wants_all: bool,
    wanted: Vec<usize>,
    order: Vec<(String, Option<usize>)>,
}

impl Facts {
    /// The number of a field.
    pub(crate) fn slot(&mut self, name: &str, kind: Kind) -> usize {
        if let Some(slot) = self.names.iter().position(|(known, _)| known == name) {
            if kind == Kind::Asked
                && let Some((_, known)) = self.names.get_mut(slot)
            {
                *known = kind;
            }
            return slot;
        }
        self.names.push((name.to_owned(), kind));
        self.values.push((0, None));
        self.texts.push(Vec::new());
        self.names.len() - 1
    }

    pub(crate) fn name(&self, slot: usize) -> &str {
        self.names.get(slot).map_or("?", |(name, _)| name)
    }

    /// Events of this symbol are to be asked for these fields, or for all that they have.
    pub(crate) fn want(&mut self, symbol: u32, wanted: &[usize], wants_all: bool) {
        let index = symbol as usize;
        if self.layouts.len() <= index {
            self.layouts.resize(index + 1, Layout::default());
        }
        if let Some(layout) = self.layouts.get_mut(index) {
            layout.wants_all |= wants_all;
            for slot in wanted {
                if !layout.wanted.contains(slot) {
                    layout.wanted.push(*slot);
                }
            }
            layout.order.clear();
        }
    }

    /// The fields that events of a symbol are asked for.
    pub(crate) fn wanted(&self, symbol: u32) -> Vec<usize> {
        self.layouts.get(symbol as usize).map_or_else(Vec::new, |layout| layout.wanted.clone())
    }

    /// Whether the present event has a field.
    pub(crate) fn has(&self, slot: usize) -> bool {
        self.values.get(slot).is_some_and(|(event, _)| *event == self.event)
    }

    /// The names of the fields of a symbol, in their order, as far as they were seen.
    pub(crate) fn order(&self, symbol: u32) -> impl Iterator<Item = (&str, Option<usize>)> {
        let layout = self.layouts.get(symbol as usize);
        layout.into_iter().flat_map(|layout| layout.order.iter().map(|(name, slot)| (&**name, *slot)))
    }

    /// Reads an event.
    pub(crate) fn read(&mut self, event: &Event<'_>, texts: &mut Texts) {
        self.event += 1;
        self.taken.clear();
        let index = event.symbol.0 as usize;
        if !self.asks(event.symbol.0) {
            return;
        }
        let mut layout = self.layouts.get_mut(index).map(std::mem::take).unwrap_or_default();
        if !layout.wants_all {
            // Few of many fields: each is found by its name, and nothing else is decoded.
            for &slot in &layout.wanted {
                let name = self.names.get(slot).map_or("", |(name, _)| name);
                if let Some(value) = event.fields.get(name) {
                    self.take(slot, value, texts);
                }
            }
            if let Some(position) = self.layouts.get_mut(index) {
                *position = layout;
            }
            return;
        }
        let mut at = 0;
        let payload = |name: &str, value: FieldValue<'_>| {
            self.in_order(&mut layout, at, (name, value), texts);
            at += 1;
        };
        event.fields.visit(Scope::Payload, &mut OuterFields::new(payload));
        let wanted = layout.wanted.len();
        if wanted > 0 && self.seen(&layout.wanted) < wanted {
            // Perhaps the tracer added it to every event.
            let context = |name: &str, value: FieldValue<'_>| {
                let slot = self.names.iter().position(|(known, _)| known == name);
                if let Some(slot) = slot.filter(|slot| layout.wanted.contains(slot) && !self.has(*slot)) {
                    self.take(slot, value, texts);
                }
            };
            event.fields.visit(Scope::Context, &mut OuterFields::new(context));
        }
        if let Some(position) = self.layouts.get_mut(index) {
            *position = layout;
        }
    }

    /// Whether anything is asked of events of this symbol.
    #[inline]
    pub(crate) fn asks(&self, symbol: u32) -> bool {
        let layout = self.layouts.get(symbol as usize);
        layout.is_some_and(|layout| layout.wants_all || !layout.wanted.is_empty())
    }

    /// The fields that were taken from the present event, in their order.
    pub(crate) fn taken(&self) -> &[usize] {
        &self.taken
    }

    /// How many fields there are.
    pub(crate) fn slots(&self) -> usize {
        self.names.len()
    }

    /// How many fields events of this symbol have, where all of them are wanted.
    pub(crate) fn order_of_all(&self, symbol: u32) -> usize {
        let layout = self.layouts.get(symbol as usize).filter(|layout| layout.wants_all);
        layout.map_or(0, |layout| layout.order.len())
    }

    /// Takes the next event out of a batch.
    #[inline]
    pub(crate) fn fill(&mut self, batch: &Batch, values: &[(u32, Taken)], texts: &mut Texts) {
        self.event += 1;
        for &(number, taken) in values {
            let Some(&slot) = self.in_batches.get(number as usize) else { continue };
            let value = match taken {
                Taken::Number(number) => Some(Value::Long(number)),
                Taken::Float(number) => Some(Value::Double(number)),
                Taken::Null => Some(Value::Null),
                Taken::Asked(start, end) => {
                    Some(Value::Text(texts.intern(&String::from_utf8_lossy(batch.text(start, end)))))
                }
                Taken::Owned(start, end) => {
                    if let Some(text) = self.texts.get_mut(slot) {
                        text.clear();
                        text.extend_from_slice(batch.text(start, end));
                    }
                    None
                }
            };
            if let Some(position) = self.values.get_mut(slot) {
                *position = (self.event, value);
            }
        }
    }

    /// The name of the next field of batches.
    pub(crate) fn named_in_batches(&mut self, name: &str) {
        let slot = self.slot(name, Kind::Owned);
        self.in_batches.push(slot);
    }

    /// The order of the fields of a symbol, by their numbers in batches.
    pub(crate) fn ordered_in_batches(&mut self, symbol: u32, order: &[u32]) {
        let slots = order.iter().filter_map(|number| self.in_batches.get(*number as usize).copied());
        let order = slots.map(|slot| (self.name(slot).to_owned(), Some(slot))).collect();
        if let Some(layout) = self.layouts.get_mut(symbol as usize) {
            layout.order = order;
        }
    }

    fn seen(&self, wanted: &[usize]) -> usize {
        wanted
            .iter()
            .filter(|slot| self.values.get(**slot).is_some_and(|(event, _)| *event == self.event))
            .count()
    }

    /// What the present event says of a field; `None`: it has none.
    pub(crate) fn get(&self, slot: usize) -> Option<Value> {
        self.values.get(slot).filter(|(event, _)| *event == self.event).and_then(|(_, value)| *value)
    }

    /// A text that is only kept.
    pub(crate) fn text(&self, slot: usize) -> Option<&[u8]> {
        let is_here =
            self.values.get(slot).is_some_and(|(event, value)| *event == self.event && value.is_none());
        self.texts.get(slot).filter(|text| is_here && !text.is_empty()).map(|text| &**text)
    }

    /// What the event does not say itself.
    pub(crate) fn put(&mut self, slot: usize, value: Option<Value>) {
        if let Some(position) = self.values.get_mut(slot) {
            *position = (self.event, value);
        }
    }

    fn take(&mut self, slot: usize, value: FieldValue<'_>, texts: &mut Texts) {
        let kind = self.names.get(slot).map_or(Kind::Owned, |(_, kind)| *kind);
        let known = match value {
            FieldValue::Text(bytes) if kind == Kind::Owned => {
                if let Some(text) = self.texts.get_mut(slot) {
                    text.clear();
                    text.extend_from_slice(bytes);
                }
                None
            }
            FieldValue::Text(bytes) => Some(Value::Text(texts.intern(&String::from_utf8_lossy(bytes)))),
            FieldValue::Float(number) => Some(Value::Double(number)),
            FieldValue::Bool(value) => Some(Value::Text(texts.intern(if value { "true" } else { "false" }))),
            FieldValue::Null => Some(Value::Null),
            FieldValue::Unsigned(number, _) => Some(Value::Long(number as i64)),
            FieldValue::Signed(number, _) | FieldValue::Enum(number, _) => Some(Value::Long(number as i64)),
        };
        if let Some(position) = self.values.get_mut(slot) {
            *position = (self.event, known);
            self.taken.push(slot);
        }
    }

    /// Takes a field, the `at`-th of its event; most come where they came before.
    fn in_order(
        &mut self,
        layout: &mut Layout,
        at: usize,
        (name, value): (&str, FieldValue<'_>),
        texts: &mut Texts,
    ) {
        let slot = match layout.order.get(at) {
            Some((known, slot)) if known == name => *slot,
            _ => {
                let known = self.names.iter().position(|(known, _)| known == name);
                let slot = match known.filter(|slot| layout.wanted.contains(slot)) {
                    None if layout.wants_all => {
                        let slot = self.slot(name, Kind::Owned);
                        layout.wanted.push(slot);
                        Some(slot)
                    }
                    slot => slot,
                };
                if at == layout.order.len() && at < MOST_FIELDS {
                    layout.order.push((name.to_owned(), slot));
                }
                slot
            }
        };
        if let Some(slot) = slot {
            self.take(slot, value, texts);
        }
    }
}
