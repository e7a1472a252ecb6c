//! Traces of Perfetto: sequences of packets in protocol buffers, from Android, Chrome, the SDK for C++, and from us.
//!
//! ```text
//! Trace   1 packet*                                                   packets.rs, proto.rs
//! packet  8 time, 58 its clock, 10 sequence, 13 flags, 42 packets before it were dropped, 87 first of its sequence
//!         11 something on a track      12 names that its sequence uses from here on         slices.rs, sequence.rs
//!         60 a track, a thread, a process     2 threads and their names                     tracks.rs
//!         6 what the clocks showed at one moment                                            clocks.rs
//!         1 what the kernel wrote on one CPU  34 how much it overwrote                      ftrace.rs, bundle.rs
//!         35 what was overwritten of the trace itself     50 deflated packets
//! ```
//!
//! What is on tracks becomes calls: slices in slices, in `slices/`. What the kernel wrote becomes events and gaps, a
//! stream for each CPU, with the names of `kernel_names.rs`; of events that no table here has, fields keep their
//! numbers. Everything else is passed over.
//!
//! What is missing: a sequence whose packets were dropped, or overwritten in a ring buffer, has a gap on its tracks,
//! and what cannot be understood without what was dropped is left out until the sequence begins anew. A bundle of the
//! kernel says whether something was lost before it, the statistics say how much.
//!
//! Packets are read once, from front to back, and may come in any order of time. Memory grows with the number of slices
//! and events, not with what else a file holds.

mod bundle;
mod clocks;
mod ftrace;
#[doc(hidden)]
pub mod fuzz;
mod kernel_events;
mod packets;
mod proto;
mod sequence;
mod slices;
#[cfg(test)]
mod tests;
mod tracks;

use std::io::Read;

use model::{Diagnostic, EventSource, FlowSource, Location, Severity};

use crate::limits;
use packets::{Packets, Step};
use proto::{Message, Wire};

/// What a file holds: both may be empty.
pub struct Recording {
    /// What is on tracks.
    pub slices: Box<dyn FlowSource>,
    /// What the kernel wrote; `None` where it wrote nothing.
    pub kernel: Option<Box<dyn EventSource>>,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("has_kernel", &self.kernel.is_some()).finish_non_exhaustive()
    }
}

/// Whether a file that begins with these bytes is such a trace: its first packets make sense as far as they are there.
pub fn may_be(beginning: &[u8]) -> bool {
    packets::may_be(beginning)
}

/// Whether anything is on a track. Reads no further than to the first.
pub fn has_slices(bytes: impl Read) -> bool {
    let mut packets = Packets::new(bytes);
    loop {
        match packets.next() {
            Step::Packet(packet)
                if Message::new(packet).any(|field| matches!(field, (11, Wire::Bytes(_)))) =>
            {
                return true;
            }
            Step::Packet(..) | Step::Odd(..) => {}
            Step::End | Step::Broken(..) => return false,
        }
    }
}

/// Reads all of a file; `file` is what diagnostics call it.
pub fn read(file: &str, bytes: impl Read) -> Recording {
    let mut packets = Packets::new(bytes);
    let mut slices = slices::Building::default();
    let mut kernel = ftrace::Building::default();
    let mut diagnostics = Vec::new();
    let mut odd = 0u64;
    let mut is_cut = false;
    loop {
        let (offset, sentence) = match packets.next() {
            Step::Packet(packet) => {
                let is_whole = slices.take(packet) & kernel.take(packet);
                if is_whole {
                    continue;
                }
                (
                    packets.offset(),
                    "A packet makes no sense from some byte on; what stands before it is used.".to_owned(),
                )
            }
            Step::Odd(offset, sentence) => (offset, sentence.to_owned()),
            Step::End => break,
            Step::Broken(offset, sentence) => {
                is_cut = true;
                (offset, sentence)
            }
        };
        odd += 1;
        if odd <= limits::PERFETTO_SAME_DIAGNOSTICS || is_cut {
            diagnostics.push(damage(file, "perfetto-packet", offset, sentence));
        }
        if is_cut {
            break;
        }
    }
    if odd > limits::PERFETTO_SAME_DIAGNOSTICS {
        let sentence = format!("{odd} packets in all make no sense or not all of it.");
        diagnostics.push(damage(file, "perfetto-packets", packets.offset(), sentence));
    }
    let kernel = kernel.finish(file, &diagnostics, is_cut);
    let slices = slices.finish(file, diagnostics, odd > 0, kernel.as_ref().map_or(0, ftrace::Reader::len));
    let kernel = kernel.map(|kernel| Box::new(kernel) as Box<dyn EventSource>);
    Recording { slices: Box::new(slices), kernel }
}

fn damage(file: &str, code: &'static str, offset: u64, sentence: String) -> Diagnostic {
    let location = Location::File { file: file.to_owned(), offset };
    Diagnostic { code, severity: Severity::Damage, location, sentence }
}
