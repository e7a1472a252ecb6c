//! Explain: lost events as they are reported.
//!
//! * `lost_event`: what happened, of whom, when, how probably, and what else it may have been
//! * `report`: the same as an inferred event, with fields, and the reason in words

pub(crate) mod lost_event;
pub(crate) mod report;
