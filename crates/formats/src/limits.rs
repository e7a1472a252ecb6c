//! Every bound that a parser of this crate keeps, so that no input can make it eat the machine.
//!
//! Each is far above what tracers write and far below what hurts. A parser that meets one of them
//! says so in a finding that names the limit.

/// Findings kept for one trace; further ones are counted and dropped.
pub const FINDINGS: usize = 1_000;

/// Bytes of one event line. The longest line a tracer's event made here was below 100 kB.
pub const LINE_BYTES: usize = 4 << 20;

/// Values on one event line.
pub const LINE_VALUES: usize = 200_000;

/// How deep the values of an event line may nest.
pub const LINE_DEPTH: usize = 64;

/// Different event names, and different streams, in a file of event lines. Further ones are read
/// under one common name.
pub const LINE_NAMES: usize = 100_000;

/// Bytes of one token of a history.
pub const TOKEN_BYTES: usize = 64 << 10;

/// Different tokens of a history.
pub const TOKENS: usize = 10_000_000;
