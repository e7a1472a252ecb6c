//! Contexts: who called whom from where, each chain of calls once, in the order of its first call.
//!
//! ```text
//! main ── block 1: bake ── block 1: heat       three contexts, however often they were called
//!      └─ block 3: sell                        bake from block 3 would be a fourth
//! ```
//!
//! Found without unfolding the tree: a context is the set of its different calls, and those that
//! are equal are looked at once. Asked for the first thousand contexts, no more is looked at.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use model::code::{BlockId, MethodId};
use model::flow::Entered;
use rustc_hash::FxHashMap;

use super::measure::Measure;
use super::store::{Kind, NodeId, Replay, What};

/// One chain of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The context that called it: its index; `None` for the outermost.
    pub parent: Option<usize>,
    /// The method called.
    pub method: MethodId,
    /// The block of the caller that ran last before.
    pub caller_block: Option<BlockId>,
    /// How its first call began.
    pub entered: Entered,
    /// Position at which its first call began.
    pub first: u64,
    /// Its different calls, each with the position of the first that is like it.
    pub nodes: Vec<(NodeId, u64)>,
}

/// The contexts of one thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contexts {
    /// In the order of their first call; a parent comes before its children.
    pub list: Vec<Context>,
    /// Whether these are all.
    pub complete: bool,
}

/// A call that a node makes itself: block, method, then the callee and where it is first made.
type Made = BTreeMap<(Option<BlockId>, MethodId, Entered), Vec<(NodeId, u64)>>;

/// How many items may be looked at for one answer.
const PATIENCE: usize = 20_000_000;

impl Contexts {
    /// The first `limit` contexts of the thread.
    pub fn of(replay: &Replay, blocks: &Measure, root: NodeId, limit: usize) -> Contexts {
        let mut finder =
            Finder { replay, blocks, made: FxHashMap::default(), patience: PATIENCE, cut: false };
        let mut list: Vec<Context> = Vec::new();
        let mut waiting: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let mut found: Vec<Option<Context>> = Vec::new();
        let add = |children: Vec<Context>, waiting: &mut BinaryHeap<_>, found: &mut Vec<_>| {
            for child in children {
                waiting.push(Reverse((child.first, found.len())));
                found.push(Some(child));
            }
        };
        add(finder.children(None, &[(root, 0)]), &mut waiting, &mut found);
        while let Some(Reverse((_, index))) = waiting.pop() {
            if list.len() >= limit {
                return Contexts { list, complete: false };
            }
            let Some(context) = found.get_mut(index).and_then(Option::take) else { continue };
            let children = finder.children(Some(list.len()), &context.nodes);
            add(children, &mut waiting, &mut found);
            list.push(context);
        }
        Contexts { list, complete: !finder.cut }
    }

    /// The table that [`Contexts::find`] needs.
    pub fn keys(&self) -> FxHashMap<(Option<usize>, Option<BlockId>, MethodId), usize> {
        let mut by_key = FxHashMap::default();
        for (index, context) in self.list.iter().enumerate() {
            by_key.entry((context.parent, context.caller_block, context.method)).or_insert(index);
        }
        by_key
    }

    /// The contexts along a chain of (caller's block, method), outermost first.
    pub fn find(
        &self,
        keys: &FxHashMap<(Option<usize>, Option<BlockId>, MethodId), usize>,
        chain: &[(Option<BlockId>, MethodId)],
    ) -> Vec<Option<usize>> {
        let mut parent = None;
        let mut lost = false;
        chain
            .iter()
            .map(|&(block, method)| {
                if lost {
                    return None;
                }
                parent = keys.get(&(parent, block, method)).copied();
                lost = parent.is_none();
                parent
            })
            .collect()
    }
}

struct Finder<'a> {
    replay: &'a Replay,
    blocks: &'a Measure,
    made: FxHashMap<NodeId, Made>,
    patience: usize,
    cut: bool,
}

impl Finder<'_> {
    /// The contexts called by these calls, each given with the position at which it first began.
    fn children(&mut self, parent: Option<usize>, calls: &[(NodeId, u64)]) -> Vec<Context> {
        let mut all: BTreeMap<(Option<BlockId>, MethodId), Context> = BTreeMap::new();
        let mut known: FxHashMap<(Option<BlockId>, MethodId, NodeId), usize> = FxHashMap::default();
        for &(node, begin) in calls {
            self.visit(node);
            let Some(made) = self.made.get(&node) else { continue };
            for (&(caller_block, method, entered), callees) in made {
                let child = all.entry((caller_block, method)).or_insert_with(|| Context {
                    parent,
                    method,
                    caller_block,
                    entered,
                    first: u64::MAX,
                    nodes: Vec::new(),
                });
                for &(callee, offset) in callees {
                    let at = begin.saturating_add(offset);
                    if at < child.first {
                        (child.first, child.entered) = (at, entered);
                    }
                    match known.get(&(caller_block, method, callee)) {
                        Some(&index) => {
                            if let Some(step) = child.nodes.get_mut(index) {
                                step.1 = step.1.min(at);
                            }
                        }
                        None => {
                            known.insert((caller_block, method, callee), child.nodes.len());
                            child.nodes.push((callee, at));
                        }
                    }
                }
            }
        }
        all.into_values().collect()
    }

    /// Collects what a call, a loop or an iteration calls itself, inner loops included.
    fn visit(&mut self, node: NodeId) {
        if self.made.contains_key(&node) {
            return;
        }
        let kind = self.replay.kind(node);
        let (mut made, mut last, mut at) = (Made::new(), None, 0u64);
        let mut seen: FxHashMap<(Option<BlockId>, NodeId), ()> = FxHashMap::default();
        for (index, item) in self.replay.items(node).iter().enumerate() {
            if self.patience == 0 {
                self.cut = true;
                break;
            }
            self.patience -= 1;
            match item.what() {
                What::Block(block) | What::Catch(block) => last = Some(block),
                What::Node(inner) => {
                    let new = seen.insert((last, inner), ()).is_none();
                    match self.replay.kind(inner) {
                        Kind::Frame { method, entered, .. } if new => {
                            made.entry((last, method, entered)).or_default().push((inner, at));
                        }
                        Kind::Loop { .. } | Kind::Iteration { .. } | Kind::Again { .. } if new => {
                            self.visit(inner);
                            for (&(block, method, entered), callees) in
                                self.made.get(&inner).into_iter().flatten()
                            {
                                let list = made.entry((block.or(last), method, entered)).or_default();
                                for &(callee, offset) in callees {
                                    if !list.iter().take(64).any(|known| known.0 == callee) {
                                        list.push((callee, at.saturating_add(offset)));
                                    }
                                }
                            }
                        }
                        _ => {}
                    }
                    if matches!(self.replay.kind(inner), Kind::Loop { .. } | Kind::Iteration { .. }) {
                        last = self.replay.last_block(inner, usize::MAX).or(last);
                    }
                }
                What::Gap(_) | What::Inferred(_) | What::Observed => {}
            }
            let one = self.blocks.one(kind, index, *item);
            at = at.saturating_add(one.saturating_mul(u64::from(item.times)));
        }
        self.made.insert(node, made);
    }
}
