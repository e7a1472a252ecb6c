//! The folded executor: as the others, but loops of loops are made many iterations at once.
//!
//! ```text
//! State   the tape as segments of alike groups (stack), the block due
//! Units   what was done lately; a segment of it that comes twice is an iteration
//! trial   the iteration, run on variables: is what it does the same for all such tapes?
//! Rule    then n iterations are arithmetic, and their steps a polynomial (cost)
//! ```
//!
//! Each application of a rule is a unit again, so loops of loops become rules in the same way, to any
//! depth. A run costs by its units, which is what its summary has on the highest levels, and not by
//! its steps. Where nothing repeats evenly it is slower than the fast executor: whoever runs both
//! asks [`Folded::spent`] whether it pays.

mod cost;
mod form;
mod rule;
mod stack;
mod state;
mod trial;
mod units;
mod world;

use self::cost::{Cost, of_iterations};
use self::rule::Rule;
use self::state::State;
use self::units::{Unit, Units};
use self::world::Plain;
use super::{Outcome, Tape};
use crate::blocks::{Block, BlockId, Graph, Op};

/// Groups are never wider. Strides of a program that need wider ones are left alone.
const WIDEST: usize = 12;
/// Rules are learned up to so many.
const MOST_RULES: usize = 400;
/// Rules that are tried at one key, the newest first.
const TRIED: usize = 8;
/// What a unit of a trial costs, where running a block costs 1.
const TRIAL: u64 = 16;
/// Steps beyond which a run is stopped, so that no number gets too large.
const FARTHEST: u64 = 1 << 60;

/// A program in the middle of a folded run.
#[derive(Debug, Clone)]
pub struct Folded<'g> {
    graph: &'g Graph,
    state: State<i64>,
    rules: Vec<Rule>,
    /// By key: which rules begin there, the newest last.
    begin: Vec<Vec<usize>>,
    units: Units,
    numbers: Vec<i64>,
    steps: u64,
    blocks: u64,
    spent: u64,
    is_ended: bool,
}

impl<'g> Folded<'g> {
    /// At the start of a program.
    pub fn new(graph: &'g Graph) -> Self {
        Folded {
            graph,
            state: folded(BlockId::ENTRY, &Tape::new(), 1),
            rules: Vec::new(),
            begin: vec![Vec::new(); BlockId::COUNT << 4],
            units: Units::default(),
            numbers: Vec::new(),
            steps: 0,
            blocks: 0,
            spent: 0,
            is_ended: false,
        }
    }

    /// Goes on in the middle of a run of the same program, with the rules that it has.
    pub(super) fn resume(&mut self, block: BlockId, tape: &Tape, steps: u64, blocks: u64) {
        self.state = folded(block, tape, self.state.hand.len());
        self.units = Units::default();
        (self.steps, self.blocks) = (steps, blocks);
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
        self.state.block
    }

    /// What the run has cost: blocks that were run one by one, and applications of rules.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// How many rules were found, and how deep the deepest of them goes.
    pub fn rules(&self) -> (usize, usize) {
        (self.rules.len(), self.rules.iter().map(|rule| rule.iteration.degree + 1).max().unwrap_or(0))
    }

    /// The tape now; none if it has more cells than that.
    pub fn tape(&self, most: usize) -> Option<Tape> {
        if self.state.span() > most as u64 {
            return None;
        }
        let (cells, pointer) = self.state.cells();
        let position = self.position();
        Some(Tape::positioned(cells, pointer, position))
    }

    fn position(&self) -> i64 {
        self.state.group * self.state.hand.len() as i64 + self.state.at as i64
    }

    /// Runs on until the program ends or `steps` steps were taken in all; the last block may pass
    /// that by a few.
    pub fn run(&mut self, steps: u64) -> Outcome {
        self.run_some(steps, u64::MAX)
    }

    /// As [`Folded::run`], but stops when it has spent so much.
    pub(super) fn run_some(&mut self, steps: u64, spent: u64) -> Outcome {
        let limit = steps.min(FARTHEST);
        while self.steps < limit && self.spent < spent {
            self.spent += 1;
            if self.apply(limit) {
                self.learn();
                continue;
            }
            // Only if no rule that is known holds here by now.
            if self.units.end_in_block() && self.learn() {
                continue;
            }
            let key = self.state.key();
            match self.state.run(&mut Plain, self.graph) {
                Some(steps) => self.steps += u64::from(steps),
                None => return self.end(),
            }
            self.blocks += 1;
            self.units.push(Unit::Block(key));
        }
        Outcome::Stopped
    }

    fn end(&mut self) -> Outcome {
        match self.graph.block(self.state.block) {
            Some(Block::Exit { steps }) => {
                // An end is entered once, even if the caller runs on.
                self.steps += if self.is_ended { 0 } else { u64::from(steps) };
                self.is_ended = true;
                Outcome::Halted
            }
            Some(Block::Open { column, row }) => Outcome::Open { column, row },
            Some(Block::Hang | Block::Work { .. }) | None => Outcome::NoData,
        }
    }

    /// Applies the newest rule that holds, for as many iterations as it holds and the steps allow.
    #[inline]
    fn apply(&mut self, limit: u64) -> bool {
        let begin = &self.begin[self.state.key() as usize];
        for &index in begin.iter().rev() {
            let rule = &self.rules[index];
            if !rule.read(&self.state, &mut self.numbers) || !rule.variables(&mut self.numbers) {
                continue;
            }
            let most = limit - self.steps;
            let holds = rule.iterations(&self.numbers).map_or(most, |iterations| iterations.min(most));
            let (iterations, cost) = within(&self.rules, rule, &self.numbers, holds, most);
            if iterations == 0 {
                continue;
            }
            rule.make(&mut self.state, iterations as i64);
            self.state.group += cost.groups as i64;
            self.steps += cost.steps as u64;
            self.blocks += cost.blocks as u64;
            self.units.push(Unit::Rule(index));
            return true;
        }
        false
    }

    /// Makes a rule of what has just been repeated, if it is one.
    #[inline]
    fn learn(&mut self) -> bool {
        let Some(iteration) = self.units.iteration().filter(|_| self.rules.len() < MOST_RULES) else {
            return false;
        };
        self.spent += TRIAL * iteration.len() as u64;
        match trial::prove(&self.state, self.graph, &self.rules, &iteration) {
            Some(rule) => {
                let begin = &mut self.begin[rule.key as usize];
                if begin.len() >= TRIED {
                    begin.remove(0);
                }
                begin.push(self.rules.len());
                self.rules.push(rule);
                true
            }
            None => {
                self.units.fail(&iteration);
                self.widen(&iteration);
                false
            }
        }
    }

    /// A loop that moves by several cells leaves a pattern that only wider groups can fold.
    fn widen(&mut self, iteration: &[Unit]) {
        let mut moved = 0_i64;
        for unit in iteration {
            let &Unit::Block(key) = unit else { return };
            if let Some(Block::Work { op: Op::Shift(amount), .. }) =
                self.graph.block(BlockId::numbered((key >> 4) as u8))
            {
                moved += i64::from(amount);
            }
        }
        let width = self.state.hand.len();
        let moved = moved.unsigned_abs() as usize;
        if moved == 0 || width.is_multiple_of(moved) {
            return;
        }
        let wider = (1..=WIDEST / width).map(|n| n * width).find(|wider| wider.is_multiple_of(moved));
        let (Some(wider), Some(tape)) = (wider, self.tape(1 << 20)) else { return };
        self.state = folded(self.state.block, &tape, wider);
        self.rules.clear();
        self.begin.iter_mut().for_each(Vec::clear);
        self.units = Units::default();
    }
}

fn folded(block: BlockId, tape: &Tape, width: usize) -> State<i64> {
    let position = tape.position();
    let (first, last) = tape.bounds().unwrap_or((position, position));
    State::folded(block, position, first..last, |at| tape.at(at), width)
}

/// The most iterations, up to `iterations`, that take no more than `most` steps, and what they cost.
fn within(rules: &[Rule], rule: &Rule, variables: &[i64], iterations: u64, most: u64) -> (u64, Cost) {
    let cost = |iterations: u64| {
        let cost = of_iterations(rules, rule, variables, i64::try_from(iterations).ok()?)?;
        (cost.steps <= i128::from(most)).then_some(cost)
    };
    if let Some(cost) = cost(iterations) {
        return (iterations, cost);
    }
    let (mut fits, mut over) = (0, iterations);
    while over - fits > 1 {
        let middle = fits + (over - fits) / 2;
        if cost(middle).is_some() { fits = middle } else { over = middle }
    }
    (fits, cost(fits).unwrap_or_default())
}
