//! Captures: folders that the recorder for Java writes.

use std::path::Path;

use analyses::replay::{Builder, Replay};
use capture::{Capture, Doubts, Running, Thread};
use model::Place;
use source::NamedSource;

use crate::exit::{Result, Stop};
use crate::files::{Found, LazyFile};
use crate::numbers::{counted, grouped};
use crate::open_frames::{self, OpenFrames};

/// Whether `folder` is a capture: one of its files lies in it.
pub(crate) fn is_capture(folder: &Path) -> bool {
    // A folder with a CTF trace has a file `metadata`; captures never have.
    [capture::CODE, capture::STEPS].iter().any(|name| folder.join(name).is_file())
        && !folder.join("metadata").is_file()
}

/// Opens the capture in `folder`.
pub(crate) fn open(folder: &Path) -> Result<Capture> {
    let shown = folder.display();
    if !folder.is_dir() {
        return Stop::failed(format!(
            "{shown} is no capture: a capture is a folder, as `tracewright record` writes it"
        ));
    }
    let mut files = vec![];
    for (number, name) in capture::FILES.into_iter().enumerate() {
        let path = folder.join(name);
        if let Ok(about) = std::fs::metadata(&path)
            && about.is_file()
        {
            let file = LazyFile::new(Found { path, size: about.len() }, number);
            files.push(NamedSource { name: name.to_owned(), source: Box::new(file) });
        }
    }
    match Capture::open(files) {
        Ok(capture) => Ok(capture),
        Err(error) => Stop::failed(format!("cannot read {shown} as a capture: {error}")),
    }
}

/// Some threads of a capture as a tree of what they ran.
pub(crate) struct Ran<'c> {
    /// The tree, its threads in the order of [`Ran::threads`].
    pub(crate) replay: Replay,
    /// The threads, by serial number.
    pub(crate) threads: Vec<&'c Thread>,
    /// Threads that were in the middle of something and of which nothing else is known.
    pub(crate) unrecorded: Vec<&'c Running>,
    /// What threads were in the middle of.
    pub(crate) open: Vec<OpenFrames>,
    /// What did not fit.
    pub(crate) doubts: Doubts,
}

/// Reads the threads for which `wanted` says yes to the name or the serial number.
pub(crate) fn ran(capture: &Capture, wanted: impl Fn(&str) -> bool) -> Ran<'_> {
    let mut builder = Builder::new(&capture.code);
    let mut doubts = Doubts::default();
    let is_wanted = |thread: &&Thread| wanted(&thread.name()) || wanted(&thread.serial.to_string());
    let mut threads: Vec<&Thread> = capture.threads.iter().filter(is_wanted).collect();
    for thread in &threads {
        let mut flow = capture.flow(thread);
        while let Some(step) = flow.next_step() {
            builder.observe(thread.serial, step);
        }
        let more = flow.doubts();
        doubts.unknown_words += more.unknown_words;
        doubts.unseen_ends += more.unseen_ends;
        doubts.unseen_beginnings += more.unseen_beginnings;
        doubts.damaged_words += more.damaged_words;
    }
    let replay = builder.finish();
    // A thread without a step is not in the tree.
    threads.retain(|thread| replay.threads.iter().any(|ran| ran.serial == thread.serial));
    let unrecorded = capture.unrecorded().filter(|running| wanted(&running.name)).collect();
    let is_wanted = |open: &OpenFrames| {
        let thread = capture.threads.iter().find(|thread| thread.tid == Some(open.tid));
        wanted(&open.thread) || thread.is_some_and(|thread| is_wanted(&thread))
    };
    let mut open = open_frames::of(capture);
    open.retain(is_wanted);
    Ran { replay, threads, unrecorded, open, doubts }
}

/// The files of it that are missing or damaged: more may have run than is shown, and what lies in no gap is not
/// counted.
pub(crate) fn damaged_files(capture: &Capture) -> impl Iterator<Item = &str> {
    const CODES: [&str; 4] =
        ["capture-file-missing", "capture-record-damaged", "capture-bytes-skipped", "capture-pool-damaged"];
    let damages = capture.diagnostics.iter().filter(|diagnostic| CODES.contains(&diagnostic.code));
    damages.filter_map(|diagnostic| match &diagnostic.place {
        Place::File { file, .. } => Some(file.as_str()),
        _ => None,
    })
}

/// What is missing of a capture, in words; nothing if nothing is.
pub(crate) fn missing(capture: &Capture) -> Vec<String> {
    let mut missing = vec![];
    let lost: u64 = capture.threads.iter().map(Thread::lost).fold(0, u64::saturating_add);
    if lost > 0 {
        let threads = capture.threads.iter().filter(|thread| thread.lost() > 0).count() as u64;
        missing.push(format!(
            "{} of {} were dropped while recording{}",
            counted(lost, "record"),
            counted(threads, "thread"),
            why_lost(capture)
        ));
    }
    missing
}

/// Why records were dropped, as the recorder has measured it; nothing where its last words are missing.
fn why_lost(capture: &Capture) -> String {
    let [disk, processors] = capture.end.as_ref().map_or([0, 0], |end| end.lost_to);
    let disk_was = "the disk was slower than the program";
    let processors_were = "the recorder did not get enough of the processors";
    match (disk, processors) {
        (0, 0) => String::new(),
        (_, 0) => format!(", because {disk_was}"),
        (0, _) => format!(", because {processors_were}"),
        _ => format!(
            ", {} because {disk_was}, {} because {processors_were}",
            grouped(disk),
            grouped(processors)
        ),
    }
}
