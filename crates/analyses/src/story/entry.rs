//! What a story is about, and positions in all threads together.

use model::code::MethodId;

use crate::replay::{Kind, Measure, NodeId, Replay};

use super::firsts::{Firsts, Root};

/// The subject of a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entry {
    /// A thread, by its index in [`Replay::threads`].
    Thread(usize),
    /// All calls of a method, without those inside one another.
    Method(MethodId),
    /// One call, where it ran first.
    Call(NodeId),
}

/// A position in one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The index of the thread in [`Replay::threads`].
    pub thread: usize,
    /// Blocks that ran before.
    pub at: u64,
}

/// Numbers the blocks of all threads, one thread after the other.
#[derive(Debug, Clone)]
pub struct Positions {
    /// The number of the first block of each thread.
    starts: Vec<u64>,
}

impl Positions {
    /// Of the threads of a replay.
    pub fn of(replay: &Replay, blocks: &Measure) -> Positions {
        let mut next = 0u64;
        let start = |thread: &crate::replay::Thread| {
            let start = next;
            next = next.saturating_add(blocks.of_node(thread.root));
            start
        };
        Positions { starts: replay.threads.iter().map(start).collect() }
    }

    /// The thread and the position in it.
    pub fn moment(&self, number: u64) -> Moment {
        let thread = self.starts.partition_point(|start| *start <= number).saturating_sub(1);
        Moment { thread, at: number - self.starts.get(thread).copied().unwrap_or(0).min(number) }
    }
}

impl Entry {
    /// The calls, or the thread, that it stands for, in the order in which they began.
    pub(super) fn roots(self, replay: &Replay, blocks: &Measure) -> Vec<Root> {
        let starts = Positions::of(replay, blocks).starts;
        let threads = replay.threads.iter().zip(&starts);
        let all: Vec<Root> =
            threads.map(|(thread, &begin)| Root { node: thread.root, begin, times: 1 }).collect();
        let is_it = |node: NodeId| match self {
            Entry::Thread(_) => false,
            Entry::Method(method) => {
                matches!(replay.kind(node), Kind::Frame { method: of, .. } if of == method)
            }
            Entry::Call(call) => node == call,
        };
        if let Entry::Thread(index) = self {
            return all.into_iter().skip(index).take(1).collect();
        }
        let firsts = Firsts::below(replay, blocks, &all, &is_it);
        let nodes = (0..replay.len() as u32).map(NodeId).filter(|node| is_it(*node));
        let root = |node| {
            let begin = firsts.begin(node)?;
            Some(Root { node, begin, times: firsts.times(node) })
        };
        let mut roots: Vec<Root> = nodes.filter_map(root).collect();
        if let Entry::Call(_) = self {
            roots.iter_mut().for_each(|root| root.times = 1);
        }
        roots.sort_by_key(|root| (root.begin, root.node));
        roots
    }
}
