//! The README's commands are run, and print what it shows.
//!
//! In each block marked `console`, a line that starts with `$ ` is a command and the lines up to the
//! next one are its output, both channels together. A line `...` stands for any number of lines.
//! `UPDATE_EXPECT=1 cargo test -p xtask --test readme` writes the new output into the README, where
//! no dots are.
//! Commands of cargo are not run here: `cargo xtask test` runs the demo and the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{metadata, root, text};

struct Shown {
    command: String,
    output: Vec<String>,
}

fn shown(document: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            all.push(Shown { command: command.to_owned(), output: Vec::new() });
        } else if inside {
            all.last_mut().expect("a block starts with a command").output.push(line.to_owned());
        }
    }
    for one in &mut all {
        while one.output.last().is_some_and(String::is_empty) {
            one.output.pop();
        }
    }
    all
}

/// Builds the program and says in which folder it is.
fn built() -> PathBuf {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "tracewright"])
        .current_dir(root())
        .status()
        .unwrap();
    assert!(status.success());
    PathBuf::from(metadata()["target_directory"].as_str().unwrap()).join("debug")
}

/// Whether `output` is what `pattern` shows.
fn matches(pattern: &[String], output: &[&str]) -> bool {
    match pattern.split_first() {
        None => output.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=output.len()).any(|skipped| matches(rest, &output[skipped..]))
        }
        Some((first, rest)) => {
            let same = output.first().is_some_and(|line| line.trim_end() == first.trim_end());
            same && matches(rest, &output[1..])
        }
    }
}

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let readme = text("README.md");
    let mut path = std::ffi::OsString::from(built());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let (mut count, mut renewed) = (0, readme.clone());
    for Shown { command, output: pattern } in shown(&readme) {
        if command.starts_with("cargo ") {
            continue;
        }
        let run = Command::new("bash")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .env("PATH", &path)
            .current_dir(root())
            .output()
            .unwrap();
        let output = String::from_utf8(run.stdout).unwrap();
        let lines: Vec<&str> = output.trim_end().lines().collect();
        count += 1;
        if matches(&pattern, &lines) {
            continue;
        }
        let old = pattern.join("\n");
        let dots = pattern.iter().any(|line| line == "...");
        let update = std::env::var_os("UPDATE_EXPECT").is_some() && !dots;
        assert!(update, "$ {command}\n--- the README shows\n{old}\n--- it prints\n{output}");
        let new: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        let block = |output: &str| format!("$ {command}\n{output}\n");
        renewed = renewed.replace(&block(&old), &block(&new.join("\n")));
    }
    if renewed != readme {
        std::fs::write(root().join("README.md"), renewed).unwrap();
    }
    assert!(count >= 4, "only {count} commands were found; has the README's form changed?");
}

#[test]
fn dots_stand_for_any_number_of_lines() {
    let pattern = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches(&pattern("a\n...\nd"), &["a", "b", "c", "d"]));
    assert!(matches(&pattern("a\n...\nd"), &["a", "d"]));
    assert!(!matches(&pattern("a\n...\nd"), &["a", "d", "e"]));
    assert!(!matches(&pattern("a"), &["b"]));
}
