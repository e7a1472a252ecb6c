//! Where threads stand: what the stack samples of a recording have shown so far.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use capture::StacksRecord;
use model::stack::{SampledFrame, SampledMethod, SampledThread, ThreadState};

/// A thread that has written nothing for so long stays where it is.
pub(super) const LONG: Duration = Duration::from_millis(250);
/// Threads that an answer names.
const NAMED: usize = 8;

/// When the next sample is due, and where each thread stood in the last one.
#[derive(Debug, Default)]
pub(super) struct Standing {
    pub(super) next: Option<Instant>,
    /// Processor time that samples have taken.
    pub(super) spent: Duration,
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
            let runs = thread.state == ThreadState::Runnable;
            let (since, cpu, runs_before) =
                old.map_or((Instant::now(), thread.cpu, true), |old| (old.since, old.cpu, old.runs));
            let used = thread.cpu.zip(cpu).map_or(0, |(now, then)| now.saturating_sub(then));
            // A native method that waits for its input counts as running.
            // Any other one that uses nothing for long is held by the virtual machine.
            let (part, is_long) =
                if thread.is_native() { (20, true) } else { (1000, since.elapsed() >= LONG) };
            let is_idle = is_long && u128::from(used) * part < since.elapsed().as_nanos();
            let is_idle = is_idle && (thread.cpu.is_some() || thread.is_native());
            let runs = runs && runs_before && !is_idle;
            let location = if runs { location(thread, methods) } else { String::new() };
            self.last.insert(thread.tid, Seen { position: thread.position, since, cpu, runs, location });
        }
    }

    /// Whether some thread may turn out to stay where it is.
    pub(super) fn is_in_doubt(&self, after: Duration) -> bool {
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
