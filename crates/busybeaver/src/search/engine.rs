//! The depth-first walk over lazily filled grids.
//!
//! The grid, the blocks found so far, the tape and the history of the run change in place and are
//! taken back when a branch is done: the tape by running the history backward, block by block. A
//! run that gets long keeps a copy of the tape instead.

use super::totals::Totals;
use crate::blocks::walk::walk;
use crate::blocks::{Block, BlockId, Op};
use crate::grid::Place;
use crate::proof::observe::{self, FIRST_LOOK};
use crate::proof::{Certificate, Claim, Hang, Kind, Proof, check, no_exit};
use crate::run::Tape;
use crate::{Cell, Grid};

/// Blocks after which a copy of the tape is kept.
const LONG: usize = 4096;
/// Blocks after which the history of a long run begins anew, so that memory stays bounded.
const WINDOW: usize = FIRST_LOOK << 16;

/// Told of every program, in the order of the search.
pub trait Witness {
    /// Whether every hang gets a certificate, which is checked at once: a program whose
    /// certificate is refused is undecided. It takes ten times as long.
    const CERTIFICATES: bool;
    /// A program proved to hang.
    fn hang(&mut self, _program: &Grid, _hang: &Hang) {}
    /// A program that halts after so many steps.
    fn halt(&mut self, _program: &Grid, _steps: u64) {}
}

/// Nobody looks.
impl Witness for () {
    const CERTIFICATES: bool = false;
}

/// A search in progress.
#[derive(Debug)]
pub struct Engine<W> {
    grid: Grid,
    /// Blocks that have been run.
    blocks: [Option<Block>; BlockId::COUNT],
    /// Blocks that have been walked, and may never be run.
    walked: [Option<Block>; BlockId::COUNT],
    /// What was put into these tables, in order, to forget it again.
    ran: Vec<BlockId>,
    found: Vec<BlockId>,
    tape: Tape,
    history: Vec<BlockId>,
    /// Blocks run before those in `history`.
    earlier: u64,
    due: BlockId,
    steps: u64,
    max_steps: u64,
    totals: Totals,
    asker: no_exit::Asker,
    witness: W,
}

/// Where a run came to.
enum Stop {
    Halt(u64),
    Hang(Kind, Option<Hang>),
    Open(Place),
    Limit,
}

impl<W: Witness> Engine<W> {
    /// Searches all programs that extend `start`.
    pub fn search(start: Grid, max_steps: u64, witness: W) -> (Totals, W) {
        let mut engine = Engine {
            grid: start,
            blocks: [None; BlockId::COUNT],
            walked: [None; BlockId::COUNT],
            ran: Vec::with_capacity(BlockId::COUNT),
            found: Vec::with_capacity(BlockId::COUNT),
            tape: Tape::new(),
            history: Vec::new(),
            earlier: 0,
            due: BlockId::ENTRY,
            steps: 0,
            max_steps,
            totals: Totals::default(),
            asker: no_exit::Asker::new(),
            witness,
        };
        engine.explore();
        (engine.totals, engine.witness)
    }

    /// Runs on, branches, and leaves everything as it was.
    fn explore(&mut self) {
        let (ran, found, base) = (self.ran.len(), self.found.len(), self.history.len());
        let (due, steps, earlier) = (self.due, self.steps, self.earlier);
        let mut kept = None;
        match self.run(base, &mut kept) {
            Stop::Open(place) => {
                for cell in [Cell::Noop, Cell::Data, Cell::Turn] {
                    self.grid.put(place, cell);
                    self.explore();
                }
                self.grid.put(place, Cell::Unset);
            }
            Stop::Halt(steps) => {
                self.totals.halt(steps, || self.grid.to_string());
                self.witness.halt(&self.grid, steps);
            }
            // Where certificates are wanted, no certificate is no verdict.
            Stop::Hang(_, None) if W::CERTIFICATES => self.totals.undecided.push(self.grid.to_string()),
            Stop::Hang(kind, None) => self.totals.hang(kind),
            Stop::Hang(kind, Some(hang)) => match check(&hang.certificate) {
                Ok(()) => {
                    self.totals.hang(kind);
                    self.witness.hang(&self.grid, &hang);
                }
                Err(_) => self.totals.undecided.push(self.grid.to_string()),
            },
            Stop::Limit => self.totals.undecided.push(self.grid.to_string()),
        }
        match kept {
            Some(tape) => {
                self.tape = tape;
                self.history.truncate(base);
            }
            None => take_back(&mut self.tape, &mut self.history, base, &self.blocks),
        }
        self.ran.drain(ran..).for_each(|id| self.blocks[id.index()] = None);
        self.found.drain(found..).for_each(|id| self.walked[id.index()] = None);
        (self.due, self.steps, self.earlier) = (due, steps, earlier);
    }

    fn run(&mut self, base: usize, kept: &mut Option<Tape>) -> Stop {
        let mut look = base + FIRST_LOOK;
        let mut proof = Proof::default();
        loop {
            while self.history.len() < look {
                let Some(block) = self.blocks[self.due.index()] else {
                    match self.find() {
                        Some(stop) => return stop,
                        None => continue,
                    }
                };
                let Block::Work { op, steps, zero, nonzero } = block else { return self.end(block) };
                self.history.push(self.due);
                self.steps += u64::from(steps);
                let value = match op {
                    Op::Delta(amount) => self.tape.add(amount.into()),
                    Op::Shift(amount) => self.tape.shift(amount.into()),
                };
                self.due = match zero {
                    Some(zero) if value == 0 => zero,
                    _ => nonzero,
                };
            }
            if self.steps >= self.max_steps {
                return Stop::Limit;
            }
            if look - base >= LONG && kept.is_none() {
                let mut before = self.tape.clone();
                let mut history = self.history.clone();
                take_back(&mut before, &mut history, base, &self.blocks);
                *kept = Some(before);
            }
            let run = observe::Run {
                grid: &self.grid,
                blocks: &self.blocks,
                recent: self.history.get(base..).unwrap_or_default(),
                earlier: self.earlier + base as u64,
                due: self.due,
                tape: &self.tape,
            };
            if let Some(reason) = proof.look(&run) {
                if W::CERTIFICATES {
                    let hang = reason.hang(&run);
                    return Stop::Hang(hang.kind, Some(hang));
                }
                return Stop::Hang(reason.kind(&run), None);
            }
            let ran = look - base;
            if ran >= WINDOW {
                self.earlier += ran as u64;
                self.history.truncate(base);
            } else {
                look += ran;
            }
        }
    }

    /// The block due is not known yet: finds it. Says so if that is the end of this run.
    fn find(&mut self) -> Option<Stop> {
        let id = self.due;
        let known = self.walked[id.index()];
        let block = known.unwrap_or_else(|| walk(&self.grid, id));
        if let Block::Open { column, row } = block {
            return Some(Stop::Open(Place::new(column, row)));
        }
        self.blocks[id.index()] = Some(block);
        self.ran.push(id);
        if known.is_none() {
            self.walked[id.index()] = Some(block);
            self.found.push(id);
        }
        if !matches!(block, Block::Work { .. }) {
            return None;
        }
        let (grid, walked, found) = (&self.grid, &mut self.walked, &mut self.found);
        let escapes = self.asker.may_escape(id, |id| {
            walked[id.index()].unwrap_or_else(|| {
                let block = walk(grid, id);
                if !matches!(block, Block::Open { .. }) {
                    walked[id.index()] = Some(block);
                    found.push(id);
                }
                block
            })
        });
        (!escapes).then(|| {
            let hang = || no_exit::hang(&self.grid, id, self.blocks_run(), &self.tape);
            Stop::Hang(Kind::NoExit, if W::CERTIFICATES { hang() } else { None })
        })
    }

    fn end(&self, block: Block) -> Stop {
        if let Block::Exit { steps } = block {
            return Stop::Halt(self.steps + u64::from(steps));
        }
        let hang = || {
            let (program, after) = (self.grid.to_string(), self.blocks_run());
            let certificate = Certificate::new(program, after, Claim::Turning {});
            Hang { kind: Kind::NoDataLoop, certificate }
        };
        Stop::Hang(Kind::NoDataLoop, W::CERTIFICATES.then(hang))
    }

    fn blocks_run(&self) -> u64 {
        self.earlier + self.history.len() as u64
    }
}

/// Runs a history backward down to its first `base` blocks.
fn take_back(
    tape: &mut Tape,
    history: &mut Vec<BlockId>,
    base: usize,
    blocks: &[Option<Block>; BlockId::COUNT],
) {
    for id in history.drain(base..).rev() {
        if let Some(Block::Work { op, .. }) = blocks[id.index()] {
            let _value = match op {
                Op::Delta(amount) => tape.add(-i64::from(amount)),
                Op::Shift(amount) => tape.shift(-i64::from(amount)),
            };
        }
    }
}
