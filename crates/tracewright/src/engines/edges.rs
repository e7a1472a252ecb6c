//! Edges of a recording whose streams were switched on and off one after the other, as perf does with CPUs.
//!
//! ```text
//! cpu 0      |== recorded ==================|  ?
//! cpu 1   ?      |== recorded =====================|
//!         ^ what happened on cpu 1 here is unknown; it is no loss
//! ```
//!
//! To an engine both are times in which a stream may lack any number of events. Nothing was promised there, so
//! nothing is reported for them: neither a loss, nor an inconsistency that they cause.

use model::{Adapter, Edge, EventSource, Gap, Item, Lost, StreamId, Timestamp};

/// A source that hands out a gap wherever a stream was perhaps not recorded while others were.
pub(super) struct WithEdges<'s> {
    inner: &'s mut dyn EventSource,
    /// Of streams that begin later than others.
    begins: Vec<Gap>,
    /// Of streams that end earlier, the last to end first.
    ends: Vec<Gap>,
    now: Option<Timestamp>,
}

/// The gaps that are edges.
#[derive(Debug, Default)]
pub(super) struct Edges(Vec<Gap>);

impl Edges {
    pub(super) fn of(source: &dyn EventSource) -> Edges {
        let spans = || {
            source
                .streams()
                .iter()
                .zip(0u32..)
                .filter_map(|(info, number)| info.surely_recorded.map(|span| (StreamId(number), span)))
        };
        let begin = spans().map(|(_, (first, _))| first).min();
        let end = spans().map(|(_, (_, last))| last).max();
        let gap = |stream, from, to| Gap {
            stream,
            before_event: 0,
            from,
            to,
            lost: Lost::Unknown,
            edge: Edge::Start,
        };
        let late = spans().filter(|(_, (first, _))| Some(*first) > begin);
        let early = spans().filter(|(_, (_, last))| Some(*last) < end);
        let late = late.map(|(stream, (first, _))| gap(stream, None, Some(first)));
        Edges(late.chain(early.map(|(stream, (_, last))| gap(stream, Some(last), None))).collect())
    }

    /// Whether a gap that came from [`WithEdges`] is one of them.
    pub(super) fn has(&self, gap: &Gap) -> bool {
        self.0.contains(gap)
    }

    /// `inner` with these gaps, each in its place.
    pub(super) fn within<'s>(&self, inner: &'s mut dyn EventSource) -> WithEdges<'s> {
        let (begins, mut ends): (Vec<Gap>, Vec<Gap>) = self.0.iter().partition(|gap| gap.from.is_none());
        ends.sort_by_key(|gap| std::cmp::Reverse(gap.from));
        WithEdges { inner, begins, ends, now: None }
    }
}

impl Adapter for WithEdges<'_> {
    fn inner(&self) -> &dyn EventSource {
        &*self.inner
    }

    fn next_adapted(&mut self) -> Option<Item<'_>> {
        if let Some(gap) = self.begins.pop() {
            return Some(Item::Gap(gap));
        }
        if let Some(gap) = self.ends.pop_if(|gap| gap.from <= self.now) {
            return Some(Item::Gap(gap));
        }
        let item = self.inner.next_item();
        if let Some(Item::Event(event)) = &item {
            self.now = self.now.max(event.time);
        }
        item
    }
}
