//! The loops of an input: read from the cache where they were cached, else looked for, and cached where that took long.

use std::path::Path;

use analyses::loops::{Options, Summaries, from_bytes, to_bytes};
use viewer::{Cache, Entry, Progress};

use super::find::{Loops, find};
use crate::cli;
use crate::exit::Result;
use crate::serve::cached::entry_of_all;

/// In a shorter history loops are found in about the time in which they are read.
pub(super) const WORTH_CACHING: u64 = 1 << 20;

/// The loops of what was opened; cached if it has so many steps, `worth`.
pub(super) fn find_or_read(
    history: &cli::History,
    (cache, worth): (&Cache, u64),
    progress: &Progress,
) -> Result<Loops> {
    let options = Options { short_loops: history.short_loops, ..Options::default() };
    let entry = history.input.as_deref().and_then(|input| entry(input, history, cache));
    let cached = entry.as_ref().and_then(Entry::read).and_then(|bytes| from_bytes(&bytes));
    if let Some(cached) = cached {
        return Ok(Loops::of(cached, vec![]));
    }
    let (found, diagnostics) = find(history, options, progress)?;
    if let Some(entry) = entry.filter(|_| steps(&found) >= worth) {
        entry.write(&to_bytes(&found));
    }
    Ok(Loops::of(found, diagnostics))
}

/// Where the loops of this question to this input are cached. What is piped in has no entry.
fn entry(input: &Path, history: &cli::History, cache: &Cache) -> Option<Entry> {
    let cli::History { track_by, track, short_loops, .. } = history;
    entry_of_all(cache, input, ("loops", format!("{track_by:?} {track:?} {short_loops}")))
}

fn steps(found: &Summaries) -> u64 {
    let steps = |summary: &model::Summary| summary.levels.first().map_or(0, model::Level::len);
    found.tracks.iter().map(|(_, summary)| steps(summary)).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cached_shows_the_same_and_what_is_damaged_is_looked_for_anew() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let input = folder.join("trace.jsonl");
        let line =
            |n: i32| format!("{{\"ts\":{n},\"stream\":\"s{}\",\"name\":\"e{}\"}}\n", n % 2, n % 3 * (n % 17));
        let text: String = (0..500).map(line).collect();
        std::fs::write(&input, &text).unwrap();
        let cache = Cache::at(&folder.join("cache"));
        let shown = |history: &cli::History, worth| {
            let Ok(loops) = find_or_read(history, (&cache, worth), &Progress::default()) else { panic!() };
            format!("{loops:?}")
        };
        let files = || -> Vec<_> {
            let files = std::fs::read_dir(folder.join("cache")).into_iter().flatten();
            files.map(|file| file.unwrap().path()).collect()
        };
        let history = cli::History {
            input: Some(input.clone()),
            symbols: None,
            history: None,
            track_by: cli::TrackBy::Thread,
            track: vec![],
            short_loops: false,
            allow_loss: false,
        };
        let first = shown(&history, 501);
        assert!(first.contains("e16") && files().is_empty(), "so short a trace is not worth it");
        assert_eq!(shown(&history, 500), first);
        let [file] = files().try_into().unwrap();
        // Other content shows whether it is read.
        let whole = std::fs::read(&file).unwrap();
        let entry = entry(&input, &history, &cache).unwrap();
        let mut other = from_bytes(&entry.read().unwrap()).unwrap();
        other.tracks.truncate(1);
        entry.write(&to_bytes(&other));
        assert_ne!(shown(&history, 500), first, "what is cached is shown");
        for at in (0..whole.len()).step_by(41) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x41;
            std::fs::write(&file, if at % 2 == 0 { damaged.as_slice() } else { &whole[..at] }).unwrap();
            assert_eq!(shown(&history, u64::MAX), first);
        }
        std::fs::write(&file, whole).unwrap();
        let asked = cli::History { track: vec!["s0".into()], ..history.clone() };
        assert_ne!(shown(&asked, 500), first, "another question has another answer");
        assert_eq!((shown(&history, 500), files().len()), (first, 1), "and half as many steps");
    }
}
