//! A trace with inferred events in it, in memory: each stands before the first recorded event that is later.

use model::{Alphabet, Around, EventSource, Item};

use inference::KeptEvent;

/// An inferred event: its name, and the rest.
pub(super) struct Inserted {
    pub(super) time: i64,
    pub(super) name: String,
    /// With any symbol.
    pub(super) event: KeptEvent,
}

/// The source; `inserted` are sorted by time.
pub(super) struct Merged {
    source: Box<dyn EventSource>,
    /// All names: those of the source, then those that only inferred events have.
    alphabet: Alphabet,
    queue: Queue,
}

/// What does not come straight from the source.
struct Queue {
    /// Symbol, moment, event.
    inserted: Vec<(i64, KeptEvent)>,
    next: usize,
    /// A recorded event that has to wait.
    waiting: Option<KeptEvent>,
    shown: Option<KeptEvent>,
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
        Merged { source, alphabet, queue: Queue { inserted, next: 0, waiting: None, shown: None } }
    }
}

impl Queue {
    /// The next inferred event if it comes before the one that waits, else that one.
    fn next(&mut self) -> Option<Item<'_>> {
        let time = self.waiting.as_ref().map_or(i64::MAX, |event| event.time.map_or(i64::MIN, |time| time.0));
        let due = self.inserted.get(self.next).filter(|(moment, _)| *moment < time || self.waiting.is_none());
        let event = match due {
            Some((_, event)) => {
                self.next += 1;
                event.clone()
            }
            None => self.waiting.take()?,
        };
        Some(Item::Event(self.shown.insert(event).event()))
    }
}

impl Around for Merged {
    fn next_around(&mut self) -> Option<Item<'_>> {
        if self.queue.waiting.is_none() {
            let due = self.queue.inserted.get(self.queue.next).map(|(moment, _)| *moment);
            match self.source.next_item() {
                Some(Item::Gap(gap)) => return Some(Item::Gap(gap)),
                Some(Item::Event(event)) => {
                    if due.is_none_or(|due| event.time.is_none_or(|time| time.0 <= due)) {
                        return Some(Item::Event(event));
                    }
                    self.queue.waiting = Some(KeptEvent::copy(&event));
                }
                None => {}
            }
        }
        self.queue.next()
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
            event: KeptEvent::new(Symbol(0), time, 0, &[]),
        });
        let source = Box::new(Reader::new("s", std::io::Cursor::new(text), 0));
        let mut alphabet = Alphabet::default();
        for name in ["a", "b", "c"] {
            alphabet.intern(name);
        }
        let mut merged = Merged::new(source, inserted.into(), alphabet);
        let mut shown = String::new();
        loop {
            let (time, symbol) = match merged.next_item() {
                Some(Item::Event(event)) => (event.time.unwrap().0, event.symbol),
                Some(Item::Gap(_)) => panic!(),
                None => break,
            };
            shown += &format!("{time}{} ", merged.alphabet().name(symbol));
        }
        assert_eq!(shown, "0x 1a 3b 3a 3c 4y 5c 9a ");
    }
}
