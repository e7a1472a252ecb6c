//! The vectors recorded from the original, which lie beside the repository on some machines.
#![allow(dead_code)] // Each test file uses a part.

use serde_json::Value;

/// A file of vectors; the test is skipped where they are not at hand.
pub(crate) fn read(name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(testing::shared(&format!("data/history/{name}"))?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// A list of numbers.
pub(crate) fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}
