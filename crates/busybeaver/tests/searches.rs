//! Totals of whole searches.
#![allow(clippy::unwrap_used)]

mod vectors;

use busybeaver::proof::Kind;
use busybeaver::search::totals::Totals;
use busybeaver::search::{Mode, Plan, Search};

fn search(width: u8, height: u8, mode: Mode) -> Totals {
    let mut search = Search::new(Plan { width, height, mode, max_steps: 1_000_000, check: false }).unwrap();
    search.run(1, |_| true);
    search.totals(&[])
}

fn check(width: u8, height: u8, mode: Mode, programs: u64, halting: u64, steps: u64, best: &str) {
    let totals = search(width, height, mode);
    let found = (totals.total(), totals.success, totals.max_steps, totals.best_program.as_str());
    assert_eq!(found, (programs, halting, steps, best), "{width} by {height}");
    assert_eq!(totals.undecided, Vec::<String>::new());
}

/// Compares kinds with the counts of the original. Regular and irregular sweeps are distinguished by
/// observation, so a few are on the other side, and the original leaves some open.
fn check_kinds(totals: &Totals, recorded: &serde_json::Value) {
    let count = |kind: Kind| totals.hangs.get(&kind).copied().unwrap_or(0);
    let theirs = |name: &str| recorded[name].as_u64().unwrap();
    for kind in Kind::ALL {
        if !matches!(kind, Kind::RegularSweep | Kind::IrregularSweep) {
            assert_eq!(count(kind), theirs(kind.name()), "{}", kind.name());
        }
    }
    let (regular, irregular) = (count(Kind::RegularSweep), count(Kind::IrregularSweep));
    let (their_regular, open) = (theirs("REGULAR_SWEEP"), theirs("UNDETECTED"));
    assert_eq!(regular + irregular, their_regular + theirs("IRREGULAR_SWEEP") + open);
    assert!(regular.abs_diff(their_regular) * 200 <= their_regular, "{regular} {their_regular}");
}

#[test]
fn small_sizes_have_the_totals_of_the_original() {
    check(2, 2, Mode::Orchestrated, 0, 0, 0, "");
    check(3, 3, Mode::Orchestrated, 31, 31, 5, "M70Dw");
    check(4, 4, Mode::Orchestrated, 518, 493, 15, "ROuShls");
    check(5, 5, Mode::Orchestrated, 30_547, 26_319, 44, "Ve7kJY2Gfs");
    check(2, 2, Mode::Plain, 9, 9, 3, "IjM");
    check(3, 3, Mode::Plain, 59, 59, 5, "M70Dw");
    check(4, 4, Mode::Plain, 891, 854, 15, "ROuShls");
    check(5, 5, Mode::Plain, 59_553, 51_410, 44, "Ve7kJY2Gfs");
}

#[test]
fn every_recorded_size_has_the_totals_of_the_original() {
    let Some(file) = vectors::read("search_totals.json") else { return };
    for vector in file["totals"].as_array().unwrap() {
        let number = |name: &str| vector[name].as_u64().unwrap();
        let (width, height) = (number("width") as u8, number("height") as u8);
        if number("total") > 100_000 {
            continue;
        }
        let mode = if vector["mode"] == "plain" { Mode::Plain } else { Mode::Orchestrated };
        let best = vector["best_program"].as_str().unwrap();
        check(width, height, mode, number("total"), number("success"), number("max_steps"), best);
        check_kinds(&search(width, height, mode), &vector["hangs_by_type"]);
    }
}

#[test]
#[ignore = "ten seconds of release code"]
fn large_sizes_have_the_totals_of_the_original() {
    if let Some(file) = vectors::read("search_totals.json") {
        for vector in file["totals"].as_array().unwrap() {
            let number = |name: &str| vector[name].as_u64().unwrap();
            if number("total") > 100_000 {
                let mode = if vector["mode"] == "plain" { Mode::Plain } else { Mode::Orchestrated };
                let totals = search(number("width") as u8, number("height") as u8, mode);
                check_kinds(&totals, &vector["hangs_by_type"]);
            }
        }
    }
    check(6, 5, Mode::Orchestrated, 341_703, 285_749, 173, "Zfq+FsG5W1rw");
    check(5, 6, Mode::Orchestrated, 337_188, 281_356, 72, "Vvr5LUoWptGw");
    check(6, 5, Mode::Plain, 720_927, 601_864, 173, "Zfq+FsG5W1rw");
    check(5, 6, Mode::Plain, 767_559, 639_397, 72, "Vvr5LUoWptGw");
    check(6, 6, Mode::Orchestrated, 8_022_654, 6_475_715, 573, "Zu65Euk8W4Flbw");
    // The original leaves five of these open.
    check(6, 6, Mode::Plain, 19_181_715, 15_392_280, 573, "Zu65Euk8W4Flbw");
}

#[test]
fn neither_threads_nor_interruptions_change_the_totals() {
    let plan = Plan { width: 5, height: 5, mode: Mode::Orchestrated, max_steps: 1_000_000, check: false };
    let whole = search(5, 5, Mode::Orchestrated);
    for threads in 1..=3 {
        let mut search = Search::new(plan).unwrap();
        search.run(threads, |_| true);
        assert_eq!(search.totals(&[]), whole);
    }
    let mut checked = Search::new(Plan { check: true, ..plan }).unwrap();
    checked.run(2, |_| true);
    assert_eq!(checked.totals(&[]), whole);
    // Stopped after every hundred shares, written to text, read back.
    let mut text = Search::new(plan).unwrap().first_line();
    loop {
        let mut search = Search::read(&text).unwrap();
        if search.is_finished() {
            assert_eq!(search.totals(&[]), whole);
            break;
        }
        let mut count = 0;
        search.run(2, |share| {
            text.push_str(&share.line());
            count += 1;
            count < 100
        });
        // The last line may be cut.
        text.push_str("{\"share\": 5");
        let stored = Search::read(&text).unwrap();
        text.truncate(text.len() - 11);
        assert_eq!(stored.done(), Search::read(&text).unwrap().done());
    }
}

#[test]
fn late_escapes_are_followed() {
    use busybeaver::search::engine::Engine;
    let start = "d/q/lL6UsWOBWtg0bs".parse().unwrap();
    let (totals, ()) = Engine::search(start, 10_000_000, ());
    assert_eq!((totals.success, totals.max_steps), (2, 1_648_533));
    assert_eq!(totals.hangs, [(Kind::NoExit, 1)].into());
    let start = "d+//AvhUqpNBbIGz+8".parse().unwrap();
    let (totals, ()) = Engine::search(start, 10_000_000, ());
    assert_eq!((totals.success, totals.max_steps), (8, 3_007_571));
    assert_eq!(totals.hangs, [(Kind::NoDataLoop, 1), (Kind::NoExit, 2)].into());
}

/// Programs with open cells that their runs never come to, recorded from the original.
#[test]
fn programs_without_a_way_out_are_found() {
    use busybeaver::search::engine::Engine;
    for program in ["Zr/0r1khGyGz7w", "Zuq5UpVoW6L1bw", "Zu65Etw4Rq20Gw", "Zvv/AuU4a5v1vw"] {
        let (totals, ()) = Engine::search(program.parse().unwrap(), 10_000, ());
        assert_eq!((totals.total(), totals.hangs), (1, [(Kind::NoExit, 1)].into()), "{program}");
    }
}

/// With few steps many programs stay undecided; with stages behind them the totals are those of a
/// search with many steps, however often it is interrupted.
#[test]
fn stages_decide_what_was_given_up() {
    let plan = |max_steps| Plan { width: 5, height: 4, mode: Mode::Orchestrated, max_steps, check: false };
    let whole = search(5, 4, Mode::Orchestrated);
    let mut short = Search::new(plan(20)).unwrap();
    let mut text = short.first_line();
    short.run(2, |share| {
        text.push_str(&share.line());
        true
    });
    let given_up = short.totals(&[]).undecided;
    let groups = busybeaver::search::stages::grouped(&given_up);
    assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), given_up.len());
    assert!(groups.len() * 4 < given_up.len() * 3, "{} {}", groups.len(), given_up.len());
    let stages = [60, 1_000_000];
    loop {
        let mut search = Search::read(&text).unwrap();
        for (index, &stage) in stages.iter().enumerate() {
            let mut left = 200;
            let stage = search.stage(&stages[..index], stage);
            search.run_stage(&stage, 2, |group| {
                text.push_str(&group.line());
                left -= 1;
                left > 0
            });
            if left == 0 {
                break;
            }
        }
        let totals = Search::read(&text).unwrap().totals(&stages);
        if totals.undecided.is_empty() {
            assert_eq!(totals, whole);
            break;
        }
    }
}
