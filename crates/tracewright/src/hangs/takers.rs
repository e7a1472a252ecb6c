//! Threads that wait for room in a full queue, where no thread is left that takes anything from one.
//!
//! ```text
//! producer   in ArrayBlockingQueue.put, called by shop.Till.fill    waits for room
//! consumer                                                          has ended
//! ticker     in Thread.sleep, called by shop.Main.tick              neither this method nor what it calls takes from a queue
//! ```
//!
//! What a thread may still do follows from the code of the methods in its frames, of those that it ran, and of all that these may
//! call. Where that is not known, or where a request from outside may start anything, nobody is accused.

use std::collections::{BTreeSet, HashMap};

use analyses::hangs::{Doing, find, is_idle, is_of_the_machine, is_spare};
use classfile::constant_pool::Member;
use classfile::line_table::LineTable;
use classfile::{ClassFile, Instruction, Operand, modified_utf8};
use model::code::Method;
use model::flow_source::FlowSource;
use model::stack::{SampledThread, StackSample, ThreadState};
use model::{CodeMap, FlowEvents, MethodId, Summary, Symbol};

use crate::hangs::awaited::after;
use crate::hangs::open_frames::OpenFrames;
use crate::hangs::open_loops::{is_of_lambda, with_code};
use crate::libraries::is_of_jdk;

/// What takes from a queue: ends of classes of Java, and beginnings of methods.
const QUEUES: [&str; 6] = ["Queue", "Deque", "Collection", "LinkedList", "Iterator", "CompletionService"];
const TAKES: [&str; 7] = ["take", "poll", "pop", "remove", "drainTo", "clear", "retainAll"];

/// What calls code that nothing in the call names.
const CALLS_ANYTHING: [&str; 5] = [
    "java.lang.Runnable",
    "java.lang.invoke.MethodHandle",
    "java.lang.reflect.",
    "java.util.concurrent.Callable",
    "java.util.function.",
];

/// What runs tasks, by the ends of classes.
const POOLS: [&str; 2] = ["ThreadPoolExecutor", "ForkJoinPool"];

/// Workers of this pool carry virtual threads, too, which are in no sample.
const CARRIERS: &str = "ForkJoinPool-";

/// The methods that a thread ran.
pub(crate) fn ran(summary: &Summary, events: &FlowEvents) -> BTreeSet<MethodId> {
    let Some(level) = summary.levels.first() else { return BTreeSet::new() };
    let words = level.words.iter().flat_map(|word| &word.units);
    let symbols: BTreeSet<u32> = words.chain(&level.pending).copied().collect();
    symbols.into_iter().filter_map(|symbol| Some(events.block_of(Symbol(symbol))?.0)).collect()
}

/// Marks those of these threads that wait for room which nobody makes. `ran`: the methods that the thread of a number ran.
pub(crate) fn mark_without_takers(
    recording: &dyn FlowSource,
    open: &mut [OpenFrames],
    ran: impl Fn(u64) -> BTreeSet<MethodId>,
) {
    let Some(last) = recording.stacks().samples.last() else { return };
    // Whoever waits for room takes nothing meanwhile, even if it would otherwise.
    let waiting: BTreeSet<u64> =
        open.iter().filter(|open| open.waits_for_room).map(|open| open.tid).collect();
    // A virtual thread that waits is in no sample.
    if waiting.is_empty() || recording.threads().iter().any(|thread| thread.is_virtual) {
        return;
    }
    let doing: HashMap<u64, Doing> = open.iter().map(|open| (open.tid, open.doing)).collect();
    let mut code = Reachable { recording, methods: HashMap::new() };
    let may_take = |thread: &SampledThread| {
        !is_of_the_machine(&thread.name)
            && !thread.frames.is_empty()
            && !waits_for(last, thread, &waiting)
            && code.may_take(thread, doing.get(&thread.tid).copied(), ran(thread.tid))
    };
    if !last.threads.iter().any(may_take) {
        open.iter_mut().for_each(|open| open.nobody_takes = open.waits_for_room);
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

/// What the methods of a recording may do.
struct Reachable<'r> {
    recording: &'r dyn FlowSource,
    /// Those that were looked at; `None` of one whose code is not known.
    methods: HashMap<MethodId, Option<Vec<Call>>>,
}

/// A call in a method.
#[derive(Clone)]
struct Call {
    pc: u32,
    line: Option<u16>,
    /// What the instruction calls; empty for a call site that is linked at run time.
    name: String,
    does: Does,
}

/// What a call may do, as far as it matters here.
#[derive(Clone)]
enum Does {
    /// Takes something from a queue.
    Takes,
    Calls(Vec<MethodId>),
    Anything,
}

impl Call {
    /// Whether a thread that is in a line of the method, in a call of `called`, may still come to this call.
    fn is_ahead(&self, recording: &dyn FlowSource, id: MethodId, line: u16, called: &str) -> bool {
        let Some(about) = recording.code().method(id) else { return true };
        let after = after(about, line);
        let mut after = after.into_iter().filter_map(|block| about.blocks.get(block as usize));
        self.line == Some(line) && self.name != called
            || after.any(|block| (block.start..block.end).contains(&self.pc))
    }
}

impl Reachable<'_> {
    /// Whether a thread may take something from a queue other than the one at which it waits itself.
    fn may_take(&mut self, thread: &SampledThread, doing: Option<Doing>, ran: BTreeSet<MethodId>) -> bool {
        let recording = self.recording;
        let frames =
            || thread.frames.iter().filter_map(|frame| Some((frame, recording.stacks().method(frame)?)));
        let names = || frames().map(|(_, method)| (method.class.as_str(), method.name.as_str()));
        // Who waits for something from outside may do whatever that asks for.
        let is_of_outside = thread.state == ThreadState::Runnable && doing != Some(Doing::Runs);
        if thread.is_cut || is_of_outside {
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
        let waits_at = own.first().map(|(id, line, _)| (*id, *line)).filter(|_| is_idle(names()));
        let mut open = vec![];
        for (id, line, called) in &own {
            let Some(calls) = self.calls(*id) else { return true };
            for call in calls.clone() {
                let is_ahead = line.is_none_or(|line| call.is_ahead(recording, *id, line, called));
                match call.does {
                    Does::Takes if is_ahead && waits_at != Some((*id, call.line)) => return true,
                    Does::Anything if is_ahead => return true,
                    Does::Calls(methods) if is_ahead => open.extend(methods),
                    _ => {}
                }
            }
        }
        // Between two tasks its frames show nothing of what it does.
        if names().any(|(class, _)| POOLS.iter().any(|end| class.ends_with(end))) || own.is_empty() {
            if own.is_empty() && ran.is_empty() {
                // A worker of a pool only has what other threads give it.
                return !is_spare(names()) || thread.name.starts_with(CARRIERS);
            }
            open.extend(ran);
        }
        self.any_takes(open)
    }

    /// Whether one of these methods, or what they call, may take something.
    fn any_takes(&mut self, mut open: Vec<MethodId>) -> bool {
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let Some(calls) = self.calls(id) else { return true };
            for call in calls {
                match &call.does {
                    Does::Takes | Does::Anything => return true,
                    Does::Calls(methods) => open.extend(methods),
                }
            }
        }
        false
    }

    fn calls(&mut self, id: MethodId) -> Option<&Vec<Call>> {
        let recording = self.recording;
        self.methods.entry(id).or_insert_with(|| calls(recording, id)).as_ref()
    }
}

/// The calls of a method; `None` where its code was not stored.
fn calls(recording: &dyn FlowSource, id: MethodId) -> Option<Vec<Call>> {
    let bytes = recording.class_file(recording.code().method(id)?.class)?;
    let class = ClassFile::parse(&bytes).ok()?;
    with_code(recording, id, |pool, code| {
        let lines = LineTable::of(code, pool);
        let calls = code.iter().filter(|(_, instruction)| instruction.opcode.is_call());
        let one = |(pc, instruction): (u32, &Instruction)| {
            let (name, does) = does(recording.code(), &class, instruction)?;
            Some(Call { pc, line: lines.line_at(pc), name, does })
        };
        Some(calls.filter_map(one).collect())
    })
}

/// The name that a call has, and what it may do; `None` of one that only computes.
fn does(code: &CodeMap, caller: &ClassFile<'_>, call: &Instruction) -> Option<(String, Does)> {
    let index = match call.operand {
        Operand::Constant(index) | Operand::Interface { method: index, .. } => index,
        Operand::Dynamic { site, .. } => {
            let called = caller.methods_of_call_site(site);
            let methods = called.iter().flat_map(|called| of_name(code, called));
            return Some((String::new(), Does::Calls(methods.collect())));
        }
        _ => return None,
    };
    let member = caller.constant_pool.member(index).ok()?;
    let class = modified_utf8::to_text(member.class?).replace('/', ".");
    let name = modified_utf8::to_text(member.name);
    let does = if is_of_jdk(&class) {
        let takes = class.starts_with("java.util.")
            && QUEUES.iter().any(|end| class.ends_with(end))
            && TAKES.iter().any(|begin| name.starts_with(begin));
        let calls_anything = CALLS_ANYTHING.iter().any(|begin| class.starts_with(begin));
        match (takes, calls_anything) {
            (true, _) => Does::Takes,
            (false, true) => Does::Anything,
            (false, false) => return None,
        }
    } else if name == "<init>" {
        // What is made may be given to somebody who calls all that it has.
        let is_of_class = |about: &Method| code.class(about.class).is_some_and(|about| about.name == class);
        Does::Calls(methods_that(code, is_of_class))
    } else {
        let methods = of_name(code, &member);
        if methods.is_empty() { Does::Anything } else { Does::Calls(methods) }
    };
    Some((name, does))
}

/// The methods of this name and descriptor, of whatever class: which one is called depends on the object.
fn of_name(code: &CodeMap, member: &Member<'_>) -> Vec<MethodId> {
    let name = modified_utf8::to_text(member.name);
    let descriptor = modified_utf8::to_text(member.descriptor);
    methods_that(code, |about| (&about.name, &about.descriptor) == (&name, &descriptor))
}

fn methods_that(code: &CodeMap, are: impl Fn(&Method) -> bool) -> Vec<MethodId> {
    (0..).zip(&code.methods).filter(|(_, about)| are(about)).map(|(id, _)| MethodId(id)).collect()
}
