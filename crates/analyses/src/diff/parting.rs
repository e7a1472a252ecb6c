//! The first place where two threads part: one walk down along what both did.

use model::code::{BlockId, MethodId};
use model::flow::Left;

use super::change::{Next, Parting};
use super::join::Joint;
use crate::replay::{Item, Kind, Measure, NodeId, What};

/// A pair of nodes that the walk is in, and where in each.
struct Level {
    nodes: [NodeId; 2],
    /// A call that stands for a row of one, beside a row of calls.
    single: [Option<Item>; 2],
    at: [usize; 2],
    /// The item there comes once more behind this.
    again: [bool; 2],
}

impl Level {
    fn of(joint: &Joint, items: [Item; 2], nodes: [NodeId; 2]) -> Option<Level> {
        let kinds = nodes.map(|node| joint.replay.kind(node));
        let single = match kinds {
            [Kind::Frame { method, .. }, Kind::Again { method: other }] if method == other => {
                [Some(Item::new(items[0].what(), 1)), None]
            }
            [Kind::Again { method }, Kind::Frame { method: other, .. }] if method == other => {
                [None, Some(Item::new(items[1].what(), 1))]
            }
            [Kind::Frame { method, .. }, Kind::Frame { method: other, .. }] if method == other => {
                [None, None]
            }
            [one, other] if one == other => [None, None],
            _ => return None,
        };
        Some(Level { nodes, single, at: [0, 0], again: [false, false] })
    }

    fn items<'s>(&'s self, joint: &'s Joint, side: usize) -> &'s [Item] {
        match &self.single[side] {
            Some(item) => std::slice::from_ref(item),
            None => joint.replay.items(self.nodes[side]),
        }
    }

    /// A row has no end of its own.
    fn kind(&self, joint: &Joint, side: usize) -> Option<Kind> {
        self.single[side].is_none().then(|| joint.replay.kind(self.nodes[side]))
    }
}

/// Where two different nodes part; `blocks` is the measure of positions. `None`: they are equal.
pub(super) fn parting(joint: &Joint, blocks: &Measure, a: NodeId, b: NodeId) -> Option<Parting> {
    if a == b {
        return None;
    }
    let level = Level { nodes: [a, b], single: [None, None], at: [0, 0], again: [false, false] };
    let mut walk = vec![level];
    let mut position = 0u64;
    loop {
        let level = walk.last_mut()?;
        let [one, other] = [0, 1].map(|side| level.items(joint, side));
        let common = one.iter().zip(other).take_while(|(a, b)| a == b).count();
        position += one.iter().take(common).map(|item| weight(blocks, *item)).sum::<u64>();
        let items = one.get(common).copied().zip(other.get(common).copied());
        let (mut at, mut again) = ([common, common], [false, false]);
        let mut items = items.map(|(a, b)| [a, b]);
        if let Some([a, b]) = items.filter(|[a, b]| a.what() == b.what()) {
            // The same so many times; then one side does it again, and the other goes on.
            let least = a.times.min(b.times);
            position += weight(blocks, Item::new(a.what(), least));
            again = [a.times > least + 1, b.times > least + 1];
            let shorter = usize::from(a.times > least);
            at[shorter] += 1;
            let next = [one, other][shorter].get(at[shorter]).copied();
            items = next.map(|next| if shorter == 0 { [next, b] } else { [a, next] });
        }
        (level.at, level.again) = (at, again);
        let inner = items.and_then(|items| Some((items, [items[0].node()?, items[1].node()?])));
        // The first of a row may be what the other side did once.
        match inner.and_then(|(items, nodes)| Level::of(joint, items, nodes)) {
            Some(inner) => {
                if let Some(items) = items {
                    let level = walk.last_mut()?;
                    level.again = [0, 1]
                        .map(|side| level.again[side] || at == [common, common] && items[side].times > 1);
                }
                walk.push(inner);
            }
            None => break,
        }
    }
    let next = [0, 1].map(|side| next_of(joint, &walk, side));
    Some(Parting { position, frames: frames(joint, &walk), next })
}

fn weight(blocks: &Measure, item: Item) -> u64 {
    match item.what() {
        What::Block(_) | What::Catch(_) => u64::from(item.times),
        What::Node(node) => blocks.of_node(node).saturating_mul(u64::from(item.times)),
        What::Gap(_) | What::Inferred(_) | What::Observed => 0,
    }
}

/// What a side does where the walk ended, or behind the end of what it ended in.
fn next_of(joint: &Joint, walk: &[Level], side: usize) -> Next {
    for (depth, level) in walk.iter().enumerate().rev() {
        // Behind a node goes what is behind it in the one around.
        let is_inner = depth + 1 == walk.len();
        let at = level.at[side] + usize::from(!is_inner && !level.again[side]);
        if let Some(item) = level.items(joint, side).get(at) {
            return begin(joint, item.what());
        }
        match level.kind(joint, side) {
            Some(Kind::Frame { left, .. }) => return left_of(left),
            Some(Kind::Root) if joint.seen(level.nodes[side]).is_whole() => return Next::Nothing,
            Some(Kind::Root) => return Next::Unseen,
            _ => {}
        }
    }
    Next::Nothing
}

/// How a call ended, as a way to go on.
pub(super) fn left_of(left: Left) -> Next {
    match left {
        Left::Returned | Left::Threw => Next::Left(left),
        Left::Unseen | Left::Open => Next::Unseen,
    }
}

/// What an item begins with.
pub(super) fn begin(joint: &Joint, what: What) -> Next {
    let mut what = what;
    loop {
        what = match what {
            What::Block(block) => return Next::Block(block),
            What::Catch(block) => return Next::Catch(block),
            What::Gap(_) | What::Inferred(_) | What::Observed => return Next::Unseen,
            What::Node(node) => match joint.replay.kind(node) {
                Kind::Frame { method, .. } | Kind::Again { method } => return Next::Call(method),
                _ => match joint.replay.items(node).first() {
                    Some(item) => item.what(),
                    None => return Next::Nothing,
                },
            },
        };
    }
}

/// The open calls around the end of the walk, each with the block that ran last in it.
fn frames(joint: &Joint, walk: &[Level]) -> Vec<(MethodId, Option<BlockId>)> {
    let mut frames: Vec<(MethodId, Option<BlockId>)> = vec![];
    for level in walk {
        match level.kind(joint, 0) {
            None | Some(Kind::Root | Kind::Again { .. }) => continue,
            Some(Kind::Frame { method, .. }) => frames.push((method, None)),
            Some(_) => {}
        }
        if let Some((_, last)) = frames.last_mut() {
            *last = joint.replay.last_block(level.nodes[0], level.at[0]).or(*last);
        }
    }
    frames
}
