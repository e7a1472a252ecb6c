//! A method's graph as the capture has it.
//!
//! The program waits while this is written, so nothing is put together that is not kept.

use std::borrow::Cow;

use capture::paths::put_numbering;
use capture::words::block_flags;
use capture::{BlockParts, CallParts, Encoding, MethodHead, MethodWriter};
use classfile::control_flow_graph as graph;
use classfile::instrument::{Subject, blocks};
use classfile::line_table::LineTable;
use classfile::modified_utf8::to_text;
use classfile::{Code, ConstantPool, ControlFlowGraph, Opcode, Operand};
use model::Numbering;
use model::code::{CallKind, Ending};

/// How a method is recorded.
#[derive(Clone, Copy)]
pub(crate) struct Recorded<'n> {
    pub(crate) first: u32,
    pub(crate) owned: u32,
    pub(crate) encoding: Encoding,
    pub(crate) numbering: Option<&'n Numbering>,
}

/// Appends the method with its blocks, edges and loops.
pub(crate) fn method(subject: &Subject<'_, '_>, recorded: Recorded<'_>, out: &mut Vec<u8>) {
    let Subject { method, code, graph, covered, .. } = *subject;
    let pool = &*subject.pool;
    let text_at = |index| pool.utf8(index).map_or(Cow::Borrowed(&b"?"[..]), text);
    let mut numbering = Vec::new();
    recorded.numbering.iter().for_each(|paths| put_numbering(paths, &mut numbering));
    let head = MethodHead {
        name: &text_at(method.name),
        descriptor: &text_at(method.descriptor),
        access_flags: method.access_flags,
        first: recorded.first,
        owned: recorded.owned,
        encoding: recorded.encoding,
        numbering: &numbering,
        blocks: graph.blocks.len(),
    };
    let mut writer = MethodWriter::new(out, head);
    let table = LineTable::of(code, pool);
    let mut lines = Vec::with_capacity(16);
    let is_whole = matches!(covered, [all] if *all == (0..code.instructions.len()));
    for (id, block) in (0..).zip(&graph.blocks) {
        let ending = block.ending.map_call(|()| Call::at(pool, code, block.last));
        table.put_lines_in(block.start, block.end, &mut lines);
        writer.block(BlockParts {
            start: block.start,
            end: block.end,
            flags: flags(subject, id, block) | if is_whole { 0 } else { uncovered(subject, block) },
            is_handler: block.is_handler,
            ending: ending.map_call(Call::parts),
            lines: &lines,
        });
    }
    writer.edges(graph.edges.iter().map(|edge| (edge.from, edge.to, edge.kind)));
    let mut to_handlers: Vec<(u32, u32)> =
        graph.exception_edges.iter().map(|edge| (edge.from, edge.to)).collect();
    to_handlers.dedup();
    writer.exception_edges(&to_handlers);
    loops(graph, &mut writer);
}

/// The flags that the capture has of a block beyond the model, whatever is covered.
fn flags(subject: &Subject<'_, '_>, id: u32, block: &graph::Block) -> u8 {
    let Subject { code, graph, throwing, .. } = *subject;
    let implied =
        block.ending == Ending::Return && !blocks::return_is_recorded((code, throwing), graph, id, block);
    if implied { block_flags::RETURNS } else { 0 }
}

/// Whether an exception that leaves the method here may not be recorded.
fn uncovered(subject: &Subject<'_, '_>, block: &graph::Block) -> u8 {
    let Subject { code, covered, throwing, .. } = *subject;
    let from = code.index_at(block.start).unwrap_or(0);
    let inside = code.iter().enumerate().skip(from).take_while(|(_, (pc, _))| *pc < block.end);
    let throws = |(index, _)| throwing.contains(index) && !covered.iter().any(|range| range.contains(&index));
    if { inside }.any(throws) { block_flags::UNCOVERED } else { 0 }
}

/// The text in UTF-8, which nearly every name is already.
fn text(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.is_ascii() { Cow::Borrowed(bytes) } else { Cow::Owned(to_text(bytes).into_bytes()) }
}

/// Whom a call names, as it stands in the class file.
struct Call<'p> {
    class: Cow<'p, [u8]>,
    name: Cow<'p, [u8]>,
    descriptor: Cow<'p, [u8]>,
    kind: CallKind,
}

impl<'p> Call<'p> {
    fn at(pool: &'p ConstantPool<'_>, code: &Code<'_>, pc: u32) -> Self {
        Self::named(pool, code, pc).unwrap_or(Self {
            class: Cow::Borrowed(b""),
            name: Cow::Borrowed(b"?"),
            descriptor: Cow::Borrowed(b"?"),
            kind: CallKind::Dynamic,
        })
    }

    fn parts(&self) -> CallParts<'_> {
        let Self { class, name, descriptor, kind } = self;
        CallParts { class, has_slashes: true, name, descriptor, kind: *kind }
    }

    fn named(pool: &'p ConstantPool<'_>, code: &Code<'_>, pc: u32) -> Option<Self> {
        let instruction = code.instruction_at(pc)?;
        let (index, kind) = match (&instruction.operand, instruction.opcode) {
            (Operand::Interface { method, .. }, _) => (*method, CallKind::Interface),
            (Operand::Dynamic { site, .. }, _) => (*site, CallKind::Dynamic),
            (Operand::Constant(index), Opcode::INVOKESTATIC) => (*index, CallKind::Static),
            (Operand::Constant(index), Opcode::INVOKESPECIAL) => (*index, CallKind::Special),
            (Operand::Constant(index), _) => (*index, CallKind::Virtual),
            _ => return None,
        };
        let member = pool.member(index).ok()?;
        let (class, name) = (text(member.class.unwrap_or_default()), text(member.name));
        Some(Self { class, name, descriptor: text(member.descriptor), kind })
    }
}

/// Outer loops have smaller numbers than those inside them on both sides.
fn loops(graph: &ControlFlowGraph, writer: &mut MethodWriter<'_>) {
    let all = &graph.loops.loops;
    writer.loops(all.len());
    if all.is_empty() {
        return;
    }
    let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); all.len()];
    for (block, _) in (0..).zip(&graph.blocks) {
        for id in graph.loops.enclosing(block) {
            if let Some(list) = blocks.get_mut(id as usize) {
                list.push(block);
            }
        }
    }
    for (found, blocks) in all.iter().zip(&blocks) {
        writer.one_loop(found.header, found.parent, blocks);
    }
}
