//! Where in a replay lies what is searched for.

use model::code::{BlockId, MethodId};

use crate::replay::{Kind, NodeId, Replay};

/// Says of a method and of the blocks that a call or iteration of it ran itself whether it is searched for.
pub type Search<'a> = dyn Fn(MethodId, &[BlockId]) -> bool + 'a;

/// What a node has to do with the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wanted {
    /// Nothing.
    No,
    /// Something inside it is searched for.
    Inside,
    /// It is searched for itself.
    Itself,
}

/// By node, what it has to do with the search; empty: nothing is searched, so everything is reported.
#[derive(Debug, Default)]
pub(super) struct Searched(Vec<Wanted>);

impl Searched {
    /// Marks what is searched for, and what leads there. Children have smaller numbers.
    pub(super) fn find(replay: &Replay, search: &Search<'_>) -> Searched {
        let mut searched = Searched(Vec::with_capacity(replay.len()));
        let mut blocks = vec![];
        for node in (0..replay.len() as u32).map(NodeId) {
            let items = replay.items(node);
            let inside = items.iter().filter_map(|item| item.node());
            let mut wanted =
                inside.map(|inner| searched.of(inner).min(Wanted::Inside)).max().unwrap_or(Wanted::No);
            if let Kind::Frame { method, .. } | Kind::Iteration { method } = replay.kind(node) {
                blocks.clear();
                blocks.extend(items.iter().filter_map(|item| item.block()));
                if search(method, &blocks) {
                    wanted = Wanted::Itself;
                }
            }
            searched.0.push(wanted);
        }
        searched
    }

    /// Of one node; nothing where the search has not come yet.
    pub(super) fn of(&self, node: NodeId) -> Wanted {
        self.0.get(node.0 as usize).copied().unwrap_or(Wanted::No)
    }

    /// Whether nothing is searched.
    pub(super) fn is_everything(&self) -> bool {
        self.0.is_empty()
    }
}
