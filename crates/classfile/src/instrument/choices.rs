//! Small choices: branches whose two ways meet again at once, with nothing between that could throw.
//!
//! The compiler iterations `a > b ? a : b` into a conditional move, as long as no more than one or two
//! values depend on the way that was taken. If `r` did as well it would keep the branch, which costs
//! more than all the rest where the processor cannot foresee it. So `r` gains its value by
//! arithmetic, before the branch and from what the branch is about to look at:
//!
//! ```text
//!   ifeq, ifne    r += one + ((x | -x) >> 31 & other - one)     all ones if x is not 0
//!   iflt, ifge    r += one + (x >> 31 & other - one)            all ones if x is below 0
//! ```

use super::push_int;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::{ControlFlowGraph, Ending};
use crate::error::Result;
use crate::instruction::Instruction;
use crate::opcode::Opcode;
use model::BlockId;
use model::code::EdgeKind;
use model::{EdgeRole, Numbering};

/// Bytes of an arm that is small.
const SMALL: u32 = 12;

/// The small choices of a method.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// By block.
    choices: Vec<(BlockId, Choice)>,
    /// The blocks between a choice and where its arms meet: nothing is inserted there.
    between: Vec<BlockId>,
}

/// What `r` gains where a block ends with a small choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    jump: Opcode,
    /// From the start of the block to where the arms meet, by the jump and by the next block.
    by_jump: i32,
    by_next: i32,
}

impl Choices {
    pub(super) fn of(code: &Code<'_>, graph: &ControlFlowGraph, numbering: &Numbering) -> Self {
        let mut coming = Vec::new();
        let mut choices = Self::default();
        for (id, block) in (0..).zip(&graph.blocks) {
            let Some(jump) = code.instruction_at(block.last).map(|last| last.opcode) else { continue };
            let is_known = (Opcode::IFEQ..=Opcode::IFGE).contains(&jump);
            if block.ending != Ending::Branch || !is_known || !graph.dominators.is_reachable(id) {
                continue;
            }
            if coming.is_empty() {
                coming = edges_to_each(graph);
            }
            let method = Method { graph, numbering, coming: &coming };
            let (mut by_jump, mut by_next) = (None, None);
            for (kind, to, value) in method.through(id) {
                let value_by = if kind == EdgeKind::Next { &mut by_next } else { &mut by_jump };
                *value_by = Some((to, value));
            }
            let (Some(by_jump), Some(by_next)) = (by_jump, by_next) else { continue };
            let one = [(by_jump, None), method.after(by_jump)];
            let other = [(by_next, None), method.after(by_next)];
            let pairs = one.iter().flat_map(|one| other.iter().map(move |other| (one, other)));
            let met = pairs.into_iter().find(|(one, other)| {
                one.0.0 == other.0.0 && (one.1.is_some() || other.1.is_some()) && one.0.0 != BlockId::MAX
            });
            if let Some((one, other)) = met {
                let choice = Choice { jump, by_jump: one.0.1, by_next: other.0.1 };
                choices.choices.push((id, choice));
                choices.between.extend([one.1, other.1].into_iter().flatten());
            }
        }
        choices.between.sort_unstable();
        choices
    }

    /// The choice that a block ends with.
    pub(super) fn at(&self, block: BlockId) -> Option<Choice> {
        let found = self.choices.binary_search_by_key(&block, |&(block, _)| block).ok()?;
        self.choices.get(found).map(|&(_, choice)| choice)
    }

    /// Whether a block lies between a choice and where its arms meet.
    pub(super) fn is_between(&self, block: BlockId) -> bool {
        self.between.binary_search(&block).is_ok()
    }
}

impl Choice {
    /// Puts together what is inserted before the jump, where `done` was added to `r` already.
    pub(super) fn put(
        self,
        r: u16,
        done: i32,
        run: &mut Vec<Instruction>,
        pool: &mut ConstantPool<'_>,
    ) -> Result<()> {
        // `ifeq` and `ifge` go on where the bits are all ones, the others jump there.
        let (without, with) = match self.jump {
            Opcode::IFEQ | Opcode::IFGE => (self.by_jump, self.by_next),
            _ => (self.by_next, self.by_jump),
        };
        if let Ok(by @ (..=-1 | 1..)) = i16::try_from(without - done) {
            run.push(Instruction::increment(r, by));
        }
        run.push(Opcode::DUP.into());
        if matches!(self.jump, Opcode::IFEQ | Opcode::IFNE) {
            run.extend([Opcode::DUP.into(), Opcode::INEG.into(), Opcode::IOR.into()]);
        }
        run.extend([Instruction::push_small(31), Opcode::ISHR.into()]);
        run.extend([push_int(with - without, pool)?, Opcode::IAND.into()]);
        run.extend([Instruction::with_local(Opcode::ILOAD, r), Opcode::IADD.into()]);
        run.push(Instruction::with_local(Opcode::ISTORE, r));
        Ok(())
    }
}

/// How many edges lead to each block.
fn edges_to_each(graph: &ControlFlowGraph) -> Vec<u32> {
    let mut coming = vec![0_u32; graph.blocks.len()];
    for edge in &graph.edges {
        if let Some(count) = coming.get_mut(at(edge.to)) {
            *count += 1;
        }
    }
    coming
}

struct Method<'m> {
    graph: &'m ControlFlowGraph,
    numbering: &'m Numbering,
    /// How many edges lead to each block.
    coming: &'m [u32],
}

impl Method<'_> {
    /// The edges that belong to arms: kind, target, value.
    fn through(&self, block: BlockId) -> impl Iterator<Item = (EdgeKind, BlockId, i32)> {
        let edges = self.graph.edges_out_of(block);
        let numbers = self.numbering.edges.get(edges).unwrap_or_default();
        let edges = self.graph.out_of(block).zip(numbers);
        edges
            .filter(|(_, number)| number.role == EdgeRole::Through)
            .map(|(edge, number)| (edge.kind, edge.to, number.value))
    }

    /// Where a path goes on after its first block, if that one is small: the block after it, the value
    /// up to there, and the small one.
    fn after(&self, (to, value): (BlockId, i32)) -> ((BlockId, i32), Option<BlockId>) {
        const NO_EDGE: ((BlockId, i32), Option<BlockId>) = ((BlockId::MAX, 0), None);
        let (Some(block), Some(number)) = (self.graph.blocks.get(at(to)), self.numbering.blocks.get(at(to)))
        else {
            return NO_EDGE;
        };
        let is_plain = !block.is_handler && !number.stop && !number.site && number.start.is_none();
        let is_simple = matches!(block.ending, Ending::Jump | Ending::FallThrough);
        if !is_plain || !is_simple || block.end - block.start > SMALL || self.coming.get(at(to)) != Some(&1) {
            return NO_EDGE;
        }
        match self.through(to).next() {
            Some((_, on, more)) => ((on, value + more), Some(to)),
            None => NO_EDGE,
        }
    }
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
