//! Real programs do the same with and without the recorder, and paths tell of them what blocks tell.
//!
//! The programs are those of `jvm-workloads.sh`, which lies beside the checkout where it is at hand;
//! its packages are installed by `jvm-workloads.sh install`. One minute to ten for each, on demand:
//! `WORKLOADS="h2 ecj" cargo nextest run -p tracewright --test java --run-ignored only workloads --no-capture`

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use capture::Capture;
use model::flow::FlowStep;

use crate::jdk::shown;
use crate::show;

/// What makes a program repeat itself from run to run: hash codes are numbers in the order in which
/// they are asked for, and no collection of garbage comes at another moment, for there is none.
const SAME: &str = "-XX:+UnlockExperimentalVMOptions -XX:hashCode=3 -XX:+UseSerialGC -Xms3g -Xmx3g -Xmn2800m";

/// How often a program that runs in another way each time is recorded by paths. `closure` goes through its
/// variables in the order of a set; of three recordings by blocks no two had the same.
const MOST: usize = 5;

/// Goes through methods in the order of `getDeclaredMethods`, which is that of their names' places in memory. What
/// a mode adds to classes moves them, so only how often each block ran can be the same.
const BY_REFLECTION: [&str; 1] = ["rhino"];

const ALL: &str = "h2 ecj javac closure antlr4 saxon rhino bsh clojure jython ant";

#[test]
#[ignore = "takes minutes and needs the workloads"]
fn workloads_are_the_same_recorded_and_not_and_in_both_modes() {
    let Some(script) = testing::shared("tools/jvm-workloads.sh") else { return };
    let names = std::env::var("WORKLOADS").unwrap_or_else(|_| ALL.to_owned());
    let failed: Vec<String> = names.split(' ').filter_map(|name| workload(&script, name).err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What a run has come to: what it printed, and what it wrote.
type Ran = (String, BTreeMap<PathBuf, Vec<u8>>);

fn workload(script: &Path, name: &str) -> Result<(), String> {
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = temporary.path();
    let run = |recorder: &[&str]| -> Ran {
        // One place for all: programs print its name, and count its letters.
        let directory = folder.join("run");
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        let mut command = Command::new("bash");
        command.arg(script).args(["run", name]).arg(&directory).arg("--").args(recorder);
        let output: Output = command.env_remove("JAVA_TOOL_OPTIONS").env("JVM_FLAGS", SAME).output().unwrap();
        (shown(&output), written(&directory.join("out")))
    };
    // What differs between two runs without the recorder says nothing. Archives have the time in them, in steps
    // of two seconds.
    let plain = run(&[]);
    std::thread::sleep(Duration::from_secs(2));
    let again = run(&[]);
    let record = |kind: &str, mode: &str, without: &[String]| {
        let capture = folder.join(format!("{kind}.capture"));
        let _ = fs::remove_dir_all(&capture);
        let path = capture.to_str().unwrap();
        let program = env!("CARGO_BIN_EXE_tracewright");
        // Fresh: with a cache from a run before, less would be tried.
        let mut recorder =
            vec![program, "record", "-o", path, "--mode", mode, "--when-full", "wait", "--fresh"];
        // The JDK is not recorded unasked, and this program is part of it.
        if name == "javac" {
            recorder.extend(["--include", "com.sun.tools.javac"]);
        }
        without.iter().for_each(|method| recorder.extend(["--exclude", method]));
        recorder.push("--");
        let ran = run(&recorder);
        let capture = show::open(&capture);
        assert!(capture.diagnostics.is_empty(), "{name} {kind}: {:?}", capture.diagnostics);
        (ran, digests(&capture), skipped(&capture))
    };
    // What is too long for one need not be too long for the other: neither is to tell of it.
    let (_, _, mut without) = record("first", "paths", &[]);
    without.extend(record("first", "blocks", &[]).2);
    let (blocks_ran, blocks, _) = record("blocks", "blocks", &without);
    let (_, blocks_again, _) = record("blocks2", "blocks", &without);
    let (paths_ran, paths, _) = record("paths", "paths", &without);
    // A program may have a few ways to run: then each thread is to be told alike of one of them.
    let (mut by_blocks, mut by_paths) = (vec![blocks, blocks_again], vec![paths]);
    while by_paths.len() < MOST && !by_blocks[0].keys().all(|thread| alike(thread, &by_blocks, &by_paths)) {
        by_paths.push(record("paths", "paths", &without).1);
        by_blocks.push(record("blocks", "blocks", &without).1);
    }
    let mut wrong = Vec::new();
    for (mode, ran) in [("blocks", &blocks_ran), ("paths", &paths_ran)] {
        if plain.0 == again.0 && ran.0 != plain.0 {
            wrong.push(format!("{name}: the output differs with {mode}:\n{}\nbut\n{}", ran.0, plain.0));
        }
        for (path, content) in plain.1.iter().filter(|&(path, content)| again.1.get(path) == Some(content)) {
            if ran.1.get(path) != Some(content) {
                wrong.push(format!("{name}: {} differs with {mode}", path.display()));
            }
        }
    }
    let all = &by_blocks[0];
    let (recorded, others): (Vec<_>, Vec<_>) =
        all.iter().partition(|&(thread, _)| alike(thread, &by_blocks, &by_paths));
    // What is the same in all recordings by blocks has to be so by paths.
    let is_steady = |thread, digest| by_blocks.iter().all(|all| all.get(thread) == Some(digest));
    for &(thread, digest) in others.iter().filter(|&&(thread, digest)| is_steady(thread, digest)) {
        let found: Vec<_> = by_paths.iter().map(|threads| threads.get(thread)).collect();
        if BY_REFLECTION.contains(&name) && found.iter().any(|found| digest.counts_as(*found)) {
            eprintln!("{name}: {thread} is told alike but for the order");
            continue;
        }
        wrong.push(format!("{name}: thread {thread} has {digest:?} as blocks, {found:?} as paths"));
    }
    let count = |threads: &[(&String, &Digest)]| threads.iter().map(|(_, digest)| digest.blocks).sum::<u64>();
    if count(&recorded) + count(&others) == 0 {
        wrong.push(format!("{name}: nothing was recorded"));
    }
    eprintln!(
        "{name}: {} as untraced; {} threads with {} of {} blocks are told alike after {} recordings by paths, {:?} differ from run to run",
        if wrong.is_empty() { "same" } else { "NOT" },
        recorded.len(),
        count(&recorded),
        count(&recorded) + count(&others),
        by_paths.len(),
        others
            .iter()
            .map(|(thread, digest)| format!("{thread} ({} blocks)", digest.blocks))
            .collect::<Vec<_>>(),
    );
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The threads of a recording.
type Threads = BTreeMap<String, Digest>;

/// Whether a recording by paths tells of a thread what one by blocks tells.
fn alike(thread: &str, by_blocks: &[Threads], by_paths: &[Threads]) -> bool {
    let of = |threads: &[Threads]| -> Vec<Digest> {
        threads.iter().filter_map(|all| all.get(thread)).cloned().collect()
    };
    let by_paths = of(by_paths);
    of(by_blocks).iter().any(|digest| by_paths.contains(digest))
}

/// The methods that were not recorded, as patterns.
fn skipped(capture: &Capture) -> Vec<String> {
    let classes = capture.code.classes.iter().zip(&capture.classes);
    let each = classes.flat_map(|(class, about)| {
        about.skipped.iter().map(move |(method, _, _)| format!("{}#{method}", class.name))
    });
    each.collect()
}

fn written(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// All steps of a thread in a few numbers.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Digest {
    frames: u64,
    blocks: u64,
    /// Depends on the order of all steps.
    sum: u64,
    /// Depends on how often each block of each method ran.
    counts: u64,
}

impl Digest {
    fn mix(&mut self, number: u64) {
        self.sum = (self.sum ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    }

    /// A block ran so many more times.
    fn count(&mut self, method: u64, block: u64, times: u64) {
        let mut one = Self { sum: method, ..Self::default() };
        one.mix(block);
        one.mix(block);
        self.counts = self.counts.wrapping_add(one.sum.wrapping_mul(times));
    }

    /// Whether all is the same but for the order.
    fn counts_as(&self, other: Option<&Self>) -> bool {
        let of = |digest: &Self| (digest.frames, digest.blocks, digest.counts);
        other.is_some_and(|other| of(self) == of(other))
    }
}

/// By name, and number among those of the same name.
fn digests(capture: &Capture) -> Threads {
    let mut all = BTreeMap::new();
    // What a method is called, not its number: classes come in another order each time.
    let names: Vec<u64> = (0..)
        .zip(&capture.code.methods)
        .map(|(id, method)| {
            let mut name = Digest::default();
            let text = format!("{}{}", capture.code.method_name(model::MethodId(id)), method.descriptor);
            text.bytes().for_each(|byte| name.mix(byte.into()));
            name.sum
        })
        .collect();
    for thread in &capture.threads {
        let (mut digest, mut frames) = (Digest::default(), Vec::new());
        let mut flow = capture.flow(thread);
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, how } => {
                    digest.frames += 1;
                    frames.push(names[method.0 as usize]);
                    digest.mix(names[method.0 as usize]);
                    digest.mix(how as u64 | 1 << 40);
                }
                FlowStep::Blocks { blocks, times } => {
                    digest.blocks += blocks.len() as u64 * times;
                    let method = frames.last().copied().unwrap_or(0);
                    blocks.iter().for_each(|&block| digest.count(method, block.into(), times));
                    for _ in 0..times {
                        blocks.iter().for_each(|&block| digest.mix(block.into()));
                    }
                }
                FlowStep::Catch { block } => {
                    digest.blocks += 1;
                    digest.count(frames.last().copied().unwrap_or(0), block.into(), 1);
                    digest.mix(u64::from(block) | 2 << 40);
                }
                FlowStep::Leave { how } => {
                    frames.pop();
                    digest.mix(how as u64 | 3 << 40);
                }
                FlowStep::Gap { .. } => digest.mix(4 << 40),
                FlowStep::Inferred { .. } | FlowStep::Observed => {}
                FlowStep::Moment(_)
                | FlowStep::Clock(_)
                | FlowStep::Mark(_)
                | FlowStep::Values(_)
                | FlowStep::Task(_) => {}
            }
        }
        let same = all
            .keys()
            .filter(|key: &&String| key.rsplit_once('/').is_some_and(|(name, _)| name == thread.name()));
        let key = format!("{}/{}", thread.name(), same.count());
        all.insert(key, digest);
    }
    all
}
