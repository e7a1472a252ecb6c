//! The plan for a method that is not recorded any more: its calls are counted.
//!
//! ```java
//! static void count(int element)   // of the recorder's class
//! ```

use super::Subject;
use super::plan::Recorder;
use crate::edit::{Edits, InsertionPoint};
use crate::error::Result;
use crate::instruction::Instruction;
use crate::opcode::Opcode;

/// What to insert so that each call adds 1 to this element of the counts.
pub fn calls(subject: &mut Subject<'_, '_>, recorder: &Recorder, element: i16) -> Result<Edits> {
    let mut edits = Edits::of(subject.code);
    let count = subject.pool.add_method(recorder.class, b"count", b"(I)V")?;
    let call = Instruction::with_constant(Opcode::INVOKESTATIC, count);
    edits.insert(InsertionPoint::MethodEntry, [Instruction::push_small(element), call]);
    Ok(edits)
}
