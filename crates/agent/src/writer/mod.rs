//! From full slots to the files of a capture.
//!
//! ```text
//! full slot --> writing.rs: packed by whoever has it --> combining.rs: one at a time --> steps.rs, files.rs
//! records of classes, threads, losses --> output.rs --> files.rs: `code`
//! ```
//!
//! `flush.rs` is the writer's thread; where that is behind, the program's threads write by themselves. `writeback.rs`
//! is the thread that keeps a long capture out of the system's memory.

mod batch;
pub(crate) mod combining;
pub(crate) mod files;
pub(crate) mod flush;
pub(crate) mod output;
pub(crate) mod samples;
pub(crate) mod steps;
pub(crate) mod writeback;
pub(crate) mod writing;
