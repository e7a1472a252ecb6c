//! Counted loops that cannot make more iterations than an int can count.
//!
//! Such a loop steps an int by one in each iteration and leaves when that int compares with something that
//! stays the same:
//!
//! ```text
//!   for (int i = 0; i < list.length; i++)        i takes each value once before it comes again, so for one
//!   while (n-- > 0)                              of at most 2^32 - 1 iterations the comparison has failed
//!   for (int i = 0; i <= n; i++)                 not this one: n may be the greatest int there is
//! ```
//!
//! Anything else may go on for longer, and is counted with a long.

use crate::code::Code;
use crate::control_flow_graph::{ControlFlowGraph, Ending};
use crate::instruction::{Instruction, Operand};
use crate::opcode::Opcode;
use model::BlockId;
use model::code::EdgeKind;

/// Whether a loop with this one path through it makes at most 2^32 - 1 iterations.
pub(super) fn is_bounded(code: &Code<'_>, graph: &ControlFlowGraph, iteration: &[BlockId]) -> bool {
    let each = || iteration.iter().map(|&block| instructions(code, graph, block));
    let written: Vec<(u16, Option<i16>)> = each().flatten().filter_map(written).collect();
    let is_stepped = |slot: u16| {
        let mut writes = written.iter().filter(|(other, _)| *other == slot);
        matches!((writes.next(), writes.next()), (Some((_, Some(-1 | 1))), None))
    };
    let is_unchanged = |slot: u16| !written.iter().any(|(other, _)| *other == slot);
    iteration.iter().any(|&block| {
        let list = instructions(code, graph, block);
        let Some(Stays { with_0, strict, operands }) = stays_while(graph, iteration, block, list) else {
            return false;
        };
        let is_it = |list: &[Instruction]| list.last().and_then(loaded).is_some_and(is_stepped);
        if with_0 {
            return is_it(operands);
        }
        let compared = match operands.split_last() {
            Some((last, before)) if loaded(last).is_some_and(is_stepped) => fixed(before, is_unchanged),
            _ => fixed(operands, is_unchanged).filter(|(before, _)| is_it(before)),
        };
        compared.is_some_and(|(_, is_middling)| strict || is_middling)
    })
}

/// A comparison that may lead out of a loop.
struct Stays<'c> {
    /// With 0, not of two ints.
    with_0: bool,
    /// The loop is left if both are equal, or unless they are, or if they are.
    strict: bool,
    /// What stands in the block before the jump.
    operands: &'c [Instruction],
}

fn instructions<'c>(code: &'c Code<'_>, graph: &ControlFlowGraph, block: BlockId) -> &'c [Instruction] {
    let index = |pc| code.boundary_at(pc).unwrap_or(0);
    let block = graph.blocks.get(usize::try_from(block).unwrap_or(usize::MAX));
    block.and_then(|block| code.instructions.get(index(block.start)..index(block.end))).unwrap_or_default()
}

/// The comparison of ints that the block ends with, if one path leads out.
fn stays_while<'c>(
    graph: &ControlFlowGraph,
    iteration: &[BlockId],
    block: BlockId,
    list: &'c [Instruction],
) -> Option<Stays<'c>> {
    let (jump, operands) = list.split_last()?;
    let ending = graph.blocks.get(usize::try_from(block).ok()?)?.ending;
    let op = jump.opcode;
    let of_two = (Opcode::IF_ICMPEQ..=Opcode::IF_ICMPLE).contains(&op);
    let with_0 = (Opcode::IFEQ..=Opcode::IFLE).contains(&op);
    let mut inside = graph.out_of(block).filter(|edge| iteration.contains(&edge.to));
    let stays_by_jump = inside.next()?.kind == EdgeKind::Jump;
    let leads_out = inside.next().is_none() && graph.out_of(block).count() == 2;
    if ending != Ending::Branch || !(of_two || with_0) || !leads_out {
        return None;
    }
    let is_equality = matches!(op, Opcode::IF_ICMPEQ | Opcode::IF_ICMPNE);
    let jumps_if_equal = matches!(op, Opcode::IF_ICMPLE | Opcode::IF_ICMPGE);
    Some(Stays { with_0, strict: is_equality || jumps_if_equal != stays_by_jump, operands })
}

/// Whether the last instructions push an int that stays the same: those before them, and whether it is
/// neither the greatest nor the least int.
fn fixed(operands: &[Instruction], is_unchanged: impl Fn(u16) -> bool) -> Option<(&[Instruction], bool)> {
    let (last, before) = operands.split_last()?;
    match last.opcode {
        Opcode::BIPUSH | Opcode::SIPUSH => Some((before, true)),
        op if (Opcode::ICONST_M1..=Opcode::ICONST_5).contains(&op) => Some((before, true)),
        Opcode::LDC | Opcode::LDC_W => Some((before, false)),
        Opcode::ARRAYLENGTH => {
            let (array, before) = before.split_last()?;
            object(array).filter(|&slot| is_unchanged(slot)).map(|_| (before, false))
        }
        _ => loaded(last).filter(|&slot| is_unchanged(slot)).map(|_| (before, false)),
    }
}

/// The local that an int is loaded from.
fn loaded(instruction: &Instruction) -> Option<u16> {
    of(instruction, Opcode::ILOAD, Opcode::ILOAD_0)
}

/// The local that an object is loaded from.
fn object(instruction: &Instruction) -> Option<u16> {
    of(instruction, Opcode::ALOAD, Opcode::ALOAD_0)
}

fn of(instruction: &Instruction, long: Opcode, short: Opcode) -> Option<u16> {
    match instruction.operand {
        Operand::Local { slot, .. } if instruction.opcode == long => Some(slot),
        _ => instruction.opcode.0.checked_sub(short.0).filter(|&slot| slot < 4).map(u16::from),
    }
}

/// The local that an instruction changes, and by how much if it adds. The second of two slots is left out:
/// an int that is compared does not lie there.
fn written(instruction: &Instruction) -> Option<(u16, Option<i16>)> {
    let op = instruction.opcode;
    match instruction.operand {
        Operand::Increment { slot, by, .. } => Some((slot, Some(by))),
        Operand::Local { slot, .. } if (Opcode::ISTORE..=Opcode::ASTORE).contains(&op) => Some((slot, None)),
        _ if (Opcode::ISTORE_0..=Opcode::ASTORE_3).contains(&op) => {
            Some((u16::from((op.0 - Opcode::ISTORE_0.0) % 4), None))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class_builder::ClassBuilder;
    use crate::class_file::ClassFile;
    use crate::code_builder::CodeBuilder;
    use crate::instrument;

    /// `while (OPERANDS, not JUMP) { locals[0] += step; locals[1] += other }`, and whether it is bounded.
    fn of(operands: &[Instruction], jump: Opcode, step: i16, other: i16) -> bool {
        let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
        let mut code = CodeBuilder::new(2, 4);
        let (head, out) = (code.label(), code.label());
        code.mark(head);
        for op in operands {
            code.op(op.clone());
        }
        code.jump(jump, out).op(Instruction::increment(0, step));
        if other != 0 {
            code.op(Instruction::increment(1, other));
        }
        code.jump(Opcode::GOTO, head).mark(out).op(Opcode::RETURN);
        class.method(9, b"m", b"(II[I)V", Some(&code), &[]).unwrap();
        let bytes = class.finish();
        let class = ClassFile::parse(&bytes).unwrap();
        let bodies = instrument::bodies(&class);
        let body = bodies[0].as_ref().unwrap().as_ref().unwrap();
        is_bounded(&body.code, &body.graph, &[0, 1])
    }

    #[test]
    fn what_bounds_a_loop() {
        let int = |slot| Instruction::with_local(Opcode::ILOAD, slot);
        let (i, n) = (int(0), int(1));
        let list = [Opcode::ALOAD_2.into(), Opcode::ARRAYLENGTH.into()];
        let ten = Instruction::push_small(10);
        // while (i < n), (n > i), (i != n), (i < list.length), (i < 10), (i <= 10), (i >= 0)
        assert!(of(&[i.clone(), n.clone()], Opcode::IF_ICMPGE, 1, 0));
        assert!(of(&[n.clone(), i.clone()], Opcode::IF_ICMPLE, 1, 0));
        assert!(of(&[i.clone(), n.clone()], Opcode::IF_ICMPEQ, -1, 0));
        assert!(of(&[vec![i.clone()], list.to_vec()].concat(), Opcode::IF_ICMPGE, 1, 0));
        assert!(of(&[i.clone(), ten.clone()], Opcode::IF_ICMPGE, -1, 0));
        assert!(of(&[i.clone(), ten.clone()], Opcode::IF_ICMPGT, 1, 0));
        assert!(of(std::slice::from_ref(&i), Opcode::IFLT, -1, 0));
        // (i <= n): n may be the greatest int. A step of two may pass n by. n may go along with i.
        assert!(!of(&[i.clone(), n.clone()], Opcode::IF_ICMPGT, 1, 0));
        assert!(!of(&[i.clone(), n.clone()], Opcode::IF_ICMPGE, 2, 0));
        assert!(!of(&[i.clone(), n.clone()], Opcode::IF_ICMPGE, 1, 1));
        assert!(!of(&[i.clone(), ten.clone()], Opcode::IF_ICMPGE, 0, 0));
        // What does not change at all, and what is no int of the loop's own.
        assert!(!of(&[n], Opcode::IFLT, 1, 0));
        assert!(!of(&list, Opcode::IFLT, 1, 0));
    }
}
