//! A method's graph as the model has it, for the capture.

use std::ops::Range;

use classfile::control_flow_graph as graph;
use classfile::instrument::blocks;
use classfile::line_table::LineTable;
use classfile::method::Method;
use classfile::modified_utf8::to_text;
use classfile::paths;
use classfile::{Code, ConstantPool, ControlFlowGraph, Opcode, Operand};
use formats::capture::paths as capture;
use formats::capture::words::block_flags;
use model::ClassId;
use model::code::{Block, CallKind, CallSite, Edge, EdgeKind, Ending, Loop};

/// The method with its blocks, edges and loops. Its class is left at 0.
pub(crate) fn method(
    pool: &ConstantPool<'_>,
    method: &Method<'_>,
    code: &Code<'_>,
    graph: &ControlFlowGraph,
) -> model::code::Method {
    let text = |index| pool.utf8(index).map_or_else(|_| "?".to_owned(), to_text);
    let lines = LineTable::of(code, pool);
    let blocks = graph.blocks.iter().map(|block| Block {
        start: block.start,
        end: block.end,
        lines: lines.lines_in(block.start, block.end),
        ending: ending(pool, code, block),
        is_handler: block.is_handler,
    });
    let edges = graph.edges.iter().map(|edge| Edge { from: edge.from, to: edge.to, kind: kind(edge.kind) });
    let mut exception_edges: Vec<(u32, u32)> =
        graph.exception_edges.iter().map(|edge| (edge.from, edge.to)).collect();
    exception_edges.dedup();
    model::code::Method {
        class: ClassId(0),
        name: text(method.name),
        descriptor: text(method.descriptor),
        access_flags: method.access_flags,
        blocks: blocks.collect(),
        edges: edges.collect(),
        exception_edges,
        loops: loops(graph),
    }
}

/// What the capture says of each block beyond the model. `covered`: the stretches of instructions (by
/// index) where an exception that leaves the method is recorded.
pub(crate) fn flags(code: &Code<'_>, graph: &ControlFlowGraph, covered: &[Range<usize>]) -> Vec<u8> {
    let is_whole = matches!(covered, [all] if *all == (0..code.instructions.len()));
    let flag = |(id, block): (u32, &graph::Block)| {
        let implied =
            block.ending == graph::Ending::Return && !blocks::return_is_recorded(code, graph, id, block);
        let from = code.index_at(block.start).unwrap_or(0);
        let inside = code.iter().enumerate().skip(from).take_while(|(_, (pc, _))| *pc < block.end);
        let throws = |(index, (_, op)): (usize, (u32, &classfile::Instruction))| {
            op.opcode.can_throw() && !covered.iter().any(|range| range.contains(&index))
        };
        let uncovered = !is_whole && { inside }.any(throws);
        (if implied { block_flags::RETURNS } else { 0 })
            | (if uncovered { block_flags::UNCOVERED } else { 0 })
    };
    (0..).zip(&graph.blocks).map(flag).collect()
}

/// What a reader needs to tell ways by their codes.
pub(crate) fn numbering(numbering: &paths::Numbering) -> Vec<u8> {
    let block = |block: &paths::NumberedBlock| capture::NumberedBlock {
        start: block.start,
        fresh: block.fresh,
        counted: block.counted,
        in_counted_loop: block.in_counted_loop,
        site: block.site,
        stop: block.stop,
        silent: block.silent,
    };
    let edge = |edge: &paths::NumberedEdge| capture::NumberedEdge {
        role: match edge.role {
            paths::EdgeRole::Through => capture::EdgeRole::Through,
            paths::EdgeRole::Cut => capture::EdgeRole::Cut,
            paths::EdgeRole::Turn => capture::EdgeRole::Turn,
            paths::EdgeRole::Silent => capture::EdgeRole::Silent,
        },
        value: edge.value,
    };
    let numbering = capture::Numbering {
        blocks: numbering.blocks.iter().map(block).collect(),
        edges: numbering.edges.iter().map(edge).collect(),
        handlers: numbering.handlers.clone(),
        entry: numbering.entry,
        codes: numbering.codes,
    };
    let mut out = Vec::new();
    numbering.put(&mut out);
    out
}

fn kind(kind: graph::EdgeKind) -> EdgeKind {
    match kind {
        graph::EdgeKind::Next => EdgeKind::Next,
        graph::EdgeKind::Jump => EdgeKind::Jump,
        graph::EdgeKind::Switch => EdgeKind::Switch,
    }
}

fn ending(pool: &ConstantPool<'_>, code: &Code<'_>, block: &graph::Block) -> Ending {
    match block.ending {
        graph::Ending::FallThrough => Ending::FallThrough,
        graph::Ending::Call => Ending::Call(call(pool, code, block.last)),
        graph::Ending::Jump => Ending::Jump,
        graph::Ending::Branch => Ending::Branch,
        graph::Ending::Switch => Ending::Switch,
        graph::Ending::Return => Ending::Return,
        graph::Ending::Throw => Ending::Throw,
        graph::Ending::Subroutine => Ending::Subroutine,
    }
}

fn call(pool: &ConstantPool<'_>, code: &Code<'_>, pc: u32) -> CallSite {
    let nobody = CallSite {
        class: String::new(),
        name: "?".to_owned(),
        descriptor: "?".to_owned(),
        kind: CallKind::Dynamic,
    };
    let Some(instruction) = code.instruction_at(pc) else { return nobody };
    let (index, kind) = match (&instruction.operand, instruction.opcode) {
        (Operand::Interface { method, .. }, _) => (*method, CallKind::Interface),
        (Operand::Dynamic { site, .. }, _) => (*site, CallKind::Dynamic),
        (Operand::Constant(index), Opcode::INVOKESTATIC) => (*index, CallKind::Static),
        (Operand::Constant(index), Opcode::INVOKESPECIAL) => (*index, CallKind::Special),
        (Operand::Constant(index), _) => (*index, CallKind::Virtual),
        _ => return nobody,
    };
    let Ok(member) = pool.member(index) else { return nobody };
    CallSite {
        class: member.class.map(to_text).unwrap_or_default().replace('/', "."),
        name: to_text(member.name),
        descriptor: to_text(member.descriptor),
        kind,
    }
}

/// Outer loops have smaller numbers than those inside them on both sides.
fn loops(graph: &ControlFlowGraph) -> Vec<Loop> {
    let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); graph.loops.loops.len()];
    for (block, _) in (0..).zip(&graph.blocks) {
        for id in graph.loops.around(block) {
            if let Some(list) = blocks.get_mut(id as usize) {
                list.push(block);
            }
        }
    }
    let each = graph.loops.loops.iter().zip(blocks);
    each.map(|(found, blocks)| Loop { head: found.header, blocks, parent: found.parent }).collect()
}
