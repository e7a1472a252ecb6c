//! Event lines: a trace as text, one JSON object a line. What `tracewright events --json` writes,
//! and what any log can be turned into. Reader and writer stand side by side here.
//!
//! ```text
//! {"ts":1795245908123456789,"stream":"channel0_3","cpu":3,"name":"sched_switch","fields":{"prev_tid":5,"next_tid":7}}
//!  |                        |                     |       |                     |
//!  |                        |                     |       |                     what the event carries
//!  |                        |                     |       the only key that an event must have
//!  |                        |                     the CPU, where known
//!  |                        its stream; if missing, one called like the input
//!  nanoseconds since 1970 (or since the clock's zero); missing where there is no clock
//!
//! {"ts":120,"stream":"channel0_3","lost":7805,"unit":"events","from":120,"to":190}      a loss
//! {"ts":170,"stream":"channel0_3","lost":0,"unit":"events","edge":"end","from":120,"to":190}
//! ```
//!
//! * `fields` is flat: the payload, then the context; a context field whose name the payload uses
//!   too is written as `context.NAME`. Structures are objects, sequences are arrays, an enumeration
//!   is `{"value":2,"label":"RUNNING"}` (without `label` where no label covers the value), a float
//!   that JSON cannot say is the text `"NaN"`, `"inf"` or `"-inf"`. Integers are exact to 128 bits.
//!   Text that is not UTF-8 has U+FFFD in place of its bad bytes. Characters that a terminal would
//!   obey are written as `\u` escapes.
//! * A line with `lost` and without `name` is a loss. `lost` is `null` where nobody counted, `unit`
//!   is `events` (also if missing) or `packets`; nothing was lost before `from` or after `to`.
//!   `"edge":"end"` marks the other place where the same loss may lie; its `lost` is 0, so that the
//!   sum over all lines is right.
//! * Keys that this format does not know are fields of the event.
//! * Order is the order of the lines: the reader sorts nothing.
//!
//! A file is known as one by its name, `*.jsonl`, or by its first line.
//!
//! To change the format, add keys; old readers take them for fields, and old files stay readable.

mod begins;
mod json;
mod read;
mod tape;
#[cfg(test)]
mod tests;
mod write;

pub use begins::begins;
pub use json::{key, text};
pub use read::Reader;
pub use write::{FieldsJson, Writer};
