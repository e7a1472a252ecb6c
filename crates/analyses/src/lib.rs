//! What Tracewright concludes from steps. Analyses are fed step by step, so that the same code
//! runs live and afterwards, and their memory follows what they remember, not what they were fed.
//!
//! Nothing in here knows a file format, does I/O or asks the clock.
#![deny(missing_docs)]

mod bytes;
pub mod calls;
pub mod diff;
pub mod exceptions;
pub mod grammar;
pub mod hangs;
pub mod loops;
pub mod replay;
pub mod sections;
pub mod story;
pub mod timeline;
pub mod times;
pub mod tracks;
pub mod usage;
