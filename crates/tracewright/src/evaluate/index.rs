//! The index: where each event of the trace is, so that any of them can be left out.

use analyses::tracks::{TrackBy, Tracker};
use model::{Alphabet, EventSource, Item, Symbol};

use crate::exit::{Result, Stop};
use crate::losses::Losses;
use crate::numbers::grouped;

/// Events that are indexed: a place takes 56 bytes, so this is about a gigabyte.
const MOST: usize = 20_000_000;

/// One event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Its number among all that the reader hands out, losses included.
    pub(crate) item: u64,
    pub(crate) stream: u32,
    pub(crate) seq: u64,
    pub(crate) time: Option<i64>,
    pub(crate) cpu: Option<u32>,
    pub(crate) symbol: Symbol,
    /// The packet of its stream, counted from 1; 0: the format has none.
    pub(crate) packet: u64,
    /// The thread that it belongs to.
    pub(crate) track: u32,
}

/// All events in the order of reading.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) places: Vec<Place>,
    pub(crate) names: Alphabet,
    pub(crate) losses: Losses,
}

/// Reads `source` to its end. `passed` is called after each item.
pub(crate) fn read(source: &mut dyn EventSource, mut passed: impl FnMut(&dyn EventSource)) -> Result<Index> {
    let mut tracker = Tracker::new(TrackBy::Thread);
    let mut index = Index::default();
    let mut item = 0;
    loop {
        match source.next_item() {
            None => break,
            Some(Item::Gap(gap)) => {
                index.losses.add(&gap);
                tracker.gap(&gap, source);
            }
            Some(Item::Event(event)) => {
                tracker.take(&event);
                let (stream, seq, cpu) = (event.stream.0, event.seq, event.cpu);
                let (time, symbol) = (event.time.map(|time| time.0), event.symbol);
                let track = tracker.place(source).step.track.0;
                // The stream was not asked for more, so its count of packets includes just this one.
                let packet = source.streams().get(stream as usize).map_or(0, |info| info.packets);
                if index.places.len() >= MOST {
                    return Stop::failed(format!(
                        "the trace has more than {} events, more than can be evaluated at once",
                        grouped(MOST as u64)
                    ));
                }
                index.places.push(Place { item, stream, seq, time, cpu, symbol, packet, track });
            }
        }
        item += 1;
        passed(source);
    }
    index.names = source.alphabet().clone();
    Ok(index)
}

impl Index {
    /// What an event is called.
    pub(crate) fn name(&self, place: &Place) -> &str {
        self.names.name(place.symbol)
    }

    /// Events of one CPU are in one lane; those of a stream where CPUs are not known.
    pub(crate) fn lane(place: &Place) -> (bool, u32) {
        place.cpu.map_or((false, place.stream), |cpu| (true, cpu))
    }
}
