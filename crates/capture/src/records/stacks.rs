//! Stack samples: what all threads were in the middle of at one moment, as [`model::stack`] describes it.
//!
//! ```text
//! stacks   time signed, flags u8 (1: recording ended), count of methods: (class text, name text, descriptor text),
//!          count of threads: (tid, name text, state u8, ns of processor time + 1 or 0, chunk number, records in it,
//!          flags u8 (1: outer frames are left out), count of frames, innermost first: (place of the method among
//!          those above, pc + 1 or 0, line or 0, flags u8 (1: it began before its method was instrumented))),
//!          count of threads that wait: (place of the thread among those above, class text or nothing, number of the thread
//!          that holds it + 1 or 0, flags u8 (1: with a time limit)). Older recorders end before this count.
//! ```
//!
//! Each record stands for itself: its frames count its own methods.

use model::Timestamp;
use model::stack::{
    SampledFrame, SampledMethod, SampledThread, StackSample, StackSamples, ThreadState, Wait,
};

use crate::frame::{self, kind};
use crate::limits;
use source::bytes::{Cursor, put_number, put_signed, put_text};

/// One sample and the methods of its frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StacksRecord {
    /// The methods that its frames count.
    pub methods: Vec<SampledMethod>,
    /// What was seen.
    pub sample: StackSample,
}

impl StacksRecord {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        put_signed(&mut body, self.sample.time.0);
        body.push(u8::from(self.sample.at_end));
        put_number(&mut body, self.methods.len() as u64);
        for SampledMethod { class, name, descriptor } in &self.methods {
            [class, name, descriptor].into_iter().for_each(|text| put_text(&mut body, text));
        }
        put_number(&mut body, self.sample.threads.len() as u64);
        self.sample.threads.iter().for_each(|thread| put_thread(&mut body, thread));
        put_waits(&mut body, &self.sample.threads);
        frame::put_small(out, kind::STACKS, &[], &body);
    }

    /// Reads a body.
    pub fn read(body: &[u8]) -> Option<StacksRecord> {
        let mut cursor = Cursor::new(body);
        let (time, flags, count) = (cursor.signed()?, cursor.byte()?, cursor.count()?);
        let mut method = || {
            let (class, name, descriptor) = (cursor.text()?, cursor.text()?, cursor.text()?);
            Some(SampledMethod { class, name, descriptor })
        };
        let methods = (0..count).map(|_| method()).collect::<Option<Vec<_>>>()?;
        let count = cursor.count()?;
        let most = methods.len() as u32;
        let mut threads = (0..count).map(|_| thread(&mut cursor, most)).collect::<Option<Vec<_>>>()?;
        if cursor.left() > 0 {
            read_waits(&mut cursor, &mut threads)?;
        }
        let sample = StackSample { time: Timestamp(time), at_end: flags & 1 != 0, threads };
        Some(StacksRecord { methods, sample })
    }
}

fn put_thread(body: &mut Vec<u8>, thread: &SampledThread) {
    let SampledThread { tid, name, state, cpu, position: (chunk, records), frames, is_cut, waits: _ } =
        thread;
    put_number(body, *tid);
    put_text(body, name);
    body.push(match state {
        ThreadState::Runnable => 0,
        ThreadState::Blocked => 1,
        ThreadState::Waiting => 2,
        ThreadState::Sleeping => 3,
    });
    put_number(body, cpu.map_or(0, |cpu| cpu.saturating_add(1)));
    [chunk, records].into_iter().for_each(|number| put_number(body, u64::from(*number)));
    body.push(u8::from(*is_cut));
    put_number(body, frames.len() as u64);
    for SampledFrame { method, pc, line, is_old } in frames {
        put_number(body, u64::from(*method));
        put_number(body, pc.map_or(0, |pc| u64::from(pc) + 1));
        put_number(body, u64::from(line.unwrap_or(0)));
        body.push(u8::from(*is_old));
    }
}

/// A thread; `None` if it makes no sense. `most`: methods of the record.
fn thread(cursor: &mut Cursor<'_>, most: u32) -> Option<SampledThread> {
    let (tid, name) = (cursor.number()?, cursor.text()?);
    let state = match cursor.byte()? {
        0 => ThreadState::Runnable,
        1 => ThreadState::Blocked,
        2 => ThreadState::Waiting,
        3 => ThreadState::Sleeping,
        _ => return None,
    };
    let cpu = cursor.number()?.checked_sub(1);
    let position = (cursor.number32()?, cursor.number32()?);
    let (flags, count) = (cursor.byte()?, cursor.count()?);
    let mut frame = || {
        let method = cursor.number32().filter(|method| *method < most)?;
        let pc = match cursor.number()?.checked_sub(1) {
            None => None,
            Some(pc) => Some(u32::try_from(pc).ok()?),
        };
        let line = u16::try_from(cursor.number()?).ok().filter(|line| *line > 0);
        Some(SampledFrame { method, pc, line, is_old: cursor.byte()? & 1 != 0 })
    };
    let frames = (0..count).map(|_| frame()).collect::<Option<_>>()?;
    Some(SampledThread { tid, name, state, cpu, position, frames, is_cut: flags & 1 != 0, waits: None })
}

fn put_waits(body: &mut Vec<u8>, threads: &[SampledThread]) {
    let waiting = || (0_u64..).zip(threads).filter_map(|(at, thread)| Some((at, thread.waits.as_ref()?)));
    put_number(body, waiting().count() as u64);
    for (at, Wait { on, holder, is_timed }) in waiting() {
        put_number(body, at);
        put_text(body, on.as_deref().unwrap_or_default());
        put_number(body, holder.map_or(0, |tid| tid.saturating_add(1)));
        body.push(u8::from(*is_timed));
    }
}

fn read_waits(cursor: &mut Cursor<'_>, threads: &mut [SampledThread]) -> Option<()> {
    for _ in 0..cursor.count()? {
        let thread = threads.get_mut(usize::try_from(cursor.number()?).ok()?)?;
        let (on, holder, flags) = (cursor.text()?, cursor.number()?.checked_sub(1), cursor.byte()?);
        thread.waits = Some(Wait { on: (!on.is_empty()).then_some(on), holder, is_timed: flags & 1 != 0 });
    }
    Some(())
}

/// Puts the samples of a capture together; the methods of all of them are counted anew.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    all: StackSamples,
    known: std::collections::HashMap<SampledMethod, u32>,
    frames: usize,
}

impl Gathering {
    pub(crate) fn add(&mut self, StacksRecord { methods, mut sample }: StacksRecord) {
        let numbers: Vec<u32> = methods.into_iter().map(|method| self.number(method)).collect();
        let frames = sample.threads.iter_mut().flat_map(|thread| &mut thread.frames);
        for frame in frames {
            frame.method = numbers.get(frame.method as usize).copied().unwrap_or(u32::MAX);
            self.frames += 1;
        }
        self.all.samples.push(sample);
        // The last ones are those that are asked for.
        if self.frames > limits::SAMPLED_FRAMES {
            self.all.samples.drain(..self.all.samples.len() / 2);
            self.frames =
                self.all.samples.iter().flat_map(|sample| &sample.threads).map(|t| t.frames.len()).sum();
        }
    }

    fn number(&mut self, method: SampledMethod) -> u32 {
        if let Some(&number) = self.known.get(&method) {
            return number;
        }
        let number = self.all.methods.len() as u32;
        self.all.methods.push(method.clone());
        self.known.insert(method, number);
        number
    }

    pub(crate) fn finish(self) -> StackSamples {
        self.all
    }
}
