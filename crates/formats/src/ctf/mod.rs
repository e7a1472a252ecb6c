//! CTF 1.8 and 2.0, the Common Trace Format, as LTTng, barectf and others write it.
//!
//! ```text
//! folder/metadata      TSDL or JSON: what all the bytes below mean         text.rs, tsdl/, ctf2/
//! folder/channel0_0    a stream file: packets end to end                   stream.rs
//! folder/index/*.idx   which packets the tracer wrote                      index.rs
//!
//! packet    | header | context | event | event | ... | padding |           packet.rs
//!             magic    timestamp_begin, timestamp_end
//!             uuid     content_size, packet_size (bits)
//!             stream   events_discarded, packet_seq_num, cpu_id            loss.rs
//!
//! event     | header        | stream's context | own context | fields |    event.rs
//!             id, timestamp   vtid, procname     ...           what it carries
//! ```
//!
//! Metadata is parsed to declared classes (`tsdl/`, `ctf2/`), these are put in where they are used and laid
//! out (`compile.rs`, `resolve.rs`, `layout.rs`), and the result steps over events (`walk.rs`) and
//! decodes them for whoever asks (`decode.rs`), out of a sliding window (`window.rs`). Streams are
//! merged by time (`merge.rs`, `reader.rs`); parts of a long trace can be read each by itself (`parts.rs`).
//!
//! The caller gives all files below the opened folder and keeps them unchanged while they are read.
//! In turn [`Reader`] reads what can be read: what is damaged becomes a diagnostic with file and byte,
//! what is missing becomes a gap. It never panics, and memory and time are bounded by
//! [`limits`](crate::limits).
//!
//! Clocks of several hosts are brought to one by the messages between them (`host_clocks/`), for which such a trace is
//! read twice.
//!
//! It will not believe index files in anything but that something is missing, or follow a trace that is still being
//! written.
//!
//! Source: the Common Trace Format specification, versions 1.8.3 and 2.0.

mod bit_order;
mod bits;
mod class;
mod clock;
mod compile;
mod ctf2;
mod decode;
mod diagnostics;
mod error;
mod event;
#[doc(hidden)]
pub mod fuzz;
mod header;
mod host_clocks;
mod index;
mod layout;
mod leaf;
mod loss;
mod merge;
mod packet;
mod parts;
mod ranges;
mod reader;
mod resolve;
mod roles;
mod session;
mod stream;
mod text;
mod trace;
mod tsdl;
mod walk;
mod window;
pub mod write;

pub use error::Error;
pub use parts::Part;
pub use reader::Reader;
