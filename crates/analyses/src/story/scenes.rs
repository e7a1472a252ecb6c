//! A story: so many scenes in the order of execution, and what passes between them.

use std::collections::BTreeMap;

use model::code::{BlockId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::replay::{Kind, Measure, NodeId, Replay};

use super::hidden::Hidden;
use super::made::{Made, made};
use super::ranking::Ranking;

/// A call of a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoryCall {
    /// What it did.
    pub node: NodeId,
    /// Its method.
    pub method: MethodId,
    /// The index of the call that made it, in [`Story::calls`]; `None`: it is an entry.
    pub around: Option<usize>,
    /// The block of that call that ran last before.
    pub block: Option<BlockId>,
    /// Where it began, among the blocks of all threads.
    pub begin: u64,
    /// Whether it is a scene; else it only leads to one and shows nothing that no scene shows.
    pub is_scene: bool,
}

/// What passes behind a scene before the next begins, and is not shown there. Calls count with all calls inside them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passed {
    /// Calls that did exactly the same as one in the story.
    pub equal: u64,
    /// Calls of methods that have a scene, which did other things than the calls in the story.
    pub alike: u64,
    /// Calls of methods that have none, by rule, and why.
    pub hidden: BTreeMap<Hidden, u64>,
    /// Calls of other methods that have none.
    pub untold: u64,
}

impl Passed {
    /// All of them.
    pub fn calls(&self) -> u64 {
        self.hidden
            .values()
            .chain([&self.equal, &self.alike, &self.untold])
            .fold(0, |sum, calls| sum.saturating_add(*calls))
    }
}

/// A method that ran and has no scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untold {
    /// The method.
    pub method: MethodId,
    /// Its first call, for who wants to see it.
    pub node: NodeId,
    /// How many scenes have begun before that call.
    pub behind: usize,
    /// How many calls there were.
    pub calls: u64,
    /// Why it has none, where a rule says so.
    pub hidden: Option<Hidden>,
    /// Variants of its loops.
    pub variants: usize,
}

/// See the module's head.
#[derive(Debug)]
pub struct Story {
    /// In the order of execution; who made a call comes before it.
    pub calls: Vec<StoryCall>,
    /// Before the first scene, then behind each.
    pub passed: Vec<Passed>,
    /// In the order of their first calls.
    pub untold: Vec<Untold>,
    /// Lines that ran below the entry.
    pub lines: usize,
    /// Those of them that the best scenes show.
    pub shown: usize,
    /// Variants of loops.
    pub variants: usize,
    /// The same of methods that have a scene.
    pub variants_shown: usize,
    /// By node, its index in `calls`.
    ranks: FxHashMap<NodeId, usize>,
    /// Where each scene begins.
    begins: Vec<u64>,
    has_scene: FxHashSet<MethodId>,
}

/// How a story shows a call that one of its calls made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The first of them there, at its index in [`Story::calls`].
    Here(usize),
    /// Elsewhere, at its index.
    Equal(usize),
    /// Its method has a scene.
    Alike,
    /// Its method has none, by rule.
    Hidden(Hidden),
    /// Its method has none.
    Untold,
}

impl Story {
    /// The best `scenes`, and these calls with whatever leads to them. `calls` measures calls.
    pub fn of(
        ranking: &Ranking,
        replay: &Replay,
        blocks: &Measure,
        calls: &Measure,
        scenes: usize,
        with: &[NodeId],
    ) -> Story {
        let mut chosen: BTreeMap<NodeId, bool> = BTreeMap::new();
        let mut left = scenes;
        let mut levels = vec![];
        for one in &ranking.order {
            if left == 0 {
                break;
            }
            match one.is_scene {
                false => levels.push(one.node),
                true => {
                    chosen.extend(levels.drain(..).map(|level| (level, false)));
                    chosen.insert(one.node, true);
                    left -= 1;
                }
            }
        }
        for &node in with {
            let mut at = Some(node).filter(|node| ranking.all_firsts.times(*node) > 0);
            let mut is_scene = true;
            while let Some(node) = at.filter(|node| matches!(replay.kind(*node), Kind::Frame { .. })) {
                let known = chosen.insert(node, is_scene);
                if known.is_some() {
                    chosen.insert(node, is_scene || known == Some(true));
                    break;
                }
                is_scene = false;
                at = ranking.first_of(node).around;
            }
        }
        let listed = in_order(ranking, replay, chosen);
        let ranks = listed.iter().enumerate().map(|(at, one)| (one.node, at)).collect();
        let stages = || listed.iter().filter(|one| one.is_scene);
        let mut story = Story {
            passed: vec![],
            untold: vec![],
            lines: ranking.lines,
            shown: ranking.shown_by(scenes),
            variants: 0,
            variants_shown: 0,
            begins: stages().map(|one| one.begin).collect(),
            has_scene: stages().map(|one| one.method).collect(),
            ranks,
            calls: listed,
        };
        story.pass(ranking, replay, blocks, calls);
        story.list_untold(ranking);
        story
    }

    /// How many scenes have begun at a position.
    pub fn begun(&self, begin: u64) -> usize {
        self.begins.partition_point(|scene| *scene <= begin)
    }

    /// The index of a call in `calls`.
    pub fn index_of(&self, node: NodeId) -> Option<usize> {
        self.ranks.get(&node).copied()
    }

    /// How each of the calls that the one at this index made is shown; `None` for the entry: the calls that it begins with.
    pub fn fates(
        &self,
        ranking: &Ranking,
        replay: &Replay,
        blocks: &Measure,
        at: Option<usize>,
    ) -> Vec<(Made, Fate)> {
        let all: Vec<Made> = match at {
            Some(at) => self.calls.get(at).map_or_else(Vec::new, |call| made(replay, blocks, call.node)),
            None => ranking
                .roots
                .iter()
                .flat_map(|root| match replay.kind(root.node) {
                    Kind::Frame { .. } => {
                        vec![Made { node: root.node, block: None, times: root.times, offset: root.begin }]
                    }
                    _ => {
                        let mut inside = made(replay, blocks, root.node);
                        inside.iter_mut().for_each(|one| one.offset += root.begin);
                        inside
                    }
                })
                .collect(),
        };
        let mut here: FxHashSet<usize> = FxHashSet::default();
        let fate = |one: Made| {
            let fate = match self.index_of(one.node) {
                Some(index) => {
                    let is_here = self.calls.get(index).is_some_and(|call| call.around == at);
                    match is_here && here.insert(index) {
                        true => Fate::Here(index),
                        false => Fate::Equal(index),
                    }
                }
                None => self.fate_of(ranking, replay, one.node),
            };
            (one, fate)
        };
        all.into_iter().map(fate).collect()
    }

    fn fate_of(&self, ranking: &Ranking, replay: &Replay, node: NodeId) -> Fate {
        let Kind::Frame { method, .. } = replay.kind(node) else { return Fate::Untold };
        match ranking.methods.get(&method).and_then(|ran| ran.hidden) {
            _ if self.has_scene.contains(&method) => Fate::Alike,
            Some(hidden) => Fate::Hidden(hidden),
            None => Fate::Untold,
        }
    }

    fn pass(&mut self, ranking: &Ranking, replay: &Replay, blocks: &Measure, calls: &Measure) {
        let mut passed = vec![Passed::default(); self.begins.len() + 1];
        for at in [None].into_iter().chain((0..self.calls.len()).map(Some)) {
            let begin = at.and_then(|at| self.calls.get(at)).map_or(0, |call| call.begin);
            for (one, fate) in self.fates(ranking, replay, blocks, at) {
                let Some(into) = passed.get_mut(self.begun(begin.saturating_add(one.offset))) else {
                    continue;
                };
                let times = one.times - u64::from(matches!(fate, Fate::Here(_)));
                let inside = calls.of_node(one.node).saturating_mul(times);
                let sum = match fate {
                    Fate::Here(_) | Fate::Equal(_) => &mut into.equal,
                    Fate::Alike => &mut into.alike,
                    Fate::Hidden(hidden) => into.hidden.entry(hidden).or_default(),
                    Fate::Untold => &mut into.untold,
                };
                *sum = sum.saturating_add(inside);
            }
        }
        self.passed = passed;
    }

    fn list_untold(&mut self, ranking: &Ranking) {
        let mut untold = vec![];
        for (&method, ran) in &ranking.methods {
            let variants: usize = ranking.variants(method).iter().map(|one| one.variants.len()).sum();
            self.variants += variants;
            if self.has_scene.contains(&method) {
                self.variants_shown += variants;
                continue;
            }
            let (node, calls, hidden) = (ran.node, ran.calls, ran.hidden);
            untold.push((
                ran.begin,
                Untold { method, node, behind: self.begun(ran.begin), calls, hidden, variants },
            ));
        }
        untold.sort_by_key(|(begin, one)| (*begin, one.method));
        self.untold = untold.into_iter().map(|(_, one)| one).collect();
    }
}

/// What was chosen, in the order of execution.
fn in_order(ranking: &Ranking, replay: &Replay, chosen: BTreeMap<NodeId, bool>) -> Vec<StoryCall> {
    // Whoever made a call has a larger number, and both may begin at the same block.
    let mut nodes: Vec<(u64, std::cmp::Reverse<NodeId>, bool)> = chosen
        .iter()
        .map(|(&node, &is_scene)| (ranking.first_of(node).begin, std::cmp::Reverse(node), is_scene))
        .collect();
    nodes.sort_unstable();
    let ranks: FxHashMap<NodeId, usize> = nodes.iter().enumerate().map(|(at, one)| (one.1.0, at)).collect();
    let calls = nodes.iter().map(|&(begin, std::cmp::Reverse(node), is_scene)| {
        let Kind::Frame { method, .. } = replay.kind(node) else { return None };
        let first_call = ranking.first_of(node);
        let around = first_call.around.and_then(|around| ranks.get(&around).copied());
        Some(StoryCall { node, method, around, block: first_call.block, begin, is_scene })
    });
    calls.flatten().collect()
}

/// The first of the equal calls of a node: where it stands in the tree.
#[derive(Debug, Clone, Copy)]
struct FirstCall {
    begin: u64,
    around: Option<NodeId>,
    block: Option<BlockId>,
}

impl Ranking {
    /// Of the first that is not set-up, else of the first.
    fn first_of(&self, node: NodeId) -> FirstCall {
        let firsts = if self.firsts.times(node) > 0 { &self.firsts } else { &self.all_firsts };
        FirstCall {
            begin: firsts.begin(node).unwrap_or(u64::MAX),
            around: firsts.around(node),
            block: firsts.block(node),
        }
    }
}
