//! Machines: what may happen next, as data.
//!
//! A [`Pattern`] is one analysis: machines over events, the tests that guard their transitions and
//! the actions that write into a tree of attributes. A state provider has no machines, only handlers
//! that write. It says nothing about the file it was read
//! from but the places to point at, and nothing about how it is run: `formats` fills these types,
//! `analyses` runs them. References are indices into the lists of the pattern; whoever fills the
//! types guarantees that they are in range, whoever runs them treats a wrong one as absent.
//!
//! ```text
//! pattern ── machines ── states ── transitions ── events, tests, target, actions
//!         ├─ tests ────── conditions ── paths, values
//!         ├─ actions ──── assignments, segments
//!         └─ handlers ─── events, assignments        a state provider has these
//! ```
//!
//! The vocabulary is that of Trace Compass's data-driven analyses, without their XML.

pub mod action;
pub mod condition;
pub mod event_pattern;
pub mod fsm;
pub mod handler;
pub mod keys;
pub mod path;
pub mod pattern;
pub mod script;
pub mod segment;
pub mod value;
pub mod view;

pub use action::{Action, Assignment, Mode, Step, StepKind};
pub use condition::{Comparison, Condition, Operand, Test};
pub use event_pattern::EventPattern;
pub use fsm::{Machine, Precondition, State, Transition};
pub use handler::Handler;
pub use keys::{KeyRule, KeySource};
pub use path::{Path, PathStep};
pub use pattern::{Definition, MappingGroup, Pattern, Spot, StoredField};
pub use script::{Expression, Script};
pub use segment::{Segment, SegmentEnd, SegmentField, SegmentName, SegmentSource, SegmentTime};
pub use value::{StackRead, ValueExpr, ValueSource, ValueType};
pub use view::{View, ViewKind};
