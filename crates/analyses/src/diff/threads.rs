//! Which thread of one recording is which of another: by name, by entry method and by what it ran.

use std::collections::VecDeque;
use std::hash::Hash;

use model::code::MethodId;
use rustc_hash::FxHashMap;

use super::join::{Joint, SideThread};
use crate::replay::{Kind, NodeId};

/// A thread of each side, by their indices; `None`: the side has none for it.
pub type Paired = (Option<usize>, Option<usize>);

/// The threads of two sides. Those of the first side come in their order, then those that only the second has.
pub(super) fn paired(joint: &Joint, a: usize, b: usize) -> Vec<Paired> {
    let threads = |side: usize| joint.sides.get(side).map_or(&[][..], |side| &side.threads);
    let (one, other) = (threads(a), threads(b));
    let mut found = Pairs { a: vec![None; one.len()], b: vec![false; other.len()] };
    let entry = |thread: &SideThread| entry(joint, thread.root);
    found.round(one, other, |thread| Some((thread.name.clone(), thread.root)));
    found.round(one, other, |thread| Some((without_numbers(&thread.name), thread.root)));
    // A thread that only runs what is common says nothing by its content alone.
    found.round(one, other, |thread| entry(thread).map(|_| thread.root));
    found.round(one, other, |thread| Some((thread.name.clone(), entry(thread))));
    found.round(one, other, |thread| Some((without_numbers(&thread.name), entry(thread))));
    found.round(one, other, |thread| Some(thread.name.clone()));
    found.round(one, other, |thread| entry(thread).map(|entry| (thread.name.is_empty(), entry)));
    let mut pairs: Vec<Paired> = found.a.iter().enumerate().map(|(at, other)| (Some(at), *other)).collect();
    pairs.extend((0..other.len()).filter(|at| !found.b[*at]).map(|at| (None, Some(at))));
    pairs
}

struct Pairs {
    a: Vec<Option<usize>>,
    b: Vec<bool>,
}

impl Pairs {
    /// Threads with equal keys that are not paired yet, in order.
    fn round<K: Eq + Hash>(
        &mut self,
        one: &[SideThread],
        other: &[SideThread],
        key: impl Fn(&SideThread) -> Option<K>,
    ) {
        let mut waiting: FxHashMap<K, VecDeque<usize>> = FxHashMap::default();
        for (at, thread) in other.iter().enumerate().filter(|(at, _)| !self.b[*at]) {
            if let Some(key) = key(thread) {
                waiting.entry(key).or_default().push_back(at);
            }
        }
        for (slot, thread) in self.a.iter_mut().zip(one).filter(|(slot, _)| slot.is_none()) {
            let found = key(thread).and_then(|key| waiting.get_mut(&key)?.pop_front());
            if let Some(at) = found {
                *slot = Some(at);
                self.b[at] = true;
            }
        }
    }
}

/// The first method that a thread ran.
pub(super) fn entry(joint: &Joint, root: NodeId) -> Option<MethodId> {
    joint.replay.items(root).iter().find_map(|item| match joint.replay.kind(item.node()?) {
        Kind::Frame { method, .. } | Kind::Again { method } => Some(method),
        _ => None,
    })
}

/// `pool-3-thread-7` and `pool-1-thread-2` are the same threads of different runs.
pub fn without_numbers(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}
