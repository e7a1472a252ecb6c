//! `cargo xtask settle W H`: the proof of `docs/bb-6x6.md`, from the search to the last independent check.
//!
//! All that is made lies in `target/settle/WxH`; what is there already is not made again, so that a run
//! that was interrupted goes on where it was.

use std::fs;
use std::path::Path;

use crate::program::{self, Profile};
use crate::sh::{self, Outcome, Trouble};

/// Parts in which the independent checker goes through the list, each done whole or not at all.
const PARTS: usize = 64;
/// Steps after which a program needs a certificate; the longest of 6 by 6 takes 573.
const STEPS: u32 = 1_000;

/// Settles a size. Of the certificates, the independent checker takes each `sample`-th.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let (width, height, sample) = match *arguments {
        [width, height] => (width, height, "1"),
        [width, height, "--sample", sample] => (width, height, sample),
        _ => return Err(Trouble::CannotDo("give a size: settle W H [--sample N]".into())),
    };
    let is_number = |text: &str| text.parse::<u32>().is_ok_and(|number| number > 0);
    if ![width, height, sample].into_iter().all(is_number) {
        return Err(Trouble::CannotDo("a width, a height and a sample are numbers".into()));
    }
    let folder = sh::target_dir().join("settle").join(format!("{width}x{height}"));
    let made = |error: std::io::Error| Trouble::CannotDo(format!("{}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(made)?;
    let at = |name: &str| folder.join(name).display().to_string();
    let (proofs, enumerate, hanging) = (at("proofs.txt"), at("enumerate"), at("hanging.txt"));
    let program = program::build(Profile::Release)?.display().to_string();
    if !Path::new(&proofs).exists() {
        sh::run(&format!("{program} 2l search {width} {height} --certificates {proofs}"))?;
    }
    sh::run(&format!("{program} 2l verify --covers {width} {height} {proofs}"))?;
    sh::run(&format!("cc -O2 -o {enumerate} proofs/enumerate.c"))?;
    shell(&format!(
        "{enumerate} {width} {height} {STEPS} > {hanging}.new && LC_ALL=C sort {hanging}.new > {hanging}"
    ))?;
    shell(&format!("cut -d ' ' -f 1 {proofs} | LC_ALL=C sort | cmp - {hanging}"))?;
    println!("each program that does not halt within {STEPS} steps has one certificate, and no other has");
    check(&proofs, &at("checked"), sample)?;
    check_in_coq(&proofs)
}

/// Runs the checker that is proved sound on a part that takes it seconds.
fn check_in_coq(proofs: &str) -> Outcome {
    if !sh::works("coqc --version") {
        println!("skipped: proofs/coq, because Coq is not installed (Debian's package coq)");
        return Ok(());
    }
    println!("checking every thousandth in Coq");
    shell(&format!("python3 proofs/coq/check.py {proofs} 7/1000"))
}

/// Runs the independent checker on all cores, part by part.
fn check(proofs: &str, done: &str, sample: &str) -> Outcome {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let sampled = format!("{proofs}.every-{sample}");
    shell(&format!("awk 'NR % {sample} == 0' {proofs} > {sampled}"))?;
    // Of a checked part, its answer is kept; of one that failed or was interrupted, nothing.
    shell(&format!(
        "seq 0 {} | xargs -P {cores} -I K sh -c 'test -e {done}-{sample}-K || (python3 proofs/check.py {sampled} K/{PARTS} > {done}-{sample}-K.new && mv {done}-{sample}-K.new {done}-{sample}-K) || (cat {done}-{sample}-K.new; exit 1)'",
        PARTS - 1
    ))?;
    shell(&format!(
        "cat {done}-{sample}-* | awk '{{ accepted += $1; refused += $3 }} END {{ print accepted \" accepted, \" refused \" refused by proofs/check.py\" }}'"
    ))
}

/// Prints `line` and has a shell run it.
fn shell(line: &str) -> Outcome {
    sh::run_in(sh::command("sh -c").arg(line), line)
}
