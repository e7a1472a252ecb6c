//! Chains: calls of a method within itself that each lead on by other methods, as filters, interceptors and visitors
//! that delegate do.
//!
//! ```text
//! do { go { first { do { go { second { do { go { servlet } } } } } } }     each `do` has one `do` in it at most, and a
//!                                                                       method on the way to it that is new
//! walk { visit { walk { visit { walk } } } }                            `visit` again: a recursion
//! walk { left { walk }  right { walk } }                                two in one: a recursion
//! ```

use model::code::MethodId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::replay::{Kind, NodeId, Replay};

/// How many calls of one method a node has that lie in no other call of it.
pub(super) struct Nearest<'a> {
    replay: &'a Replay,
    method: MethodId,
    /// By node; those that have none are left out.
    counts: FxHashMap<NodeId, u64>,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(replay: &'a Replay, method: MethodId) -> Nearest<'a> {
        Nearest { replay, method, counts: FxHashMap::default() }
    }

    fn is_call(&self, node: NodeId) -> bool {
        matches!(self.replay.kind(node), Kind::Frame { method, .. } if method == self.method)
    }

    /// Counts those in a node; its children have been counted before, those left out that are reported elsewhere.
    pub(super) fn count(&mut self, node: NodeId) {
        let one = |inner: NodeId| match self.is_call(inner) {
            true => 1,
            false => self.counts.get(&inner).copied().unwrap_or(0),
        };
        let items = self.replay.items(node).iter();
        let counts = items.filter_map(|item| Some(one(item.node()?).saturating_mul(u64::from(item.times))));
        let count = counts.fold(0, u64::saturating_add);
        if count > 0 {
            self.counts.insert(node, count);
        }
    }

    /// Whether a call of the method is a chain. `before`: the methods on the way to it from the call of the same
    /// method around it.
    pub(super) fn is_chain(&self, before: &[MethodId], call: NodeId) -> bool {
        let mut known: FxHashSet<MethodId> = before.iter().copied().collect();
        let mut at = call;
        loop {
            match self.next(at) {
                Next::None => return true,
                Next::Several => return false,
                Next::One { on_the_way, call } => {
                    // All of them are to be known, whether or not the first is new.
                    if on_the_way.into_iter().filter(|method| known.insert(*method)).count() == 0 {
                        return false;
                    }
                    at = call;
                }
            }
        }
    }

    fn next(&self, call: NodeId) -> Next {
        match self.counts.get(&call) {
            None => return Next::None,
            Some(1) => {}
            Some(_) => return Next::Several,
        }
        let (mut on_the_way, mut at) = (vec![], call);
        loop {
            let mut inside = self.replay.items(at).iter().filter_map(|item| item.node());
            let leads = |node: &NodeId| self.is_call(*node) || self.counts.contains_key(node);
            let Some(inner) = inside.find(leads) else { return Next::None };
            if self.is_call(inner) {
                return Next::One { on_the_way, call: inner };
            }
            if let Kind::Frame { method, .. } = self.replay.kind(inner) {
                on_the_way.push(method);
            }
            at = inner;
        }
    }
}

/// What calls of a method a call of it has in it.
enum Next {
    None,
    Several,
    One { on_the_way: Vec<MethodId>, call: NodeId },
}
