//! `cargo xtask fuzz-minute`: each fuzz target gets a minute of seeded mutations.
//!
//! Each target runs in a child process, so that a find that kills the process (a stack overflow, an
//! allocation of the whole memory, a hang) is a find like any other: the child is run again with
//! the same seed and writes down each input before it tries it, and the last one is the culprit.

use std::path::PathBuf;
use std::process::Command;

use crate::sh::{self, Outcome, Trouble};

/// The exit code of a child that found something and saved it.
const FOUND: i32 = 3;

/// Where inputs are put that broke something.
fn found_dir() -> PathBuf {
    sh::target_dir().join("fuzz/found")
}

/// The same seed gives the same inputs; a night run may want another one.
const SEED: u64 = 20_261_121;

/// `[--seconds N] [--seed N] [TARGET]`
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let wish = Wish::parse(arguments)?;
    // Not a release build: overflows and failed debug assertions are to be found too.
    sh::run("cargo build --quiet --package xtask --bin fuzz-child")?;
    std::fs::create_dir_all(found_dir())
        .map_err(|error| Trouble::CannotDo(format!("{}: {error}", found_dir().display())))?;
    println!(
        "{:<14} {:>12} {:>10} {:>9} {:>11} {:>6}",
        "target", "inputs", "a second", "longest", "memory", "found"
    );
    let mut broken = Vec::new();
    for (name, _) in ::fuzz::TARGETS {
        if wish.only.as_deref().is_some_and(|only| only != *name) {
            continue;
        }
        let status = child(name, &wish, false)?;
        match status.code() {
            Some(0) => {}
            Some(FOUND) => broken.push((*name).to_owned()),
            _ => {
                println!("{name}: the process died ({status}); looking for the input that killed it");
                child(name, &wish, true)?;
                let last = found_dir().join(format!("{name}.last"));
                println!("{name}: it is {}", last.display());
                broken.push((*name).to_owned());
            }
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    Err(Trouble::Wrong(format!(
        "{} broke; the inputs are in {}. Keep each under corpus/TARGET/ with a sentence in corpus/README.md",
        broken.join(", "),
        found_dir().display()
    )))
}

fn child(name: &str, wish: &Wish, careful: bool) -> Result<std::process::ExitStatus, Trouble> {
    let program = sh::target_dir().join("debug/fuzz-child");
    // Writing each input down is slower, so the search for the culprit gets more time.
    let seconds = if careful { wish.seconds * 10 + 60 } else { wish.seconds };
    let mut command = Command::new(program);
    command.args([name, &seconds.to_string(), &wish.seed.to_string()]).arg(found_dir());
    if careful {
        command.arg("careful");
    }
    command.status().map_err(|error| Trouble::CannotDo(format!("the child did not start: {error}")))
}

struct Wish {
    seconds: u64,
    seed: u64,
    only: Option<String>,
}

impl Wish {
    fn parse(arguments: &[&str]) -> Result<Wish, Trouble> {
        let mut wish = Wish { seconds: 60, seed: SEED, only: None };
        let mut words = arguments.iter();
        while let Some(&word) = words.next() {
            match word {
                "--seconds" | "--seed" => {
                    let number = words.next().and_then(|text| text.parse().ok());
                    let Some(number) = number else {
                        return Err(Trouble::CannotDo(format!("{word} wants a number")));
                    };
                    *(if word == "--seed" { &mut wish.seed } else { &mut wish.seconds }) = number;
                }
                name if ::fuzz::TARGETS.iter().any(|target| target.0 == name) => {
                    wish.only = Some(name.to_owned());
                }
                other => {
                    let names: Vec<_> = ::fuzz::TARGETS.iter().map(|target| target.0).collect();
                    let names = names.join(", ");
                    return Err(Trouble::CannotDo(format!(
                        "`{other}` is neither an option nor one of the targets {names}"
                    )));
                }
            }
        }
        Ok(wish)
    }
}
