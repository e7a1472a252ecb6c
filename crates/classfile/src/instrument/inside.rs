//! Recording only inside calls of named methods: every method keeps its old body beside the recorded one.
//!
//! ```java
//! static int    open, others                           // how many threads are inside; how many besides the first
//! static Thread inside                                 // the first
//! static int    inside()                               // whether this one is: 0 if not
//! static native boolean begins(BUFFER b, Thread t)     // a named method is called: whether this call is recorded
//! static native void    ends(BUFFER b, Thread t)       // it is left
//! ```
//!
//! A method asks `inside`, a named one `begins`. Who is inside when a method begins is so until it ends, since the call that
//! began it is further out on the same stack.
//!
//! `inside` is one method, whose branches are known to compilers from all callers. If each method asked itself whether
//! anybody is inside, each would be compiled without what follows, which has never happened there, and would have to be compiled
//! anew when it does, in each thread: a server took 18 ms more of its processors for each request that was recorded.

use super::Subject;
use super::plan::Recorder;
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::Ending;
use crate::edit::{Edits, InsertionPoint};
use crate::error::Result;
use crate::instruction::Instruction;
use crate::opcode::Opcode;

/// Adds to what a plan inserts into a method: it is recorded where its thread is inside already.
pub fn only_inside(subject: &mut Subject<'_, '_>, recorder: &Recorder, edits: &mut Edits) -> Result<()> {
    let pool = &mut *subject.pool;
    let inside = pool.add_method(recorder.class, b"inside", b"()I")?;
    edits.only_if([Instruction::with_constant(Opcode::INVOKESTATIC, inside)]);
    Ok(())
}

/// The same for a named method: its calls begin it and end it. An exception ends it before the record that says so, for that
/// record may find the stack too full; a return does so after its record, which may throw and then leads to the former.
pub fn begins_inside(subject: &mut Subject<'_, '_>, recorder: &Recorder, edits: &mut Edits) -> Result<()> {
    let pool = &mut *subject.pool;
    edits.only_if(asked(b"begins", b"Z", recorder, pool)?);
    let ends = asked(b"ends", b"V", recorder, pool)?;
    for block in subject.graph.blocks.iter().filter(|block| block.ending == Ending::Return) {
        edits.insert(InsertionPoint::Before(block.last), ends.iter().cloned());
    }
    match edits.catch_all_run() {
        Some(_) => edits.before_catch_all(ends),
        None => edits.catch_all(ends),
    }
    Ok(())
}

/// A call with the thread's buffer and the thread.
fn asked(
    name: &[u8],
    result: &[u8],
    recorder: &Recorder,
    pool: &mut ConstantPool<'_>,
) -> Result<Vec<Instruction>> {
    let here = pool.add_method(recorder.class, b"here", &recorder.here_descriptor())?;
    let current = pool.add_method(b"java/lang/Thread", b"currentThread", b"()Ljava/lang/Thread;")?;
    let descriptor = [b"(L", recorder.buffer, b";Ljava/lang/Thread;)", result].concat();
    let method = pool.add_method(recorder.class, name, &descriptor)?;
    Ok(vec![
        Instruction::with_constant(Opcode::INVOKESTATIC, here),
        Instruction::with_constant(Opcode::INVOKESTATIC, current),
        Instruction::with_constant(Opcode::INVOKESTATIC, method),
    ])
}
