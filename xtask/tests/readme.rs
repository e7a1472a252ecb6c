//! The commands of the README and of the page on models are run, and print what is shown.
//!
//! A block marked `xml NAME` is a file that the commands of its page read. In each block marked `console`, a line that
//! starts with `$ ` is a command and the lines up to the next one are its output, both channels together. A line `...`
//! stands for any number of lines.
//! `UPDATE_EXPECT=1 cargo test -p xtask --test readme` writes the new output into the page, where
//! no dots are.
//! Commands of cargo are not run here: `cargo xtask test` runs the demo and the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::path::{Path, PathBuf};
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

/// Builds the program as the other tests have it and says in which folder it is.
fn built() -> PathBuf {
    // For the whole workspace: with the features of this package alone, the program and all that it uses would be compiled again.
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bin", "tracewright"])
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

/// The files that a page shows.
fn files(document: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if let Some(mark) = line.strip_prefix("```") {
            let name = mark.strip_prefix("xml ");
            inside = name.is_some();
            all.extend(name.map(|name| (name.to_owned(), String::new())));
        } else if inside && let Some((_, content)) = all.last_mut() {
            content.push_str(line);
            content.push('\n');
        }
    }
    all
}

/// Runs the commands of a page in a folder, and says how many there were.
fn follow(page: &str, folder: &Path) -> usize {
    let document = text(page);
    let mut path = std::ffi::OsString::from(built());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let (mut count, mut renewed) = (0, document.clone());
    for Shown { command, output: pattern } in shown(&document) {
        if command.starts_with("cargo ") {
            continue;
        }
        let run = Command::new("bash")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .env("PATH", &path)
            .current_dir(folder)
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
        assert!(update, "$ {command}\n--- {page} shows\n{old}\n--- it prints\n{output}");
        let new: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        let block = |output: &str| format!("$ {command}\n{output}\n");
        renewed = renewed.replace(&block(&old), &block(&new.join("\n")));
    }
    if renewed != document {
        std::fs::write(root().join(page), renewed).unwrap();
    }
    count
}

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let count = follow("README.md", &root());
    assert!(count >= 4, "only {count} commands were found; has the README's form changed?");
}

#[test]
fn whoever_follows_the_page_on_models_gets_what_it_shows() {
    let page = "docs/models.md";
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("models");
    std::fs::create_dir_all(&folder).unwrap();
    let files = files(&text(page));
    for (name, content) in &files {
        std::fs::write(folder.join(name), content).unwrap();
    }
    let count = follow(page, &folder);
    assert!(files.len() >= 3 && count >= 6, "{} files and {count} commands were found", files.len());
}

/// The pages of the guide speak of the examples.
#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    let mut count = 0;
    for page in pages("docs/guide") {
        count += follow(&page, &root());
    }
    assert!(count >= 6, "only {count} commands were found; has the form of the guide changed?");
}

/// What is not run, because it would record or serve, is a command all the same: with `--help` in it each
/// is understood up to its last word.
#[test]
fn every_command_that_is_only_shown_is_understood() {
    let program = built().join("tracewright");
    let mut count = 0;
    for page in pages("docs/guide").into_iter().chain(["README.md".to_owned(), "docs/models.md".to_owned()]) {
        let document = text(&page);
        let blocks = document.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
        let lines = blocks.flat_map(str::lines).map(|line| line.split("   ").next().unwrap());
        let commands = lines.flat_map(|line| line.split("; "));
        for command in commands.filter_map(|command| command.trim().strip_prefix("tracewright ")) {
            let ours = command.split(" -- ").next().unwrap().split("  ").next().unwrap();
            let shell = format!("{} {ours} --help", program.display());
            let ran = Command::new("bash").args(["-c", &shell]).output().unwrap();
            let message = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{page}: tracewright {command}\n{message}");
            count += 1;
        }
    }
    assert!(count >= 20, "only {count} commands were found");
}

/// The pages below a folder.
fn pages(folder: &str) -> Vec<String> {
    let files = std::fs::read_dir(root().join(folder)).unwrap();
    let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.into_iter().map(|name| format!("{folder}/{name}")).collect()
}

#[test]
fn dots_stand_for_any_number_of_lines() {
    let pattern = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches(&pattern("a\n...\nd"), &["a", "b", "c", "d"]));
    assert!(matches(&pattern("a\n...\nd"), &["a", "d"]));
    assert!(!matches(&pattern("a\n...\nd"), &["a", "d", "e"]));
    assert!(!matches(&pattern("a"), &["b"]));
}
