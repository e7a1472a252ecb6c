//! Loops: a history becomes runs, runs become runs of runs (first founding text).

mod engine;

pub use engine::{LoopFinder, Options};
