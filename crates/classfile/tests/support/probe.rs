//! The class that inserted code calls in the tests, and the plans that insert the calls.
#![allow(dead_code, clippy::unwrap_used)] // each test file uses a part; a helper of tests is a test

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::instrument::blocks::Blocks;
use classfile::instrument::calls::Calls;
use classfile::instrument::plan::{Plan, Recorder};
use classfile::instrument::{self, Report, Subject};
use classfile::paths::Surroundings;
use classfile::stack_map::VerificationType;
use classfile::{ClassFile, Edits, InsertionPoint, Instruction, Opcode, Skipped};

/// In a package that every class of every module sees.
pub(crate) const NAME: &[u8] = b"java/lang/TracewrightProbe";

/// `public final class TracewrightProbe` with its counters, written by our own builder.
pub(crate) fn class() -> Vec<u8> {
    let mut class = ClassBuilder::new(55, 0x31, NAME, b"java/lang/Object").unwrap();
    for field in [&b"hits"[..], b"caught", b"left"] {
        class.field(0x0009, field, b"I").unwrap();
        let index = class.pool.add_field(NAME, field, b"I").unwrap();
        let mut code = CodeBuilder::new(2, 1);
        code.op(Instruction::with_constant(Opcode::GETSTATIC, index))
            .op(Opcode::ICONST_1)
            .op(Opcode::IADD)
            .op(Instruction::with_constant(Opcode::PUTSTATIC, index))
            .op(Opcode::RETURN);
        let descriptor = if field == b"hits" { &b"(I)V"[..] } else { b"(Ljava/lang/Throwable;)V" };
        class.method(0x0009, field, descriptor, Some(&code), &[]).unwrap();
    }
    class.field(0x0009, b"asked", b"I").unwrap();
    let asked = class.pool.add_field(NAME, b"asked", b"I").unwrap();
    let mut code = CodeBuilder::new(3, 0);
    code.op(Instruction::with_constant(Opcode::GETSTATIC, asked)).op(Opcode::ICONST_1).op(Opcode::IADD);
    code.op(Opcode::DUP).op(Instruction::with_constant(Opcode::PUTSTATIC, asked));
    code.op(Opcode::ICONST_1).op(Opcode::IAND).op(Opcode::IRETURN);
    class.method(0x0009, b"alternates", b"()I", Some(&code), &[]).unwrap();
    add_paths(&mut class);
    class.finish()
}

/// What the plan for paths calls; the class is its own buffer. Everything counts as a hit.
fn add_paths(class: &mut ClassBuilder) {
    let me = [b"L", NAME, b";"].concat();
    class.field(0x0001, b"at", b"I").unwrap();
    for (field, descriptor) in
        [(&b"late"[..], &me[..]), (b"next", &me), (b"iterations", b"J"), (b"end", b"J")]
    {
        class.field(0x0001, field, descriptor).unwrap();
    }
    class.field(0x0018, b"HERE", &me).unwrap();
    let object = class.pool.add_method(b"java/lang/Object", b"<init>", b"()V").unwrap();
    let mut code = CodeBuilder::new(1, 1);
    code.op(Opcode::ALOAD_0).op(Instruction::with_constant(Opcode::INVOKESPECIAL, object)).op(Opcode::RETURN);
    class.method(0x0002, b"<init>", b"()V", Some(&code), &[]).unwrap();
    let here = class.pool.add_field(NAME, b"HERE", &me).unwrap();
    let init = class.pool.add_method(NAME, b"<init>", b"()V").unwrap();
    let mut code = CodeBuilder::new(2, 0);
    code.op(Instruction::with_constant(Opcode::NEW, class.this_class())).op(Opcode::DUP);
    code.op(Instruction::with_constant(Opcode::INVOKESPECIAL, init));
    code.op(Instruction::with_constant(Opcode::PUTSTATIC, here)).op(Opcode::RETURN);
    class.method(0x0008, b"<clinit>", b"()V", Some(&code), &[]).unwrap();
    let mut code = CodeBuilder::new(1, 1);
    code.op(Instruction::with_constant(Opcode::GETSTATIC, here)).op(Opcode::ARETURN);
    class.method(0x0009, b"here", &[b"()", &me[..]].concat(), Some(&code), &[]).unwrap();
    class.method(0x0009, b"begin", &[b"(I)", &me[..]].concat(), Some(&code), &[]).unwrap();
    let hits = class.pool.add_field(NAME, b"hits", b"I").unwrap();
    let of_buffer = ["path", "cut", "first", "last", "counted", "firstCounted"].map(|name| (name, true));
    for (name, has_buffer) in of_buffer.into_iter().chain([("whole", false), ("wholeCounted", false)]) {
        let numbers: &[u8] = if name.ends_with("ounted") { b"II)V" } else { b"I)V" };
        let buffer: &[u8] = if has_buffer { &me } else { b"" };
        count(class, hits, name, &[b"(", buffer, numbers].concat());
        if name.ends_with("ounted") {
            count(class, hits, name, &[b"(", buffer, b"IJ)V"].concat());
        }
    }
    count(class, hits, "thrown", b"(IIJ)V");
    count(class, hits, "unwind", b"(I)V");
    count(class, hits, "rec", &[b"(", &me[..], b"I)V"].concat());
    count(class, hits, "thrown", b"(II)V");
    count(class, hits, "thrown", b"(III)V");
}

fn count(class: &mut ClassBuilder, hits: u16, name: &str, descriptor: &[u8]) {
    let mut code = CodeBuilder::new(2, 5);
    code.op(Instruction::with_constant(Opcode::GETSTATIC, hits)).op(Opcode::ICONST_1).op(Opcode::IADD);
    code.op(Instruction::with_constant(Opcode::PUTSTATIC, hits)).op(Opcode::RETURN);
    class.method(0x0009, name.as_bytes(), descriptor, Some(&code), &[]).unwrap();
}

/// Paths, as the recorder inserts them; it knows itself how long a method may become.
pub(crate) fn paths(class: &mut ClassFile<'_>, _: u32) -> Report {
    let recorder = Recorder { class: NAME, buffer: NAME };
    let mut first = 2;
    let bodies = instrument::bodies(class);
    instrument::each_body(class, &bodies, instrument::longest, 3, |mut subject| {
        if subject.attempt > 0 {
            first += u32::try_from(subject.graph.blocks.len()).unwrap() + 3;
        }
        match subject.attempt {
            0 => {}
            1 => return Blocks { recorder, among_paths: true }.edits(&mut subject, first),
            _ => return Calls { recorder, among_paths: true }.edits(&mut subject, first),
        }
        let paths = instrument::paths::numbering(
            &subject,
            Surroundings { jdk_is_recorded: true, class_is_whole: true },
        )?;
        let edits = instrument::paths::edits(&mut subject, &paths, &recorder, first)?;
        first += paths.numbering.codes;
        Ok(edits)
    })
}

/// A call on entry to each block.
pub(crate) fn blocks(class: &mut ClassFile<'_>, limit: u32) -> Report {
    instrument::call_on_blocks(class, (NAME, b"hits"), &mut 0, limit)
}

/// All at once: a local that is counted up in each block, a call on each block, edge and handler,
/// and a catch-all.
pub(crate) fn everything(class: &mut ClassFile<'_>, limit: u32) -> Report {
    let mut id = 0;
    instrument::each_method(class, limit, |mut subject| everything_in(&mut subject, &mut id))
}

/// The same, and the old body beside it, which half of all calls run.
pub(crate) fn everything_beside(class: &mut ClassFile<'_>, limit: u32) -> Report {
    let mut id = 0;
    instrument::each_method(class, limit, |mut subject| {
        let alternates = subject.pool.add_method(NAME, b"alternates", b"()I")?;
        let mut edits = everything_in(&mut subject, &mut id)?;
        let alternates = Instruction::with_constant(Opcode::INVOKESTATIC, alternates);
        edits.only_if([alternates]);
        Ok(edits)
    })
}

fn everything_in(subject: &mut Subject<'_, '_>, id: &mut i32) -> Result<Edits, Skipped> {
    let hit = subject.pool.add_method(NAME, b"hits", b"(I)V")?;
    let caught = subject.pool.add_method(NAME, b"caught", b"(Ljava/lang/Throwable;)V")?;
    let left = subject.pool.add_method(NAME, b"left", b"(Ljava/lang/Throwable;)V")?;
    let mut edits = Edits::of(subject.code);
    let slot = edits.new_local(VerificationType::Integer).unwrap();
    let wide = edits.new_local(VerificationType::Long).unwrap();
    let calls = |id: i16| {
        let call = Instruction::with_constant(Opcode::INVOKESTATIC, hit);
        vec![Instruction::push_small(id), call]
    };
    let with_exception =
        |method| vec![Opcode::DUP.into(), Instruction::with_constant(Opcode::INVOKESTATIC, method)];
    edits.insert(
        InsertionPoint::MethodEntry,
        vec![
            Instruction::push_small(7),
            Instruction::with_local(Opcode::ISTORE, slot),
            Opcode::LCONST_1.into(),
            Instruction::with_local(Opcode::LSTORE, wide),
        ],
    );
    for block in &subject.graph.blocks {
        *id = (*id + 1) % 30_000;
        if let Some(pc) = block.record_at {
            let mut run = vec![Instruction::increment(slot, 1)];
            run.extend(calls(i16::try_from(*id).unwrap()));
            edits.insert(InsertionPoint::Before(pc), run);
        }
        if block.is_handler {
            edits.insert(InsertionPoint::HandlerEntry(block.start), with_exception(caught));
        }
    }
    for edge in &subject.graph.edges {
        let point = InsertionPoint::of_edge(subject.graph, edge).unwrap();
        let mut run = vec![Instruction::with_local(Opcode::LLOAD, wide), Opcode::POP2.into()];
        run.extend(calls(-2));
        edits.insert(point, run);
    }
    edits.catch_all(with_exception(left));
    edits.catch_all_else(with_exception(left));
    Ok(edits)
}
