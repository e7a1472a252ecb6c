//! One that talks to the control thread: lines in, lines out.
//!
//! ```text
//! status                      ok state=recording dir=... words=... lost=... bytes=... ...
//! choose include=... ...      ok            adds to what the next start is given
//! start dir=... for=10        ok dir=...
//! mark text=...               ok
//! stop                        ok dir=... words=... ...
//! ```
//!
//! Anything else is answered by `error` and a sentence. Lines are at most 4 KiB; who sends a longer
//! one is sent away. Over TCP the first line is `token=...`, and no folder can be named. An open folder
//! that comes with `start` on the Unix socket is recorded into, and `dir` is only what it is called: so the
//! capture lies where the command's user sees it, whatever files this process sees.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use model::Timestamp;
use model::flow_source::Mark;

use super::agent::Agent;
use super::options::{Choices, encode};
use super::state::Summary;
use super::{handed, sampler};
use crate::classes::recorded::Counts;
use crate::jvm::Jni;
use crate::sys::now;

const LONGEST_LINE: usize = 4096;

trait Stream: Read + Write + AsRawFd {
    /// Reads what there is, and an open file that came with it.
    fn receive(&mut self, bytes: &mut [u8], _: &mut Option<OwnedFd>) -> std::io::Result<usize> {
        self.read(bytes)
    }
}
impl Stream for UnixStream {
    fn receive(&mut self, bytes: &mut [u8], file: &mut Option<OwnedFd>) -> std::io::Result<usize> {
        handed::receive(self, bytes, file)
    }
}
impl Stream for TcpStream {}

/// A connection.
pub(crate) struct Client {
    stream: Box<dyn Stream>,
    pending: Vec<u8>,
    /// The open folder that came last.
    handed: Option<OwnedFd>,
    choices: Choices,
    is_local: bool,
    is_trusted: bool,
}

impl Client {
    /// Somebody on the Unix socket, whose user was checked.
    pub(crate) fn local(stream: UnixStream) -> Option<Client> {
        stream.set_nonblocking(true).ok()?;
        Some(Client::new(Box::new(stream), true))
    }

    /// Somebody on the TCP port.
    pub(crate) fn remote(stream: TcpStream) -> Option<Client> {
        stream.set_nonblocking(true).ok()?;
        Some(Client::new(Box::new(stream), false))
    }

    fn new(stream: Box<dyn Stream>, is_local: bool) -> Client {
        let (pending, choices) = (Vec::new(), Choices::default());
        Client { stream, pending, handed: None, choices, is_local, is_trusted: is_local }
    }

    pub(crate) fn descriptor(&self) -> i32 {
        self.stream.as_raw_fd()
    }

    /// Reads what there is and answers it. `false`: the connection is over.
    pub(crate) fn answer(&mut self, agent: &'static Agent, jni: Jni) -> bool {
        let mut bytes = [0; LONGEST_LINE];
        match self.stream.receive(&mut bytes, &mut self.handed) {
            Ok(0) => return false,
            Ok(count) => self.pending.extend(bytes.iter().take(count)),
            Err(error) => return matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
        while let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            if line.len() > LONGEST_LINE || !self.line(agent, jni, &line) {
                return false;
            }
        }
        self.pending.len() <= LONGEST_LINE
    }

    fn line(&mut self, agent: &'static Agent, jni: Jni, line: &[u8]) -> bool {
        let result = match std::str::from_utf8(line) {
            Ok(line) if self.is_trusted => self.command(agent, jni, line.trim()),
            Ok(line) => {
                let given = line.trim().strip_prefix("token=").unwrap_or_default();
                self.is_trusted = agent.token.as_deref().is_some_and(|token| same(token, given));
                if !self.is_trusted {
                    return false;
                }
                Ok(String::new())
            }
            Err(_) => Err("that is no text".to_owned()),
        };
        let answer = match result {
            Ok(text) if text.is_empty() => "ok\n".to_owned(),
            Ok(text) => format!("ok {text}\n"),
            Err(text) => format!("error {}\n", text.replace('\n', " ")),
        };
        // Who does not read what it asked for is of no interest.
        self.stream.write_all(answer.as_bytes()).is_ok()
    }

    fn command(&mut self, agent: &'static Agent, jni: Jni, line: &str) -> Result<String, String> {
        let mut words = line.split(' ');
        match words.next().unwrap_or_default() {
            "status" => Ok(status(agent) + &sampler::question(agent, jni)),
            "choose" => self.choices.add(words).map(|()| String::new()),
            "start" => {
                let mut choices = std::mem::take(&mut self.choices);
                choices.add(words)?;
                if !self.is_local {
                    choices.dir = None;
                }
                if choices.dir.is_none() {
                    choices.dir = Some(free(agent.choices.dir.as_deref().ok_or("no folder was named")?));
                }
                agent.start(jni, choices, self.handed.take())?;
                Ok(status(agent))
            }
            "stop" => {
                let summary = agent.stop(jni, "stopped", true);
                summary.map(|summary| reported(&summary)).ok_or_else(|| match &agent.session.lock().failed {
                    None => "nothing is being recorded".to_owned(),
                    Some(Summary { dir, reason, .. }) => {
                        format!("nothing is being recorded: the recording into {dir} has ended: {reason}")
                    }
                })
            }
            "mark" => {
                let mut choices = Choices::default();
                choices.add(words)?;
                sampler::question(agent, jni);
                mark(agent, choices.text.unwrap_or_default())
            }
            _ => Err("the commands are status, choose, start, stop and mark".to_owned()),
        }
    }
}

/// Whether two secrets are the same, in a time that does not depend on where they differ.
fn same(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

fn status(agent: &Agent) -> String {
    match agent.current() {
        // Whoever is given a base may start without naming a folder.
        None => {
            let base = if agent.choices.dir.is_some() { " base=1" } else { "" };
            let failed =
                agent.session.lock().failed.as_ref().map(|summary| format!(" {}", reported(summary)));
            format!("state=idle{base}{}", failed.unwrap_or_default())
        }
        Some(recording) => {
            let seconds = recording.began.elapsed().as_secs_f64();
            format!(
                "state=recording seconds={seconds:.3} {}",
                reported(&agent.summary(&recording, String::new()))
            )
        }
    }
}

fn reported(summary: &Summary) -> String {
    let Summary { dir, is_handed, reason, words, lost, bytes, counts } = summary;
    let Counts { classes, methods, skipped, instrumented, .. } = counts;
    let handed = if *is_handed { " handed=1" } else { "" };
    let reason = if reason.is_empty() { String::new() } else { format!(" reason={}", encode(reason)) };
    format!(
        "dir={}{handed}{reason} words={words} lost={lost} bytes={bytes} classes={classes} methods={methods} \
         skipped={skipped} instrumented={instrumented}",
        encode(dir)
    )
}

fn mark(agent: &Agent, text: String) -> Result<String, String> {
    let recording = agent.current().ok_or("nothing is being recorded")?;
    let positions = agent.buffers.threads().positions(&agent.buffers.pool);
    if recording.output.mark(&Mark { text, time: Timestamp(now()), positions }) {
        Ok(String::new())
    } else {
        Err("the mark could not be written".to_owned())
    }
}

/// The folder itself if it is not taken, else `name-2.capture` and so on.
pub(crate) fn free(base: &Path) -> PathBuf {
    let taken = |path: &Path| {
        std::fs::symlink_metadata(path).is_ok()
            && std::fs::read_dir(path).is_ok_and(|mut all| all.next().is_some())
    };
    let name = base.file_stem().unwrap_or_default().to_os_string();
    let numbered = (2_u32..).map(|number| {
        let mut name = name.clone();
        name.push(format!("-{number}"));
        if let Some(extension) = base.extension() {
            name.push(".");
            name.push(extension);
        }
        base.with_file_name(name)
    });
    std::iter::once(base.to_owned())
        .chain(numbered)
        .find(|path| !taken(path))
        .unwrap_or_else(|| base.to_owned())
}
