//! Talking to the recorder inside a virtual machine: a line there, a line back.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use formats::control_text;

use super::patience::Patience;
use super::process::Process;
use super::target::{self, Task};
use crate::exit::{Result, Stop};

/// The longest answer that is read.
const LONGEST: usize = 64 << 10;

/// How long an answer may take that needs no work, and one for which thousands of classes are changed.
const SHORT: Duration = Duration::from_secs(3);
const LONG: Duration = Duration::from_secs(60);

/// A connection to a recorder.
#[derive(Debug)]
pub(crate) struct Control {
    pid: u32,
    /// What stands before a path of the recorder's for us to find it, if that sees other files.
    root: Option<String>,
    stream: UnixStream,
}

/// What it answered.
pub(crate) type Answer = BTreeMap<String, String>;

/// What is in a process.
#[derive(Debug)]
pub(crate) enum Found {
    Recorder(Control),
    /// Nothing of ours; whether it can be put there.
    Nothing(std::result::Result<(), String>),
}

/// Probes a process; nothing is sent to it. An error: not even that can be done.
pub(crate) fn probe(process: &Process) -> std::result::Result<Found, String> {
    let pid = process.pid;
    let target::Answer { text, file } = target::run(process, &Task::Probe)?;
    if let Some(socket) = file {
        let root = (!process.shares_files).then(|| format!("/proc/{pid}/root"));
        return Ok(Found::Recorder(Control { pid, root, stream: UnixStream::from(socket) }));
    }
    Ok(Found::Nothing(match &text[..] {
        b"can" => Ok(()),
        b"refuses" => Err("it was started with -XX:+DisableAttachMechanism".to_owned()),
        _ => Err("it does not listen (-Xrs, or it is just starting)".to_owned()),
    }))
}

impl Control {
    /// Sends a line.
    pub(crate) fn ask(&mut self, line: &str) -> Result<Answer> {
        self.ask_with(line, None)
    }

    /// Sends a line, and an open folder with it.
    pub(crate) fn ask_with(&mut self, line: &str, folder: Option<&OwnedFd>) -> Result<Answer> {
        let pid = self.pid;
        let answer = self.exchange(line, folder);
        let answer =
            answer.or_else(|error| Stop::failed(format!("process {pid} does not answer: {error}")))?;
        let mut answer = match control_text::answer(&answer) {
            control_text::Answer::Ok(answer) => answer,
            control_text::Answer::Refused(sentence) => {
                return Stop::failed(format!("process {pid}: {sentence}"));
            }
            control_text::Answer::Nonsense => {
                return Stop::failed(format!("the recorder in process {pid} has ended the conversation"));
            }
        };
        // The path of a folder that was handed over is ours already.
        if let Some(root) = &self.root
            && !answer.contains_key("handed")
            && let Some(dir) = answer.get_mut("dir")
        {
            *dir = format!("{root}{dir}");
        }
        Ok(answer)
    }

    fn exchange(&mut self, line: &str, folder: Option<&OwnedFd>) -> std::io::Result<String> {
        let is_short = line == "status" || line.starts_with("choose ") || line.starts_with("mark ");
        let mut patience = Patience::of(self.pid, if is_short { SHORT } else { LONG })?;
        // Nothing is left behind for a stopped process to do when it goes on.
        patience.check()?;
        if let Some(folder) = folder {
            target::send(&mut self.stream, b" ", Some(folder))?;
        }
        patience.write(&mut self.stream, format!("{line}\n").as_bytes())?;
        let answer = patience.read(&mut self.stream, LONGEST, |answer| answer.ends_with(b"\n"))?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}
