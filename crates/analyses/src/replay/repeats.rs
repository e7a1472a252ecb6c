//! Loops among the calls of a method whose blocks are not known.
//!
//! ```text
//! calls       open  less swap  less  less swap  less  close
//! head                ^          ^     ^          ^           the first method that is called again later
//! read as     open  (less swap) (less) (less swap) (less)  close
//! ```
//!
//! An iteration begins with each call of the head, as one of a loop with blocks does with each run of its head. The
//! last one ends where a method is called that no iteration before has called. That is a reading of the calls: they
//! are put together, and none is left out, doubled or moved.

use model::code::MethodId;
use rustc_hash::FxHashMap;

use super::store::{Item, Kind, NodeId, Replay, What};

/// How deep such loops may lie in one another.
const DEEPEST: u32 = 8;

/// The items of a frame of `method`, with what repeats put together.
pub(super) fn folded(replay: &mut Replay, method: MethodId, items: &[Item]) -> Vec<Item> {
    fold(replay, method, items, DEEPEST)
}

fn fold(replay: &mut Replay, method: MethodId, items: &[Item], deeper: u32) -> Vec<Item> {
    let mut out = Vec::new();
    // What is no call, such as a loss, belongs to no iteration.
    for part in items.split_inclusive(|item| callee(replay, *item).is_none()).collect::<Vec<_>>() {
        let (calls, rest) = match part.split_last() {
            Some((last, calls)) if callee(replay, *last).is_none() => (calls, Some(*last)),
            _ => (part, None),
        };
        calls_of(replay, method, calls, deeper, &mut out);
        out.extend(rest);
    }
    out
}

fn calls_of(replay: &mut Replay, method: MethodId, items: &[Item], deeper: u32, out: &mut Vec<Item>) {
    // Fewer make no loop of two iterations of different calls.
    if deeper == 0 || items.len() < 3 {
        return out.extend(items);
    }
    let called: Vec<MethodId> = items.iter().filter_map(|item| callee(replay, *item)).collect();
    let mut seen: FxHashMap<MethodId, (usize, usize)> = FxHashMap::default();
    for (at, callee) in called.iter().enumerate() {
        seen.entry(*callee).or_insert((at, at)).1 = at;
    }
    let span = |at: usize| called.get(at).and_then(|callee| seen.get(callee)).copied();
    let mut at = 0;
    while let (Some(&item), Some((_, last))) = (items.get(at), span(at)) {
        if last == at {
            out.push(item);
            at += 1;
            continue;
        }
        // Whatever is called again later was the head of a loop, if it was called before this one.
        let tail = (last + 1..items.len()).take_while(|at| span(*at).is_some_and(|(first, _)| first < last));
        let end = last + 1 + tail.count();
        let node = loop_of(replay, method, &items[at..end], &called[at..end], deeper);
        out.push(Item::new(What::Node(node), 1));
        at = end;
    }
}

fn loop_of(
    replay: &mut Replay,
    method: MethodId,
    items: &[Item],
    called: &[MethodId],
    deeper: u32,
) -> NodeId {
    let mut iterations: Vec<Item> = Vec::new();
    let mut begin = 0;
    while begin < items.len() {
        let next = called[begin + 1..].iter().position(|callee| *callee == called[0]);
        let end = next.map_or(items.len(), |next| begin + 1 + next);
        let mut iteration = vec![items[begin]];
        calls_of(replay, method, &items[begin + 1..end], deeper - 1, &mut iteration);
        let node = replay.intern(Kind::Iteration { method }, &iteration);
        let item = Item::new(What::Node(node), 1);
        match iterations.last_mut() {
            Some(last) if last.is_like(item) && last.times < u32::MAX => last.times += 1,
            _ => iterations.push(item),
        }
        begin = end;
    }
    replay.intern(Kind::Loop { method, index: None }, &iterations)
}

/// The method that an item calls, once or several times in a row.
fn callee(replay: &Replay, item: Item) -> Option<MethodId> {
    match replay.kind(item.node()?) {
        Kind::Frame { method, .. } | Kind::Again { method } => Some(method),
        _ => None,
    }
}
