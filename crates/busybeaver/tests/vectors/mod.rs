//! The vectors recorded from the original, which lie beside the repository on some machines.
#![allow(dead_code)] // Each test file uses a part.

use serde_json::Value;
use std::path::Path;

/// A file of vectors; none where they are not at hand.
pub(crate) fn read(name: &str) -> Option<Value> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = here.join("../../../shared/data/history").join(name);
    // A worktree may lie anywhere; then a variable says where the repository's neighbour is.
    let named = std::env::var_os("TRACEWRIGHT_SHARED")
        .map(|shared| Path::new(&shared).join("data/history").join(name));
    let text = named.into_iter().chain([beside]).find_map(|path| std::fs::read_to_string(path).ok())?;
    Some(serde_json::from_str(&text).unwrap())
}

/// A list of numbers.
pub(crate) fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}
