//! How much a recording holds: words, bytes on the disk and blocks, counted by reading it.

use std::path::Path;
use std::process::Stdio;

use capture::{Capture, FILES};
use model::FlowStep;
use serde_json::{Value, json};
use source::NamedSource;

use super::java::{BLOCKS, Mode, PATHS, Program, folder};
use crate::sh::{Outcome, Trouble};

/// What a recording holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Held {
    pub(super) words: f64,
    pub(super) bytes: f64,
    pub(super) blocks: f64,
}

/// The same work recorded in both ways.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data {
    paths: Held,
    blocks: Held,
    pub(super) blocks_of_one_run: f64,
}

impl Data {
    pub(super) fn path_bits(&self) -> f64 {
        self.paths.words * 32.0 / self.paths.blocks
    }

    pub(super) fn path_bits_on_disk(&self) -> f64 {
        self.paths.bytes * 8.0 / self.paths.blocks
    }

    pub(super) fn block_bytes(&self) -> f64 {
        self.blocks.words * 4.0 / self.blocks.blocks
    }

    pub(super) fn json(&self) -> Value {
        let held = |held: Held| json!({ "words": held.words, "bytes": held.bytes, "blocks": held.blocks });
        json!({ "paths": held(self.paths), "blocks": held(self.blocks) })
    }
}

const RUNS: usize = 3;

/// Records a kernel in both ways, and sees to it that the same blocks come out.
pub(super) fn of_kernel(program: &Program, name: &str) -> Result<Data, Trouble> {
    let mut held = [Held::default(); 2];
    for (mode, held) in [PATHS, BLOCKS].into_iter().zip(&mut held) {
        let capture = folder().join(format!("data-{}.capture", mode.name()));
        record(program, mode, &capture, &format!("run {name} {RUNS}\n"), &["--when-full", "wait"])?;
        *held = read(&capture)?;
        let _ = std::fs::remove_dir_all(&capture);
    }
    let [paths, blocks] = held;
    if paths.blocks != blocks.blocks {
        return Err(Trouble::Wrong(format!(
            "{name}: {} blocks by paths, {} block by block",
            paths.blocks, blocks.blocks
        )));
    }
    Ok(Data { paths, blocks, blocks_of_one_run: paths.blocks / RUNS as f64 })
}

/// Runs a program that reads these lines from its start to its end under the recorder.
pub(super) fn record(
    program: &Program,
    mode: Mode,
    capture: &Path,
    lines: &str,
    options: &[&str],
) -> Outcome {
    use std::io::Write as _;
    let mut command = program.command(mode, capture, options);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let cannot = |error: std::io::Error| Trouble::CannotDo(format!("java: {error}"));
    let mut child = command.spawn().map_err(cannot)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(lines.as_bytes()).map_err(cannot)?;
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        other => Err(Trouble::Wrong(format!("the recorded program ended with {other:?}"))),
    }
}

/// Opens a capture.
pub(super) fn open(folder: &Path) -> Result<Capture, Trouble> {
    let mut files = Vec::new();
    for name in FILES {
        if let Ok(bytes) = std::fs::read(folder.join(name)) {
            files.push(NamedSource { name: name.to_owned(), source: Box::new(bytes) });
        }
    }
    Capture::open(files).map_err(|error| Trouble::Wrong(format!("{}: {error}", folder.display())))
}

/// Reads all of it.
pub(super) fn read(folder: &Path) -> Result<Held, Trouble> {
    let capture = open(folder)?;
    let bytes = std::fs::metadata(folder.join("steps")).map_or(0, |about| about.len());
    let (mut words, mut blocks) = (0, 0);
    for thread in &capture.threads {
        if thread.lost() > 0 {
            return Err(Trouble::Wrong(format!("{}: {} words were lost", folder.display(), thread.lost())));
        }
        words += thread.words();
        blocks += blocks_of(&capture, thread);
    }
    Ok(Held { words: words as f64, bytes: bytes as f64, blocks: blocks as f64 })
}

/// How many blocks a thread ran.
pub(super) fn blocks_of(capture: &Capture, thread: &capture::Thread) -> u64 {
    let (mut flow, mut blocks) = (capture.flow(thread), 0);
    while let Some(step) = flow.next_step() {
        match step {
            FlowStep::Blocks { blocks: some, times } => blocks += some.len() as u64 * times,
            FlowStep::Catch { .. } => blocks += 1,
            _ => {}
        }
    }
    blocks
}
