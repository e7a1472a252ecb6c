//! Tasks that had not begun at the end, by the thread that handed them over.

use std::collections::BTreeMap;

use model::{FlowSource, Timestamp};

/// How long a task waits for a thread at most if one is free, ns.
const LONG: i128 = 1_000_000_000;

/// Those of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) thread: String,
    pub(crate) tasks: u64,
    /// When the first of them was handed over.
    pub(crate) since: Timestamp,
    /// When stacks were sampled last.
    pub(crate) end: Timestamp,
}

impl Pending {
    /// Whether the first one waited for so long that a free thread of its pool would have taken it.
    pub(crate) fn is_long(&self) -> bool {
        self.end.since(self.since) >= LONG
    }
}

/// The threads of a recording that handed over such tasks, first the one whose first task waited longest.
pub(crate) fn of(recording: &dyn FlowSource) -> Vec<Pending> {
    let mut by_thread: BTreeMap<u32, Pending> = BTreeMap::new();
    let last = recording.stacks().samples.last().map(|sample| sample.time);
    for task in recording.tasks().iter().filter(|task| task.begun.is_none()) {
        let handed_over = task.handed_over;
        let thread = recording.threads().iter().find(|thread| thread.serial == handed_over.thread);
        let pending = by_thread.entry(handed_over.thread).or_insert_with(|| Pending {
            thread: thread.map_or_else(|| "another thread".to_owned(), |thread| thread.name.clone()),
            tasks: 0,
            since: handed_over.time,
            end: last.unwrap_or(handed_over.time),
        });
        pending.tasks += 1;
        pending.since = pending.since.min(handed_over.time);
    }
    let mut all: Vec<Pending> = by_thread.into_values().collect();
    all.sort_by_key(|one| one.since);
    all
}
