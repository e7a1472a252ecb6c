//! `/api/timeline/events`: the events around a moment, as text.
//!
//! They are read from the trace again: a CTF trace is entered at the packets of that moment, event lines at the byte
//! that the index knows; perf's file is read from its beginning. What was read is cached, in blocks.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use analyses::timeline::BLOCK;
use formats::event_lines;
use model::{EventSource, Item, Timestamp};

use viewer::Reply;
use viewer::api::timeline::{EventLine, Events};
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::moment;
use crate::input;
use crate::open::open_at;
use crate::views::event_text;

/// Blocks that are cached.
const CACHED: usize = 64;
/// Events of one answer.
const MOST: usize = 500;
/// Letters of the fields of an event that are given.
const LETTERS: usize = 4000;

/// One event of the table.
#[derive(Debug)]
struct Line {
    time: i64,
    cpu: Option<u32>,
    stream: String,
    name: String,
    fields: String,
}

/// The blocks that were read last.
#[derive(Debug, Default)]
pub(super) struct Table {
    cached: Mutex<VecDeque<(usize, Arc<Vec<Line>>)>>,
}

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Events> {
    let part = &session.timeline;
    let Some(input) = &part.input else { return Err(Reply::refusal(404, "There is no trace.\n")) };
    let (first, all, start, is_read) = {
        let index = part.original();
        let at = |time: i64| index.times.partition_point(|&known| known < time);
        let first = asked.number("first").or_else(|| moment(asked, "time", &index).map(at)).unwrap_or(0);
        (first.min(index.times.len()), index.times.len(), index.start(), part.job.done().is_some())
    };
    let count = asked.number("count").unwrap_or(60).clamp(1, MOST);
    let last = (first + count).min(all);
    let mut lines = Vec::new();
    for block in first / BLOCK..last.div_ceil(BLOCK).max(first / BLOCK) {
        let (times, offset): (Vec<i64>, Option<u64>) = {
            let index = part.original();
            let from = (block * BLOCK).min(index.times.len());
            let to = (from + BLOCK).min(index.times.len());
            (index.times[from..to].to_vec(), index.offsets.get(block).copied())
        };
        let found = part.table.block(
            block,
            || {
                if let Some(mut source) = offset.and_then(|offset| open_from(input, offset)) {
                    return read(source.as_mut(), times.first().copied().unwrap_or(0), 0, times.len());
                }
                let (Some(&time), Ok(mut source)) =
                    (times.first(), open_at(input, times.first().map(|&time| Timestamp(time))))
                else {
                    return vec![];
                };
                // Of the events of that very moment some may belong to the block before.
                let same = part.original().times.partition_point(|&known| known < time);
                read(source.as_mut(), time, block * BLOCK - same, times.len())
            },
            is_read,
        );
        lines.push((block * BLOCK, found));
    }
    let numbered = lines
        .iter()
        .flat_map(|(base, block)| block.iter().enumerate().map(move |(index, line)| (base + index, line)));
    let events =
        numbered.filter(|(number, _)| (first..last).contains(number)).map(|(number, line)| EventLine {
            number,
            time: line.time.saturating_sub(start),
            cpu: line.cpu,
            stream: line.stream.clone(),
            name: line.name.clone(),
            fields: line.fields.clone(),
        });
    Ok(Events { first, all, events: events.collect() })
}

impl Table {
    fn block(&self, block: usize, read: impl FnOnce() -> Vec<Line>, is_whole: bool) -> Arc<Vec<Line>> {
        let lock = || self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, lines)) = lock().iter().find(|(known, _)| *known == block) {
            return lines.clone();
        }
        let lines = Arc::new(read());
        // A block at the end of what was indexed so far may be a part of what it will be.
        if is_whole || lines.len() == BLOCK {
            let mut cached = lock();
            cached.push_back((block, lines.clone()));
            if cached.len() > CACHED {
                cached.pop_front();
            }
        }
        lines
    }
}

/// Event lines from a byte of the file on.
fn open_from(input: &Path, offset: u64) -> Option<Box<dyn EventSource>> {
    let stream = input::stream_from(input, offset).ok()?;
    let name = stream.name.clone();
    Some(Box::new(event_lines::Reader::new(&name, stream, 0)))
}

/// `count` events from the moment `time` on, without the first `skipped` of that moment.
fn read(source: &mut dyn EventSource, time: i64, skipped: usize, count: usize) -> Vec<Line> {
    let (mut lines, mut skipped, mut last) = (Vec::with_capacity(count.min(BLOCK)), skipped, i64::MIN);
    while lines.len() < count {
        let event = match source.next_item() {
            None => break,
            Some(Item::Gap(_)) => continue,
            Some(Item::Event(event)) => event,
        };
        // As in the index: time never runs backwards, and without a clock it stands still.
        last = event.time.map_or(last, |time| time.0).max(last);
        let at = if last == i64::MIN { 0 } else { last };
        if at < time {
            continue;
        }
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        let info = event.stream_info();
        let mut fields = event_text::fields(&event);
        if let Some((end, _)) = fields.char_indices().nth(LETTERS) {
            fields.truncate(end);
            fields.push('…');
        }
        lines.push(Line {
            time: at,
            cpu: event.cpu.or(info.and_then(|info| info.cpu)),
            stream: info.map_or_else(String::new, |info| info.name.clone()),
            name: event.name().to_owned(),
            fields,
        });
    }
    lines
}
