//! Bytes that are equal for two class files with the same code, however their tables are ordered.
//!
//! The virtual machine may hand out a class again with another constant pool, another order of
//! methods, and without attributes that it does not keep (stack maps on JDK 17, `Deprecated`). So
//! the same class cannot be known again by its bytes. What stays the same is written here: names,
//! and for each method, sorted by name and descriptor, its instructions with every constant
//! spelled out, its protected ranges and its lines. A constant is spelled out where it is used first and named by a
//! number from then on, so the bytes are never many more than the class has. Whoever wants a digest
//! hashes them.

use std::collections::HashMap;

use crate::class_file::ClassFile;
use crate::code::Code;
use crate::constant_pool::{Constant, ConstantPool};
use crate::instruction::{Instruction, Operand};
use crate::line_table::LineTable;
use crate::method::Method;

/// The bytes that identify the code of a class, a method at a time, in a fixed order.
pub fn write(class: &ClassFile<'_>, sink: &mut impl FnMut(&[u8])) {
    let pool = &class.constant_pool;
    let mut out = Spelling { pool, by_index: HashMap::new(), by_content: HashMap::new(), bytes: Vec::new() };
    for index in [class.this_class, class.super_class] {
        out.constant(index);
    }
    let name = |method: &Method<'_>| (pool.utf8(method.name).ok(), pool.utf8(method.descriptor).ok());
    let mut methods: Vec<&Method<'_>> = class.methods.iter().collect();
    methods.sort_by(|left, right| name(left).cmp(&name(right)));
    for method in methods {
        out.bytes.extend(method.access_flags.to_be_bytes());
        out.constant(method.name);
        out.constant(method.descriptor);
        if let Ok(Some(code)) = class.code(method) {
            out.body(&code);
        }
        sink(&out.bytes);
        out.bytes.clear();
    }
}

struct Spelling<'c, 'a> {
    pool: &'c ConstantPool<'a>,
    /// The number of each constant that was spelled out, by index and by what it says. Two
    /// constants that say the same have one number.
    by_index: HashMap<u16, u32>,
    by_content: HashMap<Vec<u8>, u32>,
    bytes: Vec<u8>,
}

impl Spelling<'_, '_> {
    fn body(&mut self, code: &Code<'_>) {
        self.bytes.extend(code.length().to_be_bytes());
        for (pc, instruction) in code.iter() {
            self.bytes.push(instruction.opcode.0);
            match constant_of(instruction) {
                Some(index) => self.constant(index),
                None => drop(instruction.encode(pc, |target| target, &mut self.bytes)),
            }
        }
        for row in &code.handlers {
            self.bytes.extend([row.start, row.end, row.handler].iter().flat_map(|pc| pc.to_be_bytes()));
            self.constant(row.catch_type);
        }
        let lines = LineTable::of(code, self.pool);
        for &pc in &code.pcs {
            self.bytes.extend(lines.line_at(pc).unwrap_or(0).to_be_bytes());
        }
    }

    fn constant(&mut self, index: u16) {
        let number = self.number(index);
        self.bytes.extend(number.to_be_bytes());
    }

    /// The number of a constant; what it says is written when it is met first.
    fn number(&mut self, index: u16) -> u32 {
        if let Some(&number) = self.by_index.get(&index) {
            return number;
        }
        self.by_index.insert(index, u32::MAX); // ends a hostile constant that refers to itself
        let (kind, parts, value): (u8, [u16; 2], &[u8]) = match self.pool.get(index) {
            Ok(Constant::Utf8(text)) => (1, [0, 0], text),
            Ok(Constant::Class(name)) => (2, [name, 0], &[]),
            Ok(Constant::String(text)) => (3, [text, 0], &[]),
            Ok(Constant::Member { class, name_and_type }) => (4, [class, name_and_type], &[]),
            Ok(Constant::NameAndType { name, descriptor }) => (5, [name, descriptor], &[]),
            // The bootstrap method is a number in a table that may be ordered anew.
            Ok(Constant::Dynamic { name_and_type, .. }) => (6, [name_and_type, 0], &[]),
            Ok(Constant::Integer(_)) => (7, [0, 0], self.pool.value(index).unwrap_or_default()),
            Ok(Constant::Other(tag)) => (tag, [0, 0], self.pool.value(index).unwrap_or_default()),
            Err(_) => (0, [0, 0], &[]),
        };
        let mut content = vec![kind];
        content.extend_from_slice(value);
        for part in parts.into_iter().filter(|&part| part != 0) {
            content.extend(self.number(part).to_be_bytes());
        }
        let next = u32::try_from(self.by_content.len()).unwrap_or(u32::MAX);
        let number = match self.by_content.get(&content) {
            Some(&known) => known,
            None => {
                self.bytes.extend(u32::try_from(content.len()).unwrap_or(u32::MAX).to_be_bytes());
                self.bytes.extend_from_slice(&content);
                self.by_content.insert(content, next);
                next
            }
        };
        self.by_index.insert(index, number);
        number
    }
}

fn constant_of(instruction: &Instruction) -> Option<u16> {
    match instruction.operand {
        Operand::Constant(index)
        | Operand::Interface { method: index, .. }
        | Operand::Dynamic { site: index, .. }
        | Operand::MultiArray { class: index, .. } => Some(index),
        _ => None,
    }
}
