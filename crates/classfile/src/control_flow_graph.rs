//! The basic blocks of a method, the edges between them and their loops.
//!
//! A block is a segment of instructions that is entered at its first one only. Besides jumps,
//! switches, returns and throws, a call ends a block: so a recorder that notes blocks also notes
//! when the callee came back. Handlers start blocks. Protected ranges do not split blocks; a block
//! has an exception edge to every handler that protects some instruction of it, and such edges are
//! kept apart from the others because the recorder and the reader treat them differently. A
//! subroutine's `ret` has no edge: its way back is not known without the stack.
//! Blocks are numbered in the order of the code, so block 0 begins at pc 0.

use std::ops::Range;

use model::BlockId;
use model::code::{Edge, EdgeKind};

use crate::class_file::ClassFile;
use crate::code::Code;
use crate::dominators::Dominators;
use crate::error::{Error, Result};
use crate::instruction::{Instruction, Operand};
use crate::limits::{MAX_EXCEPTION_EDGES, MAX_EXCEPTION_WORK};
use crate::line_table::LineTable;
use crate::method::Method;
use crate::natural_loops::NaturalLoops;
use crate::opcode::Opcode;

/// How a block ends; whom a call names stands in the constant pool.
pub type Ending = model::code::Ending<()>;

/// The graph of one method body.
#[derive(Clone, Debug)]
pub struct ControlFlowGraph {
    /// The blocks by number.
    pub blocks: Vec<Block>,
    /// Ordinary edges, by source, in the order: next block, jump, arms of a switch.
    pub edges: Vec<Edge>,
    /// Edges from blocks to handlers that protect them, by source, first match first.
    pub exception_edges: Vec<ExceptionEdge>,
    /// Which block is passed on every way to which.
    pub dominators: Dominators,
    /// The loops, found on the ordinary edges.
    pub loops: NaturalLoops,
    /// Where the edges of each block begin, and where the last ones end.
    first_edges: Vec<u32>,
}

/// One basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// First pc.
    pub start: u32,
    /// First pc behind it.
    pub end: u32,
    /// The pc of its last instruction.
    pub last: u32,
    /// How it ends.
    pub ending: Ending,
    /// Whether some row of the exception table leads here.
    pub is_handler: bool,
    /// The source lines in the order of the code.
    pub lines: Vec<u16>,
    /// Where a recorder may note that this block runs: its first pc, or for a block that is
    /// protected by a handler which is this very block, the first pc behind that protection. Code
    /// inserted inside would loop for ever if it threw, where the original could not throw.
    /// `None` if the whole block protects itself.
    pub record_at: Option<u32>,
}

/// A way from block to handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExceptionEdge {
    /// The block in which something throws.
    pub from: BlockId,
    /// The handler.
    pub to: BlockId,
    /// Constant index of the class that is caught, 0 for any.
    pub catch_type: u16,
}

impl ControlFlowGraph {
    /// The graph of a method; `None` for abstract and native ones.
    pub fn of(class: &ClassFile<'_>, method: &Method<'_>) -> Result<Option<Self>> {
        let Some(code) = class.code(method)? else { return Ok(None) };
        let lines = LineTable::of(&code, &class.constant_pool);
        Self::of_code(&code, &lines).map(Some)
    }

    /// The graph of a body.
    pub fn of_code(code: &Code<'_>, lines: &LineTable) -> Result<Self> {
        let (mut blocks, block_at) = find_blocks(code, lines);
        let (edges, first_edges) = find_edges(code, &blocks, &block_at);
        let exception_edges = find_exception_edges(code, &blocks)?;
        for row in &code.handlers {
            if row.covers_itself() {
                postpone_recording(code, &mut blocks, row.handler, row.end);
            }
        }
        let ends = edges.iter().map(|edge| (edge.from, edge.to));
        let all = ends.clone().chain(exception_edges.iter().map(|edge| (edge.from, edge.to)));
        let dominators = Dominators::of(blocks.len(), all.clone());
        let loops = NaturalLoops::of(&dominators, ends, all);
        Ok(Self { blocks, edges, exception_edges, dominators, loops, first_edges })
    }

    /// The ordinary edges that leave a block.
    pub fn out_of(&self, block: BlockId) -> impl Iterator<Item = &Edge> {
        self.edges.get(self.edges_out_of(block)).unwrap_or_default().iter()
    }

    /// The numbers of the ordinary edges that leave a block; no others lie between.
    pub fn edges_out_of(&self, block: BlockId) -> Range<usize> {
        let at = usize::try_from(block).unwrap_or(usize::MAX);
        let Some([first, end, ..]) = self.first_edges.get(at..) else { return 0..0 };
        usize::try_from(*first).unwrap_or(0)..usize::try_from(*end).unwrap_or(0)
    }

    /// The block that contains a pc.
    pub fn block_at(&self, pc: u32) -> Option<BlockId> {
        block_at(&self.blocks, pc)
    }
}

fn block_at(blocks: &[Block], pc: u32) -> Option<BlockId> {
    let after = blocks.partition_point(|block| block.start <= pc);
    let index = after.checked_sub(1)?;
    blocks.get(index).filter(|block| pc < block.end).and_then(|_| BlockId::try_from(index).ok())
}

/// The blocks, and by the pc of a block's first instruction its number.
fn find_blocks(code: &Code<'_>, lines: &LineTable) -> (Vec<Block>, Vec<BlockId>) {
    const LEADER: u32 = 1;
    const HANDLER: u32 = 2;
    // By pc, and where the code ends.
    let mut marks = vec![0_u32; usize::try_from(code.length()).unwrap_or(0) + 1];
    let mut mark = |pc: u32, kind: u32| {
        if let Some(mark) = usize::try_from(pc).ok().and_then(|pc| marks.get_mut(pc)) {
            *mark |= kind;
        }
    };
    code.handlers.iter().for_each(|row| mark(row.handler, LEADER | HANDLER));
    code.instructions.iter().flat_map(Instruction::targets).for_each(|target| mark(target, LEADER));
    mark(code.length(), LEADER);
    let mut blocks: Vec<Block> = Vec::with_capacity(code.instructions.len() / 4 + 2);
    let (mut start, mut is_handler) = (0, marks.first().is_some_and(|mark| mark & HANDLER != 0));
    let mut ends = code.pcs.iter().skip(1);
    for (pc, instruction) in code.iter() {
        let Some(&end) = ends.next() else { break };
        let ending = ending(instruction.opcode);
        let next = usize::try_from(end).ok().and_then(|end| marks.get(end)).copied().unwrap_or(0);
        if ending != Ending::FallThrough || next & LEADER != 0 {
            // Behind here nobody asks for marks any more, so the number of the block takes their place.
            let number = BlockId::try_from(blocks.len()).unwrap_or(BlockId::MAX);
            if let Some(mark) = usize::try_from(start).ok().and_then(|start| marks.get_mut(start)) {
                *mark = number;
            }
            let lines = lines.lines_in(start, end);
            blocks.push(Block { start, end, last: pc, ending, is_handler, lines, record_at: Some(start) });
            (start, is_handler) = (end, next & HANDLER != 0);
        }
    }
    (blocks, marks)
}

fn ending(opcode: Opcode) -> Ending {
    match opcode {
        Opcode::GOTO | Opcode::GOTO_W => Ending::Jump,
        Opcode::ATHROW => Ending::Throw,
        _ if opcode.is_call() => Ending::Call(()),
        _ if opcode.is_conditional_jump() => Ending::Branch,
        _ if opcode.is_switch() => Ending::Switch,
        _ if opcode.is_return() => Ending::Return,
        _ if opcode.is_subroutine() => Ending::Subroutine,
        _ => Ending::FallThrough,
    }
}

/// The edges, and where those of each block begin. `block_at`: by the pc where a block begins its number.
fn find_edges(code: &Code<'_>, blocks: &[Block], block_at: &[BlockId]) -> (Vec<Edge>, Vec<u32>) {
    let mut edges = Vec::with_capacity(blocks.len() + blocks.len() / 2);
    let mut first_edges = Vec::with_capacity(blocks.len() + 1);
    let count = |edges: &Vec<Edge>| u32::try_from(edges.len()).unwrap_or(u32::MAX);
    let mut targets: Vec<u32> = Vec::new();
    for (from, block) in (0..).zip(blocks) {
        first_edges.push(count(&edges));
        let Some(last) = code.instruction_at(block.last) else { continue };
        // Whatever is led to begins a block; only the end of the code does not.
        let mut push = |pc: u32, kind| {
            let to = usize::try_from(pc).ok().and_then(|pc| block_at.get(pc)).copied();
            if let Some(to) = to.filter(|_| pc < code.length()) {
                edges.push(Edge { from, to, kind });
            }
        };
        // After a subroutine the block behind its `jsr` runs, if the subroutine returns.
        let returns_here = last.opcode.is_subroutine() && last.opcode != Opcode::RET;
        if last.opcode.falls_through() || returns_here {
            push(block.end, EdgeKind::Next);
        }
        match &last.operand {
            Operand::Jump(target) => push(*target, EdgeKind::Jump),
            Operand::Switch(_) => {
                targets.clear();
                targets.extend(last.targets());
                targets.sort_unstable();
                targets.dedup();
                targets.iter().for_each(|&target| push(target, EdgeKind::Switch));
            }
            _ => {}
        }
    }
    first_edges.push(count(&edges));
    (edges, first_edges)
}

fn find_exception_edges(code: &Code<'_>, blocks: &[Block]) -> Result<Vec<ExceptionEdge>> {
    let too_many = |limit| Error::TooMany { what: "exception edges", limit };
    let (mut edges, mut work) = (Vec::new(), 0);
    for (order, row) in code.handlers.iter().enumerate() {
        let Some(to) = block_at(blocks, row.handler) else { continue };
        let first = blocks.partition_point(|block| block.end <= row.start);
        for (from, block) in (0..).zip(blocks).skip(first) {
            if block.start >= row.end {
                break;
            }
            work += 1;
            if work > MAX_EXCEPTION_WORK {
                return Err(too_many(MAX_EXCEPTION_WORK));
            }
            edges.push((from, order, ExceptionEdge { from, to, catch_type: row.catch_type }));
        }
        // A hostile table of rows that say the same shall not fill the memory.
        if edges.len() > 2 * MAX_EXCEPTION_EDGES {
            first_of_each(&mut edges);
            if edges.len() > MAX_EXCEPTION_EDGES {
                return Err(too_many(MAX_EXCEPTION_EDGES));
            }
        }
    }
    first_of_each(&mut edges);
    if edges.len() > MAX_EXCEPTION_EDGES {
        return Err(too_many(MAX_EXCEPTION_EDGES));
    }
    Ok(edges.into_iter().map(|(_, _, edge)| edge).collect())
}

/// Keeps each edge once, for the first row that makes it; by source and row.
fn first_of_each(edges: &mut Vec<(BlockId, usize, ExceptionEdge)>) {
    edges.sort_unstable_by_key(|&(from, order, edge)| (from, edge, order));
    edges.dedup_by_key(|&mut (_, _, edge)| edge);
    edges.sort_unstable_by_key(|&(from, order, _)| (from, order));
}

/// Moves the place for recording behind the segment in which the block at `handler` protects itself.
fn postpone_recording(code: &Code<'_>, blocks: &mut [Block], handler: u32, protected_to: u32) {
    let Some(id) = block_at(blocks, handler).and_then(|id| usize::try_from(id).ok()) else { return };
    let Some(block) = blocks.get_mut(id) else { return };
    let Some(at) = block.record_at else { return };
    block.record_at = if protected_to < block.end && code.index_at(protected_to).is_some() {
        Some(at.max(protected_to))
    } else {
        None
    };
}
