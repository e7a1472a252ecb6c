//! What threads of a kernel trace were in the middle of, as sentences.
//!
//! ```text
//! deadlock of 2 threads: ping 7 waited for pong 8 in read of descriptor 6 (a pipe) since 2026-03-01 10:00:07.250 (4.200 s);
//!   pong 8 waited for ping 7 in read of descriptor 3 (a pipe) since 2026-03-01 10:00:07.249 (4.201 s)
//! server 9 was idle in epoll_wait since 2026-03-01 10:00:11.420 (30.000 ms): it waited there 120 times before, 50.000 ms at most
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use analyses::hangs::Counts;
use analyses::hangs::kernel::{Awaits, Doing, ThreadEnd};
use model::Symbol;

use crate::escape::plain;
use crate::hangs::spinning::symbols_in;
use crate::hangs::thread_states::ThreadStates;
use crate::moment;
use crate::numbers::{counted, duration};
use crate::results::Found;
use crate::results::{Ends, TrackEnd};

/// Threads that a line names.
const NAMED: usize = 4;
/// The system call by which a thread only gives way; so often it has to be the only one, again and again.
const YIELD: &str = "sched_yield";
const ITERATIONS: u64 = 1_000;

/// A line for each deadlock, for who can go on only if one of these does, and for who only gives way again and again.
pub(crate) fn accused(found: &Found, ends: &Ends<'_>) -> String {
    let Some(states) = &ends.states else { return String::new() };
    let stuck = || states.threads.iter().filter(|thread| thread.doing == Doing::Stuck);
    let mut circles: BTreeMap<usize, Vec<&ThreadEnd>> = BTreeMap::new();
    for thread in stuck() {
        if let Some(number) = thread.deadlock {
            circles.entry(number).or_default().push(thread);
        }
    }
    let mut out = String::new();
    for circle in circles.values() {
        let members: Vec<String> = circle.iter().take(NAMED).map(|thread| waiting(states, thread)).collect();
        let count = counted(circle.len() as u64, "thread");
        _ = writeln!(out, "deadlock of {count}: {}{}", plain(&members.join("; ")), more(circle.len()));
    }
    let dependents: Vec<String> =
        stuck().filter(|thread| thread.deadlock.is_none()).map(|thread| waiting(states, thread)).collect();
    if !dependents.is_empty() {
        let shown: Vec<&str> = dependents.iter().take(NAMED).map(String::as_str).collect();
        let begins = if circles.is_empty() { "no thread is left that could go on" } else { "behind it" };
        _ = writeln!(out, "{begins}: {}{}", plain(&shown.join("; ")), more(dependents.len()));
    }
    for end in &ends.tracks {
        if let Some(iterations) = only_yields(found, states, end) {
            let text = format!(
                "{} goes round a loop that only gives way to others: {} of {YIELD}",
                end.track.name,
                counted(iterations, "iteration")
            );
            _ = writeln!(out, "{}", plain(&text));
        }
    }
    out
}

/// The first line where nobody is accused; `None` if nothing is known of threads.
pub(crate) fn harmless(ends: &Ends<'_>) -> Option<String> {
    let states = ends.states.as_ref()?;
    let rank = |thread: &&ThreadEnd| match thread.doing {
        Doing::Waits | Doing::Stuck => 0,
        Doing::Runs => 1,
        Doing::Ready => 2,
        Doing::Idle => 3,
        Doing::Pauses => 4,
        Doing::Unknown => 5,
    };
    let mut threads: Vec<&ThreadEnd> =
        states.threads.iter().filter(|thread| thread.doing != Doing::Unknown).collect();
    threads.sort_by_key(rank);
    let name = |thread: &&ThreadEnd| format!("{} {}", states.name(thread.tid), does(states, thread));
    let names: Vec<String> = threads.iter().take(NAMED).map(name).collect();
    let all = more(threads.len());
    (!names.is_empty()).then(|| format!("nothing is seen to hang: {}{all}\n", plain(&names.join("; "))))
}

/// What a thread did, since when, and how that was before: without its name.
pub(crate) fn sentence(states: &ThreadStates, thread: &ThreadEnd) -> String {
    let mut text = does(states, thread);
    if thread.doing != Doing::Unknown {
        text += &since(thread);
    }
    let earlier = thread.earlier;
    if earlier.count > 0 && !matches!(thread.doing, Doing::Runs | Doing::Ready) {
        let times = counted(earlier.count, "time");
        text += &format!("; it had waited so {times}, {} at most", duration(i128::from(earlier.longest)));
    }
    if let Some((time, by)) = thread.woken {
        let by = by.map_or(String::new(), |by| format!(" by {}", states.name(by)));
        text += &format!("; woken last{by} at {}", moment::text(time));
    }
    if thread.may_have_gone_on {
        text += "; events were lost since, so it may have gone on";
    }
    text
}

/// `ping 7 waited for pong 8 in read of descriptor 6 (a pipe) since 2026-03-01 10:00:07.250 (4.200 s)`.
fn waiting(states: &ThreadStates, thread: &ThreadEnd) -> String {
    format!("{} {}{}", states.name(thread.tid), does(states, thread), since(thread))
}

fn since(thread: &ThreadEnd) -> String {
    let length = duration(thread.end.since(thread.since));
    format!(" since {} ({length})", moment::text(thread.since))
}

/// What it does, in the past.
fn does(states: &ThreadStates, thread: &ThreadEnd) -> String {
    let location = location(thread);
    match thread.doing {
        Doing::Runs => format!("was running{location}"),
        Doing::Ready => format!("waited for a CPU{location}"),
        Doing::Pauses => format!("waited with a time limit{location}"),
        Doing::Idle => format!("was idle{location}"),
        Doing::Waits => format!("waited{location}"),
        Doing::Stuck if thread.waits_for.is_empty() => format!("waited for nobody{location}"),
        Doing::Stuck => {
            let names: Vec<String> =
                thread.waits_for.iter().take(NAMED).map(|tid| states.name(*tid)).collect();
            let others = thread.waits_for.len().saturating_sub(NAMED);
            let others = if others > 0 { format!(" or {others} more") } else { String::new() };
            format!("waited for {}{others}{location}", names.join(" or "))
        }
        Doing::Unknown => "did what is not known".to_owned(),
    }
}

/// ` in read of descriptor 6 (a pipe)`.
fn location(thread: &ThreadEnd) -> String {
    call(thread).map_or(String::new(), |call| format!(" in {call}"))
}

/// `read of descriptor 6 (a pipe)`: the system call that it is in.
pub(crate) fn call(thread: &ThreadEnd) -> Option<String> {
    let call = thread.call.as_ref()?;
    let pipe = if thread.is_pipe { " (a pipe)" } else { "" };
    let of = match call.awaits() {
        Awaits::Input(descriptor) | Awaits::Output(descriptor) => {
            format!(" of descriptor {descriptor}{pipe}")
        }
        Awaits::Child(Some(pid)) => format!(" for process {pid}"),
        _ => String::new(),
    };
    Some(format!("{}{of}", call.name))
}

fn more(count: usize) -> String {
    match count.saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    }
}

/// The iterations of the loop that a thread ends in if it makes nothing but calls that give way.
fn only_yields(found: &Found, states: &ThreadStates, end: &TrackEnd<'_>) -> Option<u64> {
    let thread = states.of(end.track.id?)?;
    let inner = end.ending.loops.first()?;
    let iterations = inner.run.iterations().0;
    let is_same = inner.inner.iter().all(|inner| matches!(inner.counts, Counts::Constant(_)));
    let is_awake = matches!(thread.doing, Doing::Runs | Doing::Ready);
    if !is_awake || !is_same || iterations < ITERATIONS || inner.steps < end.track.steps / 2 {
        return None;
    }
    let symbols = symbols_in(&end.track.summary.levels, inner.level, inner.run.id);
    let mut names = symbols.iter().map(|symbol| found.alphabet.name(Symbol(*symbol)));
    names.all(|name| name.ends_with(YIELD) || name.starts_with("sched_")).then_some(iterations)
}
