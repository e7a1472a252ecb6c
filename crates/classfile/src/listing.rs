//! Blocks, edges and loops of a class as text for people. A pure function of the class.
//!
//! ```text
//! Sums.total(I)I
//!   0  pc 0..4  lines 3-4  branch
//!      -> 1 next
//!      -> 2 jump
//!   loop 0: header 1, latches 3
//! ```

use std::fmt::Write;

use crate::class_file::ClassFile;
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::{Block, ControlFlowGraph, Ending};
use crate::error::Result;
use crate::modified_utf8;
use model::code::EdgeKind;

/// Names are cut here: a hostile class can repeat one name of 65,535 bytes in every line.
const LONGEST_NAME: usize = 300;

/// The listing of every method of a class. A method that cannot be read is listed with the reason.
pub fn class(class: &ClassFile<'_>) -> String {
    let mut out = String::new();
    for method in &class.methods {
        let pool = &class.constant_pool;
        let (owner, name) = (shown(pool.class_name(class.this_class)), shown(pool.utf8(method.name)));
        let _ = writeln!(out, "{owner}.{name}{}", shown(pool.utf8(method.descriptor)));
        match ControlFlowGraph::of(class, method) {
            Ok(Some(graph)) => out += &self::graph(&graph, pool),
            Ok(None) => out += "  no code\n",
            Err(error) => {
                let _ = writeln!(out, "  not understood: {error}");
            }
        }
    }
    out
}

/// The listing of one graph. The pool gives the names of the classes that are caught.
pub fn graph(graph: &ControlFlowGraph, pool: &ConstantPool<'_>) -> String {
    let mut out = String::new();
    let (mut edges, mut thrown) = (graph.edges.iter().peekable(), graph.exception_edges.iter().peekable());
    for (id, block) in (0..).zip(&graph.blocks) {
        let _ = write!(out, "  {id}  pc {}..{}", block.start, block.end);
        if !block.lines.is_empty() {
            let _ = write!(out, "  {}", lines(block));
        }
        let _ = write!(out, "  {}", ending(block.ending));
        if block.is_handler {
            out += "  handler";
        }
        if !graph.dominators.is_reachable(id) {
            out += "  unreachable";
        }
        out.push('\n');
        while let Some(edge) = edges.next_if(|edge| edge.from == id) {
            let kind = match edge.kind {
                EdgeKind::Next => "next",
                EdgeKind::Jump => "jump",
                EdgeKind::Switch => "switch",
            };
            let _ = writeln!(out, "     -> {} {kind}", edge.to);
        }
        while let Some(edge) = thrown.next_if(|edge| edge.from == id) {
            let caught = match edge.catch_type {
                0 => "any".to_owned(),
                index => shown(pool.class_name(index)),
            };
            let _ = writeln!(out, "     => {} on {caught}", edge.to);
        }
    }
    for (id, found) in graph.loops.loops.iter().enumerate() {
        let latches: Vec<String> = found.latches.iter().map(u32::to_string).collect();
        let _ = write!(out, "  loop {id}: header {}, latches {}", found.header, latches.join(" "));
        if let Some(parent) = found.parent {
            let _ = write!(out, ", inside loop {parent}");
        }
        out.push('\n');
    }
    for (from, to) in &graph.loops.irreducible {
        let _ = writeln!(out, "  irreducible cycle: {from} goes back to {to}");
    }
    out
}

/// A name for people, `?` where there is none.
pub(crate) fn shown(name: Result<&[u8]>) -> String {
    let name = name.unwrap_or(b"?");
    modified_utf8::to_text(name.get(..LONGEST_NAME).unwrap_or(name))
}

/// `line 3`, `lines 3-5`, `lines 9 3-4`.
fn lines(block: &Block) -> String {
    let parts: Vec<String> = block
        .lines
        .chunk_by(|left, right| left.checked_add(1) == Some(*right))
        .filter_map(|run| {
            let (first, last) = (run.first()?, run.last()?);
            Some(if first == last { first.to_string() } else { format!("{first}-{last}") })
        })
        .collect();
    let word = if block.lines.len() == 1 { "line" } else { "lines" };
    format!("{word} {}", parts.join(" "))
}

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::FallThrough => "falls through",
        Ending::Call(()) => "call",
        Ending::Jump => "jump",
        Ending::Branch => "branch",
        Ending::Switch => "switch",
        Ending::Return => "return",
        Ending::Throw => "throw",
        Ending::Subroutine => "subroutine",
    }
}
