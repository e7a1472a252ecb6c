//! The index of the trace that is evaluated on, with the thread of each event and what the trace lost itself.

use analyses::tracks::{TrackBy, Tracker};
use inference::evaluate::{Index, IndexedEvent};
use model::{EventSource, Item};

use crate::exit::{Result, Stop};
use crate::losses::Losses;
use crate::numbers::grouped;

/// Events that are indexed: a place takes 56 bytes, so this is about a gigabyte.
const MOST: usize = 20_000_000;

/// Reads `source` to its end. `passed` is called after each item.
pub(crate) fn read(
    source: &mut dyn EventSource,
    mut passed: impl FnMut(&dyn EventSource),
) -> Result<(Index, Losses)> {
    let mut tracker = Tracker::new(TrackBy::Thread);
    let (mut index, mut losses) = (Index::default(), Losses::default());
    let mut item = 0;
    loop {
        match source.next_item() {
            None => break,
            Some(Item::Gap(gap)) => {
                losses.add(&gap);
                index.gaps.push(index.events.len());
                tracker.gap(&gap, source);
            }
            Some(Item::Event(event)) => {
                let mut entry = IndexedEvent::new(item, &event);
                entry.track = tracker.assign(&event).step.track.0;
                if index.events.len() >= MOST {
                    return Stop::failed(format!(
                        "the trace has more than {} events, more than can be evaluated at once",
                        grouped(MOST as u64)
                    ));
                }
                index.events.push(entry);
            }
        }
        item += 1;
        passed(source);
    }
    index.names = source.alphabet().clone();
    Ok((index, losses))
}
