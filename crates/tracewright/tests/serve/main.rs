//! The viewer's server as the network meets it: the real program, bytes in, bytes out.
// Clippy takes only the test functions for tests, not what helps them.
#![allow(clippy::unwrap_used)]

mod answers;
mod connections;
mod hostile;
mod learned;
mod lost_records;
mod overview;
mod schema;
mod util;
