//! The values of a method's calls, where a recorder kept them: the object, the arguments, the result or what was thrown.
//!
//! A value is what could be seen of it without running any of the program's own code. Texts come from the program: escape
//! them before showing them.

use crate::{MethodId, Timestamp};

/// One call of a method whose values were to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct CallValues {
    /// The serial number of the thread.
    pub thread: u32,
    /// Directly before which record of that thread it was entered, as [`ThreadInfo::position`](crate::ThreadInfo::position)
    /// counts.
    pub position: (u32, u32),
    /// What was called.
    pub method: MethodId,
    /// When it was entered.
    pub began: Timestamp,
    /// The object whose method it is; `None` of a static method and of a constructor.
    pub object: Option<ProgramValue>,
    /// The arguments, in order.
    pub arguments: Vec<ProgramValue>,
    /// How it ended; `None` if it had not ended when the recording did, or that is not known.
    pub outcome: Option<Outcome>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// When.
    pub time: Timestamp,
    /// The result or the exception.
    pub ended: Ended,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// It returned this; `None` if it returns nothing.
    Returned(Option<ProgramValue>),
    /// This exception left it.
    Threw(ProgramValue),
}

/// A value in a program.
#[derive(Debug, Clone, PartialEq)]
pub enum ProgramValue {
    /// Its name says that it may be a secret, so it was not kept.
    Withheld,
    /// No object.
    Null,
    /// True or false.
    Boolean(bool),
    /// One UTF-16 unit.
    Char(u16),
    /// A whole number of any width, also one in a box.
    Integer(i64),
    /// A number of 32 bits, also one in a box.
    Float(f32),
    /// A number of 64 bits, also one in a box.
    Double(f64),
    /// A string.
    Text(ProgramText),
    /// One of the values of an enumeration: class and name.
    Constant(String, String),
    /// A class as a value: its name.
    Class(String),
    /// An exception.
    Throwable {
        /// Its class.
        class: String,
        /// Which of them, see [`ProgramValue::Object`].
        identity: u32,
        /// Its message, if it has one.
        message: Option<ProgramText>,
    },
    /// Any other object.
    Object {
        /// Its class; of arrays as in Java, `int[]`.
        class: String,
        /// Its identity hash code: different objects hardly ever have the same one.
        identity: u32,
        /// How many elements it has, if it is an array or a collection of the JDK's whose count can be read.
        size: Option<u64>,
    },
}

/// A text, of which only the beginning may have been kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramText {
    /// What was kept.
    pub text: String,
    /// How many UTF-16 units the whole has.
    pub length: u32,
}

impl ProgramText {
    /// Whether all of it was kept.
    pub fn is_whole(&self) -> bool {
        self.text.encode_utf16().count() == self.length as usize
    }
}

impl CallValues {
    /// How long the call took, in ns, if it is known when it ended.
    pub fn duration(&self) -> Option<u64> {
        let ended = self.outcome.as_ref()?.time.0;
        u64::try_from(ended.saturating_sub(self.began.0)).ok()
    }
}
