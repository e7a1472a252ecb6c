//! Overflow records: what threads had no space on their stacks to record, read from their buffers.
//!
//! Inserted code writes one without a call, see [`classfile::instrument::plan::Recorder`], and makes
//! its thread ask for a slot before its next record. Then it becomes a record of words, so that
//! everything stands in the order in which it ran.

use capture::paths::{FOLLOWING, MANY, NO_STATE};

use super::{Field, Jni, Ref};

/// The fields of buffers and overflow records, which are of one class.
#[derive(Debug)]
pub(crate) struct OverflowRecords {
    late: Field,
    first: Field,
    at: Field,
    iterations: Field,
    next: Field,
}

/// The words of all overflow records of a thread.
#[derive(Debug, Default)]
pub(crate) struct Late {
    pub(crate) words: Vec<u32>,
    /// More were wanted than there are.
    pub(crate) is_short: bool,
}

impl OverflowRecords {
    /// `None` if this is not our class.
    pub(crate) fn of(jni: Jni, class: Ref) -> Option<OverflowRecords> {
        let kind = c"Ljava/lang/TracewrightRecorder;";
        Some(OverflowRecords {
            late: jni.object_field(class, c"late", kind)?,
            first: jni.object_field(class, c"first", kind)?,
            at: jni.int_field(class, c"at")?,
            iterations: jni.long_field(class, c"iterations")?,
            next: jni.object_field(class, c"next", kind)?,
        })
    }

    /// Takes those of the current thread out of its buffer.
    pub(crate) fn take(&self, jni: Jni, buffer: Ref) -> Late {
        let (first, last) = (jni.get_object(buffer, self.first), jni.get_object(buffer, self.late));
        let mut late = Late::default();
        if first.is_null() || last.is_null() || jni.is_same(first, last) {
            return late;
        }
        let mut at = word(jni.get_int(buffer, self.at));
        let mut record = first;
        loop {
            let next = jni.get_object(record, self.next);
            if next.is_null() || jni.is_same(next, record) {
                late.is_short = true;
                break;
            }
            record = next;
            let iterations = u64::try_from(jni.get_long(record, self.iterations)).unwrap_or(0);
            let code = word(jni.get_int(record, self.at));
            // More than fit into one word.
            if let Some(many) = u32::try_from(iterations / MANY).ok().filter(|&many| many > 0) {
                late.words.extend([NO_STATE | 2 << FOLLOWING, code, many]);
            }
            let iterations = u32::try_from(iterations % MANY + 1).unwrap_or(1);
            // Where the caller stood is news only for the first frame: the others are its callers.
            let at = std::mem::replace(&mut at, NO_STATE);
            late.words.extend([NO_STATE | 3 << FOLLOWING, code, at, iterations]);
            jni.set_long(record, self.iterations, 0);
            if jni.is_same(record, last) {
                break;
            }
        }
        jni.set_object(buffer, self.late, first);
        jni.set_int(buffer, self.at, 1);
        late
    }
}

/// A record's word that Java has as an int.
pub(crate) fn word(number: i32) -> u32 {
    u32::from_ne_bytes(number.to_ne_bytes())
}
