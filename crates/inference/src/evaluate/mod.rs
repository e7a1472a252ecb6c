//! How far inference can be trusted on a trace: leave events out of it, infer them, compare.
//!
//! ```text
//! trace ──Index──> index of all events ──┬─ cases of the user
//!   │                                     └─ trials: losses like those that the trace has
//!   ├──────────────── engine ──> what is inferred from the trace as it is
//!   └──Without(case)─ engine ──> what is inferred then ──Scored──> what of it holds ──> Calibration
//! ```
//!
//! Nothing here knows an engine: it is whatever turns an `EventSource` into inferred events. The caller opens
//! the trace, as often as it is read, and runs the engine.
//!
//! An inferred event is **right** if a deleted event has the same name, the same CPU, the same key
//! fields, and a time in the interval that is stated. Key fields are previous and next thread of a switch,
//! else the fields by which a model in use identifies its instances. Each deleted event makes at most one
//! inferred event right. One that leaves key fields open and is right in the rest counts as partly right: it is
//! not right, but what it says holds, and a stated probability is about what is stated.

pub mod calibration;
pub mod index;
pub mod known;
pub mod long;
pub mod score;
pub mod split_mix;
pub mod trials;
pub mod truth;
pub mod without;

use model::Scalar;

pub use calibration::{Calibration, Statement};
pub use index::{Index, IndexedEvent};
pub use known::Known;
pub use long::{LongTally, Runners};
pub use score::Scored;
pub use split_mix::SplitMix;
pub use truth::Deleted;
pub use without::{Hole, Without};

/// What to leave out of a trace at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What the user calls it, a number or a text.
    pub id: Scalar,
    /// Cases of one kind are counted together.
    pub kind: String,
    /// The events, as indices into the events of the trace, ascending.
    pub gone: Vec<usize>,
    /// They are a packet: a tracer that loses it does not know how many events were in it.
    pub is_packet: bool,
}
