//! Diff: what one recording did that another did not.
//!
//! ```text
//! recording A ──┐ joint code: methods by name, blocks by what they do                code.rs
//! recording B ──┤ joint tree: equal calls of both are one node                       join.rs
//! baselines   ──┘     │
//!                     ├─ threads, by name, entry method and content                  threads.rs
//!                     ├─ the first place where each pair of threads parts            parting.rs
//!                     ├─ what differs in which method: pairs of nodes, each once     compare.rs, hunks.rs, iterations.rs
//!                     ├─ what ran on one side only                                   coverage.rs
//!                     ├─ both sides call by call, for whoever looks at them          rows
//!                     └─ without what varies among recordings of the same            baseline.rs, decisions.rs, rates.rs
//! ```
//!
//! Nothing is unfolded: the work follows the size of the trees. Where it is bounded the answer says so. What was lost is
//! never taken for something that did not happen. Times are not looked at.

mod baseline;
mod change;
mod code;
mod collect;
mod compare;
mod coverage;
mod decisions;
mod edit;
mod hunks;
mod iterations;
mod join;
mod parting;
mod rates;
mod rows;
#[cfg(test)]
mod tests;
mod threads;

use crate::replay::Measure;

pub use baseline::Varying;
pub use change::{Change, Difference, Next, Parting};
pub use code::{JointCode, OldLines};
pub use compare::THREAD;
pub use coverage::{Counts, Coverage};
pub use edit::matches;
pub use join::{Joint, Side, SideThread};
pub use rows::{Row, RowVerdict, Rows, Sums, ThreadRows};
pub use threads::{Paired, without_numbers};

use compare::Compare;

/// What differs between two sides.
#[derive(Debug, Default)]
pub struct Diff {
    /// The threads, paired.
    pub threads: Vec<ThreadDiff>,
    /// In the order in which they are met along the threads.
    pub differences: Vec<Difference>,
    /// How often everything ran on each side.
    pub coverage: [Coverage; 2],
    /// There was too much that differs: some of it was not looked at.
    pub is_cut: bool,
}

/// A pair of threads.
#[derive(Debug)]
pub struct ThreadDiff {
    /// Their indices among the threads of each side.
    pub indices: Paired,
    /// Blocks of each.
    pub blocks: [u64; 2],
    /// Where they part; `None`: they ran the same, or one side has none.
    pub parting: Option<Parting>,
    /// Something of it is missing, on each side.
    pub has_gap: [bool; 2],
}

impl ThreadDiff {
    /// Whether both sides have it and ran the same.
    pub fn is_equal(&self) -> bool {
        self.indices.0.is_some() && self.indices.1.is_some() && self.parting.is_none()
    }
}

impl Diff {
    /// What differs between sides `a` and `b`; `wanted` says by name which threads are looked at.
    pub fn of(joint: &Joint, blocks: &Measure, a: usize, b: usize, wanted: impl Fn(&str) -> bool) -> Diff {
        let none = Side::default();
        let sides = [a, b].map(|side| joint.sides.get(side).unwrap_or(&none));
        let is_wanted =
            |side: usize, at: usize| sides[side].threads.get(at).is_some_and(|thread| wanted(&thread.name));
        let mut diff = Diff::default();
        let mut pairs = vec![];
        for indices in threads::paired(joint, a, b) {
            if !indices.0.is_some_and(|at| is_wanted(0, at)) && !indices.1.is_some_and(|at| is_wanted(1, at))
            {
                continue;
            }
            let root = |side: usize, index: Option<usize>| Some(sides[side].threads.get(index?)?.root);
            let roots = [root(0, indices.0), root(1, indices.1)];
            let parting = match roots {
                [Some(one), Some(other)] => {
                    pairs.push([one, other]);
                    parting::parting(joint, blocks, one, other)
                }
                _ => None,
            };
            let of = |root: Option<crate::replay::NodeId>| root.map_or(0, |root| blocks.of_node(root));
            let gap = |root: Option<crate::replay::NodeId>| root.is_some_and(|root| joint.seen(root).has_gap);
            diff.threads.push(ThreadDiff {
                indices,
                blocks: roots.map(of),
                parting,
                has_gap: roots.map(gap),
            });
        }
        pairs.extend(initializers(joint, sides));
        let mut compare = Compare::new(joint);
        diff.differences = compare.run(&pairs);
        diff.is_cut = compare.is_cut;
        diff.coverage = [0, 1].map(|side| Coverage::of(joint, sides[side], |at| is_wanted(side, at)));
        diff
    }
}

/// Class initialisers of the same class that ran differently.
fn initializers(joint: &Joint, sides: [&Side; 2]) -> Vec<[crate::replay::NodeId; 2]> {
    let method = |node| match joint.replay.kind(node) {
        crate::replay::Kind::Frame { method, .. } => Some(method),
        _ => None,
    };
    let mut others: rustc_hash::FxHashMap<_, Vec<_>> = rustc_hash::FxHashMap::default();
    for (node, _) in sides[1].initializers.iter().filter(|one| !sides[0].initializers.contains(one)) {
        others.entry(method(*node)).or_default().push(*node);
    }
    let mine = sides[0].initializers.iter().filter(|one| !sides[1].initializers.contains(one));
    mine.filter_map(|(node, _)| Some([*node, others.get_mut(&method(*node))?.pop()?])).collect()
}
