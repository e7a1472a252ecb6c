//! A trace without some of its events, as if its tracer had lost them.
//!
//! The source must hand out the same items as it did when the index was made; readers promise that. The
//! remaining items do not show that anything is missing, unless the losses are declared: then each run
//! of deleted neighbours of a stream is a gap right after the last event before it, with its count.

use std::collections::VecDeque;

use model::{Adapter, Edge, EventSource, Gap, Item, Lost, StreamId, Timestamp};

use super::Case;
use super::index::Index;

/// What is left out of a trace; made once for a case.
#[derive(Debug)]
pub struct Hole {
    /// The numbers of the items, ascending.
    items: Vec<u64>,
    /// By stream, in their order: what the tracer would have declared.
    gaps: Vec<VecDeque<Declared>>,
    /// Nothing comes from this item on.
    end: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Declared {
    /// It comes behind the event with this number, as the trace counted them; `None`: before the first.
    after: Option<u64>,
    gap: Gap,
}

impl Hole {
    /// What is left out in `case`, and whether the tracer would say so.
    pub fn new(index: &Index, case: &Case, is_declared: bool) -> Hole {
        let events = || case.gone.iter().filter_map(|&number| index.events.get(number));
        let items = events().map(|entry| entry.item).collect();
        let mut gaps: Vec<VecDeque<Declared>> = Vec::new();
        if is_declared {
            let mut gone: Vec<(u32, u64)> = events().map(|entry| (entry.stream, entry.seq)).collect();
            gone.sort_unstable();
            let mut deleted_before = 0;
            for run in gone.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1) {
                let (Some(&(stream, first)), Some(&(_, last))) = (run.first(), run.last()) else { continue };
                if gaps.len() <= stream as usize {
                    gaps.resize_with(stream as usize + 1, VecDeque::new);
                    deleted_before = 0;
                }
                let lost = match case.is_packet {
                    true => Lost::Packets(1),
                    false => Lost::Events(run.len() as u64),
                };
                let stream = StreamId(stream);
                let before_event = first - deleted_before;
                let gap = Gap { stream, before_event, from: None, to: None, lost, edge: Edge::Start };
                deleted_before += last - first + 1;
                if let Some(gaps) = gaps.get_mut(stream.0 as usize) {
                    gaps.push_back(Declared { after: first.checked_sub(1), gap });
                }
            }
            // Both ends are events that are there.
            let mut last = vec![None; gaps.len()];
            let mut open: Vec<Option<usize>> = vec![None; gaps.len()];
            let mut next = vec![0; gaps.len()];
            let mut gone = case.gone.iter().copied().peekable();
            for (number, entry) in index.events.iter().enumerate() {
                let stream = entry.stream as usize;
                let is_gone = gone.next_if_eq(&number).is_some();
                let (Some(gaps), Some(last), Some(open), Some(next)) =
                    (gaps.get_mut(stream), last.get_mut(stream), open.get_mut(stream), next.get_mut(stream))
                else {
                    continue;
                };
                let time = entry.time.map(Timestamp);
                match (is_gone, *open) {
                    (true, None) => {
                        if let Some(declared) = gaps.get_mut(*next) {
                            declared.gap.from = *last;
                        }
                        *open = Some(*next);
                        *next += 1;
                    }
                    (false, Some(number)) => {
                        if let Some(declared) = gaps.get_mut(number) {
                            declared.gap.to = time;
                        }
                        (*open, *last) = (None, time);
                    }
                    (false, None) => *last = time,
                    (true, Some(_)) => {}
                }
            }
        }
        Hole { items, gaps, end: None }
    }

    /// The same of a trace that ends behind the last event of the index.
    #[must_use]
    pub fn cut(self, index: &Index) -> Hole {
        Hole { end: index.events.last().map(|entry| entry.item + 1), ..self }
    }
}

/// Reads a source and passes over what the hole says.
pub struct Without<'a> {
    source: &'a mut dyn EventSource,
    hole: &'a Hole,
    /// The number of the next item of the source.
    item: u64,
    /// How many of the items of the hole were passed.
    passed: usize,
    /// By stream: the numbers of its events that were passed, ascending.
    deleted: Vec<Vec<u64>>,
    /// By stream: how many of its declared gaps were handed out.
    declared_count: Vec<usize>,
    pending: VecDeque<Gap>,
}

impl std::fmt::Debug for Without<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Without").field("item", &self.item).finish_non_exhaustive()
    }
}

impl<'a> Without<'a> {
    /// `source` without `hole`.
    pub fn new(source: &'a mut dyn EventSource, hole: &'a Hole) -> Without<'a> {
        let first = hole.gaps.iter().map(|gaps| gaps.front().filter(|declared| declared.after.is_none()));
        let first: Vec<Option<Gap>> = first.map(|first| first.map(|declared| declared.gap)).collect();
        let declared_count = first.iter().map(|gap| usize::from(gap.is_some())).collect();
        let pending = first.into_iter().flatten().collect();
        Without { source, hole, item: 0, passed: 0, deleted: vec![], declared_count, pending }
    }
}

impl Adapter for Without<'_> {
    fn next_adapted(&mut self) -> Option<Item<'_>> {
        if let Some(gap) = self.pending.pop_front() {
            return Some(Item::Gap(gap));
        }
        while self.hole.items.get(self.passed) == Some(&self.item) {
            if let Some(Item::Event(event)) = self.source.next_item() {
                let stream = event.stream.0 as usize;
                if self.deleted.len() <= stream {
                    self.deleted.resize(stream + 1, vec![]);
                }
                if let Some(deleted) = self.deleted.get_mut(stream) {
                    deleted.push(event.seq);
                }
            }
            (self.passed, self.item) = (self.passed + 1, self.item + 1);
        }
        if self.hole.end.is_some_and(|end| self.item >= end) {
            return None;
        }
        let item = self.source.next_item()?;
        self.item += 1;
        match item {
            Item::Gap(mut gap) => {
                let deleted = self.deleted.get(gap.stream.0 as usize).map_or(&[][..], |deleted| deleted);
                gap.before_event -= deleted.partition_point(|&seq| seq < gap.before_event) as u64;
                Some(Item::Gap(gap))
            }
            Item::Event(mut event) => {
                let stream = event.stream.0 as usize;
                if let (Some(gaps), Some(declared_count)) =
                    (self.hole.gaps.get(stream), self.declared_count.get_mut(stream))
                    && let Some(declared) = gaps.get(*declared_count)
                    && declared.after == Some(event.seq)
                {
                    *declared_count += 1;
                    self.pending.push_back(declared.gap);
                }
                event.seq -= self.deleted.get(stream).map_or(0, |deleted| deleted.len() as u64);
                Some(Item::Event(event))
            }
        }
    }

    fn inner(&self) -> &dyn EventSource {
        self.source
    }
}
