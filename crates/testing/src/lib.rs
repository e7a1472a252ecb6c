//! What the tests of all crates share: what a machine may lack, and how a test reports that it was skipped.
//!
//! Rust's test harness knows only passed and failed once a test runs. A test that finds that it cannot
//! do its work calls [`skip()`] and returns; `cargo xtask test` counts it as skipped and prints the reason.
//! Tests only: nothing that ships depends on this crate.

pub mod sequitur;
mod shared;
mod skip;

pub use shared::{jdk, shared};
pub use skip::{LIST, skip};
