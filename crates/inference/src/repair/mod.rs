//! Repair: which lost events make everything fit that was recorded.
//!
//! A *hypothesis* is a list of lost events that makes an interval acceptable to all machines; its weight is the
//! product of the probabilities of its events. The searches are bounded and give up; what the surroundings of a loss
//! do not imply is not invented.
//!
//! * [`interval`]: a CPU between two switches: the best hypotheses, when their events were, what else they may be
//! * `lost_switches`: what [`crate::estimate::losses`] says of the same, in place of what the search found
//! * `declared_loss`: losses too long for a list; only what both sides imply
//! * `single_instance`: one instance by itself; `implied`: those that came unready or were made ready twice;
//!   `ended_unseen`: those that ended without an event
//! * `same_event`: what several machines miss is one event

pub(crate) mod declared_loss;
pub(crate) mod ended_unseen;
pub(crate) mod implied;
pub(crate) mod interval;
pub(crate) mod lost_switches;
pub(crate) mod same_event;
pub(crate) mod single_instance;
