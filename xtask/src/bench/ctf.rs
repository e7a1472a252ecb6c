//! The reader against babeltrace2: whole processes, one thread each, turn by turn.
//!
//! Traces: one that `trace.rs` generates, and the two that `../shared` brings, where it is present.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::measure::{Duel, Process, median, must_run};
use super::table::{Row, Table};
use super::trace::{self, Version};
use crate::program::{self, Profile};
use crate::sh::{self, Outcome, Trouble};

/// `info` reads every event. So must babeltrace2, whose dummy sink throws them away.
const SINK: [&str; 2] = ["-c", "sink.utils.dummy"];
const ROUNDS: usize = 11;
const MOST_MIB: f64 = 32.0;
const GENERATED_EVENTS: u32 = 1_000_000;

/// Three rows for each trace: reading, writing every event as text, and memory.
pub(crate) fn run(table: &mut Table) -> Outcome {
    let program = program::build(Profile::Release)?;
    if !sh::works("babeltrace2 --version") {
        eprintln!("babeltrace2 is not installed, so there is nobody to compare the reader with: left out");
        return Ok(());
    }
    let folder = sh::target_dir().join("bench/traces");
    trace::write(&folder.join("generated"), GENERATED_EVENTS, Version::Ctf18)?;
    let mut traces = vec![("generated", folder.join("generated"), GENERATED_EVENTS.into())];
    for (name, events) in [("many-threads", 240_644), ("memory", 328_056_u64)] {
        match unpacked(name, &folder)? {
            Some(path) => traces.push((name, path, events)),
            None => eprintln!("{name}: left out, because ../shared is not there"),
        }
    }
    for (name, path, events) in &traces {
        let path = path.to_string_lossy();
        let ours = |verb| Process { program: &program, arguments: vec![verb, &path], good: &[0, 1] };
        let peer = |arguments| Process { program: Path::new("babeltrace2"), arguments, good: &[0] };
        let (info, sink) = (ours("info"), peer([&SINK[..], &[&path]].concat()));
        let (lines, text) = (ours("events"), peer(vec![&path]));
        let printed = lines.lines();
        if printed != *events {
            return Err(Trouble::Wrong(format!("{name}: {printed} events instead of {events}")));
        }
        compare(table, &format!("ctf, {name}, read"), *events, (&info, &sink), Some(5.0))?;
        compare(table, &format!("ctf, {name}, as text"), *events, (&lines, &text), None)?;
        memory(table, &format!("ctf, {name}, memory to read"), (&info, &sink));
    }
    Ok(())
}

/// Unpacks a trace of `../shared`, once; gives the folder that holds it.
pub(crate) fn unpacked(name: &str, folder: &Path) -> Result<Option<PathBuf>, Trouble> {
    let archive = sh::root().join(format!("../shared/data/ctf/{name}.tar.zst"));
    if !archive.exists() {
        return Ok(None);
    }
    let into = folder.join("shared").join(name);
    if !into.exists() {
        let (archive, into) = (archive.to_string_lossy(), into.to_string_lossy());
        must_run("mkdir", &["-p", &into])?;
        must_run("tar", &["--zstd", "-xf", &archive, "-C", &into])?;
    }
    Ok(Some(into))
}

fn compare(
    table: &mut Table,
    what: &str,
    events: u64,
    (ours, peer): (&Process<'_>, &Process<'_>),
    target: Option<f64>,
) -> Outcome {
    let duel = Duel::fight(ours, peer, ROUNDS)?;
    let rate = |samples: &[f64]| format!("{:.2} M events/s", events as f64 / median(samples) / 1e6);
    let ratio = duel.ratio();
    table.push(Row {
        what: what.to_owned(),
        ours: rate(&duel.ours),
        peer: rate(&duel.peer),
        ratio: Some(ratio),
        target: target.map_or_else(String::new, |least| format!(">= {least} x babeltrace2")),
        reached: target.map(|least| ratio >= least),
        samples: json!({ "ours_seconds": duel.ours, "babeltrace2_seconds": duel.peer, "events": events }),
    });
    Ok(())
}

/// A trace of any size is read in bounded memory; half of what damaged input may take is the bound.
fn memory(table: &mut Table, what: &str, (ours, peer): (&Process<'_>, &Process<'_>)) {
    let (ours, peer) = (ours.peak_mib(), peer.peak_mib());
    table.push(Row {
        what: what.to_owned(),
        ours: format!("{ours:.1} MiB"),
        peer: format!("{peer:.1} MiB"),
        ratio: Some(ours / peer),
        target: format!("<= {MOST_MIB} MiB"),
        reached: Some(ours <= MOST_MIB),
        samples: json!({ "ours_mib": ours, "babeltrace2_mib": peer }),
    });
}
