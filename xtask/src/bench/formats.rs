//! Formats beside CTF 1.8: CTF 2 against the same bytes in 1.8, and Chrome's JSON against simd-json.

use std::io::Write;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use super::measure::{Duel, Process, median};
use super::table::{Row, Table};
use super::trace::{self, Version};
use crate::program::{self, Profile};
use crate::sh::{self, Outcome, Trouble};

const ROUNDS: usize = 11;
const CTF_EVENTS: u32 = 2_000_000;
const CHROME_EVENTS: u64 = 1_200_000;

/// Three rows.
pub(crate) fn run(table: &mut Table) -> Outcome {
    let program = program::build(Profile::Release)?;
    let folder = sh::target_dir().join("bench/traces");
    version_2(table, &folder, &program)?;
    chrome(table, &folder, &program)
}

fn version_2(table: &mut Table, folder: &Path, program: &Path) -> Outcome {
    let (old, new) = (folder.join("generated-1.8"), folder.join("generated-2"));
    trace::write(&old, CTF_EVENTS, Version::Ctf18)?;
    trace::write(&new, CTF_EVENTS, Version::Ctf2)?;
    let (old, new) = (old.to_string_lossy(), new.to_string_lossy());
    for (verb, what) in [("info", "read"), ("events", "as text")] {
        let read = |path| Process { program, arguments: vec![verb, path], good: &[0] };
        let (ours, peer) = (read(&*new), read(&*old));
        if verb == "events" && ours.lines() != peer.lines() {
            return Err(Trouble::Wrong("the same trace in CTF 1.8 and 2 has not the same events".into()));
        }
        let duel = Duel::fight(&ours, &peer, ROUNDS)?;
        let rate =
            |samples: &[f64]| format!("{:.2} M events/s", f64::from(CTF_EVENTS) / median(samples) / 1e6);
        let ratio = duel.ratio();
        table.push(Row {
            what: format!("ctf 2, generated, {what}"),
            ours: rate(&duel.ours),
            peer: rate(&duel.peer),
            ratio: Some(ratio),
            target: ">= 0.9 x the same in CTF 1.8".into(),
            reached: Some(ratio >= 0.9),
            samples: json!({ "version_2_seconds": duel.ours, "version_1_8_seconds": duel.peer }),
        });
    }
    Ok(())
}

/// What every reader of these events has to look at.
#[derive(Debug, Deserialize)]
struct TraceEvent<'a> {
    #[serde(borrow)]
    ph: &'a str,
    #[serde(borrow)]
    name: &'a str,
    ts: f64,
    pid: u64,
    tid: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(borrow)]
    trace_events: Vec<TraceEvent<'a>>,
}

fn chrome(table: &mut Table, folder: &Path, program: &Path) -> Outcome {
    let file = folder.join("generated.chrome.json");
    let cannot = |error: std::io::Error| Trouble::CannotDo(format!("{}: {error}", file.display()));
    if !file.exists() {
        write_chrome(&file).map_err(cannot)?;
    }
    let bytes = std::fs::metadata(&file).map_err(cannot)?.len();
    let path = file.to_string_lossy();
    let ours = Process { program, arguments: vec!["info", &path], good: &[0] };
    // The fastest parser there is, made to keep five fields of each event and no call.
    let peer = || -> Result<f64, Trouble> {
        let mut text = std::fs::read(&file).map_err(cannot)?;
        let read: Document<'_> =
            simd_json::serde::from_slice(&mut text).map_err(|error| Trouble::Wrong(error.to_string()))?;
        let read_event = |event: &TraceEvent<'_>| {
            event.ts + (event.ph.len() + event.name.len()) as f64 + (event.pid + event.tid) as f64
        };
        Ok(read.trace_events.iter().map(read_event).sum())
    };
    let duel = Duel::against(&ours, ROUNDS, peer)?;
    let rate = |samples: &[f64]| bytes as f64 / median(samples) / 1e6;
    table.push(Row {
        what: "Chrome JSON, generated, read into calls".into(),
        ours: format!("{:.0} MB/s", rate(&duel.ours)),
        peer: format!("{:.0} MB/s", rate(&duel.peer)),
        ratio: Some(duel.ratio()),
        target: ">= 300 MB/s, or near simd-json, which keeps five fields".into(),
        reached: Some(rate(&duel.ours) >= 300.0),
        samples: json!({ "ours_seconds": duel.ours, "simd_json_seconds": duel.peer, "bytes": bytes }),
    });
    Ok(())
}

/// Calls of eight threads with arguments; nearly all of them end.
fn write_chrome(file: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(file.parent().unwrap_or(file))?;
    let part = file.with_extension("part");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&part)?);
    let mut stacks: Vec<Vec<u64>> = vec![vec![]; 8];
    let mut random = 1u64;
    write!(out, "{{\"traceEvents\":[")?;
    for number in 0..CHROME_EVENTS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let thread = (random >> 20) as usize % stacks.len();
        let Some(stack) = stacks.get_mut(thread) else { continue };
        let begins = stack.is_empty() || stack.len() < 12 && random >> 60 < 9;
        let method = if begins { (random >> 30) % 400 } else { stack.pop().unwrap_or_default() };
        let mut event = json!({
            "ph": if begins { "B" } else { "E" }, "name": format!("ns{}::Class{}::m{method}", method % 7, method % 31),
            "cat": "cat", "ts": number as f64 * 2.0 + 0.5, "pid": 1, "tid": thread
        });
        if begins {
            stack.push(method);
            event["args"] = json!({ "x": number, "s": format!("value {number}") });
        }
        write!(out, "{}{event}", if number == 0 { "" } else { ",\n" })?;
    }
    write!(out, "]}}")?;
    out.flush()?;
    std::fs::rename(part, file)
}
