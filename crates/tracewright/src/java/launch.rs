//! A command that is to start Java programs somewhere below it: run as a child, whose end is this process's own.
//!
//! A `java` takes the place of this process. A script cannot, since this process has to report if no Java program
//! was started by it: that is the only difference. Input, output and terminal are the child's; signals that are sent
//! to this process are passed on, its exit code or signal is how this process ends.

use std::io::{PipeReader, PipeWriter, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Resource, Rlimit, Signal, getpgrp, kill_process, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

/// A pipe on which recorders report that they are loaded.
#[derive(Debug)]
pub(crate) struct Loaded {
    reader: PipeReader,
    writer: PipeWriter,
}

impl Loaded {
    pub(crate) fn new() -> std::io::Result<Loaded> {
        let (reader, writer) = std::io::pipe()?;
        Ok(Loaded { reader, writer })
    }

    /// The file to which a recorder reports: processes of the same user can open it, and none inherits it.
    pub(crate) fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.writer.as_raw_fd()).into()
    }

    /// The processes that have reported, by the pids that they see themselves.
    fn processes(self) -> Vec<u32> {
        let Loaded { reader, writer } = self;
        // The last one that could write; else this would wait.
        drop(writer);
        let mut lines = Vec::new();
        // A pipe holds no more.
        let _ = reader.take(1 << 20).read_to_end(&mut lines);
        String::from_utf8_lossy(&lines).lines().filter_map(|line| line.parse().ok()).collect()
    }
}

/// Runs a command to its end. How it ended, and into which processes a recorder was loaded.
pub(crate) fn run(command: &mut Command, loaded: Loaded) -> std::io::Result<(ExitStatus, Vec<u32>)> {
    let mut child = command.spawn()?;
    // After the child has started, since it inherits which signals this process ignores.
    let signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])?;
    let handle = signals.handle();
    let passes = std::thread::spawn({
        let child = pid(&child);
        move || pass_on(signals, child)
    });
    let status = child.wait()?;
    handle.close();
    let _ = passes.join();
    Ok((status, loaded.processes()))
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

fn pass_on(mut signals: Signals, child: Option<Pid>) {
    for signal in signals.forever() {
        let is_typed = matches!(signal, SIGINT | SIGQUIT) && is_in_foreground();
        if let (Some(child), Some(signal), false) = (child, Signal::from_named_raw(signal), is_typed) {
            let _ = kill_process(child, signal);
        }
    }
}

/// Whether what is typed on a terminal comes to this process, and then to the child as well, by itself.
fn is_in_foreground() -> bool {
    let terminal = std::fs::File::open("/dev/tty");
    terminal.is_ok_and(|terminal| rustix::termios::tcgetpgrp(&terminal).is_ok_and(|group| group == getpgrp()))
}

/// Ends as the child did.
pub(crate) fn end_like(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        // The child has left its core already, if one was wanted.
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        let _ = setrlimit(Resource::Core, none);
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        // Nobody can send himself one that he handles no more, or that ends nobody.
        std::process::exit(128 + signal);
    }
    std::process::exit(status.code().unwrap_or(2))
}
