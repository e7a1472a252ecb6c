//! Numbers of calls whose values are recorded: from 1, one after the other over all recordings of a process.

use std::sync::atomic::{AtomicU64, Ordering};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A number for a call that begins now.
pub(super) fn take() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The number that the next call will have: calls with smaller ones belong to earlier recordings.
pub(super) fn next() -> u64 {
    NEXT.load(Ordering::Relaxed)
}
