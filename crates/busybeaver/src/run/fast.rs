//! The fast executor: block by block, on a tape of fixed size that is grown when it gets tight.
//!
//! The limits are looked at only from time to time, so a run may pass its step limit by a few
//! blocks. The count at a halt is exact all the same.
//!
//! Without leaps, blocks are run in chains of those that follow each other (module `chain`).
//!
//! With leaps, blocks that were repeated become an iteration, and whenever its first block comes up
//! again as many iterations are made as its tests allow, without looking at the blocks in it. Looking
//! for iterations takes time, too; where it does not pay, the run goes on in chains for a while, and for
//! longer each time, so that leaps never cost much more than they save.
//!
//! With leaps, a run is also folded from time to time (see [`Folded`]), and stays so for as long as
//! that is the fastest of all: where loops of loops go on evenly it does in one go what would be any
//! number of iterations here.

use super::chain::{Chains, Waypoint};
use super::iteration::Iteration;
use super::sheet::{LEAF, Sheet};
use super::{Folded, Outcome, Tape};
use crate::blocks::{Block, BlockId, Graph, Op};

/// When to give up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Stop soon after this many steps.
    pub steps: u64,
    /// Stop when the visited segment of the tape would need more cells than this.
    pub cells: usize,
    /// Whether loops are made many iterations at once. The result is the same.
    pub leaps: bool,
}

impl Limits {
    /// Only a limit of steps (and a tape of at most 2^27 cells, half a gigabyte), with leaps.
    pub fn steps(steps: u64) -> Self {
        Limits { steps, cells: 1 << 27, leaps: true }
    }
}

/// Blocks between two looks at the limits.
const ROUND: usize = 32;
/// A block moves the DP by at most 7 cells.
const MARGIN: usize = 8 * ROUND;
/// The longest iteration that is made at once: two of them are seen in one round.
const LONGEST_ITERATION: usize = ROUND / 2;
/// What is spent on leaps before it is asked whether they pay: single blocks, and attempts to make
/// iterations, which take as long as a few.
const SLICE: u64 = 1 << 13;
const ATTEMPT: u64 = 3;
/// Leaps pay if they make so many blocks for one that is spent: a chain makes about ten in the time.
const PAYS: u64 = 12;
/// Blocks in chains after leaps that did not pay, at first and at most.
const PATIENCE: (u64, u64) = (1 << 17, 1 << 24);
/// Blocks before a run is folded for the first time; how much is spent then before it is asked
/// whether that pays; how many blocks must be made for one that is spent; and by how much longer it
/// takes to the next time if it does not.
const FOLD_AFTER: u64 = 1 << 14;
const FOLD_SLICE: u64 = 1 << 12;
const FOLD_PAYS: u64 = 64;
const FOLD_AGAIN: u64 = 8;
/// Values are kept this far from the ends of their 32 bits.
const LARGEST: i32 = i32::MAX - (1 << 16);

/// A block, ready to run: sixteen bytes, so that finding it is a shift and no multiplication.
#[derive(Debug, Clone, Copy)]
#[repr(align(16))]
struct Ready {
    kind: Kind,
    zero: u8,
    nonzero: u8,
    steps: u8,
    amount: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Delta,
    Shift,
    End,
}

/// A program in the middle of a fast run.
#[derive(Debug, Clone)]
pub struct Fast<'g> {
    graph: &'g Graph,
    ready: Box<[Ready; BlockId::COUNT]>,
    ends: [Option<Outcome>; BlockId::COUNT],
    chains: Chains,
    /// Iterations known, by first block.
    iterations: Vec<Vec<Iteration>>,
    sheet: Sheet,
    origin: usize,
    pointer: usize,
    block: u8,
    steps: u64,
    blocks: u64,
    /// Blocks after which leaps are tried again, and how long to wait then if they do not pay.
    chains_until: u64,
    patience: u64,
    /// The run folded, with what was learned there, and the blocks after which it is folded again.
    folded: Option<Box<Folded<'g>>>,
    fold_at: u64,
    /// Whether the tape is there, because it is too large for the sheet.
    is_folded: bool,
    /// Until this many steps no value can pass [`LARGEST`].
    safe_until: u64,
}

impl<'g> Fast<'g> {
    /// At the start of a program.
    pub fn new(graph: &'g Graph) -> Self {
        let end = Ready { kind: Kind::End, zero: 0, nonzero: 0, steps: 0, amount: 0 };
        let mut ready = Box::new([end; BlockId::COUNT]);
        let mut ends = [None; BlockId::COUNT];
        for (id, block) in graph.blocks() {
            ends[id.index()] = match block {
                Block::Work { op, steps, zero, nonzero } => {
                    let kind = if matches!(op, Op::Delta(_)) { Kind::Delta } else { Kind::Shift };
                    let (zero, nonzero) = (zero.unwrap_or(nonzero).number(), nonzero.number());
                    ready[id.index()] = Ready { kind, zero, nonzero, steps, amount: op.amount().into() };
                    None
                }
                Block::Exit { steps } => {
                    ready[id.index()].steps = steps;
                    Some(Outcome::Halted)
                }
                Block::Hang => Some(Outcome::NoData),
                Block::Open { column, row } => Some(Outcome::Open { column, row }),
            };
        }
        let size = 4 * MARGIN;
        Fast {
            graph,
            ready,
            ends,
            chains: Chains::of(graph),
            iterations: vec![Vec::new(); BlockId::COUNT],
            sheet: Sheet::new(size / LEAF),
            origin: size / 2,
            pointer: size / 2,
            block: BlockId::ENTRY.number(),
            steps: 0,
            blocks: 0,
            chains_until: 0,
            patience: PATIENCE.0,
            folded: None,
            fold_at: FOLD_AFTER,
            is_folded: false,
            safe_until: LARGEST as u64,
        }
    }

    /// Steps taken; at a halt with the exit move.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Blocks run.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The block due now.
    pub fn block(&self) -> BlockId {
        BlockId::from_number(self.block.into()).unwrap_or(BlockId::ENTRY)
    }

    /// The tape now. Its size is that of the visited segment.
    pub fn tape(&self) -> Tape {
        if let Some(folded) = self.folded.as_ref().filter(|_| self.is_folded) {
            return folded.tape(usize::MAX).unwrap_or_default();
        }
        Tape::from_parts(self.sheet.values().map(i64::from).collect(), self.origin, self.pointer)
    }

    /// Runs on until the program ends or a limit is reached. A value that comes near 2^31 is a
    /// limit, too.
    pub fn run(&mut self, limits: Limits) -> Outcome {
        loop {
            if self.is_folded || (limits.leaps && self.blocks >= self.fold_at && self.steps < limits.steps) {
                let end = self.fold(limits);
                if end != Outcome::Stopped || self.is_folded {
                    return end;
                }
            }
            if self.steps >= limits.steps || !self.grow(limits.cells) || !self.stays_in_range() {
                return Outcome::Stopped;
            }
            let until = limits.steps.min(self.safe_until);
            let ended = match (limits.leaps, self.chains_until.saturating_sub(self.blocks)) {
                (false, _) => self.plainly(until),
                (true, 0) => self.leap(until),
                // A block takes at least a step.
                (true, blocks) => self.plainly(until.min(self.steps + blocks)),
            };
            if ended {
                let index = usize::from(self.block & 127);
                let end = self.ends[index].unwrap_or(Outcome::Stopped);
                // An end is entered once, even if the caller runs on.
                self.steps += u64::from(std::mem::take(&mut self.ready[index].steps));
                return end;
            }
        }
    }

    /// Runs on folded, for as long as that pays. If the tape is larger than the sheet may be then, it
    /// stays folded and the run is stopped.
    fn fold(&mut self, limits: Limits) -> Outcome {
        let mut folded = self.folded.take().unwrap_or_else(|| Box::new(Folded::new(self.graph)));
        if !self.is_folded {
            folded.resume(self.block(), &self.tape(), self.steps, self.blocks);
        }
        let end = loop {
            let (spent, blocks) = (folded.spent(), folded.blocks());
            let end = folded.run_some(limits.steps, spent + FOLD_SLICE);
            let pays = folded.blocks() - blocks >= FOLD_PAYS * (folded.spent() - spent);
            if end != Outcome::Stopped || folded.steps() >= limits.steps || !pays {
                break end;
            }
        };
        (self.steps, self.blocks, self.block) = (folded.steps(), folded.blocks(), folded.block().number());
        self.fold_at = FOLD_AGAIN * self.blocks;
        let tape = folded.tape(limits.cells / 2);
        self.is_folded = !tape.is_some_and(|tape| self.unfold(&tape, limits.cells));
        self.folded = Some(folded);
        end
    }

    /// Puts a tape on the sheet; false if it does not fit.
    fn unfold(&mut self, tape: &Tape, most: usize) -> bool {
        let at = tape.position();
        let (first, last) = tape.bounds().unwrap_or((at, at));
        // The place where the run began has to be on it.
        let (low, high) = (first.min(at).min(0), last.max(at).max(0));
        let size = ((high - low) as usize + 4 * MARGIN).next_multiple_of(LEAF);
        if size > most.max(8 * MARGIN) || (first..=last).any(|at| tape.at(at).abs() >= i64::from(LARGEST)) {
            return false;
        }
        self.origin = 2 * MARGIN + low.unsigned_abs() as usize;
        let index = |at: i64| self.origin.saturating_add_signed(at as isize);
        self.pointer = index(at);
        self.sheet = Sheet::new(size / LEAF);
        for (cell, at) in self.sheet.bare().iter_mut().skip(index(first)).zip(first..=last) {
            *cell = tape.at(at) as i32;
        }
        self.sheet.forget();
        self.safe_until = self.steps;
        true
    }

    /// Runs on while the DP keeps clear of both ends of the tape and steps are left; true when the
    /// block due is an end.
    fn plainly(&mut self, limit: u64) -> bool {
        let cells = self.sheet.bare();
        let inside = MARGIN..cells.len() - MARGIN;
        let mut waypoint =
            Waypoint { at: self.pointer, block: self.block, steps: self.steps, blocks: self.blocks };
        let ended = self.chains.run(cells, &mut waypoint, inside, limit);
        (self.pointer, self.block, self.steps, self.blocks) =
            (waypoint.at, waypoint.block, waypoint.steps, waypoint.blocks);
        self.sheet.forget();
        ended
    }

    /// As [`Fast::plainly`], but makes known iterations at once and learns new ones. Stops when it is
    /// time to ask whether that pays.
    fn leap(&mut self, limit: u64) -> bool {
        let (low, high) = (MARGIN, self.sheet.len() - MARGIN);
        let mut recent = [0_u8; ROUND];
        let before = self.blocks;
        let mut spent = 0;
        while self.pointer >= low && self.pointer < high && self.steps < limit {
            for slot in &mut recent {
                if !self.iterations[usize::from(self.block & 127)].is_empty() {
                    spent += ATTEMPT;
                    let made = self.make_iterations(limit);
                    if made && (self.pointer < low || self.pointer >= high || self.steps >= limit) {
                        return false;
                    }
                }
                let this = self.ready[usize::from(self.block & 127)];
                *slot = self.block;
                let value = match this.kind {
                    Kind::Delta => self.sheet.add(self.pointer, this.amount),
                    Kind::Shift => {
                        self.pointer = self.pointer.wrapping_add_signed(this.amount as isize);
                        self.sheet.value(self.pointer)
                    }
                    Kind::End => return true,
                };
                self.block = if value == 0 { this.zero } else { this.nonzero };
                self.steps += u64::from(this.steps);
                self.blocks += 1;
            }
            self.learn(&recent);
            spent += ROUND as u64;
            if spent >= SLICE {
                if self.blocks - before < PAYS * spent {
                    // Going over to chains takes a look at every cell.
                    let wait = self.patience.max(4 * self.sheet.len() as u64);
                    self.chains_until = self.blocks + wait;
                    self.patience = (2 * self.patience).min(PATIENCE.1);
                } else {
                    self.patience = PATIENCE.0;
                }
                return false;
            }
        }
        false
    }

    /// Makes as many iterations as can be, if one is known that begins here.
    #[inline]
    fn make_iterations(&mut self, limit: u64) -> bool {
        for iteration in &self.iterations[usize::from(self.block & 127)] {
            let most = limit.saturating_sub(self.steps) / iteration.steps;
            let made = iteration.make(&mut self.sheet, self.pointer, most);
            if made > 0 {
                self.pointer = iteration.after(self.pointer, made);
                self.steps += made * iteration.steps;
                self.blocks += made * iteration.blocks.len() as u64;
                return true;
            }
        }
        false
    }

    /// Blocks that were repeated at the end of a round are an iteration from now on.
    fn learn(&mut self, recent: &[u8; ROUND]) {
        for length in 1..=LONGEST_ITERATION {
            let (before, last) = recent.split_at(ROUND - length);
            if !before.ends_with(last) || last.first() != Some(&self.block) {
                continue;
            }
            let Some(iteration) = Iteration::best(self.graph, last) else { return };
            let first = iteration.blocks.first().map_or(0, |&block| usize::from(block & 127));
            let known = &mut self.iterations[first];
            if known.len() < 4 && !known.contains(&iteration) {
                known.push(iteration);
            }
            return;
        }
    }

    /// Makes sure that no value passes its 32 bits before the next check; false if one is close.
    fn stays_in_range(&mut self) -> bool {
        if self.steps < self.safe_until {
            return true;
        }
        // A step changes one value by one.
        let largest = self.sheet.values().map(i32::unsigned_abs).max().unwrap_or(0);
        let left = (LARGEST as u32).saturating_sub(largest);
        self.safe_until = self.steps + u64::from(left);
        left > 1 << 16
    }

    /// Brings the DP clear of the ends of the tape; false if that takes more cells than allowed.
    fn grow(&mut self, most: usize) -> bool {
        let size = self.sheet.len();
        if self.pointer >= MARGIN && self.pointer < size - MARGIN {
            return true;
        }
        if 2 * size > most.max(8 * MARGIN) {
            return false;
        }
        let in_front = self.pointer < MARGIN;
        self.sheet.grow(size / LEAF, in_front);
        if in_front {
            self.origin += size;
            self.pointer += size;
        }
        true
    }
}
