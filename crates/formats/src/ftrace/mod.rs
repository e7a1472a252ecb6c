//! Text of ftrace: the files `trace` and `trace_pipe` of the Linux kernel, and what `trace-cmd report` prints.
//!
//! ```text
//! # tracer: nop
//! # entries-in-buffer/entries-written: 419/35117   #P:2              what was overwritten before the first line
//!             bash-4174  ( 4170) [000] d..2. 13077.560896: sched_switch: prev_comm=bash prev_pid=4174 ...
//!             comm-tid     tgid   cpu  flags seconds       event         fields
//! CPU:1 [LOST 84 EVENTS]                                             lost before the next line of that CPU
//! ##### CPU 1 buffer started ####                                    nothing was shown of it before
//!
//! head.rs     everything up to the event       args.rs     its fields
//! loss.rs     lines that report losses         window.rs   lines that wait, so that a gap comes where it lies
//! ```
//!
//! Each CPU is a stream. The kernel names a loss only when it comes to the next event of the CPU, and other CPUs may
//! have had many events in between; so lines wait in a window of bounded size, and the gap goes right behind the last
//! event before it. Events and fields are called as in `kernel_names.rs`. Of a kernel that shows states of threads as
//! letters, `prev_state` has the number that the letters stand for.
//!
//! Function tracer and function_graph have events of the name of the function; what function_graph says of the end of
//! a call is passed over. Text of the latency format is not read.

mod args;
#[doc(hidden)]
pub mod fuzz;
mod head;
mod loss;
mod reader;
#[cfg(test)]
mod tests;
mod window;

pub use reader::Reader;

/// Whether a file that begins with these bytes is such a text.
pub fn may_be(beginning: &[u8]) -> bool {
    if beginning.starts_with(b"# tracer: ") {
        return true;
    }
    let text = String::from_utf8_lossy(beginning);
    let is_whole = |line: &str| line.len() < text.len();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(mut line) = lines.next() else { return false };
    if line.strip_prefix("cpus=").is_some_and(|count| count.parse::<u32>().is_ok()) {
        match lines.next() {
            Some(next) => line = next,
            None => return true,
        }
    }
    is_whole(line) && (loss::parse(line).is_some() || head::parse(line).is_some())
}
