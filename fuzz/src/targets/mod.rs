//! One file for each target, each with one function `run`.

pub mod loops;
