//! What a thread is in the middle of, as sentences.
//!
//! ```text
//! stays in shop.Till.wait (Till.java:31-33), no record for 4.2 s (9 samples, since 2026-03-01 10:00:07.250)
//! its loop at lines 30-34 is open: how often it went round is recorded when it is left
//! called by shop.Till.open (Till.java:12), called by shop.Main.main (Main.java:7)
//! ```

use analyses::hangs::Doing;
use model::stack::{CHILD_THAT_WRITES, ThreadState};

use super::code_names::short_ranges;
use crate::hangs::open_frames::{OpenFrame, OpenFrames};
use crate::hangs::spinning::Spinning;
use crate::libraries::is_of_jdk;
use crate::moment;
use crate::numbers::{counted, duration};

/// Callers that are named.
const CALLERS: usize = 6;

/// `shop.Till.wait (Till.java:31-33)`: where it is or stays. Code of which nothing is recorded is named with
/// the recorded method that called it.
pub(crate) fn location(open: &OpenFrames) -> String {
    let Some(first) = called(open) else { return "no frame that is known".to_owned() };
    let mut text = match open.frames.first().is_some_and(|innermost| std::ptr::eq(innermost, first)) {
        true => name(first, &open.lines),
        // Its lines are no concern of the program.
        false => name(first, &[]),
    };
    if !first.is_recorded
        && let Some(caller) = open.frames.iter().skip(1).find(|frame| frame.is_recorded)
    {
        text += &format!(", called by {}", of_line(caller));
    }
    text
}

/// The innermost frame; of a thread that waits in code of Java itself, that of the method which the program called: how that
/// waits does not matter to who reads it.
fn called(open: &OpenFrames) -> Option<&OpenFrame> {
    let first = open.frames.first()?;
    let is_of_java = |frame: &&OpenFrame| !frame.is_recorded && is_of_jdk(&frame.method);
    if open.stays || open.doing == Doing::Runs {
        return Some(first);
    }
    let of_java = open.frames.iter().take_while(is_of_java);
    let count = of_java.clone().count();
    match open.frames.get(count) {
        Some(_) => of_java.last().or(Some(first)),
        None => open.frames.iter().find(|frame| !is_how(frame)).or(Some(first)),
    }
}

/// Whether a method only says how threads wait.
fn is_how(frame: &OpenFrame) -> bool {
    ["jdk.internal.", "sun.", "java.util.concurrent.locks.", "java.util.concurrent.ForkJoinPool.unmanaged"]
        .iter()
        .any(|package| frame.method.starts_with(package))
}

/// The first line: what it does where, and since when nothing is recorded of it.
pub(crate) fn sentence(open: &OpenFrames) -> String {
    let location = location(open);
    if open.stays {
        let long = duration(open.time.since(open.since));
        let samples = counted(open.samples as u64, "sample");
        return format!(
            "stays in {location}, no record for {long} ({samples}, since {})",
            moment::text(open.since)
        );
    }
    let when = if open.at_end { "at the end" } else { "when it was last looked at" };
    let long = match open.samples {
        0 | 1 => String::new(),
        samples => {
            format!(
                ", no record for {} ({})",
                duration(open.time.since(open.since)),
                counted(samples as u64, "sample")
            )
        }
    };
    let long = if open.doing == Doing::Runs { String::new() } else { long };
    format!("{} in {location} {when} ({}){long}", does(open), moment::text(open.time))
}

/// What it does or waits for, in the past.
pub(crate) fn does(open: &OpenFrames) -> String {
    let on = open.waits_on.as_deref().map(synchronizer);
    let held = open.holder.as_ref().map_or(String::new(), |holder| match *holder == open.thread {
        true => ", held by itself,".to_owned(),
        false => format!(", held by {holder},"),
    });
    match open.doing {
        Doing::Runs => "was running".to_owned(),
        Doing::Pauses if open.state == ThreadState::Sleeping => "slept".to_owned(),
        Doing::Pauses => "waited with a time limit".to_owned(),
        Doing::Idle | Doing::Spare => "was idle".to_owned(),
        Doing::Input => "waited for input".to_owned(),
        Doing::Commands => "waited for standard input".to_owned(),
        Doing::Child => "waited for another process".to_owned(),
        Doing::Held => match (&open.waits_on, &open.holder) {
            (Some(class), Some(holder)) => {
                format!("waited for the class {class}, which {holder} initialises,")
            }
            (None, Some(holder)) => format!("waited for a class that {holder} initialises,"),
            _ => "waited for a class that was being initialised".to_owned(),
        },
        Doing::Lock => {
            let what = if open.state == ThreadState::Blocked { "the monitor of " } else { "" };
            format!("waited for {what}{}{held}", on.unwrap_or("a lock"))
        }
        Doing::Waits => match (&open.holder, on) {
            (Some(holder), _) => format!("waited for {holder} to end,"),
            (None, Some(CHILD_THAT_WRITES)) => format!("waited for {CHILD_THAT_WRITES},"),
            (None, Some(on)) => format!("waited on {on}"),
            (None, None) => "waited".to_owned(),
        },
    }
}

/// The class that a program knows: `ReentrantLock` for `ReentrantLock$NonfairSync`, which threads wait for in its place.
fn synchronizer(class: &str) -> &str {
    let of_java = class.split_once('$').filter(|(outer, _)| outer.starts_with("java.util.concurrent."));
    match of_java {
        Some((_, "ConditionObject")) => "a java.util.concurrent.locks.Condition",
        Some((outer, inner)) if inner.ends_with("Sync") => outer,
        _ => class,
    }
}

/// Further lines: on the open loop, and on who called.
pub(crate) fn more(open: &OpenFrames) -> Vec<String> {
    let mut lines = vec![];
    if open.moves_on {
        lines.push("each loop around it counts to a bound, or reads or writes".to_owned());
    }
    if let Some(first) = open.frames.first().filter(|_| open.stays) {
        if first.is_old {
            lines.push(
                "it began before recording did, so its blocks are recorded from the next call on".to_owned(),
            );
        } else if !first.is_recorded {
            lines.push("it runs code of which nothing is recorded".to_owned());
        } else if !open.enclosing.is_empty() {
            let at = if open.enclosing.len() > 1 { "lines" } else { "line" };
            let enclosing = short_ranges(&open.enclosing);
            lines.push(format!(
                "its loop at {at} {enclosing} is open: how often it went round is recorded when it is left"
            ));
        } else {
            lines.push("what it does is recorded when it is done".to_owned());
        }
    }
    let mut callers: Vec<(String, usize)> = vec![];
    for caller in open.frames.iter().skip(1).map(of_line) {
        match callers.last_mut() {
            Some((last, times)) if *last == caller => *times += 1,
            _ => callers.push((caller, 1)),
        }
    }
    let is_cut = callers.len() > CALLERS || open.is_cut;
    callers.truncate(CALLERS);
    let all: Vec<String> = callers
        .into_iter()
        .map(|(caller, times)| match times {
            1 => format!("called by {caller}"),
            times => format!("called by {caller} {times} times in a row"),
        })
        .collect();
    if !all.is_empty() {
        let more = if is_cut { " and others" } else { "" };
        lines.push(all.join(", ") + more);
    }
    lines
}

/// ` in shop.Till.open (Till.java:12)`: where a thread turns.
pub(crate) fn spinning_location(spinning: &Spinning) -> String {
    spinning.frame.as_ref().map_or(String::new(), |frame| format!(" in {}", name(frame, &spinning.lines)))
}

fn of_line(frame: &OpenFrame) -> String {
    name(frame, frame.line.as_slice())
}

fn name(frame: &OpenFrame, lines: &[u16]) -> String {
    let location = match (&frame.file, short_ranges(lines).as_str()) {
        (None, "") => String::new(),
        (Some(file), "") => format!(" ({file})"),
        (Some(file), lines) => format!(" ({file}:{lines})"),
        (None, lines) => format!(" (line {lines})"),
    };
    format!("{}{location}", frame.method)
}

#[cfg(test)]
mod tests {
    use super::synchronizer;

    #[test]
    fn locks_are_called_as_the_program_calls_them() {
        for (class, name) in [
            (
                "java.util.concurrent.locks.ReentrantLock$NonfairSync",
                "java.util.concurrent.locks.ReentrantLock",
            ),
            ("java.util.concurrent.CountDownLatch$Sync", "java.util.concurrent.CountDownLatch"),
            (
                "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
                "a java.util.concurrent.locks.Condition",
            ),
            (
                "java.util.concurrent.SynchronousQueue$TransferStack",
                "java.util.concurrent.SynchronousQueue$TransferStack",
            ),
            ("shop.Till$Sync", "shop.Till$Sync"),
        ] {
            assert_eq!(synchronizer(class), name);
        }
    }
}
