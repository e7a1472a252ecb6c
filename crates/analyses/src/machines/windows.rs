//! The times in which a tracer says that it lost events, by CPU.

use std::collections::HashMap;

use model::{Gap, Timestamp};

/// A declared loss and what it did to what is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossWindow {
    /// What the tracer says.
    pub gap: Gap,
    /// The CPU of its stream; `None`: unknown, it may concern any.
    pub cpu: Option<u32>,
    /// How many instances became less certain because of it (as the last of several losses).
    pub widened: u64,
    /// How many of those were certain again later.
    pub recovered: u64,
}

/// All windows so far, and until when they last.
#[derive(Debug, Default)]
pub(super) struct Windows {
    pub(super) all: Vec<LossWindow>,
    /// The end of the latest window, and its number: over all, of one CPU, of unknown CPUs.
    latest: Option<(i64, usize)>,
    by_cpu: HashMap<u32, (i64, usize)>,
    anywhere: Option<(i64, usize)>,
}

impl Windows {
    pub(super) fn add(&mut self, gap: &Gap, cpu: Option<u32>) {
        let number = self.all.len();
        self.all.push(LossWindow { gap: *gap, cpu, widened: 0, recovered: 0 });
        let end = (gap.to.map_or(i64::MAX, |to| to.0), number);
        self.latest = self.latest.max(Some(end));
        match cpu {
            Some(cpu) => {
                let known = self.by_cpu.entry(cpu).or_insert(end);
                *known = end.max(*known);
            }
            None => self.anywhere = self.anywhere.max(Some(end)),
        }
    }

    /// The window in which something may have happened after `since`: on this CPU (or one that is
    /// not known), or on any.
    pub(super) fn after(&self, since: Timestamp, only_on: Option<u32>) -> Option<usize> {
        let latest = match only_on {
            None => self.latest,
            Some(cpu) => self.by_cpu.get(&cpu).copied().max(self.anywhere),
        };
        latest.filter(|(end, _)| *end >= since.0).map(|(_, number)| number)
    }
}
