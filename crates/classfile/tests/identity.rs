//! The same class is known again, another one is distinguished; annotations are listed.
#![allow(clippy::unwrap_used)] // all of this is a test

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::{ClassFile, Instruction, Opcode, annotations, identity};

fn class(order: &[&[u8]], constant: i32, first: &[u8]) -> Vec<u8> {
    let mut class = ClassBuilder::new(55, 0x21, b"T", b"java/lang/Object").unwrap();
    class.pool.add_utf8(first).unwrap();
    for name in order {
        let value = class.pool.add_integer(constant).unwrap();
        let other = class.pool.add_method(b"T", b"b", b"()V").unwrap();
        let mut code = CodeBuilder::new(1, 0);
        code.line(7).op(Instruction::with_constant(Opcode::LDC_W, value)).op(Opcode::POP);
        code.op(Instruction::with_constant(Opcode::INVOKESTATIC, other)).op(Opcode::RETURN);
        class.method(9, name, b"()V", Some(&code), &[]).unwrap();
    }
    class.finish()
}

fn identity(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    identity::write(&ClassFile::parse(bytes).unwrap(), &mut |bytes| all.extend_from_slice(bytes));
    all
}

#[test]
fn the_order_of_methods_and_constants_does_not_matter() {
    let one = class(&[b"a", b"b"], 70_000, b"nothing");
    let other = class(&[b"b", b"a"], 70_000, b"else");
    assert_ne!(one, other);
    assert_eq!(identity(&one), identity(&other));
    assert_ne!(identity(&one), identity(&class(&[b"a", b"b"], 70_001, b"nothing")));
    assert_ne!(identity(&one), identity(&class(&[b"a", b"c"], 70_000, b"nothing")));
}

#[test]
fn annotations_are_listed_by_type() {
    let mut class = ClassBuilder::new(55, 0x21, b"T", b"java/lang/Object").unwrap();
    let kind = class.pool.add_utf8(b"Llombok/Generated;").unwrap();
    let name = class.pool.add_utf8(b"value").unwrap();
    let mut content = vec![0, 2];
    content.extend(kind.to_be_bytes());
    content.extend([0, 1]);
    content.extend(name.to_be_bytes());
    content.extend([b'[', 0, 1, b's']);
    content.extend(name.to_be_bytes());
    content.extend(name.to_be_bytes());
    content.extend([0, 0]);
    class.attribute(b"RuntimeInvisibleAnnotations", &content).unwrap();
    let bytes = class.finish();
    let read = ClassFile::parse(&bytes).unwrap();
    let types = annotations::types(&read.attributes, &read.constant_pool);
    assert_eq!(types, [&b"Llombok/Generated;"[..], b"value"]);
}
