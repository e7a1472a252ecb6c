//! The child process of `cargo xtask fuzz-minute`: one target, mutated inputs, until the time is up.
//!
//! `fuzz-child TARGET SECONDS SEED FOUND_DIR [careful]`; not for people. A careful child writes each
//! input to `FOUND_DIR/TARGET.last` before it tries it. Exit code 3: something was found and saved.
//!
//! It looks for three things: a panic, a run of more than five seconds, and a run that needs more
//! memory than `fuzz::memory_bound`. Each kind of find (panics by their place in the source) is
//! saved once.

#[path = "../corpus_inputs.rs"]
mod corpus_inputs;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fuzz::mutate::{Rng, mutate};
use peak_alloc::PeakAlloc;

/// Measures how much memory a run took. Only here, because it makes growing vectors slower.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const FOUND: u8 = 3;
const TOO_LONG: Duration = Duration::from_secs(5);
/// After this a run is held to hang for ever, and the process ends itself.
const HANG: Duration = Duration::from_secs(20);
const LONGEST_INPUT: usize = 1 << 17;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, seconds, seed, found_dir, mode @ ..] = arguments.as_slice() else {
        return ExitCode::from(2);
    };
    let target = fuzz::TARGETS.iter().find(|target| target.0 == name);
    let (Some(&(name, target)), Ok(seconds), Ok(seed)) = (target, seconds.parse(), seed.parse()) else {
        return ExitCode::from(2);
    };
    let found_dir = Path::new(found_dir);
    let careful = mode.first().is_some_and(|mode| mode == "careful");
    let corpus = corpus_inputs::of(name);
    let panicked_at = remember_panics();
    let watchdog = Watchdog::start();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut tally = Tally::new(name, found_dir);
    let (mut rng, mut input) = (Rng(seed), Vec::new());
    let mut unchanged = corpus.iter();
    while Instant::now() < end {
        match unchanged.next() {
            Some(first) => input.clone_from(first),
            None => mutate(&mut rng, &corpus, LONGEST_INPUT, &mut input),
        }
        if careful {
            save(&found_dir.join(format!("{name}.last")), &input);
        }
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        watchdog.begin();
        let start = Instant::now();
        let outcome = panic::catch_unwind(|| target(&input));
        let took = start.elapsed();
        watchdog.end();
        let memory = MEMORY.peak_usage().saturating_sub(before);
        tally.count(&input, took, memory);
        if outcome.is_err() {
            let location = panicked_at.lock().map_or_else(|_| String::new(), |location| location.clone());
            tally.found(&location, &input);
        }
    }
    println!("{tally}");
    if tally.kinds.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FOUND) }
}

/// Keeps panics quiet and remembers the place and the words of the last one.
fn remember_panics() -> Arc<Mutex<String>> {
    let last = Arc::new(Mutex::new(String::new()));
    let memory = Arc::clone(&last);
    panic::set_hook(Box::new(move |info| {
        let location = info.location().map(|location| format!("{}:{}", location.file(), location.line()));
        if let Ok(mut last) = memory.lock() {
            *last = format!("panic at {}", location.unwrap_or_default());
        }
    }));
    last
}

fn save(file: &Path, input: &[u8]) {
    if let Err(error) = std::fs::write(file, input) {
        eprintln!("{}: {error}", file.display());
    }
}

/// Ends the process when a run hangs: nothing else can stop a function that does not come back.
struct Watchdog {
    zero: Instant,
    running_since: Arc<AtomicU64>,
}

const IDLE: u64 = u64::MAX;

impl Watchdog {
    fn start() -> Watchdog {
        let watchdog = Watchdog { zero: Instant::now(), running_since: Arc::new(AtomicU64::new(IDLE)) };
        let (zero, running_since) = (watchdog.zero, Arc::clone(&watchdog.running_since));
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let since = running_since.load(Ordering::Relaxed);
                let now = zero.elapsed().as_millis() as u64;
                if since != IDLE && now.saturating_sub(since) > HANG.as_millis() as u64 {
                    eprintln!("a run did not come back within {HANG:?}");
                    std::process::abort();
                }
            }
        });
        watchdog
    }

    fn begin(&self) {
        self.running_since.store(self.zero.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    fn end(&self) {
        self.running_since.store(IDLE, Ordering::Relaxed);
    }
}

/// What the minute came to.
struct Tally<'a> {
    name: &'static str,
    found_dir: &'a Path,
    inputs: u64,
    busy: Duration,
    longest: Duration,
    most_memory: usize,
    kinds: BTreeSet<String>,
}

impl<'a> Tally<'a> {
    fn new(name: &'static str, found_dir: &'a Path) -> Self {
        Tally {
            name,
            found_dir,
            inputs: 0,
            busy: Duration::ZERO,
            longest: Duration::ZERO,
            most_memory: 0,
            kinds: BTreeSet::new(),
        }
    }

    fn count(&mut self, input: &[u8], took: Duration, memory: usize) {
        self.inputs += 1;
        self.busy += took;
        self.longest = self.longest.max(took);
        self.most_memory = self.most_memory.max(memory);
        if took > TOO_LONG {
            self.found("more than 5 s", input);
        }
        if memory > fuzz::memory_bound(input.len()) {
            self.found("more than 64 MiB + 4 x the input", input);
        }
    }

    fn found(&mut self, kind: &str, input: &[u8]) {
        if !self.kinds.insert(kind.to_owned()) {
            return;
        }
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        let file = self.found_dir.join(format!("{}-{:016x}", self.name, hasher.finish()));
        save(&file, input);
        println!("{}: {kind}: {}", self.name, file.display());
    }
}

impl std::fmt::Display for Tally<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let speed = self.inputs as f64 / self.busy.as_secs_f64().max(1e-9);
        write!(
            f,
            "{:<14} {:>12} {:>10.0} {:>6} ms {:>7.1} MiB {:>6}",
            self.name,
            self.inputs,
            speed,
            self.longest.as_millis(),
            self.most_memory as f64 / f64::from(1 << 20),
            self.kinds.len()
        )
    }
}
