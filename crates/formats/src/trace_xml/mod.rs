//! XML traces: events as elements, in the form in which Trace Compass writes traces for its tests.
//!
//! ```text
//! <trace>
//!   <event timestamp="7" name="sched_switch">      nanoseconds
//!     <field name="prev_tid" type="int" value="5"/>   int, long, double, string; intArray, longArray
//!     <field name="comm" type="string" value="sh"/>   without a type it is a text
//!   </event>
//! </trace>
//! ```
//!
//! * The file is read from its beginning to its end, a tag at a time: it may have any length.
//! * A field called `cpu` with a number is the CPU of the event, too.
//! * Other elements (`set_aspects`) and attributes are passed over, and so is text between elements.
//! * The five entities of XML and numbers of characters are read; document types are not.
//!
//! What cannot be read becomes a diagnostic with its line, and the next event is read.

mod fields;
mod read;
mod tags;
#[cfg(test)]
mod tests;

pub use read::Reader;

/// Whether bytes begin as XML does, so that nobody has to go by the name of a file.
pub fn begins(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"<")
}
