//! The memory that traced threads write to, and whose it is.
//!
//! The life of a buffer. A traced thread writes words into a slot of the pool; which slot that is, it asks for when
//! the one that it has is full:
//!
//! ```text
//!            unnamed
//!               | named, by the writer before it is missed, or by a thread that found none        slots.rs
//!             coming -----------------------------> missing   its memory cannot be had
//!               | made ready, without the lock                                                     pool.rs
//!             free <-------------------------------------------------------------+
//!               | given to a thread that asks: its head, then `cursor` and `end`  |                threads.rs
//!            in use   words, in order, one after the other                        |
//!               | full, or its thread ends                                        |
//!               +----> left to the writer, while that keeps up ----+              |
//!               +----> left to its thread, while it is behind -----+              |
//!               |                                                  |              |
//!               |                             packed and appended to `steps`,     |                ../writer/
//!               |                             then zeros again -------------------+
//!               | the recording ends
//!            retired   copied to `steps` as far as it is filled; its thread has not noticed yet
//!               | its thread asks again, or ends
//!             free, in the recording that runs then
//! ```
//!
//! Until its words stand in `steps` a slot keeps them, in a file of the capture that is mapped: a kill loses none.
//! A thread that gets no slot writes into memory of its own, and its words are only counted: they are lost, and the
//! capture counts them. A thread that is unknown, and one that is not recorded, write to a discard sink.
//!
//! The pool, the slots and the threads know no virtual machine, no file of a capture and no clock: what threads are
//! given is tested in all orders of events (`threads/tests.rs`).

pub(crate) mod bus_error;
pub(crate) mod pool;
pub(crate) mod positions;
pub(crate) mod slots;
pub(crate) mod tail;
pub(crate) mod thread;
pub(crate) mod threads;

use std::io;
use std::sync::{Arc, Condvar};

use crate::locks::{Guard, Lock, Rank};
use pool::{Pool, Scratch};
use positions::Positions;
use slots::Range;
use threads::Threads;

/// All buffers, and the conditions that threads wait for.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) pool: Pool,
    threads: Lock<Threads>,
    /// Where each of them writes, for those that must not wait for that lock.
    pub(crate) positions: Arc<Positions>,
    /// Notified when a slot has become free, or none will any more.
    pub(crate) slot_free: Condvar,
    /// Notified when a slot is to be written.
    pub(crate) slot_full: Condvar,
    /// Memory for the words of unknown threads.
    pub(crate) discard: Scratch,
}

impl Buffers {
    pub(crate) fn new() -> io::Result<Buffers> {
        let threads = Threads::default();
        Ok(Buffers {
            pool: Pool::reserve()?,
            positions: Arc::clone(&threads.positions),
            threads: Lock::new(Rank::Threads, threads),
            slot_free: Condvar::new(),
            slot_full: Condvar::new(),
            discard: Scratch::new(),
        })
    }

    pub(crate) fn threads(&self) -> Guard<'_, Threads> {
        self.threads.lock()
    }

    /// Hands out no more slots.
    pub(crate) fn close(&self) {
        self.threads().is_on = false;
        self.slot_free.notify_all();
    }

    /// Makes slots ready that were named under this lock, which is given up meanwhile: this takes long.
    pub(crate) fn make_ready<'b>(&'b self, threads: Guard<'b, Threads>, range: Range) -> Guard<'b, Threads> {
        let file = self.pool.file();
        drop(threads);
        let is_ready = self.pool.populate(file.as_deref(), range.first, range.count).is_ok();
        let mut threads = self.threads();
        threads.made(range, is_ready);
        if threads.waiting > 0 {
            self.slot_free.notify_all();
        }
        threads
    }

    /// Gives threads more slots before they need them.
    pub(crate) fn make_more_ready(&self) {
        let mut threads = self.threads();
        if let Some(range) = threads.name_more() {
            drop(self.make_ready(threads, range));
        }
    }
}
