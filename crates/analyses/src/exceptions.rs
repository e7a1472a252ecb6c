//! Exceptions: in which calls they began and where they were caught, in the order of their first occurrence.
//!
//! ```text
//! main      0 1 [close]        8
//! close         0 [cool] c2 3        a handler runs behind the call that threw
//! cool            0 1 threw          nothing inside of it threw: here it began
//! ```
//!
//! Equal calls are one node, so what happens a million times in the same way is looked at once. Whoever called from code
//! that was not recorded may have caught an exception too: then no handler is known.

use model::code::{BlockId, MethodId};
use model::flow::Left;
use rustc_hash::FxHashSet;

use crate::replay::{Item, Kind, NodeId, Replay, What};

/// Nodes that are looked at in all.
const WORK: usize = 50_000_000;

/// An exception, by where it began and where it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Exception {
    /// The method that threw, or called something that was not recorded and threw.
    pub method: MethodId,
    /// The block that ran last in it.
    pub block: Option<BlockId>,
    /// The method that caught it and its handler; `None`: nothing that was recorded did.
    pub caught: Option<(MethodId, BlockId)>,
    /// Calls that it ended.
    pub ended: usize,
}

/// A node that the walk is in.
struct Level {
    node: NodeId,
    at: usize,
}

/// The different exceptions below a root in the order in which each occurred first, at most `most`.
pub fn of(replay: &Replay, root: NodeId, most: usize) -> Vec<Exception> {
    // Whether anything inside was left by an exception.
    let mut throws = vec![false; replay.len()];
    for node in (0..replay.len() as u32).map(NodeId) {
        let inner =
            |item: &Item| item.node().is_some_and(|inner| throws.get(inner.0 as usize) == Some(&true));
        let threw = is_thrown(replay, node) || replay.items(node).iter().any(inner);
        if let Some(position) = throws.get_mut(node.0 as usize) {
            *position = threw;
        }
    }
    let mut found: Vec<Exception> = vec![];
    let mut known: FxHashSet<NodeId> = FxHashSet::default();
    let mut walk = vec![Level { node: root, at: 0 }];
    let mut work = 0;
    while let Some(level) = walk.last_mut() {
        let item = replay.items(level.node).get(level.at).copied();
        level.at += 1;
        work += 1;
        let Some(item) = item else {
            if is_thrown(replay, level.node)
                && let Some(exception) = ended(replay, &walk)
                && !found.contains(&exception)
            {
                found.push(exception);
            }
            walk.pop();
            continue;
        };
        if found.len() >= most || work > WORK {
            break;
        }
        let Some(inner) = item.node().filter(|inner| throws.get(inner.0 as usize) == Some(&true)) else {
            continue;
        };
        // Whatever ended inside of it ended there before; what left it is caught by whoever is around it now.
        if known.insert(inner) || is_thrown(replay, inner) {
            walk.push(Level { node: inner, at: 0 });
        }
    }
    found
}

fn is_thrown(replay: &Replay, node: NodeId) -> bool {
    matches!(replay.kind(node), Kind::Frame { left: Left::Threw, .. })
}

/// The exception that began in the call at the end of the walk; `None`: it came from a call inside.
fn ended(replay: &Replay, walk: &[Level]) -> Option<Exception> {
    let thrower = walk.last()?;
    let Kind::Frame { method, .. } = replay.kind(thrower.node) else { return None };
    if last_call_threw(replay, thrower.node) {
        return None;
    }
    let block = replay.last_block(thrower.node, usize::MAX);
    let mut ended = 0;
    let mut caught = None;
    for level in walk.iter().rev() {
        // What stands behind the call is the next item of the innermost node around it that has one.
        if level.node != thrower.node
            && let Some(next) = replay.items(level.node).get(level.at)
        {
            caught = handler(replay, *next).zip(method_of(replay, level.node)).map(|(block, id)| (id, block));
            break;
        }
        match replay.kind(level.node) {
            Kind::Frame { left: Left::Threw, .. } => ended += 1,
            Kind::Frame { .. } => break,
            _ => {}
        }
    }
    Some(Exception { method, block, caught, ended })
}

/// Whether the last thing that a call did was a call that threw.
fn last_call_threw(replay: &Replay, node: NodeId) -> bool {
    let mut node = node;
    while let Some(inner) = replay.items(node).last().and_then(|item| item.node()) {
        match replay.kind(inner) {
            Kind::Frame { left, .. } => return left == Left::Threw,
            _ => node = inner,
        }
    }
    false
}

/// The handler that an item begins with.
fn handler(replay: &Replay, item: Item) -> Option<BlockId> {
    let mut what = item.what();
    loop {
        what = match what {
            What::Catch(block) => return Some(block),
            What::Node(inner) if !matches!(replay.kind(inner), Kind::Frame { .. } | Kind::Again { .. }) => {
                replay.items(inner).first()?.what()
            }
            _ => return None,
        };
    }
}

fn method_of(replay: &Replay, node: NodeId) -> Option<MethodId> {
    match replay.kind(node) {
        Kind::Frame { method, .. } | Kind::Loop { method, .. } | Kind::Iteration { method } => Some(method),
        Kind::Root | Kind::Again { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::calls::tests::{build, code};

    fn check(run: &str, expected: Expect) {
        let replay = build(&code(), run);
        let mut text = String::new();
        for one in of(&replay, replay.threads[0].root, 10) {
            let caught =
                one.caught.map_or("nowhere".into(), |(method, block)| format!("m{}.{block}", method.0));
            text += &format!("m{}.{:?} ended {}, caught {caught}\n", one.method.0, one.block, one.ended);
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn the_call_where_it_began_and_the_handler() {
        check(
            "(0 0 (1 0 (2 0 3!!c 5)",
            expect![[r#"
            m2.Some(3) ended 2, caught m0.4
        "#]],
        );
        // The handler stands in a loop, and nothing catches the second.
        check(
            "(0 0 1 (1 0!c 1 3 (2 0!!",
            expect![[r#"
            m1.Some(0) ended 1, caught m0.4
            m2.Some(0) ended 2, caught nowhere
        "#]],
        );
    }

    #[test]
    fn each_is_listed_once_in_the_order_of_the_run() {
        check(
            "(0 0 (3 0!c (1 0!c (3 0!c 5)",
            expect![[r#"
            m3.Some(0) ended 1, caught m0.4
            m1.Some(0) ended 1, caught m0.4
        "#]],
        );
        check("(0 0 (1 0) 5)", expect![[""]]);
    }

    #[test]
    fn an_exception_in_a_handler_is_another_one() {
        check(
            "(0 0 (1 0 (2 0!c 3!c 5)",
            expect![[r#"
            m2.Some(0) ended 1, caught m1.4
            m1.Some(3) ended 1, caught m0.4
        "#]],
        );
    }
}
