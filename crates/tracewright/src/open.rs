//! What an input is, and the reader that suits it.

use std::io;
use std::path::Path;

use formats::chrome;
use formats::ctf;
use formats::event_lines;
use formats::ftrace;
use formats::perf;
use formats::perfetto;
use formats::tar;
use formats::trace_dat;
use formats::trace_xml;
use model::{EventSource, FlowEvents, Timestamp};
use source::{NamedSource, Source};

use crate::copied::Copied;
use crate::exit::{Result, Stop};
use crate::files::{self, Found, LazyFile};
use crate::input::{self, Stream};
use crate::process;
use crate::recordings;
use crate::unpacked;

/// An input that was opened.
pub(crate) enum Opened {
    Ctf(Box<ctf::Reader>),
    Other(Box<dyn EventSource>),
}

/// Opens `input`: a folder or an archive of tar with a `metadata` below it is CTF, a folder with the files of a capture
/// is that, a file or stream
/// that begins like one of perf, trace-cmd or Perfetto, like text of ftrace, trace events, XML or event lines is that; other streams
/// and `*.jsonl` are event lines; all of these may be compressed.
pub(crate) fn open(input: &Path) -> Result<Box<dyn EventSource>> {
    open_at(input, None)
}

/// The same for whoever wants the events from `time` on: a CTF trace leaves out the packets before it.
pub(crate) fn open_at(input: &Path, time: Option<Timestamp>) -> Result<Box<dyn EventSource>> {
    let source = match open_any(input)? {
        Opened::Ctf(mut reader) => {
            if let Some(time) = time {
                reader.skip_to(time);
            }
            reader
        }
        Opened::Other(source) => source,
    };
    Ok(process::ending(source))
}

/// Opens an input as [`open`] does, for callers that set up a reader of CTF before it begins.
pub(crate) fn open_any(input: &Path) -> Result<Opened> {
    let shown = input.display();
    let cannot = |error: io::Error| Stop::Failed(format!("cannot open {shown}: {error}"));
    let directory = unpacked::directory(input);
    if directory != input || input.is_dir() && !recordings::is_recording(input) {
        return Ok(Opened::Ctf(open_folder(input, &directory)?));
    }
    if input.is_dir() {
        return Ok(Opened::Other(Box::new(FlowEvents::new(recordings::open(input)?))));
    }
    let stream = input::stream(input).map_err(cannot)?;
    if tar::begins(stream.beginning()) {
        let directory = unpacked::unpack(input, stream);
        let directory = directory.or_else(|error| Stop::failed(format!("cannot open {shown}: {error}")))?;
        return Ok(Opened::Ctf(open_folder(input, &directory)?));
    }
    Ok(Opened::Other(open_stream(input, stream)?))
}

/// Opens `input`, which is `stream`.
fn open_stream(input: &Path, stream: Stream) -> Result<Box<dyn EventSource>> {
    let shown = input.display();
    let cannot = |error: io::Error| Stop::Failed(format!("cannot open {shown}: {error}"));
    let is_stdin = input.as_os_str() == "-";
    if perfetto::may_be(stream.beginning()) {
        let name = stream.name.clone();
        let recording = perfetto::read(&name, stream);
        return Ok(recording.kernel.unwrap_or_else(|| Box::new(FlowEvents::new(recording.slices))));
    }
    // Standard input is open already and cannot be opened by name; its first bytes identify the format.
    if !is_stdin && recordings::is_recording(input) {
        return Ok(Box::new(FlowEvents::new(recordings::open(input)?)));
    }
    let is_file = !is_stdin && input.is_file();
    // A file that a shell connects has a number in place of a name, so no extension.
    let is_named = is_file && !["/dev", "/proc"].iter().any(|folder| input.starts_with(folder));
    if is_perf(stream.beginning()) {
        return open_perf(input, at_any_offset(input, stream).map_err(cannot)?);
    }
    if stream.beginning().starts_with(trace_dat::MAGIC) {
        return open_trace_dat(input, at_any_offset(input, stream).map_err(cannot)?);
    }
    if trace_xml::begins(stream.beginning()) || is_named && input.extension().is_some_and(|end| end == "xml")
    {
        let (name, size) = (stream.name.clone(), stream.size);
        return match trace_xml::Reader::open(&name, stream, size) {
            Ok(reader) => Ok(Box::new(reader)),
            Err(error) => Err(cannot(error)),
        };
    }
    let is_event_lines = is_event_lines(&stream);
    if !is_event_lines && ftrace::may_be(stream.beginning()) {
        let (name, size) = (stream.name.clone(), stream.size);
        return Ok(Box::new(ftrace::Reader::new(&name, stream, size)));
    }
    if !is_named && !is_event_lines && chrome::must_be(stream.beginning()) {
        let name = stream.name.clone();
        let recording = chrome::read(&name, stream);
        let recording = recording.map_err(|error| Stop::Failed(format!("cannot read {shown}: {error}")))?;
        return Ok(Box::new(FlowEvents::new(recording)));
    }
    if !is_named || is_event_lines {
        let (name, size) = (stream.name.clone(), stream.size);
        return Ok(Box::new(event_lines::Reader::new(&name, stream, size)));
    }
    if let Some(compression) = stream.compression {
        let advice = compression.advice();
        return Stop::failed(format!(
            "cannot open {shown}: {advice}; compressed event lines are read as they are"
        ));
    }
    let folder = input.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    if folder.join("metadata").is_file() {
        return Stop::failed(format!(
            "{shown} is one file of a CTF trace; give its folder, {}",
            folder.display()
        ));
    }
    Stop::failed(format!(
        "{shown} is no trace that can be read; expected a folder or a tar that holds a CTF trace (a file `metadata` and its \
         streams), a file of event lines (a JSON object with a `name` in each), a file of perf (perf.data) or of trace-cmd (trace.dat), a trace of Perfetto, text of ftrace, an XML trace, or - for one \
         of these files from standard input"
    ))
}

/// Whether these are event lines: by the name, if compressed also without its extension, or by the first line.
fn is_event_lines(stream: &Stream) -> bool {
    let name = Path::new(&stream.name);
    let inner = stream.compression.and_then(|_| name.file_stem()).map(Path::new);
    let mut names = [Some(name), inner].into_iter().flatten();
    names.any(|name| name.extension().is_some_and(|end| end == "jsonl"))
        || event_lines::begins(stream.beginning())
}

/// Whether this file, which can be read, is one of event lines that are not compressed: of these the reader knows exactly where each
/// begins.
pub(crate) fn has_plain_lines(file: &Path) -> bool {
    input::stream(file).is_ok_and(|stream| stream.compression.is_none() && is_event_lines(&stream))
}

/// Whether this is a perf.data file, which may have any name: by its first bytes, in either byte order.
fn is_perf(beginning: &[u8]) -> bool {
    beginning.starts_with(b"PERFILE2") || beginning.starts_with(b"2ELIFREP")
}

/// The same input for a reader that needs it at any offset: a file as it is, everything else in a copy.
fn at_any_offset(input: &Path, mut stream: Stream) -> io::Result<NamedSource> {
    let name = stream.name.clone();
    let is_file = input.as_os_str() != "-" && input.is_file();
    let source: Box<dyn Source> = match is_file && stream.compression.is_none() {
        true => Box::new(LazyFile::new(Found { path: input.to_owned(), size: stream.size }, 0)),
        false => Box::new(Copied::of(&mut stream)?),
    };
    Ok(NamedSource { name, source })
}

fn open_trace_dat(input: &Path, source: NamedSource) -> Result<Box<dyn EventSource>> {
    match trace_dat::Reader::open(source) {
        Ok(reader) => Ok(Box::new(reader)),
        Err(error) => Stop::failed(format!("cannot read {}: {error}", input.display())),
    }
}

fn open_perf(input: &Path, source: NamedSource) -> Result<Box<dyn EventSource>> {
    match perf::Reader::open(source) {
        Ok(reader) => Ok(Box::new(reader)),
        Err(error) => Stop::failed(format!("cannot read {}: {error}", input.display())),
    }
}

/// Opens the CTF trace in `folder`, where `input` is or was unpacked to.
fn open_folder(input: &Path, folder: &Path) -> Result<Box<ctf::Reader>> {
    let shown = input.display();
    let found =
        files::below(folder).or_else(|error| Stop::failed(format!("cannot read {shown}: {error}")))?;
    let is_metadata = |found: &&Found| found.path.file_name().is_some_and(|name| name == "metadata");
    let traces: Vec<&Path> =
        found.iter().filter(is_metadata).filter_map(|found| found.path.parent()).collect();
    let root = match traces[..] {
        [] => {
            return Stop::failed(format!(
                "{shown} holds no CTF trace: no file below it is called `metadata`; give the folder of a trace, or a \
                 file of event lines (*.jsonl)"
            ));
        }
        // Streams are called as seen from the folder that holds just the traces.
        [first, ..] => {
            let holds_all = |folder: &&Path| traces.iter().all(|trace| trace.starts_with(folder));
            first.ancestors().find(holds_all).unwrap_or(folder).to_owned()
        }
    };
    let sources = found.into_iter().filter(|found| found.path.starts_with(&root)).enumerate();
    let sources = sources.map(|(number, found)| NamedSource {
        name: found.path.strip_prefix(&root).unwrap_or(&found.path).to_string_lossy().into_owned(),
        source: Box::new(LazyFile::new(found, number)),
    });
    match ctf::Reader::open(sources.collect()) {
        Ok(reader) => Ok(Box::new(reader)),
        Err(error) => Stop::failed(format!("cannot read {shown} as a CTF trace: {error}")),
    }
}
