//! An event that was copied out of its reader, with the fields that guards can ask for.
//!
//! The engine needs it where a name comes for the first time: the reader tells it only when the
//! event is given back. Tests make events of it.

use model::{Base, Event, FieldSink, Fields, OuterFields, Scope, StreamId, Symbol, Timestamp, Value};

/// A copied event. Structures and arrays are left out: no guard can ask for them.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptEvent {
    /// Its stream.
    pub stream: StreamId,
    /// Its place in the stream.
    pub seq: u64,
    /// When.
    pub time: Option<Timestamp>,
    /// The CPU.
    pub cpu: Option<u32>,
    /// Its name.
    pub symbol: Symbol,
    fields: KeptFields,
}

/// The fields of a copied event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeptFields {
    payload: Vec<(String, Kept)>,
    context: Vec<(String, Kept)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Kept {
    Unsigned(u128, Base),
    Signed(i128, Base),
    Float(f64),
    Text(Vec<u8>),
    Enum(i128, Option<String>),
    Bool(bool),
    Null,
}

impl KeptEvent {
    /// A copy of `event`.
    pub fn copy(event: &Event<'_>) -> KeptEvent {
        let mut fields = KeptFields::default();
        for (scope, kept) in [(Scope::Payload, &mut fields.payload), (Scope::Context, &mut fields.context)] {
            let keep = |name: &str, value: Value<'_>| kept.push((name.to_owned(), Kept::from(value)));
            event.fields.visit(scope, &mut OuterFields::new(keep));
        }
        let Event { stream, seq, time, cpu, symbol, .. } = *event;
        KeptEvent { stream, seq, time, cpu, symbol, fields }
    }

    /// An event with these fields.
    pub fn new(symbol: Symbol, time: i64, cpu: u32, fields: &[(&str, Value<'_>)]) -> KeptEvent {
        let payload = fields.iter().map(|(name, value)| ((*name).to_owned(), Kept::from(*value))).collect();
        let fields = KeptFields { payload, context: Vec::new() };
        let time = Some(Timestamp(time));
        KeptEvent { stream: StreamId(cpu), seq: 0, time, cpu: Some(cpu), symbol, fields }
    }

    /// The event.
    pub fn event(&self) -> Event<'_> {
        let KeptEvent { stream, seq, time, cpu, symbol, ref fields } = *self;
        Event { stream, seq, time, cpu, symbol, fields }
    }
}

impl Fields for KeptFields {
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

impl From<Value<'_>> for Kept {
    fn from(value: Value<'_>) -> Kept {
        match value {
            Value::Unsigned(value, base) => Kept::Unsigned(value, base),
            Value::Signed(value, base) => Kept::Signed(value, base),
            Value::Float(value) => Kept::Float(value),
            Value::Text(bytes) => Kept::Text(bytes.to_vec()),
            Value::Enum(value, label) => Kept::Enum(value, label.map(str::to_owned)),
            Value::Bool(value) => Kept::Bool(value),
            Value::Null => Kept::Null,
        }
    }
}

impl Kept {
    fn borrow(&self) -> Value<'_> {
        match self {
            Kept::Unsigned(value, base) => Value::Unsigned(*value, *base),
            Kept::Signed(value, base) => Value::Signed(*value, *base),
            Kept::Float(value) => Value::Float(*value),
            Kept::Text(bytes) => Value::Text(bytes),
            Kept::Enum(value, label) => Value::Enum(*value, label.as_deref()),
            Kept::Bool(value) => Value::Bool(*value),
            Kept::Null => Value::Null,
        }
    }
}
