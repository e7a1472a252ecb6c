//! What to insert into a method, and where.
//!
//! Inserted code is a straight run: no jumps, returns or throws. It leaves the stack as it found it
//! and may look at the top of it (at a handler the exception lies there). The caller guarantees
//! that its types are right, and that it assigns every new local at [`InsertionPoint::MethodEntry`]:
//! everywhere behind that, handlers included, the new locals are there.

use std::ops::Range;

use crate::code::Code;
use crate::control_flow_graph::ControlFlowGraph;
use crate::instruction::Instruction;
use crate::stack_map::VerificationType;
use model::code::{Edge, EdgeKind};

/// A point of a method where code can be inserted. All pcs are those of the original code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum InsertionPoint {
    /// Once for each call, before anything else; a jump to pc 0 does not pass it. No protected
    /// range of the method covers it.
    MethodEntry,
    /// Whenever the instruction at this pc is about to run, however it is reached. At the start of
    /// a block: on entry to the block. Protected exactly as the instruction is.
    Before(u32),
    /// When the instruction at this pc is reached from the one above it.
    FallThrough {
        /// The instruction that is reached.
        into: u32,
    },
    /// When the jump or switch at `at` goes to `to`.
    Jump {
        /// The jump.
        at: u32,
        /// Its target.
        to: u32,
    },
    /// When an exception leads to the handler at this pc (but not when it is reached in any other
    /// way). The exception is on top of the stack.
    HandlerEntry(u32),
}

impl InsertionPoint {
    /// The point that stands for an edge of a graph.
    pub fn of_edge(graph: &ControlFlowGraph, edge: &Edge) -> Option<Self> {
        let block = |id| usize::try_from(id).ok().and_then(|id| graph.blocks.get(id));
        let (from, to) = (block(edge.from)?, block(edge.to)?);
        Some(match edge.kind {
            EdgeKind::Next => Self::FallThrough { into: to.start },
            EdgeKind::Jump | EdgeKind::Switch => Self::Jump { at: from.last, to: to.start },
        })
    }
}

/// All that is inserted into one method. Runs for the same point follow each other in the order
/// in which they were added.
#[derive(Clone, Debug)]
pub struct Edits {
    /// All that is inserted, one run behind the other.
    code: Vec<Instruction>,
    /// Where in `code` the run for each point stands.
    runs: Vec<(InsertionPoint, Range<usize>)>,
    pub(crate) first_new_local: u16,
    pub(crate) new_locals: Vec<VerificationType>,
    catch_all: Option<Range<usize>>,
    pub(crate) catch_all_sees_new_locals: bool,
    catch_all_else: Option<Range<usize>>,
    /// See [`Edits::only_if`].
    condition: Option<Range<usize>>,
}

impl Edits {
    /// No edits yet for a method with this body.
    pub fn of(code: &Code<'_>) -> Self {
        Self {
            code: Vec::with_capacity(16 + code.instructions.len() / 2),
            runs: Vec::with_capacity(8 + code.instructions.len() / 8),
            first_new_local: code.max_locals,
            new_locals: Vec::new(),
            catch_all: None,
            catch_all_sees_new_locals: false,
            catch_all_else: None,
            condition: None,
        }
    }

    /// The method keeps its old body as well, and a call runs it unless this condition holds when it begins: a run that pushes
    /// one int, 0 where it does not hold. It sees the parameters.
    pub fn only_if(&mut self, condition: impl IntoIterator<Item = Instruction>) {
        self.condition = Some(self.append(condition));
    }

    /// The condition; none if the new body takes the place of the old one.
    pub(crate) fn condition(&self) -> Option<&[Instruction]> {
        self.condition.as_ref().map(|run| self.slice(run))
    }

    /// The runs of these edits, which have no locals and no catch-all, before those of others of the same method.
    pub(crate) fn followed_by(mut self, mut others: Edits) -> Edits {
        let shift = others.code.len();
        others.code.append(&mut self.code);
        let moved = self.runs.into_iter().map(|(point, run)| (point, run.start + shift..run.end + shift));
        others.runs.splice(0..0, moved);
        others
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.new_locals.is_empty() && self.catch_all.is_none()
    }

    /// What is inserted, in the order in which it was added.
    pub fn runs(&self) -> impl Iterator<Item = (InsertionPoint, &[Instruction])> {
        self.runs.iter().map(|(point, run)| (*point, self.slice(run)))
    }

    /// The run with this number.
    pub(crate) fn run(&self, number: usize) -> &[Instruction] {
        self.runs.get(number).map(|(_, run)| self.slice(run)).unwrap_or_default()
    }

    fn slice(&self, run: &Range<usize>) -> &[Instruction] {
        self.code.get(run.clone()).unwrap_or_default()
    }

    fn append(&mut self, run: impl IntoIterator<Item = Instruction>) -> Range<usize> {
        let start = self.code.len();
        self.code.extend(run);
        start..self.code.len()
    }

    /// What the catch-all does, if there is one.
    pub fn catch_all_run(&self) -> Option<&[Instruction]> {
        self.catch_all.as_ref().map(|run| self.slice(run))
    }

    /// Inserts a run of instructions.
    pub fn insert(&mut self, point: InsertionPoint, run: impl IntoIterator<Item = Instruction>) {
        let run = self.append(run);
        if !run.is_empty() {
            self.runs.push((point, run));
        }
    }

    /// A local variable behind those of the method; its slot. `None` if there are too many.
    pub fn new_local(&mut self, kind: VerificationType) -> Option<u16> {
        let taken = self.new_local_slots();
        let slot = u32::from(self.first_new_local) + taken;
        if slot + kind.slots() > u32::from(u16::MAX) {
            return None;
        }
        self.new_locals.push(kind);
        u16::try_from(slot).ok()
    }

    pub(crate) fn new_local_slots(&self) -> u32 {
        self.new_locals.iter().map(|kind| kind.slots()).sum()
    }

    /// Runs this code when an exception leaves the method, with the exception on the stack, and
    /// throws it on. What is inserted at the method's entry is not covered, and in a constructor
    /// nothing before the call of `super()` or `this()` is, for there `this` is no object yet. The
    /// code sees no local variable at all.
    pub fn catch_all(&mut self, run: impl IntoIterator<Item = Instruction>) {
        self.catch_all = Some(self.append(run));
    }

    /// The same, and the code sees the new locals. They stay alive for it wherever something can throw.
    pub fn catch_all_with_new_locals(&mut self, run: impl IntoIterator<Item = Instruction>) {
        self.catch_all(run);
        self.catch_all_sees_new_locals = true;
    }

    /// Puts a run before what the catch-all does, if there is one. It finds the exception on the stack and leaves it there,
    /// and sees the new locals.
    pub fn before_catch_all(&mut self, run: impl IntoIterator<Item = Instruction>) {
        if let Some(old) = self.catch_all.take() {
            let old = self.slice(&old).to_vec();
            self.catch_all = Some(self.append(run.into_iter().chain(old)));
            self.catch_all_sees_new_locals = true;
        }
    }

    /// What is done if the code of the catch-all fails itself, with that failure on the stack, which is
    /// thrown on. It sees what the catch-all sees.
    pub fn catch_all_else(&mut self, run: impl IntoIterator<Item = Instruction>) {
        self.catch_all_else = Some(self.append(run));
    }

    /// What is done if the catch-all fails, if there is anything.
    pub fn catch_all_else_run(&self) -> Option<&[Instruction]> {
        self.catch_all_else.as_ref().map(|run| self.slice(run))
    }
}
