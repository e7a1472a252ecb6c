//! What stands in `code`: who runs, what can run, and what happened on the side.
//!
//! Each struct here is one kind of frame, filled by the recorder and written by its `put`, or read
//! back by its `read`, which gives `None` for a body that makes no sense. Texts come from the traced
//! program: escape them before showing them. Values of arguments are in one of them only, and of those methods only that the
//! user has named.

mod class;
mod method;
mod origin;
mod parts;
mod running;
mod side;
mod stacks;
mod tasks;
#[cfg(test)]
mod tests;
mod throttled;
mod ticks;
mod values;

use source::bytes::Cursor;

pub use class::{ClassFileRecord, ClassRecord, Skipped, unpack_class_file};
pub use method::MethodRecord;
pub(super) use origin::OriginRecord;
pub use origin::put_origin;
pub use parts::{
    BlockParts, CallParts, ClassParts, MethodHead, MethodWriter, pack_class_file, put_class, put_class_file,
};
pub use running::{put_running, put_running_samples, read_running, read_running_samples};
pub use side::{End, Header, Loss, ThreadRecord, WhenFull, put_mark, read_mark};
pub(super) use stacks::Gathering;
pub use stacks::StacksRecord;
pub use tasks::{RecordedTask, TaskRecord, put_tasks, read_tasks};
pub use throttled::{ThrottleRecord, put_throttled, read_throttled};
pub use ticks::{ThreadTick, Tick, TickWriter, read_ticks};
pub use values::{
    EntryValues, OutcomeValue, ValuesRecord, put_entry, put_outcome, put_value, put_values, read_values,
};

/// Gives each record of a body to `read`, those left out that begin with a greater tag than is known: a later program wrote them.
/// A record is a length and that many bytes. `None` where one makes no sense.
fn each_record(body: &[u8], last_tag: u8, mut read: impl FnMut(&[u8]) -> Option<()>) -> Option<()> {
    let mut cursor = Cursor::new(body);
    while cursor.left() > 0 {
        let record = cursor.bytes()?;
        if *record.first()? <= last_tag {
            read(record)?;
        }
    }
    Some(())
}

/// How words are to be read. A recording has one; a method or chunk may have another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One word for each block: [`super::words`].
    Blocks,
    /// Words for paths through methods, and counts of loops.
    Paths,
    /// Only entries and ends of frames.
    Calls,
}

impl Encoding {
    /// As it is written.
    pub fn to_byte(self) -> u8 {
        match self {
            Encoding::Blocks => 0,
            Encoding::Paths => 1,
            Encoding::Calls => 2,
        }
    }

    /// Back; `None` for one that is not known.
    pub fn from_byte(byte: u8) -> Option<Encoding> {
        [Encoding::Blocks, Encoding::Paths, Encoding::Calls].into_iter().find(|known| known.to_byte() == byte)
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Blocks => "blocks",
            Encoding::Paths => "paths",
            Encoding::Calls => "calls",
        }
    }
}
