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
use model::code::Method;
use model::flow_source::FlowSource;
use model::stack::{SampledFrame, SampledThread, StackSample, ThreadState};
use model::{BlockId, MethodId};

use crate::hangs::open_loops::{is_of_lambda, with_code};

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
            && (0..thread.frames.len()).any(|at| will_set(recording, thread.frames.get(at..), &looked_at))
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

/// Whether the method of the first of these frames, innermost first, may set one of these fields from where it is on. Of a class of
/// which nothing was recorded every method may.
fn will_set(recording: &dyn FlowSource, frames: Option<&[SampledFrame]>, fields: &BTreeSet<Field>) -> bool {
    let Some([frame, enclosing @ ..]) = frames else { return false };
    let Some(method) = recording.stacks().method(frame) else { return false };
    let Some(id) = find(recording.code(), method) else {
        return fields.iter().any(|(class, _)| *class == method.class)
            && recording.code().classes.iter().all(|class| class.name != method.class);
    };
    // Who is called once more begins at the beginning.
    let is_last_call = enclosing.iter().all(|frame| is_behind(recording, frame));
    let about = recording.code().method(id);
    let ahead = about.filter(|_| is_last_call).and_then(|about| Some((about, ahead(about, frame.line?))));
    let is_ahead = |pc: u32| {
        ahead.as_ref().is_none_or(|(about, ahead)| {
            let mut blocks = ahead.iter().filter_map(|block| about.blocks.get(*block as usize));
            blocks.any(|block| (block.start..block.end).contains(&pc))
        })
    };
    let sets = with_code(recording, id, |pool, code| {
        let puts = |one: &Instruction| matches!(one.opcode, Opcode::PUTFIELD | Opcode::PUTSTATIC);
        let set = code.iter().filter(|(pc, one)| puts(one) && is_ahead(*pc));
        Some(set.filter_map(|(_, one)| field(pool, one)).any(|field| fields.contains(&field)))
    });
    sets.unwrap_or(false)
}

/// Whether the method of a frame does not come to the call again that it is in the middle of.
fn is_behind(recording: &dyn FlowSource, frame: &SampledFrame) -> bool {
    let Some(method) = recording.stacks().method(frame) else { return false };
    let Some(about) = find(recording.code(), method).and_then(|id| recording.code().method(id)) else {
        return method.class == "java.lang.Thread" || is_of_lambda(&method.class);
    };
    let Some(line) = frame.line else { return false };
    let mut of_line = (0..).zip(&about.blocks).filter(|(_, block)| block.lines.contains(&line));
    of_line.all(|(block, _)| !about.loops.iter().any(|one| one.blocks.contains(&block)))
}

/// The blocks of a line, and those that may run after them.
fn ahead(about: &Method, line: u16) -> BTreeSet<BlockId> {
    let mut found: BTreeSet<BlockId> = blocks_of(about, line).collect();
    found.extend(after(about, line));
    found
}

fn blocks_of(about: &Method, line: u16) -> impl Iterator<Item = BlockId> {
    (0..).zip(&about.blocks).filter(move |(_, block)| block.lines.contains(&line)).map(|(block, _)| block)
}

/// The blocks that may run after those of a line; of these, too, those that it comes back to.
pub(crate) fn after(about: &Method, line: u16) -> BTreeSet<BlockId> {
    let mut open: Vec<BlockId> = blocks_of(about, line).collect();
    let mut found = BTreeSet::new();
    while let Some(block) = open.pop() {
        let edges = about.edges.iter().map(|edge| (edge.from, edge.to));
        let edges = edges.chain(about.exception_edges.iter().copied());
        open.extend(edges.filter(|(from, to)| *from == block && found.insert(*to)).map(|(_, to)| to));
    }
    found
}

fn field(pool: &ConstantPool<'_>, instruction: &Instruction) -> Option<Field> {
    let Operand::Constant(index) = instruction.operand else { return None };
    let member = pool.member(index).ok()?;
    let class = modified_utf8::to_text(member.class?).replace('/', ".");
    Some((class, modified_utf8::to_text(member.name)))
}
