//! The depth-first walk over lazily filled grids.
//!
//! The grid, the blocks found so far, the tape and the history of the run change in place and are
//! taken back when a branch is done: the tape by running the history backward, block by block. A
//! run that gets long keeps a copy of the tape instead.
//!
//! Most runs meet the next cell that is not chosen within a few blocks, so nothing is asked of
//! them before. A run that comes to an end or an open cell had a way out, so asking late changes
//! no answer.

use super::board::{Ahead, Board, Front, Met, Work};
use super::escape::{Asker, Known};
use super::totals::Totals;
use crate::blocks::BlockId;
use crate::proof::observe::{self, FIRST_CHECK, Reason};
use crate::proof::{Certificate, Claim, Hang, Kind, Proof, check, no_exit};
use crate::run::Tape;
use crate::{Cell, Grid};

/// Blocks after which a copy of the tape is kept.
const LONG: usize = 4096;
/// Blocks after which the history of a long run begins anew, so that memory stays bounded.
const WINDOW: usize = FIRST_CHECK << 16;

/// A sink for the programs that hang or halt, in the order of the search.
pub trait Witness {
    /// Whether every hang gets a certificate, which is checked at once: a program whose
    /// certificate is refused is undecided. It takes ten times as long.
    const CERTIFICATES: bool;
    /// A program proved to hang.
    fn hang(&mut self, _program: &Grid, _hang: &Hang) {}
    /// A program that halts after so many steps.
    fn halt(&mut self, _program: &Grid, _steps: u64) {}
}

/// Ignores all programs.
impl Witness for () {
    const CERTIFICATES: bool = false;
}

/// A search in progress.
#[derive(Debug)]
pub struct Engine<W> {
    grid: Grid,
    board: Board,
    /// Blocks that have been run, by number.
    blocks: [Work; BlockId::COUNT],
    /// What was put into this table, in order, to forget it again; and the value it began with.
    ran: Vec<(BlockId, i64)>,
    tape: Tape,
    history: Vec<BlockId>,
    /// Blocks run before those in `history`.
    earlier: u64,
    steps: u64,
    max_steps: u64,
    totals: Totals,
    asker: Asker,
    /// What to choose for the first cells that are met, the first of them last.
    path: Vec<Cell>,
    witness: W,
}

/// Where a run came to.
enum Stop {
    /// Steps of the last block.
    Halt(u32),
    Hang(Kind, Option<Box<Hang>>),
    Open(Front),
    Limit,
}

impl Stop {
    fn of(hang: Hang) -> Stop {
        Stop::Hang(hang.kind, Some(Box::new(hang)))
    }
}

impl<W: Witness> Engine<W> {
    /// Searches all programs that extend `start`.
    pub fn search(start: Grid, max_steps: u64, witness: W) -> (Totals, W) {
        Engine::search_below(start, &[], max_steps, witness)
    }

    /// Searches all programs that extend `start` and choose `path` for the first cells that they
    /// meet: a part of the search from `start`, with the same results for the same programs.
    pub fn search_below(start: Grid, path: &[Cell], max_steps: u64, witness: W) -> (Totals, W) {
        let (totals, witness, _) = Engine::search_path(start, path, max_steps, witness);
        (totals, witness)
    }

    /// The same, and how many cells of the path were not met: then it ends at one program.
    pub(super) fn search_path(start: Grid, path: &[Cell], max_steps: u64, witness: W) -> (Totals, W, usize) {
        let mut engine = Engine {
            board: Board::of(&start),
            grid: start,
            blocks: [Work::default(); BlockId::COUNT],
            ran: Vec::with_capacity(BlockId::COUNT),
            tape: Tape::new(),
            history: Vec::new(),
            earlier: 0,
            steps: 0,
            max_steps,
            totals: Totals::default(),
            asker: Asker::new(),
            path: path.iter().rev().copied().collect(),
            witness,
        };
        engine.go_on(BlockId::ENTRY, engine.board.enter());
        (engine.totals, engine.witness, engine.path.len())
    }

    /// Tries all that a cell may be.
    fn branch(&mut self, front: Front) {
        let cell = front.ahead();
        let location = Board::location(cell);
        if let Some(choice) = self.path.pop() {
            return self.follow(front, choice);
        }
        self.board.free(cell);
        // What lies behind it is the same for a no-op and for a data cell.
        match self.board.scan(front.moved()) {
            Ahead::Edge(steps) => {
                for free in [Cell::Noop, Cell::Data] {
                    self.grid.put(location, free);
                    self.halt(steps);
                }
                self.board.put_data(cell);
            }
            Ahead::Open(next) => {
                self.grid.put(location, Cell::Noop);
                self.branch(next);
                self.board.put_data(cell);
                self.grid.put(location, Cell::Data);
                self.branch(next.on_data());
            }
            Ahead::Turn(next) => {
                self.grid.put(location, Cell::Noop);
                self.turn(next);
                self.board.put_data(cell);
                self.grid.put(location, Cell::Data);
                self.turn(next.on_data());
            }
        }
        self.board.put_turn(cell);
        self.grid.put(location, Cell::Turn);
        self.turn(front);
        self.board.forget(cell);
        self.grid.put(location, Cell::Unset);
    }

    /// Tries one thing that a cell may be.
    #[cold]
    fn follow(&mut self, front: Front, choice: Cell) {
        let cell = front.ahead();
        let location = Board::location(cell);
        self.board.free(cell);
        self.grid.put(location, choice);
        match choice {
            Cell::Data => {
                self.board.put_data(cell);
                self.go_on(front.block(), self.board.walk(front.moved().on_data()));
            }
            Cell::Turn => {
                self.board.put_turn(cell);
                self.turn(front);
            }
            Cell::Noop | Cell::Unset => self.go_on(front.block(), self.board.walk(front.moved())),
        }
        self.board.put_turn(cell);
        self.board.forget(cell);
        self.grid.put(location, Cell::Unset);
    }

    /// A turn lies before the PP.
    fn turn(&mut self, front: Front) {
        match front.work() {
            Some(work) => self.explore(front.block(), work),
            None => self.go_on(front.block(), self.board.turn(front)),
        }
    }

    /// The block due has been walked up to some end.
    fn go_on(&mut self, id: BlockId, met: Met) {
        match met {
            Met::Open(front) => self.branch(front),
            Met::Exit(steps) => self.halt(steps),
            Met::Endless => {
                let stop = self.endless();
                self.end(stop);
            }
            Met::Work(work) => self.explore(id, work),
        }
    }

    /// Runs on from a block that has just been found, branches, and leaves everything as it was.
    fn explore(&mut self, id: BlockId, work: Work) {
        let (ran, base) = (self.ran.len(), self.history.len());
        let (steps, earlier) = (self.steps, self.earlier);
        self.found(id, work);
        let mut saved = None;
        match self.run(id, base, ran, &mut saved) {
            Stop::Open(front) => self.branch(front),
            Stop::Halt(steps) => self.halt(steps),
            stop => self.end(stop),
        }
        match saved {
            Some(tape) => {
                self.tape = tape;
                self.history.truncate(base);
            }
            None => take_back(&mut self.tape, &mut self.history, base, &self.blocks),
        }
        self.ran.drain(ran..).for_each(|(id, _)| self.blocks[id.index()] = Work::default());
        (self.steps, self.earlier) = (steps, earlier);
    }

    /// Counts a program that leaves the grid, so many steps from now.
    #[inline]
    fn halt(&mut self, steps: u32) {
        let steps = self.steps + u64::from(steps);
        self.totals.halt(steps, || self.grid.to_string());
        self.witness.halt(&self.grid, steps);
    }

    /// Counts a program.
    fn end(&mut self, stop: Stop) {
        match stop {
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
            Stop::Limit | Stop::Open(_) | Stop::Halt(_) => self.totals.undecided.push(self.grid.to_string()),
        }
    }

    #[inline]
    fn found(&mut self, id: BlockId, work: Work) {
        self.blocks[id.index()] = work;
        self.ran.push((id, self.tape.value()));
    }

    /// Runs from the block `due`, which is known. Of the blocks found, those from `asked` on have
    /// been found in this run.
    fn run(&mut self, mut due: BlockId, base: usize, mut asked: usize, saved: &mut Option<Tape>) -> Stop {
        let mut next_check = base + FIRST_CHECK;
        let mut proof = Proof::default();
        let mut last = Work::default();
        loop {
            while self.history.len() < next_check {
                let work = self.blocks[due.index()];
                if work.steps == 0 {
                    match self.board.walk(last.then(due)) {
                        Met::Work(work) => self.found(due, work),
                        Met::Open(front) => return Stop::Open(front),
                        Met::Exit(steps) => return Stop::Halt(steps),
                        Met::Endless => {
                            let hang = self.endless();
                            let known = Known { board: &self.board, blocks: &self.blocks, ran: &self.ran };
                            let plain = self.asker.is_plain(known, asked);
                            return if plain { self.no_exit(base, hang) } else { hang };
                        }
                    }
                    continue;
                }
                self.history.push(due);
                self.steps += u64::from(work.steps);
                let value = self.tape.apply(work.shift, work.delta);
                due = work.follower(value == 0);
                last = work;
            }
            if self.steps >= self.max_steps {
                return Stop::Limit;
            }
            if next_check - base >= LONG && saved.is_none() {
                let mut before = self.tape.clone();
                let mut history = self.history.clone();
                take_back(&mut before, &mut history, base, &self.blocks);
                *saved = Some(before);
            }
            let run = observe::Run {
                grid: &self.grid,
                block: &|id| self.blocks[id.index()].block(),
                recent: self.history.get(base..).unwrap_or_default(),
                earlier: self.earlier + base as u64,
                due,
                tape: &self.tape,
            };
            let known = Known { board: &self.board, blocks: &self.blocks, ran: &self.ran };
            let hang = |reason: Reason| match W::CERTIFICATES {
                true => Stop::of(reason.hang(&run)),
                false => Stop::Hang(reason.kind(&run), None),
            };
            if let Some(reason) = run.repeats() {
                let hang = hang(reason);
                return if self.asker.is_plain(known, asked) { self.no_exit(base, hang) } else { hang };
            }
            if !self.asker.may_escape(known, asked) && self.asker.is_plain(known, asked) {
                return self.no_exit(base, Stop::Hang(Kind::NoExit, None));
            }
            asked = self.ran.len();
            if let Some(reason) = proof.closes(&run) {
                return hang(reason);
            }
            let ran = next_check - base;
            if ran >= WINDOW {
                self.earlier += ran as u64;
                self.history.truncate(base);
            } else {
                next_check += ran;
            }
        }
    }

    /// A hang of which it is plain that there is no way out of the last block found. Where that
    /// cannot be certified, the proof is the `other` one.
    fn no_exit(&self, base: usize, other: Stop) -> Stop {
        let Some(&(id, _)) = self.ran.last().filter(|_| W::CERTIFICATES) else {
            return Stop::Hang(Kind::NoExit, None);
        };
        // As it was when the block first ran.
        let ran = self.history.get(base..).unwrap_or_default();
        let at = base + ran.iter().position(|&block| block == id).unwrap_or(ran.len());
        let (mut tape, mut history) = (self.tape.clone(), self.history.clone());
        take_back(&mut tape, &mut history, at, &self.blocks);
        match (no_exit::hang(&self.grid, id, self.earlier + at as u64, &tape), other) {
            (Some(hang), _) => Stop::of(hang),
            (None, Stop::Hang(_, Some(hang))) => Stop::of(Hang { kind: Kind::NoExit, ..*hang }),
            (None, other) => other,
        }
    }

    /// The block due turns for ever.
    fn endless(&self) -> Stop {
        if !W::CERTIFICATES {
            return Stop::Hang(Kind::NoDataLoop, None);
        }
        let (program, after) = (self.grid.to_string(), self.earlier + self.history.len() as u64);
        let certificate = Certificate::new(program, after, Claim::Turning);
        Stop::of(Hang { kind: Kind::NoDataLoop, certificate })
    }
}

/// Runs a history backward down to its first `base` blocks.
fn take_back(tape: &mut Tape, history: &mut Vec<BlockId>, base: usize, blocks: &[Work; BlockId::COUNT]) {
    for id in history.drain(base..).rev() {
        let Work { shift, delta, .. } = blocks[id.index()];
        tape.take_back(shift, delta);
    }
}
