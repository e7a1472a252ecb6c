//! The sockets of a virtual machine: of the recorder in it, and HotSpot's own, by which it is attached to.
//!
//! A socket is believed if it belongs to the program's user alone and the process at its other end is that
//! program.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat, unlinkat};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::view::{View, is_private};
use super::{Answer, memory, private};
use crate::java::patience::Patience;

/// How long a queue of others who want to connect is waited for.
const QUEUE: Duration = Duration::from_secs(1);

/// When a virtual machine that has opened no socket is asked once more.
const SECOND: Duration = Duration::from_millis(1_000);

/// A connection to the recorder, if there is one; else in text whether the machine can be attached to.
pub(super) fn probe(view: &View) -> Answer {
    let name = format!("{}.sock", view.status.inner_pid);
    let recorder = private::for_sockets(view).into_iter().find_map(|folder| {
        let stream = reach(view, folder.as_fd(), &name).ok()?;
        Some(Answer { text: Vec::new(), file: Some(stream.into()) })
    });
    recorder.unwrap_or_else(|| {
        let refuses = memory::capability(view) == Some(false);
        let listens =
            view.temporary().is_ok_and(|folder| is_socket(view, folder.as_fd(), &attach_name(view)));
        let text: &[u8] = match (refuses, listens || view.status.handles_quit) {
            (true, _) => b"refuses",
            (false, true) => b"can",
            (false, false) => b"deaf",
        };
        Answer { text: text.to_owned(), file: None }
    })
}

fn attach_name(view: &View) -> String {
    format!(".java_pid{}", view.status.inner_pid)
}

fn is_socket(view: &View, folder: BorrowedFd<'_>, name: &str) -> bool {
    let data = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    data.is_ok_and(|data| is_private(&data, FileType::Socket, view.status.user))
}

/// Connects to this socket of the program.
fn reach(view: &View, folder: BorrowedFd<'_>, name: &str) -> io::Result<UnixStream> {
    let socket = openat(folder, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    if !is_private(&fstat(&socket)?, FileType::Socket, view.status.user) {
        return Err(io::Error::other("it is not a socket of the program's user alone"));
    }
    // By its handle: nobody can put another one there meanwhile, and its path may be longer than an address.
    let address = SocketAddrUnix::new(private::handle_path(socket.as_fd()))?;
    let begin = std::time::Instant::now();
    let stream = loop {
        // Else a queue that is full, as of a stopped process, would be waited for.
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let stream = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        match connect(&stream, &address) {
            Ok(()) => break stream,
            Err(Errno::AGAIN) if begin.elapsed() < QUEUE => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => return Err(error.into()),
        }
    };
    let peer = socket_peercred(&stream)?;
    let is_it = peer.uid.as_raw() == view.status.user && u32::try_from(peer.pid.as_raw_pid()) == Ok(view.pid);
    if !is_it {
        return Err(io::Error::other("another process listens there"));
    }
    let stream = UnixStream::from(stream);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// A connection to HotSpot's own socket. It opens that when it finds an empty file `.attach_pidN` of its own user
/// at a SIGQUIT. SIGQUIT goes only to one that handles it: any other would die of it, or print all its threads.
pub(super) fn attach(view: &View, limit: Duration) -> Result<Answer, String> {
    let text = |error: io::Error| error.to_string();
    let temporary = view.temporary().map_err(text)?;
    let name = attach_name(view);
    let connected = |stream: UnixStream| Answer { text: Vec::new(), file: Some(stream.into()) };
    // There may be one that a killed process with the same number has left; nobody listens there.
    if let Ok(stream) = reach(view, temporary.as_fd(), &name) {
        return Ok(connected(stream));
    }
    let mut patience = Patience::with(view.process.try_clone().map_err(|error| error.to_string())?, limit);
    patience.check().map_err(text)?;
    let file = format!(".attach_pid{}", view.status.inner_pid);
    let folders = [view.working.as_fd(), temporary.as_fd()];
    let made = folders.into_iter().find(|folder| wanted(view, *folder, &file));
    let Some(made) = made else { return Err(format!("cannot make {file} in its folders")) };
    let (begin, mut asked_again) = (std::time::Instant::now(), false);
    let result = quit(view).map_err(text).and_then(|()| {
        loop {
            if let Ok(stream) = reach(view, temporary.as_fd(), &name) {
                return Ok(connected(stream));
            }
            // One that was still starting may have missed the first, as HotSpot's own tools expect of it.
            if !asked_again && begin.elapsed() > SECOND && !is_socket(view, temporary.as_fd(), &name) {
                // It would have opened its socket by now, had it been able to.
                in_the_way(view, temporary.as_fd(), &name).map_or(Ok(()), Err)?;
                asked_again = true;
                quit(view).map_err(text)?;
            }
            patience.pause().map_err(|error| format!("it did not open its socket: {error}"))?;
        }
    });
    let _ = unlinkat(made, &file, AtFlags::empty());
    result
}

/// A file of another user, as a process leaves that was killed, where the program would have its socket.
fn in_the_way(view: &View, folder: BorrowedFd<'_>, name: &str) -> Option<String> {
    let data = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    // Nothing is in the way of root.
    (data.st_uid != view.status.user && view.status.user != 0).then(|| {
        format!(
            "it cannot open its socket: {name} in its temporary folder belongs to user {}, and has to be removed first",
            data.st_uid
        )
    })
}

/// Makes the empty file; `false` if that cannot be. One that an earlier command left is as good.
fn wanted(view: &View, folder: BorrowedFd<'_>, name: &str) -> bool {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(folder, name, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => fstat(&file).is_ok_and(|data| data.st_uid == view.status.user),
        Err(Errno::EXIST) => statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|data| {
            let is_file = FileType::from_raw_mode(data.st_mode) == FileType::RegularFile;
            is_file && data.st_uid == view.status.user
        }),
        Err(_) => false,
    }
}

/// Sends SIGQUIT to this process and to no other that has its number by now.
fn quit(view: &View) -> io::Result<()> {
    let pid = i32::try_from(view.pid).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => {
            // It is still there, so the handle is its own.
            statat(&view.process, "status", AtFlags::empty())?;
            pidfd_send_signal(handle, Signal::QUIT)?;
        }
        Err(Errno::NOSYS) => kill_process(pid, Signal::QUIT)?,
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
