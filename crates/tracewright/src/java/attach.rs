//! Loading the agent into a virtual machine that runs, by HotSpot's own protocol.
//!
//! Sent to its socket: version, command and three arguments, each ended by a zero byte. How that socket is
//! reached stands in `target/listening.rs`.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::library;
use super::options::Pairs;
use super::patience::Patience;
use super::process::Process;
use super::target::{self, Task};
use crate::exit::{Result, Stop};

/// How long it may take to load and to prepare the classes that are there.
const LIMIT: Duration = Duration::from_secs(60);

/// The longest argument that the protocol takes.
const LONGEST: usize = 1024;

/// Writes the library where the program can load it. Its path, as the program sees it.
pub(crate) fn library(process: &Process) -> Result<PathBuf> {
    if process.is_as_we_are() {
        return library::path();
    }
    let answer = target::run(process, &Task::Library).or_else(|error| cannot(process, &error))?;
    String::from_utf8(answer.text).map(PathBuf::from).or_else(|_| cannot(process, "the path is not text"))
}

fn cannot<T>(process: &Process, reason: &str) -> Result<T> {
    Stop::failed(format!("cannot attach to process {}: {reason}", process.pid))
}

/// The longest thread dump that is read, and how long one may take.
const LONGEST_DUMP: usize = 16 << 20;
const DUMP_LIMIT: Duration = Duration::from_secs(10);

/// A thread dump, for which nothing is loaded.
pub(crate) fn dump(process: &Process) -> std::result::Result<String, String> {
    ask(process, b"1\0threaddump\0\0\0\0")
}

/// Where a program's classes come from, as far as they lie in folders of files.
pub(crate) fn class_folders(process: &Process) -> Vec<PathBuf> {
    let properties = ask(process, b"1\0properties\0\0\0\0").unwrap_or_default();
    let path = properties.lines().find_map(|line| line.strip_prefix("java.class.path="));
    // In a file of properties, a backslash stands before a colon.
    let path = path.unwrap_or_default().replace('\\', "");
    let base = PathBuf::from(format!("/proc/{}/cwd", process.pid));
    path.split(':').map(|entry| base.join(entry)).filter(|entry| entry.is_dir()).collect()
}

fn ask(process: &Process, request: &[u8]) -> std::result::Result<String, String> {
    let answer = target::run(process, &Task::Listen)?;
    let mut stream = UnixStream::from(answer.file.ok_or("it did not open its socket")?);
    let answer = Patience::of(process.pid, DUMP_LIMIT).and_then(|mut patience| {
        patience.write(&mut stream, request)?;
        patience.read(&mut stream, LONGEST_DUMP, |_| false)
    });
    answer.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| error.to_string())
}

/// Loads the library with these options.
pub(crate) fn load(process: &Process, library: &Path, options: &Pairs) -> Result<()> {
    let pid = process.pid;
    let (library, options) = (library.to_string_lossy(), options.by_commas());
    if library.len() > LONGEST || options.len() > LONGEST {
        return cannot(process, "the path of the cache folder is too long");
    }
    let answer = target::run(process, &Task::Listen).or_else(|error| cannot(process, &error))?;
    let Some(socket) = answer.file else { return cannot(process, "it did not open its socket") };
    let mut stream = UnixStream::from(socket);
    let request = format!("1\0load\0{library}\0true\0{options}\0");
    let answer = Patience::of(pid, LIMIT).and_then(|mut patience| {
        patience.write(&mut stream, request.as_bytes())?;
        patience.read(&mut stream, 64 << 10, |_| false)
    });
    let answer = answer.or_else(|error| Stop::failed(format!("process {pid} does not answer: {error}")))?;
    let answer = String::from_utf8_lossy(&answer);
    // The first line says nothing: newer machines refuse with a 0 there too.
    if answer.contains("return code: 0") {
        return Ok(());
    }
    let message = answer
        .lines()
        .map(str::trim)
        .filter(|line| line.parse::<i64>().is_err())
        .collect::<Vec<_>>()
        .join(" ");
    let message = match message.strip_prefix("return code:") {
        // The library was loaded, and could not have what it asked the virtual machine for.
        Some(code) => format!(
            "its virtual machine refuses what that needs (code{code}); `tracewright record` starts a program with it"
        ),
        None if message.is_empty() => "it gave no reason".to_owned(),
        None => message,
    };
    Stop::failed(format!("process {pid} did not load the recorder: {message}"))
}
