//! Every bound that a parser of this crate keeps, so that no input can make it eat the machine.
//!
//! Each is far above what tracers write and far below what hurts. A parser that meets one of them
//! says so in a finding that names the limit.

/// Findings kept for one trace; further ones are counted and dropped.
pub const FINDINGS: usize = 1_000;
