//! Values of fields in reports: a number or a text.

use model::Scalar;
use serde::{Serialize, Serializer};

/// A value as JSON has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<'a>(pub(crate) &'a Scalar);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Scalar::Number(number) => serializer.serialize_i64(*number),
            Scalar::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// Names with values in their order, which a map would lose.
#[derive(Debug)]
pub(super) struct Members<'a, T>(pub(super) Vec<(&'a str, T)>);

impl<T: Serialize> Serialize for Members<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T> Members<'_, T> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
