//! The instances of each machine and the states in which each may be.
//!
//! One that nobody saw yet may be in any state. An event leaves those states behind that do not accept it; one state
//! left is certain. If no possible state accepts it, but another one would, that is an incoherence. Where events were
//! lost, an instance may be wherever unseen events may have led it, which is worked out when it is next seen.
//!
//! * `monitor`: a machine with its instances, and the step of each; `instance`: what is known of one
//! * `unseen`: what lost events may have done; `lives`: how instances begin and end
//! * `costs`: how probable each transition is; `carried`: what the events of an instance have in common;
//!   `pairs`: instances that two fields name together
//! * `past`, `spans`: when which states were possible
//! * `shared`: what all machines of a pattern share while a trace is read

pub(crate) mod carried;
pub(crate) mod costs;
pub(crate) mod instance;
pub(crate) mod lives;
pub(crate) mod monitor;
pub(crate) mod pairs;
pub(crate) mod past;
pub(crate) mod shared;
pub(crate) mod spans;
pub(crate) mod unseen;
