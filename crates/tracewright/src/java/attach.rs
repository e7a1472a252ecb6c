//! Loading the agent into a virtual machine that runs, by HotSpot's own protocol.
//!
//! An empty file `.attach_pidN` and a SIGQUIT make it open a socket, `.java_pidN`. Sent there: version,
//! command and three arguments, each ended by a zero byte. SIGQUIT goes only to one that handles it:
//! any other would die of it, or print all its threads.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::process::{Can, Process};
use crate::exit::{Result, Stop};

/// How long it may take until the socket is there.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest argument that the protocol takes.
const LONGEST: usize = 1024;

/// Loads the library with these options.
pub(crate) fn load(process: &Process, library: &Path, options: &str) -> Result<()> {
    let pid = process.pid;
    if let Can::No(reason) = process.can() {
        return Stop::failed(format!("cannot attach to process {pid}: {reason}"));
    }
    let library = library.to_string_lossy();
    if library.len() > LONGEST || options.len() > LONGEST {
        return Stop::failed(format!(
            "cannot attach to process {pid}: the path of the cache folder is too long"
        ));
    }
    let mut stream = match UnixStream::connect(process.attach_socket()) {
        Ok(stream) => stream,
        // There is none yet, or a killed process with the same number has left it.
        Err(_) => call(process)?,
    };
    let request = format!("1\0load\0{library}\0true\0{options}\0");
    let mut answer = String::new();
    let _ = stream.set_read_timeout(Some(Duration::from_secs(60)));
    let sent = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
    sent.or_else(|error| Stop::failed(format!("process {pid} did not answer: {error}")))?;
    // The first line says nothing: newer machines refuse with a 0 there too.
    if answer.contains("return code: 0") {
        return Ok(());
    }
    let said = answer
        .lines()
        .map(str::trim)
        .filter(|line| line.parse::<i64>().is_err())
        .collect::<Vec<_>>()
        .join(" ");
    let said = if said.is_empty() { "it gave no reason".to_owned() } else { said };
    Stop::failed(format!("process {pid} did not load the recorder: {said}"))
}

/// Makes it listen.
fn call(process: &Process) -> Result<UnixStream> {
    let pid = process.pid;
    let failed =
        |error: &dyn std::fmt::Display| Stop::failed(format!("cannot attach to process {pid}: {error}"));
    let name = format!(".attach_pid{}", process.inner_pid);
    let places = [PathBuf::from(format!("/proc/{pid}/cwd")).join(&name), process.temporary().join(&name)];
    let made = places.iter().find(|path| fs::File::create(path).is_ok_and(|_| own(path, process)));
    let Some(made) = made else { return failed(&"no file can be made in its folders") };
    let killed = i32::try_from(pid).ok().and_then(Pid::from_raw).map(|pid| kill_process(pid, Signal::QUIT));
    let result = match killed {
        Some(Ok(())) => wait(process),
        Some(Err(error)) => failed(&error),
        None => failed(&"that is no number of a process"),
    };
    let _ = fs::remove_file(made);
    result
}

/// The file must be the machine's own user's.
fn own(path: &Path, process: &Process) -> bool {
    let ours = rustix::process::geteuid().as_raw();
    ours == process.user || std::os::unix::fs::chown(path, Some(process.user), None).is_ok()
}

fn wait(process: &Process) -> Result<UnixStream> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Ok(stream) = UnixStream::connect(process.attach_socket()) {
            return Ok(stream);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Stop::failed(format!("process {} did not open its socket within {} s", process.pid, PATIENCE.as_secs()))
}
