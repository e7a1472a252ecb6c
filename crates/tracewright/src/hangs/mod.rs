//! Threads that make no progress, by what a recording has of them.
//!
//! ```text
//! open_frames     what threads were in the middle of in the last stack sample      ── open_loops   and whether that ends
//!                                                                                  ── initialisers for which class they wait
//!                                                                                  ── wakers       and whether anybody is left to wake them
//! spinning        who ran, and need not come to an end    ── awaited, attempts   what another thread is about to do
//!                                                         ── recursion           and what only the stack ends
//! windows         the same of a long recording, from parts of it
//! pending         tasks that had not begun
//! ends            how each track ends, with times         ── thread_states       and states, in traces of a kernel
//! ```

pub(crate) mod attempts;
mod awaited;
mod calls;
pub(crate) mod ends;
mod initialisers;
pub(crate) mod open_frames;
pub(crate) mod open_loops;
pub(crate) mod pending;
mod recursion;
pub(crate) mod spinning;
pub(crate) mod thread_states;
pub(crate) mod wakers;
pub(crate) mod windows;
