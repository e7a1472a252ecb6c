//! Switches that are missing without a record of it: the `prev` of a switch must be the `next` of the one before.
//!
//! ```text
//! cpu 0    switch A -> B   waking by B   (switch B -> C was dropped)   waking by C   switch C -> D
//!                                        ^ behind the last sample by B               ^ found here
//! ```
//!
//! perf drops records silently where a buffer is read while it is overwritten, and where the kernel throttles an event.
//! Nothing is reported after a declared loss, nor where only some threads were recorded.

use std::collections::BTreeMap;

use model::Lost;

use super::events::Buffer;
use super::losses::Loss;
use crate::limits;

/// Who runs on a CPU.
#[derive(Debug, Clone, Copy)]
struct Running {
    tid: i64,
    /// The last sample that it wrote, or with which it came.
    time: Option<u64>,
    order: u64,
}

/// Who runs on all CPUs, and what was found missing.
#[derive(Debug, Default)]
pub(super) struct Switches {
    running: BTreeMap<Buffer, Running>,
    pub(super) found: Vec<Loss>,
}

impl Switches {
    /// Takes a sample by the thread `tid`; `switch`: previous and next thread, if it is a switch.
    pub(super) fn sample(
        &mut self,
        buffer: Buffer,
        tid: Option<i32>,
        time: Option<u64>,
        order: u64,
        switch: Option<(i64, i64)>,
    ) {
        let Buffer::Cpu(_) = buffer else { return };
        let known = self.running.get_mut(&buffer);
        let Some((prev, next)) = switch else {
            if let Some(running) =
                known.filter(|running| tid.is_some_and(|tid| running.tid == i64::from(tid)))
            {
                (running.time, running.order) = (time, order);
            }
            return;
        };
        if let Some(running) = known.filter(|running| running.tid != prev)
            && self.found.len() < limits::PERF_LOSSES
        {
            let (after, from) = (Some(running.order), running.time);
            self.found.push(Loss { buffer, after, from, to: time.max(from), lost: Lost::Unknown });
        }
        if self.running.len() < limits::PERF_BUFFERS {
            self.running.insert(buffer, Running { tid: next, time, order });
        }
    }

    /// Forgets who runs on a CPU, after a declared loss of its buffer.
    pub(super) fn forget(&mut self, buffer: Buffer) {
        self.running.remove(&buffer);
    }
}
