//! The fast executor: block by block, on a tape of fixed size that is moved when it gets tight.
//!
//! The inner loop runs rounds of a few blocks and looks at the limits only in between, so a run
//! may pass its step limit by less than one round. The count at a halt is exact all the same.

use super::{Outcome, Tape};
use crate::blocks::{Block, BlockId, Graph, Op};

/// When to give up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Stop soon after this many steps.
    pub steps: u64,
    /// Stop when the visited stretch of the tape would need more cells than this.
    pub cells: usize,
}

impl Limits {
    /// Only a limit of steps (and a tape of at most 2^26 cells, half a gigabyte).
    pub fn steps(steps: u64) -> Self {
        Limits { steps, cells: 1 << 26 }
    }
}

/// Blocks between two looks at the limits.
const ROUND: usize = 32;
/// A block moves the DP by at most 7 cells.
const MARGIN: usize = 8 * ROUND;

/// A block, ready to run. The amounts of the operation it is not are zero.
#[derive(Debug, Clone, Copy, Default)]
struct Ready {
    delta: i64,
    shift: isize,
    steps: u64,
    zero: u8,
    nonzero: u8,
    /// 0 works, 1 is an end.
    end: u8,
    is_shift: bool,
}

/// A program in the middle of a fast run.
#[derive(Debug, Clone)]
pub struct Fast {
    ready: Box<[Ready; BlockId::COUNT]>,
    ends: [Option<Outcome>; BlockId::COUNT],
    cells: Vec<i64>,
    origin: usize,
    pointer: usize,
    block: u8,
    steps: u64,
    blocks: u64,
}

impl Fast {
    /// At the start of a program.
    pub fn new(graph: &Graph) -> Self {
        let mut ready = Box::new([Ready { end: 1, ..Ready::default() }; BlockId::COUNT]);
        let mut ends = [None; BlockId::COUNT];
        for (id, block) in graph.blocks() {
            let slot = &mut ready[id.index()];
            match block {
                Block::Work { op, steps, zero, nonzero } => {
                    let (delta, shift) = match op {
                        Op::Delta(amount) => (i64::from(amount), 0),
                        Op::Shift(amount) => (0, isize::from(amount)),
                    };
                    *slot = Ready {
                        delta,
                        shift,
                        steps: steps.into(),
                        zero: zero.unwrap_or(nonzero).number(),
                        nonzero: nonzero.number(),
                        end: 0,
                        is_shift: delta == 0,
                    };
                }
                Block::Exit { steps } => {
                    slot.steps = steps.into();
                    ends[id.index()] = Some(Outcome::Halted);
                }
                Block::Hang => ends[id.index()] = Some(Outcome::NoData),
                Block::Open { column, row } => ends[id.index()] = Some(Outcome::Open { column, row }),
            }
        }
        let size = 4 * MARGIN;
        Fast {
            ready,
            ends,
            cells: vec![0; size],
            origin: size / 2,
            pointer: size / 2,
            block: BlockId::ENTRY.number(),
            steps: 0,
            blocks: 0,
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

    /// The tape now.
    pub fn tape(&self) -> Tape {
        Tape::from_parts(self.cells.clone(), self.origin, self.pointer)
    }

    /// Runs on until the program ends or a limit is reached.
    pub fn run(&mut self, limits: Limits) -> Outcome {
        loop {
            if self.steps >= limits.steps || !self.make_room(limits.cells) {
                return Outcome::Stopped;
            }
            if self.rounds(limits.steps) {
                let end = self.ends[usize::from(self.block & 127)].unwrap_or(Outcome::Stopped);
                if end == Outcome::Halted {
                    self.steps += self.ready[usize::from(self.block & 127)].steps;
                    // An end is entered once.
                    self.ready[usize::from(self.block & 127)].steps = 0;
                }
                return end;
            }
        }
    }

    /// Runs rounds while the DP keeps clear of both ends of the tape and steps are left; true when
    /// the block due is an end.
    fn rounds(&mut self, limit: u64) -> bool {
        let ready = &*self.ready;
        let cells = &mut self.cells[..];
        let (low, high) = (MARGIN, cells.len() - MARGIN);
        let (mut block, mut at, mut steps, mut blocks) = (self.block, self.pointer, self.steps, self.blocks);
        let mut ended = false;
        'rounds: while at >= low && at < high && steps < limit {
            for _ in 0..ROUND {
                let this = &ready[usize::from(block & 127)];
                if this.end != 0 {
                    ended = true;
                    break 'rounds;
                }
                steps += this.steps;
                blocks += 1;
                if this.is_shift {
                    at = at.wrapping_add_signed(this.shift);
                    block = match cells.get(at) {
                        Some(0) => this.zero,
                        _ => this.nonzero,
                    };
                } else if let Some(cell) = cells.get_mut(at) {
                    *cell += this.delta;
                    block = if *cell == 0 { this.zero } else { this.nonzero };
                }
            }
        }
        (self.block, self.pointer, self.steps, self.blocks) = (block, at, steps, blocks);
        ended
    }

    /// Brings the DP clear of the ends of the tape; false if that takes more cells than allowed.
    fn make_room(&mut self, most: usize) -> bool {
        let size = self.cells.len();
        if self.pointer >= MARGIN && self.pointer < size - MARGIN {
            return true;
        }
        if 2 * size > most.max(8 * MARGIN) {
            return false;
        }
        if self.pointer < MARGIN {
            self.cells.splice(0..0, std::iter::repeat_n(0, size));
            self.origin += size;
            self.pointer += size;
        } else {
            self.cells.resize(2 * size, 0);
        }
        true
    }
}
