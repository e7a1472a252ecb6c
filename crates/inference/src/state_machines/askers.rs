//! Who asks for attributes: an instance, by its key.

use crate::value::{Name, Value};
use crate::world::{Asker, Input};

/// The value of a key as a fact.
pub(crate) fn value_of(key: Name) -> Value {
    match key {
        Name::Number(number) => Value::Long(number),
        Name::Text(text) => Value::Text(text),
    }
}

/// Who asks for attributes.
pub(crate) fn asker(node: crate::NodeId, key: crate::NodeId, input: &Input<'_>) -> Asker<'static> {
    Asker { node, key, state: input.name, started: input.time, entered: &[] }
}
