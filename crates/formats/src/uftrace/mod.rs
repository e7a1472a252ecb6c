//! Recordings of uftrace, which traces the functions of C, C++ and Rust programs: a folder for each recording.
//!
//! ```text
//! uftrace.data/
//!   info            what was recorded, by which version                     info.rs
//!   task.txt        sessions (a program that was started) and threads       tasks.rs
//!   sid-ID.map      where the files of a session lay in its memory          modules.rs
//!   NAME.sym .dbg   names, source files and lines of functions by address   symbols.rs
//!   TID.dat         the records of a thread                                 records.rs
//!                      | records, each an entry or an exit of a function
//!                      v
//!                   flow.rs     steps of a `FlowSource`: one block for each function
//! ```
//!
//! The records are gone through once when a recording is opened: which functions ran is known before the first step.
//! A record that says how many others were lost is a gap. What was recorded of the kernel (`kernel-*`, `perf-*`), and
//! values of arguments, are left out.
//!
//! The format is that of version 4 (uftrace 0.6 and later), as its own tools read it; no document describes it.

mod flow;
#[doc(hidden)]
pub mod fuzz;
mod info;
mod modules;
mod open;
mod records;
mod symbols;
mod tasks;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use model::flow_source::{Course, Flow, FlowSource, ThreadInfo};
use model::{CodeMap, Diagnostic, TraceInfo};
use source::Source;

use flow::Steps;
use open::Functions;

/// Why nothing at all could be read. Everything less is a diagnostic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no `info` that begins as uftrace's does.
    #[error("the file `info` is missing or does not begin with `Ftrace!`")]
    NotUftrace,
    /// The recording is of a kind that is not read here.
    #[error("{0}")]
    Unsupported(String),
}

/// A recording of uftrace that was opened.
pub struct Recording {
    code: CodeMap,
    threads: Vec<ThreadInfo>,
    /// The records of each thread.
    files: Vec<Rc<dyn Source>>,
    functions: Rc<Functions>,
    trace: TraceInfo,
    course: Course,
    diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// Whether the names of a folder's files are those of a recording of uftrace.
pub fn is_recording(has: impl Fn(&str) -> bool) -> bool {
    has(INFO) && has(TASKS)
}

const INFO: &str = "info";
const TASKS: &str = "task.txt";

impl FlowSource for Recording {
    fn code(&self) -> &CodeMap {
        &self.code
    }

    fn has_clock(&self) -> bool {
        true
    }

    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn flow(&self, thread: usize) -> Box<dyn Flow> {
        let nothing: Rc<dyn Source> = Rc::new([0u8; 0]);
        let file = self.files.get(thread).unwrap_or(&nothing);
        Box::new(Steps::new(Rc::clone(file), thread, Rc::clone(&self.functions)))
    }

    fn trace(&self) -> &TraceInfo {
        &self.trace
    }

    fn course(&self) -> &Course {
        &self.course
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn has_blocks(&self) -> bool {
        false
    }
}
