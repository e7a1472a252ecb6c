//! Where a thread was at the end, according to samples of its stack.
//!
//! ```text
//! samples      1            2            3            4 = the last
//! records so far  120          512          512          512      nothing new since sample 2
//! frames       main         main         main         main
//!              load (12)    spin (31)    spin (32)    spin (31)    it stays in spin, lines 31-32
//! ```
//!
//! A frame that two samples show, and of which a return or a call from it would have left a record, was not
//! left between them if there is none. A thread that computes for long without a record is reported in the same
//! way: a sample shows what was, not that it goes on for ever.

use std::collections::BTreeSet;

use model::stack::{LONG, SampledFrame, SampledMethod, SampledThread, StackSamples, ThreadState};
use model::{CodeMap, MethodId, Timestamp};

use super::waiting::OF_JAVA;

/// A native method that uses less than this part of the time waits, though it counts as running.
const IDLE: i64 = 20;

/// Any other one that uses less than this part of the time does not run: the virtual machine itself holds it, for a class
/// that another thread initialises, say.
const HELD: i64 = 1000;

/// Where a thread was when it was sampled last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing<'s> {
    /// The thread in the last sample.
    pub thread: &'s SampledThread,
    /// The time of that sample, and whether recording ended then.
    pub time: Timestamp,
    /// See there.
    pub at_end: bool,
    /// How many samples in a row, the last one included, have shown it without anything new recorded.
    pub samples: usize,
    /// The time of the first of these: its last record is older.
    pub since: Timestamp,
    /// Whether it ran in all of them.
    pub runs: bool,
    /// Whether it used the processor meanwhile, as far as that is known.
    pub moves: bool,
    /// Whether it used any of it in the later half of these samples, however little.
    pub wakes: bool,
    /// Frames that it was in all the time, from the outermost on.
    pub shared: usize,
    /// The lines that the innermost of these was seen at, ascending.
    pub lines: Vec<u16>,
}

/// Where the thread `tid` was at the end. `end`: the number of its last chunk and the records in that, as far as
/// the trace has them. `None`: it had ended, or has recorded something after the last sample.
pub fn standing(all: &StackSamples, tid: u64, end: (u32, u32)) -> Option<Standing<'_>> {
    let find = |threads: &'_ [SampledThread]| threads.iter().position(|thread| thread.tid == tid);
    let last = all.samples.last()?;
    let thread = last.threads.get(find(&last.threads)?)?;
    // What is written as the recording ends comes after the sample.
    if !last.at_end && end > thread.position {
        return None;
    }
    let mut standing = Standing {
        thread,
        time: last.time,
        at_end: last.at_end,
        samples: 0,
        since: last.time,
        runs: true,
        moves: true,
        wakes: false,
        shared: thread.frames.len(),
        lines: vec![],
    };
    let mut first = thread;
    let mut used_up_to = vec![];
    let mut lines: Vec<&[SampledFrame]> = vec![];
    for sample in all.samples.iter().rev() {
        let Some(other) = find(&sample.threads).and_then(|at| sample.threads.get(at)) else { break };
        if other.position != thread.position || began_since(all, thread, other) {
            break;
        }
        standing.samples += 1;
        standing.since = sample.time;
        standing.runs &= other.state == ThreadState::Runnable;
        standing.shared = standing.shared.min(shared(thread, other));
        lines.push(&other.frames);
        used_up_to.push(other.cpu);
        first = other;
    }
    let used = thread.cpu.zip(first.cpu).map(|(last, first)| last.saturating_sub(first));
    // Whoever gives way gets little time where others want the processors, and would use all of it.
    let yields = thread.yields(&all.methods);
    let is_native = thread.is_native() && !yields;
    let part = if is_native { IDLE } else { HELD };
    let is_idle =
        |used: u64| !yields && i128::from(used) * i128::from(part) < standing.time.since(standing.since);
    standing.runs &= used.map_or(!is_native, |used| !is_idle(used));
    standing.moves = standing.samples < 2 || used.is_none_or(|used| !is_idle(used));
    // What it did before it began to wait does not count.
    let middle = used_up_to.get(used_up_to.len() / 2).copied().flatten();
    standing.wakes = thread.cpu.zip(middle).is_some_and(|(last, middle)| last > middle);
    let inner = |frames: &[SampledFrame]| frames.iter().rev().nth(standing.shared.checked_sub(1)?)?.line;
    let lines: BTreeSet<u16> = lines.into_iter().filter_map(inner).collect();
    standing.lines = lines.into_iter().collect();
    Some(standing)
}

/// Whether a thread that rested in an earlier sample has since begun with another method of the program, whose first record is still
/// to come.
fn began_since(all: &StackSamples, thread: &SampledThread, earlier: &SampledThread) -> bool {
    let inner =
        shared(thread, earlier).checked_add(1).and_then(|count| thread.frames.len().checked_sub(count));
    let begun = inner.and_then(|at| thread.frames.get(at)).and_then(|frame| all.method(frame));
    thread.state == ThreadState::Runnable
        && earlier.state != ThreadState::Runnable
        && begun.is_some_and(|begun| !OF_JAVA.iter().any(|package| begun.class.starts_with(package)))
}

/// How many frames of one thread in two samples are the same, from the outermost on: all but the innermost of
/// them stand at the same call.
pub fn shared(one: &SampledThread, other: &SampledThread) -> usize {
    let pairs = || one.frames.iter().rev().zip(other.frames.iter().rev());
    // Where outer frames are left out, only stacks that are equally deep can be compared.
    if (one.is_cut || other.is_cut) && pairs().any(|(one, other)| one.method != other.method) {
        return 0;
    }
    let mut count = 0;
    for (one, other) in pairs() {
        if one.method != other.method {
            break;
        }
        count += 1;
        if one.pc != other.pc {
            break;
        }
    }
    count
}

impl<'s> Standing<'s> {
    /// Whether the thread was seen to run and to record nothing for long.
    pub fn stays(&self) -> bool {
        self.is_long() && self.runs && self.shared > 0
    }

    /// Whether it has recorded nothing for long. Threads are sampled one after the other, so what they wait for at one
    /// moment says little.
    pub fn is_long(&self) -> bool {
        self.samples > 1 && self.time.since(self.since) >= LONG.as_nanos().cast_signed()
    }

    /// The innermost frame that it did not leave.
    pub fn frame(&self) -> Option<&'s SampledFrame> {
        self.thread.frames.iter().rev().nth(self.shared.checked_sub(1)?)
    }

    /// The frames of the last sample from [`Standing::frame`] outwards.
    pub fn frames(&self) -> &'s [SampledFrame] {
        let inner = self.thread.frames.len().saturating_sub(self.shared);
        self.thread.frames.get(inner..).unwrap_or_default()
    }
}

/// The loop of a method that these lines lie in, the innermost that has all of them: its lines, ascending.
/// `None` if no loop has them, or the method is not known.
pub fn enclosing_loop(code: &CodeMap, method: &SampledMethod, lines: &[u16]) -> Option<(MethodId, Vec<u16>)> {
    let id = find(code, method)?;
    let about = code.method(id)?;
    let of = |blocks: &[u32]| -> Vec<u16> {
        let blocks = blocks.iter().filter_map(|&block| about.blocks.get(block as usize));
        let lines: BTreeSet<u16> = blocks.flat_map(|block| block.lines.iter().copied()).collect();
        lines.into_iter().collect()
    };
    let loops = about.loops.iter().map(|found| of(&found.blocks));
    let enclosing = loops.filter(|has| !lines.is_empty() && lines.iter().all(|line| has.contains(line)));
    Some((id, enclosing.min_by_key(Vec::len)?))
}

/// The method of a code map that a sampled one is.
pub fn find(code: &CodeMap, method: &SampledMethod) -> Option<MethodId> {
    let is_it = |about: &model::code::Method| {
        (&about.name, &about.descriptor) == (&method.name, &method.descriptor)
            && code.class(about.class).is_some_and(|class| class.name == method.class)
    };
    let at = code.methods.iter().rposition(is_it)?;
    u32::try_from(at).ok().map(MethodId)
}
