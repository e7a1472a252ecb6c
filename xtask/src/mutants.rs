//! `cargo xtask mutants`: how much of the core would break without a test noticing.
//!
//! cargo-mutants changes one expression at a time in the files of [`CORE`] and runs the tests of the
//! file's crate. A change that no test notices survives. Survivors stand in [`SURVIVORS`] with the
//! reason why no test can or should notice them; one that does not stand there fails this chore, and
//! so do more than [`MOST_SURVIVORS`] in a hundred. It takes hours, so it is no part of `cargo xtask test`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::sh::{self, Outcome, Trouble};

/// What everything else rests on: square detection, packet decoding, the viewer's gate, path
/// numbering, the proof checker and the decoder of captures.
const CORE: [&str; 6] = [
    "crates/analyses/src/loops/square/*.rs",
    "crates/formats/src/ctf/packet.rs",
    "crates/tracewright/src/serve/gate.rs",
    "crates/classfile/src/paths/numbering.rs",
    "crates/busybeaver/src/proof/check/*.rs",
    "crates/capture/src/decode/*.rs",
];

/// The survivors that are known, a line each: the mutant, two spaces and `#`, the reason.
const SURVIVORS: &str = "xtask/mutants/survivors.txt";

/// How many of a hundred mutants that compile may survive.
const MOST_SURVIVORS: usize = 10;

/// `[FILE...]`: the mutants of these files only, else of all of [`CORE`].
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    if !sh::works("cargo mutants --version") {
        sh::run("cargo install --locked cargo-mutants")?;
    }
    let known = known(&read(&sh::root().join(SURVIVORS))?)?;
    let files: &[&str] = if arguments.is_empty() { &CORE } else { arguments };
    let output = sh::target_dir();
    let mut command = sh::command("cargo mutants --no-shuffle --colors never --timeout 300 --output");
    command.arg(&output);
    for file in files {
        command.args(["--file", file]);
    }
    let line = format!("cargo mutants --output {} --file {}", output.display(), files.join(" --file "));
    println!("\n$ {line}");
    // Its exit code says that mutants survived, which is for us to judge; without its lists it did not run.
    command.status().map_err(|error| Trouble::CannotDo(format!("`{line}` could not be started: {error}")))?;
    let list = |name: &str| read(&output.join("mutants.out").join(name)).map(|text| mutants(&text));
    let (caught, missed, timeout) = (list("caught.txt")?, list("missed.txt")?, list("timeout.txt")?);
    judge(caught.len() + timeout.len(), &missed, &known)
}

fn read(path: &Path) -> Result<String, Trouble> {
    fs::read_to_string(path)
        .map_err(|error| Trouble::CannotDo(format!("cannot read {}: {error}", path.display())))
}

/// The mutants of one of cargo-mutants' lists, without the line numbers: those change with every edit.
fn mutants(list: &str) -> Vec<String> {
    let without_position = |line: &str| {
        let mut parts = line.splitn(4, ':');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(file), Some(_), Some(_), Some(change)) => format!("{file}:{change}"),
            _ => line.to_owned(),
        }
    };
    list.lines().map(without_position).collect()
}

/// The reason of each known survivor.
fn known(text: &str) -> Result<BTreeMap<String, String>, Trouble> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.split_once("  # ") {
            Some((mutant, reason)) => Ok((mutant.to_owned(), reason.to_owned())),
            None => Err(Trouble::Wrong(format!("{SURVIVORS}: no reason in the line `{line}`"))),
        })
        .collect()
}

fn judge(noticed: usize, missed: &[String], known: &BTreeMap<String, String>) -> Outcome {
    let all = noticed + missed.len();
    println!("{all} mutants, {} survived ({} known)", missed.len(), known.len());
    let new: Vec<&String> = missed.iter().filter(|mutant| !known.contains_key(*mutant)).collect();
    for mutant in &new {
        println!("survived: {mutant}");
    }
    if missed.len() * 100 > all * MOST_SURVIVORS {
        return Err(Trouble::Wrong(format!("{} of {all} mutants survived", missed.len())));
    }
    match new.len() {
        0 => Ok(()),
        count => Err(Trouble::Wrong(format!(
            "{count} survivors are new: write a test that notices each, or its reason into {SURVIVORS}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::{judge, known, mutants};

    #[test]
    fn survivors_need_a_reason_and_stay_few() {
        let list = "a.rs:4:9: replace f -> u8 with 0\na.rs:7:1: delete !\n";
        let missed = mutants(list);
        assert_eq!(missed, ["a.rs: replace f -> u8 with 0", "a.rs: delete !"]);
        let reasons = known("# of a.rs\na.rs: delete !  # both give the same order\n").unwrap();
        assert!(judge(98, &missed, &reasons).is_err(), "one of them is new");
        assert!(judge(98, &missed[1..], &reasons).is_ok());
        assert!(judge(5, &missed[1..], &reasons).is_err(), "one of six is too many");
        assert!(known("a.rs: delete !\n").is_err());
    }
}
