//! What the methods of a recording call, as far as that may wake a thread.
//!
//! ```text
//! latch.countDown();                  wakes who waits for the latch
//! pool.submit(() -> till.close());    calls the body of the lambda, and so whatever that calls
//! door.open();                        calls each method of that name and descriptor
//! task.run();                         may do anything: nothing names the body
//! ```

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use analyses::hangs::Awaits;
use classfile::constant_pool::Member;
use classfile::line_table::LineTable;
use classfile::{ClassFile, Code, Instruction, Operand, modified_utf8};
use model::flow_source::FlowSource;
use model::{ClassId, CodeMap, MethodId};

use crate::hangs::awaited::after;
use crate::libraries::is_of_jdk;

/// What wakes whom: the end of a class of Java, and the beginnings of its methods.
const WAKES: [(Awaits, &str, &[&str]); 26] = [
    (Awaits::Capacity, "Queue", &TAKES),
    (Awaits::Capacity, "Deque", &TAKES),
    (Awaits::Capacity, "Collection", &TAKES),
    (Awaits::Capacity, "LinkedList", &TAKES),
    (Awaits::Capacity, "Iterator", &TAKES),
    (Awaits::Capacity, "CompletionService", &TAKES),
    (Awaits::Count, "CountDownLatch", &["countDown"]),
    (Awaits::Permit, "Semaphore", &["release"]),
    (Awaits::Parties, "Phaser", &["arrive", "register", "forceTermination"]),
    (Awaits::Parties, "CyclicBarrier", &["await", "reset"]),
    (Awaits::Parties, "Exchanger", &["exchange"]),
    (Awaits::Notification, "", &["notify"]),
    (Awaits::Signal, "Condition", &["signal"]),
    (Awaits::Signal, "ConditionObject", &["signal"]),
    (Awaits::Reading, "Stream", &READS),
    (Awaits::Reading, "Reader", &READS),
    (Awaits::Reading, "Scanner", &READS),
    (Awaits::Reading, "Files", &READS),
    (Awaits::Reading, "Channel", &READS),
    (Awaits::Reading, "Process", &["destroy"]),
    (Awaits::Unlock, "Lock", &["unlock", "tryUnlock", "tryConvert"]),
    (Awaits::Result, "CompletableFuture", &["complete", "obtrude"]),
    (Awaits::Result, "FutureTask", &["run", "set"]),
    (Awaits::Result, "ForkJoinTask", &["complete", "quietlyComplete", "fork", "invoke"]),
    (Awaits::Result, "RecursiveTask", &["complete", "quietlyComplete", "fork", "invoke"]),
    (Awaits::Result, "RecursiveAction", &["complete", "quietlyComplete", "fork", "invoke"]),
];

const READS: [&str; 8] = ["read", "transferTo", "skip", "next", "hasNext", "lines", "close", "copy"];

const TAKES: [&str; 7] = ["take", "poll", "pop", "remove", "drainTo", "clear", "retainAll"];

/// Methods of `java.` that wake whoever waits for anything.
const INTERRUPTS: [&str; 3] = ["interrupt", "shutdownNow", "cancel"];

/// Whoever interrupts itself, as is usual where it was interrupted, wakes nobody.
const ITSELF: (&str, &str) = ("java.lang.Thread", "currentThread");

/// What calls code that nothing in the call names.
const CALLS_ANYTHING: [&str; 5] = [
    "java.lang.Runnable",
    "java.lang.invoke.MethodHandle",
    "java.lang.reflect.",
    "java.util.concurrent.Callable",
    "java.util.function.",
];

/// What has something done later, by a thread that shows nothing of it now: when the program ends, and in due time.
const AT_END: [(&str, &str); 2] = [("Runtime", "addShutdownHook"), ("Signal", "handle")];
const IN_TIME: [(&str, &str); 4] = [
    ("Executor", "schedule"),
    ("ExecutorService", "schedule"),
    ("Timer", "schedule"),
    ("CompletableFuture", "delayedExecutor"),
];

/// A call in a method.
pub(super) struct Call {
    /// Where it is in the code of its method.
    pub(super) pc: u32,
    pub(super) line: Option<u16>,
    /// What the instruction calls; empty for a call site that is linked at run time.
    name: String,
    pub(super) does: Does,
    later: Option<Later>,
}

/// When what a call hands over is done.
#[derive(Clone, Copy, PartialEq)]
enum Later {
    AtEnd,
    InTime,
}

/// What a call may do, as far as it matters here.
pub(super) enum Does {
    Wakes(Awaits),
    Calls(Vec<MethodId>),
    /// Interrupts somebody, or calls what is not known.
    Anything,
    /// Only hands over what is done later.
    Nothing,
}

impl Does {
    /// Whether it does this by itself.
    pub(super) fn may_be(&self, what: Awaits) -> bool {
        match self {
            Does::Wakes(wakes) => *wakes == what,
            Does::Anything => true,
            Does::Calls(_) | Does::Nothing => false,
        }
    }
}

impl Call {
    /// Whether a thread that is in a line of the method, in a call of `called`, may still come to this call.
    pub(super) fn is_ahead(&self, recording: &dyn FlowSource, id: MethodId, line: u16, called: &str) -> bool {
        let Some(about) = recording.code().method(id) else { return true };
        let after = after(about, line);
        let mut after = after.into_iter().filter_map(|block| about.blocks.get(block as usize));
        self.line == Some(line) && self.name != called
            || after.any(|block| (block.start..block.end).contains(&self.pc))
    }
}

/// The calls of the methods of a class, by name and descriptor.
type OfClass = HashMap<(String, String), Rc<Vec<Call>>>;

/// The calls of all methods, class by class as they are asked for.
pub(super) struct Calls<'r> {
    recording: &'r dyn FlowSource,
    index: Index,
    /// `None` of a class whose file was not stored.
    classes: HashMap<ClassId, Option<OfClass>>,
}

/// The methods of a code map by what calls name.
struct Index {
    by_name: HashMap<(String, String), Vec<MethodId>>,
    by_class: HashMap<String, Vec<MethodId>>,
    classes: HashMap<String, ClassId>,
}

impl Index {
    fn of(code: &CodeMap) -> Index {
        let classes = (0..).zip(&code.classes).map(|(id, about)| (about.name.clone(), ClassId(id))).collect();
        let mut index = Index { by_name: HashMap::new(), by_class: HashMap::new(), classes };
        for (id, about) in (0..).map(MethodId).zip(&code.methods) {
            let key = (about.name.clone(), about.descriptor.clone());
            index.by_name.entry(key).or_default().push(id);
            if let Some(class) = code.class(about.class) {
                index.by_class.entry(class.name.clone()).or_default().push(id);
            }
        }
        index
    }

    /// The methods of this name and descriptor, of whatever class: which one is called depends on the object.
    fn of_name(&self, member: &Member<'_>) -> &[MethodId] {
        let key = (modified_utf8::to_text(member.name), modified_utf8::to_text(member.descriptor));
        self.by_name.get(&key).map_or(&[], Vec::as_slice)
    }
}

impl<'r> Calls<'r> {
    pub(super) fn of(recording: &'r dyn FlowSource) -> Calls<'r> {
        Calls { recording, index: Index::of(recording.code()), classes: HashMap::new() }
    }

    /// Those of a method; `None` where its code was not stored.
    pub(super) fn of_method(&mut self, id: MethodId) -> Option<Rc<Vec<Call>>> {
        let about = self.recording.code().method(id)?;
        let key = (about.name.clone(), about.descriptor.clone());
        self.of_class(about.class)?.get(&key).cloned()
    }

    fn of_class(&mut self, class: ClassId) -> Option<&OfClass> {
        let (recording, index) = (self.recording, &self.index);
        self.classes.entry(class).or_insert_with(|| of_class(recording, index, class)).as_ref()
    }

    /// Whether one of these methods, or what they call, may do this.
    pub(super) fn reach(&mut self, mut open: Vec<MethodId>, what: Awaits) -> bool {
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let Some(calls) = self.of_method(id) else { return true };
            for call in calls.iter() {
                match &call.does {
                    Does::Calls(methods) => open.extend(methods.iter().copied()),
                    does if does.may_be(what) => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// These methods, and all that they may call.
    pub(super) fn closure(&mut self, mut open: Vec<MethodId>) -> BTreeSet<MethodId> {
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            for call in self.of_method(id).iter().flat_map(|calls| calls.iter()) {
                if let Does::Calls(methods) = &call.does {
                    open.extend(methods.iter().copied());
                }
            }
        }
        seen
    }

    /// The methods of the program that a method calls, by those calls that are wanted.
    pub(super) fn called_by(&mut self, id: MethodId, is_wanted: impl Fn(&Call) -> bool) -> Vec<MethodId> {
        let mut found = vec![];
        for call in self.of_method(id).iter().flat_map(|calls| calls.iter()).filter(|call| is_wanted(call)) {
            if let Does::Calls(methods) = &call.does {
                found.extend(methods.iter().copied());
            }
        }
        found
    }

    /// Whether the program has code that does this, so that somebody was to. Whoever waits for what nobody is ever to do
    /// only keeps the program alive.
    pub(super) fn anybody_was_to_do(&mut self, what: Awaits) -> bool {
        match what {
            Awaits::Capacity | Awaits::Parties | Awaits::Reading | Awaits::Unlock | Awaits::Result => true,
            Awaits::Count | Awaits::Permit | Awaits::Notification | Awaits::Signal => {
                let is_it = |call: &Call| matches!(call.does, Does::Wakes(wakes) if wakes == what);
                self.all().iter().flat_map(|calls| calls.iter()).any(is_it)
            }
        }
    }

    /// Whether something that was handed over to be done later may do this. `has_timer`: a thread does what is due.
    pub(super) fn may_do_later(&mut self, what: Awaits, has_timer: bool) -> bool {
        for calls in self.all() {
            for later in calls.iter() {
                if !(later.later == Some(Later::AtEnd) || has_timer && later.later == Some(Later::InTime)) {
                    continue;
                }
                let handed = |call: &&Call| matches!(call.does, Does::Calls(_));
                let of_line = || calls.iter().filter(handed).filter(|call| call.line == later.line);
                let is_there = of_line().next().is_some();
                let mut bodies = vec![];
                for call in calls.iter().filter(handed).filter(|call| !is_there || call.line == later.line) {
                    if let Does::Calls(methods) = &call.does {
                        bodies.extend(methods.iter().copied());
                    }
                }
                if self.reach(bodies, what) {
                    return true;
                }
            }
        }
        false
    }

    fn all(&mut self) -> Vec<Rc<Vec<Call>>> {
        let classes = 0..self.recording.code().classes.len();
        let ids = classes.filter_map(|number| u32::try_from(number).ok()).map(ClassId);
        ids.flat_map(|id| {
            self.of_class(id).into_iter().flat_map(HashMap::values).cloned().collect::<Vec<_>>()
        })
        .collect()
    }
}

fn of_class(recording: &dyn FlowSource, index: &Index, id: ClassId) -> Option<OfClass> {
    let bytes = recording.class_file(id)?;
    let class = ClassFile::parse(&bytes).ok()?;
    let text = |index| class.constant_pool.utf8(index).map(modified_utf8::to_text).ok();
    let one = |method: &classfile::method::Method<'_>| {
        let code = class.code(method).ok().flatten();
        let calls = code.map(|code| calls(recording, index, &class, &code)).unwrap_or_default();
        Some(((text(method.name)?, text(method.descriptor)?), Rc::new(calls)))
    };
    Some(class.methods.iter().filter_map(one).collect())
}

fn calls(recording: &dyn FlowSource, index: &Index, class: &ClassFile<'_>, code: &Code<'_>) -> Vec<Call> {
    let lines = LineTable::of(code, &class.constant_pool);
    let (mut found, mut before) = (vec![], None);
    for (pc, instruction) in code.iter() {
        let called = instruction.opcode.is_call().then(|| member(class, instruction)).flatten();
        let of_itself = before == Some((ITSELF.0.to_owned(), ITSELF.1.to_owned()));
        if instruction.opcode.is_call()
            && let Some((name, does, later)) = does(recording, index, class, instruction, of_itself)
        {
            found.push(Call { pc, line: lines.line_at(pc), name, does, later });
        }
        before = called;
    }
    found
}

/// The class, with dots, and the method that an instruction calls by name.
fn member(class: &ClassFile<'_>, call: &Instruction) -> Option<(String, String)> {
    super::open_loops::called(&class.constant_pool, call)
}

/// The name that a call has, what it may do, and when what it hands over is done; `None` of one that only computes.
fn does(
    recording: &dyn FlowSource,
    index: &Index,
    caller: &ClassFile<'_>,
    call: &Instruction,
    of_itself: bool,
) -> Option<(String, Does, Option<Later>)> {
    if let Operand::Dynamic { site, .. } = call.operand {
        let called = caller.methods_of_call_site(site);
        let methods: Vec<MethodId> =
            called.iter().flat_map(|called| index.of_name(called)).copied().collect();
        return (!methods.is_empty()).then_some((String::new(), Does::Calls(methods), None));
    }
    let (Operand::Constant(method) | Operand::Interface { method, .. }) = call.operand else {
        return None;
    };
    let (class, name) = member(caller, call)?;
    let methods = match caller.constant_pool.member(method) {
        Ok(member) if !is_of_jdk(&class) => index.of_name(&member),
        _ => &[],
    };
    // A method that a class of the program does not have itself may be one of Java's.
    let class = match methods.is_empty() && name != "<init>" {
        true => of_java(recording, index, &class).unwrap_or(class),
        false => class,
    };
    if is_of_jdk(&class) {
        let begins = |all: &[&str]| all.iter().any(|begin| name.starts_with(begin));
        let is_of = |all: &[(&str, &str)]| {
            all.iter().any(|(end, begin)| class.ends_with(end) && name.starts_with(begin))
        };
        let in_time = is_of(&IN_TIME).then_some(Later::InTime);
        let later = is_of(&AT_END).then_some(Later::AtEnd).or(in_time);
        let wakes = WAKES.iter().find(|(_, end, begin)| class.ends_with(end) && begins(begin));
        let interrupts = INTERRUPTS.contains(&name.as_str()) && !of_itself;
        let is_anything = interrupts || CALLS_ANYTHING.iter().any(|begin| class.starts_with(begin));
        return match wakes {
            Some((what, ..)) => Some((name, Does::Wakes(*what), later)),
            None if is_anything => Some((name, Does::Anything, later)),
            None if later.is_some() => Some((name, Does::Nothing, later)),
            None => None,
        };
    }
    let does = if name == "<init>" {
        // What is made may be given to somebody who calls all that it has.
        Does::Calls(index.by_class.get(&class).cloned().unwrap_or_default())
    } else {
        if methods.is_empty() { Does::Anything } else { Does::Calls(methods.to_vec()) }
    };
    Some((name, does, None))
}

/// How deep classes are derived at most, as far as that is looked at.
const DEEPEST: usize = 64;

/// The class of Java that one of the program is derived from; `None` where that is not known.
fn of_java(recording: &dyn FlowSource, index: &Index, class: &str) -> Option<String> {
    let mut class = class.to_owned();
    for _ in 0..DEEPEST {
        if is_of_jdk(&class) {
            return Some(class);
        }
        let bytes = recording.class_file(*index.classes.get(&class)?)?;
        let file = ClassFile::parse(&bytes).ok()?;
        class =
            modified_utf8::to_text(file.constant_pool.class_name(file.super_class).ok()?).replace('/', ".");
    }
    None
}
