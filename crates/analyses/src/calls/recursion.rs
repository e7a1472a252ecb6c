//! Recursion in a report: the calls of a method within its own calls, told once below the outermost.

use std::collections::BinaryHeap;

use model::code::MethodId;
use rustc_hash::FxHashMap;

use crate::replay::{Kind, NodeId};

use super::entry::{Entry, Tells, What};
use super::groups::Group;
use super::report::{Around, Report};

impl Report<'_> {
    /// How often each node below a group occurs in it, the larger numbers first, the group included.
    pub(super) fn occurrences(&mut self, group: &Group) -> Vec<(NodeId, u64)> {
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

    /// The calls of a method within its calls of this group.
    pub(super) fn recursion(
        &mut self,
        method: MethodId,
        group: &Group,
        around: &Around,
        everywhere: bool,
        to: &mut dyn Tells,
    ) -> bool {
        let outermost = !around.methods[..around.methods.len().saturating_sub(1)].contains(&method);
        let calls = group.nodes.iter().any(|(node, _)| self.calls.of_node(*node) > 1);
        if self.options.unfold || !outermost || !calls || everywhere || !around.found {
            return true;
        }
        let all = self.occurrences(group);
        let of_method = |node: NodeId| matches!(self.replay.kind(node), Kind::Frame { method: called, .. } if called == method);
        let mut inside = Group::default();
        for (node, times) in all.iter().rev() {
            let outer = group.nodes.iter().find(|(known, _)| known == node).map_or(0, |(_, times)| *times);
            if of_method(*node) && *times > outer {
                inside.add(*node, times - outer);
            }
        }
        if inside.nodes.is_empty() {
            return true;
        }
        let mut heights: FxHashMap<NodeId, u64> = FxHashMap::default();
        for (node, _) in all.iter().rev() {
            let below = self.replay.items(*node).iter().filter_map(|item| heights.get(&item.node()?)).max();
            heights.insert(*node, below.copied().unwrap_or(0) + u64::from(of_method(*node)));
        }
        let depth = group.nodes.iter().filter_map(|(node, _)| heights.get(node)).max().copied().unwrap_or(0);
        let times = inside.times();
        let what = What::Recursion { method, depth };
        let mut go_on = to.open(&Entry { at: None, times, around: around.times, what });
        if go_on {
            let mut inner = around.clone();
            (inner.times, inner.at) = (times, None);
            let variants = inside.by_shape(self.replay, &mut self.shapes);
            go_on = self.variants(variants, &inner, to);
        }
        to.close();
        go_on
    }
}
