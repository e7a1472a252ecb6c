//! Recordings of control flow: what a path is, the reader that suits it, and what threads ran as a tree.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use analyses::replay::{Builder, Replay};
use analyses::times::{Collected, Times};
use capture::Capture;
use formats::{chrome, event_lines, perfetto, uftrace};
use model::flow_source::{Anomalies, DropReason};
use model::running::Running;
use model::{FlowSource, ThreadInfo};
use source::NamedSource;

use crate::exit::{Result, Stop};
use crate::files::{Found, LazyFile};
use crate::hangs::open_frames::{self, OpenFrames};
use crate::input;
use crate::numbers::{counted, grouped};
use crate::stdin;

/// A format in which control flow is recorded.
struct Format {
    /// Whether a file or folder looks like one.
    is: fn(&Path) -> bool,
    /// The files that are read, those that are not there left out.
    files: fn(&Path) -> Vec<PathBuf>,
    /// Opens it; an error is a sentence without a full stop.
    open: fn(&Path) -> std::result::Result<Box<dyn FlowSource>, String>,
    /// What it is called behind "as".
    name: &'static str,
}

/// All formats, a line each.
const FORMATS: [Format; 4] = [
    Format { is: is_capture, files: capture_files, open: open_capture, name: "a capture" },
    Format { is: is_uftrace, files: uftrace_files, open: open_uftrace, name: "a recording of uftrace" },
    Format { is: is_chrome, files: file_itself, open: open_chrome, name: "trace events in JSON" },
    Format { is: is_perfetto, files: file_itself, open: open_perfetto, name: "a trace of Perfetto" },
];

/// One of the files of a capture lies in it. A folder with a CTF trace has a file `metadata`; captures never have.
fn is_capture(folder: &Path) -> bool {
    capture::FILES.iter().any(|name| folder.join(name).is_file()) && !folder.join("metadata").is_file()
}

fn capture_files(folder: &Path) -> Vec<PathBuf> {
    capture::FILES.iter().map(|name| folder.join(name)).filter(|path| path.is_file()).collect()
}

fn open_capture(folder: &Path) -> std::result::Result<Box<dyn FlowSource>, String> {
    match Capture::open(sources(capture_files(folder))) {
        Ok(capture) => Ok(Box::new(capture)),
        Err(error) => Err(error.to_string()),
    }
}

fn is_uftrace(folder: &Path) -> bool {
    uftrace::is_recording(|name| folder.join(name).is_file())
}

fn uftrace_files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn open_uftrace(folder: &Path) -> std::result::Result<Box<dyn FlowSource>, String> {
    match uftrace::Recording::open(sources(uftrace_files(folder))) {
        Ok(recording) => Ok(Box::new(recording)),
        Err(error) => Err(error.to_string()),
    }
}

/// What a shell connects has a number for a name, and can be read once only.
fn is_file_with_name(file: &Path) -> bool {
    file.is_file() && !["/dev", "/proc"].iter().any(|folder| file.starts_with(folder))
}

/// What comes from standard input has no name and comes once.
fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// A file that begins like packets of Perfetto and has something on a track.
fn is_perfetto(file: &Path) -> bool {
    // To look for that, the stream is read, so it must come again.
    let may_be = is_stdin(file)
        && stdin::beginning().is_ok_and(|beginning| perfetto::may_be(&beginning))
        && stdin::copy().is_ok();
    (may_be || is_file_with_name(file))
        && input::stream(file)
            .is_ok_and(|stream| perfetto::may_be(stream.beginning()) && perfetto::has_slices(stream))
}

fn open_perfetto(file: &Path) -> std::result::Result<Box<dyn FlowSource>, String> {
    let stream = input::stream(file).map_err(|error| error.to_string())?;
    let name = stream.name.clone();
    Ok(perfetto::read(&name, stream).slices)
}

/// A file that begins like JSON and neither is called event lines nor begins like them; a stream that cannot be such.
fn is_chrome(file: &Path) -> bool {
    if is_stdin(file) {
        return stdin::beginning()
            .is_ok_and(|beginning| !event_lines::begins(&beginning) && chrome::must_be(&beginning));
    }
    let is_named = |name: &str| file.to_string_lossy().ends_with(name);
    if [".jsonl", ".jsonl.gz", ".jsonl.zst"].into_iter().any(is_named) || !is_file_with_name(file) {
        return false;
    }
    let is = |beginning: &[u8]| chrome::may_be(beginning) && !event_lines::begins(beginning);
    input::stream(file).is_ok_and(|stream| is(stream.beginning()))
}

fn file_itself(file: &Path) -> Vec<PathBuf> {
    vec![file.to_owned()]
}

fn open_chrome(file: &Path) -> std::result::Result<Box<dyn FlowSource>, String> {
    let stream = input::stream(file).map_err(|error| error.to_string())?;
    let name = stream.name.clone();
    chrome::read(&name, stream).map_err(|error| error.to_string())
}

/// Files that are opened when they are first read.
fn sources(paths: Vec<PathBuf>) -> Vec<NamedSource> {
    let named = paths.into_iter().enumerate().filter_map(|(number, path)| {
        let size = path.metadata().ok()?.len();
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some(NamedSource { name, source: Box::new(LazyFile::new(Found { path, size }, number)) })
    });
    named.collect()
}

fn format(path: &Path) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.is)(path))
}

/// Whether control flow is recorded in a file or folder.
pub(crate) fn is_recording(folder: &Path) -> bool {
    format(folder).is_some()
}

/// The files that a recording is read from.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    format(folder).map_or(vec![], |format| (format.files)(folder))
}

/// Opens the recording in a file or folder.
pub(crate) fn open(folder: &Path) -> Result<Box<dyn FlowSource>> {
    let shown = folder.display();
    let Some(format) = format(folder) else {
        if !is_stdin(folder)
            && let Err(error) = readable(folder)
        {
            return Stop::failed(format!("cannot open {shown}: {error}"));
        }
        return Stop::failed(format!(
            "{shown} is no recording of control flow: expected a folder that `tracewright record` or \
             `uftrace record` has written, a file of trace events in JSON, or a trace of Perfetto with something on a track"
        ));
    };
    (format.open)(folder)
        .or_else(|error| Stop::failed(format!("cannot read {shown} as {}: {error}", format.name)))
}

/// Fails if this user may not read the path: whether it is a recording is then unknown.
fn readable(path: &Path) -> std::io::Result<()> {
    let about = path.metadata()?;
    if about.is_dir() {
        std::fs::read_dir(path)?;
    } else if about.is_file() {
        std::fs::File::open(path)?;
    }
    Ok(())
}

/// Some threads of a recording as a tree of what they ran.
pub(crate) struct Ran<'c> {
    /// The tree, its threads in the order of [`Ran::threads`].
    pub(crate) replay: Replay,
    /// The threads, by serial number.
    pub(crate) threads: Vec<&'c ThreadInfo>,
    /// How long calls of each of them took, by serial number, where that was asked for and is known.
    pub(crate) times: HashMap<u32, Collected>,
    /// Threads that were in the middle of something and of which nothing else is known.
    pub(crate) unrecorded: Vec<&'c Running>,
    /// What threads were in the middle of.
    pub(crate) open: Vec<OpenFrames>,
    /// What did not fit.
    pub(crate) anomalies: Anomalies,
}

/// Reads the threads for which `wanted` says yes to the name or the serial number.
pub(crate) fn ran(recording: &dyn FlowSource, wanted: impl Fn(&str) -> bool) -> Ran<'_> {
    ran_with_times(recording, wanted, None)
}

/// The same, and how long the calls took that took at least so many nanoseconds.
pub(crate) fn ran_with_times(
    recording: &dyn FlowSource,
    wanted: impl Fn(&str) -> bool,
    threshold: Option<i64>,
) -> Ran<'_> {
    let mut builder = Builder::new(recording.code());
    let mut anomalies = Anomalies::default();
    let is_wanted = |thread: &ThreadInfo| wanted(&thread.name) || wanted(&thread.serial.to_string());
    let threshold = threshold.filter(|_| recording.has_clock());
    let (mut threads, mut all_times) = (vec![], HashMap::new());
    for (at, thread) in recording.threads().iter().enumerate().filter(|(_, thread)| is_wanted(thread)) {
        threads.push(thread);
        let mut flow = recording.flow(at);
        let mut times = threshold.map(|threshold| Times::new(recording.code(), threshold));
        while let Some(step) = flow.next_step() {
            if let Some(times) = &mut times {
                times.observe(&step);
            }
            builder.observe(thread.serial, step);
        }
        all_times.extend(times.map(|times| (thread.serial, times.finish())));
        anomalies += flow.anomalies();
    }
    let replay = builder.finish();
    // A thread without a step is not in the tree.
    threads.retain(|thread| replay.threads.iter().any(|ran| ran.serial == thread.serial));
    let unrecorded = unrecorded(recording).filter(|running| wanted(&running.name)).collect();
    let is_wanted = |open: &OpenFrames| {
        let thread = recording.threads().iter().find(|thread| thread.tid == Some(open.tid));
        wanted(&open.thread) || thread.is_some_and(is_wanted)
    };
    let mut open = open_frames::of(recording);
    open.retain(is_wanted);
    Ran { replay, threads, times: all_times, unrecorded, open, anomalies }
}

/// The frames that a thread had when recording began, of which nothing was recorded.
pub(crate) fn running_in<'c>(recording: &'c dyn FlowSource, thread: &ThreadInfo) -> Option<&'c Running> {
    recording.running().iter().find(|running| thread.tid == Some(running.tid))
}

/// The same of the threads without any other record: they called nothing that is recorded.
pub(crate) fn unrecorded(recording: &dyn FlowSource) -> impl Iterator<Item = &Running> {
    let is_recorded =
        |running: &&Running| recording.threads().iter().any(|thread| thread.tid == Some(running.tid));
    recording.running().iter().filter(move |running| !is_recorded(running))
}

/// What is missing of a recording, in words; nothing if nothing is.
pub(crate) fn missing(recording: &dyn FlowSource) -> Vec<String> {
    let lost = lost(recording);
    if lost == 0 {
        return vec![];
    }
    let threads = recording.threads().iter().filter(|thread| thread.lost > 0).count() as u64;
    vec![format!(
        "{} of {} were dropped while recording{}",
        counted(lost, "record"),
        counted(threads, "thread"),
        why_lost(recording)
    )]
}

/// Records that were dropped and counted.
pub(crate) fn lost(recording: &dyn FlowSource) -> u64 {
    recording.threads().iter().map(|thread| thread.lost).fold(0, u64::saturating_add)
}

/// Why records were dropped, as the recorder has measured it; nothing where its last words are missing.
fn why_lost(recording: &dyn FlowSource) -> String {
    let why = |reason: &DropReason| match reason {
        DropReason::Disk => "the disk was slower than the program",
        DropReason::Processors => "the recorder did not get enough of the processors",
    };
    match recording.course().drops.as_slice() {
        [] => String::new(),
        [(reason, _)] => format!(", because {}", why(reason)),
        reasons => reasons
            .iter()
            .map(|(reason, count)| format!(", {} because {}", grouped(*count), why(reason)))
            .collect(),
    }
}
