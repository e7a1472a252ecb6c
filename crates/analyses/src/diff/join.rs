//! What several recordings ran, as one tree: equal calls of different recordings are one node.
//!
//! Class initialisers are taken out: which thread runs one, and where in it, is a matter of who comes first. They are
//! compared beside the threads.

use model::code::CodeMap;
use model::flow::{Entered, Left};
use rustc_hash::FxHashMap;

use super::code::{JointCode, OldLines};
use crate::replay::{Item, Kind, NodeId, Replay, What};

/// Several recordings over one code and in one tree.
#[derive(Debug, Default)]
pub struct Joint {
    /// Their code.
    pub code: JointCode,
    /// Their trees. Methods, blocks and loops have joint numbers; its list of threads is empty.
    pub replay: Replay,
    /// The recordings in the order in which they were added.
    pub sides: Vec<Side>,
    /// By node.
    pub(super) seen: Vec<Seen>,
}

/// One recording.
#[derive(Debug, Default)]
pub struct Side {
    /// Its threads in the order of their serial numbers.
    pub threads: Vec<SideThread>,
    /// Calls of class initialisers, each with how often.
    pub initializers: Vec<(NodeId, u64)>,
}

/// A thread of a recording.
#[derive(Debug, Clone)]
pub struct SideThread {
    /// Its name. From the program: escape it before showing.
    pub name: String,
    /// What it ran, in the joint tree.
    pub root: NodeId,
    /// Records that were dropped and counted.
    pub lost: u64,
}

/// How much of a node was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Something is missing in it.
    pub(super) has_gap: bool,
    /// It had not ended when recording did, or its end is missing.
    pub(super) is_open: bool,
}

impl Seen {
    /// Whether all that it did is known.
    pub(super) fn is_whole(self) -> bool {
        !self.has_gap && !self.is_open
    }
}

impl Joint {
    /// Adds a recording: its code, its tree, and for each thread of the tree its name and the records that it lost.
    pub fn add(&mut self, code: &CodeMap, replay: &Replay, about: impl Fn(u32) -> (String, u64)) {
        self.add_build(code, replay, about, &|_| None);
    }

    /// The same for a recording of another build, of which is known where its lines stood in the first.
    pub fn add_build(
        &mut self,
        code: &CodeMap,
        replay: &Replay,
        about: impl Fn(u32) -> (String, u64),
        old_lines: &OldLines<'_>,
    ) {
        let side = self.code.add(code, old_lines);
        let mut added = Side::default();
        let mut initializers: Vec<NodeId> = vec![];
        let mut nodes: Vec<NodeId> = Vec::with_capacity(replay.len());
        let mut items: Vec<Item> = vec![];
        for node in (0..replay.len() as u32).map(NodeId) {
            let kind = replay.kind(node);
            let method = match kind {
                Kind::Frame { method, .. } | Kind::Loop { method, .. } | Kind::Iteration { method } => {
                    Some(method)
                }
                Kind::Root | Kind::Again { .. } => None,
            };
            items.clear();
            for item in replay.items(node) {
                let what = match item.what() {
                    What::Node(inner) => {
                        let Some(&inner) = nodes.get(inner.0 as usize) else { continue };
                        if self.is_initializer(inner) {
                            continue;
                        }
                        What::Node(inner)
                    }
                    What::Block(block) => {
                        What::Block(method.map_or(block, |id| self.code.joint_block(side, id, block)))
                    }
                    What::Catch(block) => {
                        What::Catch(method.map_or(block, |id| self.code.joint_block(side, id, block)))
                    }
                    other @ (What::Gap(_) | What::Inferred(_) | What::Observed) => other,
                };
                push(&mut items, what, item.times);
            }
            let joint = self.intern(self.joint_kind(side, kind), &items);
            if self.is_initializer(joint) {
                initializers.push(joint);
            }
            nodes.push(joint);
        }
        let mut threads: Vec<_> = replay.threads.iter().collect();
        threads.sort_by_key(|thread| thread.serial);
        for thread in threads {
            let Some(&root) = nodes.get(thread.root.0 as usize) else { continue };
            let (name, lost) = about(thread.serial);
            added.threads.push(SideThread { name, root, lost });
        }
        // Each runs once, so a node of the recording stands for one call.
        let mut times: FxHashMap<NodeId, u64> = FxHashMap::default();
        initializers.iter().for_each(|node| *times.entry(*node).or_default() += 1);
        added.initializers = times.into_iter().collect();
        added.initializers.sort_unstable();
        self.sides.push(added);
    }

    fn joint_kind(&self, side: usize, kind: Kind) -> Kind {
        let joint = |method| self.code.joint_method(side, method);
        match kind {
            Kind::Root => Kind::Root,
            Kind::Frame { method, entered, left } => Kind::Frame { method: joint(method), entered, left },
            Kind::Loop { method, index } => {
                let index = index.map(|index| self.code.joint_loop(side, method, index));
                Kind::Loop { method: joint(method), index }
            }
            Kind::Iteration { method } => Kind::Iteration { method: joint(method) },
            Kind::Again { method } => Kind::Again { method: joint(method) },
        }
    }

    fn intern(&mut self, kind: Kind, items: &[Item]) -> NodeId {
        let node = self.replay.intern(kind, items);
        if node.0 as usize == self.seen.len() {
            let seen = self.seen_of(kind, items);
            self.seen.push(seen);
        }
        node
    }

    fn is_initializer(&self, node: NodeId) -> bool {
        matches!(self.replay.kind(node), Kind::Frame { method, .. } if self.code.is_initializer(method))
    }

    /// How much of a node was seen.
    pub(super) fn seen(&self, node: NodeId) -> Seen {
        self.seen.get(node.0 as usize).copied().unwrap_or_default()
    }

    fn seen_of(&self, kind: Kind, items: &[Item]) -> Seen {
        let mut seen = Seen::default();
        for (at, item) in items.iter().enumerate() {
            match item.what() {
                What::Gap(_) | What::Inferred(_) => seen.has_gap = true,
                What::Node(inner) => {
                    let inner = self.seen(inner);
                    seen.has_gap |= inner.has_gap;
                    // What is open ends its caller's list; anything behind it was seen after a loss.
                    seen.is_open |= inner.is_open && at + 1 == items.len();
                    seen.has_gap |= inner.is_open && at + 1 < items.len();
                }
                What::Block(_) | What::Catch(_) | What::Observed => {}
            }
        }
        if let Kind::Frame { entered, left, .. } = kind {
            // A frame whose end was seen and whose last call has none: something between the two is missing.
            seen.has_gap |= seen.is_open && matches!(left, Left::Returned | Left::Threw);
            seen.has_gap |= entered == Entered::Unseen || left == Left::Unseen;
            seen.is_open = matches!(left, Left::Open | Left::Unseen);
        }
        seen
    }
}

/// One more item, to the last one where that is the same: what was taken out may have stood between them.
fn push(items: &mut Vec<Item>, what: What, times: u32) {
    if let Some(last) = items.last_mut().filter(|last| last.what() == what && !matches!(what, What::Gap(_)))
        && let Some(sum) = last.times.checked_add(times)
    {
        last.times = sum;
        return;
    }
    items.push(Item::new(what, times));
}
