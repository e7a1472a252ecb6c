//! A trace with inferred events in it, in memory: each stands before the first recorded event that is later.

use model::{Adapter, Alphabet, EventSource, Item, Origin, OwnedEvent, StreamInfo, TraceInfo};

/// An inferred event: its name, and the rest.
pub(super) struct Inserted {
    pub(super) time: i64,
    pub(super) name: String,
    /// With any symbol.
    pub(super) event: OwnedEvent,
}

/// The source; `inserted` are sorted by time.
pub(super) struct Merged {
    source: Box<dyn EventSource>,
    /// All names: those of the source, then those that only inferred events have.
    alphabet: Alphabet,
    /// What the source knew when it was asked last, for events that do not come straight from it.
    traces: Vec<TraceInfo>,
    streams: Vec<StreamInfo>,
    queue: Queue,
}

/// What does not come straight from the source.
struct Queue {
    /// Symbol, moment, event.
    inserted: Vec<(i64, OwnedEvent)>,
    next: usize,
    /// A recorded event that has to wait.
    waiting: Option<OwnedEvent>,
    shown: Option<OwnedEvent>,
}

impl Merged {
    /// `alphabet`: the names of the source as they are at its end, so that symbols mean the same from the start.
    pub(super) fn new(
        source: Box<dyn EventSource>,
        inserted: Vec<Inserted>,
        mut alphabet: Alphabet,
    ) -> Merged {
        let with_symbol = |inserted: Inserted| {
            let Inserted { time, name, mut event } = inserted;
            event.symbol = alphabet.intern(&name);
            (time, event)
        };
        let inserted = inserted.into_iter().map(with_symbol).collect();
        let queue = Queue { inserted, next: 0, waiting: None, shown: None };
        Merged { traces: source.traces().to_vec(), streams: vec![], source, alphabet, queue }
    }
}

impl Queue {
    /// The next inferred event if it comes before the one that waits, else that one.
    fn next<'a>(&'a mut self, origin: Origin<'a>) -> Option<Item<'a>> {
        let time = self.waiting.as_ref().map_or(i64::MAX, |event| event.time.map_or(i64::MIN, |time| time.0));
        let due = self.inserted.get(self.next).filter(|(moment, _)| *moment < time || self.waiting.is_none());
        let event = match due {
            Some((_, event)) => {
                self.next += 1;
                event.clone()
            }
            None => self.waiting.take()?,
        };
        Some(Item::Event(self.shown.insert(event).event(origin)))
    }
}

impl Adapter for Merged {
    fn next_adapted(&mut self) -> Option<Item<'_>> {
        let Merged { source, alphabet, traces, streams, queue } = self;
        if streams.len() < source.streams().len() {
            *streams = source.streams().to_vec();
        }
        if queue.waiting.is_none() {
            let due = queue.inserted.get(queue.next).map(|(moment, _)| *moment);
            match source.next_item() {
                Some(Item::Gap(gap)) => return Some(Item::Gap(gap)),
                Some(Item::Event(event)) => {
                    if due.is_none_or(|due| event.time.is_none_or(|time| time.0 <= due)) {
                        return Some(Item::Event(event));
                    }
                    queue.waiting = Some(OwnedEvent::copy(&event));
                }
                None => {}
            }
        }
        queue.next(Origin { alphabet, traces, streams })
    }

    fn names(&self) -> &Alphabet {
        &self.alphabet
    }

    fn inner(&self) -> &dyn EventSource {
        self.source.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::event_lines::Reader;
    use model::Symbol;

    #[test]
    fn inferred_events_stand_before_the_first_later_one() {
        let text: String = [(1, "a"), (3, "b"), (3, "a"), (5, "c")]
            .map(|(time, name)| format!("{{\"ts\":{time},\"stream\":\"s\",\"name\":\"{name}\"}}\n"))
            .concat();
        let inserted = [(0, "x"), (3, "c"), (4, "y"), (9, "a")].map(|(time, name)| Inserted {
            time,
            name: name.into(),
            event: OwnedEvent::new(Symbol(0), time, 0, &[]),
        });
        let source = Box::new(Reader::new("s", std::io::Cursor::new(text), 0));
        let mut alphabet = Alphabet::default();
        for name in ["a", "b", "c"] {
            alphabet.intern(name);
        }
        let mut merged = Merged::new(source, inserted.into(), alphabet);
        let mut shown = String::new();
        loop {
            match merged.next_item() {
                Some(Item::Event(event)) => shown += &format!("{}{} ", event.time.unwrap().0, event.name()),
                Some(Item::Gap(_)) => panic!(),
                None => break,
            }
        }
        assert_eq!(shown, "0x 1a 3b 3a 3c 4y 5c 9a ");
    }
}
