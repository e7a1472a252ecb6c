//! Evaluation: how far can inference be trusted on this trace?
//!
//! ```text
//! trace ──index──> places of all events ──pick / cases_file──> cases (what to leave out)
//!   │                                                             │
//!   ├──────────────── engine ──> what it says of the trace as it is
//!   └──without(case)─ engine ──> what it says then ──score──> right, wrong, not found
//! ```
//!
//! The trace is taken as the truth, whole or not: what an engine says of it without any case is
//! subtracted from what it says with one. Each case is a whole run over the whole trace, because an
//! engine learns from all of it; the runs are spread over the processors. Memory follows the events of
//! the trace (their places, not what they carry) and what is inferred in each case.
//!
//! An inferred event is **right** if a deleted event has the same name, the same CPU, the same key
//! fields, and a time in the interval that is told. Key fields are previous and next thread of a switch,
//! else the fields by which a model in use tells its instances apart. Each deleted event makes at most one
//! inferred event right. One that leaves key fields open and is right in the rest counts as partly right: it is
//! not right, but what it tells holds, and a stated probability is about what is told.

pub(crate) mod cases_file;
pub(crate) mod index;
pub(crate) mod input;
pub(crate) mod pick;
pub(crate) mod run;
pub(crate) mod score;
pub(crate) mod truth;
pub(crate) mod without;

use model::Scalar;

/// What to leave out of a trace at once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    /// What the user calls it, a number or a text.
    pub(crate) id: Scalar,
    /// Cases of one kind are counted together.
    pub(crate) kind: String,
    /// The events, as indices into the places of the trace, ascending.
    pub(crate) gone: Vec<usize>,
    /// They are a packet: a tracer that loses it does not know how many events were in it.
    pub(crate) is_packet: bool,
}
