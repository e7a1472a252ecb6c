//! Which loops count to a bound, of methods that the tests build themselves.
#![allow(clippy::unwrap_used)] // all of this is a test

use classfile::bounded_loops::{bounded_loops, moving_loops};
use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::line_table::LineTable;
use classfile::{ClassFile, Code, ConstantPool, ControlFlowGraph, Instruction, Opcode};

type Ask = fn(&Code<'_>, &ConstantPool<'_>, &ControlFlowGraph) -> Vec<bool>;

/// Of a method with an int in slot 0: each loop, outer ones first.
fn bounded(build: impl FnOnce(&mut ClassBuilder, &mut CodeBuilder)) -> Vec<bool> {
    asked(bounded_loops, build)
}

fn asked(ask: Ask, build: impl FnOnce(&mut ClassBuilder, &mut CodeBuilder)) -> Vec<bool> {
    let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
    let mut code = CodeBuilder::new(6, 6);
    build(&mut class, &mut code);
    class.method(0x0009, b"m", b"(I)V", Some(&code), &[]).unwrap();
    let bytes = class.finish();
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    let lines = LineTable::of(&code, &class.constant_pool);
    let graph = ControlFlowGraph::of_code(&code, &lines).unwrap();
    ask(&code, &class.constant_pool, &graph)
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

/// `for (i = 0; !isOver; i++) body`; the constants are those of the flag, of a call and of another field.
fn until_flag(name: &[u8], descriptor: &[u8], body: impl FnOnce(&mut CodeBuilder, [u16; 3])) -> Vec<bool> {
    asked(moving_loops, |class, code| {
        let flag = class.pool.add_field(b"T", b"isOver", b"Z").unwrap();
        let (owner, name) = name.split_at(name.iter().rposition(|byte| *byte == b'.').unwrap());
        let call = class.pool.add_method(owner, &name[1..], descriptor).unwrap();
        let other = class.pool.add_field(b"T", b"result", b"I").unwrap();
        code.op(Opcode::ICONST_0).op(Opcode(60));
        let (again, end) = (code.here(), code.label());
        code.op(Instruction::with_constant(Opcode::GETSTATIC, flag)).jump(Opcode::IFNE, end);
        body(code, [flag, call, other]);
        code.op(Instruction::increment(1, 1)).jump(Opcode::GOTO, again).mark(end).op(Opcode::RETURN);
    })
}

#[test]
fn who_counts_rounds_and_uses_the_number_does_something_else_each_time() {
    let load = Opcode(27);
    let call = |code: &mut CodeBuilder, call: u16| {
        code.op(load).op(Opcode::ICONST_1).op(Opcode::IADD);
        code.op(Instruction::with_constant(Opcode::INVOKESTATIC, call));
    };
    let calls =
        |name: &[u8], descriptor: &[u8]| until_flag(name, descriptor, |code, [_, it, _]| call(code, it));
    assert_eq!(calls(b"T.add", b"(I)V"), [true]);
    assert_eq!(calls(b"java/util/concurrent/atomic/X.add", b"(I)V"), [true]);
    assert_eq!(calls(b"java/lang/Thread.pause", b"(I)V"), [false], "it only waits");
    assert_eq!(calls(b"T.look", b"()V"), [false], "it is not given the number");
    let stores = |code: &mut CodeBuilder, [_, _, other]: [u16; 3]| {
        code.op(load).op(Instruction::with_constant(Opcode::PUTSTATIC, other));
    };
    assert_eq!(until_flag(b"T.x", b"()V", stores), [true]);
    let stops = |code: &mut CodeBuilder, [flag, ..]: [u16; 3]| {
        code.op(load).op(Instruction::with_constant(Opcode::PUTSTATIC, flag));
    };
    assert_eq!(until_flag(b"T.x", b"()V", stops), [false], "it sets the flag");
    assert_eq!(until_flag(b"T.x", b"()V", |_, _| ()), [false], "nobody uses the number");
    let yields = |code: &mut CodeBuilder, [_, call, _]: [u16; 3]| {
        let often = code.label();
        code.op(load).jump(Opcode::IFNE, often);
        code.op(Instruction::with_constant(Opcode::INVOKESTATIC, call)).mark(often);
    };
    assert_eq!(until_flag(b"java/lang/Thread.yield", b"()V", yields), [false], "it is only compared");
    let leaves = |code: &mut CodeBuilder, [_, _, other]: [u16; 3]| {
        let stay = code.label();
        code.op(load).op(Instruction::with_constant(Opcode::PUTSTATIC, other));
        code.op(load).jump(Opcode::IFNE, stay).op(Opcode::RETURN).mark(stay);
    };
    assert_eq!(until_flag(b"T.x", b"()V", leaves), [false], "it ends by the number, too");
}

/// `do i = n.get(); while (!n.compareAndSet(i, 1))`, where `get` and what is between may be something else.
fn retries(class: &[u8], get: &[u8], between: impl FnOnce(&mut CodeBuilder)) -> Vec<bool> {
    asked(moving_loops, |builder, code| {
        let get = builder.pool.add_method(class, get, b"()I").unwrap();
        let set = builder.pool.add_method(class, b"compareAndSet", b"(II)Z").unwrap();
        let again = code.here();
        code.op(Opcode::ACONST_NULL).op(Instruction::with_constant(Opcode::INVOKEVIRTUAL, get));
        between(code);
        code.op(Opcode(60)).op(Opcode::ACONST_NULL).op(Opcode(27)).op(Opcode::ICONST_1);
        code.op(Instruction::with_constant(Opcode::INVOKEVIRTUAL, set));
        code.jump(Opcode::IFEQ, again).op(Opcode::RETURN);
    })
}

#[test]
fn who_sets_what_was_just_read_fails_only_where_another_one_came_first() {
    let number = b"java/util/concurrent/atomic/AtomicInteger";
    assert_eq!(retries(number, b"get", |_| ()), [true]);
    assert_eq!(retries(number, b"next", |_| ()), [false]);
    assert_eq!(retries(b"shop/Till", b"get", |_| ()), [false]);
    let changed = |code: &mut CodeBuilder| _ = code.op(Opcode::ICONST_1).op(Opcode::IADD);
    assert_eq!(retries(number, b"get", changed), [false]);
}

/// `while (isOn) { now = nanoTime(); if (now < next) continue; body }`, where another method may be asked.
fn paced(clock: &[u8], body: impl FnOnce(&mut CodeBuilder, u16)) -> Vec<bool> {
    asked(moving_loops, |class, code| {
        let on = class.pool.add_field(b"T", b"isOn", b"Z").unwrap();
        let other = class.pool.add_method(b"T", b"draw", b"()V").unwrap();
        let now = class.pool.add_method(b"java/lang/System", clock, b"()J").unwrap();
        code.op(Opcode::LCONST_0).op(Instruction::with_local(Opcode::LSTORE, 4));
        let (again, end) = (code.here(), code.label());
        code.op(Instruction::with_constant(Opcode::GETSTATIC, on)).jump(Opcode::IFEQ, end);
        code.op(Instruction::with_constant(Opcode::INVOKESTATIC, now));
        code.op(Instruction::with_local(Opcode::LSTORE, 2));
        code.op(Instruction::with_local(Opcode::LLOAD, 2)).op(Instruction::with_local(Opcode::LLOAD, 4));
        code.op(Opcode::LCMP).jump(Opcode::IFLT, again);
        body(code, other);
        code.jump(Opcode::GOTO, again).mark(end).op(Opcode::RETURN);
    })
}

#[test]
fn who_waits_for_the_next_moment_and_moves_it_on_goes_by_the_clock() {
    let call =
        |code: &mut CodeBuilder, call| _ = code.op(Instruction::with_constant(Opcode::INVOKESTATIC, call));
    let moves_on = |code: &mut CodeBuilder, other| {
        code.op(Instruction::with_local(Opcode::LLOAD, 4)).op(Opcode::LCONST_1).op(Opcode::LADD);
        code.op(Instruction::with_local(Opcode::LSTORE, 4));
        call(code, other);
    };
    assert_eq!(paced(b"nanoTime", moves_on), [true]);
    assert_eq!(paced(b"currentTimeMillis", moves_on), [true]);
    assert_eq!(paced(b"identity", moves_on), [false], "it is not the time");
    assert_eq!(paced(b"nanoTime", call), [false], "once the moment has come all rounds are alike");
    // `last = now` keeps a distance.
    let keeps = |code: &mut CodeBuilder, other| {
        code.op(Instruction::with_local(Opcode::LLOAD, 2)).op(Instruction::with_local(Opcode::LSTORE, 4));
        call(code, other);
    };
    assert_eq!(paced(b"nanoTime", keeps), [true]);
    let asks_again = |code: &mut CodeBuilder, now| {
        code.op(Instruction::with_constant(Opcode::INVOKESTATIC, now));
        code.op(Instruction::with_local(Opcode::LSTORE, 4));
    };
    let now_and_then = asked(moving_loops, |class, code| {
        let now = class.pool.add_method(b"java/lang/System", b"nanoTime", b"()J").unwrap();
        code.op(Opcode::LCONST_0).op(Instruction::with_local(Opcode::LSTORE, 4));
        let again = code.here();
        code.op(Instruction::with_constant(Opcode::INVOKESTATIC, now));
        code.op(Instruction::with_local(Opcode::LLOAD, 4)).op(Opcode::LSUB);
        code.op(Opcode::LCONST_1).op(Opcode::LCMP).jump(Opcode::IFLE, again);
        asks_again(code, now);
        code.jump(Opcode::GOTO, again);
    });
    assert_eq!(now_and_then, [true], "`if (nanoTime() - last > 1) last = nanoTime()`");
    let meddles = |code: &mut CodeBuilder, other| {
        moves_on(code, other);
        code.op(Opcode::LCONST_0).op(Instruction::with_local(Opcode::LSTORE, 2));
    };
    assert_eq!(paced(b"nanoTime", meddles), [false], "it also sets what holds the time");
}
