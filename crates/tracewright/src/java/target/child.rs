//! The child that takes the rights of the program, and how it is spoken with.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Gid, Uid};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::process::{
    DumpableBehavior, Signal, getegid, geteuid, getgid, getuid, set_dumpable_behavior,
    set_parent_process_death_signal,
};
use rustix::thread::{set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use super::view::View;
use super::{Answer, Task};
use crate::java::process::Process;
use crate::java::status::{Status, activity};

/// The longest message.
const LONGEST: usize = 64 << 10;
/// How long the child may take beyond its task: to start, on a busy machine.
const START: Duration = Duration::from_millis(500);
/// How often it is looked whether it is stopped.
const TICK: Duration = Duration::from_millis(100);
/// What an answer begins with.
const DONE: u8 = b'+';
const FAILED: u8 = b'-';

/// Has the child do it, and kills the child if it takes too long.
pub(super) fn run(process: &Process, task: &Task) -> Result<Answer, String> {
    let cannot = |error: io::Error| format!("cannot work with the rights of its user: {error}");
    let (mut ours, theirs) = UnixStream::pair().map_err(cannot)?;
    let mut command = Command::new("/proc/self/exe");
    command
        .arg("target")
        .env_clear()
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().map_err(cannot)?;
    drop(command); // with the child's end of the pair
    let answer = ours
        .write_all(&task.to_bytes(process))
        .and_then(|()| ours.shutdown(std::net::Shutdown::Write))
        .and_then(|()| receive(&ours, child.id(), Instant::now() + task.limit() + START));
    end(&mut child);
    let mut answer = answer.map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("its files do not answer within {} s", task.limit().as_secs())
        }
        _ => cannot(error),
    })?;
    match answer.text.split_first() {
        Some((&DONE, text)) => {
            answer.text = text.to_owned();
            Ok(answer)
        }
        Some((&FAILED, sentence)) => Err(String::from_utf8_lossy(sentence).into_owned()),
        _ => Err("the child that works with the rights of its user was killed".to_owned()),
    }
}

/// It has ended, or is killed. One that hangs in the kernel, below a file system of the user's, is left to it.
fn end(child: &mut Child) {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(200) {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        let _ = child.kill();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The answer, up to its end. The user whose rights the child has may stop it.
fn receive(stream: &UnixStream, child: u32, until: Instant) -> io::Result<Answer> {
    let mut answer = Answer::default();
    let mut part = [0; 4096];
    stream.set_read_timeout(Some(TICK))?;
    while answer.text.len() < LONGEST {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let slices = &mut [IoSliceMut::new(&mut part)];
        let received = match recvmsg(stream, slices, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::AGAIN) if is_stopped(child) => {
                return Err(io::Error::other("the child that has them was stopped"));
            }
            Err(Errno::AGAIN | Errno::INTR) if Instant::now() < until => continue,
            other => other?,
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                answer.file = files.last().or(answer.file.take());
            }
        }
        if received.bytes == 0 {
            break;
        }
        answer.text.extend(part.iter().take(received.bytes));
    }
    Ok(answer)
}

fn is_stopped(child: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    activity(&stat).is_some_and(|(is_stopped, _)| is_stopped)
}

/// What the child does: the hidden command `target`.
pub(crate) fn serve() -> io::Result<()> {
    let mut stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    stream.peer_addr()?; // fails where somebody has typed the command
    let mut request = Vec::new();
    (&mut stream).take(LONGEST as u64).read_to_end(&mut request)?;
    let result = Task::from_bytes(&request).ok_or_else(|| "that is no task".to_owned());
    let result = result.and_then(|(pid, user, task)| {
        // What only root may open comes first; then there is no way back to root.
        let view = View::of(pid, user)?;
        take_rights(&view.status).map_err(|error| format!("cannot take the rights of its user: {error}"))?;
        task.run(&view)
    });
    let (first, Answer { text, file }) = match result {
        Ok(answer) => (DONE, answer),
        Err(sentence) => (FAILED, Answer { text: sentence.into_bytes(), file: None }),
    };
    send(&mut stream, &[&[first], &text[..]].concat(), file.as_ref())
}

/// Sends bytes, and an open file with the first of them.
pub(crate) fn send(stream: &mut UnixStream, bytes: &[u8], file: Option<&OwnedFd>) -> io::Result<()> {
    let files: Vec<_> = file.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(&files));
    }
    let sent = sendmsg(&*stream, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?;
    stream.write_all(bytes.get(sent..).unwrap_or_default())
}

/// Becomes the user of the program for good.
fn take_rights(status: &Status) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(status.user), Gid::from_raw(status.group));
    let groups: Vec<Gid> = status.groups.iter().map(|&group| Gid::from_raw(group)).collect();
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    set_thread_groups(&groups)?;
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)?;
    // That last call may have changed both.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    set_no_new_privs(true)?;
    let is_user = [getuid(), geteuid()].iter().all(|&one| one == user);
    let is_group = [getgid(), getegid()].iter().all(|&one| one == group);
    if is_user && is_group { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

impl Task {
    fn to_bytes(&self, process: &Process) -> Vec<u8> {
        let (name, path) = match self {
            Task::Probe => ("look", None),
            Task::Listen => ("listen", None),
            Task::Library => ("library", None),
            Task::Folder(path) => ("folder", Some(path)),
            Task::RemoveFolder(path) => ("remove", Some(path)),
        };
        let mut bytes = format!("{}\0{}\0{name}\0", process.pid, process.user()).into_bytes();
        bytes.extend(path.iter().flat_map(|path| path.as_os_str().as_bytes()));
        bytes
    }

    /// The process, its user and the task.
    fn from_bytes(bytes: &[u8]) -> Option<(u32, u32, Task)> {
        let mut parts = bytes.splitn(4, |&byte| byte == 0);
        let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
        let (pid, user) = (number()?, number()?);
        let name = parts.next()?;
        let path = PathBuf::from(std::ffi::OsString::from_vec(parts.next()?.to_owned()));
        let task = match name {
            b"look" => Task::Probe,
            b"listen" => Task::Listen,
            b"library" => Task::Library,
            b"folder" => Task::Folder(path),
            b"remove" => Task::RemoveFolder(path),
            _ => return None,
        };
        Some((pid, user, task))
    }
}
