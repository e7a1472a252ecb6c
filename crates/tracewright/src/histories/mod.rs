//! Histories: the steps of each track of an input, read and summarised as loops.

pub(crate) mod found;
pub(crate) mod layout;
pub(crate) mod reading;
