//! The position in a thread at which something first ran that a report groups with others like it.

use rustc_hash::FxHashSet;

use crate::replay::{Measure, NodeId, Replay, What};

/// The position of the first node of the last of `chain` that lies in one of the set before, and so on out to the
/// thread with this root; `None` where there is none. `blocks` measures positions. Looks at each node at most once for each
/// set.
pub fn first(replay: &Replay, blocks: &Measure, root: NodeId, chain: &[FxHashSet<NodeId>]) -> Option<u64> {
    let mut seen: FxHashSet<(NodeId, usize)> = FxHashSet::default();
    // Node, next item, position of that, sets that lie around.
    let mut open = vec![(root, 0, 0u64, 0)];
    while let Some((node, item, at, level)) = open.last_mut() {
        let Some(next) = replay.items(*node).get(*item) else {
            open.pop();
            continue;
        };
        let begin = *at;
        let one = match next.what() {
            What::Block(_) | What::Catch(_) => 1,
            What::Node(inner) => blocks.of_node(inner),
            What::Gap(_) | What::Inferred(_) | What::Observed => 0,
        };
        *item += 1;
        *at = at.saturating_add(one.saturating_mul(u64::from(next.times)));
        let Some(inner) = next.node() else { continue };
        let level = *level + usize::from(chain.get(*level).is_some_and(|set| set.contains(&inner)));
        if level == chain.len() {
            return Some(begin);
        }
        if seen.insert((inner, level)) {
            open.push((inner, 0, begin, level));
        }
    }
    None
}
