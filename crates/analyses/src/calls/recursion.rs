//! Recursion in a report: a method's calls within its own calls.
//!
//! ```text
//! chain { first filter { chain { second filter { chain { servlet } } } } }    nothing comes twice: reported as it ran
//! walk { visit  walk { visit  walk { visit  walk { leaf } } }                 those alike are reported once:
//!
//! do { go { first filter { do { go { second filter { do { go { servlet } } } } } } } }
//!     `do` is alike on each level, but each leads on by a method that no level before it had: a chain, too
//!
//! walk
//!   visit
//!   walk recursion                    where the first of them was made
//!   recursion of walk x 3, 4 deep
//!     x 2                             the calls like the first one, at any depth ...
//!       visit
//!       walk recursion                ... in which those like it are not reported again
//!       walk x 1                      and others are reported where they were made
//!         leaf
//! ```
//!
//! Calls are reported together only where every method still comes first where it ran first; where
//! that does not hold they are reported one within the other, up to [`LEVELS`] of them.

use std::collections::BinaryHeap;

use model::code::MethodId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::replay::{Kind, NodeId};

use super::chain::Nearest;
use super::entry::{Entry, Visitor, What};
use super::groups::Group;
use super::inside::Inside;
use super::report::{Enclosing, Report};
use super::searched::Wanted;

/// So many calls of a method are reported one within the other for the sake of their order. Deeper ones
/// are reported together all the same: a recursion of thousands must stay readable.
pub(super) const LEVELS: usize = 16;

/// So many entries of calls reported together are looked at to see whether their order holds.
const TRIED: usize = 10_000;

/// Calls of one method that may be reported together.
struct Together {
    /// By shape, each shape with its calls at any depth. In the order in which they ran first.
    variants: Vec<Group>,
    /// All calls of the method, those of other shapes further inside included.
    times: u64,
    /// How many frames of the method were open at once in there.
    depth: u64,
    /// Nothing recurs but the method itself, see [`Nearest::is_chain`].
    is_chain: bool,
}

impl Report<'_> {
    /// How often each node below a group occurs in it, the larger numbers first, the group included.
    /// What is reported elsewhere is left out, see [`Report::is_elsewhere`].
    fn occurrences(&mut self, group: &Group, enclosing: &Enclosing) -> Vec<(NodeId, u64)> {
        let mut counts: FxHashMap<NodeId, u64> = FxHashMap::default();
        let mut waiting = BinaryHeap::new();
        let mut add = |node: NodeId, times: u64, waiting: &mut BinaryHeap<NodeId>| {
            let count = counts.entry(node).or_insert_with(|| {
                waiting.push(node);
                0
            });
            *count = count.saturating_add(times);
            *count
        };
        group.nodes.iter().for_each(|(node, times)| {
            add(*node, *times, &mut waiting);
        });
        let mut all = vec![];
        while let Some(node) = waiting.pop() {
            let times = add(node, 0, &mut waiting);
            if self.is_elsewhere(node, enclosing) {
                continue;
            }
            all.push((node, times));
            let items = self.replay.items(node);
            self.work = self.work.saturating_add(items.len() as u64);
            for item in items {
                if let Some(inner) = item.node() {
                    add(inner, times.saturating_mul(u64::from(item.times)), &mut waiting);
                }
            }
        }
        all
    }

    /// The nodes of a group and below, each once, in the order in which they ran first. What is reported
    /// elsewhere is left out, see [`Report::is_elsewhere`].
    fn in_order(&mut self, group: &Group, enclosing: &Enclosing) -> Vec<NodeId> {
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut order = vec![];
        let mut waiting: Vec<NodeId> = group.nodes.iter().rev().map(|(node, _)| *node).collect();
        while let Some(node) = waiting.pop() {
            if self.is_elsewhere(node, enclosing) || !seen.insert(node) {
                continue;
            }
            order.push(node);
            let items = self.replay.items(node);
            self.work = self.work.saturating_add(items.len() as u64);
            waiting.extend(items.iter().rev().filter_map(|item| item.node()));
        }
        order
    }

    /// All calls of such methods below these roots, in the order in which they ran first.
    pub(super) fn calls_of(
        &mut self,
        roots: &Group,
        is_asked: &dyn Fn(MethodId) -> bool,
    ) -> Vec<(MethodId, Group)> {
        let enclosing = Enclosing::everything(true);
        let counts: FxHashMap<NodeId, u64> = self.occurrences(roots, &enclosing).into_iter().collect();
        let mut asked: FxHashMap<MethodId, Group> = FxHashMap::default();
        for node in self.in_order(roots, &enclosing) {
            if let Kind::Frame { method, .. } = self.replay.kind(node)
                && is_asked(method)
            {
                asked.entry(method).or_default().add(node, counts.get(&node).copied().unwrap_or(0));
            }
        }
        let mut asked: Vec<(MethodId, Group)> = asked.into_iter().collect();
        asked.sort_unstable_by_key(|(method, _)| *method);
        asked
    }

    /// The shapes of the calls of a group, each once.
    pub(super) fn shapes_of(&mut self, group: &Group) -> Vec<u32> {
        let nodes = group.nodes.iter();
        let mut shapes: Vec<u32> = nodes.map(|(node, _)| self.shapes.of(self.replay, *node)).collect();
        shapes.sort_unstable();
        shapes.dedup();
        shapes
    }

    /// Whether the node is a call that is reported together with one around it, or is reported by itself
    /// because it is what is searched for.
    fn is_elsewhere(&mut self, node: NodeId, enclosing: &Enclosing) -> bool {
        self.is_together(node, enclosing) || (!enclosing.found && self.searched.of(node) == Wanted::Itself)
    }

    fn is_together(&mut self, node: NodeId, enclosing: &Enclosing) -> bool {
        !enclosing.together.is_empty()
            && matches!(self.replay.kind(node), Kind::Frame { .. })
            && enclosing.together.contains(&self.shapes.of(self.replay, node))
    }

    /// Calls of a method within a call of it.
    pub(super) fn within(
        &mut self,
        method: MethodId,
        group: Group,
        enclosing: &Enclosing,
        to: &mut dyn Visitor,
    ) -> bool {
        let (mut shown, mut found, mut others) = (Group::default(), Group::default(), Group::default());
        for &(node, times) in &group.nodes {
            let to = match () {
                () if self.is_together(node, enclosing) => &mut shown,
                () if self.is_elsewhere(node, enclosing) => &mut found,
                () => &mut others,
            };
            to.add(node, times);
        }
        if !shown.nodes.is_empty() && !self.mention(method, &shown, enclosing, to) {
            return false;
        }
        if !self.call(method, found, enclosing, to) {
            return false;
        }
        if others.nodes.is_empty() {
            return true;
        }
        if others.nodes.iter().all(|(node, _)| self.shown.contains(node)) {
            // As before, if it is one; of several it was reported what they have together.
            return match others.nodes.len() {
                1 => self.call(method, others, enclosing, to),
                _ => self.mention(method, &others, enclosing, to),
            };
        }
        let together = self.together(method, &others, enclosing);
        let gathers = together.variants.iter().map(Group::times).sum::<u64>() > others.times();
        let levels = enclosing.methods.iter().filter(|outer| **outer == method).count();
        let is_order_preserved = |report: &mut Self| {
            report.is_trial || !enclosing.found || levels >= LEVELS || {
                report.preserves_order(method, &others, &together, enclosing)
            }
        };
        // A chain is reported as it ran as long as that can be read.
        if !gathers || together.is_chain && levels < LEVELS || !is_order_preserved(self) {
            return self.call(method, others, enclosing, to);
        }
        self.mention(method, &others, enclosing, to) && self.report_together(method, &together, enclosing, to)
    }

    /// Names calls that are reported elsewhere.
    fn mention(
        &mut self,
        method: MethodId,
        group: &Group,
        enclosing: &Enclosing,
        to: &mut dyn Visitor,
    ) -> bool {
        let what = What::Within { method };
        let go_on = to.open(&Entry { at: enclosing.at, times: group.times(), around: enclosing.times, what });
        // What is inside is reported elsewhere; how much that is may be shown here.
        let _ = to.take(Inside::of(vec![group.clone()], enclosing.clone()));
        to.close();
        go_on
    }

    /// The calls of a method in these calls of it, at any depth, that may be reported together.
    fn together(&mut self, method: MethodId, group: &Group, enclosing: &Enclosing) -> Together {
        let of_method = |report: &Self, node: NodeId| matches!(report.replay.kind(node), Kind::Frame { method: called, .. } if called == method);
        let all = self.occurrences(group, enclosing);
        let mut counts: FxHashMap<NodeId, u64> = FxHashMap::default();
        let mut heights: FxHashMap<NodeId, u64> = FxHashMap::default();
        let mut nearest = Nearest::new(self.replay, method);
        let mut times = 0u64;
        for &(node, occurs) in all.iter().rev() {
            let below = self.replay.items(node).iter().filter_map(|item| heights.get(&item.node()?)).max();
            let height = below.copied().unwrap_or(0);
            let is_call = of_method(self, node);
            nearest.count(node);
            heights.insert(node, height + u64::from(is_call));
            if is_call {
                counts.insert(node, occurs);
                times = times.saturating_add(occurs);
            }
        }
        let shapes = self.shapes_of(group);
        let mut gathered = Group::default();
        for node in self.in_order(group, enclosing) {
            if let Some(&occurs) = counts.get(&node)
                && shapes.contains(&self.shapes.of(self.replay, node))
                && (enclosing.found || self.searched.of(node) != Wanted::No)
            {
                gathered.add(node, occurs);
            }
        }
        let outer = enclosing.methods.iter().filter(|outer| **outer == method).count() as u64;
        let deepest = group.nodes.iter().filter_map(|(node, _)| heights.get(node)).max();
        let depth = outer + deepest.copied().unwrap_or(0);
        let before = enclosing.methods.iter().rposition(|outer| *outer == method).map_or(0, |at| at + 1);
        let before = enclosing.methods.get(before..).unwrap_or_default();
        let is_chain = group.nodes.iter().all(|(node, _)| nearest.is_chain(before, *node));
        Together { variants: gathered.by_shape(self.replay, &mut self.shapes), times, depth, is_chain }
    }

    fn report_together(
        &mut self,
        method: MethodId,
        together: &Together,
        enclosing: &Enclosing,
        to: &mut dyn Visitor,
    ) -> bool {
        let Together { variants, times, depth, .. } = together;
        let what = What::Recursion { method, depth: *depth };
        let mut go_on = to.open(&Entry { at: None, times: *times, around: enclosing.times, what });
        if go_on {
            let mut inner = enclosing.clone();
            (inner.depth, inner.times, inner.at) = (enclosing.depth + 1, *times, None);
            for variant in variants {
                let first = variant.nodes.first().map(|(node, _)| *node);
                inner.together.extend(first.map(|node| self.shapes.of(self.replay, node)));
            }
            go_on = if self.is_too_deep(&inner) {
                let mut all = Group::default();
                variants
                    .iter()
                    .flat_map(|variant| &variant.nodes)
                    .for_each(|(node, times)| all.add(*node, *times));
                self.more(&all, &inner, to)
            } else {
                let Some(inside) = to.take(Inside::of_each(variants.clone(), inner)) else {
                    to.close();
                    return true;
                };
                self.describe(inside, to)
            };
        }
        if enclosing.found && go_on {
            let nodes = variants.iter().flat_map(|variant| &variant.nodes);
            self.shown.extend(nodes.map(|(node, _)| *node));
        }
        to.close();
        go_on
    }

    /// Whether every method that was not reported yet comes first where it ran first when these calls
    /// are reported together.
    fn preserves_order(
        &mut self,
        method: MethodId,
        group: &Group,
        together: &Together,
        enclosing: &Enclosing,
    ) -> bool {
        let mut ran = FirstMethods { known: self.named.clone(), ..FirstMethods::default() };
        for node in self.in_order(group, enclosing) {
            if let Kind::Frame { method, .. } = self.replay.kind(node) {
                ran.name(method);
            }
        }
        if ran.order.len() < 2 {
            return true;
        }
        let mut tried = FirstMethods { known: self.named.clone(), ..FirstMethods::default() };
        let (shown, named) = (self.shown.clone(), self.named.clone());
        self.is_trial = true;
        self.report_together(method, together, enclosing, &mut tried);
        self.is_trial = false;
        (self.shown, self.named) = (shown, named);
        let seen = tried.order.len();
        (seen == ran.order.len() || tried.entries >= TRIED) && ran.order.starts_with(&tried.order)
    }
}

/// Hears in which order methods are named first.
#[derive(Default)]
struct FirstMethods {
    known: FxHashSet<MethodId>,
    order: Vec<MethodId>,
    entries: usize,
}

impl FirstMethods {
    fn name(&mut self, method: MethodId) {
        if self.known.insert(method) {
            self.order.push(method);
        }
    }
}

impl Visitor for FirstMethods {
    fn open(&mut self, entry: &Entry<'_>) -> bool {
        if let What::Call { method, .. } | What::AsBefore { method, .. } | What::Within { method } =
            entry.what
        {
            self.name(method);
        }
        self.entries += 1;
        self.entries < TRIED
    }

    fn close(&mut self) {}
}
