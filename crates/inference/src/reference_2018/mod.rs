//! Inference of lost events by the original's rules, to the letter: its faults are part of it.
//!
//! It is here for comparison: whoever wants to know what was lost is better served by an engine
//! that looks at all instances of an event at once. Source: the founding text on lost events and
//! the notes on it, part 3 (events) and part 4 (content).
//!
//! The caller has fed an [`Engine`] that checks and has called its `finish`; for content it must
//! have kept history.
//!
//! [`Engine`]: super::Engine

mod content;
mod graph;
mod inference;
mod java_order;
#[cfg(test)]
mod tests;

pub use content::Content;
pub use inference::{Chosen, Inference, Inferred, infer};
