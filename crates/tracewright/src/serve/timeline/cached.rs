//! The index of a trace: read from the cache where it was cached, else made, and cached where that took long.

use std::hash::Hash;
use std::path::Path;
use std::sync::RwLock;

use analyses::timeline::{Index, from_bytes, to_bytes};
use analyses::tracks::TrackBy;
use model::EventSource;
use viewer::{Cache, Entry};

use super::fill::{fill, write};
use super::question::Question;
use crate::exit::Result;
use crate::serve::cached::entry_of_all;

/// A trace with fewer events is read again in about the time in which an index is.
pub(super) const WORTH_CACHING: usize = 200_000;

/// Fills `index` for the trace at `input`. `passed` hears how far reading it has come.
pub(super) fn fill_or_read(
    index: &RwLock<Index>,
    input: &Path,
    question: Question<'_>,
    (cache, worth): (&Cache, usize),
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<()> {
    let entry = entry(input, question, cache);
    if let Some(cached) = entry.as_ref().and_then(Entry::read).and_then(|bytes| from_bytes(&bytes)) {
        *write(index) = cached;
        return Ok(());
    }
    fill(index, input, question, passed)?;
    if let Some(entry) = entry {
        let bytes = {
            let index = index.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            (index.times.len() >= worth).then(|| to_bytes(&index))
        };
        if let Some(bytes) = bytes {
            entry.write(&bytes);
        }
    }
    Ok(())
}

fn entry(input: &Path, question: Question<'_>, cache: &Cache) -> Option<Entry> {
    let by = match question.by {
        TrackBy::Thread => 0,
        TrackBy::Cpu => 1,
        TrackBy::Stream => 2,
    };
    entry_of_all(cache, input, Salt(question, by))
}

struct Salt<'m>(Question<'m>, u8);

impl Hash for Salt<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let Salt(question, by) = self;
        ("timeline", question.is_asked_for, by, format!("{:?}", question.model.pattern)).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Stop;
    use crate::models;

    /// Two threads that take turns on a CPU, and something lost between.
    fn trace() -> String {
        let switch = |ts: i32, prev: i32, next: i32| {
            format!(
                "{{\"ts\":{ts},\"stream\":\"cpu0\",\"cpu\":0,\"name\":\"sched_switch\",\"fields\":{{\"prev_comm\":\"t{prev}\",\
                 \"prev_tid\":{prev},\"prev_state\":0,\"next_comm\":\"t{next}\",\"next_tid\":{next}}}}}\n"
            )
        };
        let mut text: String = (0..600).map(|n| switch(10 * n, 1 + n % 2, 1 + (n + 1) % 2)).collect();
        text += "{\"stream\":\"cpu0\",\"lost\":3,\"from\":5990,\"to\":6010}\n";
        text + &switch(6010, 7, 1)
    }

    #[test]
    fn what_was_cached_shows_the_same_and_what_is_damaged_is_made_anew() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let input = folder.join("trace.jsonl");
        std::fs::write(&input, trace()).unwrap();
        let (cache, model) = (Cache::at(&folder.join("cache")), models::load("kernel"));
        let Ok(model) = model else { panic!("no model") };
        let question = |by| Question { model: &model, is_asked_for: false, by };
        let made = |by, worth| {
            let (index, mut passed) = (RwLock::default(), 0);
            let result =
                fill_or_read(&index, &input, question(by), (&cache, worth), &mut |_: &dyn EventSource| {
                    passed += 1
                });
            assert!(!matches!(result, Err(Stop::Failed(_) | Stop::Unread)));
            (to_bytes(&index.into_inner().unwrap()), passed > 0)
        };
        let cached = || -> Vec<_> {
            let files = std::fs::read_dir(folder.join("cache")).into_iter().flatten();
            files.map(|file| file.unwrap().path()).collect()
        };
        let (first, _) = made(TrackBy::Thread, 10_000);
        assert!(cached().is_empty(), "so short a trace is not worth it");
        assert_eq!(made(TrackBy::Thread, 0), (first.clone(), true));
        assert_eq!(cached().len(), 1);
        assert_eq!(made(TrackBy::Thread, 0), (first.clone(), false), "now it is not read again");
        let (by_cpu, was_read) = made(TrackBy::Cpu, 0);
        assert!(was_read && by_cpu != first, "another question has another answer");
        // Bytes of every part, cuts, and nothing at all.
        for file in cached() {
            let whole = std::fs::read(&file).unwrap();
            for at in (0..whole.len()).step_by(97) {
                let mut damaged = whole.clone();
                damaged[at] ^= 0x41;
                std::fs::write(&file, if at % 2 == 0 { damaged.as_slice() } else { &whole[..at] }).unwrap();
                assert_eq!(made(TrackBy::Thread, usize::MAX).0, first);
                assert_eq!(made(TrackBy::Cpu, usize::MAX).0, by_cpu);
            }
            std::fs::write(&file, whole).unwrap();
        }
        assert_eq!(made(TrackBy::Thread, 0), (first.clone(), false));
        std::fs::write(&input, trace() + "{\"name\":\"one more\"}\n").unwrap();
        assert_ne!(made(TrackBy::Thread, 0), (first, false), "another trace is read");
    }
}
