//! Losses that the tracer declares, while an engine reads: totals, positions, and which of the gaps are only edges.

use model::{Edge, EventSource, Gap};

use super::edges::Edges;
use crate::answer::{Answer, Window};
use crate::losses::Losses;

/// Losses that are reported one by one; all are counted.
const WINDOWS: usize = 100_000;

/// Declared losses, with the positions at which each may be.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    pub(crate) all: Vec<Window>,
    /// By stream: the last loss of it.
    last: Vec<Option<usize>>,
}

impl Windows {
    pub(crate) fn add(&mut self, gap: &Gap, source: &dyn EventSource) {
        let stream = gap.stream.0 as usize;
        let last = self.last.get(stream).copied().flatten();
        if gap.edge == Edge::End {
            if let Some(window) = last.and_then(|last| self.all.get_mut(last)) {
                window.may_be_at(gap);
            }
        } else if self.all.len() < WINDOWS {
            let info = source.streams().get(stream);
            let name = info.map_or_else(String::new, |info| info.name.clone());
            self.all.push(Window::new(gap, name, info.and_then(|info| info.cpu)));
            if stream < WINDOWS {
                self.last.resize(self.last.len().max(stream + 1), None);
                if let Some(last) = self.last.get_mut(stream) {
                    *last = Some(self.all.len() - 1);
                }
            }
        }
    }
}

/// All that was declared up to now.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) edges: Edges,
    pub(super) windows: Windows,
    losses: Losses,
    /// Of `windows` those that are edges, ascending.
    unseen: Vec<usize>,
}

impl Declared {
    pub(super) fn of(source: &dyn EventSource) -> Declared {
        let (windows, losses) = (Windows::default(), Losses::default());
        Declared { edges: Edges::of(source), windows, losses, unseen: vec![] }
    }

    /// Adds a gap that an engine is given.
    pub(super) fn add(&mut self, gap: &Gap, source: &dyn EventSource) {
        let known = self.windows.all.len();
        self.windows.add(gap, source);
        if !self.edges.has(gap) {
            self.losses.add(gap);
        } else if known < self.windows.all.len() {
            self.unseen.push(known);
        }
    }

    /// Adds all losses to the answer, and removes from it what only an edge explains.
    pub(super) fn add_to(self, answer: &mut Answer) {
        answer.losses = self.losses;
        answer.windows = self.windows.all;
        if self.unseen.is_empty() {
            return;
        }
        let unseen = self.unseen;
        let is_edge =
            |window: Option<usize>| window.is_some_and(|window| unseen.binary_search(&window).is_ok());
        let renumbered = |window: usize| window - unseen.partition_point(|edge| *edge < window);
        let mut intervals = Vec::with_capacity(answer.inconsistencies.len());
        let mut next = 0;
        answer.inconsistencies.retain_mut(|found| {
            let stays = !is_edge(found.window);
            intervals.push(stays.then_some(next));
            next += usize::from(stays);
            found.window = found.window.map(renumbered);
            stays
        });
        answer.inferred.retain_mut(|event| {
            let repairs = event.inconsistency.map(|number| intervals.get(number).copied().flatten());
            let stays = !is_edge(event.window) && repairs != Some(None);
            event.inconsistency = repairs.flatten();
            event.window = event.window.map(renumbered);
            stays
        });
        answer.long_losses.retain_mut(|long| {
            let stays = !is_edge(Some(long.window));
            long.window = renumbered(long.window);
            stays
        });
        let mut number = 0;
        answer.windows.retain(|_| {
            number += 1;
            !is_edge(Some(number - 1))
        });
    }
}
