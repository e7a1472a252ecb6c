//! A shelf over several runs, in a folder of its own.

use std::path::PathBuf;

use formats::capture::Packed;

use super::*;
use crate::prepared::Prepared;

fn prepared(number: u8, bytes: usize) -> Prepared {
    Prepared {
        numbers: u32::from(number),
        methods: 1,
        left_alone: 0,
        is_whole: true,
        places: vec![[1, 0, 0, 0]],
        class: vec![number; bytes],
        described: Packed { is_compressed: true, bytes: vec![7; 20] },
    }
}

fn file(number: u8) -> Packed {
    Packed { is_compressed: true, bytes: vec![number; 30] }
}

/// Whether it is this class.
fn is(kept: Kept<'_>, number: u8, bytes: usize) -> bool {
    kept == Kept { ready: Some(prepared(number, bytes).ready()), file: file(number).borrowed() }
}

/// A run that prepares these classes, of so many bytes each, unless they are there; how many were.
fn run(folder: &Path, program: u64, classes: &[u8], bytes: usize) -> usize {
    let shelf = Shelf::open(folder, [program, 1]);
    let mut new = NewVolume::new(&shelf);
    let mut room = vec![];
    for &number in classes {
        let key = [u64::from(number), 5];
        let (prepared, file) = (prepared(number, bytes), file(number));
        match shelf.find(key, &mut room) {
            Some(there) => assert!(is(there, number, bytes)),
            None => new.add(key, Kept { ready: Some(prepared.ready()), file: file.borrowed() }),
        }
    }
    new.add([99, u64::from(classes[0])], Kept { ready: None, file: PackedBytes::default() });
    new.finish(&shelf);
    usize::try_from(shelf.found()).unwrap()
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn the_next_run_of_the_program_finds_what_this_one_prepared() {
    let folder = Temporary::new("next");
    let at = folder.0.join("shelf");
    assert_eq!(run(&at, 1, &[1, 2, 3], 100_000), 0);
    assert_eq!(run(&at, 1, &[1, 2, 3], 100_000), 3);
    assert_eq!(files(&at), 1, "a run that prepared next to nothing leaves nothing");
    assert_eq!(run(&at, 2, &[1, 2, 3], 100_000), 0, "another program");
    assert_eq!(run(&at, 1, &[1, 2, 3, 4, 5], 100_000), 3);
    assert_eq!(run(&at, 1, &[1, 2, 3, 4, 5], 100_000), 5);
    assert_eq!(files(&at), 3);
    let shelf = Shelf::open(&at, [1, 1]);
    assert!(shelf.find([99, 1], &mut vec![]).unwrap().ready.is_none(), "what is not recorded is known, too");
}

#[test]
fn a_run_that_prepared_little_leaves_nothing() {
    let folder = Temporary::new("little");
    run(&folder.0, 1, &[1, 2, 3], 1000);
    assert_eq!(files(&folder.0), 0);
}

#[test]
fn many_programs_and_many_runs_leave_a_bounded_number_of_files() {
    let folder = Temporary::new("many");
    for first in (0..60).step_by(3) {
        run(&folder.0, 1, &[first, first + 1, first + 2], 100_000);
    }
    assert_eq!(files(&folder.0), folder::MOST_OF_A_PROGRAM);
    for program in 0..100 {
        run(&folder.0, program, &[1, 2, 3], 100_000);
    }
    assert_eq!(files(&folder.0), folder::MOST);
    assert_eq!(run(&folder.0, 99, &[1, 2, 3], 100_000), 3, "the newest is kept");
}

#[test]
fn damage_is_as_if_nothing_were_there() {
    let folder = Temporary::new("damage");
    run(&folder.0, 1, &[1, 2, 3], 50_000);
    let path = std::fs::read_dir(&folder.0).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&path).unwrap();
    let mut room = vec![];
    for cut in (0..whole.len()).step_by(997).chain(whole.len() - 200..whole.len()) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        assert!(Shelf::open(&folder.0, [1, 1]).find([1, 5], &mut room).is_none(), "cut at {cut}");
    }
    for at in (0..whole.len()).step_by(509).chain(whole.len() - 200..whole.len()) {
        let mut bad = whole.clone();
        bad[at] ^= 1;
        std::fs::write(&path, &bad).unwrap();
        let shelf = Shelf::open(&folder.0, [1, 1]);
        for number in [1, 2, 3] {
            let there = shelf.find([u64::from(number), 5], &mut room);
            assert!(there.is_none_or(|there| is(there, number, 50_000)), "flipped at {at}");
        }
    }
}

/// A folder that goes with the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        let path = std::env::temp_dir().join(format!("tracewright-shelf-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
