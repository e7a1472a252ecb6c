//! `cargo xtask fuzz`: libFuzzer over each target, with coverage feedback and the address sanitizer.
//!
//! ```text
//! corpus/ ──> target/fuzz/seeds/TARGET ──libFuzzer──> target/fuzz/grown/TARGET ──merge──> new inputs into corpus/
//!                                             └── what breaks it ──> target/fuzz/found/
//! ```
//!
//! It needs a nightly toolchain and a C++ compiler, and no cargo-fuzz: the flags that this would give are below. What
//! was grown stays in the target folder, so that the next run goes on from there; into the corpus come the smallest
//! of the inputs that reach what none of those there does.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::corpus_inputs;
use crate::sh::{self, Outcome, Trouble};

/// The flags with which rustc puts in what libFuzzer and the address sanitizer need; checks of arithmetic stay on.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address -Cdebug-assertions -Coverflow-checks \
    -Cforce-frame-pointers -Ccodegen-units=1 --cfg=fuzzing";

/// How long a run may take, in seconds, and how much memory, in MiB; the sanitizer takes more than the program.
const LIMITS: [&str; 3] = ["-timeout=20", "-rss_limit_mb=3072", "-max_len=131072"];

/// Bytes, and inputs, that one run may add to the corpus of a target.
const ADDED: u64 = 32 << 10;
/// See [`ADDED`].
const MOST_ADDED: usize = 24;

/// `[--seconds N] [TARGET ...]`
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let (mut seconds, mut wanted) = (60u64, vec![]);
    let mut words = arguments.iter();
    while let Some(&word) = words.next() {
        if word == "--seconds" {
            let number = words.next().and_then(|text| text.parse().ok());
            seconds = number.ok_or_else(|| Trouble::CannotDo("--seconds wants a number".into()))?;
        } else if ::fuzz::TARGETS.iter().any(|(name, _)| *name == word) {
            wanted.push(word);
        } else {
            let names: Vec<&str> = ::fuzz::TARGETS.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(Trouble::CannotDo(format!("`{word}` is none of the targets {names}")));
        }
    }
    let programs = build()?;
    let mut broken = vec![];
    for (name, _) in ::fuzz::TARGETS {
        if (wanted.is_empty() || wanted.contains(name)) && !fuzz_one(&programs.join(name), name, seconds)? {
            broken.push(*name);
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    Err(Trouble::Wrong(format!(
        "{} broke; the inputs are in {}. Keep each under corpus/TARGET/ with a sentence in corpus/README.md",
        broken.join(", "),
        folder("found").display()
    )))
}

fn folder(name: &str) -> PathBuf {
    sh::target_dir().join("fuzz").join(name)
}

/// Builds the targets, and returns where they are.
fn build() -> Result<PathBuf, Trouble> {
    // The sanitizer needs the target to be named: build scripts must be built without it.
    let version = sh::output_of("rustup run nightly rustc -vV");
    let Some(host) = version.lines().find_map(|line| line.strip_prefix("host: ")) else {
        let needed = "a nightly toolchain is needed: rustup toolchain install nightly";
        return Err(Trouble::CannotDo(needed.into()));
    };
    let to = folder("build");
    let line = format!(
        "rustup run nightly cargo build --quiet --release --package fuzz --features libfuzzer --bins --target {host} \
         --target-dir {}",
        to.display()
    );
    let flags = FLAGS.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut command = sh::command(&line);
    command.env("RUSTFLAGS", flags).env("CARGO_PROFILE_RELEASE_LTO", "off").env_remove("RUSTUP_TOOLCHAIN");
    sh::run_in(&mut command, &line)?;
    Ok(to.join(host).join("release"))
}

/// Fuzzes one target and adds to its corpus. False: something broke it.
fn fuzz_one(program: &Path, name: &str, seconds: u64) -> Result<bool, Trouble> {
    let (seeds, grown, merged) =
        (folder("seeds").join(name), folder("grown").join(name), folder("merged").join(name));
    // Those of an earlier run may have left the corpus since.
    for stale in [&seeds, &merged] {
        let _ = std::fs::remove_dir_all(stale);
    }
    for made in [&seeds, &grown, &merged, &folder("found"), &folder("log")] {
        std::fs::create_dir_all(made).map_err(|error| cannot(made, &error))?;
    }
    for (number, input) in corpus_inputs::of(name).iter().enumerate() {
        for into in [&seeds, &merged] {
            let file = into.join(number.to_string());
            std::fs::write(&file, input).map_err(|error| cannot(&file, &error))?;
        }
    }
    let time = format!("-max_total_time={seconds}");
    let is_whole = libfuzzer(program, name, &[&time, &path(&grown), &path(&seeds)])?;
    let is_merged = is_whole && libfuzzer(program, name, &["-merge=1", &path(&merged), &path(&grown)])?;
    let added = if is_merged { add(&merged, corpus_inputs::of(name).len(), name)? } else { 0 };
    println!("{name:<14} {} and {added} new inputs in corpus/{name}/", summary(name));
    Ok(is_whole)
}

/// Runs libFuzzer, whose words go to a file; false: it found something.
fn libfuzzer(program: &Path, name: &str, arguments: &[&str]) -> Result<bool, Trouble> {
    let log = log_of(name);
    let is_first = !arguments.contains(&"-merge=1");
    let file = match is_first {
        true => std::fs::File::create(&log),
        false => std::fs::File::options().append(true).open(&log),
    };
    let file = file.map_err(|error| cannot(&log, &error))?;
    let status = Command::new(program)
        .args(LIMITS)
        .arg(format!("-artifact_prefix={}/{name}-", folder("found").display()))
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .stderr(file)
        .status();
    match status {
        Ok(status) => Ok(status.success()),
        Err(error) => Err(cannot(program, &error)),
    }
}

/// Puts the smallest of the inputs that the merge added into the corpus, and returns how many.
fn add(merged: &Path, seeds: usize, name: &str) -> Result<usize, Trouble> {
    let entries = std::fs::read_dir(merged).map_err(|error| cannot(merged, &error))?;
    let is_seed = |path: &Path| {
        let number = path.file_name().and_then(|name| name.to_str()?.parse::<usize>().ok());
        number.is_some_and(|number| number < seeds)
    };
    let paths = entries.flatten().map(|entry| entry.path()).filter(|path| !is_seed(path));
    let mut sized: Vec<(u64, PathBuf)> =
        paths.filter_map(|path| Some((path.metadata().ok()?.len(), path))).collect();
    sized.sort();
    let (mut bytes, mut count) = (0, 0);
    let corpus = sh::root().join("corpus").join(name);
    std::fs::create_dir_all(&corpus).map_err(|error| cannot(&corpus, &error))?;
    for (size, path) in sized {
        bytes += size;
        if bytes > ADDED || count >= MOST_ADDED {
            break;
        }
        let hash: String = path.file_name().unwrap_or_default().to_string_lossy().chars().take(12).collect();
        let to = corpus.join(format!("grown-{hash}"));
        std::fs::copy(&path, &to).map_err(|error| cannot(&to, &error))?;
        count += 1;
    }
    Ok(count)
}

/// `1,234 runs, 567 edges`, by the log.
fn summary(name: &str) -> String {
    let log = std::fs::read_to_string(log_of(name)).unwrap_or_default();
    let done = log.lines().find(|line| line.contains("DONE") && line.contains("cov:"));
    let mut words = done.unwrap_or_default().split_whitespace();
    let runs = words.next().unwrap_or("#?").trim_start_matches('#').to_owned();
    let edges = words.skip_while(|word| *word != "cov:").nth(1).unwrap_or("?").to_owned();
    format!("{runs} runs, {edges} edges,")
}

fn log_of(name: &str) -> PathBuf {
    folder("log").join(name)
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

fn cannot(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::CannotDo(format!("{}: {error}", path.display()))
}
