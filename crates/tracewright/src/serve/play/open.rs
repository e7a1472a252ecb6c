//! Opening a capture: its code, its steps as a tree, its names; the tree from the kept index where there is one.

use std::path::{Path, PathBuf};

use analyses::replay::{self, Builder, Replay};
use analyses::timeline::DiagnosticLine;
use capture::Capture;
use model::Severity;
use source::NamedSource;

use super::recording::{About, ClassFiles, Recording, ThreadName};
use super::source::Sources;
use crate::escape::plain;
use crate::exit::{Result, Stop};
use crate::files::{Found, LazyFile};
use crate::serve::job::Progress;
use crate::serve::kept::{Cache, Place};
use crate::views::code_names::ran_before;
use crate::views::diagnostic_line;

/// Steps between two looks at the clock of the progress bar.
const STRIDE: u64 = 1 << 14;
/// A capture with fewer words is read faster than an index is worth.
const WORTH_AN_INDEX: u64 = 1 << 21;

/// Whether a path looks like a capture: a folder with one of its files and no trace of another kind.
pub(crate) fn is_capture(path: &Path) -> bool {
    path.is_dir()
        && capture::FILES.iter().any(|name| path.join(name).is_file())
        && !path.join("metadata").is_file()
}

/// The files of a capture that are there; only `code` where no steps are wanted.
pub(super) fn files(folder: &Path, names: &[&str]) -> Vec<NamedSource> {
    let found = names.iter().enumerate().filter_map(|(number, name)| {
        let path = folder.join(name);
        let size = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
        let source = Box::new(LazyFile::new(Found { path, size }, number));
        Some(NamedSource { name: (*name).to_owned(), source })
    });
    found.collect()
}

/// Reads the capture.
pub(super) fn open(
    folder: &Path,
    roots: &[PathBuf],
    cache: &Cache,
    progress: &Progress,
) -> Result<Recording> {
    let kept_files: Vec<PathBuf> = capture::FILES.iter().map(|name| folder.join(name)).collect();
    let place = cache.place(folder, kept_files.iter().map(PathBuf::as_path), "replay");
    // What was kept is read while the heads of the capture are.
    let (kept, capture) = std::thread::scope(|scope| {
        let kept =
            scope.spawn(|| place.as_ref().and_then(Place::read).and_then(|bytes| replay::from_bytes(&bytes)));
        let capture = Capture::open(files(folder, &capture::FILES));
        (kept.join().ok().flatten(), capture)
    });
    let capture = match capture {
        Ok(capture) => capture,
        Err(error) => return Stop::failed(format!("cannot read {}: {error}", folder.display())),
    };
    let words: u64 = capture.threads.iter().map(capture::Thread::words).sum();
    let mut diagnostics: Vec<DiagnosticLine> =
        capture.diagnostics.iter().map(|found| diagnostic_line(found, &[])).collect();
    let replay = match kept {
        Some(replay) => replay,
        None => {
            let known = diagnostics.len();
            let replay = read(&capture, words, progress, &mut diagnostics);
            // What is wrong in the steps is found only by reading them, so then they are read each time.
            if let Some(place) = place.filter(|_| words >= WORTH_AN_INDEX && diagnostics.len() == known) {
                place.write(&replay::to_bytes(&replay));
            }
            replay
        }
    };
    let mut facts = vec![];
    if let Some(header) = &capture.header {
        facts.extend(header.about.iter().take(50).cloned());
    }
    let about = About {
        threads: capture
            .threads
            .iter()
            .map(|thread| ThreadName {
                serial: thread.serial,
                name: thread.name(),
                ran_before: ran_before(&capture, thread),
            })
            .collect(),
        facts,
        diagnostics,
        lost: capture.threads.iter().map(capture::Thread::lost).fold(0, u64::saturating_add),
        class_files: ClassFiles::of(folder),
    };
    Ok(Recording::new(capture.code, replay, about, Sources::new(roots)))
}

fn read(capture: &Capture, words: u64, progress: &Progress, diagnostics: &mut Vec<DiagnosticLine>) -> Replay {
    let mut builder = Builder::new(&capture.code);
    let mut done = 0;
    for thread in &capture.threads {
        let mut flow = capture.flow(thread);
        let mut steps = 0u64;
        while let Some(step) = flow.next_step() {
            builder.observe(thread.serial, step);
            steps += 1;
            if steps.is_multiple_of(STRIDE) {
                progress.set((words.min(done + flow.taken()), words));
            }
        }
        let doubts = flow.doubts();
        let odd = doubts.unknown_words;
        if odd > 0 {
            let sentence = format!(
                "In {} there are {odd} records that belong to no known method; they are left out.",
                plain(&thread.name())
            );
            diagnostics.push(DiagnosticLine { severity: Severity::Damage, sentence });
        }
        done += thread.words();
        progress.set((done, words));
    }
    builder.finish()
}
