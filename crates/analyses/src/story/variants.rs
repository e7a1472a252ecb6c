//! The loops of each method, their iterations by what they did: those of all its calls together.

use std::collections::BTreeMap;

use model::code::MethodId;
use rustc_hash::FxHashMap;

use crate::calls::{ComesRound, Shapes};
use crate::replay::{Kind, NodeId, Replay, What};

use super::firsts::Firsts;

/// Iterations that ran the same lines and made the same calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// The first of them.
    pub node: NodeId,
    /// The call that it is in.
    pub call: NodeId,
    /// Where it began, among all blocks.
    pub begin: u64,
    /// How many, in all calls of the method.
    pub times: u64,
}

/// A loop of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopVariants {
    /// Its index in the method's loops; `None`: blocks that the recorder itself repeated.
    pub index: Option<u32>,
    /// Its iterations in all calls of the method, without those that only found that it is to be left.
    pub iterations: u64,
    /// In the order of the first of each.
    pub variants: Vec<Variant>,
}

/// By method, its loops by index.
pub(super) type ByMethod = BTreeMap<MethodId, Vec<LoopVariants>>;

type Key = (MethodId, Option<u32>);

/// All loops below some roots.
pub(super) fn all(
    replay: &Replay,
    firsts: &Firsts,
    shapes: &mut Shapes<'_>,
    comes_round: &ComesRound<'_>,
) -> ByMethod {
    let mut loops: BTreeMap<Key, FxHashMap<u32, Variant>> = BTreeMap::new();
    let mut leaving: BTreeMap<Key, FxHashMap<u32, Variant>> = BTreeMap::new();
    for node in (0..replay.len() as u32).map(NodeId).filter(|node| firsts.times(*node) > 0) {
        let Kind::Loop { method, index } = replay.kind(node) else { continue };
        for item in replay.items(node) {
            let What::Node(iteration) = item.what() else { continue };
            let leaves = leaves(replay, method, index, iteration, comes_round);
            let into = if leaves { &mut leaving } else { &mut loops };
            let times = firsts.times(node).saturating_mul(u64::from(item.times));
            let begin = firsts.begin(iteration).unwrap_or(u64::MAX);
            let call = firsts.around(iteration).unwrap_or(iteration);
            let one = Variant { node: iteration, call, begin, times: 0 };
            let known = into.entry((method, index)).or_default();
            let known = known.entry(shapes.of(replay, iteration)).or_insert(one);
            let times = known.times.saturating_add(times);
            *known = if (begin, iteration) < (known.begin, known.node) { one } else { *known };
            known.times = times;
        }
    }
    for (key, apart) in leaving {
        let whole = loops.entry(key).or_default();
        let begins = |shapes: &mut Shapes<'_>, short: &Variant| {
            whole.values().any(|long| {
                shapes.of(replay, short.node) == shapes.of(replay, long.node)
                    || shapes.begins(replay, short.node, long.node)
            })
        };
        let rest: Vec<(u32, Variant)> =
            apart.into_iter().filter(|(_, short)| !begins(shapes, short)).collect();
        whole.extend(rest);
    }
    let mut all = ByMethod::new();
    for ((method, index), variants) in loops {
        let mut variants: Vec<Variant> = variants.into_values().collect();
        variants.sort_by_key(|variant| (variant.begin, variant.node));
        let iterations = variants.iter().fold(0u64, |sum, variant| sum.saturating_add(variant.times));
        all.entry(method).or_default().push(LoopVariants { index, iterations, variants });
    }
    all
}

/// Whether the iteration only found that the loop is to be left, as far as is known.
fn leaves(
    replay: &Replay,
    method: MethodId,
    index: Option<u32>,
    iteration: NodeId,
    comes_round: &ComesRound<'_>,
) -> bool {
    let items = replay.items(iteration);
    let last = items.last().and_then(|item| item.block());
    let (Some(index), Some(last)) = (index, last) else { return false };
    items.iter().all(|item| item.block().is_some()) && !comes_round(method, index, last)
}
