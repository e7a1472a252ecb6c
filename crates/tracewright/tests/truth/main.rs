//! Truth: generated Java programs write down for themselves what they run, and recordings of them
//! must say the same, thread by thread and block for block.
//!
//! `cargo test -p tracewright --test truth` runs 100 programs in each mode. The environment variable
//! `TRUTH_PROGRAMS` sets another number (1,000 take about a minute for each mode), `TRUTH_SEED`
//! another seed, and `TRUTH_JDK` names the folder of another virtual machine to run them in, with
//! `TRUTH_VIRTUAL` in virtual threads. With `TRUTH_KEEP` the programs and their recording stay in the
//! folder for temporary files.
//! Where no Java compiler is found, the tests say so and pass.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // all of this is a test

mod program;
mod reported;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use capture::Capture;
use reported::Reported;
use source::NamedSource;

const THREADS: u64 = 2;

#[test]
fn blocks_are_what_the_programs_say() {
    check("blocks", &[]);
}

#[test]
fn paths_are_what_the_programs_say() {
    check("paths", &[]);
}

#[test]
fn a_difference_of_one_line_is_seen() {
    let Some(recorded) = record("blocks", 3, 77, &[]) else { return };
    let mut missed = 0;
    for (name, log) in &recorded.logs {
        for at in [0, log.len() / 2, log.len() - 1] {
            let (mut without, mut twice) = (log.clone(), log.clone());
            without.remove(at);
            twice.insert(at, log[at]);
            for wrong in [without, twice] {
                missed += usize::from(recorded.difference(name, &wrong).is_none());
            }
        }
    }
    assert_eq!(missed, 0, "changed logs that the comparison took for true");
}

/// What was recorded, and what is true.
struct Recorded {
    capture: Capture,
    logs: BTreeMap<String, Vec<u32>>,
    log_lines: BTreeMap<String, HashSet<u32>>,
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().unwrap())
}

fn check(mode: &str, flags: &[&str]) {
    let (programs, seed) = (number("TRUTH_PROGRAMS", 100), number("TRUTH_SEED", 1));
    let Some(recorded) = record(mode, programs, seed, flags) else { return };
    assert_eq!(recorded.logs.len() as u64, programs * THREADS);
    let mut wrong = Vec::new();
    for (name, log) in &recorded.logs {
        if let Some(difference) = recorded.difference(name, log) {
            wrong.push(format!("{name}: {difference}"));
        }
    }
    let entries: usize = recorded.logs.values().map(Vec::len).sum();
    println!("{mode}: {programs} programs, {entries} lines, {} threads differ", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} of {} threads:\n{}",
        wrong.len(),
        recorded.logs.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

impl Recorded {
    /// Where the recording of the thread `name` differs from a log.
    fn difference(&self, name: &str, log: &[u32]) -> Option<String> {
        let program = name.split('-').next().unwrap();
        let mut threads = self.capture.threads.iter().filter(|thread| thread.name() == name);
        let Some(thread) = threads.next() else { return Some("it is not in the capture".to_string()) };
        if threads.next().is_some() {
            return Some("it is there twice".to_string());
        }
        let mut reported = Reported::new(&self.capture.code, &self.log_lines[program], log);
        let mut flow = self.capture.flow(thread);
        while let Some(step) = flow.next_step() {
            reported.step(&step);
        }
        reported.difference()
    }
}

/// Compiles programs, records them and reads what they and the recording say.
fn record(mode: &str, programs: u64, seed: u64, flags: &[&str]) -> Option<Recorded> {
    testing::jdk()?;
    let is_retained = std::env::var_os("TRUTH_KEEP").is_some();
    let temporary =
        tempfile::Builder::new().prefix("tracewright-truth-").disable_cleanup(is_retained).tempdir().unwrap();
    let folder = temporary.path();
    std::fs::create_dir_all(folder.join("gen")).unwrap();
    std::fs::create_dir_all(folder.join("truth")).unwrap();
    std::fs::write(folder.join("truth/T.java"), program::LOG).unwrap();
    std::fs::write(folder.join("truth/Driver.java"), program::DRIVER).unwrap();
    let mut log_lines = BTreeMap::new();
    let mut compile = Command::new("javac");
    compile.current_dir(folder).args([
        "--release",
        "11",
        "-nowarn",
        "-d",
        "out",
        "truth/T.java",
        "truth/Driver.java",
    ]);
    for number in 0..programs {
        let (source, file) = (program::source(number, seed), format!("gen/P{number}.java"));
        let lines = (1..).zip(source.lines()).filter(|(_, line)| line.contains("t.log["));
        log_lines.insert(format!("P{number}"), lines.map(|(line, _)| line).collect());
        std::fs::write(folder.join(&file), source).unwrap();
        compile.arg(file);
    }
    run(&mut compile);
    let java =
        std::env::var_os("TRUTH_JDK").map_or(PathBuf::from("java"), |jdk| Path::new(&jdk).join("bin/java"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
    command.current_dir(folder).args(["record", "-o", "capture", "--mode", mode, "--include", "gen.*"]);
    command.args(["--when-full", "wait", "--"]).arg(java).args(flags).args([
        "-cp",
        "out",
        "truth.Driver",
        "0",
    ]);
    command.args([&programs.to_string(), &THREADS.to_string(), "log"]);
    if std::env::var_os("TRUTH_VIRTUAL").is_some() {
        command.arg("virtual");
    }
    run(&mut command);
    let logs = read_logs(&std::fs::read(folder.join("log")).unwrap());
    let files = std::fs::read_dir(folder.join("capture")).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        NamedSource { name, source: Box::new(std::fs::read(path).unwrap()) }
    });
    let capture = Capture::open(files.collect()).unwrap();
    assert_eq!(capture.diagnostics, [], "diagnostics");
    assert!(capture.end.is_some(), "the recording did not end");
    let skipped: Vec<_> = capture.classes.iter().flat_map(|class| &class.skipped).collect();
    assert!(skipped.is_empty(), "methods that were skipped: {skipped:?}");
    Some(Recorded { capture, logs, log_lines })
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{message}", output.status);
}

/// `(name length u16, name, entries u32, entries u32...)...`, big-endian, as Java writes.
fn read_logs(bytes: &[u8]) -> BTreeMap<String, Vec<u32>> {
    let (mut logs, mut rest) = (BTreeMap::new(), bytes);
    let mut take = |count: usize| {
        let (head, tail) = rest.split_at(count);
        rest = tail;
        head
    };
    let mut left = bytes.len();
    while left > 0 {
        let length = u16::from_be_bytes(take(2).try_into().unwrap());
        let name = String::from_utf8(take(length.into()).to_vec()).unwrap();
        let count = u32::from_be_bytes(take(4).try_into().unwrap()) as usize;
        let log = take(4 * count).chunks(4).map(|entry| u32::from_be_bytes(entry.try_into().unwrap()));
        logs.insert(name, log.collect());
        left -= 6 + usize::from(length) + 4 * count;
    }
    logs
}
