//! Tells a thread, or all calls of a method, entry by entry.

use std::collections::BinaryHeap;

use model::code::{BlockId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::replay::{Kind, Measure, NodeId, Replay};

use super::entry::{Entry, Tells, What};
use super::groups::{Filled, Group, add_items, slots};
use super::shapes::{Lines, Shapes, Slot};

/// How many items may be looked at for one report.
const PATIENCE: u64 = 200_000_000;

/// How deep reports may go, whatever is asked for: telling recurses this deep.
const DEEPEST: usize = 400;

/// Says of a method and of the blocks that a call or turn of it ran itself whether it is searched for.
pub type Search<'a> = dyn Fn(MethodId, &[BlockId]) -> bool + 'a;

/// Says whether the last block of a turn has an edge to the head of the loop.
pub type ComesRound<'a> = dyn Fn(MethodId, u32, BlockId) -> bool + 'a;

/// What is told.
#[derive(Default)]
pub struct Options<'a> {
    /// How many calls deep; `None`: as deep as may be.
    pub depth: Option<usize>,
    /// Turns and repeated calls one after the other, only equal ones in a row together; recursion
    /// as the calls that it is; equal calls again and again.
    pub unfold: bool,
    /// Blocks that are told as one: those on the same lines, for who tells lines. Calls and turns
    /// that differ in nothing else are alike then.
    pub lines: Option<&'a Lines<'a>>,
    /// Whether the loop with this index may go on from this block with another turn. A loop of which
    /// only a turn ran that could not is told with no turns.
    pub comes_round: Option<&'a ComesRound<'a>>,
    /// Only what leads to such calls and turns, and all that these do.
    pub search: Option<&'a Search<'a>>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("depth", &self.depth)
            .field("unfold", &self.unfold)
            .finish_non_exhaustive()
    }
}

/// Tells of one replay.
pub struct Report<'a> {
    replay: &'a Replay,
    blocks: &'a Measure,
    calls: &'a Measure,
    options: Options<'a>,
    shapes: Shapes<'a>,
    /// By node, whether what is searched lies in it; empty: nothing is searched.
    wanted: Vec<Wanted>,
    /// Calls that were told in full.
    told: FxHashSet<NodeId>,
    work: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    No,
    Inside,
    Itself,
}

impl std::fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Report").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Where the telling stands.
#[derive(Clone)]
struct Around {
    depth: usize,
    times: u64,
    at: Option<(MethodId, BlockId)>,
    /// The methods of the calls around, outermost first.
    methods: Vec<MethodId>,
    /// Whether what is searched for is around: all below is told.
    found: bool,
}

impl<'a> Report<'a> {
    /// With the measures of the same replay.
    pub fn new(
        replay: &'a Replay,
        blocks: &'a Measure,
        calls: &'a Measure,
        options: Options<'a>,
    ) -> Report<'a> {
        let mut report = Report {
            replay,
            blocks,
            calls,
            shapes: Shapes::new(options.lines),
            options,
            wanted: vec![],
            told: FxHashSet::default(),
            work: 0,
        };
        report.find();
        report
    }

    /// Marks what is searched for, and what leads there. Children have smaller numbers.
    fn find(&mut self) {
        let Some(search) = self.options.search else { return };
        let mut blocks = vec![];
        for node in (0..self.replay.len() as u32).map(NodeId) {
            let items = self.replay.items(node);
            let inside = items.iter().filter_map(|item| item.node());
            let mut wanted =
                inside.map(|inner| self.wanted_of(inner).min(Wanted::Inside)).max().unwrap_or(Wanted::No);
            if let Kind::Frame { method, .. } | Kind::Turn { method } = self.replay.kind(node) {
                blocks.clear();
                blocks.extend(items.iter().filter_map(|item| item.block()));
                if search(method, &blocks) {
                    wanted = Wanted::Itself;
                }
            }
            self.wanted.push(wanted);
        }
    }

    fn wanted_of(&self, node: NodeId) -> Wanted {
        self.wanted.get(node.0 as usize).copied().unwrap_or(Wanted::No)
    }

    /// Whether anything of the thread with this root is searched for; yes if nothing is.
    pub fn has(&self, root: NodeId) -> bool {
        self.wanted.is_empty() || self.wanted_of(root) != Wanted::No
    }

    /// Tells what the thread with this root did.
    pub fn thread(&mut self, root: NodeId, to: &mut dyn Tells) {
        self.told.clear();
        let around = Around { depth: 0, times: 1, at: None, methods: vec![], found: self.wanted.is_empty() };
        self.body(&Group::one(root, 1), &around, to);
    }

    /// Tells what all calls of such methods did that are in the threads with these roots, method by
    /// method in the order of their numbers.
    pub fn methods(&mut self, roots: &[NodeId], is_asked: &dyn Fn(MethodId) -> bool, to: &mut dyn Tells) {
        self.told.clear();
        let mut asked: FxHashMap<MethodId, Group> = FxHashMap::default();
        let mut all = Group::default();
        roots.iter().for_each(|root| all.add(*root, 1));
        for (node, times) in self.occurrences(&all) {
            if let Kind::Frame { method, .. } = self.replay.kind(node)
                && is_asked(method)
            {
                asked.entry(method).or_default().add(node, times);
            }
        }
        let mut asked: Vec<(MethodId, Group)> = asked.into_iter().collect();
        asked.sort_unstable_by_key(|(method, _)| *method);
        for (method, group) in asked {
            // The outermost calls have the largest numbers; first ones first reads better.
            let mut group = group;
            group.nodes.sort_unstable_by_key(|(node, _)| *node);
            let around = Around { depth: 0, times: 1, at: None, methods: vec![], found: true };
            if !self.call(method, group, &around, true, to) {
                return;
            }
        }
    }

    /// How often each node below a group occurs in it, the larger numbers first, the group included.
    fn occurrences(&mut self, group: &Group) -> Vec<(NodeId, u64)> {
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

    /// Tells what a group of one shape has inside. `false`: no more.
    fn body(&mut self, group: &Group, around: &Around, to: &mut dyn Tells) -> bool {
        let method = group.nodes.first().and_then(|(node, _)| match self.replay.kind(*node) {
            Kind::Frame { method, .. } | Kind::Loop { method, .. } | Kind::Turn { method } => Some(method),
            Kind::Root | Kind::Again { .. } => None,
        });
        let mut around = around.clone();
        for filled in slots(self.replay, group, self.options.lines, &mut self.work) {
            let Filled { slot, block: last, times, group } = filled;
            let go_on = match slot {
                Slot::Block(..) => {
                    around.at = method.zip(last);
                    true
                }
                Slot::Catch(block) => {
                    let caught = self.leaf(&around, times, What::Caught { block }, to);
                    around.at = method.map(|method| (method, block));
                    caught
                }
                Slot::Gap(lost) => self.leaf(&around, times, What::Gap { lost }, to),
                Slot::Call(callee, _) | Slot::Again(callee) => self.calls(callee, group, &around, to),
                Slot::Loop(index) => self.turns(index, group, &around, to),
            };
            if !go_on {
                return false;
            }
        }
        true
    }

    fn leaf(&mut self, around: &Around, times: u64, what: What<'_>, to: &mut dyn Tells) -> bool {
        if !around.found {
            return true;
        }
        let go_on = to.open(&Entry { at: around.at, times, around: around.times, what });
        to.close();
        go_on
    }

    /// Calls at one place.
    fn calls(&mut self, method: MethodId, group: Group, around: &Around, to: &mut dyn Tells) -> bool {
        if !self.options.unfold {
            return self.call(method, group, around, false, to);
        }
        group
            .nodes
            .into_iter()
            .all(|(node, times)| self.call(method, Group::one(node, times), around, false, to))
    }

    /// Calls of a method, told together. `everywhere`: they come from anywhere in the recording.
    fn call(
        &mut self,
        method: MethodId,
        group: Group,
        around: &Around,
        everywhere: bool,
        to: &mut dyn Tells,
    ) -> bool {
        let mut group = group;
        if !around.found {
            group.nodes.retain(|(node, _)| self.wanted_of(*node) != Wanted::No);
        }
        let Some(&(first, _)) = group.nodes.first() else { return true };
        let Kind::Frame { entered, left, .. } = self.replay.kind(first) else { return true };
        let times = group.times();
        let entry = |what| Entry { at: around.at, times, around: around.times, what };
        if !self.options.unfold && around.methods.contains(&method) {
            let go_on = to.open(&entry(What::Within { method }));
            to.close();
            return go_on;
        }
        let is_single = group.nodes.len() == 1;
        let mut variants = group.clone().by_shape(self.replay, &mut self.shapes);
        let alike = variants.len() == 1;
        let blocks = if alike { self.own_blocks(first) } else { vec![] };
        if is_single && !self.options.unfold && self.told.contains(&first) && self.calls.of_node(first) > 1 {
            let go_on = to.open(&entry(What::AsBefore { method, entered, left, blocks: &blocks }));
            to.close();
            return go_on;
        }
        let what = What::Call { method, entered, left: alike.then_some(left), blocks: &blocks };
        if !to.open(&entry(what)) {
            to.close();
            return false;
        }
        let mut inner = around.clone();
        inner.methods.push(method);
        (inner.depth, inner.times, inner.at) = (around.depth + 1, times, None);
        if alike {
            inner.found |= variants
                .iter()
                .any(|variant| variant.nodes.iter().any(|(node, _)| self.wanted_of(*node) == Wanted::Itself));
        }
        let most = self.options.depth.unwrap_or(DEEPEST).min(DEEPEST);
        let mut go_on = true;
        if inner.depth > most || self.work > PATIENCE {
            go_on = self.more(&group, &inner, to);
        } else {
            if let [variant] = variants.as_slice() {
                go_on = self.body(variant, &inner, to);
            } else {
                let variants = std::mem::take(&mut variants);
                go_on &= self.variants(variants, &inner, to);
            }
            go_on = go_on && self.recursion(method, &group, &inner, everywhere, to);
        }
        if is_single && around.found && go_on {
            self.told.insert(first);
        }
        to.close();
        go_on
    }

    /// What is not told, because it lies too deep.
    fn more(&mut self, group: &Group, around: &Around, to: &mut dyn Tells) -> bool {
        let sum = |measure: &Measure| {
            let each = group.nodes.iter().map(|(node, times)| measure.of_node(*node).saturating_mul(*times));
            each.fold(0u64, u64::saturating_add)
        };
        let calls = sum(self.calls).saturating_sub(group.times());
        let blocks = sum(self.blocks);
        if calls == 0 {
            return true;
        }
        let entry = Entry {
            at: None,
            times: group.times(),
            around: around.times,
            what: What::More { calls, blocks },
        };
        let go_on = to.open(&entry);
        to.close();
        go_on
    }

    /// Several shapes of one thing.
    fn variants(&mut self, variants: Vec<Group>, around: &Around, to: &mut dyn Tells) -> bool {
        for variant in variants {
            let Some(&(first, _)) = variant.nodes.first() else { continue };
            let wanted =
                variant.nodes.iter().map(|(node, _)| self.wanted_of(*node)).max().unwrap_or(Wanted::No);
            if !around.found && wanted == Wanted::No {
                continue;
            }
            let (method, left) = match self.replay.kind(first) {
                Kind::Frame { method, left, .. } => (method, Some(left)),
                Kind::Turn { method } | Kind::Loop { method, .. } => (method, None),
                Kind::Root | Kind::Again { .. } => continue,
            };
            let blocks = self.own_blocks(first);
            let times = variant.times();
            let what = What::Variant { method, left, blocks: &blocks };
            let mut go_on = to.open(&Entry { at: around.at, times, around: around.times, what });
            let mut inner = around.clone();
            (inner.times, inner.at) = (times, None);
            inner.found |= wanted == Wanted::Itself;
            go_on = go_on && self.body(&variant, &inner, to);
            to.close();
            if !go_on {
                return false;
            }
        }
        true
    }

    /// The turns of a loop at one place.
    fn turns(&mut self, index: Option<u32>, group: Group, around: &Around, to: &mut dyn Tells) -> bool {
        if !around.found && !group.nodes.iter().any(|(node, _)| self.wanted_of(*node) != Wanted::No) {
            return true;
        }
        let entered = group.times();
        let Some(Kind::Loop { method, .. }) = group.nodes.first().map(|(node, _)| self.replay.kind(*node))
        else {
            return true;
        };
        let mut turns = Group::default();
        let mut in_order = vec![];
        for &(node, times) in &group.nodes {
            if self.options.unfold {
                let items = self.replay.items(node).iter();
                let turn = |item: &crate::replay::Item| Some(Group::one(item.node()?, u64::from(item.times)));
                in_order.extend(items.filter_map(turn));
            }
            add_items(self.replay, &mut turns, node, times, &mut self.work);
        }
        let mut times = turns.times();
        let variants = match self.options.unfold {
            true => in_order,
            false => {
                let (variants, whole) = self.whole_turns(turns, index, entered);
                times = whole;
                variants
            }
        };
        let blocks = match variants.as_slice() {
            [only] => only.nodes.first().map(|(node, _)| self.own_blocks(*node)).unwrap_or_default(),
            _ => vec![],
        };
        let what = What::Loop { method, index, entered, blocks: &blocks };
        let mut go_on = to.open(&Entry { at: around.at, times, around: around.times, what });
        let mut inner = around.clone();
        (inner.times, inner.at) = (times, None);
        go_on = go_on
            && match variants.as_slice() {
                [only] => {
                    let itself = only.nodes.iter().any(|(node, _)| self.wanted_of(*node) == Wanted::Itself);
                    inner.found |= itself;
                    self.body(only, &inner, to)
                }
                _ => self.variants(variants, &inner, to),
            };
        to.close();
        go_on
    }

    /// Whether another turn could follow this one, as far as anybody can tell.
    fn may_come_round(&self, index: Option<u32>, turn: NodeId) -> bool {
        let (Some(asked), Some(index)) = (self.options.comes_round, index) else { return true };
        let Kind::Turn { method } = self.replay.kind(turn) else { return true };
        let last = self.replay.items(turn).last().and_then(|item| item.block());
        last.is_none_or(|last| asked(method, index, last))
    }

    /// The kinds of turns, and how many turns there were. A turn that only found that the loop is to
    /// be left, by a beginning of what others do, is none for people.
    fn whole_turns(&mut self, turns: Group, index: Option<u32>, entered: u64) -> (Vec<Group>, u64) {
        let mut times = turns.times();
        if self.options.comes_round.is_none() || index.is_none() {
            let mut variants = turns.by_shape(self.replay, &mut self.shapes);
            if let Some(at) = self.leaving(&variants, entered) {
                times -= variants.remove(at).times();
            }
            return (variants, times);
        }
        let (mut rest, mut last) = (Group::default(), vec![]);
        for (node, count) in turns.nodes {
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

    /// Which of these turns only found, each time, that the loop is to be left: a beginning of what
    /// another turn does, once for each time that the loop was come by. It is no turn for people.
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

    /// The calls of a method within its calls of this group.
    fn recursion(
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

    /// The blocks that a node runs itself, ascending.
    fn own_blocks(&mut self, node: NodeId) -> Vec<BlockId> {
        let items = self.replay.items(node);
        self.work = self.work.saturating_add(items.len() as u64);
        let mut blocks: Vec<BlockId> = items.iter().filter_map(|item| item.block()).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }
}
