//! Stages: what is undecided after some steps is tried again with more, in groups.
//!
//! Programs whose blocks do the same (see [`canonical`](crate::blocks::canonical)) have one fate, so
//! of each group one program is decided. If it hangs, all do, and it is of the kind that a search with
//! more steps would have reported. If it halts, or meets a cell that is not chosen, each of them is
//! searched from there on its own, because their steps and what comes of that cell differ. If it
//! stays undecided, so do all, and the next stage may try.
//!
//! Source: stage 2 of the original's search of 7x7 (spec, part 5).

use super::canon;
use super::engine::Engine;
use super::shares::{Search, line};
use super::totals::Totals;
use crate::blocks::Graph;
use crate::blocks::canonical::Canonical;
use crate::proof::{Decision, Effort, Kind, decide};
use crate::run::{Fast, Limits, Outcome};
use crate::{Cell, Grid};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// A group of a stage that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Steps of the stage.
    pub stage: u64,
    /// Its first program.
    pub group: String,
    /// How many programs it has.
    pub members: usize,
    /// What became of them.
    pub totals: Totals,
}

impl Group {
    /// The line to keep of it.
    pub fn line(&self) -> String {
        line(self)
    }
}

/// Puts programs together that do the same, in the order of the first of each group.
pub fn grouped(programs: &[String]) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for program in programs {
        let Ok(grid) = program.parse::<Grid>() else { continue };
        let text = Canonical::of(&Graph::of(&grid)).text();
        let index = *known.entry(text).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(program.clone()),
            None => groups.push(vec![program.clone()]),
        }
    }
    groups
}

/// What a stage has to do.
#[derive(Debug, Clone)]
pub struct Stage {
    steps: u64,
    groups: Vec<Vec<String>>,
    /// Indices of the groups that are not done.
    todo: Vec<usize>,
}

impl Stage {
    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How many of them are done.
    pub fn done(&self) -> usize {
        self.groups.len() - self.todo.len()
    }
}

impl Search {
    /// The totals of what is done, where `stages` have been gone through as far as they are.
    pub fn totals(&self, stages: &[u64]) -> Totals {
        let mut totals = self.first_totals();
        for &stage in stages {
            for group in grouped(&std::mem::take(&mut totals.undecided)) {
                match self.known(stage, &group) {
                    Some(known) => totals.add(&known.totals),
                    None => totals.undecided.extend(group),
                }
            }
        }
        totals
    }

    /// What there is to do in a stage of so many steps, after the stages `before`.
    pub fn stage(&self, before: &[u64], steps: u64) -> Stage {
        let groups = grouped(&self.totals(before).undecided);
        let known = |index: &usize| self.known(steps, &groups[*index]).is_none();
        let todo = (0..groups.len()).filter(known).collect();
        Stage { steps, groups, todo }
    }

    /// Tries what earlier stages left undecided with more steps, with this many threads, until all is
    /// done or `each` says false. As with shares, `each` is called for every group that is done.
    pub fn run_stage(&mut self, stage: &Stage, threads: usize, mut each: impl FnMut(&Group) -> bool) {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let (next, stop, plan) = (&next, &stop, self.plan());
        let starts = &canon::starts(&plan).unwrap_or_default();
        let known = &mut self.groups;
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                let sender = sender.clone();
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let Some(&todo) = stage.todo.get(next.fetch_add(1, Ordering::Relaxed)) else {
                            return;
                        };
                        let group = &stage.groups[todo];
                        let totals = decide_group(group, stage.steps, starts, plan.check);
                        let first = group.first().cloned().unwrap_or_default();
                        let group = Group { stage: stage.steps, group: first, members: group.len(), totals };
                        if sender.send(group).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for group in receiver {
                if !stop.load(Ordering::Relaxed) && !each(&group) {
                    stop.store(true, Ordering::Relaxed);
                }
                known.insert((group.stage, group.group.clone()), group);
            }
        });
    }

    /// A group with other members, of another list of stages, is not this one.
    fn known(&self, stage: u64, group: &[String]) -> Option<&Group> {
        let known = self.groups.get(&(stage, group.first()?.clone()));
        known.filter(|known| known.members == group.len())
    }
}

/// Steps within which a search sees that there is no way out, if it ever does, and that a program
/// repeats itself.
const SOON: u64 = 10_000;
const LATE: u64 = 1_000_000;

fn decide_group(group: &[String], steps: u64, starts: &[Grid], check: bool) -> Totals {
    let mut totals = Totals::default();
    let mut fate: Option<Fate> = None;
    for program in group {
        let Ok(grid) = program.parse::<Grid>() else { continue };
        // Where certificates are wanted, each program needs its own.
        let now = match fate {
            Some(fate) if !check => fate,
            _ => fate_of(&grid, steps),
        };
        match now {
            Fate::Hangs(kind) => {
                // A search distinguishes more kinds than a run does, and that depends on the order in which
                // the cells were met, which differs within a group.
                let is_sweep =
                    matches!(kind, Kind::RegularSweep | Kind::IrregularSweep | Kind::AperiodicGlider);
                let seen = again(&grid, if is_sweep { SOON } else { LATE }, starts);
                match seen.hangs.first_key_value() {
                    Some((&seen, 1)) if !is_sweep || seen == Kind::NoExit => totals.hang(seen),
                    _ => totals.hang(kind),
                }
            }
            Fate::Undecided => totals.undecided.push(program.clone()),
            Fate::Differs => totals.add(&again(&grid, steps, starts)),
        }
        fate = Some(now);
    }
    totals
}

/// What becomes of the programs of a group.
#[derive(Clone, Copy)]
enum Fate {
    Hangs(Kind),
    Undecided,
    /// They go on, each in its own way.
    Differs,
}

fn fate_of(grid: &Grid, steps: u64) -> Fate {
    let verdict = decide(grid, Effort { steps, ..Effort::default() });
    match verdict.decision {
        Decision::Hangs(hang) => Fate::Hangs(hang.kind),
        Decision::Undecided => Fate::Undecided,
        Decision::Halts | Decision::Open { .. } => Fate::Differs,
    }
}

/// Searches a program and what extends it once more, from where the whole search began, so that it
/// is seen as it would have been there.
fn again(program: &Grid, steps: u64, starts: &[Grid]) -> Totals {
    let cells = |grid: &Grid| grid.cells().collect::<Vec<Cell>>();
    let wanted = cells(program);
    let extends = |start: &&Grid| {
        start.cells().zip(&wanted).all(|(cell, &wanted)| cell == Cell::Unset || cell == wanted)
    };
    if let Some(start) = starts.iter().find(extends) {
        let (mut grid, mut path) = (start.clone(), Vec::new());
        while let Outcome::Open { column, row } = Fast::new(&Graph::of(&grid)).run(Limits::steps(steps)) {
            match program.cell(column, row) {
                None | Some(Cell::Unset) => break,
                Some(cell) => {
                    grid.set(column, row, cell);
                    path.push(cell);
                }
            }
        }
        if cells(&grid) == wanted {
            return Engine::search_below(start.clone(), &path, steps, ()).0;
        }
    }
    Engine::search(program.clone(), steps, ()).0
}
