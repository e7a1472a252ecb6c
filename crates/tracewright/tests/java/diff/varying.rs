//! Programs that vary by themselves: recorded several times, and changed in one place.
//!
//! Those in `varying/` were looked at while `--baseline` was built, those in `varying/held/` were not, nor were generated
//! programs with seeds of 500 and more. All of it: `cargo nextest run -p tracewright --test java --run-ignored only varying
//! --no-capture`.

use super::{changed::Made, changes, diff, events, generated_program, number, record, record_with};
use crate::jdk::{Program, program_of};
use crate::show;

type Text = (&'static str, &'static str);

macro_rules! programs {
    ($folder:literal: $($name:literal)*) => {
        [$(($name, include_str!(concat!("varying/", $folder, $name, ".java")))),*]
    };
}

const TUNED: [Text; 6] = programs!("": "Climbing" "Futures" "Levels" "Philosophers" "Rotation" "Splitting");
const HELD: [Text; 10] = programs!("held/": "Bank" "Cache" "Consumers" "Deadlines" "Identity" "Pivots" "Pool" "Streams"
    "Treiber" "Walks");

/// Whether a recording has no difference to three others of the same; and whether two have one without them.
fn is_quiet(java: &Program) -> (bool, bool) {
    ["a", "a2", "a3", "b"].iter().for_each(|name| record(java, name));
    let varies = diff(java, &["a", "b"]).1 == 1;
    let (report, code) = diff(java, &["b", "--baseline", "a", "a2", "a3"]);
    if code != 0 {
        eprintln!("{}: {report}", java.main);
    }
    (code == 0, varies)
}

/// How many of the programs are quiet, and vary.
fn quiet(programs: impl Iterator<Item = Option<Program>>) -> (usize, usize, usize) {
    let mut counts = (0, 0, 0);
    for java in programs {
        let Some(java) = java else { return counts };
        let (quiet, varies) = is_quiet(&java);
        counts = (counts.0 + usize::from(quiet), counts.1 + usize::from(varies), counts.2 + 1);
        eprintln!("{}: {} of {} quiet, {} vary", java.main, counts.0, counts.2, counts.1);
    }
    counts
}

fn written(programs: &[Text]) -> impl Iterator<Item = Option<Program>> + '_ {
    programs.iter().map(|(name, text)| program_of(name, text))
}

#[test]
#[ignore = "takes minutes"]
fn what_varies_by_itself_is_not_reported() {
    let (programs, first) = (number("DIFF_PROGRAMS", 20), number("DIFF_SEED", 100));
    let generated = quiet((first..first + programs).map(|seed| generated_program(seed, true)));
    let (tuned, held) = (quiet(written(&TUNED)), quiet(written(&HELD)));
    eprintln!("quiet, vary, all: generated {generated:?}, tuned {tuned:?}, held out {held:?}");
    for (quiet, _, all) in [generated, tuned, held] {
        assert!(quiet * 10 >= all * 9, "{generated:?} {tuned:?} {held:?}");
    }
}

/// What became of changes of programs that vary.
#[derive(Debug, Default)]
struct Found {
    changed: usize,
    reported: usize,
    /// The changed method is the first or second that is named.
    named: usize,
}

/// A change counts if it changes what runs with the same random numbers.
fn judge(java: &Program, was: &[String], made: &Made, found: &mut Found) {
    const RANDOM: &str = "-Dchance=7";
    record_with(java, "same", &[RANDOM]);
    if !java.folder.join("same/code").is_file() || events(&show::open(&java.folder.join("same"))) == was {
        return;
    }
    record(java, "b");
    if !java.folder.join("b/code").is_file() {
        return;
    }
    found.changed += 1;
    let arguments = ["b", "--baseline", "a", "a2", "a3"];
    let (report, code) = diff(java, &arguments);
    found.reported += usize::from(code == 1);
    if code != 1 {
        eprintln!(
            "{}: {} in {}:{}: {code} {}",
            java.main, made.kind, made.method, made.line, report["varying"]
        );
    }
    let methods = report["methods"].as_array().unwrap().iter().take(2);
    found.named += usize::from(methods.into_iter().any(|method| method["method"] == made.method.as_str()));
}

#[test]
#[ignore = "takes minutes"]
fn changes_of_varying_programs_are_found() {
    let (programs, count, first) =
        (number("DIFF_PROGRAMS", 20), number("DIFF_CHANGES", 100), number("DIFF_SEED", 100));
    let mut found = Found::default();
    for seed in first..first + programs {
        let Some(java) = generated_program(seed, true) else { return };
        ["a", "a2", "a3"].iter().for_each(|name| record(&java, name));
        record_with(&java, "was", &["-Dchance=7"]);
        let was = events(&show::open(&java.folder.join("was")));
        changes(&java, seed, (count / programs) as usize, |made| judge(&java, &was, made, &mut found));
        eprintln!("{seed}: {found:?}");
    }
    assert!(found.reported * 10 >= found.changed * 9, "{found:?}");
}
