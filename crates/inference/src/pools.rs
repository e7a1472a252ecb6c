//! Attributes that scenarios borrow: each gets one that nobody else uses and gives it back at its end.

use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxBuildHasher;

use super::states::NodeId;

/// The attributes below one path.
#[derive(Debug, Default)]
struct Pool {
    /// Those that were given back; the lowest is given out first.
    free: BTreeSet<i64>,
    next: i64,
    taken: HashMap<NodeId, i64, FxBuildHasher>,
}

/// All pools, by the attribute below which they lie.
#[derive(Debug, Default)]
pub(super) struct Pools {
    by_parent: HashMap<NodeId, Pool, FxBuildHasher>,
}

impl Pools {
    /// The number that the scenario at `scenario` has below `parent`.
    pub(super) fn number(&mut self, parent: NodeId, scenario: NodeId) -> i64 {
        let pool = self.by_parent.entry(parent).or_default();
        if let Some(&number) = pool.taken.get(&scenario) {
            return number;
        }
        let number = pool.free.pop_first().unwrap_or_else(|| {
            pool.next += 1;
            pool.next - 1
        });
        pool.taken.insert(scenario, number);
        number
    }

    /// A scenario gives back all that it has: attribute and number of each.
    pub(super) fn give_back(&mut self, scenario: NodeId) -> Vec<(NodeId, i64)> {
        let mut given = Vec::new();
        for (&parent, pool) in &mut self.by_parent {
            if let Some(number) = pool.taken.remove(&scenario) {
                pool.free.insert(number);
                given.push((parent, number));
            }
        }
        given
    }
}
