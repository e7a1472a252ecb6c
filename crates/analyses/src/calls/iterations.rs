//! Loops in a report: their iterations put together by what they did.

use model::code::BlockId;

use crate::replay::{Kind, NodeId};

use super::entry::{Entry, Visitor, What};
use super::groups::{Group, add_items};
use super::inside::Inside;
use super::report::{Enclosing, Report};
use super::searched::Wanted;
use super::shapes::Shapes;

impl Report<'_> {
    /// The iterations of a loop at one place.
    pub(super) fn iterations(
        &mut self,
        index: Option<u32>,
        group: Group,
        enclosing: &Enclosing,
        to: &mut dyn Visitor,
    ) -> bool {
        if !enclosing.found && !group.nodes.iter().any(|(node, _)| self.searched.of(*node) != Wanted::No) {
            return true;
        }
        let entered = group.times();
        let Some(Kind::Loop { method, .. }) = group.nodes.first().map(|(node, _)| self.replay.kind(*node))
        else {
            return true;
        };
        let mut iterations = Group::default();
        let mut in_order = vec![];
        for &(node, times) in &group.nodes {
            if self.options.unfold {
                let items = self.replay.items(node).iter();
                let iteration =
                    |item: &crate::replay::Item| Some(Group::one(item.node()?, u64::from(item.times)));
                in_order.extend(items.filter_map(iteration));
            }
            add_items(self.replay, &mut iterations, node, times, &mut self.work);
        }
        let mut ran: Vec<BlockId> =
            iterations.nodes.iter().flat_map(|(node, _)| self.own_blocks(*node)).collect();
        ran.sort_unstable();
        ran.dedup();
        let (variants, times) = self.whole_iterations(iterations, index, entered);
        let variants = if self.options.unfold { in_order } else { variants };
        let blocks = match variants.as_slice() {
            [only] => only.nodes.first().map(|(node, _)| self.own_blocks(*node)).unwrap_or_default(),
            _ => vec![],
        };
        let what = What::Loop { method, index, entered, blocks: &blocks, ran: &ran };
        let mut go_on = to.open(&Entry { at: enclosing.at, times, around: enclosing.times, what });
        let mut inner = enclosing.clone();
        (inner.times, inner.at) = (times, None);
        if let [only] = variants.as_slice() {
            inner.find(only.nodes.iter().any(|(node, _)| self.searched.of(*node) == Wanted::Itself));
        }
        if go_on && let Some(inside) = to.take(Inside::of(variants, inner)) {
            go_on = self.describe(inside, to);
        }
        to.close();
        go_on
    }

    /// Whether another iteration could follow this one, as far as is known.
    fn may_come_round(&self, index: Option<u32>, iteration: NodeId) -> bool {
        let (Some(asked), Some(index)) = (self.options.comes_round, index) else { return true };
        let Kind::Iteration { method } = self.replay.kind(iteration) else { return true };
        let last = self.replay.items(iteration).last().and_then(|item| item.block());
        last.is_none_or(|last| asked(method, index, last))
    }

    /// The kinds of iterations, and how many iterations there were. An iteration that only found that the loop is to
    /// be left, doing the beginning of what others do, is not counted.
    fn whole_iterations(&mut self, iterations: Group, index: Option<u32>, entered: u64) -> (Vec<Group>, u64) {
        let mut times = iterations.times();
        if self.options.comes_round.is_none() || index.is_none() {
            let mut variants = iterations.by_shape(self.replay, &mut self.shapes);
            if let Some(at) = self.leaving(&variants, entered) {
                times -= variants.remove(at).times();
            }
            return (variants, times);
        }
        let (mut rest, mut last) = (Group::default(), vec![]);
        for (node, count) in iterations.nodes {
            let only_blocks = self.replay.items(node).iter().all(|item| item.block().is_some());
            if only_blocks && !self.may_come_round(index, node) {
                last.push((node, count));
            } else {
                rest.add(node, count);
            }
        }
        let nothing_else = rest.nodes.is_empty();
        if nothing_else {
            times = 0;
        }
        let mut variants = rest.by_shape(self.replay, &mut self.shapes);
        let mut apart = Group::default();
        for (node, count) in last {
            let like = |shapes: &mut Shapes<'_>, group: &Group| {
                let first = group.nodes.first().map(|(node, _)| *node);
                first.is_some_and(|first| {
                    shapes.of(self.replay, node) == shapes.of(self.replay, first)
                        || shapes.begins(self.replay, node, first)
                })
            };
            if !nothing_else && variants.iter().any(|group| like(&mut self.shapes, group)) {
                times -= count;
            } else {
                apart.add(node, count);
            }
        }
        variants.extend(apart.by_shape(self.replay, &mut self.shapes));
        (variants, times)
    }

    /// Which of these iterations only found, each time, that the loop is to be left: a beginning of what
    /// another iteration does, once for each time that the loop was come by. It is no iteration for people.
    fn leaving(&mut self, variants: &[Group], entered: u64) -> Option<usize> {
        let first = |group: &Group| group.nodes.first().map(|(node, _)| *node);
        variants.iter().position(|variant| {
            variant.times() == entered
                && first(variant).is_some_and(|short| {
                    let others = variants.iter().filter_map(first);
                    others
                        .filter(|long| *long != short)
                        .any(|long| self.shapes.begins(self.replay, short, long))
                })
        })
    }
}
