//! The loops that a history ends in.

use super::counts::Counts;
use model::{Level, Run, RunId, Summary};

/// How a history ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Steps of the history.
    pub steps: u64,
    /// The loops that were not left, the outermost (of the highest level) first. Empty: the history
    /// does not end in a loop.
    pub loops: Vec<EndLoop>,
    /// Something was lost behind the last step, so nobody knows how the history ended.
    pub end_is_lost: bool,
}

/// A loop that was not left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndLoop {
    /// Its level, 0 for a loop of steps.
    pub level: usize,
    /// The run; its `len` counts units of its level.
    pub run: Run,
    /// The step that it began with.
    pub since: u64,
    /// Steps that it covers up to the end.
    pub steps: u64,
    /// The most whole iterations that a loop of the same kind made elsewhere in the history.
    pub most_before: Option<u64>,
    /// The loops in its turn, in their order.
    pub inner: Vec<InnerLoop>,
}

/// A loop inside the iteration of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InnerLoop {
    /// Its level.
    pub level: usize,
    /// Its kind on that level.
    pub id: RunId,
    /// Units an iteration.
    pub period: u32,
    /// Its lengths, over the whole iterations of the loop around it.
    pub counts: Counts,
}

/// How the history that `summary` summarises ends.
pub fn ending(summary: &Summary) -> Ending {
    let first_steps = first_steps(summary);
    let steps = summary.levels.first().map_or(0, Level::len);
    let loops = summary.levels.iter().enumerate().rev().filter(|(_, level)| level.in_loop);
    let loops = loops.filter_map(|(index, level)| {
        let (&run, before) = level.runs.split_last()?;
        let since = match index.checked_sub(1) {
            Some(below) => first_steps.get(below)?.get(run.start as usize).copied()?,
            None => run.start,
        };
        let same = before.iter().filter(|other| other.id == run.id);
        Some(EndLoop {
            level: index,
            run,
            since,
            steps: steps - since,
            most_before: same.map(|other| other.iterations().0).max(),
            inner: inner(summary, index, &run),
        })
    });
    Ending { steps, loops: loops.collect(), end_is_lost: steps > 0 && summary.gaps.last() == Some(&steps) }
}

/// For each level, the first step of each of its runs.
fn first_steps(summary: &Summary) -> Vec<Vec<u64>> {
    let mut all: Vec<Vec<u64>> = Vec::new();
    for level in &summary.levels {
        let first = |run: &Run| match all.last() {
            Some(below) => below.get(run.start as usize).copied().unwrap_or(0),
            None => run.start,
        };
        let first = level.runs.iter().map(first).collect();
        all.push(first);
    }
    all
}

/// The loops in the iteration of `run`, which is a loop of `level`.
fn inner(summary: &Summary, level: usize, run: &Run) -> Vec<InnerLoop> {
    let mut found = Vec::new();
    let Some(below) = level.checked_sub(1) else { return found };
    for position in 0..u64::from(run.period) {
        let units = (run.start + position..run.start + run.len).step_by(run.period as usize);
        collect(summary, below, units.collect(), &mut found);
    }
    found
}

/// `indices` are runs of `level` that stand at the same place of each iteration, so they are of one kind.
fn collect(summary: &Summary, level: usize, indices: Vec<u64>, found: &mut Vec<InnerLoop>) {
    let content = &summary.levels[level];
    let runs: Vec<&Run> =
        indices.iter().filter_map(|&position| content.runs.get(position as usize)).collect();
    let Some(&&run) = runs.first() else { return };
    if run.is_loop() {
        // The last loop of the level may be going on: its length says nothing yet.
        let open = content.runs.last().filter(|_| content.in_loop).map(|run| run.start);
        let whole = runs.iter().filter(|run| Some(run.start) != open);
        let lengths: Vec<u64> = whole.map(|run| run.len).collect();
        if let Some(counts) = Counts::of(&lengths) {
            found.push(InnerLoop { level, id: run.id, period: run.period, counts });
        }
    } else if let Some(below) = level.checked_sub(1) {
        for offset in 0..run.len {
            collect(summary, below, runs.iter().map(|run| run.start + offset).collect(), found);
        }
    }
}
