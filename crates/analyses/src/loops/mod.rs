//! Loops: a history becomes runs, runs become runs of runs (first founding text).

mod engine;
mod square;

pub use engine::{LoopFinder, Options};
