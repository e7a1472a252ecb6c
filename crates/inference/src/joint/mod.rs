//! What does not fit, and what was lost: one lost event is one event for all that it concerns.
//!
//! For each instance a set of states is held in which it may be. One that was not seen yet may be in
//! any. An event removes the states that do not accept it; one state left is certain. If no
//! state of the set accepts an event, but another state would, that is an incoherence. Then the
//! cheapest lost events are looked for that make all instances fit again, and each is reported with a
//! probability, the times between which it lies, and the reason. Checking and inferring are one walk.
//!
//! Where the tracer lost events, an instance may afterwards be wherever unseen events may have led
//! it: not if it was in a state that stays on its CPU, and that CPU lost nothing. This is done when
//! the instance is next seen, so that a loss costs nothing at once.
//!
//! ```text
//!            unknown ─ any ─┐            ┌─ {ready, running} ── switch ── {running}  certain again
//! certain ── events ────────┴── loss ────┘
//!
//! let mut joint = Joint::new(pattern, Retention::default())?;
//! while joint.feed(&mut source).is_some() {}      // or observe(event, name), lose(gap, cpu)
//! joint.finish();
//! joint.incoherences(); joint.inferred(); joint.windows(); joint.spans();
//! ```
//!
//! The rules are those of the model that is given: nothing here knows a kernel. Where a machine has
//! instances that run on CPUs (`tw:stays-on-cpu`, `@thread`), an event that takes one off a CPU and
//! brings another is found in the model, and a CPU is one of the things that a lost event concerns.
//! Events that the model calls optional are not missed where the trace never had one of the kind. What the
//! surroundings of a loss do not imply is not invented. Memory follows the instances seen and what is found; searches
//! are bounded and give up.
//!
//! Four folders do this, each using only those before it: `state_machines` (what an event does), `estimate` (what is
//! possible, and how probable), `explain` (how a lost event is reported), `repair` (what was lost). Here is the walk
//! that drives them: `walk` gives each event to the machines, `filter` to one instance by itself, `self_only` is for
//! recorders that follow some threads only.
//!
//! Source: the intended theory of certainty in the notes on the founding text (2.5), done as a
//! subset construction, and our notes on inference.

mod filter;
mod self_only;
mod walk;

pub use walk::Joint;

pub use crate::estimate::cpus::monitor::Occupant;
pub use crate::estimate::instances::shared::{Retention, Spans};
pub use crate::estimate::instances::spans::{InstanceSpan, Tally};
pub use crate::state_machines::intake::{Batch, Intake};
