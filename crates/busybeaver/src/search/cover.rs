//! Does a list of certificates cover a size: does each of its programs halt or have one of them?
//!
//! The programs are enumerated here once more, without the engine of the search and in the plainest
//! way: each is run from its start; where it meets a cell that is not chosen, the three programs
//! that choose it follow. A program that has a certificate is not run. What neither halts within
//! [`STEPS`] nor has a certificate is not covered.
//!
//! Certificates are checked before they come here.

use super::{Mode, Plan, canon};
use crate::blocks::Graph;
use crate::run::{Outcome, Walk};
use crate::{Cell, Error, Grid};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Steps after which a program without a certificate is given up.
pub const STEPS: u64 = 100_000;
/// The most programs without a certificate that are looked for; a list that lacks more is not worth going on with.
const MOST_MISSING: usize = 1_000;
/// The most certificates that are held, about 2 GiB.
pub const MOST_CERTIFICATES: usize = 1 << 24;
/// The tree is split until it has so many parts, for the threads.
const PARTS: usize = 1_000;

/// A list of certificates, by program.
#[derive(Debug)]
pub struct Cover {
    plan: Plan,
    /// By program: a number in the order of the list, and the line.
    listed: HashMap<String, (usize, u64)>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Programs that halt.
    pub halting: u64,
    /// Steps of the longest of them.
    pub longest: u64,
    /// The first that runs so long.
    pub longest_program: String,
    /// Programs that have a certificate.
    pub hanging: u64,
    /// Programs that neither halt nor have a certificate, as far as they were looked for.
    pub missing: Vec<String>,
    /// Lines of certificates whose program is not among those of the size.
    pub foreign: Vec<u64>,
}

/// Why a certificate cannot be in the list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CoverError {
    /// The program has one already.
    #[error("{program} has a certificate already, in line {line}")]
    Second {
        /// Which.
        program: String,
        /// Line of the first.
        line: u64,
    },
    /// The list is too long.
    #[error("more than {MOST_CERTIFICATES} certificates cannot be held")]
    TooMany,
}

impl Cover {
    /// A list of none, for the programs of a size.
    pub fn new(width: u8, height: u8) -> Result<Self, Error> {
        let plan = Plan { width, height, mode: Mode::Orchestrated, max_steps: STEPS, check: false };
        canon::starts(&plan)?;
        Ok(Cover { plan, listed: HashMap::new() })
    }

    /// Adds the program of a certificate that holds.
    pub fn add(&mut self, program: String, line: u64) -> Result<(), CoverError> {
        let number = self.listed.len();
        if number == MOST_CERTIFICATES {
            return Err(CoverError::TooMany);
        }
        match self.listed.entry(program) {
            Entry::Occupied(held) => {
                Err(CoverError::Second { program: held.key().clone(), line: held.get().1 })
            }
            Entry::Vacant(location) => {
                location.insert((number, line));
                Ok(())
            }
        }
    }

    /// Goes through all programs of the size.
    pub fn coverage(&self, threads: usize) -> Coverage {
        let used: Vec<AtomicBool> = self.listed.iter().map(|_| AtomicBool::new(false)).collect();
        let parts = self.parts();
        let (next, missing) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let search = || {
            let mut found = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(part) = parts.get(index) else { return found };
                let mut one = Coverage::default();
                let mut walk = Enumeration { cover: self, used: &used, missing: &missing, found: &mut one };
                walk.go(part.clone());
                found.push((index, one));
            }
        };
        let mut found: Vec<(usize, Coverage)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(search)).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
        });
        found.sort_by_key(|&(index, _)| index);
        let mut whole = Coverage::default();
        for (_, part) in found {
            whole.halting += part.halting;
            whole.hanging += part.hanging;
            whole.missing.extend(part.missing);
            if part.longest > whole.longest {
                (whole.longest, whole.longest_program) = (part.longest, part.longest_program);
            }
        }
        let is_used = |number: usize| used.get(number).is_some_and(|used| used.load(Ordering::Relaxed));
        let lines = self.listed.values().filter(|&&(number, _)| !is_used(number)).map(|&(_, line)| line);
        whole.foreign = lines.collect();
        whole.foreign.sort_unstable();
        whole
    }

    /// The beginnings of the tree, split until there are enough of them.
    fn parts(&self) -> Vec<Grid> {
        let mut parts = canon::starts(&self.plan).unwrap_or_default();
        loop {
            let mut finer = Vec::with_capacity(3 * parts.len());
            for part in &parts {
                match self.end(part) {
                    End::Open(column, row) => finer.extend(choices(part, column, row)),
                    _ => finer.push(part.clone()),
                }
            }
            if finer.len() == parts.len() || finer.len() >= PARTS {
                return finer;
            }
            parts = finer;
        }
    }

    /// What becomes of a program.
    fn end(&self, grid: &Grid) -> End {
        if let Some(&(number, _)) = self.listed.get(&grid.to_string()) {
            return End::Listed(number);
        }
        let graph = Graph::of(grid);
        let mut walk = Walk::new(&graph);
        while walk.steps() < STEPS {
            match walk.step() {
                None => {}
                Some(Outcome::Halted) => return End::Halt(walk.steps()),
                Some(Outcome::Open { column, row }) => return End::Open(column, row),
                Some(_) => return End::Missing,
            }
        }
        End::Missing
    }
}

enum End {
    /// The number of its certificate.
    Listed(usize),
    /// After so many steps.
    Halt(u64),
    /// The cell that is not chosen.
    Open(u8, u8),
    Missing,
}

fn choices(grid: &Grid, column: u8, row: u8) -> impl Iterator<Item = Grid> {
    [Cell::Noop, Cell::Data, Cell::Turn].into_iter().map(move |cell| {
        let mut grid = grid.clone();
        grid.set(column, row, cell);
        grid
    })
}

/// A part of the tree being gone through.
struct Enumeration<'a> {
    cover: &'a Cover,
    used: &'a [AtomicBool],
    /// Programs without a certificate, of all parts.
    missing: &'a AtomicUsize,
    found: &'a mut Coverage,
}

impl Enumeration<'_> {
    /// As deep as there are cells.
    fn go(&mut self, grid: Grid) {
        if self.missing.load(Ordering::Relaxed) >= MOST_MISSING {
            return;
        }
        match self.cover.end(&grid) {
            End::Listed(number) => {
                self.found.hanging += 1;
                if let Some(used) = self.used.get(number) {
                    used.store(true, Ordering::Relaxed);
                }
            }
            End::Halt(steps) => {
                self.found.halting += 1;
                if steps > self.found.longest {
                    self.found.longest = steps;
                    self.found.longest_program = grid.to_string();
                }
            }
            End::Open(column, row) => choices(&grid, column, row).for_each(|grid| self.go(grid)),
            End::Missing => {
                self.missing.fetch_add(1, Ordering::Relaxed);
                self.found.missing.push(grid.to_string());
            }
        }
    }
}

impl Coverage {
    /// Whether every program halts or has a certificate, and no certificate is left over.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.foreign.is_empty()
    }

    /// How many programs there are.
    pub fn programs(&self) -> u64 {
        self.halting + self.hanging + self.missing.len() as u64
    }
}
