//! What a thread waits for that only looks, again and again: a field that another thread sets in a method that it is in.
//!
//! ```text
//! main      while (!stage.ready) onSpinWait();    looks at Stage.ready, and changes nothing
//! stage-6   Stage.run: improve(); ready = true    is in the middle of it, and runs
//! ```
//!
//! So main goes on when stage-6 does. That follows from the code of both, but not that stage-6 will get to set it.

use std::collections::BTreeSet;

use analyses::hangs::find;
use classfile::{ConstantPool, Instruction, Opcode, Operand, modified_utf8};
use model::flow_source::FlowSource;
use model::stack::{SampledFrame, SampledThread, StackSample, ThreadState};
use model::{BlockId, MethodId};

use crate::hangs::open_loops::with_code;

/// A class, with dots, and the name of its field.
type Field = (String, String);

/// Samples in which the other thread is looked for.
const SAMPLES: usize = 3;

/// The number of a thread that is about to set what these blocks of the thread `tid` look at, and is not waiting itself without
/// an end. One that was gone in the last samples counts as long as `tid` has not run since: it has not looked yet.
pub(crate) fn setter(
    recording: &dyn FlowSource,
    blocks: &BTreeSet<(MethodId, BlockId)>,
    tid: u64,
) -> Option<u64> {
    let looked_at: BTreeSet<Field> =
        blocks.iter().flat_map(|(method, block)| looked_at(recording, *method, *block)).collect();
    let sets = |thread: &&SampledThread| {
        thread.tid != tid
            && goes_on(thread)
            && thread.frames.iter().any(|frame| sets_one(recording, frame, &looked_at))
    };
    let progress = |sample: &StackSample| {
        let itself = sample.threads.iter().find(|thread| thread.tid == tid)?;
        Some((itself.position, itself.cpu))
    };
    let mut newest_first = recording.stacks().samples.iter().rev().take(SAMPLES);
    let last = newest_first.next()?;
    let setter_in = |sample: &StackSample| sample.threads.iter().find(sets).map(|thread| thread.tid);
    let mut gone = last;
    if let Some(setter) = setter_in(last) {
        return Some(setter);
    }
    for sample in newest_first {
        if progress(gone) != progress(last) {
            return None;
        }
        if let Some(setter) = setter_in(sample) {
            return Some(setter);
        }
        gone = sample;
    }
    None
}

fn goes_on(thread: &SampledThread) -> bool {
    match thread.state {
        ThreadState::Runnable | ThreadState::Sleeping => true,
        ThreadState::Waiting => thread.waits.as_ref().is_some_and(|wait| wait.is_timed),
        ThreadState::Blocked => false,
    }
}

fn looked_at(recording: &dyn FlowSource, id: MethodId, block: BlockId) -> Vec<Field> {
    let fields = with_code(recording, id, |pool, code| {
        let block = recording.code().method(id)?.blocks.get(block as usize)?;
        let inside = code.iter().filter(|(pc, _)| (block.start..block.end).contains(pc));
        let gets = |one: &&Instruction| matches!(one.opcode, Opcode::GETFIELD | Opcode::GETSTATIC);
        Some(inside.map(|(_, one)| one).filter(gets).filter_map(|one| field(pool, one)).collect())
    });
    fields.unwrap_or_default()
}

/// Whether the method of a frame sets one of these fields. Of a class of which nothing was recorded every method may.
fn sets_one(recording: &dyn FlowSource, frame: &SampledFrame, fields: &BTreeSet<Field>) -> bool {
    let Some(method) = recording.stacks().method(frame) else { return false };
    let Some(id) = find(recording.code(), method) else {
        return fields.iter().any(|(class, _)| *class == method.class)
            && recording.code().classes.iter().all(|class| class.name != method.class);
    };
    let sets = with_code(recording, id, |pool, code| {
        let puts = |one: &&Instruction| matches!(one.opcode, Opcode::PUTFIELD | Opcode::PUTSTATIC);
        let mut set = code.instructions.iter().filter(puts).filter_map(|one| field(pool, one));
        Some(set.any(|field| fields.contains(&field)))
    });
    sets.unwrap_or(false)
}

fn field(pool: &ConstantPool<'_>, instruction: &Instruction) -> Option<Field> {
    let Operand::Constant(index) = instruction.operand else { return None };
    let member = pool.member(index).ok()?;
    let class = modified_utf8::to_text(member.class?).replace('/', ".");
    Some((class, modified_utf8::to_text(member.name)))
}
