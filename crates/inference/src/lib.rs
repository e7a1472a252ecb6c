//! Machines over event traces: what states things are in, what does not fit, what was lost.
//!
//! * [`engine`] gives events to the machines of a pattern and checks them, to the letter of the
//!   founding text on lost events; [`states`] is the tree of attributes they write into.
//! * [`mod@derive`] makes machines of what only says what events write, and works out which instances
//!   events concern where the file does not say so.
//! * [`reference_2018`] infers what is missing by the original's rules.
//! * [`joint`] checks and infers in one walk, for all that an event concerns at once: the engine for work. It is
//!   made of `state_machines` (what an event does), `estimate` (which states are possible, and how probable),
//!   `repair` (what was lost) and `explain` (how that is reported).
//! * [`mod@learn`] learns machines from a trace, where none were written.
//! * [`evaluate`] leaves events out of a trace and compares what an engine infers with them: how far it can be
//!   trusted on that trace, and the correction of its probabilities that follows.
//!
//! Source: the founding text (`Infering information in case of lost events in a trace`, 2018) and
//! the notes on it, parts 1 to 4. Patterns come as data (`model::machine`); nothing in here reads
//! files or asks the clock.

pub mod choices;
pub mod coherence;
pub mod derive;
mod effects;
pub mod engine;
mod estimate;
pub mod evaluate;
mod explain;
pub mod joint;
mod keys;
mod later;
pub mod learn;
mod memo;
pub mod model;
mod names;
mod pools;
mod program;
pub mod reference_2018;
mod repair;
mod scenario;
mod script;
mod state_machines;
pub mod state_set;
pub mod states;
#[cfg(test)]
mod tests;
pub mod value;
mod windows;
mod world;

pub use coherence::Incoherence;
pub use effects::SegmentMade;
pub use engine::{Checking, Engine, Fed, Options, UnsupportedModel};
pub use joint::{Batch, InstanceSpan, Intake, Joint, Occupant, Retention, Spans, Tally};
pub use scenario::Status;
pub use state_set::StateSet;
pub use states::{NodeId, ROOT, StateSystem};
pub use value::{Name, TextId, Texts, Value};
pub use windows::LossWindow;
