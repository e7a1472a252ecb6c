//! A thread that walks through methods at random and runs what was inserted into them.

use capture::Encoding;
use classfile::{InsertionPoint, Opcode};
use model::BlockId;
use model::code::{EdgeKind, Ending};
use model::flow::{Entered, Left};

use super::program::{Body, Op, Program};

/// As if a word could hold fewer iterations than this, where it can hold fewer than 2^32 - 1: tests are short.
pub(super) const MOST_ITERATIONS: i32 = 3;

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Enter(u32, Entered),
    Block(BlockId),
    Catch(BlockId),
    Leave(Left),
}

pub(super) struct Simulator<'p> {
    program: &'p Program,
    random: u64,
    /// How much may still happen; then everything is thrown away.
    budget: u32,
    /// How many frames there may be before calls run nothing.
    deepest: usize,
    at: i32,
    /// What the catch-all could not record: `r` and iterations of frames.
    overflow_records: Vec<(i32, i32)>,
    fails_next: bool,
    /// A frame was left from before `super()`, and no record since shows it.
    died_bare: bool,
    /// The methods that run, the innermost last.
    open: Vec<usize>,
    words: Vec<u32>,
    boundaries: Vec<usize>,
    steps: Vec<Step>,
    /// Nothing is written any more: a loop had no end.
    killed: bool,
    /// Blocks that ran after the budget was spent.
    overtime: u32,
}

/// An exception on its way.
struct Thrown;

struct Locals(Vec<i32>);

impl<'p> Simulator<'p> {
    pub(super) fn new(program: &'p Program, seed: u64, budget: u32) -> Self {
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self {
            program,
            random,
            budget,
            deepest: 12,
            at: 1,
            overflow_records: Vec::new(),
            fails_next: false,
            died_bare: false,
            open: Vec::new(),
            words: Vec::new(),
            boundaries: vec![0],
            steps: Vec::new(),
            killed: false,
            overtime: 0,
        }
    }

    /// The same with so many frames.
    pub(super) fn deep(self, deepest: usize) -> Self {
        Self { deepest, ..self }
    }

    pub(super) fn words(&self) -> Vec<u32> {
        self.words.clone()
    }

    pub(super) fn steps(&self) -> Vec<Step> {
        self.steps.clone()
    }

    /// Some place between two records.
    pub(super) fn boundary(&self, seed: u64) -> usize {
        self.boundaries[usize::try_from(seed.wrapping_mul(7919)).unwrap() % self.boundaries.len()]
    }

    /// Whether it was ended in the middle.
    pub(super) fn killed(&self) -> bool {
        self.killed
    }

    pub(super) fn run(&mut self) {
        while self.budget > 0 && self.program.len() > 0 && !self.killed {
            let method = self.below(self.program.len());
            self.run_method(method);
        }
    }

    pub(super) fn run_method(&mut self, method: usize) {
        let _ = self.method(method, 0);
        // What would come now would seem to be called by it.
        self.killed |= self.died_bare;
        self.emit_overflow_records();
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random >> 11).unwrap() % limit.max(1)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn method(&mut self, id: usize, depth: usize) -> Result<(), Thrown> {
        self.open.push(id);
        let how = self.frame(id, depth);
        self.open.pop();
        how
    }

    fn frame(&mut self, id: usize, depth: usize) -> Result<(), Thrown> {
        let body = &self.program.bodies[id];
        let is_of_ends = body.encoding == Encoding::Calls;
        let mut locals = Locals(Vec::new());
        self.run_at(body, InsertionPoint::MethodEntry, &mut locals, true)?;
        let how = if depth == 0 { Entered::Outermost } else { Entered::Library };
        self.steps.push(Step::Enter(u32::try_from(id).unwrap(), how));
        let (mut block, mut caught) = (0, false);
        loop {
            match self.block(body, block, caught, depth, &mut locals) {
                Ok(Some(next)) => (block, caught) = (next, false),
                Ok(None) => {
                    self.steps.push(Step::Leave(Left::Returned));
                    return Ok(());
                }
                Err(_) if self.killed => return Err(Thrown),
                // No record says that such a method caught what left a constructor before `super()`.
                Err(pc) => match self.handler(body, pc).filter(|_| !self.died_bare || !is_of_ends) {
                    Some(handler) => (block, caught) = (handler, true),
                    None => {
                        if body.bare.contains(&pc) {
                            self.died_bare = true;
                            self.steps.push(Step::Leave(Left::Threw));
                        } else if let Some(run) = &body.catch_all {
                            if self.run_all(run, &mut locals, body.overflow.is_some(), None).is_err()
                                && let Some((code, iterations)) = body.overflow
                            {
                                let r = match code {
                                    Op::Push(code) => code,
                                    Op::Load(slot) => locals.get(slot),
                                    other => panic!("{other:?}"),
                                };
                                // The stack is still full where the exception goes on.
                                self.fails_next = self.one_in(2);
                                self.overflow_records
                                    .push((r, iterations.map_or(0, |slot| locals.get(slot))));
                            }
                            self.steps.push(Step::Leave(Left::Threw));
                        } else {
                            self.steps.push(Step::Leave(Left::Unseen));
                        }
                        return Err(Thrown);
                    }
                },
            }
        }
    }

    /// Runs a block; where it goes on, or where something was thrown.
    fn block(
        &mut self,
        body: &Body,
        id: BlockId,
        caught: bool,
        depth: usize,
        locals: &mut Locals,
    ) -> Result<Option<BlockId>, u32> {
        let block = &body.graph.blocks[id as usize];
        // Not where it is recorded already that more comes.
        let goes_on = body.graph.out_of(id).count() < 2 && !body.is_header[id as usize];
        self.overtime += u32::from(self.budget == 0);
        if self.overtime > 3000 && !goes_on {
            self.killed = true;
            return Err(0);
        }
        self.budget = self.budget.saturating_sub(1);
        let (of_blocks, of_paths) = (body.encoding == Encoding::Blocks, body.encoding == Encoding::Paths);
        let recorded_at = block.record_at.filter(|_| of_blocks && body.runs_at(id));
        if body.encoding == Encoding::Calls {
            // No block is recorded.
        } else if of_blocks {
            if recorded_at.is_none() && id == 0 {
                self.steps.push(Step::Block(id));
            }
        } else if caught && block.record_at == Some(block.start) {
            self.run_at(body, InsertionPoint::HandlerEntry(block.start), locals, true)
                .map_err(|Thrown| block.start)?;
            self.steps.push(Step::Catch(id));
        } else if !caught {
            self.steps.push(Step::Block(id));
        }
        let edges: Vec<_> = body.graph.out_of(id).collect();
        let edge = (!edges.is_empty()).then(|| edges[self.below(edges.len())]);
        for deed in &body.deeds[id as usize] {
            let is_bare = body.bare.contains(&deed.pc);
            // A block without room for its record would be missing between what led there and its handler.
            let may_fail = !is_bare && !of_blocks;
            // What a branch is about to look at lies on the stack: inserted code may look, too.
            let jumps = edge.filter(|_| deed.pc == block.last).map(|edge| edge.kind == EdgeKind::Jump);
            let seen = jumps.and_then(|jumps| self.seen_by(body.last[id as usize], jumps));
            self.run_over(body, InsertionPoint::Before(deed.pc), locals, may_fail, seen)
                .map_err(|Thrown| deed.pc)?;
            if recorded_at == Some(deed.pc) {
                self.steps.push(if caught { Step::Catch(id) } else { Step::Block(id) });
            }
            let is_late = block.record_at != Some(block.start);
            if of_paths && caught && block.record_at == Some(deed.pc) && is_late {
                self.steps.push(Step::Catch(id));
            }
            // A constructor that is left before `super()` while it runs further out, too, could be either.
            let runs = self.open.iter().filter(|&open| self.open.last() == Some(open)).count();
            let is_unclear = is_bare && runs > 1;
            if let Some(callee) = deed.sure {
                // It runs just this, once, or fails before that.
                if depth > self.deepest + 28 || self.one_in(if self.budget == 0 { 2 } else { 30 }) {
                    return Err(deed.pc);
                }
                if self.method(callee, depth + 1).is_err() {
                    return Err(deed.pc);
                }
                continue;
            }
            if deed.calls && depth < self.deepest && self.budget > 0 && !is_unclear {
                for _ in 0..self.below(3) {
                    let callee = self.below(self.program.len());
                    // A library between the two may catch what the callee throws; if it catches what it
                    // has no space to handle, blocks may be recorded after what they call; and nothing
                    // records it from a library that was called before `super()`.
                    let thrown = self.method(callee, depth + 1).is_err();
                    let pending = !self.overflow_records.is_empty() || self.died_bare;
                    if thrown && (self.killed || pending || !self.one_in(4)) {
                        return Err(deed.pc);
                    }
                }
            }
            if deed.throws && !is_unclear && self.one_in(if self.budget == 0 { 2 } else { 40 }) {
                return Err(deed.pc);
            }
        }
        if block.ending == Ending::Return {
            return Ok(None);
        }
        let Some(edge) = edge else {
            return Err(block.last); // athrow
        };
        let target = &body.graph.blocks[edge.to as usize];
        let position = match edge.kind {
            EdgeKind::Next => InsertionPoint::FallThrough { into: target.start },
            _ => InsertionPoint::Jump { at: block.last, to: target.start },
        };
        let may_fail = !body.bare.contains(&target.start);
        self.run_at(body, position, locals, may_fail).map_err(|Thrown| target.start)?;
        Ok(Some(edge.to))
    }

    fn handler(&mut self, body: &Body, pc: u32) -> Option<BlockId> {
        for row in body.handlers.iter().filter(|row| (row.start..row.end).contains(&pc)) {
            let wanted = self.budget > 0 || row.covers_itself();
            if wanted && (row.catch_type == 0 || self.one_in(2)) {
                return body.graph.block_at(row.handler);
            }
        }
        None
    }

    /// A number with which this branch jumps, or does not.
    fn seen_by(&mut self, branch: Opcode, jumps: bool) -> Option<i32> {
        let some = [1, -1, 77, -77, i32::MAX, i32::MIN][self.below(6)];
        let above = some & i32::MAX;
        Some(match (branch, jumps) {
            (Opcode::IFEQ, true) | (Opcode::IFNE, false) => 0,
            (Opcode::IFEQ, false) | (Opcode::IFNE, true) => some,
            (Opcode::IFLT, true) | (Opcode::IFGE, false) => some | i32::MIN,
            (Opcode::IFLT, false) | (Opcode::IFGE, true) => above,
            _ => return None,
        })
    }

    fn run_at(
        &mut self,
        body: &Body,
        position: InsertionPoint,
        locals: &mut Locals,
        may_fail: bool,
    ) -> Result<(), Thrown> {
        self.run_over(body, position, locals, may_fail, None)
    }

    /// Runs what is inserted at a place where the stack may hold something.
    fn run_over(
        &mut self,
        body: &Body,
        position: InsertionPoint,
        locals: &mut Locals,
        may_fail: bool,
        seen: Option<i32>,
    ) -> Result<(), Thrown> {
        let may_fail = may_fail && body.catch_all.is_some();
        match body.runs.get(&position) {
            Some(run) => self.run_all(run, locals, may_fail, seen),
            None => Ok(()),
        }
    }

    fn run_all(
        &mut self,
        run: &[Op],
        locals: &mut Locals,
        may_fail: bool,
        seen: Option<i32>,
    ) -> Result<(), Thrown> {
        let mut stack: Vec<i32> = seen.into_iter().collect();
        for op in run {
            match *op {
                Op::Push(value) => stack.push(value),
                Op::Load(slot) => stack.push(locals.get(slot)),
                Op::Store(slot) => locals.set(slot, stack.pop().unwrap()),
                Op::Add(slot, value) => locals.set(slot, locals.get(slot) + value),
                Op::RecordWhere => {
                    self.at = stack.pop().unwrap();
                    stack.pop().unwrap();
                }
                Op::Here => stack.push(0),
                Op::Begin => {
                    if may_fail && (std::mem::take(&mut self.fails_next) || self.one_in(150)) {
                        return Err(Thrown);
                    }
                    let r = stack.pop().unwrap();
                    self.record("first", &[r]);
                    stack.push(0);
                }
                Op::Dup => stack.push(*stack.last().unwrap()),
                Op::Neg => {
                    let value = stack.pop().unwrap();
                    stack.push(value.wrapping_neg());
                }
                Op::Or | Op::And | Op::Shr | Op::Plus => {
                    let (right, left) = (stack.pop().unwrap(), stack.pop().unwrap());
                    stack.push(match op {
                        Op::Or => left | right,
                        Op::And => left & right,
                        Op::Shr => left >> right,
                        _ => left + right,
                    });
                }
                Op::Record(name, buffer, numbers) => {
                    // The stack overflows in the recorder, before it has stored anything.
                    if may_fail && (std::mem::take(&mut self.fails_next) || self.one_in(150)) {
                        return Err(Thrown);
                    }
                    let numbers = stack.split_off(stack.len() - numbers);
                    if buffer {
                        stack.pop().unwrap();
                    }
                    self.record(name, &numbers);
                }
            }
        }
        assert_eq!(stack, Vec::from_iter(seen));
        Ok(())
    }

    /// As the recorder's class does it.
    fn record(&mut self, name: &str, numbers: &[i32]) {
        self.emit_overflow_records();
        let r = numbers[0];
        let words = match name {
            "path" | "cut" | "rec" | "unwind" => vec![r],
            "first" | "last" | "whole" if self.at == 1 => vec![r],
            "first" | "last" | "whole" => vec![r | 1 << 30, self.at],
            "counted" => vec![r | 1 << 30, self.many(r, numbers[1])],
            "firstCounted" | "wholeCounted" => vec![r | 2 << 30, self.at, self.many(r, numbers[1])],
            "thrown" if numbers.len() == 2 => vec![r | 2 << 30, numbers[1], self.at],
            "thrown" => vec![r | 3 << 30, numbers[1], self.at, self.many(numbers[1], numbers[2])],
            other => panic!("{other}"),
        };
        if !matches!(name, "path" | "last" | "whole" | "wholeCounted" | "rec" | "unwind") {
            self.at = 1;
        }
        self.put(&words);
    }

    /// As the slow path does it, before the next record and when the thread ends.
    fn emit_overflow_records(&mut self) {
        for (r, iterations) in std::mem::take(&mut self.overflow_records) {
            let at = std::mem::replace(&mut self.at, 1);
            let iterations = self.many(r, iterations);
            self.put(&[1 | 3 << 30, r, at, iterations]);
        }
    }

    /// Records the iterations that one word cannot hold, and returns what remains for it.
    fn many(&mut self, r: i32, iterations: i32) -> i32 {
        if iterations >= MOST_ITERATIONS {
            self.put(&[1 | 2 << 30, r, iterations / MOST_ITERATIONS]);
        }
        iterations % MOST_ITERATIONS + 1
    }

    fn put(&mut self, words: &[i32]) {
        self.words.extend(words.iter().map(|word| u32::from_ne_bytes(word.to_ne_bytes())));
        self.boundaries.push(self.words.len());
        self.died_bare = false;
    }
}

impl Locals {
    fn get(&self, slot: u16) -> i32 {
        self.0.get(usize::from(slot)).copied().expect("a local that was assigned")
    }

    fn set(&mut self, slot: u16, value: i32) {
        let slot = usize::from(slot);
        if self.0.len() <= slot {
            self.0.resize(slot + 1, i32::MIN / 2);
        }
        self.0[slot] = value;
    }
}
