//! The folded executor, and the fast one that uses it, against the interpreter: the same steps, the
//! same tape, at any moment.
#![allow(clippy::unwrap_used)]

mod programs;
mod vectors;

use busybeaver::Grid;
use busybeaver::blocks::Graph;
use busybeaver::run::{Fast, Folded, Limits, Outcome, Stepper, Tape, Walk};
use programs::random_program;

fn assert_same(tape: &Tape, other: &Tape, what: &str) {
    assert_eq!((tape.position(), tape.bounds()), (other.position(), other.bounds()), "{what}");
    let (first, last) = tape.bounds().unwrap_or((0, 0));
    for at in first..=last {
        assert_eq!(tape.at(at), other.at(at), "{what}, cell {at}");
    }
}

/// Runs a program up to several moments, folded, fast and step by step. Says how deep rules go.
fn check(grid: &Grid, moments: impl IntoIterator<Item = u64>) -> usize {
    let graph = Graph::of(grid);
    let (mut folded, mut fast) = (Folded::new(&graph), Fast::new(&graph));
    let (mut walk, mut stepper) = (Walk::new(&graph), Stepper::new(grid));
    for moment in moments {
        let what = format!("{grid} up to {moment}");
        let end = folded.run(moment);
        let mut plain = Outcome::Stopped;
        while walk.steps() < folded.steps() && plain == Outcome::Stopped {
            plain = walk.step().unwrap_or(Outcome::Stopped);
        }
        assert_eq!(
            (walk.steps(), walk.blocks(), walk.block()),
            (folded.steps(), folded.blocks(), folded.block()),
            "{what}"
        );
        assert_same(&folded.tape(1 << 24).unwrap(), walk.tape(), &what);
        if end == Outcome::Halted {
            assert_eq!((stepper.run(u64::MAX), stepper.steps()), (end, folded.steps()), "{what}");
            assert_eq!((fast.run(Limits::steps(u64::MAX)), fast.steps()), (end, folded.steps()), "{what}");
            break;
        }
        if end != Outcome::Stopped {
            break;
        }
        // Both stand between two blocks.
        assert_eq!(stepper.run(folded.steps()), end, "{what}");
        assert_same(&folded.tape(1 << 24).unwrap(), stepper.tape(), &what);
        // The fast one looks at its limit only now and then, and may come to an end behind it.
        let end = fast.run(Limits::steps(moment));
        let mut ahead = walk.clone();
        let mut plain = Outcome::Stopped;
        while (ahead.steps() < fast.steps() || end != Outcome::Stopped) && plain == Outcome::Stopped {
            plain = ahead.step().unwrap_or(Outcome::Stopped);
        }
        assert_eq!((plain, ahead.steps(), ahead.blocks()), (end, fast.steps(), fast.blocks()), "{what}");
        assert_same(&fast.tape(), ahead.tape(), &what);
        if end != Outcome::Stopped {
            break;
        }
    }
    folded.rules().1
}

#[test]
fn random_programs_run_as_they_do_step_by_step() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut depths = [0; 4];
    for _ in 0..4_000 {
        let grid = random_program(&mut random);
        let moments = [random.u64(..1_000), random.u64(3_000..4_000), 40_000];
        depths[check(&grid, moments).min(3)] += 1;
    }
    assert!(depths[0] > 1_000 && depths[1] > 100, "{depths:?}");
}

#[test]
fn recorded_programs_run_as_they_do_step_by_step() {
    let Some(tests) = vectors::read("programs_tests.json") else { return };
    let Some(sampled) = vectors::read("programs_sampled.json") else { return };
    let Some(shown) = vectors::read("interpretation.json") else { return };
    let lists =
        [&tests["programs"], &sampled["search_sampled"], &sampled["random_grids"], &shown["programs"]];
    let mut depths = [0; 4];
    for one in lists.iter().flat_map(|list| list.as_array().unwrap()) {
        let grid: Grid = one["program"].as_str().unwrap().parse().unwrap();
        depths[check(&grid, [100, 1_234, 20_000, 300_000]).min(3)] += 1;
    }
    // Most of those that run for long and go on evenly are loops of loops.
    assert!(depths[1] > 100 && depths[2] > 50, "{depths:?}");
}

/// Wherever it is stopped, within a turn of an outer loop or between two.
#[test]
fn a_folded_run_can_be_stopped_anywhere() {
    for program in ["ZgoCQhGBUIBlqA", "dwIAhChIElIRYIRgqA", "Zv7+kpG1W2G37w", "ZgKCBhFglIWFoA"] {
        let mut random = fastrand::Rng::with_seed(5);
        let mut moment = 0;
        let moments = std::iter::from_fn(|| {
            moment += random.u64(..2 + moment / 4);
            Some(moment).filter(|&moment| moment < 400_000)
        });
        check(&program.parse().unwrap(), moments.collect::<Vec<u64>>());
    }
}

/// The program of the founding text's Figure 1: two loops that grow by a turn, in a loop. It has a
/// summary of one line, and so the run costs the same however long it is.
#[test]
fn a_growing_sweep_costs_what_its_summary_costs() {
    let grid: Grid = "ZgoCQhGBUIBlqA".parse().unwrap();
    let graph = Graph::of(&grid);
    let spent = [10_000_000, 10_000_000_000_000, 100_000_000_000_000_000].map(|steps| {
        let mut folded = Folded::new(&graph);
        assert_eq!(folded.run(steps), Outcome::Stopped);
        assert!(folded.steps() - steps < 10);
        folded.spent()
    });
    assert!(spent.iter().all(|&spent| spent < 6_000), "{spent:?}");
    check(&grid, [1_000, 1_000_000, 20_000_000]);
}

/// Its sweeps go over a tape that is even in parts, so that a run of its summary is a rule.
#[test]
fn a_long_halting_program_costs_what_its_runs_cost() {
    let graph = Graph::of(&"d/o/lLhb7hJBbYG368".parse().unwrap());
    let mut folded = Folded::new(&graph);
    assert_eq!((folded.run(u64::MAX), folded.steps()), (Outcome::Halted, 819_045_700));
    assert!(folded.spent() * 300 < folded.blocks(), "{} of {}", folded.spent(), folded.blocks());
}
