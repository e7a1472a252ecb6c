//! Evaluation: how far can inference be trusted on this trace? The library [`inference::evaluate`] leaves events out and
//! compares; here the trace is opened, engines are run, and the runs are spread over the processors.
//!
//! ```text
//! trace ──index──> places of all events ──pick / cases_file──> cases (what to leave out)
//!   │                                                             │
//!   ├──────────────── engine ──> its answer for the trace as it is
//!   └──without(case)─ engine ──> its answer then ──score──> right, wrong, not found
//! ```
//!
//! The trace is taken as the truth, whole or not: what an engine reports of it without any case is
//! subtracted from what it reports with one. Each case is a whole run over the whole trace, because an
//! engine learns from all of it. Memory follows the events of
//! the trace (their positions, not their fields) and what is inferred in each case.

pub(crate) mod calibrate;
pub(crate) mod cases_file;
mod evaluated;
pub(crate) mod index;
pub(crate) mod input;
pub(crate) mod pick;
pub(crate) mod run;
mod spread;

pub(crate) use evaluated::Evaluated;
pub(crate) use inference::evaluate::{Case, Index, score, truth};
