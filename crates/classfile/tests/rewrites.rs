//! What a rewritten method looks like. These tests need no JDK.
#![allow(clippy::unwrap_used)] // all of this is a test

mod support {
    pub(crate) mod samples;
}

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::limits::{COMPILE_LIMIT, MAX_CODE};
use classfile::line_table::LineTable;
use classfile::stack_map::VerificationType as V;
use classfile::{ClassFile, Edits, InsertionPoint, Instruction, Opcode, Skipped, disassembly, instrument};
use expect_test::{Expect, expect};
use support::samples;

/// A class with one method; the last argument makes its body.
fn class(
    version: u16,
    name: &[u8],
    flags: u16,
    body: impl FnOnce(&mut ClassBuilder) -> CodeBuilder,
) -> Vec<u8> {
    let mut class = ClassBuilder::new(version, 0x21, b"T", b"java/lang/Object").unwrap();
    let code = body(&mut class);
    let descriptor = if flags & 8 == 0 { &b"()V"[..] } else { b"(I)V" };
    class.method(flags, name, descriptor, Some(&code), &[]).unwrap();
    class.finish()
}

/// Runs of constants that say where they were inserted.
fn mark(number: i16) -> Vec<Instruction> {
    vec![Instruction::push_small(number), Opcode::POP.into()]
}

fn every_pc(bytes: &[u8]) -> Vec<u32> {
    let class = ClassFile::parse(bytes).unwrap();
    let mut pcs = class.code(&class.methods[0]).unwrap().unwrap().pcs;
    pcs.pop();
    pcs
}

fn rewritten(bytes: &[u8], limit: u32, plan: impl FnOnce(&mut Edits)) -> Result<Vec<u8>, Skipped> {
    let mut class = ClassFile::parse(bytes).unwrap();
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    let mut edits = Edits::of(&code);
    plan(&mut edits);
    class.rewrite(0, &edits, limit).map(|()| class.to_bytes())
}

fn check(bytes: &[u8], plan: impl FnOnce(&mut Edits), expected: Expect) {
    let written = match rewritten(bytes, COMPILE_LIMIT, plan) {
        Ok(written) => written,
        Err(reason) => return expected.assert_eq(&format!("left alone: {reason}\n")),
    };
    let class = ClassFile::parse(&written).unwrap();
    expected.assert_eq(&disassembly::method(&class, &class.methods[0]).unwrap());
}

/// `while (x != 0) { x--; m(x); }` with the condition at the top, and a handler around the call.
fn looping(version: u16) -> Vec<u8> {
    class(version, b"m", 9, |class| {
        let call = class.pool.add_method(b"T", b"m", b"(I)V").unwrap();
        let throwable = class.pool.add_class(b"java/lang/Throwable").unwrap();
        let mut code = CodeBuilder::new(1, 1);
        let (head, end) = (code.here(), code.label());
        code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, end).op(Instruction::increment(0, -1));
        let start = code.here();
        code.op(Opcode::ILOAD_0).op(Instruction::with_constant(Opcode::INVOKESTATIC, call));
        let stop = code.here();
        code.jump(Opcode::GOTO, head);
        let caught = code.here();
        code.op(Opcode::POP).jump(Opcode::GOTO, head).mark(end).op(Opcode::RETURN);
        code.handler(start, stop, caught, 0);
        if version >= 50 {
            code.frame(head, &[V::Integer], &[]);
            code.frame(caught, &[V::Integer], &[V::Object(throwable)]).frame(end, &[V::Integer], &[]);
        }
        code
    })
}

#[test]
fn entry_blocks_edges_and_handlers() {
    check(
        &looping(61),
        |edits| {
            edits.insert(InsertionPoint::MethodEntry, mark(-1));
            edits.insert(InsertionPoint::Before(0), mark(0));
            edits.insert(InsertionPoint::Jump { at: 11, to: 0 }, mark(1));
            edits.insert(InsertionPoint::Jump { at: 15, to: 0 }, mark(2));
            edits.insert(InsertionPoint::FallThrough { into: 4 }, mark(3));
            edits.insert(InsertionPoint::HandlerEntry(14), mark(4));
            edits.insert(InsertionPoint::Jump { at: 1, to: 18 }, mark(5));
            edits.insert(InsertionPoint::FallThrough { into: 11 }, mark(100));
        },
        expect![[r#"
            T.m(I)V
              stack 2, locals 1
              0  iconst_m1
              1  pop
              2  goto 12
              5  iconst_1
              6  pop
              7  goto 12
              10  iconst_2
              11  pop
              12  iconst_0
              13  pop
              14  iload_0
              15  ifeq 39
              18  iconst_3
              19  pop
              20  iinc 0 by -1
              23  iload_0
              24  invokestatic T.m(I)V
              27  bipush 100
              29  pop
              30  goto 5
              33  iconst_4
              34  pop
              35  pop
              36  goto 10
              39  iconst_5
              40  pop
              41  return
              protected 23..27 goes to 33 on any
              frame 5: locals Integer; stack -
              frame 10: locals Integer; stack -
              frame 12: locals Integer; stack -
              frame 33: locals Integer; stack java/lang/Throwable
              frame 35: locals Integer; stack java/lang/Throwable
              frame 39: locals Integer; stack -
              frame 41: locals Integer; stack -
        "#]],
    );
}

#[test]
fn new_locals_reach_every_frame_but_the_catch_all() {
    check(
        &looping(61),
        |edits| {
            let slot = edits.new_local(V::Long).unwrap();
            let set = vec![Opcode::LCONST_0.into(), Instruction::with_local(Opcode::LSTORE, slot)];
            edits.insert(InsertionPoint::MethodEntry, set);
            edits.catch_all(mark(9));
        },
        expect![[r#"
            T.m(I)V
              stack 2, locals 3
              0  lconst_0
              1  lstore_1
              2  iload_0
              3  ifeq 20
              6  iinc 0 by -1
              9  iload_0
              10  invokestatic T.m(I)V
              13  goto 2
              16  pop
              17  goto 2
              20  return
              21  bipush 9
              23  pop
              24  athrow
              protected 9..13 goes to 16 on any
              protected 2..21 goes to 21 on any
              frame 2: locals Integer Long; stack -
              frame 16: locals Integer Long; stack java/lang/Throwable
              frame 20: locals Integer Long; stack -
              frame 21: locals -; stack java/lang/Throwable
        "#]],
    );
}

#[test]
fn an_old_body_stays_beside_the_new_one() {
    check(
        &looping(61),
        |edits| {
            let slot = edits.new_local(V::Integer).unwrap();
            let set = vec![Opcode::ICONST_0.into(), Instruction::with_local(Opcode::ISTORE, slot)];
            edits.insert(InsertionPoint::MethodEntry, set);
            edits.only_if([Opcode::ILOAD_0.into()]);
        },
        expect![[r#"
            T.m(I)V
              stack 2, locals 2
              0  iload_0
              1  ifne 23
              4  iload_0
              5  ifeq 22
              8  iinc 0 by -1
              11  iload_0
              12  invokestatic T.m(I)V
              15  goto 4
              18  pop
              19  goto 4
              22  return
              23  nop
              24  iconst_0
              25  istore_1
              26  iload_0
              27  ifeq 44
              30  iinc 0 by -1
              33  iload_0
              34  invokestatic T.m(I)V
              37  goto 26
              40  pop
              41  goto 26
              44  return
              protected 33..37 goes to 40 on any
              protected 11..15 goes to 18 on any
              frame 4: locals Integer; stack -
              frame 18: locals Integer; stack java/lang/Throwable
              frame 22: locals Integer; stack -
              frame 23: locals Integer; stack -
              frame 26: locals Integer Integer; stack -
              frame 40: locals Integer Integer; stack java/lang/Throwable
              frame 44: locals Integer Integer; stack -
        "#]],
    );
}

#[test]
fn without_frames_before_there_are_none_after() {
    let mut bytes = looping(49);
    let plan = |edits: &mut Edits| {
        edits.insert(InsertionPoint::Jump { at: 11, to: 0 }, mark(1));
        edits.catch_all(mark(9));
    };
    let old = rewritten(&bytes, COMPILE_LIMIT, plan).unwrap();
    // JDK 17 hands out its own classes without their frames from the second time on.
    bytes[7] = 61;
    let stripped = rewritten(&bytes, COMPILE_LIMIT, plan).unwrap();
    assert_eq!(old[8..], stripped[8..]);
    check(
        &bytes,
        plan,
        expect![[r#"
            T.m(I)V
              stack 2, locals 1
              0  goto 5
              3  iconst_1
              4  pop
              5  iload_0
              6  ifeq 23
              9  iinc 0 by -1
              12  iload_0
              13  invokestatic T.m(I)V
              16  goto 3
              19  pop
              20  goto 5
              23  return
              24  bipush 9
              26  pop
              27  athrow
              protected 12..16 goes to 19 on any
              protected 0..24 goes to 24 on any
        "#]],
    );
}

#[test]
fn an_uninitialized_type_follows_its_new() {
    check(
        &samples::rich(61),
        |edits| {
            for pc in every_pc(&samples::rich(61)) {
                edits.insert(InsertionPoint::Before(pc), vec![Opcode::NOP.into()]);
            }
        },
        expect![[r#"
            Rich.m(I)V
              stack 6, locals 300
              0  nop
              1  istore 299
              5  nop
              6  iinc 299 by 1000
              12  nop
              13  new java/lang/Object
              16  nop
              17  dup
              18  nop
              19  iload_0
              20  nop
              21  ifeq 26
              24  nop
              25  nop
              26  nop
              27  invokespecial java/lang/Object.<init>()V
              30  nop
              31  pop
              32  nop
              33  iload_0
              34  nop
              35  tableswitch -1:90 0:108 default:56
              56  nop
              57  nop
              58  nop
              59  iload_0
              60  nop
              61  lookupswitch 5:90 70000:108 default:88
              88  nop
              89  nop
              90  nop
              91  aconst_null
              92  nop
              93  invokeinterface java/lang/Runnable.run()V
              98  nop
              99  iinc 0 by -1
              102  nop
              103  goto 90
              106  nop
              107  pop
              108  nop
              109  return
              protected 90..106 goes to 106 on java/lang/Throwable
              protected 0..90 goes to 106 on any
              frame 26: locals Integer; stack Uninitialized(13) Uninitialized(13)
              frame 56: locals Integer; stack -
              frame 88: locals Integer; stack -
              frame 90: locals Integer; stack -
              frame 106: locals Integer; stack java/lang/Throwable
              frame 108: locals Integer; stack -
        "#]],
    );
}

#[test]
fn a_catch_all_in_a_constructor_begins_behind_the_call_of_super() {
    let bytes = class(61, b"<init>", 1, |class| {
        let init = class.pool.add_method(b"java/lang/Object", b"<init>", b"()V").unwrap();
        let object = class.pool.add_class(b"java/lang/Object").unwrap();
        let mut code = CodeBuilder::new(3, 1);
        // An object made before super() must not be taken for this.
        code.op(Opcode::ALOAD_0).op(Instruction::with_constant(Opcode::NEW, object)).op(Opcode::DUP);
        code.op(Instruction::with_constant(Opcode::INVOKESPECIAL, init)).op(Opcode::POP);
        code.op(Instruction::with_constant(Opcode::INVOKESPECIAL, init)).op(Opcode::NOP).op(Opcode::RETURN);
        code
    });
    check(
        &bytes,
        |edits| edits.catch_all(mark(9)),
        expect![[r#"
            T.<init>()V
              stack 3, locals 1
              0  aload_0
              1  new java/lang/Object
              4  dup
              5  invokespecial java/lang/Object.<init>()V
              8  pop
              9  invokespecial java/lang/Object.<init>()V
              12  nop
              13  return
              14  bipush 9
              16  pop
              17  athrow
              protected 12..14 goes to 14 on any
              frame 14: locals -; stack java/lang/Throwable
        "#]],
    );
}

#[test]
fn lines_and_variables_move_along() {
    let bytes = samples::rich(61);
    let written = rewritten(&bytes, COMPILE_LIMIT, |edits| {
        edits.insert(InsertionPoint::MethodEntry, mark(1));
        edits.insert(InsertionPoint::Before(0), mark(2));
        for pc in every_pc(&bytes).into_iter().skip(2).step_by(3) {
            edits.insert(InsertionPoint::Before(pc), mark(3));
        }
    });
    let written = written.unwrap();
    let (old, new) = (ClassFile::parse(&bytes).unwrap(), ClassFile::parse(&written).unwrap());
    // What was inserted before the last instruction belongs to it, so the variable ends before both.
    for (class, inserted) in [(&old, 0), (&new, 2)] {
        let code = class.code(&class.methods[0]).unwrap().unwrap();
        let lines = LineTable::of(&code, &class.constant_pool);
        let last = code.pcs[code.pcs.len() - 2];
        assert_eq!((lines.line_at(0), lines.line_at(last)), (Some(10), Some(12)));
        let table = code.attributes.iter().find(|found| found.is("LocalVariableTable", &class.constant_pool));
        let table = table.unwrap().content;
        assert_eq!(u16::from_be_bytes([table[2], table[3]]), 0);
        assert_eq!(u32::from(u16::from_be_bytes([table[4], table[5]])) + inserted, last);
    }
}

#[test]
fn what_is_skipped_is_skipped_with_a_reason() {
    let reason = |bytes: &[u8], limit, plan: &dyn Fn(&mut Edits)| match rewritten(bytes, limit, plan) {
        Ok(_) => "rewritten".to_owned(),
        Err(reason) => reason.to_string(),
    };
    let before_0 = |edits: &mut Edits| edits.insert(InsertionPoint::Before(0), mark(0));
    let jsr = class(49, b"m", 9, |_| {
        let mut code = CodeBuilder::new(1, 2);
        let routine = code.label();
        code.jump(Opcode::JSR, routine).op(Opcode::RETURN).mark(routine).op(Opcode::ASTORE_1);
        code.op(Instruction::with_local(Opcode::RET, 1));
        code
    });
    let long = |nops: usize| samples::with_code(b"()V", &[vec![0; nops], vec![177]].concat(), &[], &[]);
    let finalize = class(61, b"finalize", 1, |_| {
        let mut code = CodeBuilder::new(0, 1);
        code.op(Opcode::RETURN);
        code
    });
    let mut old = ClassBuilder::new(45, 0x21, b"T", b"java/lang/Object").unwrap();
    old.method(9, b"m", b"()V", None, &[(b"Code", &[1, 1, 0, 1, 177, 0, 0, 0, 0])]).unwrap();
    let mut old = old.finish();
    old[5] = 2; // the minor version
    let unframed = class(61, b"m", 9, |_| {
        let mut code = CodeBuilder::new(1, 1);
        let (next, end) = (code.label(), code.label());
        code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, end).op(Opcode::ILOAD_0).jump(Opcode::IFEQ, next);
        code.mark(next).op(Opcode::NOP).mark(end).op(Opcode::RETURN).frame(end, &[V::Integer], &[]);
        code
    });
    let described = [
        reason(&jsr, MAX_CODE, &before_0),
        reason(&long(7_999), COMPILE_LIMIT, &before_0),
        reason(&long(7_997), COMPILE_LIMIT, &before_0),
        reason(&long(65_534), MAX_CODE, &before_0),
        reason(&finalize, MAX_CODE, &before_0),
        reason(&old, MAX_CODE, &before_0),
        reason(&unframed, MAX_CODE, &|edits| edits.insert(InsertionPoint::Jump { at: 5, to: 8 }, mark(0))),
        reason(&looping(61), MAX_CODE, &|edits| edits.insert(InsertionPoint::Before(2), mark(0))),
        reason(&looping(61), MAX_CODE, &|edits| edits.insert(InsertionPoint::HandlerEntry(0), mark(0))),
        reason(&looping(61), MAX_CODE, &|edits| edits.insert(InsertionPoint::Jump { at: 1, to: 0 }, mark(0))),
        reason(&looping(61), MAX_CODE, &|edits| {
            edits.insert(InsertionPoint::FallThrough { into: 14 }, mark(0))
        }),
        reason(&looping(61), MAX_CODE, &|edits| {
            edits.insert(InsertionPoint::Before(0), vec![Opcode::RETURN.into()])
        }),
        reason(&looping(61), MAX_CODE, &|edits| {
            edits.insert(InsertionPoint::Before(0), vec![Opcode::ICONST_0.into()])
        }),
    ];
    expect![[r#"
        it uses subroutines (jsr, ret)
        it would grow from 8000 to 8002 bytes, 8000 are allowed
        rewritten
        it would grow from 65535 to 65537 bytes, 65535 are allowed
        it is an empty finalize(), which must stay empty
        its class file is older than JDK 1.0.2
        there is no stack map frame at pc 8, where a jump leads
        an edit does not fit the method: no instruction begins at its pc
        an edit does not fit the method: its pc is no handler
        an edit does not fit the method: no jump leads there
        an edit does not fit the method: its place is not reached from above
        an edit does not fit the method: its code is not a straight run
        an edit does not fit the method: its code does not leave the stack as it was
    "#]]
    .assert_eq(&(described.join("\n") + "\n"));
}

#[test]
fn a_branch_that_no_longer_reaches_takes_an_island() {
    let nops = vec![0; 32_750];
    // iload_0; ifeq far; iload_0; ifne on; return; on: nops; far: return
    let head = [26, 153, 0x7f, 0xf7, 26, 154, 0, 4, 177];
    let code = [&head[..], &nops, &[177]].concat();
    let far = u16::try_from(code.len() - 1).unwrap();
    let distance = (far - 1).to_be_bytes();
    let mut code = code;
    code[2..4].copy_from_slice(&distance);
    let frames = [&[0, 2, 9][..], &[251], &(far - 10).to_be_bytes()].concat();
    let bytes = samples::with_code(b"(I)V", &code, &[], &[(b"StackMapTable", frames)]);
    let twenty = |edits: &mut Edits| (0..20).for_each(|_| edits.insert(InsertionPoint::Before(9), mark(5)));
    let written = rewritten(&bytes, MAX_CODE, twenty).unwrap();
    let class = ClassFile::parse(&written).unwrap();
    let text = disassembly::method(&class, &class.methods[0]).unwrap();
    let interesting: Vec<&str> = text
        .lines()
        .filter(|line| !line.ends_with("nop") && !line.contains("iconst_5") && !line.ends_with("pop"))
        .collect();
    expect![[r#"
        T.m(I)V
          stack 9, locals 65520
          0  iload_0
          1  ifeq 9
          4  iload_0
          5  ifne 14
          8  return
          9  goto_w 32804
          32804  return
          frame 9: locals Integer; stack -
          frame 14: locals Integer; stack -
          frame 32804: locals Integer; stack -
    "#]]
    .assert_eq(&(interesting.join("\n") + "\n"));
}

#[test]
fn a_class_whose_methods_are_all_skipped_is_written_as_it_was() {
    let bytes = samples::with_code(b"()V", &[vec![0; 7_999], vec![177]].concat(), &[], &[]);
    let mut class = ClassFile::parse(&bytes).unwrap();
    let report = classfile::instrument::call_on_blocks(&mut class, (b"New", b"call"), &mut 0, COMPILE_LIMIT);
    assert_eq!((report.rewritten, report.skipped.len()), (0, 1));
    assert!(!class.is_changed());
    assert_eq!(class.to_bytes(), bytes);
}

#[test]
fn numbers_of_records_have_constants_of_their_own_and_may_be_counted_from_elsewhere() {
    let bytes = class(52, b"m", 9, |class| {
        let own = class.pool.add_integer(40_000).unwrap();
        let mut code = CodeBuilder::new(1, 1);
        code.op(Instruction::load_constant(own)).op(Opcode::POP).op(Opcode::RETURN);
        code
    });
    let with = |first: u32| {
        let mut class = ClassFile::parse(&bytes).unwrap();
        let report = instrument::each_method(&mut class, COMPILE_LIMIT, |subject| {
            let mut edits = Edits::of(subject.code);
            for number in [40_000, 7, 40_000] {
                let push = instrument::push_number(first + number, subject.pool)?;
                edits.insert(InsertionPoint::Before(0), vec![push, Opcode::POP.into()]);
            }
            Ok(edits)
        });
        assert_eq!(report.rewritten, 1);
        (class.number_offsets().collect::<Vec<_>>(), class.to_bytes())
    };
    let (offsets, mut moved) = with(0);
    let described: Vec<u32> =
        offsets.iter().map(|&at| u32::from_be_bytes(*moved[at..].first_chunk().unwrap())).collect();
    assert_eq!(described, [40_000, 7], "the same number is one constant, and none of the class's own");
    for (at, number) in offsets.iter().zip(described) {
        moved[*at..at + 4].copy_from_slice(&(number + 100).to_be_bytes());
    }
    assert_eq!((offsets, moved), with(100));
}
