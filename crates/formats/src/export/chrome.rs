//! Trace events as JSON, as Perfetto, the Firefox Profiler and chrome://tracing read them.
//!
//! One event a line: `B` and `E` begin and end a call, `i` marks a loss, `M` names process and
//! threads. Times are microseconds with three decimals.

use model::flow::{Entered, FlowStep, Left};
use model::{CodeMap, Lost};

use super::timeline::{Shown, Timeline};
use super::{ABOUT_TIME, ThreadName, name};
use crate::event_lines::text;

/// Appends what comes before all threads.
pub fn begin(out: &mut Vec<u8>, process: &str, pid: u32) {
    out.extend_from_slice(b"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":");
    text(out, ABOUT_TIME.as_bytes());
    out.extend_from_slice(b"},\"traceEvents\":[\n");
    meta(out, "process_name", pid, 0, process);
}

/// Appends what comes behind them.
pub fn end(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\n]}\n");
}

fn meta(out: &mut Vec<u8>, what: &str, pid: u32, tid: u32, named: &str) {
    out.extend_from_slice(
        format!("{{\"ph\":\"M\",\"name\":\"{what}\",\"pid\":{pid},\"tid\":{tid},\"args\":{{\"name\":")
            .as_bytes(),
    );
    text(out, named.as_bytes());
    out.extend_from_slice(b"}}");
}

/// Writes one thread.
#[derive(Debug)]
pub struct Writer<'a> {
    code: &'a CodeMap,
    pid: u32,
    tid: u32,
    timeline: Timeline,
}

impl<'a> Writer<'a> {
    /// Appends the thread's name.
    pub fn new(code: &'a CodeMap, pid: u32, thread: &ThreadName, out: &mut Vec<u8>) -> Writer<'a> {
        out.extend_from_slice(b",\n");
        meta(out, "thread_name", pid, thread.serial, &thread.name);
        Writer { code, pid, tid: thread.serial, timeline: Timeline::new() }
    }

    /// Appends what the step lets know of.
    pub fn step(&mut self, step: &FlowStep<'_>, out: &mut Vec<u8>) {
        let (code, ids) = (self.code, (self.pid, self.tid));
        self.timeline.step(step, &mut |time, shown| event(code, ids, time, shown, out));
    }

    /// No further step comes.
    pub fn finish(self, out: &mut Vec<u8>) {
        let (code, ids) = (self.code, (self.pid, self.tid));
        self.timeline.finish(&mut |time, shown| event(code, ids, time, shown, out));
    }
}

fn event(code: &CodeMap, (pid, tid): (u32, u32), time: i64, shown: Shown, out: &mut Vec<u8>) {
    let (letter, rest) = match shown {
        Shown::Begin(..) => ("B", ""),
        Shown::End(_) => ("E", ""),
        Shown::Lost(_) => ("i", ",\"s\":\"t\""),
    };
    // A recording begins long after 1970; times before that only come from damage.
    let (micro, nano) = (time.div_euclid(1000), time.rem_euclid(1000));
    out.extend_from_slice(
        format!(",\n{{\"ph\":\"{letter}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{micro}.{nano:03}{rest}")
            .as_bytes(),
    );
    match shown {
        Shown::Begin(method, how) => {
            out.extend_from_slice(b",\"name\":");
            text(out, name(code, method).as_bytes());
            match how {
                Entered::Library => out.extend_from_slice(b",\"args\":{\"called\":\"via library\"}"),
                Entered::Unseen => out.extend_from_slice(b",\"args\":{\"called\":\"beginning not seen\"}"),
                Entered::Call | Entered::Outermost => {}
            }
        }
        Shown::End(Left::Threw) => out.extend_from_slice(b",\"args\":{\"left\":\"threw\"}"),
        Shown::End(Left::Unseen) => out.extend_from_slice(b",\"args\":{\"left\":\"end not seen\"}"),
        Shown::End(Left::Open) => out.extend_from_slice(b",\"args\":{\"left\":\"still open at the end\"}"),
        Shown::End(Left::Returned) => {}
        Shown::Lost(lost) => {
            out.extend_from_slice(b",\"name\":\"lost\",\"args\":{\"records\":");
            match lost {
                Lost::Events(count) => out.extend_from_slice(count.to_string().as_bytes()),
                Lost::Packets(_) | Lost::Unknown => out.extend_from_slice(b"null"),
            }
            out.push(b'}');
        }
    }
    out.push(b'}');
}
