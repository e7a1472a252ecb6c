//! A program that was run: its states, its loops with the steps at which they are, and their descriptions.

use busybeaver::Grid;
use busybeaver::blocks::{Graph, graph_text};
use busybeaver::run::replay::MOST_CELLS;
use busybeaver::run::{Outcome, Replay, Walk};
use busybeaver::spec::cells_text;

use viewer::api::two_l::TwoLRun;

use crate::numbers::{counted, grouped};
use crate::serve::loops::find::{TrackLoops, of_program};

/// A program that was run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) replay: Replay,
    /// Its only track, where runs begin at steps and not at blocks.
    pub(super) loops: TrackLoops,
    /// Steps that were asked for.
    most: u64,
}

impl Run {
    pub(super) fn of(grid: Grid, most: u64) -> Run {
        let graph = Graph::of(&grid);
        let replay = Replay::of(grid, most);
        let (alphabet, summary) = of_program(replay.grid(), replay.steps());
        let mut loops = TrackLoops::of(replay.grid().to_string(), summary, &alphabet);
        let units = loops.starts.of(0).to_vec();
        let steps = steps_of(&graph, &units);
        let step = |unit| steps.get(units.partition_point(|&known| known < unit)).copied().unwrap_or(0);
        loops.starts = loops.starts.by(step);
        loops.steps = replay.steps();
        Run { replay, loops, most }
    }

    pub(super) fn answer(&self, verdict: Option<String>) -> TwoLRun {
        let (replay, grid) = (&self.replay, self.replay.grid());
        let cells: Vec<char> = cells_text(grid).chars().collect();
        let (first, last) = replay.visited().into_inner();
        TwoLRun {
            program: grid.to_string(),
            cells: cells.chunks(grid.width().into()).map(|row| row.iter().collect()).collect(),
            blocks: graph_text(&Graph::of(grid)),
            steps: replay.steps(),
            is_whole: replay.end() != Outcome::Stopped,
            end: self.end(),
            verdict,
            first,
            last,
            levels: self.loops.levels(),
        }
    }

    /// How it ends, or why it is shown no further.
    fn end(&self) -> String {
        let steps = counted(self.replay.steps(), "step");
        match self.replay.end() {
            Outcome::Halted => format!("It halts after {steps}."),
            Outcome::NoData => format!("After {steps} it loops forever and moves no more."),
            Outcome::Open { column, row } => {
                format!("After {steps} it meets a cell that is not chosen, in column {column} of row {row}.")
            }
            Outcome::Stopped if self.replay.steps() >= self.most => {
                format!("It is shown up to {steps} and goes on; `tracewright 2l view --steps N` shows more.")
            }
            Outcome::Stopped => {
                let cells = grouped(MOST_CELLS as u64);
                format!("It is shown up to {steps}, where its tape has outgrown {cells} cells, and goes on.")
            }
        }
    }
}

/// Steps before each of these blocks, which are in order.
fn steps_of(graph: &Graph, blocks: &[u64]) -> Vec<u64> {
    let mut walk = Walk::new(graph);
    let step = |&block: &u64| {
        while walk.blocks() < block && walk.step().is_none() {}
        walk.steps()
    };
    blocks.iter().map(step).collect()
}
