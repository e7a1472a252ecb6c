//! Short loops: loops that were left before their second iteration, recognised by what came before
//! them (founding text 1, "Short-loop detection"; the spec's 3.4).
//!
//! ```text
//! ABC [D]DDD EF ... ABC D EF      ABC was followed by the loop [D]: the lone D is one iteration of it
//! ```
//!
//! Only the last loop that followed a given run is tried; where several may follow, the others are
//! not found (as in the original).

use super::words::Words;
use model::RunId;

/// For each kind of run, the loop that followed it the last time a loop did.
#[derive(Debug, Clone, Default)]
pub(super) struct ShortLoops {
    followed_by: Vec<Option<RunId>>,
}

/// A short loop among pending units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShortLoop {
    /// Pending units before it.
    pub(super) offset: usize,
    /// Units it covers; at least 1, perhaps less than an iteration.
    pub(super) len: usize,
    /// Which loop.
    pub(super) id: RunId,
}

impl ShortLoops {
    /// A run of kind `run` was directly followed by the loop `next`.
    pub(super) fn learn(&mut self, run: RunId, next: RunId) {
        let index = run.0 as usize;
        if self.followed_by.len() <= index {
            self.followed_by.resize(index + 1, None);
        }
        self.followed_by[index] = Some(next);
    }

    /// The first short loop among the pending `units`, which follow a run of kind `previous`.
    pub(super) fn find(&self, previous: RunId, units: &[u32], words: &Words) -> Option<ShortLoop> {
        std::iter::once((0, previous)).chain(words.transitions_that_begin(units)).find_map(|(offset, run)| {
            let id = (*self.followed_by.get(run.0 as usize)?)?;
            let iterations = words.units(id).iter().cycle();
            let len = units[offset..]
                .iter()
                .zip(iterations)
                .take_while(|(unit, expected)| unit == expected)
                .count();
            (len > 0).then_some(ShortLoop { offset, len, id })
        })
    }
}
