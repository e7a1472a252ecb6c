//! What threads had no room on their stacks to tell of: read from the notes in their buffers.
//!
//! Inserted code writes a note without a call, see [`classfile::instrument::plan::Recorder`], and makes
//! its thread ask for room before its next record. Then the note becomes a record of its own, so that
//! everything stands in the order in which it ran.

use capture::paths::{FOLLOWING, MANY, NO_NEWS};

use crate::ffi::{Field, Jni, Ref};
use crate::recorder::word;

/// The fields of buffers and notes, which are of one class.
#[derive(Debug)]
pub(crate) struct Notes {
    late: Field,
    first: Field,
    at: Field,
    iterations: Field,
    next: Field,
}

/// The records of all notes of a thread.
#[derive(Debug, Default)]
pub(crate) struct Late {
    pub(crate) words: Vec<u32>,
    /// More notes were wanted than there are.
    pub(crate) is_short: bool,
}

impl Notes {
    /// `None` if this is not our class.
    pub(crate) fn of(jni: Jni, class: Ref) -> Option<Notes> {
        let notes = c"Ljava/lang/TracewrightRecorder;";
        Some(Notes {
            late: jni.object_field(class, c"late", notes)?,
            first: jni.object_field(class, c"first", notes)?,
            at: jni.int_field(class, c"at")?,
            iterations: jni.long_field(class, c"iterations")?,
            next: jni.object_field(class, c"next", notes)?,
        })
    }

    /// Takes the notes of the current thread out of its buffer.
    pub(crate) fn take(&self, jni: Jni, buffer: Ref) -> Late {
        let (first, last) = (jni.get_object(buffer, self.first), jni.get_object(buffer, self.late));
        let mut late = Late::default();
        if first.is_null() || last.is_null() || jni.is_same(first, last) {
            return late;
        }
        let mut place = word(jni.get_int(buffer, self.at));
        let mut note = first;
        loop {
            let next = jni.get_object(note, self.next);
            if next.is_null() || jni.is_same(next, note) {
                late.is_short = true;
                break;
            }
            note = next;
            let iterations = u64::try_from(jni.get_long(note, self.iterations)).unwrap_or(0);
            let code = word(jni.get_int(note, self.at));
            // More than one word can tell.
            if let Some(many) = u32::try_from(iterations / MANY).ok().filter(|&many| many > 0) {
                late.words.extend([NO_NEWS | 2 << FOLLOWING, code, many]);
            }
            let iterations = u32::try_from(iterations % MANY + 1).unwrap_or(1);
            // Where the caller stood is news only for the first frame: the others are its callers.
            let place = std::mem::replace(&mut place, NO_NEWS);
            late.words.extend([NO_NEWS | 3 << FOLLOWING, code, place, iterations]);
            jni.set_long(note, self.iterations, 0);
            if jni.is_same(note, last) {
                break;
            }
        }
        jni.set_object(buffer, self.late, first);
        jni.set_int(buffer, self.at, 1);
        late
    }
}
