//! The fields of one event, as the kernel prints them. They are found when the line is looked at, and decoded when
//! somebody asks.
//!
//! ```text
//! prev_comm=VM Thread prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=...      names and values
//! VM Thread:7 [120] R ==> swapper/0:0 [120]                                         the same by trace-cmd
//! NR 33 (b, 1, 5596596619bc, 0, 7, b)       NR 1 = 2                                system calls by number
//! sys_read(fd: 3, buf: 7f1c5, count: 100)   sys_read -> 0x64                        and by name
//! vec=4 [action=BLOCK]                      [state=1 cpu_id=0]                      brackets say nothing
//! vfs_read <-ksys_read                                                              the function tracer
//! ```

use std::ops::Range;

use model::{Base, FieldSink, Fields, Scope, Value};

use super::head::{Head, number};
use crate::kernel_names::{self, Name};
use crate::limits;

/// A field: where its name and its value stand.
#[derive(Debug, Clone)]
struct Field {
    name: Range<usize>,
    held: Held,
}

#[derive(Debug, Clone)]
enum Held {
    /// As it stands there.
    Plain(Range<usize>),
    /// Numbers to the base 16 without a mark, with commas between them.
    List(Range<usize>),
    Text(Range<usize>),
    Number(i64),
}

/// An event that was taken apart.
#[derive(Debug, Default)]
pub(super) struct Current {
    /// The line, and behind it names that do not stand in it.
    text: String,
    head: Head,
    fields: Vec<Field>,
}

/// Threads whose tracepoints have names with spaces in them: only these names of fields are looked for.
const SWITCH: [&str; 7] =
    ["prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"];

impl Current {
    /// Takes a line; what the event is called.
    pub(super) fn set(&mut self, line: String, head: Head) -> String {
        let rest = line.get(head.rest.clone()).unwrap_or_default();
        let (name, at) = name(rest);
        let (name, args) = (name.to_owned(), head.rest.start + at..head.rest.end);
        let is_bare = rest.get(at..).unwrap_or_default().trim().is_empty();
        (self.text, self.head) = (line, head);
        self.fields.clear();
        let system = system(&name);
        let called = match kernel_names::event(system, &name) {
            _ if system.is_empty() => name.clone(),
            Name::Fixed(name) => name,
            Name::Syscall(end) => format!("{}unknown", end.prefix()),
        };
        match &*name {
            _ if is_bare => called,
            "sched_switch" if !self.text[args.clone()].contains("prev_pid=") => {
                self.switch(args);
                called
            }
            "sched_switch" => self.pairs(args, system, &SWITCH, called),
            "sched_wakeup" | "sched_wakeup_new" | "sched_waking"
                if !self.text[args.clone()].contains("pid=") =>
            {
                self.wakeup(args);
                called
            }
            "sys_enter" | "sys_exit" => {
                self.call_by_number(args);
                called
            }
            _ if self.text[args.clone()].starts_with("<-") => {
                self.add("parent", Held::Text(args.start + 2..args.end));
                called
            }
            _ => self
                .call_by_name(&name, args.clone())
                .unwrap_or_else(|| self.pairs(args, system, &[], called)),
        }
    }

    fn add(&mut self, name: &str, held: Held) {
        if self.fields.len() < limits::FTRACE_FIELDS {
            let start = self.text.len();
            self.text.push_str(name);
            self.fields.push(Field { name: start..self.text.len(), held });
        }
    }

    /// `name=value` as often as it is there; else all of it is one text.
    fn pairs(&mut self, args: Range<usize>, system: &str, only: &[&str], called: String) -> String {
        let mut keys: Vec<Range<usize>> = vec![];
        let text = &self.text[args.clone()];
        for (at, _) in text.match_indices('=') {
            let before = &text[..at];
            let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let length = before.bytes().rev().take_while(is_of_name).count();
            let key = &before[at - length..];
            let stands_alone =
                before[..at - length].bytes().next_back().is_none_or(|byte| b" \t([,".contains(&byte));
            let is_wanted = only.is_empty() || only.contains(&key);
            if length > 0
                && stands_alone
                && is_wanted
                && !key.starts_with(|first: char| first.is_ascii_digit())
            {
                keys.push(args.start + at - length..args.start + at);
                if keys.len() >= limits::FTRACE_FIELDS {
                    break;
                }
            }
        }
        if keys.is_empty() {
            self.add("text", Held::Text(args));
            return called;
        }
        for (number, key) in keys.iter().enumerate() {
            let end = keys.get(number + 1).map_or(args.end, |next| next.start);
            let mut value = trimmed(&self.text, key.end + 1..end);
            // What the kernel calls otherwise when it prints it.
            let name = match (&self.text[key.clone()], called.as_str()) {
                ("comm", "sched_process_fork") => "parent_comm".to_owned(),
                ("pid", "sched_process_fork") => "parent_pid".to_owned(),
                (name, _) => name.to_owned(),
            };
            if name.ends_with("comm") || name == "filename" || name == "name" {
                let text = self.text[value.clone()].strip_suffix(" ==>");
                value.end = value.start + text.map_or(value.len(), |text| text.trim_end().len());
                self.add(&kernel_names::field(system, &name), Held::Text(value));
                continue;
            }
            let text = self.text[value.clone()]
                .trim_end_matches("==>")
                .trim_end_matches([' ', ',', ']', ')', '[', '(']);
            value.end = value.start + text.len();
            let state = if name == "prev_state" { state(text) } else { None };
            let held = state.map_or(Held::Plain(value), Held::Number);
            self.add(&kernel_names::field(system, &name), held);
        }
        called
    }

    /// `comm:pid [prio] S ==> comm:pid [prio]`.
    fn switch(&mut self, args: Range<usize>) {
        let Some(middle) = self.text[args.clone()].rfind(" ==> ") else {
            return self.add("text", Held::Text(args));
        };
        let middle = args.start + middle;
        let Some((comm, pid, prio, following)) = thread(&self.text, args.start..middle) else {
            return self.add("text", Held::Text(args));
        };
        // trace-cmd has the letters of kernels before 4.14, where these two are the other way round.
        let state = match self.text[following..middle].trim() {
            "Z" => Some(16),
            "X" => Some(32),
            letters => state(letters),
        };
        self.thread("prev", comm, pid, prio);
        if let Some(state) = state {
            self.add("prev_state", Held::Number(state));
        }
        if let Some((comm, pid, prio, _)) = thread(&self.text, middle + 5..args.end) {
            self.thread("next", comm, pid, prio);
        }
    }

    fn thread(&mut self, whose: &str, comm: Range<usize>, pid: i64, prio: i64) {
        self.add(&format!("{whose}_comm"), Held::Text(comm));
        self.add(&format!("{whose}_tid"), Held::Number(pid));
        self.add(&format!("{whose}_prio"), Held::Number(prio));
    }

    /// `comm:pid [prio] success=1 CPU:000`.
    fn wakeup(&mut self, args: Range<usize>) {
        let Some((comm, pid, prio, following)) = thread(&self.text, args.clone()) else {
            return self.add("text", Held::Text(args));
        };
        let cpu = self.text[following..args.end].split("CPU:").nth(1).and_then(|cpu| number(cpu.trim()));
        self.add("comm", Held::Text(comm));
        self.add("tid", Held::Number(pid));
        self.add("prio", Held::Number(prio));
        if let Some(cpu) = cpu {
            self.add("target_cpu", Held::Number(cpu));
        }
    }

    fn call_by_number(&mut self, args: Range<usize>) {
        let text = &self.text[args.clone()];
        let parsed = (|| {
            let rest = text.trim_start().strip_prefix("NR ")?;
            let (id, rest) = rest.split_once(' ')?;
            Some((id.parse::<i64>().ok()?, args.end - rest.len()))
        })();
        let Some((id, at)) = parsed else { return self.add("text", Held::Text(args)) };
        self.add("id", Held::Number(id));
        let rest = &self.text[at..args.end];
        if rest.starts_with('(') {
            self.add("args", Held::List(at + 1..args.end));
        } else if let Some(ret) = rest.strip_prefix("= ").and_then(|ret| ret.trim().parse().ok()) {
            self.add("ret", Held::Number(ret));
        }
    }

    /// What the events `sys_enter_read` and `sys_exit_read` print; what they are called.
    fn call_by_name(&mut self, name: &str, args: Range<usize>) -> Option<String> {
        let call = name.strip_prefix("sys_")?;
        let text = &self.text[args.clone()];
        if let Some(ret) = text.strip_prefix("-> ") {
            let start = args.end - ret.len();
            let value = trimmed(&self.text, start..args.end);
            self.add("ret", Held::Plain(value));
            return Some(format!("{}{call}", kernel_names::End::Exit.prefix()));
        }
        let inner = text.strip_prefix('(')?.trim_end();
        let inner = inner.strip_suffix(')').unwrap_or(inner);
        let mut at = args.start + 1;
        let parts: Vec<Range<usize>> = inner
            .split(", ")
            .map(|part| {
                let range = at..at + part.len();
                at = range.end + 2;
                range
            })
            .take(limits::FTRACE_FIELDS)
            .collect();
        for part in parts {
            let Some((name, value)) = self.text[part.clone()].split_once(": ") else { continue };
            let (name, start) = (name.to_owned(), part.end - value.len());
            let plain = is_hexadecimal(value);
            self.add(&name, if plain { Held::List(start..part.end) } else { Held::Text(start..part.end) });
        }
        Some(format!("{}{call}", kernel_names::End::Entry.prefix()))
    }

    fn value(&self, held: &Held, is_element: bool) -> Option<Value<'_>> {
        Some(match held {
            Held::Number(number) => Value::Signed(i128::from(*number), Base::Decimal),
            Held::Text(range) => Value::Text(self.text.get(range.clone())?.trim().as_bytes()),
            Held::Plain(range) => plain(self.text.get(range.clone())?),
            Held::List(range) => {
                let text = self.text.get(range.clone())?;
                if text.contains(',') && !is_element {
                    return None;
                }
                let digits = text.trim_matches(['(', ')', ' ']);
                Value::Unsigned(u128::from_str_radix(digits, 16).ok()?, Base::Hexadecimal)
            }
        })
    }

    fn name(&self, field: &Field) -> &str {
        self.text.get(field.name.clone()).unwrap_or_default()
    }

    fn context(&self) -> [(&'static str, Option<Value<'_>>); 3] {
        let number = |number: Option<i64>| Some(Value::Signed(i128::from(number?), Base::Decimal));
        let comm = self.text.get(self.head.comm.clone()).filter(|comm| !comm.is_empty() && *comm != "<...>");
        let procname = comm.map(|comm| Value::Text(comm.as_bytes()));
        [("procname", procname), ("pid", number(self.head.pid)), ("tid", number(self.head.tid))]
    }
}

/// What an event is called, and where its fields begin.
fn name(rest: &str) -> (&str, usize) {
    let end = rest.find([' ', '(']).unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or(rest);
    let following = rest.len() - rest[end..].trim_start().len();
    (word.strip_suffix(':').unwrap_or(word), following)
}

/// The system of a tracepoint, which the text does not name; empty where nothing depends on it.
fn system(name: &str) -> &'static str {
    match name {
        "sys_enter" | "sys_exit" => "raw_syscalls",
        "page_fault_user" | "page_fault_kernel" => "exceptions",
        _ if name.starts_with("sched_") => "sched",
        _ if ["irq_handler_", "softirq_", "tasklet_"].iter().any(|begin| name.starts_with(begin)) => "irq",
        _ if ["timer_", "hrtimer_", "itimer_"].iter().any(|begin| name.starts_with(begin)) => "timer",
        _ if name.ends_with("_entry") || name.ends_with("_exit") => vector(name),
        _ => "",
    }
}

/// Of interrupts of x86.
fn vector(name: &str) -> &'static str {
    const VECTORS: [&str; 11] = [
        "local_timer",
        "spurious_apic",
        "error_apic",
        "x86_platform_ipi",
        "irq_work",
        "reschedule",
        "call_function",
        "call_function_single",
        "threshold_apic",
        "deferred_error_apic",
        "thermal_apic",
    ];
    let vector = name.strip_suffix("_entry").or_else(|| name.strip_suffix("_exit")).unwrap_or(name);
    if VECTORS.contains(&vector) { "irq_vectors" } else { "" }
}

/// Comm, pid and prio of `comm:pid [prio]`, and where what follows begins.
fn thread(text: &str, range: Range<usize>) -> Option<(Range<usize>, i64, i64, usize)> {
    let part = text.get(range.clone())?;
    let (who, following) = part.rsplit_once(" [")?;
    let (prio, rest) = following.split_once(']')?;
    let (comm, pid) = who.rsplit_once(':')?;
    Some((range.start..range.start + comm.len(), number(pid)?, number(prio)?, range.end - rest.len()))
}

/// The number of a state of which the kernel prints letters.
fn state(text: &str) -> Option<i64> {
    let (letters, preempted) = match text.strip_suffix('+') {
        Some(letters) => (letters, 0x100),
        None => (text, 0),
    };
    let bits = letters.split('|').map(|letter| {
        Some(match letter {
            "R" => 0,
            "S" => 1,
            "D" => 2,
            "T" => 4,
            "t" => 8,
            "X" => 16,
            "Z" => 32,
            "P" | "x" => 64,
            // The kernel says I, trace-cmd W.
            "I" | "W" => 128,
            // Killable, no load: kernels before 4.14, where these come with one of the others.
            "K" | "N" | "n" => 0x200,
            _ => return None,
        })
    });
    bits.sum::<Option<i64>>().map(|bits| bits | preempted)
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

fn is_hexadecimal(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    matches!(digits.len(), 1..=16) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A value as it stands there: a number with or without `0x`, an address, or text.
fn plain(text: &str) -> Value<'_> {
    if let Some(digits) = text.strip_prefix("0x")
        && let Ok(value) = u64::from_str_radix(digits, 16)
    {
        return Value::Unsigned(value.into(), Base::Hexadecimal);
    }
    // Addresses have all their digits, and nothing that says what they are.
    if matches!(text.len(), 8 | 16)
        && is_hexadecimal(text)
        && (text.starts_with('0') || text.len() == 16)
        && let Ok(value) = u64::from_str_radix(text, 16)
    {
        return Value::Unsigned(value.into(), Base::Hexadecimal);
    }
    match text.parse::<i128>() {
        Ok(value) if i64::try_from(value).is_ok() => Value::Signed(value, Base::Decimal),
        Ok(value) if u64::try_from(value).is_ok() => Value::Unsigned(value.unsigned_abs(), Base::Decimal),
        _ => Value::Text(text.as_bytes()),
    }
}

impl Fields for Current {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        if scope == Scope::Context {
            for (name, value) in self.context() {
                if let Some(value) = value {
                    sink.value(name, value);
                }
            }
            return;
        }
        for field in &self.fields {
            match (self.value(&field.held, false), &field.held) {
                (Some(value), _) => sink.value(self.name(field), value),
                (None, Held::List(range)) => {
                    let text = self.text.get(range.clone()).unwrap_or_default();
                    let numbers = || text.trim_end_matches([')', ' ']).split(',').take(limits::FTRACE_FIELDS);
                    sink.begin_array(self.name(field), numbers().count() as u64);
                    for number in numbers() {
                        let value = u64::from_str_radix(number.trim(), 16);
                        sink.value(
                            "",
                            value.map_or(Value::Null, |value| {
                                Value::Unsigned(value.into(), Base::Hexadecimal)
                            }),
                        );
                    }
                    sink.end();
                }
                _ => {}
            }
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        if let Some(field) = self.fields.iter().find(|field| self.name(field) == name) {
            return self.value(&field.held, false);
        }
        self.context().into_iter().find(|(known, _)| *known == name)?.1
    }
}
