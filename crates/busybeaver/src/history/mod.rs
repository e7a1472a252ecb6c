//! The history of a run: its program blocks as levels of loops.
//!
//! Every block is fed to the loop finder before it runs, the end of the program not at all. The
//! symbols of the summary are the numbers of the blocks (see [`BlockId`]).
//!
//! Source: founding text 1 ("Analysing Execution History"): run blocks and meta-run blocks.

mod events;
mod listing;

pub use events::{Events, program_of};
pub use listing::{Bounds, listing};

use crate::Grid;
use crate::blocks::{BlockId, Graph};
use crate::run::{Outcome, Walk};
use analyses::loops::{LoopFinder, Options};
use model::Summary;

/// The history of a run.
#[derive(Debug, Clone)]
pub struct History {
    /// All levels. Short loops are recognised, as in the original's hang detection.
    pub summary: Summary,
    /// How the run ended, or that it was stopped.
    pub end: Outcome,
    /// Steps taken.
    pub steps: u64,
    /// Blocks run.
    pub blocks: u64,
}

impl History {
    /// Runs a program for at most this many blocks, and on to the end of its step limit.
    pub fn of(grid: &Grid, blocks: u64) -> Self {
        History::within(grid, blocks, u64::MAX)
    }

    /// The same for at most so many steps, give or take a block.
    pub fn of_steps(grid: &Grid, steps: u64) -> Self {
        History::within(grid, u64::MAX, steps)
    }

    fn within(grid: &Grid, blocks: u64, steps: u64) -> Self {
        let graph = Graph::of(grid);
        let mut walk = Walk::new(&graph);
        let mut finder = LoopFinder::new(Options { short_loops: true, ..Options::default() });
        let mut end = Outcome::Stopped;
        while walk.blocks() < blocks && walk.steps() < steps {
            let due = walk.block();
            if let Some(outcome) = walk.step() {
                end = outcome;
                break;
            }
            finder.push(u32::from(due.number()));
        }
        History { summary: finder.summary(), end, steps: walk.steps(), blocks: walk.blocks() }
    }
}

/// The letter of a block in the text of its graph, by its number.
pub fn block_name(graph: &Graph, unit: u32) -> String {
    let rank = BlockId::from_number(unit).and_then(|id| graph.rank(id));
    rank.map_or_else(|| unit.to_string(), |rank| crate::blocks::text::name(rank).into_owned())
}
