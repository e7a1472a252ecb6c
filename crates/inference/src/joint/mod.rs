//! What does not fit, and what was lost: one lost event is one event for all that it concerns.
//!
//! For each instance a set of states is kept in which it may be. One that nobody saw yet may be in
//! any. An event leaves the states behind that do not accept it; one state left is certain. If no
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
//! let mut joint = Joint::new(pattern, Keep::default())?;
//! while joint.feed(&mut source).is_some() {}      // or observe(event, name), lose(gap, cpu)
//! joint.finish();
//! joint.incoherences(); joint.inferred(); joint.windows(); joint.spans();
//! ```
//!
//! The rules are those of the model that is given: nothing here knows a kernel. Where a machine has
//! instances that run on CPUs (`tw:stays-on-cpu`, `@thread`), an event that takes one off a CPU and
//! brings another is found in the model, and a CPU is one of the things that a lost event concerns.
//! Events that the model calls optional are not missed where the trace never had one of the kind. What the surroundings of a loss do not
//! imply is not invented. Memory follows the instances seen and what is found; searches are bounded
//! and give up.
//!
//! * `rules`, `plan`, `ask`, `facts`: what an event does, by the model; `unseen`: what lost events may do
//! * `state_estimate`, `instances`, `pairs`, `past`, `spans`: what is known, and what is kept of it
//! * `walk`, `filter`, `watched`: each event to each instance; `runner`, `cpu`, `arrivals`, `context_switch`: who runs where, who may come
//! * `repair`, `interval`, `search`, `hypothesis`, `window`: what is missing on a CPU; `single_instance`, `orphan`: elsewhere
//! * `idle`, `times`, `quiet_intervals`, `usual`, `locations`: between the lost events, when they were, how sure, and who is where
//!   behind them
//! * `candidates`: what else each may have been; `decided`: what the user chose of that
//! * `ends`: recordings that end CPU by CPU
//! * `estimated`: what [`crate::estimate`] makes of declared losses, in place of what the search finds for them
//! * `intake`: what is asked of events, for who reads on one processor and thinks on another
//! * `lives`: how instances begin and end; `carried`: what their events have in common; `agreed`: what several machines
//!   miss
//! * `self_only`: traces of a recorder that follows some threads only
//! * `costs`: how probable, learned from what fitted; `report`: what comes out
//!
//! Source: the intended theory of certainty in the notes on the founding text (2.5), done as a
//! subset construction, and our notes on inference.

mod agreed;
mod arrival;
mod arrivals;
mod ask;
mod askers;
mod candidates;
mod carried;
mod context_switch;
mod costs;
mod cpu;
mod decided;
mod ends;
mod estimated;
mod facts;
mod filter;
mod hypothesis;
mod idle;
mod inferred_fields;
mod instances;
mod intake;
mod interval;
mod lives;
mod locations;
mod named;
mod orphan;
mod pairs;
mod past;
mod plan;
mod quiet_intervals;
mod repair;
mod report;
mod rules;
mod runner;
mod search;
mod self_only;
mod shared;
mod single_instance;
mod spans;
mod state_estimate;
mod times;
mod unseen;
mod usual;
mod walk;
mod watched;
mod window;

pub use intake::{Batch, Intake};
pub use runner::Occupant;
pub use shared::{Retention, Spans};
pub use spans::{InstanceSpan, Tally};
pub use walk::Joint;
