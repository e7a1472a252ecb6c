//! What varies by itself: learned from several recordings of the same, and not reported.
//!
//! A method that did not do the same in all of them varies, and so does every block that did not run in all of them.
//! What none of them ran is something new; in a method that varies, where it ran seldom, it may be chance, and is told apart.

use model::code::{BlockId, MethodId};
use rustc_hash::FxHashSet;

use super::change::Change;
use super::coverage::Coverage;
use super::join::Joint;
use super::{Diff, without_numbers};
use crate::replay::Measure;

/// Runs of a block after which it is expected to run.
const OFTEN: u64 = 10;

/// What was learned.
#[derive(Debug, Default)]
pub struct Varying {
    methods: FxHashSet<MethodId>,
    /// Without the numbers in them.
    threads: FxHashSet<String>,
    coverage: Vec<Coverage>,
}

impl Varying {
    /// Of these sides of `joint`, all of them recordings of the same.
    pub fn of(joint: &Joint, blocks: &Measure, sides: &[usize], wanted: impl Fn(&str) -> bool) -> Varying {
        let mut varying = Varying::default();
        for (at, &one) in sides.iter().enumerate() {
            for &other in sides.iter().skip(at + 1) {
                varying.learn(joint, Diff::of(joint, blocks, one, other, &wanted), [one, other]);
            }
        }
        varying
    }

    fn learn(&mut self, joint: &Joint, diff: Diff, sides: [usize; 2]) {
        for difference in &diff.differences {
            self.methods.insert(difference.method);
        }
        let most = diff.coverage[0].len().max(diff.coverage[1].len()) as u32;
        for method in (0..most).map(MethodId) {
            let [one, other] = diff.coverage.each_ref().map(|coverage| coverage.of_method(method));
            if one.calls != other.calls || one.blocks != other.blocks {
                self.methods.insert(method);
            }
        }
        for thread in diff.threads.iter().filter(|thread| !thread.is_equal()) {
            let name =
                |side: usize, at: Option<usize>| Some(&joint.sides.get(sides[side])?.threads.get(at?)?.name);
            let names = name(0, thread.places.0).into_iter().chain(name(1, thread.places.1));
            self.threads.extend(names.map(|name| without_numbers(name)));
        }
        self.coverage.extend(diff.coverage);
    }

    /// How many methods vary.
    pub fn methods(&self) -> usize {
        self.methods.len()
    }

    /// Whether a method did not do the same in all of them.
    pub fn varies(&self, method: MethodId) -> bool {
        self.methods.contains(&method)
    }

    /// Whether threads of this name did not run the same in all of them.
    pub fn thread_varies(&self, name: &str) -> bool {
        self.threads.contains(&without_numbers(name))
    }

    /// Whether a block ran in any of them.
    pub fn ran(&self, method: MethodId, block: BlockId) -> bool {
        self.coverage.iter().any(|coverage| coverage.of_method(method).block(block) > 0)
    }

    /// Whether a method was called in any of them.
    pub fn was_called(&self, method: MethodId) -> bool {
        self.coverage.iter().any(|coverage| coverage.of_method(method).ran())
    }

    /// Whether a block ran in all of them, if anything was learned; in a method that varies so often that one run without
    /// it is no chance.
    pub fn always_ran(&self, method: MethodId, block: BlockId) -> bool {
        let least = if self.varies(method) { OFTEN } else { 1 };
        self.coverage.iter().all(|coverage| coverage.of_method(method).block(block) >= least)
    }

    /// Whether a block that no recording ran, and another one so often, may be chance: its method varies, and a few runs are
    /// what a branch does that is seldom taken.
    pub fn may_be_chance(&self, method: MethodId, runs: u64) -> bool {
        self.varies(method) && runs < OFTEN
    }

    /// Whether a change is none, given what varies: of a method that varies only calls of what no baseline called count.
    pub fn explains(&self, method: MethodId, change: &Change) -> bool {
        match change {
            Change::Calls { callee, .. } if !self.coverage.is_empty() && !self.was_called(*callee) => false,
            _ => self.varies(method),
        }
    }
}
