//! Opening a recording: its code, its steps as a tree, its names; the tree from the cached index where there is one.

use std::path::{Path, PathBuf};

use analyses::replay::{self, Builder, Replay};
use analyses::timeline::DiagnosticLine;
use model::{FlowSource, Severity};
use viewer::{Cache, Entry, Progress};

use super::recording::{About, ClassFiles, Recording, ThreadName};
use crate::escape::plain;
use crate::exit::Result;
use crate::recordings;
use crate::source_text::Sources;
use crate::views::code_names::{ran_before, was_running};
use crate::views::diagnostic_line;

/// Steps between two looks at the clock of the progress bar.
const STRIDE: u64 = 1 << 14;
/// Facts about the recording that are shown.
const FACTS: usize = 50;
/// A recording with fewer records is read faster than an index is worth.
const WORTH_AN_INDEX: u64 = 1 << 21;

/// Reads the recording, with what lost records told where `infers` and that can be inferred.
pub(in crate::serve) fn open(
    folder: &Path,
    roots: &[PathBuf],
    infers: bool,
    cache: &Cache,
    progress: &Progress,
) -> Result<Recording> {
    let files = recordings::files(folder);
    let name = if infers { "replay" } else { "replay-without-inferred" };
    let entry = cache.entry(folder, files.iter().map(PathBuf::as_path), name);
    // What was cached is read while the heads of the recording are.
    let (cached, recording) = std::thread::scope(|scope| {
        let cached =
            scope.spawn(|| entry.as_ref().and_then(Entry::read).and_then(|bytes| replay::from_bytes(&bytes)));
        let recording = recordings::open(folder);
        (cached.join().ok().flatten(), recording)
    });
    let mut recording = recording?;
    recording.infer_lost(infers);
    let recording = recording.as_ref();
    let records: u64 = recording.threads().iter().map(|thread| thread.records).sum();
    let mut diagnostics: Vec<DiagnosticLine> =
        recording.diagnostics().iter().map(|found| diagnostic_line(found, &[])).collect();
    let replay = match cached {
        Some(replay) => replay,
        None => {
            let known = diagnostics.len();
            let replay = read(recording, records, progress, &mut diagnostics);
            // What is wrong in the steps is found only by reading them, so then they are read each time.
            if let Some(entry) = entry.filter(|_| records >= WORTH_AN_INDEX && diagnostics.len() == known) {
                entry.write(&replay::to_bytes(&replay));
            }
            replay
        }
    };
    let facts = recording.trace().environment.iter().take(FACTS).cloned().collect();
    let about = About {
        threads: recording
            .threads()
            .iter()
            .map(|thread| ThreadName {
                serial: thread.serial,
                name: thread.name.clone(),
                ran_before: ran_before(recording, thread),
            })
            .collect(),
        values: recording.values().to_vec(),
        marks: recording.marks().iter().map(|mark| mark.text.clone()).collect(),
        facts,
        diagnostics,
        missing: missing(recording),
        lost: recordings::lost(recording),
        class_files: ClassFiles::of(folder),
    };
    Ok(Recording::new(recording.code().clone(), replay, about, Sources::new(roots)))
}

/// What was dropped, and the threads of which there is nothing, in sentences.
fn missing(recording: &dyn FlowSource) -> Vec<String> {
    let running = recordings::unrecorded(recording)
        .take(FACTS)
        .map(|running| format!("Thread {}: {}", running.name, was_running(recording, running)));
    let mut missing: Vec<String> = recordings::missing(recording).into_iter().chain(running).collect();
    if missing.is_empty() && recording.course().has_uncounted_damage {
        missing.push("what missing or damaged parts held is not counted".to_owned());
    }
    missing.iter().map(|text| plain(text).into_owned()).collect()
}

fn read(
    recording: &dyn FlowSource,
    records: u64,
    progress: &Progress,
    diagnostics: &mut Vec<DiagnosticLine>,
) -> Replay {
    let mut builder = Builder::new(recording.code());
    let mut done = 0;
    for (at, thread) in recording.threads().iter().enumerate() {
        let mut flow = recording.flow(at);
        let mut steps = 0u64;
        while let Some(step) = flow.next_step() {
            builder.observe(thread.serial, step);
            steps += 1;
            if steps.is_multiple_of(STRIDE) {
                progress.set((records.min(done + flow.taken()), records));
            }
        }
        let odd = flow.anomalies().unknown_records;
        if odd > 0 {
            let sentence = format!(
                "In {} there are {odd} records that belong to no known method; they are left out.",
                plain(&thread.name)
            );
            diagnostics.push(DiagnosticLine { severity: Severity::Damage, sentence });
        }
        done += thread.records;
        progress.set((done, records));
    }
    builder.finish()
}
