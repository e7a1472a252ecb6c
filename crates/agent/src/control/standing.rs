//! Where threads stand: what the stack samples of a recording have shown so far.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use capture::StacksRecord;
use model::stack::{LONG, SampledFrame, SampledMethod, SampledThread, ThreadState};

use super::joins::Joins;

/// Threads that an answer names.
const NAMED: usize = 8;

/// When the next sample is due, and where each thread stood in the last one.
#[derive(Debug, Default)]
pub(super) struct Standing {
    pub(super) next: Option<Instant>,
    /// Processor time that samples have taken.
    pub(super) spent: Duration,
    pub(super) joins: Joins,
    /// By the number of the thread.
    last: HashMap<u64, Seen>,
}

/// What is known of a thread from the samples so far.
#[derive(Debug)]
struct Seen {
    position: (u32, u32),
    /// When it was first seen there, and the processor time that it had used then.
    since: Instant,
    cpu: Option<u64>,
    /// In all samples since then it was running.
    runs: bool,
    /// A sentence's middle: where it was in the last sample.
    location: String,
}

impl Standing {
    pub(super) fn add(&mut self, StacksRecord { methods, sample }: &StacksRecord) {
        let mut before = std::mem::take(&mut self.last);
        for thread in &sample.threads {
            let old = before.remove(&thread.tid).filter(|old| old.position == thread.position);
            let (runs, is_known) = (thread.state == ThreadState::Runnable, old.is_some());
            let (since, cpu, runs_before) =
                old.map_or((Instant::now(), thread.cpu, true), |old| (old.since, old.cpu, old.runs));
            let used = thread.cpu.zip(cpu).map_or(0, |(now, then)| now.saturating_sub(then));
            // A native method that waits for its input counts as running, and is seen not to in the second sample.
            // Any other one that uses nothing for long is held by the virtual machine.
            // Whoever gives way gets little time where others want the processors, and would use all of it.
            let (part, is_long) =
                if thread.is_native() { (20, is_known) } else { (1000, since.elapsed() >= LONG) };
            let is_idle = is_long && u128::from(used) * part < since.elapsed().as_nanos();
            let is_idle = is_idle && !thread.yields(methods) && (thread.cpu.is_some() || thread.is_native());
            let runs = runs && runs_before && !is_idle;
            let location = if runs { location(thread, methods) } else { String::new() };
            self.last.insert(thread.tid, Seen { position: thread.position, since, cpu, runs, location });
        }
    }

    /// Whether some thread may turn out to stay where it is.
    pub(super) fn is_uncertain(&self, after: Duration) -> bool {
        self.last
            .values()
            .any(|seen| seen.runs && seen.since.elapsed() < LONG && seen.since.elapsed() >= after)
    }

    /// The threads that stay where they are: `main in Hang.spin, line 4, no record for 3.1 s; ...`.
    pub(super) fn stay(&self) -> String {
        let mut stay: Vec<&Seen> =
            self.last.values().filter(|seen| seen.runs && seen.since.elapsed() >= LONG).collect();
        stay.sort_by(|one, other| (one.since, &one.location).cmp(&(other.since, &other.location)));
        let more = stay.len().saturating_sub(NAMED);
        let one = |seen: &&Seen| {
            format!("{}, no record for {:.1} s", seen.location, seen.since.elapsed().as_secs_f64())
        };
        let mut all: Vec<String> = stay.iter().take(NAMED).map(one).collect();
        all.extend((more > 0).then(|| format!("{more} more")));
        all.join("; ")
    }
}

/// `main in java.util.regex.Pattern$Loop.match, called by Hang.find, line 12`.
fn location(thread: &SampledThread, methods: &[SampledMethod]) -> String {
    let is_own = |frame: &&SampledFrame| {
        methods.get(frame.method as usize).is_some_and(|method| !is_of_jdk(&method.class))
    };
    let name = |frame: &SampledFrame| {
        let method = methods.get(frame.method as usize);
        let name = method.map(|method| format!("{}.{}", method.class, method.name)).unwrap_or_default();
        name + &frame.line.map(|line| format!(", line {line}")).unwrap_or_default()
    };
    let inner = thread.frames.first();
    let own = thread.frames.iter().find(is_own).filter(|own| Some(*own) != inner);
    let inner = inner.map(name).unwrap_or_default();
    let own = own.map(|own| format!(", called by {}", name(own))).unwrap_or_default();
    format!("{} in {inner}{own}", thread.name)
}

fn is_of_jdk(class: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun."].iter().any(|package| class.starts_with(package))
}

#[cfg(test)]
mod tests {
    use model::Timestamp;
    use model::stack::StackSample;

    use super::*;

    /// A sample of a thread in a native method of a class, which has used so many ns.
    fn record(class: &str, method: &str, cpu: u64) -> StacksRecord {
        let name = |text: &str| text.to_owned();
        let thread = SampledThread {
            tid: 1,
            name: name("main"),
            state: ThreadState::Runnable,
            cpu: Some(cpu),
            position: (0, 0),
            frames: vec![SampledFrame { method: 0, pc: None, line: None, is_old: false }],
            is_cut: false,
            waits: None,
        };
        let method = SampledMethod { class: name(class), name: name(method), descriptor: name("()V") };
        let sample = StackSample { time: Timestamp(0), at_end: false, threads: vec![thread] };
        StacksRecord { methods: vec![method], sample }
    }

    /// Whether the thread may still turn out to stay, after each of two samples.
    fn uncertain(class: &str, method: &str, cpu: [u64; 2]) -> [bool; 2] {
        let mut standing = Standing::default();
        cpu.map(|cpu| {
            std::thread::sleep(Duration::from_millis(1));
            standing.add(&record(class, method, cpu));
            standing.is_uncertain(Duration::ZERO)
        })
    }

    #[test]
    fn a_native_method_waits_only_if_it_uses_nothing() {
        assert_eq!(uncertain("java.net.Socket", "read", [0, 0]), [true, false]);
        assert_eq!(uncertain("java.net.Socket", "read", [0, u64::from(u32::MAX)]), [true, true]);
    }

    #[test]
    fn whoever_gives_way_to_others_runs() {
        assert_eq!(uncertain("java.lang.Thread", "yield", [0, 0]), [true, true]);
        assert_eq!(uncertain("java.lang.Thread", "yield0", [0, 0]), [true, true]);
    }
}
