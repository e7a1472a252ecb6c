//! The writer: takes slots that are full, has them appended to `steps`, hands them back.
//!
//! It is a native thread of its own, which the virtual machine does not know. Where processors are scarce it lets
//! the program's threads go first: they write by themselves what it cannot. If it cannot write it
//! ends the recording and leaves the slots as they are: they stay in `open`, where a reader finds
//! them.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::recorder::Agent;
use crate::recording::{Recording, Room};
use crate::shelf::NewVolume;
use crate::sys;
use crate::thread::Job;
use crate::writing;

/// How often it looks whether the folder is still there.
const LOOK: Duration = Duration::from_millis(500);

/// With more slots than that to be written it hurries, and where the program's threads write by themselves: chunks
/// become longer, but fewer words are lost, and more of the processors is left to the program.
const MOST_AT_LEISURE: usize = 4;

/// Writes until the recording is over and nothing is left. Whether everything was written.
pub(crate) fn run(agent: &'static Agent, recording: &Recording) -> bool {
    sys::block_signals();
    sys::let_others_go_first();
    let mut volume = recording.shelf.as_ref().map(NewVolume::new);
    let (mut looked, mut room) = (Instant::now(), Room::default());
    loop {
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            agent.pool.look();
            if let Some(problem) = recording.folder.problem() {
                agent.give_up(problem);
                return false;
            }
        }
        make_ready(agent);
        // Asked first: what is left to do may come until then.
        let is_over = recording.is_over.load(Ordering::Acquire);
        // Few, so that words never wait for long.
        let chore = recording.do_chores(&mut volume, &mut room);
        if chore == Some(false) {
            agent.give_up("the class files could not be written".to_owned());
            return false;
        }
        let Some((job, is_hurried)) = next(agent, recording, chore.is_none()) else {
            if chore.is_none() && is_over {
                keep(recording, volume);
                return recording.failure().is_none();
            }
            continue;
        };
        if !writing::write(agent, recording, job, is_hurried) {
            return false;
        }
    }
}

/// Puts what was prepared on the shelf.
fn keep(recording: &Recording, volume: Option<NewVolume>) {
    if let (Some(shelf), Some(volume)) = (&recording.shelf, volume) {
        volume.finish(shelf);
    }
}

/// Gives threads more slots before they need them.
fn make_ready(agent: &Agent) {
    let mut threads = agent.threads();
    if let Some(range) = threads.name_more() {
        drop(agent.make_ready(threads, range));
    }
}

/// The oldest full slot, and whether it shall be written in a hurry; waits a little for one if there is time.
fn next(agent: &Agent, recording: &Recording, waits: bool) -> Option<(Job, bool)> {
    let mut threads = agent.threads();
    if waits && threads.full.is_empty() && !recording.is_over.load(Ordering::Acquire) {
        threads.writer_waits = true;
        let wait = agent.slot_full.wait_timeout(threads, LOOK);
        threads = wait.unwrap_or_else(PoisonError::into_inner).0;
        threads.writer_waits = false;
    }
    let job = threads.full.pop_front();
    threads.is_writing = job.is_some();
    let do_others_write = std::mem::take(&mut threads.have_written);
    job.map(|job| (job, do_others_write || threads.full.len() > MOST_AT_LEISURE))
}
