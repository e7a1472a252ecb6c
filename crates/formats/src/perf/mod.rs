//! perf.data, as `perf record` writes it: tracepoints of the Linux kernel, with what was lost of them.
//!
//! ```text
//! file      | header | ids | attributes | records ... | feature table | features ... |   header.rs
//!             PERFILE2       attr.rs      data section   features.rs     tracing_data.rs
//!             sections                                                   host, command, ...
//!
//! record    | type u32 | misc u16 | size u16 | body | trailer |                          record.rs
//!             9 SAMPLE                         what sample_type says                     sample.rs
//!             2 LOST                           id, how many    pid tid time id cpu       losses.rs
//!             13 LOST_SAMPLES                  how many        id
//!             3 COMM, 7 FORK                   thread, name                              comms.rs
//!             68 FINISHED_ROUND                all buffers were read once                rounds.rs
//!             81 COMPRESSED            records of zstd                           inflate.rs
//!             69 ID_INDEX                      id -> buffer of which CPU or thread       events.rs, scope.rs
//!
//! sample    | id ip pid tid time addr cpu period ... | raw size | common_* | fields |
//!                                                                 by the texts of the feature
//!                                                                 TRACING_DATA: tracepoint/, fields.rs
//! ```
//!
//! Written to a pipe, attributes and features are records, too: `pipe.rs`.
//!
//! The kernel fills one buffer for each CPU, and perf copies what is there round by round. So the file
//! is walked twice: `scan.rs` finds the buffers, where each of them lost something and how much, and
//! `reader.rs` then hands out the samples by time (`rounds.rs`), each gap right behind the sample that
//! it follows. Events and fields are called as LTTng calls them where the kernel models ask for that;
//! the table is in `kernel_names.rs`.
//!
//! The caller gives the bytes of one file and keeps them unchanged. In turn [`Reader`] reads what can
//! be read: what is damaged becomes a diagnostic with its byte, what is missing becomes a gap. It never
//! panics, and memory and time are bounded by [`limits`](crate::limits).
//!
//! It will not read hardware traces (AUX) or files of big-endian machines, which it
//! refuses in a sentence, nor resolve addresses to symbols. Of the records beside samples only those
//! above are used: MMAP, EXIT and the rest say nothing of what a thread did.
//!
//! The records are parsed here and not by the crate linux-perf-data (0.13, alive in 2026), because that
//! one allocates by sizes from the file before it looks whether they fit, gives errors without the
//! byte, decodes no tracepoint, and brings a dozen packages, one of them C.
//!
//! Source: `linux/perf_event.h`, the perf.data notes of the kernel tree, and files recorded here.

mod attr;
mod bytes;
mod comms;
mod diagnostics;
mod error;
mod events;
mod features;
mod fields;
#[cfg(test)]
mod fixture;
#[doc(hidden)]
pub mod fuzz;
mod header;
mod inflate;
mod losses;
mod open;
mod pipe;
mod reader;
mod record;
mod rounds;
mod sample;
mod scan;
mod scope;
mod switches;
#[cfg(test)]
mod tests;
mod tracing_data;

pub use error::Error;
pub use reader::Reader;
