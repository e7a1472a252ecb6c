//! The timeline: what every picture of time is made from, at any zoom.
//!
//! ```text
//! events ── whoever reads them ── Index ─┬─ rows, each with a Lane: states over time, and sums of them
//!                                        ├─ times, names: when each event was, what it is called
//!                                        ├─ on_cpu, wakes: who ran where, who was woken by which event
//!                                        └─ losses, incoherences
//! ```
//!
//! A picture asks a lane for columns ([`cells`]) and costs the same however much lies in a column. [`to_bytes`]
//! and [`from_bytes`] keep an index, so that a long trace is read once. The caller says what the states of a row
//! are; nothing is concluded here.

mod index;
mod lane;
mod names;
mod on_cpu;
mod serialized;
mod sums;

pub use index::{BLOCK, DiagnosticLine, Incoherence, Index, Loss, Row, RowKind, State, States};
pub use lane::{Cell, Lane, StateId, Weigh, cells};
pub use names::EventNames;
pub use on_cpu::{OnCpu, Runner, Wake};
pub use serialized::{from_bytes, to_bytes};
