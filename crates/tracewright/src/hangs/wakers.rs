//! Threads that wait until another one does something, where no thread is left that would.
//!
//! ```text
//! main       in CountDownLatch.await, called by shop.Main.open      waits until somebody counts down
//! worker                                                            has ended, or waits itself
//! ticker     in Thread.sleep, called by shop.Main.tick              neither this method nor what it calls counts down
//! ```
//!
//! What a thread may still do follows from its [`calls`](super::calls): those of the methods in its frames, from where it is on, and of
//! all that these may call; of what it ran before if it runs the tasks of a schedule. Where that is not known, or where a request from
//! outside may start anything, nobody is accused.

use std::collections::{BTreeSet, HashMap};

use analyses::hangs::{Awaits, Doing, find, is_idle, is_of_the_machine, is_spare};
use model::flow_source::FlowSource;
use model::stack::{SampledThread, StackSample, ThreadState};
use model::{FlowEvents, MethodId, Summary, Symbol};

use crate::hangs::calls::{Calls, Does};
use crate::hangs::open_frames::OpenFrames;
use crate::hangs::open_loops::is_of_lambda;
use crate::libraries::is_of_jdk;

/// What runs tasks, by the ends of classes: it tells those who wait for one of them that it is done.
const POOLS: [&str; 2] = ["ThreadPoolExecutor", "ForkJoinPool"];

/// What does things in due time, by the ends of classes.
const TIMERS: [&str; 2] = ["DelayedWorkQueue", "TimerThread"];

/// Workers of this pool carry virtual threads, too, which are in no sample.
const CARRIERS: &str = "ForkJoinPool-";

/// The methods that a thread ran.
pub(crate) fn ran(summary: &Summary, events: &FlowEvents) -> BTreeSet<MethodId> {
    let Some(level) = summary.levels.first() else { return BTreeSet::new() };
    let words = level.words.iter().flat_map(|word| &word.units);
    let symbols: BTreeSet<u32> = words.chain(&level.pending).copied().collect();
    symbols.into_iter().filter_map(|symbol| Some(events.block_of(Symbol(symbol))?.0)).collect()
}

/// Marks those of these threads that wait for what nobody does. `ran`: the methods that the thread of a number ran.
pub(crate) fn mark_without_wakers(
    recording: &dyn FlowSource,
    open: &mut [OpenFrames],
    ran: impl Fn(u64) -> BTreeSet<MethodId>,
) {
    let Some(last) = recording.stacks().samples.last() else { return };
    let awaits: HashMap<u64, Awaits> =
        open.iter().filter_map(|open| Some((open.tid, open.awaits?))).collect();
    // A virtual thread that waits is in no sample.
    if awaits.is_empty() || recording.threads().iter().any(|thread| thread.is_virtual) {
        return;
    }
    let doing = open.iter().map(|open| (open.tid, open.doing)).collect();
    let mut left =
        Left { recording, doing, calls: Calls::of(recording), known: HashMap::new(), ran: HashMap::new() };
    // Those who wait wake nobody, unless somebody else wakes them: what is left in the end is woken by nobody.
    let mut asleep: BTreeSet<u64> = awaits.keys().copied().collect();
    loop {
        let is_awake = |thread: &&SampledThread| {
            // Of one too many threads no frame is known.
            let runs_code = !thread.frames.is_empty() || thread.is_cut;
            runs_code && !is_of_the_machine(&thread.name) && !waits_for(last, thread, &asleep)
        };
        let awake: Vec<&SampledThread> = last.threads.iter().filter(is_awake).collect();
        let mut wakes = |what: &Awaits| awake.iter().any(|thread| left.may_do(thread, *what, &ran));
        let kinds: BTreeSet<Awaits> = asleep.iter().filter_map(|tid| awaits.get(tid).copied()).collect();
        let woken: BTreeSet<Awaits> = kinds.into_iter().filter(|what| wakes(what)).collect();
        if woken.is_empty() {
            break;
        }
        asleep.retain(|tid| awaits.get(tid).is_some_and(|what| !woken.contains(what)));
    }
    let has_timer = last.threads.iter().any(|thread| {
        let methods = thread.frames.iter().filter_map(|frame| recording.stacks().method(frame));
        methods.into_iter().any(|method| TIMERS.iter().any(|end| method.class.ends_with(end)))
    });
    for one in open.iter_mut().filter(|one| asleep.contains(&one.tid)) {
        let Some(what) = one.awaits else { continue };
        one.has_no_waker = left.calls.anybody_was_to_do(what) && !left.calls.may_do_later(what, has_timer);
    }
}

/// Marks those of these threads that wait for a lock which a worker of a pool still holds after its task: only a task that the same
/// worker is given may give it back.
pub(crate) fn mark_leaked_locks(recording: &dyn FlowSource, open: &mut [OpenFrames]) {
    let Some(last) = recording.stacks().samples.last() else { return };
    let keeps = |thread: &SampledThread| {
        let mut methods = thread.frames.iter().filter_map(|frame| recording.stacks().method(frame));
        let names = methods.clone().map(|method| (method.class.as_str(), method.name.as_str()));
        is_spare(names) && methods.all(|method| is_of_jdk(&method.class))
    };
    for one in open.iter_mut().filter(|one| one.doing == Doing::Lock && one.is_long) {
        let waits = last.threads.iter().find(|thread| thread.tid == one.tid).and_then(|it| it.waits.as_ref());
        let holder = waits.filter(|waits| !waits.is_timed).and_then(|waits| waits.holder);
        let holder = holder.and_then(|tid| last.threads.iter().find(|thread| thread.tid == tid));
        one.has_no_waker |= holder.is_some_and(keeps);
    }
}

/// Whether a thread is one of these, or waits for a lock that one of them holds, or for its end, directly or not.
fn waits_for(sample: &StackSample, thread: &SampledThread, these: &BTreeSet<u64>) -> bool {
    let next = |tid: &u64| {
        let thread = sample.threads.iter().find(|thread| thread.tid == *tid)?;
        thread.waits.as_ref().filter(|waits| !waits.is_timed)?.holder
    };
    let mut chain = std::iter::successors(Some(thread.tid), next).take(sample.threads.len() + 1);
    chain.any(|tid| these.contains(&tid))
}

/// What the threads that are left may do.
struct Left<'r> {
    recording: &'r dyn FlowSource,
    doing: HashMap<u64, Doing>,
    calls: Calls<'r>,
    known: HashMap<(u64, Awaits), bool>,
    /// The methods that a thread ran, of those that were asked for.
    ran: HashMap<u64, BTreeSet<MethodId>>,
}

impl Left<'_> {
    /// Whether a thread may do what somebody waits for, other than where it waits itself.
    fn may_do(
        &mut self,
        thread: &SampledThread,
        what: Awaits,
        ran: &impl Fn(u64) -> BTreeSet<MethodId>,
    ) -> bool {
        if let Some(known) = self.known.get(&(thread.tid, what)) {
            return *known;
        }
        let may = self.may_still_do(thread, what, ran);
        self.known.insert((thread.tid, what), may);
        may
    }

    fn may_still_do(
        &mut self,
        thread: &SampledThread,
        what: Awaits,
        ran: &impl Fn(u64) -> BTreeSet<MethodId>,
    ) -> bool {
        let recording = self.recording;
        let frames =
            || thread.frames.iter().filter_map(|frame| Some((frame, recording.stacks().method(frame)?)));
        let names = || frames().map(|(_, method)| (method.class.as_str(), method.name.as_str()));
        // Who waits for something from outside may do whatever that asks for.
        let runs = self.doing.get(&thread.tid) == Some(&Doing::Runs);
        if thread.is_cut || thread.state == ThreadState::Runnable && !runs {
            return true;
        }
        let (mut own, mut called) = (vec![], "");
        for (frame, method) in frames() {
            match find(recording.code(), method) {
                Some(id) => own.push((id, frame.line, called)),
                None if is_of_jdk(&method.class) || is_of_lambda(&method.class) => {}
                None => return true,
            }
            called = &method.name;
        }
        let is_of_pool = names().any(|(class, _)| POOLS.iter().any(|end| class.ends_with(end)));
        if own.is_empty() && is_spare(names()) {
            // It only has what other threads give it.
            return thread.name.starts_with(CARRIERS);
        }
        if what == Awaits::Result && is_of_pool && !own.is_empty() {
            return true;
        }
        let waits_at = own.first().map(|(id, line, _)| (*id, *line)).filter(|_| is_idle(names()));
        let mut open = vec![];
        for (id, line, called) in &own {
            let Some(calls) = self.calls.of_method(*id) else { return true };
            for call in calls.iter() {
                let is_ahead = line.is_none_or(|line| call.is_ahead(recording, *id, line, called));
                if !is_ahead {
                    continue;
                }
                match &call.does {
                    Does::Calls(methods) => open.extend(methods.iter().copied()),
                    does if does.may_be(what) && waits_at != Some((*id, call.line)) => return true,
                    _ => {}
                }
            }
        }
        if is_of_pool || own.is_empty() {
            let ran = self.ran.entry(thread.tid).or_insert_with(|| ran(thread.tid));
            if own.is_empty() && ran.is_empty() {
                return true;
            }
            // Between two tasks its frames show nothing of what it does.
            open.extend(ran.iter());
        }
        self.calls.reach(open, what)
    }
}
