//! trace.dat, as `trace-cmd record` and `extract` write it, versions 6 and 7: what the Linux kernel's ftrace wrote.
//!
//! ```text
//! file    17 08 44 "tracing" | version 0 | endian u8 | size of long u8 | page size u32 |           header.rs
//!         6: header_page, header_event, formats of ftrace, formats of all systems, symbols, printk, names of threads,
//!            number of CPUs u32 | "options  " 0 | options | "flyrecord" 0 | offset and size of the pages of each CPU
//!         7: compression 0 | its version 0 | offset of the options u64;  options name the sections    sections.rs
//!
//! option  id u16 | size u32 | data      2 what a CPU lost   3 a buffer and its CPUs   5 uname   7 offset   options.rs
//! section id u16 | flags u16 | description u32 | size u64 | data, compressed if flag 1
//!
//! pages   of one CPU one behind the other, in 7 in compressed chunks                               pages.rs
//! page    time u64 | size and flags (something was lost before it, how much) | records             page.rs
//! record  kind: 5 bits, time since the one before: 27 bits | what a tracepoint wrote
//! ```
//!
//! What a tracepoint wrote is decoded by its format (`tracepoint/`); events and fields are called as in
//! `kernel_names.rs`. Each CPU of each buffer is a stream. A page says that events before it were lost and mostly how
//! many; what the kernel counted for a CPU and no page reports lies after its last event.
//!
//! The caller gives the bytes of one file and keeps them unchanged. It will not read big-endian files, text of the
//! latency tracers inside of a file, or the times of guests; each is reported.
//!
//! Source: the manual pages trace-cmd.dat.v6(5) and v7(5), `events/header_page` and `header_event` of a kernel, and
//! files recorded here.

mod at;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod header;
mod options;
mod page;
mod pages;
mod reader;
mod sections;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use reader::Reader;

/// What such a file begins with.
pub const MAGIC: &[u8] = b"\x17\x08\x44tracing";
