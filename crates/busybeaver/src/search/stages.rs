//! Stages: what is undecided after some steps is tried again with more, in groups.
//!
//! Programs whose blocks do the same (see [`canonical`](crate::blocks::canonical)) have one fate, so
//! of each group one program is decided. If it hangs, all do. If it halts, or meets a cell that is
//! not chosen, each of them is searched from there on its own, because their steps and what comes
//! of that cell differ. If it stays undecided, so do all, and the next stage may try.
//!
//! Source: stage 2 of the original's search of 7x7 (spec, part 5).

use super::engine::Engine;
use super::shares::{Search, line};
use super::totals::Totals;
use crate::Grid;
use crate::blocks::Graph;
use crate::blocks::canonical::Canonical;
use crate::proof::{Decision, Effort, decide};
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

    /// Tries what the stages `before` left undecided with more steps, with this many threads, until
    /// all is done or `each` says false. As with shares, `each` is told of every group that is done.
    pub fn run_stage(
        &mut self,
        before: &[u64],
        stage: u64,
        threads: usize,
        mut each: impl FnMut(&Group) -> bool,
    ) {
        let groups = grouped(&self.totals(before).undecided);
        let todo: Vec<&Vec<String>> =
            groups.iter().filter(|group| self.known(stage, group).is_none()).collect();
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let (todo, next, stop, check) = (&todo, &next, &stop, self.plan().check);
        let known = &mut self.groups;
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                let sender = sender.clone();
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let Some(group) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                        let totals = decide_group(group, stage, check);
                        let first = group.first().cloned().unwrap_or_default();
                        let group = Group { stage, group: first, members: group.len(), totals };
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
                known.insert((stage, group.group.clone()), group);
            }
        });
    }

    /// A group with other members, of another list of stages, is not this one.
    fn known(&self, stage: u64, group: &[String]) -> Option<&Group> {
        let known = self.groups.get(&(stage, group.first()?.clone()));
        known.filter(|known| known.members == group.len())
    }
}

fn decide_group(group: &[String], steps: u64, check: bool) -> Totals {
    let mut totals = Totals::default();
    let effort = Effort { steps, ..Effort::default() };
    let mut fate: Option<Decision> = None;
    for program in group {
        let Ok(grid) = program.parse::<Grid>() else { continue };
        // Where certificates are wanted, each program needs its own.
        let decision = match &fate {
            Some(decision) if !check => decision.clone(),
            _ => decide(&grid, effort).decision,
        };
        match &decision {
            Decision::Hangs(hang) => totals.hang(hang.kind),
            Decision::Undecided => totals.undecided.push(program.clone()),
            Decision::Halts | Decision::Open { .. } => totals.add(&Engine::search(grid, steps, ()).0),
        }
        fate = Some(decision);
    }
    totals
}
