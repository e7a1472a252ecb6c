//! One of our own commands, run with bounds on its time and on what is kept of its output.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::answer::{self, ToolText};
use super::tools::Call;

/// How long a command may take. Most clients wait for a minute.
const LONGEST: Duration = Duration::from_secs(50);

/// How long a command may take to end after a signal: it removes what it unpacked.
const FAREWELL: Duration = Duration::from_secs(1);

/// How much is read after what is wanted, only to count it. A client need not know whether it is a gigabyte or two.
const COUNTED: u64 = 16 << 20;

/// How much is kept of standard error.
const SENTENCES: usize = 4_096;

/// How the command ended.
#[derive(Debug)]
pub(super) enum End {
    Status(ExitStatus),
    /// There was much more to print than was wanted, so it was not asked to go on.
    Enough,
    TooSlow,
}

/// What it printed.
#[derive(Debug)]
pub(super) struct Printed {
    /// From the wanted offset on.
    pub(super) window: Vec<u8>,
    /// All that was read, in bytes.
    pub(super) read: u64,
    pub(super) sentences: Vec<u8>,
}

/// The answer of the command; none if nobody wants it any more.
pub(super) fn run(executable: &Path, call: &Call, is_unwanted: &dyn Fn() -> bool) -> Option<ToolText> {
    let mut command = Command::new(executable);
    command.args(&call.arguments).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Some(ToolText::failed(format!("cannot start {}: {error}", call.typed()))),
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let has_enough = AtomicBool::new(false);
    let (end, printed) = std::thread::scope(|scope| {
        let stdout = scope.spawn(|| {
            // The pipe is closed after this, upon which the command ends by itself.
            let read = stdout.map(|pipe| window(pipe, call.offset, call.limit));
            let (window, read, is_all) = read.unwrap_or_default();
            has_enough.store(!is_all, Ordering::Relaxed);
            (window, read)
        });
        let stderr = scope.spawn(|| stderr.map(beginning).unwrap_or_default());
        let end = wait(&mut child, &has_enough, is_unwanted);
        let (window, read) = stdout.join().unwrap_or_default();
        (end, Printed { window, read, sentences: stderr.join().unwrap_or_default() })
    });
    Some(answer::describe(call, &end?, &printed))
}

/// Waits, and makes an end where it takes too long. None if nobody wants to know any more.
fn wait(child: &mut Child, has_enough: &AtomicBool, is_unwanted: &dyn Fn() -> bool) -> Option<End> {
    let start = Instant::now();
    // Short commands are answered soon, long ones cost nothing.
    let mut pause = Duration::from_millis(1);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            let is_cut = has_enough.load(Ordering::Relaxed);
            return Some(if is_cut { End::Enough } else { End::Status(status) });
        }
        let is_cut = has_enough.load(Ordering::Relaxed);
        let (is_slow, is_unwanted) = (start.elapsed() > LONGEST, is_unwanted());
        if is_cut || is_slow || is_unwanted {
            stop(child);
            let end = if is_cut { End::Enough } else { End::TooSlow };
            return (!is_unwanted).then_some(end);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Asks it to end, and makes it end.
fn stop(child: &mut Child) {
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    let asked = Instant::now();
    while asked.elapsed() < FAREWELL {
        if let Ok(Some(_)) = child.try_wait() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// `limit` bytes of `pipe` from `offset` on; how many were read; whether these were all.
fn window(mut pipe: impl Read, offset: u64, limit: usize) -> (Vec<u8>, u64, bool) {
    let (mut window, mut read) = (vec![], 0u64);
    let most = offset.saturating_add(limit as u64).saturating_add(COUNTED);
    let mut buffer = vec![0; 1 << 16];
    while read < most {
        let count = match pipe.read(&mut buffer) {
            Ok(0) => return (window, read, true),
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return (window, read, true),
        };
        let skipped = usize::try_from(offset.saturating_sub(read)).unwrap_or(usize::MAX).min(count);
        let remaining = limit - window.len();
        window.extend(buffer[skipped..count].iter().take(remaining));
        read += count as u64;
    }
    (window, read, false)
}

/// What comes first; the rest is read too, so that nobody waits for it to be.
fn beginning(mut pipe: impl Read) -> Vec<u8> {
    let mut captured = vec![];
    let _ = pipe.by_ref().take(SENTENCES as u64).read_to_end(&mut captured);
    let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    captured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_cut_from_any_output_and_the_rest_is_counted() {
        let text: Vec<u8> = (0..200_000u32).map(|at| at as u8).collect();
        for (offset, limit) in [(0, 10), (65_530, 12), (199_995, 100), (300_000, 5)] {
            let (cut, read, is_all) = window(text.as_slice(), offset, limit);
            let from = text.len().min(offset as usize);
            assert_eq!(cut, &text[from..text.len().min(from + limit)]);
            assert_eq!((read, is_all), (200_000, true));
        }
        let (cut, read, is_all) = window(std::io::repeat(7), 5, 9);
        assert_eq!((cut, is_all), (vec![7; 9], false));
        assert!((COUNTED..COUNTED + (1 << 17)).contains(&read));
    }
}
