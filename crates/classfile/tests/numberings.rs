//! The codes that methods get: which paths are distinguished, and where nothing is recorded.
#![allow(clippy::unwrap_used)]

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::instruction::{Keys, Switch};
use classfile::instrument::{self, paths};
use classfile::limits::MAX_CODE;
use classfile::paths::{CODES_END, NumberedPaths, Surroundings};
use classfile::{ClassFile, Instruction, Opcode, Operand, Skipped};
use expect_test::{Expect, expect};
use model::{EdgeRole, Numbering};

/// The numbering of the one method of a class, and source and target of its edges.
fn numbered(
    name: &str,
    make: impl FnOnce(&mut ClassBuilder, &mut CodeBuilder),
) -> (NumberedPaths, Vec<(u32, u32)>) {
    let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
    let mut code = CodeBuilder::new(4, 2);
    make(&mut class, &mut code);
    let flags = if name == "<init>" { 1 } else { 9 };
    class.method(flags, name.as_bytes(), b"(I)V", Some(&code), &[]).unwrap();
    let bytes = class.finish();
    let mut class = ClassFile::parse(&bytes).unwrap();
    let surroundings = Surroundings { jdk_is_recorded: false, class_is_whole: true };
    let mut found = None;
    instrument::each_method(&mut class, MAX_CODE, |subject| {
        let edges = subject.graph.edges.iter().map(|edge| (edge.from, edge.to));
        found = Some((paths::numbering(&subject, surroundings)?, edges.collect()));
        Err(Skipped::NoCode)
    });
    found.unwrap()
}

/// Shows the blocks of a method, and the edges that leave them with what they add and what happens on them, if it is
/// more than going through.
fn check(name: &str, make: impl FnOnce(&mut ClassBuilder, &mut CodeBuilder), expected: Expect) {
    let (NumberedPaths { numbering, many_iterations }, edges) = numbered(name, make);
    let entry = numbering.entry.map_or(String::new(), |entry| format!(", entry {entry}"));
    let many = if many_iterations { ", maybe many iterations" } else { "" };
    let mut text = format!("{} codes{entry}{many}\n", numbering.codes);
    for (id, block) in (0..).zip(&numbering.blocks) {
        let marks = [
            (block.start.is_some(), format!("from {}", block.start.unwrap_or(0))),
            (block.fresh, "fresh".to_owned()),
            (block.counted, "counted".to_owned()),
            (block.in_counted_loop, "in a counted loop".to_owned()),
            (block.site, "site".to_owned()),
            (block.stop, "stop".to_owned()),
            (block.silent, "silent".to_owned()),
        ];
        let mut parts: Vec<String> =
            marks.into_iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| mark).collect();
        for ((_, to), edge) in edges.iter().zip(&numbering.edges).filter(|((from, _), _)| *from == id) {
            let role =
                if edge.role == EdgeRole::Through { String::new() } else { format!(" {:?}", edge.role) };
            parts.push(format!("-> {to} {:+}{role}", edge.value));
        }
        text += format!("{id}: {}", parts.join(", ")).trim_end();
        text += "\n";
    }
    expected.assert_eq(&text);
}

/// One way or the other, so many times one after the other.
fn branches(code: &mut CodeBuilder, count: usize) {
    for _ in 0..count {
        let join = code.label();
        code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, join).op(Opcode::NOP).mark(join);
    }
}

fn call(class: &mut ClassBuilder, code: &mut CodeBuilder) {
    let other = class.pool.add_method(b"Other", b"run", b"()V").unwrap();
    code.op(Instruction::with_constant(Opcode::INVOKESTATIC, other));
}

#[test]
fn every_path_has_a_code_of_its_own() {
    let straight = |_: &mut ClassBuilder, code: &mut CodeBuilder| {
        code.op(Opcode::RETURN);
    };
    check(
        "straight",
        straight,
        expect![[r#"
        2 codes
        0: from 1, fresh
    "#]],
    );
    let branching = |_: &mut ClassBuilder, code: &mut CodeBuilder| {
        branches(code, 2);
        code.op(Opcode::RETURN);
    };
    check(
        "branching",
        branching,
        expect![[r#"
        5 codes
        0: from 1, fresh, -> 1 +2, -> 2 +0
        1: fresh, -> 2 +0
        2: fresh, -> 3 +1, -> 4 +0
        3: fresh, -> 4 +0
        4: fresh
    "#]],
    );
}

#[test]
fn what_may_throw_or_call_has_a_code_while_it_runs() {
    let throwing = |_: &mut ClassBuilder, code: &mut CodeBuilder| {
        branches(code, 1);
        code.op(Opcode::ACONST_NULL).op(Opcode::ARRAYLENGTH).op(Opcode::POP).op(Opcode::RETURN);
    };
    check(
        "throwing",
        throwing,
        expect![[r#"
        3 codes
        0: from 1, fresh, -> 1 +1, -> 2 +0
        1: fresh, -> 2 +0
        2: fresh, stop
    "#]],
    );
    let calling = |class: &mut ClassBuilder, code: &mut CodeBuilder| {
        branches(code, 1);
        call(class, code);
        code.op(Opcode::RETURN);
    };
    check(
        "calling",
        calling,
        expect![[r#"
        7 codes
        0: from 1, fresh, -> 1 +3, -> 2 +0
        1: fresh, -> 2 +0
        2: fresh, site, stop, -> 3 +2
        3:
    "#]],
    );
}

#[test]
fn a_loop_without_calls_is_counted_and_another_is_cut() {
    let looping = |calls: bool| {
        move |class: &mut ClassBuilder, code: &mut CodeBuilder| {
            code.op(Opcode::NOP);
            let again = code.here();
            if calls {
                call(class, code);
            }
            code.op(Instruction::increment(0, -1))
                .op(Opcode::ILOAD_0)
                .jump(Opcode::IFGT, again)
                .op(Opcode::RETURN);
        }
    };
    check(
        "counted",
        looping(false),
        expect![[r#"
        2 codes
        0: from 1, fresh, -> 1 +0
        1: fresh, counted, in a counted loop, -> 2 +0, -> 1 +0 Iteration
        2: fresh, counted
    "#]],
    );
    // Nobody counts down: it may go on for longer than an int can say.
    let waiting = |_: &mut ClassBuilder, code: &mut CodeBuilder| {
        code.op(Opcode::NOP);
        let again = code.here();
        code.op(Opcode::ILOAD_0).jump(Opcode::IFGT, again).op(Opcode::RETURN);
    };
    check(
        "waiting",
        waiting,
        expect![[r#"
        2 codes, maybe many iterations
        0: from 1, fresh, -> 1 +0
        1: fresh, counted, in a counted loop, -> 2 +0, -> 1 +0 Iteration
        2: fresh, counted
    "#]],
    );
    check(
        "calls",
        looping(true),
        expect![[r#"
        5 codes
        0: from 1, fresh, -> 1 +0 Cut
        1: from 2, site, stop, -> 2 +1
        2: -> 3 +1, -> 1 +0 Cut
        3:
    "#]],
    );
    let two_paths = |_: &mut ClassBuilder, code: &mut CodeBuilder| {
        code.op(Opcode::NOP);
        let again = code.here();
        branches(code, 1);
        code.op(Opcode::ILOAD_0).jump(Opcode::IFGT, again).op(Opcode::RETURN);
    };
    check(
        "two_ways",
        two_paths,
        expect![[r#"
        6 codes
        0: from 1, fresh, -> 1 +0 Cut
        1: from 2, -> 2 +2, -> 3 +0
        2: -> 3 +0
        3: -> 4 +1, -> 1 +0 Cut
        4:
    "#]],
    );
}

#[test]
fn before_super_each_block_that_may_throw_is_told_beforehand() {
    let constructor = |class: &mut ClassBuilder, code: &mut CodeBuilder| {
        let init = class.pool.add_method(b"java/lang/Object", b"<init>", b"()V").unwrap();
        let join = code.label();
        code.op(Opcode::ILOAD_1).jump(Opcode::IFEQ, join);
        code.op(Opcode::ACONST_NULL).op(Opcode::ARRAYLENGTH).op(Opcode::POP).mark(join);
        code.op(Opcode::ALOAD_0)
            .op(Instruction::with_constant(Opcode::INVOKESPECIAL, init))
            .op(Opcode::RETURN);
    };
    check(
        "<init>",
        constructor,
        expect![[r#"
        8 codes, entry 1
        0: from 2, -> 1 +2 Cut, -> 2 +0
        1: from 5, stop, -> 2 +1
        2: stop, -> 3 +1
        3:
    "#]],
    );
}

/// Ten branches in a row have 1,024 ways: too many for one segment, so that it is cut in two.
#[test]
fn where_there_are_too_many_paths_they_are_cut() {
    let many = |_: &mut ClassBuilder, code: &mut CodeBuilder| {
        branches(code, 10);
        code.op(Opcode::RETURN);
    };
    check(
        "many",
        many,
        expect![[r#"
        516 codes
        0: from 1, fresh, -> 1 +1 Cut, -> 2 +0 Cut
        1: from 3, -> 2 +0 Silent
        2: from 4, -> 3 +256, -> 4 +0
        3: -> 4 +0
        4: -> 5 +128, -> 6 +0
        5: -> 6 +0
        6: -> 7 +64, -> 8 +0
        7: -> 8 +0
        8: -> 9 +32, -> 10 +0
        9: -> 10 +0
        10: -> 11 +16, -> 12 +0
        11: -> 12 +0
        12: -> 13 +8, -> 14 +0
        13: -> 14 +0
        14: -> 15 +4, -> 16 +0
        15: -> 16 +0
        16: -> 17 +2, -> 18 +0
        17: -> 18 +0
        18: -> 19 +1, -> 20 +0
        19: -> 20 +0
        20:
    "#]],
    );
}

#[test]
fn nothing_is_cut_where_that_gains_nothing() {
    let (NumberedPaths { numbering: most, .. }, _) = numbered("most", |_, code| {
        branches(code, 9);
        code.op(Opcode::RETURN);
    });
    assert_eq!((most.codes, count(&most, EdgeRole::Cut)), (513, 0), "512 ways are not too many");
    // Of two sides with 2^8 ways each and one with a way more, that one is cut, which is enough.
    let (NumberedPaths { numbering: sides, .. }, edges) = numbered("sides", |_, code| {
        let other = code.label();
        code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, other);
        branches(code, 8);
        code.op(Opcode::RETURN).mark(other);
        throwing(code);
        branches(code, 8);
        code.op(Opcode::RETURN);
    });
    let cut = edges.iter().zip(&sides.edges).filter(|(_, edge)| edge.role == EdgeRole::Cut);
    assert_eq!(cut.map(|((from, _), _)| *from).collect::<Vec<_>>(), [0]);
    // As many ways as arms, and each of them is one way.
    let (NumberedPaths { numbering: switch, .. }, _) = numbered("switch", |_, code| {
        let (arms, end): (Vec<_>, _) = ((0..600).map(|_| code.label()).collect(), code.label());
        let targets = arms.iter().map(|arm| arm.number()).collect();
        let switch = Switch { default: end.number(), keys: Keys::From(0), targets };
        let operand = Operand::Switch(Box::new(switch));
        code.op(Opcode::ILOAD_0).op(Instruction { opcode: Opcode::TABLESWITCH, operand });
        for arm in arms {
            code.mark(arm).op(Opcode::NOP).jump(Opcode::GOTO, end);
        }
        code.mark(end).op(Opcode::RETURN);
    });
    assert_eq!((switch.codes, count(&switch, EdgeRole::Cut)), (602, 0));
}

fn throwing(code: &mut CodeBuilder) {
    code.op(Opcode::ACONST_NULL).op(Opcode::ARRAYLENGTH).op(Opcode::POP);
}

/// How many edges of a method have a role.
fn count(numbering: &Numbering, role: EdgeRole) -> usize {
    numbering.edges.iter().filter(|edge| edge.role == role).count()
}

/// Where there are too many ways behind a counted loop, the ways are cut before it, and it is counted all the same.
#[test]
fn cutting_gives_up_no_counted_loop_without_need() {
    let (NumberedPaths { numbering, .. }, _) = numbered("loops", |_, code| {
        let other = code.label();
        code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, other);
        // One code more on one of both sides: 257 and 256 are too many.
        for throws in [true, false] {
            let again = code.here();
            code.op(Instruction::increment(0, -1)).op(Opcode::ILOAD_0).jump(Opcode::IFGT, again);
            if throws {
                throwing(code);
            }
            branches(code, 8);
            code.op(Opcode::RETURN);
            if throws {
                code.mark(other);
            }
        }
    });
    assert_eq!(count(&numbering, EdgeRole::Iteration), 2);
    assert_eq!(count(&numbering, EdgeRole::Cut), 1, "that to the side with more ways");
}

/// Too many ways lead out of the middle of a loop: a cut there, in each iteration, and a count do not go together.
#[test]
fn a_loop_that_must_be_cut_inside_is_not_counted() {
    let make = |paths: usize| {
        move |_: &mut ClassBuilder, code: &mut CodeBuilder| {
            let other = code.label();
            code.op(Opcode::NOP);
            let again = code.here();
            code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, other);
            throwing(code);
            code.op(Opcode::ILOAD_0).jump(Opcode::IFGT, again);
            branches(code, paths);
            code.op(Opcode::RETURN).mark(other);
            branches(code, 8);
            code.op(Opcode::RETURN);
        }
    };
    assert_eq!(count(&numbered("few", make(7)).0.numbering, EdgeRole::Iteration), 1);
    assert_eq!(count(&numbered("many", make(8)).0.numbering, EdgeRole::Iteration), 0);
}

#[test]
fn codes_must_fit_below_their_end() {
    let (paths, _) = numbered("branching", |_, code| {
        branches(code, 2);
        code.op(Opcode::RETURN);
    });
    assert_eq!(paths.numbering.codes, 5);
    assert!(paths.fits(0) && paths.fits(CODES_END - 5));
    assert!(!paths.fits(CODES_END - 4) && !paths.fits(u32::MAX - 4) && !paths.fits(u32::MAX));
    let mut steep = paths.clone();
    for (value, fits) in [(32_766, true), (-32_766, true), (32_767, false), (-32_767, false)] {
        steep.numbering.edges[0].value = value;
        assert_eq!(steep.fits(1), fits, "{value}");
    }
}
