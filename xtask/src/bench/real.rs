//! Histories of real programs and people: tokens of our own sources, the files of our commits, and what this machine has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fuzz::mutate::Rng;

use crate::program::{self, Profile};
use crate::sh;

/// A history by its name.
pub(crate) type History = (&'static str, Vec<u32>);

/// All histories that are available here; a missing one is reported.
pub(crate) fn histories() -> Vec<History> {
    let sources = [
        ("source tokens", tokens(&sources().concat())),
        ("files of commits", words(&sh::output_of("git log --name-only --format=format:commit"))),
        ("package log", words(&std::fs::read_to_string("/var/log/dpkg.log").unwrap_or_default())),
        ("installation log", words(&std::fs::read_to_string("/var/log/apt/term.log").unwrap_or_default())),
        ("build log", words(&build_log())),
        ("system calls", system_calls()),
        ("kernel events", kernel_events()),
    ];
    let (there, missing): (Vec<_>, Vec<_>) =
        sources.into_iter().partition(|(_, units): &(_, Vec<String>)| units.len() > 100);
    for (name, _) in missing {
        eprintln!("{name}: left out, because this machine has none");
    }
    there.into_iter().map(|(name, units)| (name, numbers(&units))).collect()
}

/// Tokens of our own files, one file after the other in an order that chance makes, as often as it takes.
pub(crate) fn source_tokens(len: usize) -> Vec<u32> {
    let files: Vec<Vec<u32>> = {
        let texts: Vec<Vec<String>> = sources().iter().map(|text| tokens(text)).collect();
        let all = numbers(&texts.concat());
        let mut rest = all.as_slice();
        let cut = |text: &Vec<String>| {
            let (file, later) = rest.split_at(text.len());
            rest = later;
            file.to_vec()
        };
        texts.iter().map(cut).collect()
    };
    let (mut word, mut rng) = (Vec::with_capacity(len + 100_000), Rng(20));
    while word.len() < len && !files.is_empty() {
        word.extend(&files[(rng.draw() % files.len() as u64) as usize]);
    }
    word.truncate(len);
    word
}

/// Units numbered by their first places.
fn numbers(units: &[String]) -> Vec<u32> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |unit| {
        let next = numbers.len() as u32;
        *numbers.entry(unit).or_insert(next)
    };
    units.iter().map(|unit| number(unit.as_str())).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Names, numbers and single signs.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut is_name = false;
    for character in text.chars() {
        let in_name = character.is_alphanumeric() || character == '_';
        match tokens.last_mut().filter(|_| is_name && in_name) {
            Some(token) => token.push(character),
            None if character.is_whitespace() => {}
            None => tokens.push(character.to_string()),
        }
        is_name = in_name;
    }
    tokens
}

/// Our own sources, in the order of their paths.
fn sources() -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&sh::root().join("crates"), &mut found);
    found.sort();
    found.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// The output of cargo when it checks a crate and its dependencies, at the first call.
fn build_log() -> String {
    let folder = sh::target_dir().join("bench/build");
    let stored = folder.join("log");
    if let Ok(log) = std::fs::read_to_string(&stored) {
        return log;
    }
    let mut cargo = sh::command("cargo check --verbose --offline --package tracewright-formats");
    let Ok(output) = cargo.env("CARGO_TARGET_DIR", &folder).output() else { return String::new() };
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    // Cached for the next time; if that fails, it is built again then.
    let _ = std::fs::write(stored, &log);
    log
}

/// What `git log --stat` asks of the kernel.
fn system_calls() -> Vec<String> {
    let file = sh::target_dir().join("bench/strace");
    let line = format!("strace -f -o {} git log --stat -30", file.display());
    if std::fs::create_dir_all(sh::target_dir().join("bench")).is_err() || !sh::works(&line) {
        return Vec::new();
    }
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let name = |line: &str| {
        let call = line.split_whitespace().nth(1)?.split('(').next()?;
        call.starts_with(|c: char| c.is_ascii_lowercase()).then(|| call.to_owned())
    };
    text.lines().filter_map(name).collect()
}

/// The names of the first events of a kernel trace, where `../shared` is.
fn kernel_events() -> Vec<String> {
    let folder = sh::target_dir().join("bench/traces");
    let Ok(Some(trace)) = super::ctf::unpacked("many-threads", &folder) else { return Vec::new() };
    let program = program::path(Profile::Release);
    if !program.exists() {
        return Vec::new();
    }
    let line = format!("{} events {} --limit 100000", program.display(), trace.display());
    let text = sh::output_of(&line);
    let name = |line: &str| Some(line.split(": {").next()?.split_whitespace().last()?.to_owned());
    text.lines().filter_map(name).collect()
}
