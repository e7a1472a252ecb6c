//! `table events`: rows a second on one core, against reading alone and against babeltrace2's text, and on two cores,
//! of one long trace, which both read, and of several traces, which are read side by side.
//!
//! One core is one of the system's (`taskset`), since what is written is encoded beside the reading.

use std::path::Path;

use serde_json::json;

use super::measure::{Duel, Process, median};
use super::table::{Row, Table};
use super::trace::{self, Version};
use crate::program::{self, Profile};
use crate::sh::{self, Outcome};

const EVENTS: u32 = 4_000_000;
const ROUNDS: usize = 7;
/// Traces that are read side by side, with as many events together.
const TRACES: u32 = 16;

pub(crate) fn run(table: &mut Table) -> Outcome {
    sh::run("cargo build --quiet --release --package tracewright --features columnar")?;
    let program = program::path(Profile::Release);
    if !sh::works("taskset --version") {
        eprintln!("taskset is not installed, so nothing is kept to one core: tables are left out");
        return Ok(());
    }
    let traces = sh::target_dir().join("bench/traces");
    let trace = traces.join("generated-4m");
    trace::write(&trace, EVENTS, Version::Ctf18)?;
    let parts = traces.join("generated-16");
    for number in 0..TRACES {
        trace::write(&parts.join(number.to_string()), EVENTS / TRACES, Version::Ctf18)?;
    }
    let (trace, program) = (trace.to_string_lossy(), program.to_string_lossy());
    let parts = parts.to_string_lossy();
    let of = |input, cores, arguments: &[&'static str]| {
        let arguments = [&["-c", cores, &program], arguments, &[input]].concat();
        Process { program: Path::new("taskset"), arguments, good: &[0] }
    };
    let on = |cores, arguments: &[&'static str]| of(&trace, cores, arguments);
    let arrow = ["table", "events", "--format", "arrow", "--jobs"];
    let (one, two) = (on("0", &[&arrow[..], &["1"]].concat()), on("0,1", &[&arrow[..], &["2"]].concat()));
    let parquet = on("0", &["table", "events", "--format", "parquet", "--jobs", "1"]);
    let info = on("0", &["info"]);
    compare(table, "tables, events as Arrow, to reading alone", (&one, &info), None)?;
    if sh::works("babeltrace2 --version") {
        let text = Process { program: Path::new("babeltrace2"), arguments: vec![&trace], good: &[0] };
        compare(table, "tables, events as Arrow, to babeltrace2 as text", (&one, &text), None)?;
    }
    compare(table, "tables, events as Parquet, to Arrow", (&parquet, &one), Some(1.0 / 3.0))?;
    compare(table, "tables, events as Arrow, one trace, two cores to one", (&two, &one), None)?;
    let one = of(&parts, "0", &[&arrow[..], &["1"]].concat());
    let two = of(&parts, "0,1", &[&arrow[..], &["2"]].concat());
    compare(table, "tables, events as Arrow, 16 traces, two cores to one", (&two, &one), Some(1.8))
}

fn compare(
    table: &mut Table,
    what: &str,
    (ours, peer): (&Process<'_>, &Process<'_>),
    least: Option<f64>,
) -> Outcome {
    let duel = Duel::fight(ours, peer, ROUNDS)?;
    let rate = |samples: &[f64]| format!("{:.2} M rows/s", f64::from(EVENTS) / median(samples) / 1e6);
    let ratio = duel.ratio();
    table.push(Row {
        what: what.to_owned(),
        ours: rate(&duel.ours),
        peer: rate(&duel.peer),
        ratio: Some(ratio),
        target: least.map_or_else(String::new, |least| format!(">= {least:.2}")),
        reached: least.map(|least| ratio >= least),
        samples: json!({ "ours_seconds": duel.ours, "peer_seconds": duel.peer, "events": EVENTS }),
    });
    Ok(())
}
