//! Records are left out of runs of which all is known, and what is deduced is held against them.

use std::path::Path;

use model::flow::FlowStep;
use model::{Certainty, Lost};

use crate::damage::{self, Figures};
use crate::fixture::{self, Program, Rng};
use crate::{CODE, Capture, STEPS};

fn open(code: &[u8], steps: &[u8]) -> Capture {
    Capture::open(fixture::sources(&[(CODE, code.to_vec()), (STEPS, steps.to_vec())])).unwrap()
}

/// What is found when so many records in a row are left out again and again.
fn found(code: &[u8], steps: &[u8], at_once: usize, apart: usize, case: &str) -> Figures {
    let whole = open(code, steps);
    let damaged = damage::without(&whole, at_once, apart, &mut Rng(at_once as u64 + 5));
    let capture = open(code, &damaged.steps);
    let mut figures = Figures::default();
    for (thread, lost) in capture.threads.iter().zip(&damaged.lost) {
        let mut flow = capture.flow_with_lost(thread);
        while flow.next_step().is_some() {}
        assert_eq!(flow.filled().len(), lost.len(), "{case}");
        figures.add(&capture, flow.filled(), lost, |gap, filled| {
            eprintln!("{case}, {at_once} at once, gap {gap}: {filled:?} is {:?}", lost[gap]);
        });
    }
    figures
}

/// Loops, exceptions, calls by names that several methods have, code that is not recorded and calls anything.
#[test]
fn what_is_called_the_only_way_is_what_was_lost() {
    let (mut all, mut only_way, mut wrong) = ([0; 4], [0; 4], 0);
    for seed in 0..80 {
        let mut rng = Rng(seed * 0x9e37_79b9 + 11);
        let methods = 2 + rng.roll(10);
        let program = Program::random(&mut rng, methods);
        let thread = fixture::run(&program, &mut rng, 2_000);
        let (code, mut steps) = (program.code_file(1), vec![]);
        fixture::steps_file(&mut steps, 1, &thread.words, 500);
        for at_once in 1..=3 {
            let figures = found(&code, &steps, at_once, 25, &format!("seed {seed}"));
            wrong += figures.only_way_wrong;
            all[at_once] += figures.gaps;
            only_way[at_once] += figures.only_way;
        }
    }
    eprintln!("{only_way:?} of {all:?} are the only way");
    assert_eq!(wrong, 0);
    assert!(all.iter().skip(1).all(|gaps| *gaps > 5_000), "{all:?}");
    assert!(only_way[1] * 5 > all[1], "{only_way:?} of {all:?}");
}

fn bakery() -> [Vec<u8>; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery/bakery.capture");
    [CODE, STEPS].map(|name| std::fs::read(folder.join(name)).unwrap())
}

#[test]
fn most_of_what_a_recorded_program_lost_is_found() {
    let [code, steps] = bakery();
    for (at_once, least) in [(1, 0.97), (4, 0.85)] {
        let figures = found(&code, &steps, at_once, 60, "bakery");
        eprintln!("{at_once} at once: {figures:?}");
        assert_eq!(figures.only_way_wrong, 0);
        assert!(figures.gaps > 500 && figures.right as f64 > least * figures.gaps as f64, "{figures:?}");
        // What is stated as likely is so about as often as stated.
        let stated = figures.stated / figures.likely.iter().sum::<u64>() as f64;
        let so = figures.likely[0] as f64 / figures.likely.iter().sum::<u64>() as f64;
        assert!((stated - so).abs() < 0.1, "{stated} and {so}");
    }
}

/// All that a thread did, without moments.
fn steps(capture: &Capture, thread: usize, infers: bool) -> (Vec<fixture::Happened>, Vec<Lost>, u64) {
    let thread = &capture.threads[thread];
    let mut flow = if infers { capture.flow_with_lost(thread) } else { capture.flow(thread) };
    let (mut happened, mut gaps, mut inferred, mut is_inferred) = (vec![], vec![], 0, false);
    while let Some(step) = flow.next_step() {
        fixture::happened(&step, &mut happened);
        match step {
            FlowStep::Gap { lost } => gaps.push(lost),
            FlowStep::Inferred { certainty, lost } => {
                assert!(!is_inferred && lost > 0);
                assert!(!matches!(certainty, Certainty::Unknown));
                (inferred, is_inferred) = (inferred + 1, true);
            }
            FlowStep::Observed => assert!(std::mem::take(&mut is_inferred)),
            _ => {}
        }
    }
    assert!(!is_inferred);
    (happened, gaps, inferred)
}

#[test]
fn what_was_found_is_told_in_its_place() {
    let [code, whole] = bakery();
    let complete = open(&code, &whole);
    let damaged = damage::without(&complete, 1, 2_000, &mut Rng(3));
    let capture = open(&code, &damaged.steps);
    let main = (0..capture.threads.len()).max_by_key(|&thread| damaged.lost[thread].len()).unwrap();
    let count = damaged.lost[main].len();
    let (truth, ..) = steps(&complete, main, false);
    let (with_gaps, gaps, none) = steps(&capture, main, false);
    assert_eq!((gaps.len(), none), (count, 0));
    assert_ne!(with_gaps, truth);
    let (filled, gaps, inferred) = steps(&capture, main, true);
    assert_eq!((gaps.len(), inferred), (0, count as u64));
    assert!(filled == truth, "{count} gaps");
}

#[test]
fn what_is_too_long_or_not_counted_is_left_open() {
    let [code, whole] = bakery();
    let complete = open(&code, &whole);
    let damaged = damage::without(&complete, 60, 500, &mut Rng(3));
    let capture = open(&code, &damaged.steps);
    for (thread, lost) in damaged.lost.iter().enumerate() {
        let (_, gaps, inferred) = steps(&capture, thread, true);
        assert_eq!((gaps.len(), inferred), (lost.len(), 0));
    }
}
