//! Entry for fuzzing: bytes in, and nothing may go wrong but diagnostics.

use crate::fuzzing::{OF_KERNEL, read_all};

/// Reads slices with their steps, and events of the kernel. Gives back a number that depends on all that was read.
pub fn fuzz_perfetto(bytes: &[u8]) -> u64 {
    let mut count = u64::from(super::may_be(bytes)) + u64::from(super::has_slices(bytes));
    let recording = super::read("trace.pftrace", bytes);
    let slices = recording.slices;
    count += slices.diagnostics().len() as u64 + slices.code().methods.len() as u64;
    for thread in 0..slices.threads().len() {
        let mut flow = slices.flow(thread);
        while flow.next_step().is_some() {
            count += 1;
        }
    }
    count + recording.kernel.map_or(0, |mut kernel| read_all(&mut *kernel, OF_KERNEL))
}
