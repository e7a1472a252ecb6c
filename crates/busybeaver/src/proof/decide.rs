//! One program: does it halt, does it hang, or is there no answer?

use super::observe::{FIRST_CHECK, Proof, Run};
use super::{Certificate, Claim, Hang, Kind, check};
use crate::Grid;
use crate::blocks::{Block, BlockId, Graph};
use crate::run::{Fast, Limits, Outcome, Walk};

/// Blocks without a proof after which the fast executor has its turn.
const RUN_ON: usize = FIRST_CHECK << 9;

/// How far to go for an answer.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Blocks during which proofs are tried.
    pub blocks: usize,
    /// Steps after which a run without a proof is given up.
    pub steps: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { blocks: 1 << 20, steps: 10_000_000_000 }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It leaves the grid.
    Halts,
    /// It never does; the certificate has been checked.
    Hangs(Box<Hang>),
    /// It meets a cell that is not chosen.
    Open {
        /// Its column.
        column: u8,
        /// Its row.
        row: u8,
    },
    /// Not known.
    Undecided,
}

/// The answer and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The answer.
    pub decision: Decision,
    /// Steps run; exact for a halt.
    pub steps: u64,
}

/// Decides a program.
pub fn decide(grid: &Grid, effort: Effort) -> Verdict {
    let graph = Graph::of(grid);
    let block = |id: BlockId| graph.block(id).unwrap_or(Block::Hang);
    let mut walk = Walk::new(&graph);
    let mut history = Vec::new();
    let mut proof = Proof::default();
    let mut next_check = FIRST_CHECK;
    let end = loop {
        if history.len() == next_check {
            let run = Run {
                grid,
                block: &block,
                recent: &history,
                earlier: 0,
                due: walk.block(),
                tape: walk.tape(),
            };
            if let Some(reason) = proof.check(&run) {
                return verdict(reason.hang(&run), walk.steps());
            }
            next_check *= 2;
            // What halts late is found sooner by running on than by the costly proofs to come.
            if history.len() == RUN_ON {
                let steps = effort.steps.min(1 << 31);
                let verdict = by_running(&graph, Effort { steps, ..effort });
                if verdict.decision != Decision::Undecided {
                    return verdict;
                }
            }
        }
        if history.len() >= effort.blocks || walk.steps() >= effort.steps {
            break Outcome::Stopped;
        }
        let due = walk.block();
        if let Some(end) = walk.step() {
            break end;
        }
        history.push(due);
    };
    let steps = walk.steps();
    match end {
        Outcome::Halted => Verdict { decision: Decision::Halts, steps },
        Outcome::Open { column, row } => Verdict { decision: Decision::Open { column, row }, steps },
        Outcome::NoData => {
            let certificate = Certificate::new(grid.to_string(), walk.blocks(), Claim::Turning);
            verdict(Hang { kind: Kind::NoDataLoop, certificate }, steps)
        }
        Outcome::Stopped => by_running(&graph, effort),
    }
}

/// Decides without a proof: only the end of the run can.
fn by_running(graph: &Graph, effort: Effort) -> Verdict {
    let mut fast = Fast::new(graph);
    let decision = match fast.run(Limits::steps(effort.steps)) {
        Outcome::Halted => Decision::Halts,
        Outcome::Open { column, row } => Decision::Open { column, row },
        Outcome::NoData | Outcome::Stopped => Decision::Undecided,
    };
    Verdict { decision, steps: fast.steps() }
}

/// No certificate, no verdict.
fn verdict(hang: Hang, steps: u64) -> Verdict {
    let decision = match check(&hang.certificate) {
        Ok(()) => Decision::Hangs(Box::new(hang)),
        Err(_) => Decision::Undecided,
    };
    Verdict { decision, steps }
}
