//! What a thread waits for that only looks, again and again: a field, or an atomic value, that another thread sets in a method that it
//! is in, or in one that this calls.
//!
//! ```text
//! main      while (!stage.ready) onSpinWait();    looks at Stage.ready, and changes nothing
//! stage-6   Stage.run: improve(); publish()       is in the middle of it, and runs; publish: ready = true
//! ```
//!
//! So main goes on when stage-6 does. That follows from the code of both, but not that stage-6 will get to set it.

use std::collections::{BTreeSet, HashMap};

use analyses::hangs::find;
use classfile::{ConstantPool, Instruction, Opcode, Operand, modified_utf8};
use model::code::{Loop, Method};
use model::flow_source::FlowSource;
use model::stack::{SampledFrame, SampledThread, StackSample, ThreadState};
use model::{BlockId, MethodId};

use crate::hangs::calls::{Call, Calls};
use crate::hangs::open_loops::{called, changes_nothing, is_of_lambda, polls, with_code};

/// A class, with dots, and the name of its field; of an atomic value, whichever field it stands in, its class and no name.
type Field = (String, String);

/// Where atomic values are, and how their methods begin that set one whatever it was: who only tries to may be spinning as well.
const ATOMIC: &str = "java.util.concurrent.atomic.";
const SETS: [&str; 8] = ["set", "lazySet", "getAnd", "increment", "decrement", "add", "update", "accumulate"];

/// Blocks of a loop, with what it calls, that are looked at.
const MOST: usize = 100;

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
    let mut setters = Setters { recording, calls: Calls::of(recording), looked_at };
    let progress = |sample: &StackSample| {
        let itself = sample.threads.iter().find(|thread| thread.tid == tid)?;
        Some((itself.position, itself.cpu))
    };
    let mut newest_first = recording.stacks().samples.iter().rev().take(SAMPLES);
    let last = newest_first.next()?;
    let mut setter_in = |sample: &StackSample| {
        let mut others = sample.threads.iter().filter(|thread| thread.tid != tid && goes_on(thread));
        others.find(|thread| setters.sets(thread)).map(|thread| thread.tid)
    };
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

/// The thread that is about to set what the thread `tid` looks at, if that stays in the first of these frames at these lines, in a loop
/// that does nothing else.
pub(crate) fn setter_for(
    recording: &dyn FlowSource,
    (tid, frames, lines): (u64, &[SampledFrame], &[u16]),
) -> Option<u64> {
    let method = frames.first().and_then(|frame| recording.stacks().method(frame));
    let id = method.and_then(|method| find(recording.code(), method))?;
    let about = recording.code().method(id)?;
    let has = |enclosing: &&Loop, line: &u16| {
        let mut blocks = enclosing.blocks.iter().filter_map(|block| about.blocks.get(*block as usize));
        blocks.any(|block| block.lines.contains(line))
    };
    // Outer loops come before the ones inside them.
    let mut inner_first = about.loops.iter().rev();
    let around = inner_first.find(|it| lines.iter().all(|line| has(it, line)))?;
    let mut blocks: BTreeSet<(MethodId, BlockId)> = around.blocks.iter().map(|block| (id, *block)).collect();
    let inside = |pc: u32| {
        let mut blocks = around.blocks.iter().filter_map(|block| about.blocks.get(*block as usize));
        blocks.any(|block| (block.start..block.end).contains(&pc))
    };
    let mut calls = Calls::of(recording);
    let called = calls.called_by(id, |call| inside(call.pc));
    for method in calls.closure(called) {
        let count = recording.code().method(method).map_or(0, |about| about.blocks.len());
        blocks.extend((0..).take(count).map(|block| (method, block)));
    }
    let only_looks = blocks.len() <= MOST
        && blocks.iter().all(|(method, block)| changes_nothing(recording, *method, *block, false))
        && blocks.iter().any(|(method, block)| polls(recording, *method, *block));
    if only_looks { setter(recording, &blocks, tid) } else { None }
}

/// Of threads that only look, by those who are about to set what they look at: whether that is in the end one that does something else.
pub(crate) fn leads_out(setters: &HashMap<u64, Option<u64>>, first: u64) -> bool {
    let mut chain = std::iter::successors(Some(first), |tid| setters.get(tid).copied().flatten());
    // A chain that is longer than there are threads in it goes round.
    chain.by_ref().take(setters.len() + 1).any(|tid| !setters.contains_key(&tid))
}

fn looked_at(recording: &dyn FlowSource, id: MethodId, block: BlockId) -> Vec<Field> {
    let fields = with_code(recording, id, |pool, code| {
        let block = recording.code().method(id)?.blocks.get(block as usize)?;
        let inside = code.iter().filter(|(pc, _)| (block.start..block.end).contains(pc));
        Some(inside.filter_map(|(_, one)| looks(pool, one)).collect())
    });
    fields.unwrap_or_default()
}

/// Who may set what is looked at.
struct Setters<'r> {
    recording: &'r dyn FlowSource,
    calls: Calls<'r>,
    looked_at: BTreeSet<Field>,
}

impl Setters<'_> {
    /// Whether a thread may, from where it is on.
    fn sets(&mut self, thread: &SampledThread) -> bool {
        (0..thread.frames.len()).any(|at| {
            let inner = at.checked_sub(1).and_then(|inner| thread.frames.get(inner));
            self.will_set(inner, thread.frames.get(at..))
        })
    }

    /// Whether the method of the first of these frames, innermost first, or what it calls may, from where it is on. `inner`: the frame
    /// of what it has called. Of a class of which nothing was recorded every method may.
    fn will_set(&mut self, inner: Option<&SampledFrame>, frames: Option<&[SampledFrame]>) -> bool {
        let recording = self.recording;
        let Some([frame, enclosing @ ..]) = frames else { return false };
        let Some(method) = recording.stacks().method(frame) else { return false };
        let Some(id) = find(recording.code(), method) else {
            return self.looked_at.iter().any(|(class, _)| *class == method.class)
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
        if self.has_set(id, &is_ahead) {
            return true;
        }
        // What it is in the middle of shows by itself.
        let inner = inner.and_then(|inner| recording.stacks().method(inner));
        let inner = inner.map_or("", |inner| inner.name.as_str());
        let line = frame.line.filter(|_| is_last_call);
        let is_ahead = |call: &Call| line.is_none_or(|line| call.is_ahead(recording, id, line, inner));
        let called = self.calls.called_by(id, is_ahead);
        self.calls.closure(called).into_iter().any(|id| self.has_set(id, &|_| true))
    }

    /// Whether one of these instructions of a method does.
    fn has_set(&self, id: MethodId, is_wanted: &dyn Fn(u32) -> bool) -> bool {
        let sets = with_code(self.recording, id, |pool, code| {
            let mut wanted = code.iter().filter(|(pc, _)| is_wanted(*pc));
            Some(wanted.any(|(_, one)| changed(pool, one).is_some_and(|it| self.looked_at.contains(&it))))
        });
        sets.unwrap_or(false)
    }
}

/// What an instruction looks at.
fn looks(pool: &ConstantPool<'_>, instruction: &Instruction) -> Option<Field> {
    match instruction.opcode {
        Opcode::GETFIELD | Opcode::GETSTATIC => field(pool, instruction),
        opcode if opcode.is_call() => {
            let (class, _) = called(pool, instruction)?;
            class.starts_with(ATOMIC).then(|| (class, String::new()))
        }
        _ => None,
    }
}

/// What an instruction changes.
fn changed(pool: &ConstantPool<'_>, instruction: &Instruction) -> Option<Field> {
    match instruction.opcode {
        Opcode::PUTFIELD | Opcode::PUTSTATIC => field(pool, instruction),
        opcode if opcode.is_call() => {
            let (class, name) = called(pool, instruction)?;
            let sets = SETS.iter().any(|begin| name.starts_with(begin));
            (class.starts_with(ATOMIC) && sets).then(|| (class, String::new()))
        }
        _ => None,
    }
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
