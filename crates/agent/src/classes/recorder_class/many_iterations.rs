//! The methods that record more iterations than the record of a path can hold: 2^32 - 1 or more of them, for which no
//! word is left, since none may be 0.
//!
//! ```java
//! private static long many(int r, long iterations) {              // [1 | 2 << 30][r][iterations / (2^32 - 1)]
//!     TracewrightRecorder b = here();
//!     ...
//!     return iterations % 0xffff_ffffL;                           // for the record of r, which follows
//! }
//! public static void counted(TracewrightRecorder b, int r, long iterations) {   // and so on
//!     if (iterations >= 0xffff_ffffL) iterations = many(r, iterations);
//!     counted(b, r, (int) iterations);
//! }
//! ```
//!
//! An int that has come to its last value, -1, is the same case.

use capture::paths::{FOLLOWING, NO_STATE};
use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::stack_map::VerificationType as V;
use classfile::{Instruction, Opcode, Result};

use super::{Attribute, BUFFER, Names, PRIVATE_STATIC, PUBLIC_STATIC, RECORDER_CLASS, with};

/// Adds `many` and the variants that take a long.
pub(super) fn add(class: &mut ClassBuilder, names: &Names, hidden: &[Attribute<'_>]) -> Result<()> {
    let many = many(class, names)?;
    class.method(PRIVATE_STATIC, b"many", b"(IJ)J", Some(&many), &[])?;
    // Name, whether it takes the buffer, and how many ints.
    let variants: [(&[u8], bool, u16); 4] = [
        (b"counted", true, 1),
        (b"firstCounted", true, 1),
        (b"wholeCounted", false, 1),
        (b"thrown", false, 2),
    ];
    for (name, takes_buffer, ints) in variants {
        let buffer = if takes_buffer { BUFFER } else { b"" };
        let ints_in_words = b"II".get(..usize::from(ints)).unwrap_or_default();
        let with_int = [b"(", buffer, ints_in_words, b"I)V"].concat();
        let with_long = [b"(", buffer, ints_in_words, b"J)V"].concat();
        let same = class.pool.add_method(RECORDER_CLASS, name, &with_int)?;
        let iterations = u16::from(takes_buffer) + ints;
        let load = |slot| Instruction::with_local(Opcode::ILOAD, slot);
        let store = Instruction::with_local(Opcode::LSTORE, iterations);
        let load_iterations = || Instruction::with_local(Opcode::LLOAD, iterations);
        let mut code = CodeBuilder::new(6, iterations + 2);
        let few = code.label();
        code.op(load_iterations())
            .op(with(Opcode::LDC2_W, names.most))
            .op(Opcode::LCMP)
            .jump(Opcode::IFLT, few);
        code.op(load(iterations - 1))
            .op(load_iterations())
            .op(with(Opcode::INVOKESTATIC, names.many))
            .op(store);
        let mut known = if takes_buffer { vec![V::Object(names.buffer)] } else { Vec::new() };
        known.extend((0..ints).map(|_| V::Integer).chain([V::Long]));
        code.mark(few).frame(few, &known, &[]);
        if takes_buffer {
            code.op(Opcode::ALOAD_0);
        }
        for slot in iterations - ints..iterations {
            code.op(load(slot));
        }
        code.op(load_iterations()).op(Opcode::L2I).op(with(Opcode::INVOKESTATIC, same)).op(Opcode::RETURN);
        class.method(PUBLIC_STATIC, name, &with_long, Some(&code), hidden)?;
    }
    Ok(())
}

fn many(class: &mut ClassBuilder, names: &Names) -> Result<CodeBuilder> {
    let pool = &mut class.pool;
    let here = pool.add_method(RECORDER_CLASS, b"here", &[b"()", BUFFER].concat())?;
    let first = pool.add_integer(i32::from_ne_bytes((NO_STATE | 2 << FOLLOWING).to_ne_bytes()))?;
    let (eight, twelve) = (pool.add_long(8)?, pool.add_long(12)?);
    // Locals: 0 r, 1-2 iterations, 3 buffer, 4-5 cursor.
    let mut code = CodeBuilder::new(7, 6);
    let space = code.label();
    let cursor = || Instruction::with_local(Opcode::LLOAD, 4);
    let most = || with(Opcode::LDC2_W, names.most);
    code.op(with(Opcode::INVOKESTATIC, here)).op(Opcode::ASTORE_3);
    names.space(&mut code, Opcode::ALOAD_3, 4, space);
    code.mark(space).frame(space, &[V::Integer, V::Long, V::Object(names.buffer), V::Long], &[]);
    // The first word last: a record is there when its first word is.
    code.op(with(Opcode::GETSTATIC, names.u)).op(cursor()).op(with(Opcode::LDC2_W, eight)).op(Opcode::LADD);
    code.op(Opcode::LLOAD_1).op(most()).op(Opcode::LDIV).op(Opcode::L2I);
    code.op(with(Opcode::INVOKEVIRTUAL, names.put_int));
    code.op(with(Opcode::GETSTATIC, names.u)).op(cursor()).op(with(Opcode::LDC2_W, names.four));
    code.op(Opcode::LADD).op(Opcode::ILOAD_0).op(with(Opcode::INVOKEVIRTUAL, names.put_int));
    code.op(with(Opcode::GETSTATIC, names.u)).op(cursor()).op(Instruction::load_constant(first));
    code.op(with(Opcode::INVOKEVIRTUAL, names.put_int));
    code.op(Opcode::ALOAD_3).op(cursor()).op(with(Opcode::LDC2_W, twelve)).op(Opcode::LADD);
    code.op(with(Opcode::PUTFIELD, names.cursor));
    code.op(Opcode::LLOAD_1).op(most()).op(Opcode::LREM).op(Opcode::LRETURN);
    Ok(code)
}

impl Names {
    /// Where the int in a local is -1, the iterations that no word is left for are recorded, and 0 are left. `known`:
    /// what the locals hold; `r` lies before the iterations.
    pub(super) fn put_most(&self, code: &mut CodeBuilder, iterations: u16, known: &[V]) {
        let load = |slot| Instruction::with_local(Opcode::ILOAD, slot);
        let few = code.label();
        code.op(load(iterations)).op(Opcode::ICONST_M1).jump(Opcode::IF_ICMPNE, few);
        code.op(load(iterations - 1)).op(with(Opcode::LDC2_W, self.most));
        code.op(with(Opcode::INVOKESTATIC, self.many)).op(Opcode::L2I);
        code.op(Instruction::with_local(Opcode::ISTORE, iterations));
        code.mark(few).frame(few, known, &[]);
    }
}
