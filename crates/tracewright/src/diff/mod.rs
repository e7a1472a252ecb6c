//! What differs between two inputs: reading them, comparing, and the report.
//!
//! `recordings.rs` compares recordings of control flow, `names.rs` says which lines its numbers mean, `methods.rs` puts the
//! methods into order; `events.rs` compares traces and histories.

pub(crate) mod code_changes;
pub(crate) mod events;
mod methods;
mod names;
pub(crate) mod recordings;
mod state_times;
