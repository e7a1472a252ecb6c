//! Which calls are scenes, the best first: each time what brings most for each scene that it costs, with whatever leads there.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use model::code::{BlockId, MethodId};
use rustc_hash::FxHashSet;

use crate::calls::{ComesRound, Lines, Shapes};
use crate::replay::{Kind, Measure, NodeId, Replay};

use super::entry::Entry;
use super::firsts::{Firsts, Root};
use super::gains::{Gains, Thing, own};
use super::hidden::Hidden;
use super::variants::{self, ByMethod, LoopVariants};

/// Scenes that are found at most.
const MOST: usize = 5000;
/// What a scene costs, and a call on the way that shows nothing new.
const SCENE: u64 = 16;
const LEVEL: u64 = 1;
/// For each so many calls one more is chosen at a time, so that large trees are not looked at too often.
const STRIDE: usize = 20_000;

/// What scenes of a method are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It belongs to the program.
    Own,
    /// It belongs to a library.
    Other,
    /// It has no scene.
    Hidden(Hidden),
}

/// Says the lines of a block of a method, one after the other.
pub type SourceLines<'a> = dyn Fn(MethodId, BlockId, &mut dyn FnMut(u32)) + 'a;

/// What a ranking depends on.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Blocks of a method that are reported as one get the same number.
    pub lines: &'a Lines<'a>,
    /// The lines of a block: what scenes are to show.
    pub source: &'a SourceLines<'a>,
    /// Whether a loop may go on from a block.
    pub comes_round: &'a ComesRound<'a>,
    /// What scenes of a method are worth.
    pub weight: &'a dyn Fn(MethodId) -> Weight,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").finish_non_exhaustive()
    }
}

/// A call that was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) node: NodeId,
    /// Whether it shows something new; else it only leads on.
    pub(super) is_scene: bool,
}

/// A method that ran below the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ran {
    /// Its first call, and where that began.
    pub(super) node: NodeId,
    pub(super) begin: u64,
    pub(super) calls: u64,
    pub(super) hidden: Option<Hidden>,
}

/// See the module's head.
#[derive(Debug)]
pub struct Ranking {
    pub(super) roots: Vec<Root>,
    /// Without set-up.
    pub(super) firsts: Firsts,
    /// With it.
    pub(super) all_firsts: Firsts,
    /// A call comes behind the one that made it.
    pub(super) order: Vec<Chosen>,
    pub(super) methods: BTreeMap<MethodId, Ran>,
    variants: ByMethod,
    /// Lines that ran below the entry, and after each scene of `order` those that were shown.
    pub(super) lines: usize,
    pub(super) shown: Vec<usize>,
}

impl Ranking {
    /// Of what is below an entry. `blocks` measures positions.
    pub fn of(replay: &Replay, blocks: &Measure, entry: Entry, options: Options<'_>) -> Ranking {
        let roots = entry.roots(replay, blocks);
        let is_root: BTreeSet<NodeId> = roots.iter().map(|root| root.node).collect();
        let weight = |node: NodeId| match replay.kind(node) {
            Kind::Frame { method, .. } => match (options.weight)(method) {
                // Who asks for a call wants to see it.
                Weight::Hidden(_) if is_root.contains(&node) => Weight::Own,
                weight => weight,
            },
            _ => Weight::Other,
        };
        let is_set_up = |node: NodeId| weight(node) == Weight::Hidden(Hidden::SetUp);
        let firsts = Firsts::below(replay, blocks, &roots, &is_set_up);
        let all_firsts = Firsts::below(replay, blocks, &roots, &|_| false);
        let mut shapes = Shapes::new(Some(options.lines));
        let variants = variants::all(replay, &all_firsts, &mut shapes, options.comes_round);
        let (methods, lines) = ran(replay, &firsts, &all_firsts, options, &mut shapes, &weight);
        let mut gains = Gains::of(replay, blocks, &firsts, options.source, &mut shapes, &weight);
        let tree = Tree::of(replay, &firsts, &is_set_up);
        let (order, shown) = tree.choose(&mut gains, &mut shapes);
        Ranking { roots, firsts, all_firsts, order, methods, variants, lines, shown }
    }

    /// The loops of a method, with the iterations of all its calls.
    pub fn variants(&self, method: MethodId) -> &[LoopVariants] {
        self.variants.get(&method).map_or(&[], Vec::as_slice)
    }

    /// How many scenes there are that show something new.
    pub fn scenes(&self) -> usize {
        self.order.iter().filter(|one| one.is_scene).count()
    }

    /// How many lines the best `scenes` show.
    pub fn shown_by(&self, scenes: usize) -> usize {
        let last = scenes.min(self.shown.len()).checked_sub(1);
        last.and_then(|last| self.shown.get(last)).copied().unwrap_or(0)
    }

    /// How often a call occurred below the entry.
    pub fn times(&self, node: NodeId) -> u64 {
        self.all_firsts.times(node)
    }

    /// The first call of a method below the entry, in which a line of it ran where `ran` says so.
    pub fn first_call(
        &self,
        replay: &Replay,
        method: MethodId,
        mut ran: impl FnMut(NodeId) -> bool,
    ) -> Option<NodeId> {
        let nodes = (0..replay.len() as u32).map(NodeId);
        let is_it =
            |node: &NodeId| matches!(replay.kind(*node), Kind::Frame { method: of, .. } if of == method);
        let mut calls: Vec<NodeId> =
            nodes.filter(is_it).filter(|node| self.all_firsts.times(*node) > 0).collect();
        calls.sort_by_key(|node| (self.all_firsts.begin(*node), *node));
        calls.into_iter().find(|node| ran(*node))
    }
}

/// The methods that ran and how many lines did.
fn ran(
    replay: &Replay,
    firsts: &Firsts,
    all_firsts: &Firsts,
    options: Options<'_>,
    shapes: &mut Shapes<'_>,
    weight: &dyn Fn(NodeId) -> Weight,
) -> (BTreeMap<MethodId, Ran>, usize) {
    let mut methods: BTreeMap<MethodId, Ran> = BTreeMap::new();
    let mut lines: FxHashSet<(MethodId, u32)> = FxHashSet::default();
    for node in (0..replay.len() as u32).map(NodeId) {
        let Some(begin) = all_firsts.begin(node) else { continue };
        for thing in own(replay, node, options.source, shapes) {
            if let Thing::Line(method, line) = thing {
                lines.insert((method, line));
            }
        }
        let Kind::Frame { method, .. } = replay.kind(node) else { continue };
        let hidden = match weight(node) {
            Weight::Hidden(hidden) => Some(hidden),
            _ => firsts.begin(node).is_none().then_some(Hidden::SetUp),
        };
        let one = Ran { node, begin, calls: 0, hidden };
        let known = methods.entry(method).or_insert(one);
        let calls = known.calls.saturating_add(all_firsts.times(node));
        // A call that is not hidden says that the method is not.
        let rank = |ran: &Ran| (ran.hidden.is_some(), ran.begin, ran.node);
        if rank(&one) < rank(known) {
            *known = one;
        }
        known.calls = calls;
    }
    (methods, lines.len())
}

/// The calls that may be scenes, each below the one in which it ran first.
struct Tree {
    /// Ascending; whoever holds a call comes behind it.
    calls: Vec<NodeId>,
    begins: Vec<u64>,
    /// The index of the call around it.
    around: Vec<Option<usize>>,
}

/// A path down from a call, what it brings and costs.
#[derive(Debug, Clone, Copy)]
struct Descent {
    value: u64,
    cost: u64,
    begin: u64,
    from: usize,
}

impl Descent {
    /// The better one is greater.
    fn cmp(&self, other: &Descent) -> Ordering {
        let product = |value: u64, cost: u64| u128::from(value) * u128::from(cost);
        let density = product(self.value, other.cost).cmp(&product(other.value, self.cost));
        density.then((other.begin, other.from).cmp(&(self.begin, self.from)))
    }
}

impl Tree {
    fn of(replay: &Replay, firsts: &Firsts, is_set_up: &dyn Fn(NodeId) -> bool) -> Tree {
        let mut tree = Tree { calls: vec![], begins: vec![], around: vec![] };
        let mut ranks: Vec<u32> = vec![u32::MAX; replay.len()];
        for node in (0..replay.len() as u32).map(NodeId) {
            let is_call = matches!(replay.kind(node), Kind::Frame { .. }) && !is_set_up(node);
            let Some(begin) = firsts.begin(node).filter(|_| is_call) else { continue };
            if let Some(index) = ranks.get_mut(node.0 as usize) {
                *index = tree.calls.len() as u32;
            }
            tree.calls.push(node);
            tree.begins.push(begin);
        }
        let index = |node: NodeId| {
            let index = ranks.get(node.0 as usize).copied().unwrap_or(u32::MAX);
            (index != u32::MAX).then_some(index as usize)
        };
        tree.around = tree.calls.iter().map(|call| index(firsts.around(*call)?)).collect();
        tree
    }

    /// The order in which calls are chosen, and the lines that were shown after each.
    fn choose(&self, gains: &mut Gains<'_>, shapes: &mut Shapes<'_>) -> (Vec<Chosen>, Vec<usize>) {
        let mut order: Vec<Chosen> = vec![];
        let (mut lines, mut shown) = (FxHashSet::default(), vec![]);
        let mut is_chosen = vec![false; self.calls.len()];
        let at_once = 1 + self.calls.len() / STRIDE;
        while shown.len() < MOST {
            let (mut descents, next) = self.descents(gains, &is_chosen);
            descents.sort_by(|one, other| other.cmp(one));
            descents.truncate(at_once);
            if descents.is_empty() {
                break;
            }
            for descent in descents {
                let mut path = vec![];
                let mut at = Some(descent.from);
                while let Some(index) = at {
                    path.push(index);
                    at = next.get(index).copied().flatten();
                }
                let gain = |index: &usize| self.calls.get(*index).map_or(0, |call| gains.of_call(*call));
                // What others of the same round have shown brings nothing now.
                path.truncate(path.iter().rposition(|index| gain(index) > 0).map_or(0, |last| last + 1));
                for index in path {
                    let Some(&node) = self.calls.get(index) else { continue };
                    let is_scene = gains.of_call(node) > 0;
                    order.push(Chosen { node, is_scene });
                    if let Some(chosen) = is_chosen.get_mut(index) {
                        *chosen = true;
                    }
                    if is_scene {
                        lines.extend(gains.show(node, shapes));
                        shown.push(lines.len());
                    }
                }
            }
        }
        (order, shown)
    }

    /// The best path down from each call whose caller was chosen, and how each goes on.
    fn descents(&self, gains: &Gains<'_>, is_chosen: &[bool]) -> (Vec<Descent>, Vec<Option<usize>>) {
        let mut descents = vec![];
        let mut next: Vec<Option<usize>> = vec![None; self.calls.len()];
        let mut below: Vec<Option<Descent>> = vec![None; self.calls.len()];
        let was_chosen = |index: usize| is_chosen.get(index).copied().unwrap_or(false);
        for (index, &call) in self.calls.iter().enumerate() {
            if was_chosen(index) {
                continue;
            }
            let gain = gains.of_call(call);
            let begin = self.begins.get(index).copied().unwrap_or(u64::MAX);
            let cost = if gain > 0 { SCENE } else { LEVEL };
            let mut descent = Descent { value: gain, cost, begin, from: index };
            if let Some(inner) = below.get(index).copied().flatten() {
                let longer = Descent { value: gain + inner.value, cost: cost + inner.cost, ..descent };
                if longer.cmp(&descent) == Ordering::Greater {
                    descent = longer;
                    if let Some(next) = next.get_mut(index) {
                        *next = Some(inner.from);
                    }
                }
            }
            if descent.value == 0 {
                continue;
            }
            match self.around.get(index).copied().flatten().filter(|around| !was_chosen(*around)) {
                None => descents.push(descent),
                Some(around) => {
                    if let Some(known) = below.get_mut(around)
                        && known.is_none_or(|known| descent.cmp(&known) == Ordering::Greater)
                    {
                        *known = Some(descent);
                    }
                }
            }
        }
        (descents, next)
    }
}
