//! Threads that ran, and recorded, when they were looked at last, and need not come to an end.

use std::collections::{BTreeSet, HashMap};

use analyses::hangs::{Counts, ending, find, shared};
use model::flow_source::FlowSource;
use model::stack::{SampledThread, ThreadState};
use model::{FlowEvents, Level, RunId, Summary, Symbol};

use crate::open_frames::{OpenFrame, frame, is_of_jdk};
use crate::open_loops::{OpenLoops, changes_nothing, looks_around};

/// Samples in which a thread has to be seen running.
const LOOKS: usize = 3;

/// Who uses less than this part of the time waits, though it counts as running.
const BUSY: i128 = 20;

/// Blocks of inner loops that are looked at.
const MOST: usize = 1000;

/// Frames around the innermost one that are remembered.
const FRAMES: usize = 64;

/// Where a thread turns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spinning {
    /// The innermost frame of the program that it was always in, where there is one.
    pub(crate) frame: Option<OpenFrame>,
    /// The lines of it, ascending.
    pub(crate) lines: Vec<u16>,
    /// The frames of the program around it that it was always in, each with its lines, innermost first.
    around: Vec<(OpenFrame, Vec<u16>)>,
    /// Symbols of inner loops, of blocks that change nothing.
    pub(crate) silent: BTreeSet<u32>,
    /// All symbols of the second half of its steps, if their blocks change nothing and look at what others may change; else none.
    pub(crate) spins: BTreeSet<u32>,
}

impl Spinning {
    /// Finds out which blocks of irregular inner loops change nothing, and which frame stays: one whose method begins
    /// again and again was only met by chance each time.
    pub(crate) fn look_into(&mut self, summary: &Summary, events: &FlowEvents) {
        let code = events.source().code();
        let late = late_symbols(summary);
        let begins = late.iter().take(MOST).filter_map(|symbol| {
            let (method, block) = events.block_of(Symbol(*symbol))?;
            let about = code.method(method)?;
            let is_begun = block == 0 && about.loops.iter().all(|inner| inner.head != block);
            is_begun.then(|| (code.method_name(method), about.descriptor.clone()))
        });
        let begun: BTreeSet<(String, String)> = begins.collect();
        let mut around = std::mem::take(&mut self.around).into_iter();
        while let Some(frame) = &self.frame
            && begun.contains(&(frame.method.clone(), frame.descriptor.clone()))
            && let Some((frame, lines)) = around.next()
        {
            (self.frame, self.lines) = (Some(frame), lines);
        }
        let ending = ending(summary);
        let inner = ending.loops.iter().flat_map(|around| &around.inner);
        let irregular = inner.filter(|inner| matches!(inner.counts, Counts::Other { .. }));
        let symbols: BTreeSet<u32> =
            irregular.flat_map(|inner| symbols_in(&summary.levels, inner.level, inner.id)).collect();
        let is_silent = |symbol: &u32| {
            let block = events.block_of(Symbol(*symbol));
            block.is_some_and(|(method, block)| changes_nothing(events.source(), method, block))
        };
        self.silent = symbols.into_iter().take(MOST).filter(is_silent).collect();
        let looks = |symbol: &u32| {
            let block = events.block_of(Symbol(*symbol));
            block.is_some_and(|(method, block)| looks_around(events.source(), method, block))
        };
        if late.len() <= MOST && late.iter().all(is_silent) && late.iter().any(looks) {
            self.spins = late;
        }
    }
}

/// The symbols of the second half of a history.
fn late_symbols(summary: &Summary) -> BTreeSet<u32> {
    let Some(level) = summary.levels.first() else { return BTreeSet::new() };
    let half = level.len() / 2;
    let late = level.runs.iter().filter(|run| run.start + run.len > half);
    let ids: BTreeSet<RunId> = late.map(|run| run.id).collect();
    let words = ids.into_iter().filter_map(|id| level.words.get(id.0 as usize));
    words.flat_map(|word| &word.units).chain(&level.pending).copied().collect()
}

/// The symbols that a run of this level consists of.
pub(crate) fn symbols_in(levels: &[Level], level: usize, id: RunId) -> BTreeSet<u32> {
    let mut wanted = BTreeSet::from([id.0]);
    for level in levels.iter().take(level + 1).rev() {
        let words = wanted.iter().filter_map(|id| level.words.get(*id as usize));
        wanted = words.flat_map(|word| word.units.iter().copied()).collect();
    }
    wanted
}

/// Each of them by its number. Who is only in loops that move on is not among them.
pub(crate) fn of(recording: &dyn FlowSource) -> HashMap<u64, Spinning> {
    let stacks = recording.stacks();
    let Some(last) = stacks.samples.last() else { return HashMap::new() };
    let mut loops = OpenLoops::of(recording);
    let mut found = HashMap::new();
    for thread in &last.threads {
        let samples = stacks.samples.iter().rev().map_while(|sample| {
            let same = sample.threads.iter().find(|other| other.tid == thread.tid)?;
            Some((sample.time, same))
        });
        let seen: Vec<_> = samples.take(LOOKS).collect();
        let used = seen.last().and_then(|(time, first)| {
            let used = i128::from(thread.cpu?.saturating_sub(first.cpu?));
            Some(used * BUSY >= last.time.since(*time))
        });
        let runs = seen.iter().all(|(_, thread)| thread.state == ThreadState::Runnable)
            && (thread.yields(&stacks.methods) || used.unwrap_or(!thread.is_native()));
        let line = thread.frames.first().and_then(|frame| frame.line);
        if runs && !loops.move_on(&thread.frames, line.as_slice()) {
            found.insert(
                thread.tid,
                place(recording, thread, &seen.iter().map(|(_, seen)| *seen).collect::<Vec<_>>()),
            );
        }
    }
    found
}

fn place(recording: &dyn FlowSource, thread: &SampledThread, seen: &[&SampledThread]) -> Spinning {
    let count = seen.iter().map(|other| shared(thread, other)).min().unwrap_or(0);
    let outward = |thread: &SampledThread, at: usize| thread.frames.iter().rev().nth(at).copied();
    let is_own = |at: &usize| {
        let method = outward(thread, *at).and_then(|frame| recording.stacks().method(&frame));
        method.is_some_and(|method| !is_of_jdk(&method.class) || find(recording.code(), method).is_some())
    };
    let mut frames = (0..count).rev().filter(is_own).take(FRAMES).filter_map(|at| {
        let lines: BTreeSet<u16> = seen.iter().filter_map(|thread| outward(thread, at)?.line).collect();
        Some((frame(recording, &outward(thread, at)?)?, lines.into_iter().collect()))
    });
    let Some((frame, lines)) = frames.next() else { return Spinning::default() };
    Spinning { frame: Some(frame), lines, around: frames.collect(), ..Spinning::default() }
}
