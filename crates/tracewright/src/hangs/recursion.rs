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
use model::flow_source::FlowSource;
use model::{BlockId, MethodId};

use super::open_loops::{called, with_code};

/// Calls of itself that no data structure makes necessary. The smallest stack has room for more.
pub(crate) const LEAST: u64 = 500;

/// Whether a loop of these blocks goes one call deeper in each iteration: a method in it begins, calls itself, directly
/// or through others, and does not return.
pub(crate) fn descends(recording: &dyn FlowSource, blocks: &BTreeSet<(MethodId, BlockId)>) -> bool {
    let code = recording.code();
    let has_returned = |id: MethodId| {
        blocks.iter().filter(|(method, _)| *method == id).any(|(method, block)| {
            let block = code.method(*method).and_then(|method| method.blocks.get(*block as usize));
            block.is_none_or(|block| matches!(block.ending, Ending::Return))
        })
    };
    let begun = || blocks.iter().filter(|(_, block)| *block == 0).map(|(method, _)| *method);
    let calls = calls(recording, blocks);
    begun().filter(|id| !has_returned(*id)).any(|id| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![id]);
        while let Some(one) = next.pop() {
            let called =
                calls.get(&one).into_iter().flatten().filter(|other| begun().any(|id| id == **other));
            next.extend(called.filter(|other| reached.insert(**other)));
        }
        reached.contains(&id)
    })
}

/// Which of these methods may call which, by the names that their calls state.
fn calls(
    recording: &dyn FlowSource,
    blocks: &BTreeSet<(MethodId, BlockId)>,
) -> BTreeMap<MethodId, BTreeSet<MethodId>> {
    let code = recording.code();
    let methods: BTreeSet<MethodId> = blocks.iter().map(|(method, _)| *method).collect();
    let mut all: BTreeMap<MethodId, BTreeSet<MethodId>> = BTreeMap::new();
    for (id, block) in blocks {
        let end =
            code.method(*id).and_then(|method| method.blocks.get(*block as usize)).map(|block| block.end);
        let name = end.and_then(|end| {
            with_code(recording, *id, |pool, code| {
                let last = code.iter().take_while(|(pc, _)| *pc < end).last()?.1;
                if last.opcode.is_call() { called(pool, last) } else { None }
            })
        });
        let Some((_, name)) = name else { continue };
        let is_called = |other: &&MethodId| code.method(**other).is_some_and(|method| method.name == name);
        all.entry(*id).or_default().extend(methods.iter().filter(is_called));
    }
    all
}
