//! Reports a thread, or all calls of a method, entry by entry.

use model::code::{BlockId, MethodId};
use rustc_hash::FxHashSet;

use crate::replay::{Kind, Measure, NodeId, Replay};

use super::entry::{Entry, Visitor, What};
use super::groups::{Filled, Group, slots};
use super::inside::Inside;
use super::searched::{Search, Searched, Wanted};
use super::shapes::{Lines, Shapes, Slot};

/// How many items may be looked at for one report.
const PATIENCE: u64 = 200_000_000;

/// How deep reports may go, whatever is asked for: reporting recurses this deep.
const DEEPEST: usize = 400;

/// Says whether the last block of an iteration has an edge to the head of the loop.
pub type ComesRound<'a> = dyn Fn(MethodId, u32, BlockId) -> bool + 'a;

/// What is reported.
#[derive(Default)]
pub struct Options<'a> {
    /// How many calls deep; `None`: as deep as may be.
    pub depth: Option<usize>,
    /// Iterations and repeated calls one after the other, only equal ones in a row together; recursion
    /// as the calls that it is; equal calls again and again.
    pub unfold: bool,
    /// Blocks that are reported as one: those on the same lines, for reports of lines. Calls and iterations
    /// that differ in nothing else are alike then.
    pub lines: Option<&'a Lines<'a>>,
    /// Whether the loop with this index may go on from this block with another iteration. A loop of which
    /// only an iteration ran that could not is reported with no iterations.
    pub comes_round: Option<&'a ComesRound<'a>>,
    /// Only what leads to such calls and iterations, and all that these do.
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

/// Reports of one replay.
pub struct Report<'a> {
    pub(super) replay: &'a Replay,
    blocks: &'a Measure,
    pub(super) calls: &'a Measure,
    pub(super) options: Options<'a>,
    pub(super) shapes: Shapes<'a>,
    pub(super) searched: Searched,
    /// Calls that were reported in full.
    pub(super) shown: FxHashSet<NodeId>,
    /// Methods whose calls were reported.
    pub(super) named: FxHashSet<MethodId>,
    /// Nobody hears what is reported now: it shows in which order it would be.
    pub(super) is_trial: bool,
    pub(super) work: u64,
}

impl std::fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Report").field("options", &self.options).finish_non_exhaustive()
    }
}

/// What encloses the calls that are reported next.
#[derive(Debug, Clone)]
pub(super) struct Enclosing {
    pub(super) depth: usize,
    pub(super) times: u64,
    pub(super) at: Option<(MethodId, BlockId)>,
    /// The methods of the calls around, outermost first.
    pub(super) methods: Vec<MethodId>,
    /// The shapes of calls that are reported together with those like them further inside.
    pub(super) together: Vec<u32>,
    /// Whether what is searched for is around: all below is reported.
    pub(super) found: bool,
}

impl Enclosing {
    /// Around all that is reported.
    pub(super) fn everything(found: bool) -> Enclosing {
        Enclosing { depth: 0, times: 1, at: None, methods: vec![], together: vec![], found }
    }

    /// What is below this is what is searched for, if `is_found`. It is reported in full, whatever of it
    /// was reported around it as what leads there.
    pub(super) fn find(&mut self, is_found: bool) {
        if is_found && !self.found {
            self.found = true;
            self.together.clear();
        }
    }
}

impl<'a> Report<'a> {
    /// With the measures of the same replay.
    pub fn new(
        replay: &'a Replay,
        blocks: &'a Measure,
        calls: &'a Measure,
        options: Options<'a>,
    ) -> Report<'a> {
        Report {
            replay,
            blocks,
            calls,
            shapes: Shapes::new(options.lines),
            searched: options.search.map_or_else(Searched::default, |search| Searched::find(replay, search)),
            options,
            shown: FxHashSet::default(),
            named: FxHashSet::default(),
            is_trial: false,
            work: 0,
        }
    }

    /// Whether anything of the thread with this root is searched for; yes if nothing is.
    pub fn has(&self, root: NodeId) -> bool {
        self.searched.is_everything() || self.searched.of(root) != Wanted::No
    }

    /// Reports what the thread with this root did.
    pub fn thread(&mut self, root: NodeId, to: &mut dyn Visitor) {
        self.shown.clear();
        self.named.clear();
        let enclosing = Enclosing::everything(self.searched.is_everything());
        self.body(&Group::one(root, 1), &enclosing, to);
    }

    /// Reports what all calls of such methods did that are in the threads with these roots, method by
    /// method in the order of their numbers, the calls of each in the order in which they ran first.
    pub fn methods(&mut self, roots: &[NodeId], is_asked: &dyn Fn(MethodId) -> bool, to: &mut dyn Visitor) {
        self.shown.clear();
        self.named.clear();
        let mut all = Group::default();
        roots.iter().for_each(|root| all.add(*root, 1));
        for (method, group) in self.calls_of(&all, is_asked) {
            // The calls inside others of these are among them, and not reported again there.
            let enclosing = Enclosing { together: self.shapes_of(&group), ..Enclosing::everything(true) };
            if !self.call(method, group, &enclosing, to) {
                return;
            }
        }
    }

    /// Reports what a group of one shape has inside. `false`: no more.
    pub(super) fn body(&mut self, group: &Group, enclosing: &Enclosing, to: &mut dyn Visitor) -> bool {
        let method = group.nodes.first().and_then(|(node, _)| match self.replay.kind(*node) {
            Kind::Frame { method, .. } | Kind::Loop { method, .. } | Kind::Iteration { method } => {
                Some(method)
            }
            Kind::Root | Kind::Again { .. } => None,
        });
        let mut enclosing = enclosing.clone();
        for filled in slots(self.replay, group, self.options.lines, &mut self.work) {
            let Filled { slot, block: last, times, group } = filled;
            let go_on = match slot {
                Slot::Block(..) => {
                    enclosing.at = method.zip(last);
                    true
                }
                Slot::Catch(block) => {
                    let caught = self.leaf(&enclosing, times, What::Caught { block }, to);
                    enclosing.at = method.map(|method| (method, block));
                    caught
                }
                Slot::Gap(lost) => self.leaf(&enclosing, times, What::Gap { lost }, to),
                Slot::Inferred(inferred) => self.leaf(&enclosing, times, What::Inferred { inferred }, to),
                Slot::Observed => self.leaf(&enclosing, times, What::Observed, to),
                Slot::Call(callee, _) | Slot::Again(callee) => self.calls(callee, group, &enclosing, to),
                Slot::Loop(index) => self.iterations(index, group, &enclosing, to),
            };
            if !go_on {
                return false;
            }
        }
        true
    }

    fn leaf(&mut self, enclosing: &Enclosing, times: u64, what: What<'_>, to: &mut dyn Visitor) -> bool {
        if !enclosing.found {
            return true;
        }
        let go_on = to.open(&Entry { at: enclosing.at, times, around: enclosing.times, what });
        to.close();
        go_on
    }

    /// Calls at one place.
    pub(super) fn calls(
        &mut self,
        method: MethodId,
        group: Group,
        enclosing: &Enclosing,
        to: &mut dyn Visitor,
    ) -> bool {
        let mut group = group;
        if !enclosing.found {
            group.nodes.retain(|(node, _)| self.searched.of(*node) != Wanted::No);
        }
        if self.options.unfold {
            let mut nodes = group.nodes.into_iter();
            return nodes.all(|(node, times)| self.call(method, Group::one(node, times), enclosing, to));
        }
        match enclosing.methods.contains(&method) {
            true => self.within(method, group, enclosing, to),
            false => self.call(method, group, enclosing, to),
        }
    }

    /// Whether what is inside is only counted.
    pub(super) fn is_too_deep(&self, inner: &Enclosing) -> bool {
        inner.depth > self.options.depth.unwrap_or(DEEPEST).min(DEEPEST) || self.work > PATIENCE
    }

    /// Calls of a method, reported together.
    pub(super) fn call(
        &mut self,
        method: MethodId,
        group: Group,
        enclosing: &Enclosing,
        to: &mut dyn Visitor,
    ) -> bool {
        let Some(&(first, _)) = group.nodes.first() else { return true };
        let Kind::Frame { entered, left, .. } = self.replay.kind(first) else { return true };
        let times = group.times();
        let entry = |what| Entry { at: enclosing.at, times, around: enclosing.times, what };
        self.named.insert(method);
        let is_single = group.nodes.len() == 1;
        let variants = group.clone().by_shape(self.replay, &mut self.shapes);
        let alike = variants.len() == 1;
        let blocks = if alike { self.own_blocks(first) } else { vec![] };
        if is_single && !self.options.unfold && self.shown.contains(&first) && self.calls.of_node(first) > 1 {
            let go_on = to.open(&entry(What::AsBefore { method, entered, left, blocks: &blocks }));
            to.close();
            return go_on;
        }
        let what = What::Call { method, entered, left: alike.then_some(left), blocks: &blocks };
        if !to.open(&entry(what)) {
            to.close();
            return false;
        }
        let mut inner = enclosing.clone();
        inner.methods.push(method);
        (inner.depth, inner.times, inner.at) = (enclosing.depth + 1, times, None);
        if alike {
            inner.find(variants.iter().any(|variant| {
                variant.nodes.iter().any(|(node, _)| self.searched.of(*node) == Wanted::Itself)
            }));
        }
        let go_on = if self.is_too_deep(&inner) {
            self.more(&group, &inner, to)
        } else {
            let Some(inside) = to.take(Inside::of(variants, inner)) else {
                to.close();
                return true;
            };
            self.describe(inside, to)
        };
        if is_single && enclosing.found && go_on {
            self.shown.insert(first);
        }
        to.close();
        go_on
    }

    /// What is not reported, because it lies too deep.
    pub(super) fn more(&mut self, group: &Group, enclosing: &Enclosing, to: &mut dyn Visitor) -> bool {
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
            around: enclosing.times,
            what: What::More { calls, blocks },
        };
        let go_on = to.open(&entry);
        to.close();
        go_on
    }

    /// Several shapes of one thing.
    pub(super) fn variants(
        &mut self,
        variants: Vec<Group>,
        enclosing: &Enclosing,
        to: &mut dyn Visitor,
    ) -> bool {
        for variant in variants {
            let Some(&(first, _)) = variant.nodes.first() else { continue };
            let wanted =
                variant.nodes.iter().map(|(node, _)| self.searched.of(*node)).max().unwrap_or(Wanted::No);
            if !enclosing.found && wanted == Wanted::No {
                continue;
            }
            let (method, left) = match self.replay.kind(first) {
                Kind::Frame { method, left, .. } => (method, Some(left)),
                Kind::Iteration { method } | Kind::Loop { method, .. } => (method, None),
                Kind::Root | Kind::Again { .. } => continue,
            };
            let blocks = self.own_blocks(first);
            let times = variant.times();
            let what = What::Variant { method, left, blocks: &blocks };
            let mut go_on = to.open(&Entry { at: enclosing.at, times, around: enclosing.times, what });
            let mut inner = enclosing.clone();
            (inner.times, inner.at) = (times, None);
            inner.find(wanted == Wanted::Itself);
            if go_on && let Some(inside) = to.take(Inside::of(vec![variant], inner)) {
                go_on = self.describe(inside, to);
            }
            to.close();
            if !go_on {
                return false;
            }
        }
        true
    }

    /// The blocks that a node runs itself, ascending.
    pub(super) fn own_blocks(&mut self, node: NodeId) -> Vec<BlockId> {
        let items = self.replay.items(node);
        self.work = self.work.saturating_add(items.len() as u64);
        let mut blocks: Vec<BlockId> = items.iter().filter_map(|item| item.block()).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }
}
