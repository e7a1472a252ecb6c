//! What a recording plan says of each method: how many record ids it takes, and what to insert.
//!
//! A plan is the seam between the recorder and the ways to record (blocks, paths, calls). It needs
//! no virtual machine: given a body, its graph and the first id, it answers with edits that call
//! the recorder's methods. What a reader needs to make sense of the ids follows from the graph and
//! the plan alone, so ids can be given to methods that are then left alone without harm.
//! Ids are given by numbers that stand in the class as [`crate::ConstantPool::add_number`] puts them there, so
//! they may count from 0, and whoever gives the class to a machine adds where its numbers begin. The one that
//! gives them out sees to it that all are above 0 and no two methods share one.

use std::rc::Rc;

use super::{Body, Subject};
use crate::class_file::ClassFile;
use crate::code::Code;
use crate::edit::Edits;
use crate::opcode::Opcode;
use crate::paths::NumberedPaths;
use crate::skipped::Skipped;
use crate::throwing::Throwing;

/// A mode of recording.
pub trait Plan {
    /// How many record ids a method takes, from its first on. `number` is the method's in the class.
    fn ids(&self, class: &ClassFile<'_>, number: usize, body: &Body<'_>) -> u32;

    /// What to insert. `first` is the method's first id. What was too long is asked for less, see
    /// [`Subject::attempt`].
    fn edits(&self, subject: &mut Subject<'_, '_>, first: u32) -> Result<Edits, Skipped>;

    /// What a reader needs beyond the graph, for a method that [`Plan::edits`] was asked about.
    fn numbering(&self, _number: usize) -> Option<Rc<NumberedPaths>> {
        None
    }
}

/// The class that inserted code calls, and the class of the buffer that it keeps in a local.
///
/// ```java
/// static BUFFER enter(int record)              // finds the thread's buffer and writes the record
/// static void   rec(BUFFER buffer, int record) // writes a record into it
/// static void   unwind(int record)             // writes a record where no local is in sight
/// ```
///
/// For paths, where `at` is a field of the buffer and `[..]` one record of so many words; `cut`,
/// `first`, `begin`, `counted`, `firstCounted` and `thrown` set `at` to 1 behind it:
///
/// ```java
/// static BUFFER here()                                       // finds the thread's buffer
/// static BUFFER begin(int r)                                 // the same, and first
/// static void   path(BUFFER buffer, int r)                   // [r]
/// static void   cut(BUFFER buffer, int r)                    // [r]
/// static void   first(BUFFER buffer, int r)                  // [r | 1 << 30][at], or [r] if `at` is 1
/// static void   last(BUFFER buffer, int r)                   // the same
/// static void   counted(BUFFER buffer, int r, int iterations)     // [r | 1 << 30][iterations + 1]
/// static void   firstCounted(BUFFER buffer, int r, int iterations)// [r | 2 << 30][at][iterations + 1]
/// static void   whole(int r)                                 // first, without a buffer in sight
/// static void   wholeCounted(int r, int iterations)               // firstCounted, the same
/// static void   thrown(int code, int r)                      // [code | 2 << 30][r][at]
/// static void   thrown(int code, int r, int iterations)           // [code | 3 << 30][r][at][iterations + 1]
/// ```
///
/// Those with iterations also exist with `long iterations`, for loops that may make more than an int can count. No
/// word is 0, so 2^32 - 1 iterations cannot be recorded by one either: so many, or more, are recorded by two records.
///
/// ```java
/// static long many(int r, long iterations)                        // [1 | 2 << 30][r][iterations / (2^32 - 1)]
///                                                            // what is left goes into the record of r itself
/// ```
///
/// A method that paths would make too long records blocks, or its entry and ends: `begin` where its frame does,
/// `rec`, `unwind`.
///
/// If `thrown` fails in the catch-all, since the stack is too full to call anything, its numbers are
/// kept in the next of the buffer's notes, by code that calls nothing: `late = late.next; late.at = r`,
/// and `iterations` where there are some. `end = 0` then has the next record wait until the note is recorded:
///
/// ```java
/// [1 | 3 << 30][r][at][iterations + 1]                            // an exception left the frame: late
/// ```
///
/// `at` is what it is then. It may be newer than the note if code that is not recorded catches the
/// exception where the stack has no room to record anything, and its caller goes on.
#[derive(Clone, Copy, Debug)]
pub struct Recorder {
    /// Internal name of the class with the methods.
    pub class: &'static [u8],
    /// Internal name of the buffer's class, which is that of its notes. It should be `class`: what
    /// runs when the stack is full must not be the first to name it.
    pub buffer: &'static [u8],
}

impl Recorder {
    /// The descriptor of `enter` and of `begin`.
    pub fn enter_descriptor(&self) -> Vec<u8> {
        [b"(I)L", self.buffer, b";"].concat()
    }

    /// The descriptor of `here`.
    pub fn here_descriptor(&self) -> Vec<u8> {
        [b"()L", self.buffer, b";"].concat()
    }

    /// The descriptor of `rec`.
    pub fn rec_descriptor(&self) -> Vec<u8> {
        [b"(L", self.buffer, b";I)V"].concat()
    }
}

/// Whether this body writes anything that others can see.
pub(crate) fn stores(code: &Code<'_>) -> bool {
    let is_array = |opcode: Opcode| (Opcode::IASTORE..=Opcode::SASTORE).contains(&opcode);
    let is_field = |opcode: Opcode| matches!(opcode, Opcode::PUTFIELD | Opcode::PUTSTATIC);
    code.instructions.iter().any(|instruction| is_array(instruction.opcode) || is_field(instruction.opcode))
}

/// Whether, once the instruction at `from` is reached, nothing before the end of the block can throw.
pub(crate) fn is_quiet(code: &Code<'_>, throwing: &Throwing, from: u32, end: u32) -> bool {
    let index = |pc| code.pcs.partition_point(|&other| other < pc);
    !(index(from)..index(end)).any(|index| throwing.contains(index))
}
