//! Blocks, edges and loops of methods that the tests build themselves, as the listing shows them.
#![allow(clippy::unwrap_used)] // all of this is a test

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::instruction::{Keys, Switch};
use classfile::{ClassFile, Instruction, Opcode, Operand, listing};
use expect_test::{Expect, expect};

fn check(build: impl FnOnce(&mut ClassBuilder, &mut CodeBuilder), expected: Expect) {
    let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
    let mut code = CodeBuilder::new(4, 4);
    build(&mut class, &mut code);
    class.method(0x0009, b"m", b"(I)V", Some(&code), &[]).unwrap();
    let bytes = class.finish();
    let read = ClassFile::parse(&bytes).unwrap();
    assert_eq!(read.to_bytes(), bytes);
    expected.assert_eq(&listing::class(&read));
}

fn load(code: &mut CodeBuilder) {
    code.op(Opcode::ILOAD_0);
}

#[test]
fn a_call_ends_a_block_and_lines_are_told() {
    check(
        |class, code| {
            let call = class.pool.add_method(b"T", b"m", b"(I)V").unwrap();
            code.line(3);
            load(code);
            code.op(Instruction::with_constant(Opcode::INVOKESTATIC, call)).line(4);
            load(code);
            code.line(5).op(Opcode::POP).op(Opcode::RETURN);
        },
        expect![[r#"
            T.m(I)V
              0  pc 0..4  line 3  call
                 -> 1 next
              1  pc 4..7  lines 4-5  return
        "#]],
    );
}

#[test]
fn nested_loops() {
    check(
        |_, code| {
            let (outer, inner, after) = (code.here(), code.label(), code.label());
            load(code);
            let end = code.label();
            code.jump(Opcode::IFEQ, end).mark(inner);
            load(code);
            code.jump(Opcode::IFEQ, after).jump(Opcode::GOTO, inner);
            code.mark(after).jump(Opcode::GOTO, outer).mark(end).op(Opcode::RETURN);
        },
        expect![[r#"
            T.m(I)V
              0  pc 0..4  branch
                 -> 1 next
                 -> 4 jump
              1  pc 4..8  branch
                 -> 2 next
                 -> 3 jump
              2  pc 8..11  jump
                 -> 1 jump
              3  pc 11..14  jump
                 -> 0 jump
              4  pc 14..15  return
              loop 0: header 0, latches 3
              loop 1: header 1, latches 2, inside loop 0
        "#]],
    );
}

#[test]
fn a_cycle_with_two_entries_is_not_a_loop() {
    check(
        |_, code| {
            let (left, right, end) = (code.label(), code.label(), code.label());
            load(code);
            code.jump(Opcode::IFEQ, right).mark(left);
            load(code);
            code.jump(Opcode::IFNE, end).mark(right);
            load(code);
            code.jump(Opcode::IFNE, left).mark(end).op(Opcode::RETURN);
        },
        expect![[r#"
            T.m(I)V
              0  pc 0..4  branch
                 -> 1 next
                 -> 2 jump
              1  pc 4..8  branch
                 -> 2 next
                 -> 3 jump
              2  pc 8..12  branch
                 -> 3 next
                 -> 1 jump
              3  pc 12..13  return
              irreducible cycle: 2 goes back to 1
        "#]],
    );
}

#[test]
fn arms_with_one_target_are_one_edge() {
    check(
        |_, code| {
            let (one, two) = (code.label(), code.label());
            load(code);
            let keys = Keys::Each(vec![-5, 7, 1000]);
            let targets = vec![one.number(), two.number(), one.number()];
            let operand = Operand::Switch(Box::new(Switch { default: two.number(), keys, targets }));
            code.op(Instruction { opcode: Opcode::LOOKUPSWITCH, operand });
            code.mark(one).op(Opcode::RETURN).mark(two).op(Opcode::RETURN);
        },
        expect![[r#"
            T.m(I)V
              0  pc 0..36  switch
                 -> 1 switch
                 -> 2 switch
              1  pc 36..37  return
              2  pc 37..38  return
        "#]],
    );
}

#[test]
fn handlers_and_code_that_protects_itself() {
    check(
        |class, code| {
            let error = class.pool.add_class(b"java/lang/Error").unwrap();
            let call = class.pool.add_method(b"T", b"m", b"(I)V").unwrap();
            let (again, start) = (code.here(), code.here());
            load(code);
            code.op(Instruction::with_constant(Opcode::INVOKESTATIC, call));
            let end = code.here();
            code.op(Opcode::RETURN);
            let caught = code.here();
            code.op(Opcode::POP).jump(Opcode::GOTO, again);
            let cleanup = code.here();
            code.op(Opcode::ASTORE_1);
            let cleaned = code.here();
            code.op(Opcode::ALOAD_1).op(Opcode::ATHROW);
            code.handler(start, end, caught, error).handler(start, end, cleanup, 0);
            code.handler(cleanup, cleaned, cleanup, 0);
        },
        expect![[r#"
            T.m(I)V
              0  pc 0..4  call
                 -> 1 next
                 => 2 on java/lang/Error
                 => 3 on any
              1  pc 4..5  return
              2  pc 5..9  jump  handler
                 -> 0 jump
              3  pc 9..12  throw  handler
                 => 3 on any
              loop 0: header 0, latches 2
        "#]],
    );
}

#[test]
fn subroutines_and_dead_code_are_shown() {
    check(
        |_, code| {
            let routine = code.label();
            code.jump(Opcode::JSR, routine).op(Opcode::RETURN);
            code.op(Opcode::NOP).op(Opcode::RETURN);
            code.mark(routine).op(Opcode::ASTORE_1);
            code.op(Instruction::with_local(Opcode::RET, 1));
        },
        expect![[r#"
            T.m(I)V
              0  pc 0..3  subroutine
                 -> 1 next
                 -> 3 jump
              1  pc 3..4  return
              2  pc 4..6  return  unreachable
              3  pc 6..9  subroutine
        "#]],
    );
}

#[test]
fn what_is_not_understood_is_said_and_hides_nothing_else() {
    let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
    let body = |code: &[u8]| {
        let mut content = vec![0, 1, 0, 1, 0, 0, 0, u8::try_from(code.len()).unwrap()];
        content.extend_from_slice(code);
        content.extend([0, 0, 0, 0]);
        content
    };
    for code in [&[177][..], &[203], &[167, 0, 9], &[0], &[17, 1], &[170, 0, 0, 0], &[]] {
        class.method(0x0009, b"m", b"()V", None, &[(b"Code", &body(code))]).unwrap();
    }
    class.method(0x0401, b"none", b"()V", None, &[]).unwrap();
    let bytes = class.finish();
    expect![[r#"
        T.m()V
          0  pc 0..1  return
        T.m()V
          not understood: there is no instruction 0xcb (pc 0)
        T.m()V
          not understood: pc 0 refers to pc 9, where no instruction begins
        T.m()V
          not understood: the code runs over its end: the last instruction, at pc 0, falls through
        T.m()V
          not understood: the instruction at pc 0 is cut off by the end of the code
        T.m()V
          not understood: the instruction at pc 0 is cut off by the end of the code
        T.m()V
          not understood: the code at offset 265 has 0 bytes; 1 to 65535 are possible
        T.none()V
          no code
    "#]]
    .assert_eq(&listing::class(&ClassFile::parse(&bytes).unwrap()));
}

#[test]
fn dominators_agree_with_their_definition() {
    // Random graphs; a block dominates another if taking it away makes the other unreachable.
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..300 {
        let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
        let mut code = CodeBuilder::new(4, 4);
        let count = 2 + random.usize(..14);
        let labels: Vec<_> = (0..count).map(|_| code.label()).collect();
        for label in &labels {
            code.mark(*label);
            load(&mut code);
            let target = labels[random.usize(..count)];
            code.jump(if random.u8(..3) == 0 { Opcode::GOTO } else { Opcode::IFEQ }, target);
        }
        code.op(Opcode::RETURN);
        class.method(0x0009, b"m", b"(I)V", Some(&code), &[]).unwrap();
        let bytes = class.finish();
        let read = ClassFile::parse(&bytes).unwrap();
        let graph = classfile::ControlFlowGraph::of(&read, &read.methods[0]).unwrap().unwrap();
        let blocks = u32::try_from(graph.blocks.len()).unwrap();
        let reachable = |without: Option<u32>| {
            let (mut seen, mut work) = (vec![false; graph.blocks.len()], vec![0]);
            while let Some(block) = work.pop() {
                let index = usize::try_from(block).unwrap();
                if Some(block) == without || std::mem::replace(&mut seen[index], true) {
                    continue;
                }
                work.extend(graph.edges.iter().filter(|edge| edge.from == block).map(|edge| edge.to));
            }
            seen
        };
        let all = reachable(None);
        for above in 0..blocks {
            let left = reachable(Some(above));
            for below in 0..blocks {
                let index = usize::try_from(below).unwrap();
                let expected = all[index] && all[usize::try_from(above).unwrap()] && !left[index];
                assert_eq!(graph.dominators.dominates(above, below), expected, "{above} {below} {graph:?}");
            }
        }
        for (id, found) in (0..).zip(&graph.loops.loops) {
            for below in 0..blocks {
                if graph.loops.contains(id, below) {
                    assert!(graph.dominators.dominates(found.header, below));
                }
            }
            assert!(found.latches.iter().all(|&latch| graph.loops.contains(id, latch)));
        }
    }
}
