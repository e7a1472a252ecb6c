//! Blocks, canonical forms and runs against the original's.
#![allow(clippy::unwrap_used)]

mod vectors;

use busybeaver::blocks::canonical::Canonical;
use busybeaver::blocks::{Block, Graph, graph_text};
use busybeaver::run::{Fast, Limits, Outcome, Stepper};
use busybeaver::{Grid, spec};

fn steps_of(graph: &Graph) -> Vec<i64> {
    let steps = graph.blocks().map(|(_, block)| match block {
        Block::Work { steps, .. } | Block::Exit { steps } => i64::from(steps),
        Block::Hang => -1,
        Block::Open { .. } => 0,
    });
    steps.collect()
}

#[test]
fn the_best_4x4_program_has_the_blocks_of_the_original() {
    let grid: Grid = "ROuShls".parse().unwrap();
    let graph = Graph::of(&grid);
    assert_eq!(graph_text(&graph), "a+1-b b>1cd c+1-e dX e-1fg f<1he g+1he hX");
    assert_eq!(steps_of(&graph), [1, 1, 2, 1, 2, 2, 2, 3]);
    assert_eq!(Canonical::of(&graph).text(), "a+1-b b>1cd c+1-e dX e-1fg f<1de g+1de");
}

#[test]
fn every_interpretation_agrees() {
    let Some(file) = vectors::read("interpretation.json") else { return };
    for vector in file["programs"].as_array().unwrap() {
        let text = vector["program"].as_str().unwrap();
        let grid: Grid = text.parse().unwrap();
        assert_eq!(grid.to_string(), text);
        assert_eq!(spec::cells_text(&grid), vector["cells"].as_str().unwrap());
        let graph = Graph::of(&grid);
        assert_eq!(graph_text(&graph), vector["blocks"].as_str().unwrap(), "{text}");
        assert_eq!(steps_of(&graph), vectors::numbers(&vector["block_steps"]), "{text}");
        let canonical = Canonical::of(&graph);
        assert_eq!(canonical.text(), vector["canonical"].as_str().unwrap(), "{text}");
        let steps: Vec<i64> = canonical.steps.iter().map(|steps| steps.map_or(-1, i64::from)).collect();
        assert_eq!(steps, vectors::numbers(&vector["canonical_steps"]), "{text}");
    }
}

fn check_halt(text: &str, steps: u64) {
    let grid: Grid = text.parse().unwrap();
    let graph = Graph::of(&grid);
    let mut fast = Fast::new(&graph);
    assert_eq!(fast.run(Limits::steps(2 * steps + 100)), Outcome::Halted, "{text}");
    assert_eq!(fast.steps(), steps, "{text}");
    if steps < 12_000_000 {
        let mut plain = Fast::new(&graph);
        let limits = Limits { leaps: false, ..Limits::steps(2 * steps + 100) };
        assert_eq!(plain.run(limits), Outcome::Halted, "{text}");
        assert_eq!((plain.steps(), plain.blocks()), (steps, fast.blocks()), "{text}");
        let [plain, fast] = [plain.tape(), fast.tape()];
        let (first, last) = plain.bounds().unwrap_or((0, 0));
        assert_eq!((plain.bounds(), plain.position()), (fast.bounds(), fast.position()));
        assert!((first..=last).all(|at| plain.at(at) == fast.at(at)), "{text}");
    }
    if steps < 1_000_000 {
        let Some(Block::Exit { steps: exit }) = graph.block(fast.block()) else { panic!("{text}") };
        let mut stepper = Stepper::new(&grid);
        // The tape is compared before the last block: the executor leaves its data cells out.
        assert_eq!(stepper.run(steps - u64::from(exit)), Outcome::Stopped, "{text}");
        let (first, last) = stepper.tape().bounds().unwrap_or((0, 0));
        assert_eq!(fast.tape().bounds().unwrap_or((0, 0)), (first, last));
        for position in first..=last {
            assert_eq!(stepper.tape().at(position), fast.tape().at(position));
        }
        assert_eq!(stepper.tape().position(), fast.tape().position());
        assert_eq!(stepper.run(2 * steps + 100), Outcome::Halted, "{text}");
        assert_eq!(stepper.steps(), steps, "{text}");
    }
}

#[test]
fn known_programs_halt_after_exactly_their_steps() {
    check_halt("M70Dw", 5);
    check_halt("Iqo", 1);
    check_halt("ROuShls", 15);
    check_halt("Ve7kJY2Gfs", 44);
    check_halt("Zu65Euk8W4Flbw", 573);
    check_halt("dwoAlShaIhJBYIGAKA", 117_273);
    check_halt("d/rPlSha7hJBbIGz68", 117_273);
    check_halt("dyKiQSWUCFgCQIAgCA", 140_164);
    check_halt("dwIAhChIElIRYIRgqA", 422_155);
    check_halt("d/7/hChIwlIRbIRnqM", 422_155);
}

#[test]
fn the_champion_of_7x7_halts_after_exactly_its_steps() {
    check_halt("d+/vAjhUqpBBbYG3+8", 918_785_141);
}

#[test]
fn every_recorded_halt_is_exact() {
    let Some(file) = vectors::read("programs_tests.json") else { return };
    for vector in file["programs"].as_array().unwrap() {
        if vector["expect_result"] == "SUCCESS" {
            check_halt(vector["program"].as_str().unwrap(), vector["expect_steps"].as_u64().unwrap());
        }
    }
    let Some(file) = vectors::read("programs_sampled.json") else { return };
    for vector in file["search_sampled"].as_array().unwrap() {
        if vector["oneshot"]["result"] == "SUCCESS" {
            let steps = vector["oneshot"]["steps"].as_u64().unwrap();
            check_halt(vector["program"].as_str().unwrap(), steps);
        }
    }
    for vector in file["random_grids"].as_array().unwrap() {
        if vector["result"] == "SUCCESS" {
            check_halt(vector["program"].as_str().unwrap(), vector["steps"].as_u64().unwrap());
        }
    }
}
