//! `/api/threads...`: threads over time, their longer calls and when they ran, of a recording that has a clock.

mod timed;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use analyses::times::{Segment, TimedCall as Call};
use model::Timestamp;
use model::flow::Left;
use viewer::api::threads::{CALLS, MOMENT, Moment, THREADS, Threads, TimedCall, TimedCalls};
use viewer::api::{Handled, Parameters, Route};
use viewer::{Job, Reply};

use super::play::bad;
use super::sentence;
use super::session::Session;
use crate::recordings;
use timed::{Thread, Timed};

/// Lanes of a thread that are answered.
const MOST_LANES: usize = 64;
/// Pixels that are drawn on.
const MOST_PIXELS: usize = 4000;
/// Pixels of one share of running time.
const PIXELS_A_SHARE: usize = 4;
/// Calls of one answer.
const MOST_CALLS: usize = 20_000;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![THREADS.answered_by(threads), CALLS.answered_by(calls), MOMENT.answered_by(moment)]
}

/// What this part keeps in the session.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// The capture; `None`: something else was opened.
    capture: Option<PathBuf>,
    /// Whether lost records are inferred, as in Play, whose positions are answered.
    infers: bool,
    has_clock: OnceLock<bool>,
    job: Arc<Job<Timed>>,
}

impl Part {
    pub(crate) fn new(capture: Option<PathBuf>, infers: bool) -> Part {
        Part { capture, infers, ..Part::default() }
    }

    /// Whether the recording says when anything happened.
    pub(crate) fn has_clock(&self) -> bool {
        let Some(capture) = &self.capture else { return false };
        *self.has_clock.get_or_init(|| recordings::open(capture).is_ok_and(|recording| recording.has_clock()))
    }

    fn start(&self) {
        let Some(capture) = self.capture.clone() else { return };
        let infers = self.infers;
        self.job.start(move |progress| timed::read(&capture, infers, progress).map_err(sentence));
    }

    #[cfg(test)]
    fn of(timed: Timed) -> Part {
        let capture = Some(PathBuf::new());
        let part = Part { capture, has_clock: true.into(), ..Part::default() };
        part.job.start(move |_| Ok(timed));
        while part.job.done().is_none() {
            std::thread::yield_now();
        }
        part
    }
}

/// This part, of a recording that has a clock.
fn with_clock(session: &Session) -> Handled<&Part> {
    let part = Some(&session.threads).filter(|part| part.has_clock());
    part.ok_or_else(|| Reply::refusal(404, "This recording does not say when anything happened.\n"))
}

fn threads(session: &Session, _: &Parameters<'_>) -> Handled<Threads> {
    let part = with_clock(session)?;
    part.start();
    let job = part.job.status();
    Ok(Threads { job, times: part.job.done().map(|timed| timed.answer(MOST_LANES)) })
}

/// What was read, and the thread that a request is about.
fn asked(session: &Session, asked: &Parameters<'_>) -> Handled<(Arc<Timed>, usize)> {
    let Some(timed) = with_clock(session)?.job.done() else {
        return Err(Reply::refusal(409, "The recording is still being read.\n"));
    };
    let Some(serial) = asked.number::<u32>("thread") else { return Err(bad()) };
    match timed.threads.iter().position(|thread| thread.serial == serial) {
        Some(index) => Ok((timed, index)),
        None => Err(Reply::refusal(404, "There is no such thread.\n")),
    }
}

fn calls(session: &Session, parameters: &Parameters<'_>) -> Handled<TimedCalls> {
    let (timed, index) = asked(session, parameters)?;
    let (Some(from), Some(to), Some(pixels)) = (
        parameters.number::<i64>("from"),
        parameters.number::<i64>("to"),
        parameters.number::<usize>("pixels").filter(|pixels| *pixels > 0),
    ) else {
        return Err(bad());
    };
    let Some(thread) = timed.threads.get(index) else { return Err(bad()) };
    let pixels = pixels.min(MOST_PIXELS);
    let (from, to) = (from.clamp(0, timed.length), to.clamp(0, timed.length));
    if from >= to {
        return Err(bad());
    }
    let part = (timed.start + from, timed.start + to);
    let least = (to - from) / pixels as i64;
    let lanes = thread.lanes.len().min(MOST_LANES);
    let segments = (0..lanes).flat_map(|lane| {
        let segments = thread.lanes.segments(&thread.collected.calls, lane, part, least);
        segments.into_iter().map(move |segment| (lane, segment))
    });
    let found = segments.take(MOST_CALLS).filter_map(|(lane, segment)| call(&timed, thread, lane, segment));
    let parts = pixels.div_ceil(PIXELS_A_SHARE);
    let running = thread.collected.readings.shares((Timestamp(part.0), Timestamp(part.1)), parts);
    Ok(TimedCalls { calls: found.collect(), running })
}

fn call(timed: &Timed, thread: &Thread, lane: usize, segment: Segment) -> Option<TimedCall> {
    let call: &Call = thread.collected.calls.get(segment.call as usize)?;
    let method = timed.code.method(call.method);
    let class = method.and_then(|method| timed.code.class(method.class));
    Some(TimedCall {
        lane,
        from: segment.from - timed.start,
        to: segment.to - timed.start,
        within: call.length().within,
        waiting: call.waiting().map(|waiting| waiting.value),
        count: segment.count,
        class: class.map_or("?", |class| &class.name).to_owned(),
        name: method.map_or("?", |method| &method.name).to_owned(),
        method: call.method.0,
        position: call.position,
        threw: call.left == Left::Threw,
        open: call.left == Left::Open,
    })
}

fn moment(session: &Session, parameters: &Parameters<'_>) -> Handled<Moment> {
    let (timed, index) = asked(session, parameters)?;
    let Some(at) = parameters.number::<u64>("at") else { return Err(bad()) };
    // Before the block at the position ran.
    let thread = timed.threads.get(index);
    let (after, _) = thread.map_or((None, None), |thread| thread.collected.readings.bounds(at));
    Ok(Moment { at: after.map(|after| (after.0 - timed.start).clamp(0, timed.length)) })
}

#[cfg(test)]
mod tests;
