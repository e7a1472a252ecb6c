//! Class files that tests build themselves, so that they pass without a JDK.
#![allow(dead_code, clippy::unwrap_used)] // each test file uses a part; a helper of tests is a test

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::instruction::{Keys, Switch};
use classfile::stack_map::VerificationType as V;
use classfile::{Instruction, Opcode, Operand};

/// A class with every table that holds pcs: frames (with an uninitialized type), lines, variables,
/// handlers, both switches, wide operands, type annotations, a character range table.
pub(crate) fn rich(version: u16) -> Vec<u8> {
    let mut class = ClassBuilder::new(version, 0x21, b"Rich", b"java/lang/Object").unwrap();
    let mut code = CodeBuilder::new(6, 300);
    let object = class.pool.add_class(b"java/lang/Object").unwrap();
    let throwable = class.pool.add_class(b"java/lang/Throwable").unwrap();
    let init = class.pool.add_method(b"java/lang/Object", b"<init>", b"()V").unwrap();
    let run = class.pool.add_interface_method(b"java/lang/Runnable", b"run", b"()V").unwrap();
    let (name, kind) = (class.pool.add_utf8(b"x").unwrap(), class.pool.add_utf8(b"I").unwrap());
    let start = code.line(10).here();
    let (other, join, end) = (code.label(), code.label(), code.label());
    code.op(Instruction::with_local(Opcode::ISTORE, 299)).op(Instruction::increment(299, 1000));
    let made = code.here();
    code.op(Instruction::with_constant(Opcode::NEW, object)).op(Opcode::DUP);
    code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, other).op(Opcode::NOP).mark(other);
    let raw = V::Uninitialized(u16::try_from(made.number()).unwrap());
    code.frame(other, &[V::Integer], &[raw, raw]);
    code.op(Instruction::with_constant(Opcode::INVOKESPECIAL, init)).op(Opcode::POP).line(11);
    let arms = vec![join.number(), end.number()];
    for keys in [Keys::From(-1), Keys::Each(vec![5, 70_000])] {
        let next = code.label();
        let opcode = if keys == Keys::From(-1) { Opcode::TABLESWITCH } else { Opcode::LOOKUPSWITCH };
        let switch = Switch { default: next.number(), keys, targets: arms.clone() };
        code.op(Opcode::ILOAD_0).op(Instruction { opcode, operand: Operand::Switch(Box::new(switch)) });
        code.mark(next).frame(next, &[V::Integer], &[]).op(Opcode::NOP);
    }
    code.mark(join).line(12).op(Opcode::ACONST_NULL);
    code.frame(join, &[V::Integer], &[]);
    let operand = Operand::Interface { method: run, count: 1, zero: 0 };
    code.op(Instruction { opcode: Opcode::INVOKEINTERFACE, operand });
    code.op(Instruction::increment(0, -1)).jump(Opcode::GOTO, join);
    let caught = code.here();
    code.frame(caught, &[V::Integer], &[V::Object(throwable)]);
    code.op(Opcode::POP).mark(end).op(Opcode::RETURN);
    code.frame(end, &[V::Integer], &[]);
    code.handler(join, caught, caught, throwable).handler(start, join, caught, 0);
    code.local(start, end, name, kind, 0);
    class.method(0x0009, b"m", b"(I)V", Some(&code), &[]).unwrap();
    // A constructor, so that catch-alls meet a raw `this`.
    let mut constructor = CodeBuilder::new(2, 1);
    constructor.op(Opcode::ALOAD_0).op(Instruction::with_constant(Opcode::INVOKESPECIAL, init));
    constructor.op(Opcode::RETURN);
    class.method(1, b"<init>", b"()V", Some(&constructor), &[]).unwrap();
    class.method(0x0401, b"none", b"([[JLjava/lang/String;D)Z", None, &[]).unwrap();
    class.field(2, b"field", b"J").unwrap();
    class.attribute(b"SourceFile", &name.to_be_bytes()).unwrap();
    class.attribute(b"OfAnotherTool", &[1, 2, 3]).unwrap();
    class.finish()
}

/// A class with one static method `m` whose `Code` attribute has these parts.
pub(crate) fn with_code(
    descriptor: &[u8],
    code: &[u8],
    handlers: &[[u16; 4]],
    attributes: &[(&[u8], Vec<u8>)],
) -> Vec<u8> {
    let mut class = ClassBuilder::new(61, 0x21, b"T", b"java/lang/Object").unwrap();
    let mut content = vec![0, 9, 0xff, 0xf0];
    content.extend(u32::try_from(code.len()).unwrap().to_be_bytes());
    content.extend_from_slice(code);
    content.extend(u16::try_from(handlers.len()).unwrap().to_be_bytes());
    content.extend(handlers.iter().flatten().flat_map(|value| value.to_be_bytes()));
    content.extend(u16::try_from(attributes.len()).unwrap().to_be_bytes());
    for (name, bytes) in attributes {
        content.extend(class.pool.add_utf8(name).unwrap().to_be_bytes());
        content.extend(u32::try_from(bytes.len()).unwrap().to_be_bytes());
        content.extend_from_slice(bytes);
    }
    class.method(0x0009, b"m", descriptor, None, &[(b"Code", &content)]).unwrap();
    class.finish()
}
