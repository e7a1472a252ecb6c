//! Which loops count to a bound, of methods that the tests build themselves.
#![allow(clippy::unwrap_used)] // all of this is a test

use classfile::bounded_loops::bounded_loops;
use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::line_table::LineTable;
use classfile::{ClassFile, ControlFlowGraph, Instruction, Opcode};

/// Of a method with an int in slot 0: each loop, outer ones first.
fn bounded(build: impl FnOnce(&mut ClassBuilder, &mut CodeBuilder)) -> Vec<bool> {
    let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
    let mut code = CodeBuilder::new(6, 6);
    build(&mut class, &mut code);
    class.method(0x0009, b"m", b"(I)V", Some(&code), &[]).unwrap();
    let bytes = class.finish();
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    let lines = LineTable::of(&code, &class.constant_pool);
    let graph = ControlFlowGraph::of_code(&code, &lines).unwrap();
    bounded_loops(&code, &class.constant_pool, &graph)
}

/// `for (i = 0; i < n; ) body`.
fn counting(body: impl FnOnce(&mut CodeBuilder)) -> Vec<bool> {
    bounded(|_, code| {
        code.op(Opcode::ICONST_0).op(Opcode(60));
        let (again, end) = (code.here(), code.label());
        code.op(Opcode(27)).op(Opcode::ILOAD_0).jump(Opcode::IF_ICMPGE, end);
        body(code);
        code.jump(Opcode::GOTO, again).mark(end).op(Opcode::RETURN);
    })
}

#[test]
fn a_variable_that_comes_closer_to_what_stays_where_it_is_ends_a_loop() {
    let step = |slot, by| move |code: &mut CodeBuilder| _ = code.op(Instruction::increment(slot, by));
    assert_eq!(counting(step(1, 1)), [true]);
    assert_eq!(counting(step(1, 7)), [true]);
    assert_eq!(counting(step(0, -1)), [true], "the bound comes closer");
    for (what, slot, by) in [("the wrong way", 1, -1), ("the bound goes away", 0, 1), ("another one", 2, 1)] {
        assert_eq!(counting(step(slot, by)), [false], "{what}");
    }
    assert_eq!(counting(|_| ()), [false]);
}

#[test]
fn a_step_has_to_be_made_each_time_and_nothing_else_to_the_variable() {
    let sometimes = |code: &mut CodeBuilder| {
        let after = code.label();
        code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, after);
        code.op(Instruction::increment(1, 1)).mark(after);
    };
    assert_eq!(counting(sometimes), [false]);
    let cut = |code: &mut CodeBuilder| {
        // As of a byte: i = (byte) (i + 1)
        code.op(Opcode(27)).op(Opcode::ICONST_1).op(Opcode::IADD).op(Opcode(145)).op(Opcode(60));
    };
    assert_eq!(counting(cut), [false]);
    let sum = |code: &mut CodeBuilder| {
        code.op(Opcode(27)).op(Opcode::ICONST_1).op(Opcode::IADD).op(Opcode(60));
    };
    assert_eq!(counting(sum), [true]);
}

#[test]
fn a_loop_within_one_without_an_end_has_one_of_its_own() {
    let found = bounded(|_, code| {
        let outer = code.here();
        code.op(Opcode::ICONST_0).op(Opcode(60));
        let (inner, after) = (code.here(), code.label());
        code.op(Opcode(27)).op(Opcode::ILOAD_0).jump(Opcode::IF_ICMPGE, after);
        code.op(Instruction::increment(1, 1)).jump(Opcode::GOTO, inner).mark(after);
        code.jump(Opcode::GOTO, outer);
    });
    assert_eq!(found, [false, true]);
}

#[test]
fn a_variable_that_is_compared_before_it_is_changed_counts_and_so_does_the_time() {
    // do ; while (n-- > 0)
    let down = bounded(|_, code| {
        let again = code.here();
        code.op(Opcode::ILOAD_0).op(Instruction::increment(0, -1));
        code.jump(Opcode::IFGT, again).op(Opcode::RETURN);
    });
    assert_eq!(down, [true]);
    // do ; while (i <= Integer.MAX_VALUE), which is always so
    let always = bounded(|class, code| {
        let most = class.pool.add_integer(i32::MAX).unwrap();
        let again = code.here();
        code.op(Instruction::increment(0, 1)).op(Opcode::ILOAD_0);
        code.op(Instruction::with_constant(Opcode::LDC_W, most));
        code.jump(Opcode::IF_ICMPLE, again).op(Opcode::RETURN);
    });
    assert_eq!(always, [false]);
    let clock = bounded(|class, code| {
        let now = class.pool.add_method(b"java/lang/System", b"nanoTime", b"()J").unwrap();
        let again = code.here();
        code.op(Instruction::with_constant(Opcode::INVOKESTATIC, now));
        code.op(Instruction::with_local(Opcode::LLOAD, 2)).op(Opcode::LCMP);
        code.jump(Opcode::IFLT, again).op(Opcode::RETURN);
    });
    assert_eq!(clock, [true]);
}
