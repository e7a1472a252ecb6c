//! Recursion that ends only where the stack does.
//!
//! ```text
//! while (result < 0)
//!     try { result = depth(root); } catch (Throwable overflow) { }      one iteration: depth depth depth ... depth, 5,367 to 14,758 times
//! ```
//!
//! How deep it comes depends on how large the frames are, and so on what is compiled by then: that it differs shows no
//! progress.

use std::collections::{BTreeMap, BTreeSet};

use model::code::Ending;
use model::{BlockId, CodeMap, MethodId};

/// Calls of itself that no data structure makes necessary. The smallest stack has room for more.
pub(crate) const LEAST: u64 = 500;

/// Whether a loop of these blocks goes one call deeper in each iteration: a method in it begins, calls itself, directly
/// or through others, and does not return.
pub(crate) fn descends(code: &CodeMap, blocks: &BTreeSet<(MethodId, BlockId)>) -> bool {
    let ending = |(method, block): &(MethodId, BlockId)| {
        code.method(*method).and_then(|method| method.blocks.get(*block as usize)).map(|block| &block.ending)
    };
    let begun: BTreeSet<MethodId> =
        blocks.iter().filter(|(_, block)| *block == 0).map(|(method, _)| *method).collect();
    let mut calls: BTreeMap<MethodId, BTreeSet<MethodId>> = BTreeMap::new();
    let mut returned = BTreeSet::new();
    for one in blocks {
        match ending(one) {
            Some(Ending::Call(site)) => {
                let is_called = |other: &&MethodId| {
                    code.method(**other).is_some_and(|method| {
                        (&method.name, &method.descriptor) == (&site.name, &site.descriptor)
                    })
                };
                calls.entry(one.0).or_default().extend(begun.iter().filter(is_called));
            }
            Some(Ending::Return) | None => _ = returned.insert(one.0),
            Some(_) => {}
        }
    }
    begun.difference(&returned).any(|id| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![*id]);
        while let Some(one) = next.pop() {
            let called = calls.get(&one).into_iter().flatten();
            next.extend(called.filter(|other| reached.insert(**other)));
        }
        reached.contains(id)
    })
}

#[cfg(test)]
mod tests {
    use model::ClassId;
    use model::code::{Block, CallKind, CallSite, Class, Method};

    use super::*;

    /// Methods `m0`, `m1` and so on, each of blocks: the number of the method that the block calls, `r` if it returns there,
    /// `.` for what else it may do.
    fn code(methods: &[&str]) -> CodeMap {
        let class = Class { name: "C".into(), ..Class::default() };
        let mut code = CodeMap { classes: vec![class], ..CodeMap::default() };
        for (number, blocks) in methods.iter().enumerate() {
            let ending = |letter: char| match letter {
                'r' => Ending::Return,
                '.' => Ending::Branch,
                called => Ending::Call(CallSite {
                    class: "C".into(),
                    name: format!("m{called}"),
                    descriptor: "()V".into(),
                    kind: CallKind::Virtual,
                }),
            };
            let block = |letter| Block { ending: ending(letter), ..Block::body(None) };
            code.methods.push(Method {
                name: format!("m{number}"),
                descriptor: "()V".into(),
                blocks: blocks.chars().map(block).collect(),
                class: ClassId(0),
                access_flags: 0,
                edges: vec![],
                exception_edges: vec![],
                loops: vec![],
            });
        }
        code
    }

    /// The blocks of each method, the blocks that ran (method, block), and whether they descend.
    type Case<'a> = (&'a [&'a str], &'a [(u32, u32)], bool);

    #[test]
    fn who_calls_itself_and_does_not_return_descends() {
        let cases: [Case; 7] = [
            (&["0r"], &[(0, 0)], true),
            (&["0r"], &[(0, 0), (0, 1)], false),
            (&["1r", "0r"], &[(0, 0), (1, 0)], true),
            // A helper that returns in each iteration changes nothing.
            (&["1.0r", "r"], &[(0, 0), (0, 1), (0, 2), (1, 0)], true),
            // A loop of m0 that calls m1, which throws each time.
            (&["..1r", ".r"], &[(0, 1), (0, 2), (1, 0)], false),
            // Nobody calls m1 there.
            (&["r", "."], &[(1, 0)], false),
            (&["1r", "0r"], &[(0, 0), (1, 0), (1, 1)], true),
        ];
        for (methods, blocks, expected) in cases {
            let blocks = blocks.iter().map(|(method, block)| (MethodId(*method), *block)).collect();
            assert_eq!(descends(&code(methods), &blocks), expected, "{methods:?} {blocks:?}");
        }
    }
}
