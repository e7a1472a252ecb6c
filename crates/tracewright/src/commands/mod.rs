//! One file for each command: reads, asks, hands to a view.

pub(crate) mod events;
pub(crate) mod info;
pub(crate) mod loops;
mod warn;
