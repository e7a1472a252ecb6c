//! The plan for a method that is not recorded any more: its calls are counted.
//!
//! ```java
//! static final long[] COUNTS       // of the recorder's class; threads that add at the same moment may count once
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
    let counts = subject.pool.add_field(recorder.class, b"COUNTS", b"[J")?;
    let run: [Instruction; 7] = [
        Instruction::with_constant(Opcode::GETSTATIC, counts),
        Instruction::push_small(element),
        Opcode::DUP2.into(),
        Opcode::LALOAD.into(),
        Opcode::LCONST_1.into(),
        Opcode::LADD.into(),
        Opcode::LASTORE.into(),
    ];
    edits.insert(InsertionPoint::MethodEntry, run);
    Ok(edits)
}
