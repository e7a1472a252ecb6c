//! Records that were lost are deduced: programs are recorded whole, damaged afterwards or recorded with real drops, and what
//! is deduced is held against what ran.
//!
//! `cargo nextest run -p tracewright --test java --run-ignored only lost_records --no-capture` prints the figures. `LOST_CAPTURES`
//! may name a folder with further captures, recorded whole, each of which is a folder in it.

use std::path::{Path, PathBuf};

use capture::damage::{self, Figures};
use capture::fixture::Rng;
use capture::{CODE, Capture, STEPS};
use source::NamedSource;

use crate::jdk;

/// Small programs: data, texts, recursion, exceptions, lambda expressions, streams.
const PROGRAMS: [&str; 12] = [
    "Bank",
    "Events",
    "Graph",
    "Inventory",
    "Life",
    "Machine",
    "Queens",
    "Sorts",
    "Streams",
    "Tokens",
    "Tree",
    "Words",
];

/// So many records lie between two losses, about.
const APART: usize = 200;

fn open(code: &[u8], steps: &[u8]) -> Capture {
    let named =
        |name: &str, bytes: &[u8]| NamedSource { name: name.to_owned(), source: Box::new(bytes.to_vec()) };
    Capture::open(vec![named(CODE, code), named(STEPS, steps)]).unwrap()
}

/// What is found where so many records in a row are left out of a capture again and again.
fn found(folder: &Path, at_once: usize) -> Figures {
    let [code, steps] = [CODE, STEPS].map(|name| std::fs::read(folder.join(name)).unwrap());
    let damaged = damage::without(&open(&code, &steps), at_once, APART, &mut Rng(77 + at_once as u64));
    let capture = open(&code, &damaged.steps);
    let mut figures = Figures::default();
    for (thread, lost) in capture.threads.iter().zip(&damaged.lost) {
        let mut flow = capture.flow_with_lost(thread);
        while flow.next_step().is_some() {}
        let shown = folder.display();
        figures.add(&capture, flow.filled(), lost, |gap, filled| {
            panic!("{shown}, {at_once} at once, gap {gap}: {filled:?} is {:?}", lost[gap]);
        });
    }
    figures
}

fn source(main: &str) -> String {
    let path = format!("tests/java/programs/lost/{main}.java");
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Prints the figures of captures, and gives the mean share that was right of one and of four at once.
fn shares(captures: &[(String, PathBuf)]) -> [f64; 2] {
    [1, 4].map(|at_once| {
        let mut sum = 0.0;
        for (name, folder) in captures {
            let figures = found(folder, at_once);
            let share = figures.right as f64 / figures.gaps.max(1) as f64;
            eprintln!("{name:24} {at_once} at once: {:.3} right, {figures:?}", share);
            sum += share;
        }
        sum / captures.len() as f64
    })
}

#[test]
#[ignore = "records twelve programs twice"]
fn most_of_what_programs_lost_is_found_and_the_only_way_is_never_wrong() {
    for (mode, least) in [("blocks", [0.97, 0.85]), ("paths", [0.80, 0.45])] {
        let mut retained = vec![];
        let mut captures = vec![];
        for main in PROGRAMS {
            let Some(program) = jdk::program_of(main, &source(main)) else { return };
            let ran = program.recorded(&["-o", "it.capture", "--mode", mode], &[], &[]).output().unwrap();
            assert!(ran.status.success(), "{}", jdk::shown(&ran));
            captures.push((format!("{main}.{mode}"), program.folder.join("it.capture")));
            retained.push(program);
        }
        if let Some(more) = std::env::var_os("LOST_CAPTURES") {
            let suffix = format!(".{mode}");
            for entry in std::fs::read_dir(more).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if name.ends_with(&suffix) {
                    captures.push((name, path));
                }
            }
        }
        let shares = shares(&captures);
        eprintln!("{mode}: {shares:?}");
        assert!(shares[0] >= least[0] && shares[1] >= least[1], "{mode}: {shares:?}");
    }
}
