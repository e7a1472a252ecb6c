//! `cargo xtask mutants`: how much of the core would break without a test noticing.
//!
//! cargo-mutants changes one expression at a time in the files of [`CORE`] and runs the tests that can notice it. A
//! change that no test notices survives. Survivors stand in [`SURVIVORS`] with the reason why no test can or should
//! notice them; one that does not stand there fails this task, and so do more than [`MOST_SURVIVORS`] in a hundred.
//! It takes hours, so it is no part of `cargo xtask test`; `--shard 0/8` tries every eighth mutant of each file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::sh::{self, Outcome, Trouble};

/// Files of one crate, and the tests that can notice what changes there: others only take time, once for each mutant.
struct Part {
    package: &'static str,
    files: &'static [&'static str],
    /// The crates whose tests these are.
    tested_by: &'static str,
    /// What is built, as options of cargo.
    targets: &'static str,
    /// What is run, as nextest writes it.
    tests: &'static str,
}

/// What everything else rests on: square detection, packet decoding, the viewer's gate, path numbering, the proof
/// checker and the decoder of captures.
const CORE: [Part; 6] = [
    Part {
        package: "tracewright-analyses",
        files: &["crates/analyses/src/loops/square/*.rs"],
        tested_by: "tracewright-analyses",
        targets: "--lib",
        tests: "test(/^loops::/)",
    },
    Part {
        package: "tracewright-formats",
        files: &["crates/formats/src/ctf/packet.rs"],
        tested_by: "tracewright-formats",
        targets: "--lib --test=ctf_*",
        tests: "test(/^ctf::/) | binary(/^ctf_/)",
    },
    Part {
        package: "viewer",
        files: &["crates/viewer/src/gate.rs"],
        tested_by: "viewer",
        targets: "--lib",
        tests: "test(/^gate::/)",
    },
    Part {
        package: "tracewright-classfile",
        files: &["crates/classfile/src/paths/numbering.rs"],
        tested_by: "tracewright-classfile,agent",
        targets: "--lib --test=numberings",
        // What is recorded comes back; without the methods of an installed JDK.
        tests: "package(tracewright-classfile) | test(/^round_trip::/) - test(java_base)",
    },
    Part {
        package: "busybeaver",
        files: &["crates/busybeaver/src/proof/check/*.rs"],
        tested_by: "busybeaver",
        targets: "--lib --test=proofs",
        tests: "all()",
    },
    Part {
        package: "tracewright-capture",
        files: &["crates/capture/src/decode/*.rs", "crates/capture/src/paths/numbering.rs"],
        tested_by: "tracewright-capture,agent",
        targets: "--lib",
        tests: "package(tracewright-capture) | test(/^round_trip::/) - test(java_base)",
    },
];

/// The survivors that are known, a line each: the mutant, two spaces and `#`, the reason.
const SURVIVORS: &str = "xtask/mutants/survivors.txt";

/// How many of a hundred mutants that compile may survive.
const MOST_SURVIVORS: usize = 10;

/// `[--shard K/N] [FILE...]`: every Nth mutant of these files, else of all of [`CORE`].
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let (shard, files) = match arguments {
        ["--shard", shard, files @ ..] => (Some(*shard), files),
        files => (None, files),
    };
    for file in files {
        if !CORE.iter().any(|part| part.has(file)) {
            let crates = CORE.map(|part| part.package).join(", ");
            return Err(Trouble::CannotDo(format!("`{file}` is in none of the crates {crates}")));
        }
    }
    for (tool, works) in
        [("cargo-mutants", "cargo mutants --version"), ("cargo-nextest", "cargo nextest --version")]
    {
        if !sh::works(works) {
            sh::run(&format!("cargo install --locked {tool}"))?;
        }
    }
    let known = known(&read(&sh::root().join(SURVIVORS))?)?;
    let mut found = Found::default();
    for part in &CORE {
        let wanted: Vec<&str> = files.iter().copied().filter(|file| part.has(file)).collect();
        if files.is_empty() {
            part.run(part.files, shard, &mut found)?;
        } else if !wanted.is_empty() {
            part.run(&wanted, shard, &mut found)?;
        }
    }
    print!("\n{}", found.by_file());
    judge(&found, &known)
}

impl Part {
    fn has(&self, file: &str) -> bool {
        // Those that are published have a longer name than their folder.
        let folder = self.package.strip_prefix("tracewright-").unwrap_or(self.package);
        file.strip_prefix("crates/")
            .and_then(|rest| rest.strip_prefix(folder))
            .is_some_and(|rest| rest.starts_with('/'))
    }

    fn run(&self, files: &[&str], shard: Option<&str>, found: &mut Found) -> Outcome {
        let output = sh::target_dir().join("mutants").join(self.package);
        fs::create_dir_all(&output).map_err(|error| {
            Trouble::CannotDo(format!("cannot make the folder {}: {error}", output.display()))
        })?;
        let Part { package, tested_by, targets, tests, .. } = self;
        let targets: String = targets.split(' ').map(|target| format!(" --cargo-arg={target}")).collect();
        let shard = shard.map_or(String::new(), |shard| format!(" --sharding round-robin --shard {shard}"));
        let files: String = files.iter().map(|file| format!(" --file {file}")).collect();
        // Some of what is changed fills memory for ever.
        let bound = if sh::works("prlimit --version") { "prlimit --as=8589934592 " } else { "" };
        let line = format!(
            "{bound}cargo mutants --colors never --timeout 60 --test-tool nextest --package {package} --test-package {tested_by}{files}{targets}{shard} --output"
        );
        println!("\n$ {line} {} -- -E '{tests}'", output.display());
        // Nobody will debug them, and linking is most of what building them takes.
        let mut command = sh::command(&line);
        command.arg(&output).args(["--", "-E", tests]).env("CARGO_PROFILE_DEV_DEBUG", "false");
        let status = command.status();
        let status =
            status.map_err(|error| Trouble::CannotDo(format!("`{line}` could not be started: {error}")))?;
        // 2: mutants survived; 3: tests took too long. Both are for us to judge.
        if !matches!(status.code(), Some(0 | 2 | 3)) {
            return Err(Trouble::CannotDo(format!("`{line}` ended with {status}")));
        }
        for (list, mutants) in [
            ("caught.txt", &mut found.caught),
            ("timeout.txt", &mut found.timed_out),
            ("missed.txt", &mut found.missed),
        ] {
            mutants.extend(self::mutants(&read(&output.join("mutants.out").join(list))?));
        }
        Ok(())
    }
}

/// What became of the mutants that compile.
#[derive(Default)]
struct Found {
    caught: Vec<String>,
    /// The tests ran for ever, which whoever runs them notices.
    timed_out: Vec<String>,
    missed: Vec<String>,
}

impl Found {
    /// A line for each file.
    fn by_file(&self) -> String {
        let mut files: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
        for (column, list) in [&self.caught, &self.timed_out, &self.missed].into_iter().enumerate() {
            for mutant in list {
                let file = mutant.split(':').next().unwrap_or(mutant);
                files.entry(file).or_default()[column] += 1;
            }
        }
        let mut text = "  tried  caught  timed out  survived\n".to_owned();
        for (file, [caught, timed_out, missed]) in files {
            let tried = caught + timed_out + missed;
            let _ = writeln!(text, "{tried:7} {caught:7} {timed_out:10} {missed:9}  {file}");
        }
        text
    }
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

/// How often each known survivor is listed: what is called the same stands there as often as it survives.
fn known(text: &str) -> Result<BTreeMap<String, usize>, Trouble> {
    let mut known = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        match line.split_once("  # ") {
            Some((mutant, _)) => *known.entry(mutant.to_owned()).or_default() += 1,
            None => return Err(Trouble::Wrong(format!("{SURVIVORS}: no reason in the line `{line}`"))),
        }
    }
    Ok(known)
}

fn judge(found: &Found, known: &BTreeMap<String, usize>) -> Outcome {
    let missed = found.missed.len();
    let all = found.caught.len() + found.timed_out.len() + missed;
    let mut allowed = known.clone();
    let is_new = |mutant: &&String| match allowed.get_mut(*mutant) {
        Some(left @ 1..) => {
            *left -= 1;
            false
        }
        _ => true,
    };
    let new: Vec<&String> = found.missed.iter().filter(is_new).collect();
    println!("{all} mutants, {missed} survived ({} known)", missed - new.len());
    for mutant in &new {
        println!("survived: {mutant}");
    }
    for mutant in
        known.keys().filter(|mutant| found.caught.contains(mutant) && !found.missed.contains(mutant))
    {
        println!("noticed by now, take it out of {SURVIVORS}: {mutant}");
    }
    if missed * 100 > all * MOST_SURVIVORS {
        return Err(Trouble::Wrong(format!("{missed} of {all} mutants survived")));
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
    use super::{CORE, Found, judge, known, mutants};

    fn found(caught: usize, missed: &str) -> Found {
        let caught = vec!["a.rs: replace + with -".to_owned(); caught];
        Found { caught, timed_out: vec![], missed: mutants(missed) }
    }

    #[test]
    fn survivors_need_a_reason_and_stay_few() {
        let (one, two) = ("a.rs:7:1: delete !\n", "a.rs:4:9: replace f -> u8 with 0\na.rs:7:1: delete !\n");
        assert_eq!(found(0, two).missed, ["a.rs: replace f -> u8 with 0", "a.rs: delete !"]);
        let reasons = known("# of a.rs\na.rs: delete !  # both give the same order\n").unwrap();
        assert!(judge(&found(98, two), &reasons).is_err(), "one of them is new");
        assert!(judge(&found(98, one), &reasons).is_ok());
        assert!(judge(&found(5, one), &reasons).is_err(), "one of six is too many");
        assert!(
            judge(&found(98, "a.rs:7:1: delete !\na.rs:8:1: delete !\n"), &reasons).is_err(),
            "there is one more"
        );
        assert!(known("a.rs: delete !\n").is_err());
    }

    #[test]
    fn each_file_has_its_figures() {
        let text = found(3, "a.rs:7:1: delete !\nb.rs:7:1: delete !\n").by_file();
        assert!(text.contains("4       3          0         1  a.rs\n"), "{text}");
        assert!(text.contains("1       0          0         1  b.rs\n"), "{text}");
    }

    #[test]
    fn parts_know_their_files() {
        for part in &CORE {
            assert!(part.files.iter().all(|file| part.has(file)), "{}", part.package);
            assert!(!part.has("crates/capturer/src/lib.rs"));
        }
    }
}
