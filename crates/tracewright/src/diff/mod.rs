//! What differs between two inputs: reading them, comparing, and the report.
//!
//! `recordings.rs` compares recordings of control flow, `names.rs` says which lines its numbers mean, `source_lines.rs` which line of one
//! build is which of the other, `methods.rs` puts the methods into order; `events.rs` compares traces and histories.

pub(crate) mod code_changes;
pub(crate) mod events;
mod methods;
mod names;
pub(crate) mod recordings;
mod source_lines;
mod state_times;
