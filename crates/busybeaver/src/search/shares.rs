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
//! Shares may be searched by different machines, each with a file of its own: all that say the same in
//! their first line have the same shares, and [`Search::merge`] puts the files together.
//!
//! Where certificates are wanted, a line has those of its share as well. A share that was done without is searched once
//! more when they are, and has a second line then, which counts.
//!
//! A last line that is cut off counts as not written: its share is searched again. Behind the shares
//! come the groups of the [stages](super::stages), in the same way:
//!
//! ```text
//! {"stage": 10000000, "group": "d4KBACCECVgBAIBgqg", "members": 3, "totals": {...}}
//! ```

use super::engine::{Engine, Witness};
use super::stages::Group;
use super::totals::Totals;
use super::{Plan, canon};
use crate::blocks::Graph;
use crate::proof::Hang;
use crate::run::{Outcome, Walk};
use crate::{Cell, Error, Grid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
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
    shares: Vec<Part>,
    done: BTreeMap<usize, Totals>,
    /// The certificates of shares that are done, as far as the text that was read has them.
    certificates: BTreeMap<usize, Vec<String>>,
    /// Groups of stages that are done, by steps of the stage and first program of the group.
    pub(super) groups: BTreeMap<(u64, String), Group>,
    /// Whether certificates are handed out with each share.
    stores_certificates: bool,
    /// The shares that this search is for; none is all.
    wanted: Option<RangeInclusive<usize>>,
}

/// A subtree: the grid that the search starts from, what is chosen for the first cells, and both.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) start: Grid,
    pub(super) path: Vec<Cell>,
    grid: Grid,
}

/// A share that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Its number.
    pub share: usize,
    /// Its totals.
    pub totals: Totals,
    /// The certificates of its hangs as lines, if they are wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificates: Option<Vec<String>>,
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

/// Why the parts of a search cannot be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The parts are of different searches.
    #[error("it is a part of another search: the size or an option differs")]
    OtherPlan,
    /// A share is in two parts.
    #[error("share {0} is in an earlier part too")]
    Twice(usize),
}

impl Search {
    /// A search that has not begun.
    pub fn new(plan: Plan) -> Result<Self, Error> {
        let part = |start: Grid| Part { grid: start.clone(), start, path: Vec::new() };
        let mut shares: Vec<Part> = canon::starts(&plan)?.into_iter().map(part).collect();
        loop {
            let mut split = false;
            let mut finer = Vec::with_capacity(3 * shares.len());
            for part in &shares {
                match open_cell(&part.grid) {
                    Some((column, row)) => {
                        split = true;
                        for cell in [Cell::Noop, Cell::Data, Cell::Turn] {
                            let mut part = part.clone();
                            part.grid.set(column, row, cell);
                            part.path.push(cell);
                            finer.push(part);
                        }
                    }
                    None => finer.push(part.clone()),
                }
            }
            shares = finer;
            if !split || shares.len() >= SHARES {
                let (done, groups) = (BTreeMap::new(), BTreeMap::new());
                return Ok(Search {
                    plan,
                    shares,
                    done,
                    certificates: BTreeMap::new(),
                    groups,
                    stores_certificates: false,
                    wanted: None,
                });
            }
        }
    }

    /// From now on, every share comes with the certificates of its hangs, each of which is checked
    /// as if the plan asked for it. Shares that are done, but whose certificates were not stored, are searched again.
    pub fn store_certificates(&mut self) {
        self.stores_certificates = true;
    }

    /// The certificates of the wanted shares that need not be searched for again.
    pub fn known_certificates(&self) -> impl Iterator<Item = &str> {
        self.certificates.range(self.wanted()).flat_map(|(_, lines)| lines).map(String::as_str)
    }

    /// From now on only these shares are searched, as one part of the work. False if there are no such shares.
    pub fn restrict_to(&mut self, shares: RangeInclusive<usize>) -> bool {
        let is_possible = !shares.is_empty() && *shares.end() < self.shares.len();
        if is_possible {
            self.wanted = Some(shares);
        }
        is_possible
    }

    /// Takes in the shares of another part of the same search.
    pub fn merge(&mut self, part: Search) -> Result<(), MergeError> {
        if part.plan != self.plan || part.shares.len() != self.shares.len() {
            return Err(MergeError::OtherPlan);
        }
        if let Some(&share) = part.done.keys().find(|share| self.done.contains_key(share)) {
            return Err(MergeError::Twice(share));
        }
        self.done.extend(part.done);
        self.certificates.extend(part.certificates);
        self.groups.extend(part.groups);
        Ok(())
    }

    /// The shares that are not done, as ranges from the first to the last number.
    pub fn missing(&self) -> Vec<RangeInclusive<usize>> {
        let mut ranges: Vec<RangeInclusive<usize>> = Vec::new();
        for share in (0..self.shares.len()).filter(|share| !self.done.contains_key(share)) {
            match ranges.last_mut() {
                Some(range) if range.end() + 1 == share => *range = *range.start()..=share,
                _ => ranges.push(share..=share),
            }
        }
        ranges
    }

    /// Its text: the first line and all that is done.
    pub fn text(&self) -> String {
        let share = |(&share, totals): (&usize, &Totals)| {
            Share { share, totals: totals.clone(), certificates: self.certificates.get(&share).cloned() }
                .line()
        };
        let shares = self.done.iter().map(share);
        std::iter::once(self.first_line())
            .chain(shares)
            .chain(self.groups.values().map(Group::line))
            .collect()
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
                Ok(Share { share, totals, certificates }) => {
                    search.done.insert(share, totals);
                    certificates.map(|lines| search.certificates.insert(share, lines));
                }
                Err(_) if !line.ends_with('\n') => {}
                Err(_) if line.starts_with("{\"stage\"") => {
                    let group: Group = serde_json::from_str(line)
                        .map_err(|reason| ReadError::Line { line: index + 1, reason })?;
                    search.groups.insert((group.stage, group.group.clone()), group);
                }
                Err(reason) => return Err(ReadError::Line { line: index + 1, reason }),
            }
        }
        Ok(search)
    }

    pub(super) fn part(&self, share: usize) -> Option<&Part> {
        self.shares.get(share)
    }

    /// What is searched.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The shares that are to be searched.
    pub fn wanted(&self) -> RangeInclusive<usize> {
        self.wanted.clone().unwrap_or(0..=self.shares.len().saturating_sub(1))
    }

    /// How many shares there are.
    pub fn shares(&self) -> usize {
        self.shares.len()
    }

    /// How many of the wanted ones are done, with their certificates where these are wanted.
    pub fn done(&self) -> usize {
        self.done.range(self.wanted()).filter(|(share, _)| self.is_done(**share)).count()
    }

    fn is_done(&self, share: usize) -> bool {
        self.done.contains_key(&share)
            && (!self.stores_certificates || self.certificates.contains_key(&share))
    }

    /// Whether all that are wanted are done.
    pub fn is_finished(&self) -> bool {
        self.wanted().all(|share| self.done.contains_key(&share) || share >= self.shares.len())
    }

    /// Goes on with this many threads, until all is done or `each` says false. `each` is called for
    /// every share that is done, in the order in which they get done, on the calling thread.
    pub fn run(&mut self, threads: usize, mut each: impl FnMut(&Share) -> bool) {
        let todo: Vec<usize> = self.wanted().filter(|share| !self.is_done(*share)).collect();
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        let (todo, next, stop, shares, plan) = (&todo, &next, &stop, &self.shares, self.plan);
        let stores = self.stores_certificates;
        let done = &mut self.done;
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                let sender = sender.clone();
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let Some(&share) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                        let Some(part) = shares.get(share) else { return };
                        let (totals, certificates) = search_share(part, plan, stores);
                        if sender.send(Share { share, totals, certificates }).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for share in receiver {
                if !stop.load(Ordering::Relaxed) && !each(&share) {
                    // Shares in work are still finished and kept, but not reported.
                    stop.store(true, Ordering::Relaxed);
                }
                done.insert(share.share, share.totals);
            }
        });
    }

    /// The totals of the shares that are done.
    pub(super) fn first_totals(&self) -> Totals {
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

pub(super) fn line(value: &impl Serialize) -> String {
    // Structs of numbers and strings always have a JSON text.
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}

fn search_share(part: &Part, plan: Plan, stores: bool) -> (Totals, Option<Vec<String>>) {
    let (start, steps) = (part.start.clone(), plan.max_steps);
    if plan.check || stores {
        let witness = Checked { stores, certificates: Vec::new() };
        let (totals, witness) = Engine::search_below(start, &part.path, steps, witness);
        (totals, stores.then_some(witness.certificates))
    } else {
        (Engine::search_below(start, &part.path, steps, ()).0, None)
    }
}

/// Wants every certificate checked.
struct Checked {
    stores: bool,
    certificates: Vec<String>,
}

impl Witness for Checked {
    const CERTIFICATES: bool = true;

    fn hang(&mut self, _program: &Grid, hang: &Hang) {
        if self.stores {
            self.certificates.push(hang.certificate.to_line());
        }
    }
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
