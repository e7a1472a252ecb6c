//! Recording only inside calls of named methods: every method keeps its old body beside the recorded one.
//!
//! ```java
//! static int    open                        // how many threads are inside
//! static int    inside()                    // whether this one is: 0 if not
//! static native boolean begins(BUFFER b)    // a named method is called: whether this call is recorded
//! static native void    ends(BUFFER b)      // it is left
//! ```
//!
//! A method asks `open`, and `inside` where that is not 0; a named one asks `begins`. So where nobody is inside, a call
//! costs a load and a branch that is always the same. Who is inside when a method begins is so until it ends, since the
//! call that began it is further out on the same stack.

use super::Subject;
use super::plan::Recorder;
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::Ending;
use crate::edit::{Edits, Place};
use crate::error::Result;
use crate::instruction::Instruction;
use crate::opcode::Opcode;

/// Adds to what a plan inserts into a method: it is recorded where its thread is inside already.
pub fn only_inside(subject: &mut Subject<'_, '_>, recorder: &Recorder, edits: &mut Edits) -> Result<()> {
    let pool = &mut *subject.pool;
    let open = pool.add_field(recorder.class, b"open", b"I")?;
    let inside = pool.add_method(recorder.class, b"inside", b"()I")?;
    edits.only_if([
        vec![Instruction::with_constant(Opcode::GETSTATIC, open)],
        vec![Instruction::with_constant(Opcode::INVOKESTATIC, inside)],
    ]);
    Ok(())
}

/// The same for a named method: its calls begin it and end it. An exception ends it before the record that says so, for that
/// record may find the stack too full; a return does so after its record, which may throw and then leads to the former.
pub fn begins_inside(subject: &mut Subject<'_, '_>, recorder: &Recorder, edits: &mut Edits) -> Result<()> {
    let pool = &mut *subject.pool;
    edits.only_if([asked(b"begins", b"Z", recorder, pool)?]);
    let ends = asked(b"ends", b"V", recorder, pool)?;
    for block in subject.graph.blocks.iter().filter(|block| block.ending == Ending::Return) {
        edits.insert(Place::Before(block.last), ends.iter().cloned());
    }
    match edits.catch_all_run() {
        Some(_) => edits.before_catch_all(ends),
        None => edits.catch_all(ends),
    }
    Ok(())
}

/// A call with the thread's buffer.
fn asked(
    name: &[u8],
    result: &[u8],
    recorder: &Recorder,
    pool: &mut ConstantPool<'_>,
) -> Result<Vec<Instruction>> {
    let here = pool.add_method(recorder.class, b"here", &recorder.here_descriptor())?;
    let descriptor = [b"(L", recorder.buffer, b";)", result].concat();
    let method = pool.add_method(recorder.class, name, &descriptor)?;
    Ok(vec![
        Instruction::with_constant(Opcode::INVOKESTATIC, here),
        Instruction::with_constant(Opcode::INVOKESTATIC, method),
    ])
}
