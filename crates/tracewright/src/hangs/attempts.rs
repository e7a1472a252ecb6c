//! Attempts: calls that return whether they succeeded, like `tryLock` and `compareAndSet`, and what runs where they did.
//!
//! ```text
//! if (other.tryLock()) pay();    invokeinterface tryLock
//!                                ifeq after                 the attempt failed: go on after it
//!                                invokevirtual pay          it came through
//! ```

use classfile::{Code, ConstantPool, Opcode, Operand};
use model::flow_source::FlowSource;
use model::{BlockId, MethodId};

use crate::hangs::open_loops::{WAITING, called, with_code};

/// How the names of such methods begin; they belong to what waits for other threads.
const NAMES: [&str; 4] = ["tryLock", "tryAcquire", "compareAndSet", "weakCompareAndSet"];

/// Where the code goes on if the call at `pc` is an attempt and comes through; `None` where it is none or nobody asks.
pub(crate) fn success(pool: &ConstantPool<'_>, code: &Code<'_>, pc: u32) -> Option<u32> {
    let (call, mut after) = (code.index_at(pc)?, code.iter().map(|(pc, _)| pc));
    name(pool, code, call)?;
    let jump = code.instructions.get(call + 1)?;
    match (jump.opcode, &jump.operand) {
        (Opcode::IFEQ, _) => after.nth(call + 2),
        (Opcode::IFNE, Operand::Jump(target)) => Some(*target),
        _ => None,
    }
}

/// The attempt at the end of a block, as `Lock.tryLock`.
pub(crate) fn attempt(recording: &dyn FlowSource, id: MethodId, block: BlockId) -> Option<String> {
    let end = recording.code().method(id)?.blocks.get(usize::try_from(block).ok()?)?.end;
    with_code(recording, id, |pool, code| name(pool, code, last(code, end)?))
}

/// The index of the last instruction before `end`.
fn last(code: &Code<'_>, end: u32) -> Option<usize> {
    code.iter().take_while(|(pc, _)| *pc < end).count().checked_sub(1)
}

/// The same, if what follows where it comes through never `ran`.
pub(crate) fn failed(
    recording: &dyn FlowSource,
    id: MethodId,
    block: BlockId,
    ran: impl Fn(BlockId) -> bool,
) -> Option<String> {
    let blocks = &recording.code().method(id)?.blocks;
    let end = blocks.get(usize::try_from(block).ok()?)?.end;
    with_code(recording, id, |pool, code| {
        let call = last(code, end)?;
        let name = name(pool, code, call)?;
        let success = success(pool, code, code.iter().nth(call)?.0)?;
        let number = blocks.iter().position(|block| block.start == success)?;
        (!ran(BlockId::try_from(number).ok()?)).then_some(name)
    })
}

/// What the call at this index is called, if it is an attempt.
fn name(pool: &ConstantPool<'_>, code: &Code<'_>, call: usize) -> Option<String> {
    let call = code.instructions.get(call).filter(|call| call.opcode.is_call())?;
    let (class, name) = called(pool, call)?;
    let is_one = WAITING.iter().any(|begin| class.starts_with(begin))
        && NAMES.iter().any(|begin| name.starts_with(begin));
    let short = class.rsplit('.').next().unwrap_or_default();
    is_one.then(|| format!("{short}.{name}"))
}
