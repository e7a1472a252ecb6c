//! Estimate: in which states everything may be, and how probable that is.
//!
//! * [`instances`]: the possible states of each instance, event by event (a subset construction), what that costs,
//!   and what is remembered of it
//! * [`cpus`]: the same for the machine whose instances run on CPUs, where at most one runs on each at a time
//! * [`losses`]: who ran while events of a CPU were lost: the sum over all histories of a hidden Markov chain
//!
//! The first two are exact for what was recorded; how events are weighed is counted over the same trace.

pub(crate) mod cpus;
pub(crate) mod instances;
pub(crate) mod losses;
