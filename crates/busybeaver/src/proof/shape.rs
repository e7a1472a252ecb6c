//! What a hang looks like, according to its history and the summary of it.
//!
//! These are observations. Nothing here is part of a proof; a wrong kind is a wrong label.

use super::Kind;
use super::periodic::{Moment, period};
use crate::blocks::{Block, BlockId, Graph, Op};
use crate::run::Walk;
use analyses::loops::{LoopFinder, Options};
use model::{Level, Run};

/// Blocks run to see the shape of a program that is known to hang.
const BLOCKS: [u64; 4] = [1_000, 4_000, 40_000, 400_000];
/// Iterations of a loop of loops that are compared.
const ITERATIONS: usize = 4;

/// A program that repeats this iteration for ever: is it one loop, or are there loops in the iteration?
pub(crate) fn of_period(iteration: &[BlockId]) -> Kind {
    // Each block once: nothing in it is repeated.
    let blocks = iteration.iter().fold(0_u128, |seen, id| seen | 1 << id.index());
    if blocks.count_ones() as usize == iteration.len() {
        return Kind::Periodic;
    }
    let twice: Vec<BlockId> = iteration.iter().chain(iteration).copied().collect();
    // If no loop shorter than the iteration is found from any moment on, the whole iteration is the loop.
    let square =
        |at: usize, length: usize| twice.get(at..at + length) == twice.get(at + length..at + 2 * length);
    let inner = iteration.len() > 64
        || (1..=iteration.len() / 2).any(|length| (0..iteration.len()).any(|at| square(at, length)));
    if !inner {
        return Kind::Periodic;
    }
    let mut finder = LoopFinder::new(Options { short_loops: false, max_levels: 1 });
    for _ in 0..8 {
        iteration.iter().for_each(|id| finder.push(u32::from(id.number())));
    }
    let summary = finder.summary();
    match summary.levels.first() {
        Some(level)
            if level.in_loop
                && level.runs.last().is_some_and(|run| run.period as usize == iteration.len()) =>
        {
            Kind::Periodic
        }
        _ => Kind::NestedPeriodic,
    }
}

/// A program that is known to hang, but not to repeat itself.
pub(crate) fn of_run(graph: &Graph) -> Kind {
    let mut walk = Walk::new(graph);
    let mut finder = LoopFinder::new(Options { short_loops: true, max_levels: 3 });
    let mut history = Vec::new();
    for blocks in BLOCKS {
        while walk.blocks() < blocks {
            finder.push(u32::from(walk.block().number()));
            history.push(walk.block());
            if walk.step().is_some() {
                return Kind::IrregularSweep;
            }
        }
        // A closure may have been found before the program came to repeat itself.
        let moment = Moment { recent: &history, due: walk.block(), tape: walk.tape() };
        let find = |id: BlockId| graph.block(id).unwrap_or(Block::Hang);
        if let Some(period) = period(moment, find) {
            return of_period(history.get(history.len() - period..).unwrap_or_default());
        }
        let summary = finder.summary();
        if let [lowest, middle, ..] = summary.levels.as_slice()
            && let Some(found) = of_levels(lowest, middle, graph)
        {
            return found;
        }
    }
    Kind::IrregularSweep
}

/// The kind of a loop of loops, once it has made enough iterations.
fn of_levels(lowest: &Level, middle: &Level, graph: &Graph) -> Option<Kind> {
    let last = middle.runs.last()?;
    if !last.is_loop() {
        return None;
    }
    let period = last.period as usize;
    let first = usize::try_from(last.start).ok()?;
    // The run in progress has not its full length yet.
    let runs = lowest.runs.get(first..lowest.runs.len() - 1)?;
    let mut kinds = [false; 3];
    for multiple in 1..=3 {
        let length = period * multiple;
        if runs.len() < ITERATIONS * length {
            break;
        }
        let iterations: Vec<&[Run]> = runs.rchunks_exact(length).take(ITERATIONS).collect();
        let mut growing = [false; 2];
        let mut regular = true;
        for slot in 0..length {
            let counts: Vec<i64> = iterations
                .iter()
                .rev()
                .filter_map(|iteration| Some(iteration.get(slot)?.len as i64))
                .collect();
            let run = iterations.first()?.get(slot)?;
            if !run.is_loop() {
                continue;
            }
            let steps: Vec<i64> =
                counts.windows(2).filter_map(|pair| Some(pair.get(1)? - pair.first()?)).collect();
            let travels = shift_of(lowest, run, graph) != 0;
            let same = steps.windows(2).all(|pair| pair.first() == pair.get(1));
            match steps.first() {
                Some(0) if same => {}
                _ if !travels => growing[0] = true,
                Some(1..) if same => growing[1] = true,
                _ => {
                    growing[1] = true;
                    regular = false;
                }
            }
        }
        match (growing, regular) {
            // Counts may stay the same for long before they grow again.
            ([false, false], _) => return None,
            ([true, false], _) => return Some(Kind::AperiodicGlider),
            (_, true) => return Some(Kind::RegularSweep),
            _ => kinds[multiple - 1] = true,
        }
    }
    kinds.contains(&true).then_some(Kind::IrregularSweep)
}

/// How far an iteration of a loop moves the data pointer.
fn shift_of(lowest: &Level, run: &Run, graph: &Graph) -> i64 {
    let units = lowest.units_of(run).take(run.period as usize);
    let shifts = units.filter_map(|unit| match graph.block(BlockId::from_number(unit)?)? {
        Block::Work { op: Op::Shift(amount), .. } => Some(i64::from(amount)),
        _ => None,
    });
    shifts.sum()
}
