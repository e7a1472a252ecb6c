//! A cache over several runs, in a folder of its own.

use std::path::PathBuf;

use capture::Packed;
use tempfile::tempdir;

use super::*;
use capture::class_cache::instrumented::Instrumented;

fn instrumented(number: u8, bytes: usize) -> Instrumented {
    Instrumented {
        numbers: u32::from(number),
        methods: 1,
        skipped: 0,
        is_whole: true,
        offsets: vec![[1, 0, 0, 0]],
        class: vec![number; bytes],
        described: Packed { is_compressed: true, bytes: vec![7; 20] },
    }
}

fn file(number: u8) -> Packed {
    Packed { is_compressed: true, bytes: vec![number; 30] }
}

/// Whether there is this class, and its file; nothing, or what is right.
fn finds(cache: &ClassCache, number: u8, bytes: usize) -> [bool; 2] {
    let mut buffer = vec![];
    let Some(Cached { ready, file: extent }) = cache.find([u64::from(number), 5], &mut buffer) else {
        return [false; 2];
    };
    assert_eq!(ready, Some(instrumented(number, bytes).ready()));
    let there = cache.file(extent, &mut buffer);
    assert!(there.is_none_or(|there| there == file(number).borrowed()));
    [true, there.is_some()]
}

/// A run that prepares these classes, of so many bytes each, unless they are there; how many were.
fn run(folder: &Path, program: u64, classes: &[u8], bytes: usize) -> usize {
    let cache = ClassCache::open(folder, [program, 1]);
    let mut new = NewSegment::new(&cache);
    for &number in classes {
        let key = [u64::from(number), 5];
        match finds(&cache, number, bytes) {
            [false, _] => new.add(key, Some(instrumented(number, bytes).ready()), file(number).borrowed()),
            there => assert_eq!(there, [true, true]),
        }
    }
    new.add([99, u64::from(classes[0])], None, PackedBytes::default());
    new.finish(&cache);
    usize::try_from(cache.found()).unwrap()
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn the_next_run_of_the_program_finds_what_this_one_instrumented() {
    let folder = tempdir().unwrap();
    let at = folder.path().join("cache");
    assert_eq!(run(&at, 1, &[1, 2, 3], 100_000), 0);
    assert_eq!(run(&at, 1, &[1, 2, 3], 100_000), 3);
    assert_eq!(files(&at), 1, "a run that instrumented next to nothing leaves nothing");
    assert_eq!(run(&at, 2, &[1, 2, 3], 100_000), 0, "another program");
    assert_eq!(run(&at, 1, &[1, 2, 3, 4, 5], 100_000), 3);
    assert_eq!(run(&at, 1, &[1, 2, 3, 4, 5], 100_000), 5);
    assert_eq!(files(&at), 3);
    let cache = ClassCache::open(&at, [1, 1]);
    assert!(cache.find([99, 1], &mut vec![]).unwrap().ready.is_none(), "what is not recorded is known, too");
}

#[test]
fn a_run_that_instrumented_little_leaves_nothing() {
    let folder = tempdir().unwrap();
    run(folder.path(), 1, &[1, 2, 3], 1000);
    assert_eq!(files(folder.path()), 0);
}

#[test]
fn many_programs_and_many_runs_leave_a_bounded_number_of_files() {
    let folder = tempdir().unwrap();
    for first in (0..60).step_by(3) {
        run(folder.path(), 1, &[first, first + 1, first + 2], 100_000);
    }
    assert_eq!(files(folder.path()), folder::MOST_OF_A_PROGRAM);
    for program in 0..100 {
        run(folder.path(), program, &[1, 2, 3], 100_000);
    }
    assert_eq!(files(folder.path()), folder::MOST);
    assert_eq!(run(folder.path(), 99, &[1, 2, 3], 100_000), 3, "the newest is cached");
}

fn only_file(folder: &Path) -> PathBuf {
    std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn damage_is_as_if_nothing_were_there() {
    let folder = tempdir().unwrap();
    run(folder.path(), 1, &[1, 2, 3], 50_000);
    let path = only_file(folder.path());
    let whole = std::fs::read(&path).unwrap();
    for cut in (0..whole.len()).step_by(997).chain(whole.len() - 200..whole.len()) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(finds(&ClassCache::open(folder.path(), [1, 1]), 1, 50_000), [false; 2], "cut at {cut}");
    }
    let mut missing_files = 0;
    let files = [1, 2, 3].map(|number| {
        let bytes = file(number).bytes;
        whole.windows(bytes.len()).rposition(|window| window == bytes).unwrap() + 7
    });
    for at in (0..whole.len()).step_by(509).chain(whole.len() - 200..whole.len()).chain(files) {
        let mut bad = whole.clone();
        bad[at] ^= 1;
        std::fs::write(&path, &bad).unwrap();
        let cache = ClassCache::open(folder.path(), [1, 1]);
        let found = [1, 2, 3].map(|number| finds(&cache, number, 50_000));
        let is_missed = found.contains(&[true, false]);
        missing_files += usize::from(is_missed);
        assert_eq!(path.exists(), !is_missed, "flipped at {at}: a segment that lacks a class file goes");
        if is_missed {
            assert_eq!(finds(&cache, 1, 50_000), [false; 2], "nothing more is taken from it");
        }
    }
    assert!(missing_files >= 3, "{missing_files}");
}

#[test]
fn a_segment_that_is_cut_or_replaced_while_it_is_used_only_lacks_what_is_gone() {
    let folder = tempdir().unwrap();
    run(folder.path(), 1, &[1, 2, 3], 50_000);
    let path = only_file(folder.path());
    let mut buffer = vec![];
    let cache = ClassCache::open(folder.path(), [1, 1]);
    let extent = cache.find([1, 5], &mut buffer).unwrap().file;
    // Another file of that name changes nothing for whoever has the old one.
    let whole = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, b"another").unwrap();
    assert_eq!(cache.file(extent, &mut buffer), Some(file(1).borrowed()));
    assert_eq!(finds(&cache, 2, 50_000), [true, true]);
    // The same file, cut between finding a class and reading its file.
    std::fs::write(&path, &whole).unwrap();
    let cache = ClassCache::open(folder.path(), [1, 1]);
    let extent = cache.find([1, 5], &mut buffer).unwrap().file;
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
    assert_eq!(finds(&cache, 2, 50_000), [false; 2]);
    assert_eq!(cache.file(extent, &mut buffer), None);
    assert!(!path.exists());
}
