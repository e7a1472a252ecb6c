//! Totals of whole searches.
#![allow(clippy::unwrap_used)]

mod vectors;

use busybeaver::search::totals::Totals;
use busybeaver::search::{Mode, Plan, Search};

fn search(width: u8, height: u8, mode: Mode) -> Totals {
    let mut search = Search::new(Plan { width, height, mode, max_steps: 1_000_000, check: false }).unwrap();
    search.run(1, |_| true);
    search.totals()
}

fn check(width: u8, height: u8, mode: Mode, programs: u64, halting: u64, steps: u64, best: &str) {
    let totals = search(width, height, mode);
    let found = (totals.total(), totals.success, totals.max_steps, totals.best_program.as_str());
    assert_eq!(found, (programs, halting, steps, best), "{width} by {height}");
    assert_eq!(totals.undecided, Vec::<String>::new());
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
    }
}

#[test]
#[ignore = "half a minute of release code"]
fn large_sizes_have_the_totals_of_the_original() {
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
        assert_eq!(search.totals(), whole);
    }
    let mut checked = Search::new(Plan { check: true, ..plan }).unwrap();
    checked.run(2, |_| true);
    assert_eq!(checked.totals(), whole);
    // Stopped after every hundred shares, written to text, read back.
    let mut text = Search::new(plan).unwrap().first_line();
    loop {
        let mut search = Search::read(&text).unwrap();
        if search.is_finished() {
            assert_eq!(search.totals(), whole);
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
        let kept = Search::read(&text).unwrap();
        text.truncate(text.len() - 11);
        assert_eq!(kept.done(), Search::read(&text).unwrap().done());
    }
}

#[test]
fn late_escapes_are_followed() {
    use busybeaver::search::engine::Engine;
    let start = "d/q/lL6UsWOBWtg0bs".parse().unwrap();
    let (totals, ()) = Engine::search(start, 10_000_000, ());
    assert_eq!((totals.success, totals.hanging(), totals.max_steps), (2, 1, 1_648_533));
    let start = "d+//AvhUqpNBbIGz+8".parse().unwrap();
    let (totals, ()) = Engine::search(start, 10_000_000, ());
    assert_eq!((totals.success, totals.hanging(), totals.max_steps), (8, 3, 3_007_571));
}
