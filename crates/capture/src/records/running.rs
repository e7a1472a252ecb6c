//! What threads were in the middle of when recording began, and what was seen of that later.
//!
//! ```text
//! running  tid, name, count of frames, innermost first: (class text, method text, descriptor text, line or 0)
//! samples  tid, how many, frames still there in the last one, count of frames, outermost first:
//!          count of lines, (line: signed difference to the one before, in how many samples)
//! ```
//!
//! Later samples of the same thread stand for all before them.

use model::running::{Running, RunningFrame, RunningSamples};
use source::bytes::{Cursor, put_number, put_signed, put_text};

use crate::frame::{self, kind};

/// Appends a frame of the kind `running`; samples come in frames of their own.
pub fn put_running(running: &Running, out: &mut Vec<u8>) {
    let mut body = vec![];
    put_number(&mut body, running.tid);
    put_text(&mut body, &running.name);
    put_number(&mut body, running.frames.len() as u64);
    for RunningFrame { class, method, descriptor, line } in &running.frames {
        [class, method, descriptor].into_iter().for_each(|text| put_text(&mut body, text));
        put_number(&mut body, u64::from(line.unwrap_or(0)));
    }
    frame::put_small(out, kind::RUNNING, &[], &body);
}

/// Reads a body of that kind.
pub fn read_running(body: &[u8]) -> Option<Running> {
    let mut cursor = Cursor::new(body);
    let (tid, name, count) = (cursor.number()?, cursor.text()?, cursor.count()?);
    let mut one = || {
        let (class, method, descriptor) = (cursor.text()?, cursor.text()?, cursor.text()?);
        let line = u16::try_from(cursor.number()?).ok().filter(|line| *line > 0);
        Some(RunningFrame { class, method, descriptor, line })
    };
    let frames = (0..count).map(|_| one()).collect::<Option<_>>()?;
    Some(Running { tid, name, frames, samples: None })
}

/// Appends a frame with the samples of the thread `tid`.
pub fn put_running_samples(tid: u64, samples: &RunningSamples, out: &mut Vec<u8>) {
    let mut body = vec![];
    put_number(&mut body, tid);
    [samples.count, samples.still].into_iter().for_each(|number| put_number(&mut body, u64::from(number)));
    put_number(&mut body, samples.lines.len() as u64);
    for lines in &samples.lines {
        put_number(&mut body, lines.len() as u64);
        let mut before = 0;
        for (line, times) in lines {
            put_signed(&mut body, i64::from(*line) - before);
            before = i64::from(*line);
            put_number(&mut body, u64::from(*times));
        }
    }
    frame::put_small(out, kind::RUNNING_SAMPLES, &[], &body);
}

/// Reads a body of that kind: the thread and its samples.
pub fn read_running_samples(body: &[u8]) -> Option<(u64, RunningSamples)> {
    let mut cursor = Cursor::new(body);
    let (tid, count, still) = (cursor.number()?, cursor.number32()?, cursor.number32()?);
    let frames = cursor.count().filter(|&frames| frames <= usize::from(Running::MOST))?;
    let lines = (0..frames).map(|_| read_lines(&mut cursor)).collect::<Option<Vec<_>>>()?;
    (still as usize <= frames).then_some((tid, RunningSamples { count, still, lines }))
}

fn read_lines(cursor: &mut Cursor<'_>) -> Option<Vec<(u16, u32)>> {
    let mut line = 0i64;
    let count = cursor.count()?;
    let mut next = || {
        line = line.checked_add(cursor.signed()?)?;
        Some((u16::try_from(line).ok()?, cursor.number32()?))
    };
    (0..count).map(|_| next()).collect()
}
