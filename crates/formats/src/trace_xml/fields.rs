//! The fields of one event of an XML trace.

use model::{Base, FieldSink, Fields, Scope, Value};

use crate::limits::XML_FIELDS;

/// The value of a field, as its type says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Held {
    Number(i64),
    Float(f64),
    Text(String),
    Numbers(Vec<i64>),
}

impl Held {
    /// A value of a type; the error is the type that it is not of.
    pub(super) fn parse<'t>(kind: &'t str, text: &str) -> Result<Held, &'t str> {
        let number = |text: &str| text.trim().parse::<i64>().ok();
        match kind {
            "int" => number(text).filter(|number| i32::try_from(*number).is_ok()).map(Held::Number),
            "long" => number(text).map(Held::Number),
            "double" | "float" => text.trim().parse().ok().map(Held::Float),
            "intArray" | "longArray" => {
                let parts = text.split(',').filter(|part| !part.trim().is_empty());
                parts.take(XML_FIELDS).map(number).collect::<Option<Vec<i64>>>().map(Held::Numbers)
            }
            _ => Some(Held::Text(text.to_owned())),
        }
        .ok_or(kind)
    }

    fn value(&self) -> Option<Value<'_>> {
        Some(match self {
            Held::Number(number) => Value::Signed(i128::from(*number), Base::Decimal),
            Held::Float(number) => Value::Float(*number),
            Held::Text(text) => Value::Text(text.as_bytes()),
            Held::Numbers(_) => return None,
        })
    }
}

/// All fields of an event.
#[derive(Debug, Default)]
pub(super) struct FieldList(pub(super) Vec<(String, Held)>);

impl Fields for FieldList {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        if scope != Scope::Payload {
            return;
        }
        for (name, held) in &self.0 {
            match (held, held.value()) {
                (_, Some(value)) => sink.value(name, value),
                (Held::Numbers(numbers), None) => {
                    sink.begin_array(name, numbers.len() as u64);
                    for number in numbers {
                        sink.value("", Value::Signed(i128::from(*number), Base::Decimal));
                    }
                    sink.end();
                }
                _ => {}
            }
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        self.0.iter().find(|(known, _)| known == name)?.1.value()
    }
}
