//! Machines that were derived, told as tables.
