//! Threads that ran, and recorded, when they were looked at last, and need not come to an end.

use std::collections::{BTreeSet, HashMap};

use analyses::hangs::{Counts, InnerLoop, ending, find, shared};
use model::flow_source::FlowSource;
use model::stack::{SampledFrame, SampledMethod, SampledThread, ThreadState};
use model::{FlowEvents, Level, RunId, Summary, Symbol, Timestamp};

use crate::hangs::attempts;
use crate::hangs::awaited;
use crate::hangs::open_frames::{OpenFrame, frame};
use crate::hangs::open_loops::{OpenLoops, changes_nothing, is_of_lambda, polls};
use crate::hangs::recursion;
use crate::libraries::is_of_jdk;

/// Samples in which a thread has to be seen running. What began after the first of them is not reported.
const SAMPLES: usize = 3;

/// Who uses less than this part of the time waits, though it counts as running.
const BUSY: i128 = 20;

/// Blocks of inner loops that are looked at.
const MOST: usize = 1000;

/// Frames around the innermost one that are remembered.
const FRAMES: usize = 64;

/// Methods of `java.util` that call the program for each of the things that are there, so many times that they end.
const BOUNDED: [&str; 5] = ["sort", "parallelSort", "forEach", "removeIf", "replaceAll"];

/// The loop in which a thread spins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spinning {
    /// The number of the thread.
    tid: u64,
    /// When it was seen first in the samples that the rest is derived from.
    seen_since: Option<Timestamp>,
    /// The innermost frame of the program that it was always in, where there is one.
    pub(crate) frame: Option<OpenFrame>,
    /// The lines of it, ascending.
    pub(crate) lines: Vec<u16>,
    /// The frames of the program around it that it was always in, innermost first.
    enclosing: Vec<EnclosingFrame>,
    /// That frame and all around it, innermost first.
    stack: Vec<SampledFrame>,
    /// Symbols of inner loops whose counts mean nothing: of blocks that change nothing, and of [`recursion`] that only the
    /// stack ends.
    pub(crate) silent: BTreeSet<u32>,
    /// All symbols of the second half of its steps, if their blocks change nothing and look at what others may change; else none.
    pub(crate) spins: BTreeSet<u32>,
    /// The thread that sets what it looks at, if one is about to; see [`awaited`].
    pub(crate) awaits: Option<u64>,
    /// An attempt that failed each time in the second half of its steps, `Lock.tryLock`, if these change nothing but variables of their
    /// own, and their symbols.
    pub(crate) fails: Option<(String, BTreeSet<u32>)>,
    /// The same of an attempt that may have come through, where another thread does the same.
    pub(crate) contends: Option<(String, BTreeSet<u32>)>,
    /// It was within a call of the frame that goes through what is there, and ends, in one of the samples at least.
    pub(crate) is_within_bounded: bool,
}

/// A frame of the program that a thread was always in.
#[derive(Debug, Clone)]
struct EnclosingFrame {
    frame: OpenFrame,
    /// The lines of it, ascending.
    lines: Vec<u16>,
    /// What it calls of Java itself, in one of the samples at least, goes through what is there, and ends.
    is_bounded: bool,
    /// How many frames it is from the outermost one.
    depth: usize,
}

impl Spinning {
    /// Whether something that began not before `from` began later than the first of the samples: not all of them show it.
    pub(crate) fn is_later(&self, from: Option<Timestamp>) -> bool {
        from.zip(self.seen_since).is_some_and(|(from, seen)| from > seen)
    }

    /// Finds out which blocks of irregular inner loops change nothing, and which frame stays: one whose method begins
    /// again and again was only sampled at random each time. `is_whole`: the summary is of all steps, not of some
    /// windows. Whether it need not come to an end, as far as the loops of that frame and of those around it show.
    pub(crate) fn inspect(&mut self, summary: &Summary, events: &FlowEvents, is_whole: bool) -> bool {
        let code = events.source().code();
        let late = late_symbols(summary);
        let begins = late.iter().take(MOST).filter_map(|symbol| {
            let (method, block) = events.block_of(Symbol(*symbol))?;
            let about = code.method(method)?;
            let is_begun = block == 0 && about.loops.iter().all(|inner| inner.head != block);
            is_begun.then(|| (code.method_name(method), about.descriptor.clone()))
        });
        let begun: BTreeSet<(String, String)> = begins.collect();
        let (mut enclosing, mut has_moved) = (std::mem::take(&mut self.enclosing).into_iter(), false);
        while let Some(frame) = &self.frame
            && begun.contains(&(frame.method.clone(), frame.descriptor.clone()))
            && let Some(next) = enclosing.next()
        {
            (self.frame, self.lines) = (Some(next.frame), next.lines);
            self.is_within_bounded |= next.is_bounded;
            let inner = self.stack.len().saturating_sub(next.depth + 1);
            self.stack.drain(..inner);
            has_moved = true;
        }
        // A method that calls itself begins again while it goes on: only a frame that did something shows that it ended.
        let is_seen = |frame: &OpenFrame| {
            late.iter().filter_map(|symbol| events.block_of(Symbol(*symbol))).any(|(method, _)| {
                code.method_name(method) == frame.method
                    && code.method(method).is_some_and(|about| about.descriptor == frame.descriptor)
            })
        };
        // Nothing is recorded of one that began before recording, and little is known from windows.
        let is_unseen = !is_whole || self.stack.first().is_some_and(|frame| frame.is_old);
        let is_of_frame = !has_moved || is_unseen || self.frame.as_ref().is_some_and(is_seen);
        if is_of_frame && OpenLoops::of(events.source()).move_on(&self.stack, &self.lines, true) {
            return false;
        }
        let ending = ending(summary);
        let inner = ending.loops.iter().flat_map(|enclosing| &enclosing.inner);
        let irregular = inner.filter_map(|inner| match inner.counts {
            Counts::Other { least, .. } => Some((inner, least / u64::from(inner.period.max(1)))),
            _ => None,
        });
        let symbols = |inner: &InnerLoop| symbols_in(&summary.levels, inner.level, inner.id);
        let inner_loops: Vec<(BTreeSet<u32>, u64)> =
            irregular.map(|(inner, least)| (symbols(inner), least)).collect();
        // What is called irregularly by Java itself, to compare two things say, is no loop of the program that looks at something.
        let is_in_loop = |symbol: &u32| {
            events.block_of(Symbol(*symbol)).is_some_and(|(method, block)| {
                code.method(method)
                    .is_some_and(|about| about.loops.iter().any(|it| it.blocks.contains(&block)))
            })
        };
        let symbols = inner_loops.iter().map(|(symbols, _)| symbols);
        let symbols: BTreeSet<u32> =
            symbols.filter(|all| all.iter().any(is_in_loop)).flatten().copied().collect();
        let is_quiet = |symbol: &u32, ignores_locals: bool| {
            let block = events.block_of(Symbol(*symbol));
            block.is_some_and(|(method, block)| {
                changes_nothing(events.source(), method, block, ignores_locals)
            })
        };
        let is_silent = |symbol: &u32| is_quiet(symbol, false);
        self.silent = symbols.into_iter().take(MOST).filter(is_silent).collect();
        for (symbols, least) in inner_loops {
            let blocks = symbols.iter().take(MOST).filter_map(|symbol| events.block_of(Symbol(*symbol)));
            if least >= recursion::LEAST && recursion::descends(code, &blocks.collect()) {
                self.silent.extend(symbols);
            }
        }
        let polling = |symbol: &u32| {
            let block = events.block_of(Symbol(*symbol));
            block.is_some_and(|(method, block)| polls(events.source(), method, block))
        };
        if late.len() > MOST || !late.iter().all(|symbol| is_quiet(symbol, true)) {
            return true;
        }
        let blocks: BTreeSet<_> = late.iter().filter_map(|symbol| events.block_of(Symbol(*symbol))).collect();
        let failed = blocks.iter().find_map(|(method, block)| {
            attempts::failed(events.source(), *method, *block, |other| blocks.contains(&(*method, other)))
        });
        self.fails = failed.map(|attempt| (attempt, late.clone()));
        let mut all = blocks.iter();
        let attempt = all.find_map(|(method, block)| attempts::attempt(events.source(), *method, *block));
        self.contends = attempt.map(|attempt| (attempt, late.clone()));
        if late.iter().all(is_silent) && late.iter().any(polling) {
            self.spins = late;
            self.awaits = awaited::setter(events.source(), &blocks, self.tid);
        }
        true
    }
}

/// Forgets of those who contend with nobody that they do, and of those who wait for each other that somebody goes on.
pub(crate) fn pair(all: &mut [Option<Spinning>]) {
    let symbols = |one: &Option<Spinning>| Some(one.as_ref()?.contends.as_ref()?.1.clone());
    let sets: Vec<Option<BTreeSet<u32>>> = all.iter().map(symbols).collect();
    for (at, one) in all.iter_mut().enumerate() {
        let mut others = sets.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, set)| set);
        let Some(one) = one else { continue };
        let own = one.contends.take();
        one.contends = own.filter(|(_, own)| others.any(|other| !own.is_disjoint(other)));
    }
    let only_look = all.iter().flatten().filter(|one| !one.spins.is_empty());
    let awaits: HashMap<u64, Option<u64>> = only_look.map(|one| (one.tid, one.awaits)).collect();
    for one in all.iter_mut().flatten() {
        one.awaits = one.awaits.filter(|first| awaited::leads_out(&awaits, *first));
    }
}

/// The symbols of the second half of a history.
pub(crate) fn late_symbols(summary: &Summary) -> BTreeSet<u32> {
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
        let seen: Vec<_> = samples.take(SAMPLES).collect();
        let used = seen.last().and_then(|(time, first)| {
            let used = i128::from(thread.cpu?.saturating_sub(first.cpu?));
            Some(used * BUSY >= last.time.since(*time))
        });
        let first_time = seen.last().map(|(time, _)| *time);
        let runs = seen.len() == SAMPLES
            && seen.iter().all(|(_, thread)| thread.state == ThreadState::Runnable)
            && (thread.yields(&stacks.methods) || used.unwrap_or(!thread.is_native()));
        let line = thread.frames.first().and_then(|frame| frame.line);
        if runs && !loops.move_on(&thread.frames, line.as_slice(), true) {
            let seen: Vec<&SampledThread> = seen.iter().map(|(_, seen)| *seen).collect();
            let seen_since = first_time;
            found.insert(
                thread.tid,
                Spinning { tid: thread.tid, seen_since, ..locate(recording, thread, &seen) },
            );
        }
    }
    found
}

fn locate(recording: &dyn FlowSource, thread: &SampledThread, seen: &[&SampledThread]) -> Spinning {
    let count = seen.iter().map(|other| shared(thread, other)).min().unwrap_or(0);
    let outward = |thread: &SampledThread, at: usize| thread.frames.iter().rev().nth(at).copied();
    let method = |thread: &SampledThread, at: usize| {
        outward(thread, at).and_then(|frame| recording.stacks().method(&frame))
    };
    // A frame of a lambda expression's class leaves no record, so nothing would show that it began again.
    let is_own_method = |method: &SampledMethod| {
        let is_of_program = !is_of_jdk(&method.class) && !is_of_lambda(&method.class);
        is_of_program || find(recording.code(), method).is_some()
    };
    let is_own = |at: &usize| method(thread, *at).is_some_and(is_own_method);
    let is_bounded = |at: usize| {
        seen.iter().any(|thread| {
            let inner = (at + 1..).map_while(|at| method(thread, at));
            let mut called = inner.take_while(|method| !is_own_method(method));
            called.any(|method| {
                method.class.starts_with("java.util.") && BOUNDED.contains(&method.name.as_str())
            })
        })
    };
    let mut frames = (0..count).rev().filter(is_own).take(FRAMES).filter_map(|at| {
        let lines: BTreeSet<u16> = seen.iter().filter_map(|thread| outward(thread, at)?.line).collect();
        let frame = frame(recording, &outward(thread, at)?)?;
        let lines = lines.into_iter().collect();
        Some(EnclosingFrame { frame, lines, is_bounded: is_bounded(at), depth: at })
    });
    let Some(EnclosingFrame { frame, lines, is_bounded, depth }) = frames.next() else {
        return Spinning::default();
    };
    let enclosing = frames.collect();
    let inner = thread.frames.len().saturating_sub(depth + 1);
    let stack = thread.frames.get(inner..).unwrap_or_default().to_vec();
    Spinning {
        frame: Some(frame),
        lines,
        enclosing,
        stack,
        is_within_bounded: is_bounded,
        ..Spinning::default()
    }
}
