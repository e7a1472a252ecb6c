//! Hostile situations, each a row: what a stranger on the same machine sets up, and that the real binary
//! refuses it or is not harmed. Nothing of others is changed, and no command waits for more than five seconds.
//!
//! What the machine does not allow (a second user, a mount namespace, a JDK) is set up in `support`, which
//! reports a row that could not be tried as skipped.
// Clippy takes only the test functions for tests, not what helps them.
#![allow(clippy::unwrap_used)]

mod attach;
mod control;
mod reading;
mod support;
