//! Recording Java programs: how much slower they run, how much data that makes, how fast it is read.
//!
//! ```text
//! kernels.rs    small CPU-bound programs under no recorder, the paper's and ours
//! threads.rs    two threads of such a program against one
//! programs.rs   h2, antlr4 and ecj once they are warm, saxon and jython from start to end
//! server.rs     requests a second of a small server
//! decode.rs     blocks a second that the reader gets through
//! java.rs, data.rs, paper.rs   Java programs that take commands; captures; the paper's design
//! jacoco.rs     what most Java programs are recorded with: which blocks ran, no more
//! ```
//!
//! All programs of a comparison run side by side and are measured in turn, so whatever else the machine
//! does hits all of them. Times of single threads are processor time. The paper's design is one
//! synchronized method for all threads, records of 14 bytes, and two buffers of 32 MB.

mod data;
mod decode;
mod jacoco;
mod java;
mod kernels;
mod paper;
mod programs;
mod server;
mod threads;

use std::path::PathBuf;

use serde_json::Value;

use super::table::{Row, Table};
use crate::packages;
use crate::program::{self, Profile};
use crate::sh::{self, Outcome, Trouble};

/// How long everything is done.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Turns of each program.
    rounds: usize,
    /// Runs of a kernel before it is measured, and in each turn.
    warm: usize,
    runs: usize,
    /// Real programs run so many times the runs that they need at least to become warm.
    warm_times: usize,
    /// How long a server is asked in a turn.
    server_ms: u64,
}

const SHORT: Size = Size { rounds: 3, warm: 40, runs: 11, warm_times: 1, server_ms: 600 };
const LONG: Size = Size { rounds: 9, warm: 80, runs: 15, warm_times: 2, server_ms: 2000 };

const SOURCES: [(&str, &str); 4] = [
    ("Kernels", include_str!("Kernels.java")),
    ("Programs", include_str!("Programs.java")),
    ("PaperRecorder", include_str!("PaperRecorder.java")),
    ("Server", include_str!("Server.java")),
];

/// A part of the measurements.
type Part = fn(&mut Table, &java::Program, Size) -> Outcome;

const ALL: [Part; 5] = [kernels::run, threads::run, server::run, programs::run, decode::run];

/// Three turns of each: twenty minutes, most of them for real programs to become warm.
pub(super) fn run(table: &mut Table) -> Outcome {
    measure(table, &ALL, SHORT)
}

/// Nine turns, and longer ones.
pub(super) fn run_long(table: &mut Table) -> Outcome {
    measure(table, &ALL, LONG)
}

pub(super) fn run_kernels(table: &mut Table) -> Outcome {
    measure(table, &[kernels::run], SHORT)
}

pub(super) fn run_threads(table: &mut Table) -> Outcome {
    measure(table, &[threads::run], SHORT)
}

pub(super) fn run_server(table: &mut Table) -> Outcome {
    measure(table, &[server::run], SHORT)
}

pub(super) fn run_programs(table: &mut Table) -> Outcome {
    measure(table, &[programs::run], SHORT)
}

pub(super) fn run_start(table: &mut Table) -> Outcome {
    measure(table, &[programs::run_short], SHORT)
}

pub(super) fn run_reading(table: &mut Table) -> Outcome {
    measure(table, &[decode::run], SHORT)
}

fn measure(table: &mut Table, parts: &[Part], size: Size) -> Outcome {
    if !packages::has_jdk() {
        eprintln!("there is no JDK, so there is no Java program to record: left out");
        return Ok(());
    }
    program::build(Profile::Release)?;
    let kernels = compile()?;
    parts.iter().try_for_each(|part| part(table, &kernels, size))
}

/// Where our own Java programs are compiled to.
fn classes() -> PathBuf {
    java::folder().join("classes")
}

/// Compiles them, and inserts the paper's recorder into a copy.
fn compile() -> Result<java::Program, Trouble> {
    let cannot = |error: std::io::Error| Trouble::CannotDo(error.to_string());
    let (sources, classes, paper) = (java::folder().join("sources"), classes(), java::folder().join("paper"));
    std::fs::create_dir_all(&sources).map_err(cannot)?;
    let mut line = format!("javac -nowarn -g -d {}", classes.display());
    for (name, text) in SOURCES {
        let file = sources.join(format!("{name}.java"));
        std::fs::write(&file, text).map_err(cannot)?;
        line = format!("{line} {}", file.display());
    }
    sh::run(&line)?;
    paper::rewrite_all(&classes, &paper, &mut 0)?;
    Ok(java::Program {
        class_path: classes.display().to_string(),
        paper_class_path: paper.display().to_string(),
        arguments: vec!["Kernels".to_owned()],
    })
}

fn geomean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

fn row(
    what: &str,
    ours: String,
    peer: String,
    ratio: Option<f64>,
    target: String,
    reached: Option<bool>,
    samples: Value,
) -> Row {
    Row { what: what.to_owned(), ours, peer, ratio, target, reached, samples }
}
