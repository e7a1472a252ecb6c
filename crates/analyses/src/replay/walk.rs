//! One step on, back, over a call or out of it; of a folded loop only the first iteration is gone through.
//!
//! A stop is the first block of a row of blocks on the same lines in the same call. Stops are a
//! property of the tree and of what is folded, not of the way taken: a step back leads to where
//! the step before came from. Who is set down inside a later iteration of a folded loop may walk about
//! in that iteration; whoever leaves it goes on behind the loop, or back into the first iteration.

use model::code::{BlockId, CodeMap, MethodId};

use super::measure::Measure;
use super::path::{LoopOnPath, Path};
use super::store::{Kind, NodeId, Replay};

/// So many blocks of one line are one stop; a longer row is cut.
const ROW: usize = 4096;

/// Which loops are played turn by turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folds {
    /// All of them.
    pub all_open: bool,
    /// These: a method's loop by its index; `None` for calls of the method in a row.
    pub open: Vec<(MethodId, Option<u32>)>,
}

/// Where to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// To the next stop.
    Next,
    /// To the stop before.
    Back,
    /// To the next stop that is not inside a call made from here.
    Over,
    /// The same backwards.
    BackOver,
    /// Behind the end of the innermost call.
    Out,
    /// To where the innermost call was made.
    OutBack,
}

/// Iterations that were not shown on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skipped {
    /// The loop.
    pub node: NodeId,
    /// How many iterations of it were left out.
    pub iterations: u64,
}

/// Where a step led.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// There.
    pub path: Path,
    /// What was left out on the way.
    pub skipped: Vec<Skipped>,
}

/// Walks about in one thread.
#[derive(Debug)]
pub struct Walker<'a> {
    replay: &'a Replay,
    blocks: &'a Measure,
    code: &'a CodeMap,
    root: NodeId,
    folds: &'a Folds,
}

impl Folds {
    fn is_open(&self, kind: Kind) -> bool {
        let key = match kind {
            Kind::Loop { method, index } => (method, index),
            Kind::Again { method } => (method, None),
            _ => return true,
        };
        self.all_open || self.open.contains(&key)
    }
}

impl<'a> Walker<'a> {
    /// In the thread with this root.
    pub fn new(
        replay: &'a Replay,
        blocks: &'a Measure,
        code: &'a CodeMap,
        root: NodeId,
        folds: &'a Folds,
    ) -> Walker<'a> {
        Walker { replay, blocks, code, root, folds }
    }

    /// The stop to which a step from `position` leads; `None`: there is none.
    pub fn go(&self, position: u64, go: Go) -> Option<Moved> {
        let from = self.replay.seek(self.root, self.blocks, position)?;
        let mut skipped = Vec::new();
        let path = match go {
            Go::Next => self.forward(&from, false, &mut skipped),
            Go::Over => self.forward(&from, true, &mut skipped),
            Go::Back => self.backward(&from, false, &mut skipped),
            Go::BackOver => self.backward(&from, true, &mut skipped),
            Go::Out => {
                let end = self.replay.frames(self.blocks, &from).last()?.end;
                self.shown_from(&from, end, &mut skipped)
            }
            Go::OutBack => {
                let begin = self.replay.frames(self.blocks, &from).last()?.begin;
                let found = self.shown_before(&from, begin.checked_sub(1)?, &mut skipped)?;
                Some(self.first_of_row(found))
            }
        }?;
        Some(Moved { path, skipped })
    }

    fn forward(&self, from: &Path, over: bool, skipped: &mut Vec<Skipped>) -> Option<Path> {
        let mut at = from.position.checked_add(1)?;
        let mut before = from.clone();
        for _ in 0..ROW {
            let path = self.shown_from(from, at, skipped)?;
            if over && let Some(end) = self.callee(from, &path).map(|callee| callee.1) {
                at = end.max(at + 1);
                continue;
            }
            if !self.joins(&before, &path) {
                return Some(path);
            }
            at = path.position + 1;
            before = path;
        }
        self.shown_from(from, at, skipped)
    }

    fn backward(&self, from: &Path, over: bool, skipped: &mut Vec<Skipped>) -> Option<Path> {
        // From within a row first to its beginning.
        let first = self.first_of_row(from.clone());
        if first.position < from.position {
            return Some(first);
        }
        let mut at = from.position.checked_sub(1)?;
        for _ in 0..ROW {
            let path = self.shown_before(from, at, skipped)?;
            if over && let Some(begin) = self.callee(from, &path).map(|callee| callee.0) {
                at = begin.checked_sub(1)?;
                continue;
            }
            return Some(self.first_of_row(path));
        }
        None
    }

    /// The first shown position from `at` on.
    fn shown_from(&self, from: &Path, at: u64, skipped: &mut Vec<Skipped>) -> Option<Path> {
        let mut at = at;
        loop {
            let path = self.replay.seek(self.root, self.blocks, at)?;
            match self.hidden_by(from, &path) {
                None => return Some(path),
                Some(hidden) => {
                    skipped.push(Skipped {
                        node: hidden.node,
                        iterations: hidden.iterations - hidden.iteration,
                    });
                    at = hidden.all.end.max(at + 1);
                }
            }
        }
    }

    /// The last shown position up to `at`.
    fn shown_before(&self, from: &Path, at: u64, skipped: &mut Vec<Skipped>) -> Option<Path> {
        let mut at = at;
        loop {
            let path = self.replay.seek(self.root, self.blocks, at)?;
            match self.hidden_by(from, &path) {
                None => return Some(path),
                Some(hidden) => {
                    skipped.push(Skipped { node: hidden.node, iterations: hidden.iteration });
                    let first = self.replay.iteration_offset(self.blocks, hidden.node, 1).unwrap_or(0);
                    at = (hidden.all.begin + first).checked_sub(1)?.min(at.checked_sub(1)?);
                }
            }
        }
    }

    /// The outermost folded loop of which `path` is in a later iteration, unless `from` is in it too.
    fn hidden_by(&self, from: &Path, path: &Path) -> Option<LoopOnPath> {
        let deep = path
            .steps
            .iter()
            .any(|step| self.replay.kind(step.node).has_iterations() && (step.item > 0 || step.copy > 0));
        if !deep || self.folds.all_open {
            return None;
        }
        let known = self.replay.loops(self.blocks, from);
        let same = |one: &LoopOnPath| {
            known.iter().any(|other| {
                (other.step, other.node, other.all, other.iteration)
                    == (one.step, one.node, one.all, one.iteration)
            })
        };
        self.replay
            .loops(self.blocks, path)
            .into_iter()
            .find(|one| one.iteration > 0 && !self.folds.is_open(self.replay.kind(one.node)) && !same(one))
    }

    /// If `path` is inside a call made by the innermost call of `from`: where that begins and ends.
    fn callee(&self, from: &Path, path: &Path) -> Option<(u64, u64)> {
        let outer = self.replay.frames(self.blocks, from);
        let inner = self.replay.frames(self.blocks, path);
        let (last, same) = (outer.last()?, inner.get(outer.len() - 1)?);
        if (last.node, last.begin) != (same.node, same.begin) {
            return None;
        }
        inner.get(outer.len()).map(|callee| (callee.begin, callee.end))
    }

    fn first_of_row(&self, path: Path) -> Path {
        let mut path = path;
        for _ in 0..ROW {
            let Some(before) = path.position.checked_sub(1) else { break };
            let Some(found) = self.shown_before(&path, before, &mut Vec::new()) else { break };
            if !self.joins(&found, &path) {
                break;
            }
            path = found;
        }
        path
    }

    /// Whether a block belongs to the row of the block shown before it: another block of the same
    /// call on the same lines. A handler begins a row, as something happened.
    fn joins(&self, before: &Path, after: &Path) -> bool {
        let frame = |path: &Path| {
            path.steps.iter().enumerate().rev().find_map(|(index, step)| match self.replay.kind(step.node) {
                Kind::Frame { method, .. } => Some((index, step.node, step.begin, method)),
                _ => None,
            })
        };
        let (Some(one), Some(other)) = (frame(before), frame(after)) else { return false };
        // What was lost between two blocks, or where they begin to be inferred, is a stop of its own.
        if one != other || self.replay.is_after_boundary(after) {
            return false;
        }
        match (self.replay.block(before), self.replay.block(after)) {
            (Some((a, _)), Some((b, false))) => a != b && self.same_lines(one.3, a, b),
            _ => false,
        }
    }

    fn same_lines(&self, method: MethodId, before: BlockId, after: BlockId) -> bool {
        let Some(method) = self.code.method(method) else { return false };
        let lines = |block: BlockId| method.blocks.get(block as usize).map(|block| &block.lines);
        match (lines(before), lines(after)) {
            (Some(before), Some(after)) if after.is_empty() => {
                // Without a line table every block is a stop.
                !before.is_empty() || method.blocks.iter().any(|block| !block.lines.is_empty())
            }
            (Some(before), Some(after)) => before == after,
            _ => false,
        }
    }
}
