//! Threads of a kernel trace at its end: what each was in the middle of, and whether any thread is left to wake it.
//!
//! ```text
//! states     runs, ready, waits, over     the caller's model says which state is which
//!    │
//! threads.rs      in which system call each waits, how often and how long it waited there before, who woke it
//! system_call.rs  what is waited for in that call: a descriptor, a futex, a child, time, ...
//! processes.rs    who holds the other end of a pipe, which threads share a process, who is whose child
//!    │
//! stuck.rs        first   read of pipe 1, whose writers are first and second   } each waits for another one
//!                 second  read of pipe 2, whose writers are first and second   } of them: a deadlock
//!                 parent  wait4 for second                                       waits for one of these
//! ```
//!
//! The caller reads the trace and says what it sees. Nothing here is proved: a signal may still come, and a descriptor may
//! have been handed to a process without an event. Where events were lost since a thread began to wait, it is not taken
//! to be stuck.

mod processes;
mod stuck;
mod system_call;
#[cfg(test)]
mod tests;
mod threads;

pub use system_call::{Awaits, SystemCall};
pub use threads::{Doing, Earlier, State, ThreadEnd, Threads, WOKEN, begins_to_wake};
