//! The search in shares, for threads and for going on after an interruption.
//!
//! A share is a subtree, named by the grid it starts from. Shares are found by walking the top of
//! the tree, in the order of the search, so that adding the totals of all shares in their order
//! gives the totals of the whole, whoever searched which and when.
//!
//! A search is kept as lines of JSON, one more for each share that is done:
//!
//! ```text
//! {"plan": {"width": 5, "height": 5, "mode": "orchestrated", "max_steps": 1000000}, "shares": 1184}
//! {"share": 0, "totals": {...}}
//! {"share": 2, "totals": {...}}
//! ```
//!
//! A last line that is cut off counts as not written: its share is searched again.

use super::engine::{Engine, Witness};
use super::totals::Totals;
use super::{Plan, canon};
use crate::blocks::Graph;
use crate::run::{Outcome, Walk};
use crate::{Cell, Error, Grid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Shares are split until there are this many, or nothing is left to split.
const SHARES: usize = 1_000;
/// A run that meets no open cell within this many blocks is a share of its own.
const BLOCKS: u64 = 200;

/// A search that can be stopped at any moment.
#[derive(Debug)]
pub struct Search {
    plan: Plan,
    shares: Vec<Grid>,
    done: BTreeMap<usize, Totals>,
}

/// A share that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Its number.
    pub share: usize,
    /// Its totals.
    pub totals: Totals,
}

#[derive(Serialize, Deserialize)]
struct FirstLine {
    plan: Plan,
    shares: usize,
}

/// Why the text of a search could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The plan is not possible.
    #[error(transparent)]
    Plan(#[from] Error),
    /// There is no first line.
    #[error("the first line does not say what is searched: {0}")]
    FirstLine(serde_json::Error),
    /// A line in the middle cannot be read.
    #[error("line {line} is neither a share that is done nor cut off at the end: {reason}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: serde_json::Error,
    },
    /// It was written by a version that splits in another way.
    #[error("the search is in {found} shares, this version makes {expected} of it")]
    Shares {
        /// Shares in the text.
        found: usize,
        /// Shares made now.
        expected: usize,
    },
}

impl Search {
    /// A search that has not begun.
    pub fn new(plan: Plan) -> Result<Self, Error> {
        let mut shares = canon::starts(&plan)?;
        loop {
            let mut split = false;
            let mut finer = Vec::with_capacity(3 * shares.len());
            for grid in &shares {
                match open_cell(grid) {
                    Some((column, row)) => {
                        split = true;
                        for cell in [Cell::Noop, Cell::Data, Cell::Turn] {
                            let mut grid = grid.clone();
                            grid.set(column, row, cell);
                            finer.push(grid);
                        }
                    }
                    None => finer.push(grid.clone()),
                }
            }
            shares = finer;
            if !split || shares.len() >= SHARES {
                return Ok(Search { plan, shares, done: BTreeMap::new() });
            }
        }
    }

    /// The first line of its text.
    pub fn first_line(&self) -> String {
        line(&FirstLine { plan: self.plan, shares: self.shares.len() })
    }

    /// Reads a search from its lines, to go on with it.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let mut lines = text.split_inclusive('\n').enumerate();
        let first = lines.next().map_or("", |(_, line)| line);
        let first: FirstLine = serde_json::from_str(first).map_err(ReadError::FirstLine)?;
        let mut search = Search::new(first.plan)?;
        if first.shares != search.shares.len() {
            return Err(ReadError::Shares { found: first.shares, expected: search.shares.len() });
        }
        for (index, line) in lines {
            match serde_json::from_str::<Share>(line) {
                Ok(share) => {
                    search.done.insert(share.share, share.totals);
                }
                Err(_) if !line.ends_with('\n') => {}
                Err(reason) => return Err(ReadError::Line { line: index + 1, reason }),
            }
        }
        Ok(search)
    }

    /// What is searched.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// How many shares there are.
    pub fn shares(&self) -> usize {
        self.shares.len()
    }

    /// How many are done.
    pub fn done(&self) -> usize {
        self.done.len()
    }

    /// Whether all are done.
    pub fn is_finished(&self) -> bool {
        self.done.len() == self.shares.len()
    }

    /// Goes on with this many threads, until all is done or `each` says false. `each` is told of
    /// every share that is done, in the order in which they get done, on the calling thread.
    pub fn run(&mut self, threads: usize, mut each: impl FnMut(&Share) -> bool) {
        let todo: Vec<usize> =
            (0..self.shares.len()).filter(|share| !self.done.contains_key(share)).collect();
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        let (todo, next, stop, shares, plan) = (&todo, &next, &stop, &self.shares, self.plan);
        let done = &mut self.done;
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                let sender = sender.clone();
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let Some(&share) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                        let Some(grid) = shares.get(share) else { return };
                        let totals = search_share(grid, plan);
                        if sender.send(Share { share, totals }).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for share in receiver {
                if !stop.load(Ordering::Relaxed) && !each(&share) {
                    // Shares in work are still finished and kept, but not told.
                    stop.store(true, Ordering::Relaxed);
                }
                done.insert(share.share, share.totals);
            }
        });
    }

    /// The totals of what is done.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.done.values().for_each(|share| totals.add(share));
        totals
    }
}

impl Share {
    /// The line to keep of it.
    pub fn line(&self) -> String {
        line(self)
    }
}

fn line(value: &impl Serialize) -> String {
    // Structs of numbers and strings always have a JSON text.
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}

fn search_share(grid: &Grid, plan: Plan) -> Totals {
    if plan.check {
        Engine::search(grid.clone(), plan.max_steps, Checked).0
    } else {
        Engine::search(grid.clone(), plan.max_steps, ()).0
    }
}

/// Wants every certificate checked, and nothing else.
struct Checked;

impl Witness for Checked {
    const CERTIFICATES: bool = true;
}

/// The cell that the program meets first of those that are not chosen.
fn open_cell(grid: &Grid) -> Option<(u8, u8)> {
    let graph = Graph::of(grid);
    let mut walk = Walk::new(&graph);
    while walk.blocks() < BLOCKS {
        match walk.step() {
            None => {}
            Some(Outcome::Open { column, row }) => return Some((column, row)),
            Some(_) => return None,
        }
    }
    None
}
