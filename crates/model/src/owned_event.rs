//! An event that borrows nothing: one that was inferred, that has to wait, or that a test makes.

use crate::{Base, Event, FieldSink, Fields, Origin, OuterFields, Scope, StreamId, Symbol, Timestamp, Value};

/// An event with its own fields; structures and arrays among them are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedEvent {
    /// Its stream.
    pub stream: StreamId,
    /// Its position in the stream.
    pub seq: u64,
    /// When.
    pub time: Option<Timestamp>,
    /// The CPU.
    pub cpu: Option<u32>,
    /// Its name.
    pub symbol: Symbol,
    fields: OwnedFields,
}

/// Fields by name, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
struct OwnedFields {
    payload: Vec<(String, OwnedValue)>,
    context: Vec<(String, OwnedValue)>,
}

#[derive(Debug, Clone, PartialEq)]
enum OwnedValue {
    Unsigned(u128, Base),
    Signed(i128, Base),
    Float(f64),
    Text(Vec<u8>),
    Enum(i128, Option<String>),
    Bool(bool),
    Null,
}

impl OwnedEvent {
    /// A copy of `event`.
    pub fn copy(event: &Event<'_>) -> OwnedEvent {
        let mut fields = OwnedFields::default();
        for (scope, owned) in [(Scope::Payload, &mut fields.payload), (Scope::Context, &mut fields.context)] {
            let keep = |name: &str, value: Value<'_>| owned.push((name.to_owned(), OwnedValue::from(value)));
            event.fields.visit(scope, &mut OuterFields::new(keep));
        }
        let Event { stream, seq, time, cpu, symbol, .. } = *event;
        OwnedEvent { stream, seq, time, cpu, symbol, fields }
    }

    /// An event with these fields.
    pub fn new(symbol: Symbol, time: i64, cpu: u32, fields: &[(&str, Value<'_>)]) -> OwnedEvent {
        let payload =
            fields.iter().map(|(name, value)| ((*name).to_owned(), OwnedValue::from(*value))).collect();
        let fields = OwnedFields { payload, context: Vec::new() };
        let time = Some(Timestamp(time));
        OwnedEvent { stream: StreamId(cpu), seq: 0, time, cpu: Some(cpu), symbol, fields }
    }

    /// The event; `origin` has the alphabet of its symbol.
    pub fn event<'a>(&'a self, origin: Origin<'a>) -> Event<'a> {
        let OwnedEvent { stream, seq, time, cpu, symbol, ref fields } = *self;
        Event { stream, seq, time, cpu, symbol, fields, origin }
    }
}

impl Fields for OwnedFields {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        let fields = match scope {
            Scope::Payload => &self.payload,
            Scope::Context => &self.context,
        };
        for (name, value) in fields {
            sink.value(name, value.borrow());
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        let mut fields = self.payload.iter().chain(&self.context);
        fields.find(|(field, _)| field == name).map(|(_, value)| value.borrow())
    }
}

impl From<Value<'_>> for OwnedValue {
    fn from(value: Value<'_>) -> OwnedValue {
        match value {
            Value::Unsigned(value, base) => OwnedValue::Unsigned(value, base),
            Value::Signed(value, base) => OwnedValue::Signed(value, base),
            Value::Float(value) => OwnedValue::Float(value),
            Value::Text(bytes) => OwnedValue::Text(bytes.to_vec()),
            Value::Enum(value, label) => OwnedValue::Enum(value, label.map(str::to_owned)),
            Value::Bool(value) => OwnedValue::Bool(value),
            Value::Null => OwnedValue::Null,
        }
    }
}

impl OwnedValue {
    fn borrow(&self) -> Value<'_> {
        match self {
            OwnedValue::Unsigned(value, base) => Value::Unsigned(*value, *base),
            OwnedValue::Signed(value, base) => Value::Signed(*value, *base),
            OwnedValue::Float(value) => Value::Float(*value),
            OwnedValue::Text(bytes) => Value::Text(bytes),
            OwnedValue::Enum(value, label) => Value::Enum(*value, label.as_deref()),
            OwnedValue::Bool(value) => Value::Bool(*value),
            OwnedValue::Null => Value::Null,
        }
    }
}
