//! The writer: takes slots that are full, compresses them, appends them to `steps`, hands them back.
//!
//! It is a native thread of its own, which the virtual machine does not know. If it cannot write it
//! ends the recording and leaves the slots as they are: they stay in `open`, where a reader finds
//! them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use formats::capture::paths::{FOLLOWING, NO_NEWS};
use formats::capture::pool::FREE;
use formats::capture::{ChunkHead, ChunkWriter};

use crate::files::Log;
use crate::recorder::Agent;
use crate::recording::{Recording, Room};
use crate::shelf::NewVolume;
use crate::sys;
use crate::threads::Job;

/// How often it looks whether the folder is still there.
const LOOK: Duration = Duration::from_millis(500);

/// With more slots than that to be written it hurries: chunks become longer, but fewer words are lost.
const MOST_AT_LEISURE: usize = 4;

/// Writes until the recording is over and nothing is left. Whether everything was written.
pub(crate) fn run(agent: &Agent, recording: &Arc<Recording>, mut steps: Log) -> bool {
    sys::block_signals();
    let (mut writer, mut copy, mut out) = (ChunkWriter::new(), Vec::new(), Vec::new());
    let mut volume = recording.shelf.as_ref().map(NewVolume::new);
    let (mut looked, mut room) = (Instant::now(), Room::default());
    loop {
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            if !recording.folder.is_there() {
                agent.give_up("the folder of the capture was taken away".to_owned());
                return false;
            }
        }
        make_ready(agent);
        // Few, so that words never wait for long.
        let chore = recording.do_chores(&mut volume, &mut room);
        if chore == Some(false) {
            agent.give_up("the class files could not be written".to_owned());
            return false;
        }
        let Some((job, left)) = next(agent, recording, chore.is_none()) else {
            if chore.is_none() && recording.is_over.load(Ordering::Acquire) {
                keep(recording, volume);
                return recording.failure().is_none();
            }
            continue;
        };
        let words = words_of(agent, &job, &mut copy);
        out.clear();
        if !words.is_empty() || job.lost_before > 0 {
            writer.is_hurried = left > MOST_AT_LEISURE;
            writer.put(&mut out, head(&job, recording), words);
        }
        if let Err(error) = steps.append(&out) {
            agent.give_up(format!("cannot write to the capture: {error}"));
            return false;
        }
        recording.words.fetch_add(words.len() as u64 / 4, Ordering::Relaxed);
        let bytes = recording.bytes.fetch_add(out.len() as u64, Ordering::Relaxed) + out.len() as u64;
        if job.is_left {
            // Nobody else touches it, so no thread has to wait for the lock meanwhile.
            agent.pool.set_state(job.slot, FREE);
            agent.pool.clear(job.slot);
        }
        let mut threads = agent.threads();
        threads.done(job.slot, &agent.pool, job.is_left);
        let is_awaited = threads.waiting > 0;
        drop(threads);
        if is_awaited {
            agent.slot_free.notify_all();
        }
        if recording.choices.bytes.is_some_and(|most| bytes >= most) {
            agent.no_more_words();
        }
    }
}

/// Puts what was prepared on the shelf.
fn keep(recording: &Recording, volume: Option<NewVolume>) {
    if let (Some(shelf), Some(volume)) = (&recording.shelf, volume) {
        volume.finish(shelf);
    }
}

/// What is to be written of a slot. `copy` holds it where it cannot be read in its place.
fn words_of<'w>(agent: &'w Agent, job: &Job, copy: &'w mut Vec<u8>) -> &'w [u8] {
    if job.is_left && job.place.is_none() {
        return agent.pool.left_words(job.slot);
    }
    agent.pool.copy_words(job.slot, copy);
    if let Some((_, at)) = job.place.filter(|&(count, at)| count * 4 == copy.len() && at != NO_NEWS) {
        copy.extend([NO_NEWS | 1 << FOLLOWING, at].iter().flat_map(|word| word.to_le_bytes()));
    }
    copy
}

/// Gives threads more slots before they need them.
fn make_ready(agent: &Agent) {
    let mut threads = agent.threads();
    if let Some(range) = threads.name_more() {
        drop(agent.make_ready(threads, range));
    }
}

/// The oldest full slot, and how many there are behind it; waits a little for one if there is time.
fn next(agent: &Agent, recording: &Recording, waits: bool) -> Option<(Job, usize)> {
    let mut threads = agent.threads();
    if waits && threads.full.is_empty() && !recording.is_over.load(Ordering::Acquire) {
        threads.writer_waits = true;
        let wait = agent.slot_full.wait_timeout(threads, LOOK);
        threads = wait.unwrap_or_else(PoisonError::into_inner).0;
        threads.writer_waits = false;
    }
    let job = threads.full.pop_front();
    threads.is_writing = job.is_some();
    job.map(|job| (job, threads.full.len()))
}

fn head(job: &Job, recording: &Recording) -> ChunkHead {
    ChunkHead {
        thread: job.thread,
        number: job.number,
        words: 0,
        encoding: recording.choices.encoding,
        last: job.last,
        lost_before: job.lost_before,
        time_first: job.time_first,
        time_last: job.time_last,
    }
}
