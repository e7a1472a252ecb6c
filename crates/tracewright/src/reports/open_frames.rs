//! What a thread was in the middle of, in reports.
//!
//! ```text
//! {"state":"runnable","doing":"runs","waits_on":null,"held_by":null,"deadlock":null,"stays":true,"moves_on":false,"has_no_waker":false,
//!  "since":NS,"time":NS,"samples":9,"lines":[31,33],"open_loop":[30,31,32,33,34],
//!  "frames":[{"method":"shop.Till.wait","descriptor":"()V","file":"Till.java","line":31,"recorded":true}]}
//! ```

use analyses::hangs::Doing;
use model::stack::ThreadState;
use serde::Serialize;

use crate::hangs::open_frames::{OpenFrame, OpenFrames};

/// One thread.
#[derive(Debug, Serialize)]
pub(crate) struct Open<'a> {
    state: &'static str,
    doing: &'static str,
    waits_on: Option<&'a str>,
    held_by: Option<&'a str>,
    /// The number of the deadlock that it is a part of.
    deadlock: Option<usize>,
    stays: bool,
    moves_on: bool,
    /// It waits until another thread does something, and no thread is left that would.
    has_no_waker: bool,
    since: i64,
    time: i64,
    samples: usize,
    lines: &'a [u16],
    open_loop: &'a [u16],
    /// Innermost first.
    frames: Vec<Frame<'a>>,
}

/// The same with the name of the thread.
#[derive(Debug, Serialize)]
pub(crate) struct NamedOpen<'a> {
    name: &'a str,
    open: Open<'a>,
}

#[derive(Debug, Serialize)]
struct Frame<'a> {
    method: &'a str,
    descriptor: &'a str,
    file: Option<&'a str>,
    line: Option<u16>,
    recorded: bool,
}

impl<'a> Open<'a> {
    pub(crate) fn of(open: &'a OpenFrames) -> Self {
        let frame = |frame: &'a OpenFrame| Frame {
            method: &frame.method,
            descriptor: &frame.descriptor,
            file: frame.file.as_deref(),
            line: frame.line,
            recorded: frame.is_recorded && !frame.is_old,
        };
        Self {
            state: state(open),
            doing: match open.doing {
                Doing::Runs => "runs",
                Doing::Pauses => "pauses",
                Doing::Idle | Doing::Spare => "idle",
                Doing::Input => "input",
                Doing::Commands => "standard input",
                Doing::Child => "another process",
                Doing::Held => "class initialisation",
                Doing::Lock => "lock",
                Doing::Waits => "waits",
            },
            waits_on: open.waits_on.as_deref(),
            held_by: open.holder.as_deref(),
            deadlock: open.deadlock.map(|(number, _)| number),
            stays: open.stays,
            moves_on: open.moves_on,
            has_no_waker: open.has_no_waker,
            since: open.since.0,
            time: open.time.0,
            samples: open.samples,
            lines: &open.lines,
            open_loop: &open.enclosing,
            frames: open.frames.iter().map(frame).collect(),
        }
    }
}

impl<'a> NamedOpen<'a> {
    pub(crate) fn of(open: &'a OpenFrames) -> Self {
        Self { name: &open.thread, open: Open::of(open) }
    }
}

/// The state of a thread as the virtual machine reports it.
pub(crate) fn state(open: &OpenFrames) -> &'static str {
    match open.state {
        ThreadState::Runnable => "runnable",
        ThreadState::Blocked => "blocked",
        ThreadState::Waiting => "waiting",
        ThreadState::Sleeping => "sleeping",
    }
}
