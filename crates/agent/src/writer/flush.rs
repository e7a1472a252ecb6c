//! The writer: takes slots that are full, has them appended to `steps`, hands them back.
//!
//! It is a native thread of its own, which the virtual machine does not know. Where processors are scarce it lets
//! the program's threads go first: they write by themselves what it cannot. If it cannot write it
//! ends the recording and leaves the slots as they are: they stay in `open`, where a reader finds
//! them.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::output::Output;
use super::writing;
use crate::buffers::Buffers;
use crate::buffers::thread::Job;
use crate::sys;

/// How often it looks whether the folder is still there.
const CHECK: Duration = Duration::from_millis(500);

/// With more slots than that to be written it hurries, and where the program's threads write by themselves: chunks
/// become longer, but fewer words are lost, and more of the processors is left to the program.
const MOST_AT_LEISURE: usize = 4;

/// Writes until the recording is over and nothing is left; whether it came to that. `task` does something that was
/// left to the writer: `None` if there is nothing, else whether it could be done.
pub(crate) fn run(
    buffers: &'static Buffers,
    output: &Output,
    mut task: impl FnMut() -> Option<bool>,
) -> bool {
    sys::block_signals();
    sys::let_others_go_first();
    let mut checked = Instant::now();
    loop {
        if checked.elapsed() >= CHECK {
            checked = Instant::now();
            buffers.pool.check();
            if let Some(problem) = output.folder.problem() {
                output.give_up(buffers, problem);
                return false;
            }
        }
        buffers.make_more_ready();
        // Asked first: what is left to do may come until then.
        let is_over = output.is_over.load(Ordering::Acquire);
        // Few, so that words never wait for long.
        let done = task();
        if done == Some(false) {
            output.give_up(buffers, "the class files could not be written".to_owned());
            return false;
        }
        let Some((job, is_hurried)) = next(buffers, output, done.is_none()) else {
            if done.is_none() && is_over {
                return true;
            }
            continue;
        };
        if !writing::write(buffers, output, job, is_hurried) {
            return false;
        }
    }
}

/// The oldest full slot, and whether it shall be written in a hurry; waits a little for one if there is time.
fn next(buffers: &Buffers, output: &Output, waits: bool) -> Option<(Job, bool)> {
    let mut threads = buffers.threads();
    if waits && threads.full.is_empty() && !output.is_over.load(Ordering::Acquire) {
        threads.writer_waits = true;
        threads = threads.wait_timeout(&buffers.slot_full, CHECK);
        threads.writer_waits = false;
    }
    let job = threads.full.pop_front();
    threads.is_writing = job.is_some();
    let do_others_write = std::mem::take(&mut threads.have_written);
    job.map(|job| (job, do_others_write || threads.full.len() > MOST_AT_LEISURE))
}
