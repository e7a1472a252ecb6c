//! What an input is, and the reader that suits it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use formats::capture;
use formats::ctf;
use formats::event_lines;
use formats::perf;
use formats::source::NamedSource;
use model::{EventSource, Timestamp};

use crate::captures;
use crate::exit::{Result, Stop};
use crate::files::{self, Found, LazyFile};

/// Opens `input`: `-` and `*.jsonl` are event lines, a folder with a `metadata` below it is CTF, one with
/// the files of a capture is that, a file that begins like one of perf is that.
pub(crate) fn open(input: &Path) -> Result<Box<dyn EventSource>> {
    open_at(input, None)
}

/// The same for whoever wants the events from `time` on: a CTF trace leaves out the packets before it.
pub(crate) fn open_at(input: &Path, time: Option<Timestamp>) -> Result<Box<dyn EventSource>> {
    let shown = input.display();
    if input.as_os_str() == "-" {
        return Ok(Box::new(event_lines::Reader::new("stdin", std::io::stdin().lock(), 0)));
    }
    let about =
        std::fs::metadata(input).or_else(|error| Stop::failed(format!("cannot open {shown}: {error}")))?;
    if about.is_dir() {
        if captures::is_capture(input) {
            return Ok(Box::new(capture::Events::new(captures::open(input)?)));
        }
        return open_folder(input, time);
    }
    if input.extension().is_some_and(|extension| extension == "jsonl") {
        let file =
            File::open(input).or_else(|error| Stop::failed(format!("cannot open {shown}: {error}")))?;
        let name = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy();
        return Ok(Box::new(event_lines::Reader::new(&name, file, about.len())));
    }
    if begins_like_perf(input).or_else(|error| Stop::failed(format!("cannot open {shown}: {error}")))? {
        return open_perf(input, about.len());
    }
    let folder = input.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    if folder.join("metadata").is_file() {
        return Stop::failed(format!(
            "{shown} is one file of a CTF trace; give its folder, {}",
            folder.display()
        ));
    }
    Stop::failed(format!(
        "{shown} is no trace that can be read; expected a folder that holds a CTF trace (a file `metadata` and its \
         streams), a file of event lines (*.jsonl), a file of perf (perf.data), or - for event lines from standard input"
    ))
}

/// perf.data may have any name; its first bytes tell, in either byte order.
fn begins_like_perf(input: &Path) -> io::Result<bool> {
    let mut first = vec![];
    File::open(input)?.take(8).read_to_end(&mut first)?;
    Ok(first == b"PERFILE2" || first == b"2ELIFREP")
}

fn open_perf(input: &Path, size: u64) -> Result<Box<dyn EventSource>> {
    let name = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy().into_owned();
    let file = LazyFile::new(Found { path: input.to_owned(), size }, 0);
    match perf::Reader::open(NamedSource { name, source: Box::new(file) }) {
        Ok(reader) => Ok(Box::new(reader)),
        Err(error) => Stop::failed(format!("cannot read {}: {error}", input.display())),
    }
}

fn open_folder(folder: &Path, time: Option<Timestamp>) -> Result<Box<dyn EventSource>> {
    let shown = folder.display();
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
        Ok(mut reader) => {
            if let Some(time) = time {
                reader.skip_to(time);
            }
            Ok(Box::new(reader))
        }
        Err(error) => Stop::failed(format!("cannot read {shown} as a CTF trace: {error}")),
    }
}
