//! Who called whom, how often and from where; how much each method ran itself; where exceptions began and ended.

use model::code::{BlockId, MethodId};
use model::flow::{Entered, Left};
use rustc_hash::FxHashMap;

use crate::replay::{Kind, Measure, NodeId, Replay, What};

use super::shapes::owner;

/// What all calls of a method come to. Sums stop at 2^64 - 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Its calls.
    pub calls: u64,
    /// Calls that ended with an exception.
    pub threw: u64,
    /// Calls that no recorded method made.
    pub outermost: u64,
    /// Blocks of its own that ran.
    pub blocks: u64,
}

/// Calls of a method from one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Link {
    /// The method that called, and the block that ran last before; `None`: nothing recorded.
    pub caller: Option<(MethodId, Option<BlockId>)>,
    /// The method called.
    pub callee: MethodId,
    /// How the calls began.
    pub entered: Entered,
}

/// See the module's head. It costs one look at each item of the tree.
#[derive(Debug, Default)]
pub struct CallGraph {
    /// By method, of those that ran.
    pub methods: FxHashMap<MethodId, Work>,
    /// How often each was made.
    pub links: FxHashMap<Link, u64>,
    /// The method in which exceptions began, or came from code that was not recorded, and the block that ran last.
    pub thrown: FxHashMap<(MethodId, Option<BlockId>), u64>,
    /// The method that caught exceptions, and the handler.
    pub caught: FxHashMap<(MethodId, BlockId), u64>,
    /// By node, how often it occurred.
    times: Vec<u64>,
}

impl CallGraph {
    /// Of the threads with these roots.
    pub fn of(replay: &Replay, roots: &[NodeId]) -> CallGraph {
        let mut graph = CallGraph { times: occurrences(replay, roots, &|_| false), ..CallGraph::default() };
        for node in (0..replay.len() as u32).map(NodeId) {
            let times = graph.times_of(node);
            if times > 0 {
                graph.add(replay, node, times);
            }
        }
        graph
    }

    /// How often a node occurred.
    pub fn times_of(&self, node: NodeId) -> u64 {
        self.times.get(node.0 as usize).copied().unwrap_or(0)
    }

    /// The blocks that ran in calls of a method and below, each once however the method called itself.
    pub fn blocks_below(&self, replay: &Replay, blocks: &Measure, roots: &[NodeId], method: MethodId) -> u64 {
        let is_it = |node| matches!(replay.kind(node), Kind::Frame { method: of, .. } if of == method);
        let times = occurrences(replay, roots, &is_it);
        let nodes = (0..replay.len() as u32).map(NodeId).filter(|node| is_it(*node));
        let each = nodes.map(|node| {
            blocks.of_node(node).saturating_mul(times.get(node.0 as usize).copied().unwrap_or(0))
        });
        each.fold(0, u64::saturating_add)
    }

    fn add(&mut self, replay: &Replay, node: NodeId, times: u64) {
        let kind = replay.kind(node);
        let owner = owner(kind);
        if let Kind::Frame { method, left, .. } = kind {
            let work = self.methods.entry(method).or_default();
            work.calls = work.calls.saturating_add(times);
            if left == Left::Threw {
                work.threw = work.threw.saturating_add(times);
                if let Some(block) = began(replay, node) {
                    more(self.thrown.entry((method, block)).or_default(), times);
                }
            }
        }
        if matches!(kind, Kind::Again { .. }) {
            // Whoever has it knows who called.
            return;
        }
        let (mut last, mut blocks) = (None, 0u64);
        for item in replay.items(node) {
            let all = times.saturating_mul(u64::from(item.times));
            match item.what() {
                What::Block(block) | What::Catch(block) => {
                    blocks = blocks.saturating_add(all);
                    last = Some(block);
                    if let (Some(owner), What::Catch(_)) = (owner, item.what()) {
                        more(self.caught.entry((owner, block)).or_default(), all);
                    }
                }
                What::Node(inner) => self.link(replay, owner.map(|owner| (owner, last)), inner, all),
                What::Gap(_) | What::Inferred(_) | What::Observed => {}
            }
        }
        if let Some(owner) = owner {
            more(&mut self.methods.entry(owner).or_default().blocks, blocks);
        }
    }

    /// Calls that a node is, or that it holds in a row.
    fn link(
        &mut self,
        replay: &Replay,
        caller: Option<(MethodId, Option<BlockId>)>,
        node: NodeId,
        times: u64,
    ) {
        let mut waiting = vec![(node, times)];
        while let Some((node, times)) = waiting.pop() {
            match replay.kind(node) {
                Kind::Frame { method, entered, .. } => {
                    let link = Link { caller, callee: method, entered };
                    more(self.links.entry(link).or_default(), times);
                    if caller.is_none() {
                        more(&mut self.methods.entry(method).or_default().outermost, times);
                    }
                }
                Kind::Again { .. } => waiting.extend(
                    replay
                        .items(node)
                        .iter()
                        .filter_map(|item| Some((item.node()?, times.saturating_mul(u64::from(item.times))))),
                ),
                Kind::Root | Kind::Loop { .. } | Kind::Iteration { .. } => {}
            }
        }
    }
}

fn more(sum: &mut u64, times: u64) {
    *sum = sum.saturating_add(times);
}

/// How often each node occurs below these roots, nothing being counted inside nodes that are `closed`. A node's
/// children have smaller numbers.
fn occurrences(replay: &Replay, roots: &[NodeId], closed: &dyn Fn(NodeId) -> bool) -> Vec<u64> {
    let mut times = vec![0u64; replay.len()];
    for root in roots {
        if let Some(known) = times.get_mut(root.0 as usize) {
            more(known, 1);
        }
    }
    for node in (0..replay.len() as u32).rev().map(NodeId) {
        let of_node = times.get(node.0 as usize).copied().unwrap_or(0);
        if of_node == 0 || closed(node) {
            continue;
        }
        for item in replay.items(node) {
            let Some(inner) = item.node() else { continue };
            if let Some(known) = times.get_mut(inner.0 as usize) {
                more(known, of_node.saturating_mul(u64::from(item.times)));
            }
        }
    }
    times
}

/// The block that ran last in a call that ended with an exception, unless the exception came from a recorded call in it.
fn began(replay: &Replay, frame: NodeId) -> Option<Option<BlockId>> {
    let mut node = frame;
    loop {
        let items = replay.items(node);
        let before = items.iter().rev().find_map(|item| item.block());
        match items.last().map(|item| item.what()) {
            Some(What::Node(inner)) => match replay.kind(inner) {
                Kind::Frame { left: Left::Threw, .. } => return None,
                Kind::Frame { .. } => return Some(before),
                _ => node = inner,
            },
            _ => return Some(before),
        }
    }
}
