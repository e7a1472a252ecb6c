//! What events do to the machines of a pattern, made ready as tables before the first event.
//!
//! The state space of an instance is the set of states of its machine, and what is open in it (a call that has not
//! returned). What is known of an instance is a subset of that space; an event maps subsets to subsets. All of it
//! comes from the model that is given: nothing here knows a kernel.
//!
//! * `rules`: for each name of an event, the states that it accepts and those that it leads to; `plan`: which fields
//!   name the instances that have a part in it; `ask`, `askers`: conditions on its fields and on attributes
//! * `state_estimate`: the subset and what is open, and one step of it
//! * `facts`, `arrival`: the fields of an event, fetched once; `intake`: the same on another processor

pub(crate) mod arrival;
pub(crate) mod ask;
pub(crate) mod askers;
pub(crate) mod facts;
pub(crate) mod intake;
pub(crate) mod plan;
pub(crate) mod rules;
pub(crate) mod state_estimate;
