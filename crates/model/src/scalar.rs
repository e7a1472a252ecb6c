//! Scalars: values of fields that outlive their event, for conclusions, choices and files.

use crate::{Base, Value};

/// A number or a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// A whole number of 64 bits.
    Number(i64),
    /// A text; what of it was not UTF-8 is replaced.
    Text(String),
}

impl Scalar {
    /// The value of a field; `None` for what is neither a whole number of 64 bits nor a text.
    pub fn of(value: Value<'_>) -> Option<Scalar> {
        match value {
            Value::Text(text) => Some(Scalar::Text(String::from_utf8_lossy(text).into_owned())),
            value => value.as_i64().map(Scalar::Number),
        }
    }

    /// The value as a field of an event.
    pub fn value(&self) -> Value<'_> {
        match self {
            Scalar::Number(number) => Value::Signed(i128::from(*number), Base::Decimal),
            Scalar::Text(text) => Value::Text(text.as_bytes()),
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Number(number) => number.fmt(f),
            Scalar::Text(text) => text.fmt(f),
        }
    }
}
