//! How long a step of a conversation with another process may take.
//!
//! Not longer than a limit, and much less if the other one does nothing: it is stopped, or has used no
//! processor to speak of for a while and did not want one. So a JVM that prepares ten thousand classes is
//! waited for, as is one that others leave no processor, and one that was sent a SIGSTOP is not.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::fs::{Dir, Mode, OFlags, openat};

use super::status::{activity, wants_to_run};

/// How long a process may do nothing.
const IDLE: Duration = Duration::from_secs(3);
/// A wait longer than this is reported to the user.
const LONG: Duration = Duration::from_secs(4);
/// So many hundredths of a second of a processor are something, if they are used within [`WINDOW`]: a JVM at rest,
/// or one that sleeps most of the time, wakes up now and then.
const SOMETHING: u64 = 5;
const WINDOW: Duration = Duration::from_secs(1);
/// So many of its threads are asked whether they want one.
const THREADS: usize = 1000;
/// How often it is looked at.
const TICK: Duration = Duration::from_millis(100);

/// One step of a conversation.
#[derive(Debug)]
pub(crate) struct Patience {
    /// The folder of the other process in `/proc`. Another one that is given its number later does not show there.
    process: OwnedFd,
    begin: Instant,
    limit: Duration,
    busy: Instant,
    /// When the present window began, and how much of a processor had been used by then.
    window: Instant,
    ticks: u64,
    /// The process whose answer the user waits for, until that is reported.
    unreported: Option<u32>,
}

impl Patience {
    pub(crate) fn with(process: OwnedFd, limit: Duration) -> Patience {
        let now = Instant::now();
        Patience { process, begin: now, limit, busy: now, window: now, ticks: 0, unreported: None }
    }

    /// For a process with this number; fails if there is none.
    pub(crate) fn of(pid: u32, limit: Duration) -> io::Result<Patience> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let process = rustix::fs::open(format!("/proc/{pid}"), flags, Mode::empty())?;
        Ok(Patience { unreported: Some(pid), ..Patience::with(process, limit) })
    }

    /// Fails when there is no use in waiting any longer, with what the other process does instead of answering.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        let fail = |what: String| Err(io::Error::new(io::ErrorKind::TimedOut, what));
        let mut stat = String::new();
        let read = openat(&self.process, "stat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(io::Error::from)
            .and_then(|file| File::from(file).read_to_string(&mut stat));
        let Some((is_stopped, ticks)) = read.ok().and_then(|_| activity(&stat)) else {
            return fail("it has ended".to_owned());
        };
        if is_stopped {
            return fail("it is stopped (by SIGSTOP or a debugger)".to_owned());
        }
        let is_busy = ticks >= self.ticks.saturating_add(SOMETHING);
        let is_over = self.window.elapsed() >= WINDOW;
        // Others may leave it hardly any time.
        if is_busy || is_over && self.wants_to_run() {
            self.busy = Instant::now();
        }
        if is_busy || is_over {
            (self.window, self.ticks) = (Instant::now(), ticks);
        }
        if self.busy.elapsed() >= IDLE.min(self.limit) || self.begin.elapsed() >= self.limit {
            return fail(format!("no answer within {} s", self.begin.elapsed().as_secs()));
        }
        if self.begin.elapsed() >= LONG
            && let Some(pid) = self.unreported.take()
        {
            let left = self.limit.saturating_sub(self.begin.elapsed()).as_secs();
            eprintln!(
                "tracewright: process {pid} is busy and has not answered yet; waiting up to {left} s more"
            );
        }
        Ok(())
    }

    /// Whether one of its threads waits for a processor.
    fn wants_to_run(&self) -> bool {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(tasks) = openat(&self.process, "task", flags, Mode::empty()) else { return false };
        let Ok(entries) = Dir::read_from(&tasks) else { return false };
        let mut stats = entries.flatten().take(THREADS).filter_map(|entry| {
            let path = format!("{}/stat", entry.file_name().to_str().ok()?);
            let file = openat(&tasks, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
            let mut stat = String::new();
            File::from(file).read_to_string(&mut stat).ok()?;
            Some(stat)
        });
        stats.any(|stat| wants_to_run(&stat))
    }

    /// Lets some time go by.
    pub(crate) fn pause(&mut self) -> io::Result<()> {
        std::thread::sleep(TICK / 10);
        self.check()
    }

    /// Sends all of this.
    pub(crate) fn write(&mut self, stream: &mut UnixStream, mut bytes: &[u8]) -> io::Result<()> {
        stream.set_write_timeout(Some(TICK))?;
        while !bytes.is_empty() {
            match stream.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if is_pause(&error) => self.check()?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads until `is_all` says that it is enough, the other one ends the conversation, or there are `most` bytes.
    pub(crate) fn read(
        &mut self,
        stream: &mut UnixStream,
        most: usize,
        is_all: impl Fn(&[u8]) -> bool,
    ) -> io::Result<Vec<u8>> {
        stream.set_read_timeout(Some(TICK))?;
        let (mut all, mut part) = (Vec::new(), [0; 4096]);
        while all.len() < most && !is_all(&all) {
            match stream.read(&mut part) {
                Ok(0) => break,
                // Who sends a letter a second is not waited for either.
                Ok(_) if self.begin.elapsed() >= self.limit => return Err(io::ErrorKind::TimedOut.into()),
                Ok(count) => all.extend(part.iter().take(count)),
                Err(error) if is_pause(&error) => self.check()?,
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
