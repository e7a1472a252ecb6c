//! One of the program's threads, and what is to be written of it.

use super::pool::{Scratch, Slot};
use crate::jvm::Ref;

/// Where a thread writes, as drawn in [`super::threads`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Unassigned,
    Slot(Slot),
    Retired(Slot),
    Scratch,
    After,
}

/// One thread that was met.
#[derive(Debug)]
pub(crate) struct Thread {
    /// Its number in captures.
    pub(crate) serial: u32,
    /// Its buffer, a global handle.
    pub(crate) buffer: Ref,
    /// The `java.lang.Thread`, a weak global handle.
    pub(crate) thread: Ref,
    pub(crate) is_virtual: bool,
    /// The recording that the following belongs to.
    pub(crate) recording: u32,
    pub(crate) target: Target,
    /// When its slot was handed out, ns since 1970.
    pub(crate) since: i64,
    /// The number of its next chunk.
    pub(crate) next: u32,
    /// Words lost since its last chunk.
    pub(crate) lost: u64,
    /// Words lost before the chunk that is being written.
    pub(crate) lost_before: u64,
    /// How many more slots it will write by itself, though the writer is not behind now.
    pub(crate) alone: u32,
    /// Why it has written into the scratch.
    pub(crate) lacked: Awaited,
    pub(crate) scratch: Option<Scratch>,
    /// Its entry of [`super::positions::Positions`], once it has had a slot.
    pub(crate) entry: Option<u32>,
}

/// A slot that is to be written to the capture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    pub(crate) slot: Slot,
    pub(crate) thread: u32,
    pub(crate) number: u32,
    pub(crate) lost_before: u64,
    pub(crate) time_first: i64,
    pub(crate) time_last: i64,
    /// The thread writes no more into this recording.
    pub(crate) last: bool,
    /// The thread writes no more into this slot.
    pub(crate) is_left: bool,
    /// The address after its last word, if the thread has recorded it.
    pub(crate) end: Option<i64>,
    /// Where recording paths ended: how many words the thread had written, and how far the innermost
    /// frame was that had recorded itself and called something.
    pub(crate) position: Option<(usize, u32)>,
}

impl Thread {
    /// What is to be written of this slot.
    pub(crate) fn job(&self, slot: Slot, now: i64, (last, is_left): (bool, bool), end: Option<i64>) -> Job {
        Job {
            slot,
            thread: self.serial,
            number: self.next.wrapping_sub(1),
            lost_before: self.lost_before,
            time_first: self.since,
            time_last: now,
            last,
            is_left,
            end,
            position: None,
        }
    }
}

/// What the writer was waiting for while a thread found no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    Disk,
    Processor,
}
