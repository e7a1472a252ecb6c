//! The times in which a tracer says that it lost events, by CPU.

use std::collections::HashMap;

use model::{Edge, Gap, Lost, StreamId, Timestamp};

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
    /// How many of its events were inferred: never more than it declares.
    pub inferred: u64,
}

impl LossWindow {
    /// How many events; `None`: nobody counted.
    pub fn lost(&self) -> Option<u64> {
        match self.gap.lost {
            Lost::Events(lost) => Some(lost),
            Lost::Packets(_) | Lost::Unknown => None,
        }
    }
}

/// A time in which a declared loss may be. Some have several.
#[derive(Debug, Clone, Copy)]
pub(super) struct LossSite {
    pub(super) window: usize,
    pub(super) cpu: Option<u32>,
    pub(super) from: i64,
    pub(super) to: i64,
}

/// All windows so far, and until when they last.
#[derive(Debug, Default)]
pub(super) struct Windows {
    pub(super) all: Vec<LossWindow>,
    pub(super) sites: Vec<LossSite>,
    last_of: HashMap<StreamId, usize>,
    /// The end of the latest window, and its number: over all, of one CPU, of unknown CPUs.
    latest: Option<(i64, usize)>,
    by_cpu: HashMap<u32, (i64, usize)>,
    anywhere: Option<(i64, usize)>,
}

impl Windows {
    /// Adds a loss, or another place of one; the number of the place.
    pub(super) fn add(&mut self, gap: &Gap, cpu: Option<u32>) -> usize {
        let known = self.last_of.get(&gap.stream).copied().filter(|_| gap.edge == Edge::End);
        let number = known.unwrap_or(self.all.len());
        if known.is_none() {
            self.all.push(LossWindow { gap: *gap, cpu, widened: 0, recovered: 0, inferred: 0 });
            self.last_of.insert(gap.stream, number);
        }
        let (from, to) = (gap.from.map_or(i64::MIN, |from| from.0), gap.to.map_or(i64::MAX, |to| to.0));
        self.sites.push(LossSite { window: number, cpu, from, to });
        let end = (to, number);
        self.latest = self.latest.max(Some(end));
        match cpu {
            Some(cpu) => {
                let known = self.by_cpu.entry(cpu).or_insert(end);
                *known = end.max(*known);
            }
            None => self.anywhere = self.anywhere.max(Some(end)),
        }
        self.sites.len() - 1
    }

    /// The window in which something may have happened after `since`: on this CPU (or one that is
    /// not known), or on any.
    #[inline]
    pub(super) fn after(&self, since: Timestamp, only_on: Option<u32>) -> Option<usize> {
        if self.all.is_empty() {
            return None;
        }
        let latest = match only_on {
            None => self.latest,
            Some(cpu) => self.by_cpu.get(&cpu).copied().max(self.anywhere),
        };
        latest.filter(|(end, _)| *end >= since.0).map(|(_, number)| number)
    }

    /// How many more events may be inferred in a window.
    pub(super) fn capacity(&self, window: usize) -> u64 {
        let window = self.all.get(window);
        window.map_or(0, |window| window.lost().map_or(u64::MAX, |lost| lost.saturating_sub(window.inferred)))
    }

    pub(super) fn spend(&mut self, window: Option<usize>) {
        if let Some(window) = window.and_then(|window| self.all.get_mut(window)) {
            window.inferred += 1;
        }
    }

    /// How many events were lost at these places, where somebody counted; with no place nobody did.
    pub(super) fn count(&self, sites: &[LossSite]) -> Option<u64> {
        let mut windows: Vec<usize> = sites.iter().map(|site| site.window).collect();
        windows.sort_unstable();
        windows.dedup();
        let capacities = windows.into_iter().map(|window| self.capacity(window));
        let all = capacities.fold(0u64, u64::saturating_add);
        (!sites.is_empty() && all < u64::MAX).then_some(all)
    }

    /// The window that a lost event is charged to, and the time that is left for it there.
    pub(super) fn charge(&self, sites: &[LossSite], from: i64, to: i64) -> (Option<usize>, i64, i64) {
        let overlaps =
            |site: &&LossSite| site.from <= to && site.to >= from && self.capacity(site.window) > 0;
        match sites.iter().find(overlaps) {
            Some(site) => (Some(site.window), from.max(site.from), to.min(site.to)),
            None => (None, from, to),
        }
    }

    /// The window of a place, or another of these places with room.
    pub(super) fn near(&self, sites: &[LossSite], site: LossSite) -> Option<usize> {
        let all = std::iter::once(&site).chain(sites.iter().rev()).map(|site| site.window);
        all.into_iter().find(|window| self.capacity(*window) > 0)
    }

    /// The places with room that overlap a time, the latest first.
    pub(super) fn over(&self, since: i64, until: i64) -> impl Iterator<Item = LossSite> + '_ {
        let sites = self.sites.iter().rev().copied();
        sites.filter(move |site| site.from <= until && site.to >= since && self.capacity(site.window) > 0)
    }
}
