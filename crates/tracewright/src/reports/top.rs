//! What `calls --summary --top N --json` adds.
//!
//! ```text
//! "top":{"methods":[{"method":"shop.Oven.heat","file":"Oven.java","blocks":120,"calls":4}],
//!        "exceptions":[{"thread":"main","method":"shop.Oven.cool","file":"Oven.java","line":30,"ended":1,
//!                       "caught":{"method":"shop.Bakery.close","file":"Bakery.java","line":32}}]}
//! ```
//!
//! Methods come with the most blocks of their own first; exceptions by thread, each once, in the order of their first
//! occurrence. `line` is where the method was when it threw, or called what threw; `caught` is null where nothing that was
//! recorded caught it.

use analyses::calls::CallGraph;
use analyses::exceptions;
use analyses::replay::NodeId;
use model::FlowSource;
use model::code::{BlockId, MethodId};
use serde::Serialize;

use crate::recordings::Ran;
use crate::views::code_names::{file, last_line, lines};

/// The methods that did the most, and the first exceptions.
#[derive(Debug, Serialize)]
pub(crate) struct Top {
    pub(crate) methods: Vec<HeavyMethod>,
    pub(crate) exceptions: Vec<ExceptionReport>,
}

/// A method that did much.
#[derive(Debug, Serialize)]
pub(crate) struct HeavyMethod {
    pub(crate) method: String,
    pub(crate) file: Option<String>,
    /// Of its own.
    pub(crate) blocks: u64,
    pub(crate) calls: u64,
}

/// An exception, from where it began to where it was caught.
#[derive(Debug, Serialize)]
pub(crate) struct ExceptionReport {
    pub(crate) thread: String,
    #[serde(flatten)]
    pub(crate) from: CodeLocation,
    /// Calls that it ended.
    pub(crate) ended: usize,
    pub(crate) caught: Option<CodeLocation>,
}

/// A line of a method.
#[derive(Debug, Serialize)]
pub(crate) struct CodeLocation {
    pub(crate) method: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u16>,
}

impl Top {
    /// At most so many of each.
    pub(crate) fn of(recording: &dyn FlowSource, ran: &Ran<'_>, roots: &[NodeId], most: usize) -> Top {
        let code = recording.code();
        let graph = CallGraph::of(&ran.replay, roots);
        let mut methods: Vec<_> = graph.methods.iter().filter(|(_, work)| work.blocks > 0).collect();
        methods.sort_unstable_by_key(|(method, work)| (std::cmp::Reverse(work.blocks), **method));
        let methods = methods.into_iter().take(most).map(|(method, work)| HeavyMethod {
            method: code.method_name(*method),
            file: file(code, *method).map(str::to_owned),
            blocks: work.blocks,
            calls: work.calls,
        });
        let location = |method: MethodId, line: Option<u16>| CodeLocation {
            method: code.method_name(method),
            file: file(code, method).map(str::to_owned),
            line,
        };
        let last = |method: MethodId, block: Option<BlockId>| last_line(code.method(method)?, block?);
        let first = |method: MethodId, block: BlockId| lines(code.method(method), &[block]).first().copied();
        let mut found = vec![];
        for thread in &ran.replay.threads {
            let name = ran.threads.iter().find(|one| one.serial == thread.serial).map(|one| &one.name);
            let left = most.saturating_sub(found.len());
            for one in exceptions::of(&ran.replay, thread.root, left) {
                found.push(ExceptionReport {
                    thread: name.cloned().unwrap_or_default(),
                    from: location(one.method, last(one.method, one.block)),
                    ended: one.ended,
                    caught: one.caught.map(|(method, block)| location(method, first(method, block))),
                });
            }
        }
        Top { methods: methods.collect(), exceptions: found }
    }
}
