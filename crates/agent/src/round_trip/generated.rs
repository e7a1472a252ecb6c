//! Classes with methods that no compiler would write: any jump, any protected range.

use classfile::class_builder::ClassBuilder;
use classfile::code_builder::CodeBuilder;
use classfile::instruction::{Keys, Switch};
use classfile::{Instruction, Opcode, Operand};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit
    }
}

/// A class of a few methods. It would not pass a verifier; nobody runs it.
pub(super) fn class(seed: u64) -> Vec<u8> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut class = ClassBuilder::new(49, 0x21, b"T", b"java/lang/Object").unwrap();
    for number in 0..1 + random.below(5) {
        let code = body(&mut class, &mut random);
        class.method(9, format!("m{number}").as_bytes(), b"(I)V", Some(&code), &[]).unwrap();
    }
    class.finish()
}

fn body(class: &mut ClassBuilder, random: &mut Random) -> CodeBuilder {
    let call = class.pool.add_method(b"T", b"m0", b"(I)V").unwrap();
    let abs = class.pool.add_method(b"java/lang/Math", b"abs", b"(I)I").unwrap();
    let field = class.pool.add_field(b"Other", b"f", b"I").unwrap();
    let throwable = class.pool.add_class(b"java/lang/Throwable").unwrap();
    let mut code = CodeBuilder::new(3, 1);
    let most = if random.below(4) == 0 { 40 } else { 10 };
    let count = 2 + random.below(most);
    let labels: Vec<_> = (0..count).map(|_| code.label()).collect();
    let calls_little = random.below(2) == 0;
    for (index, &label) in labels.iter().enumerate() {
        code.mark(label).op(Opcode::NOP);
        for _ in 0..random.below(3) {
            match random.below(if calls_little { 12 } else { 6 }) {
                0 => {
                    code.op(Opcode::ILOAD_0).op(Instruction::with_constant(Opcode::INVOKESTATIC, call));
                }
                1 => {
                    code.op(Opcode::ACONST_NULL).op(Opcode::ARRAYLENGTH).op(Opcode::POP);
                }
                2 => {
                    let abs = Instruction::with_constant(Opcode::INVOKESTATIC, abs);
                    code.op(Opcode::ILOAD_0).op(abs).op(Opcode::POP);
                }
                3 => {
                    code.op(Instruction::with_constant(Opcode::GETSTATIC, field)).op(Opcode::POP);
                }
                _ => {
                    code.op(Opcode::NOP);
                }
            }
        }
        let anywhere = |random: &mut Random| {
            let forward = index + 1 + random.below(4);
            let target = if random.below(4) == 0 { random.below(count) } else { forward.min(count - 1) };
            labels[target]
        };
        if index + 1 == count {
            code.op(Opcode::RETURN);
            break;
        }
        match random.below(12) {
            0..=4 => {
                let to = anywhere(random);
                code.op(Opcode::ILOAD_0).jump(Opcode::IFEQ, to);
            }
            5 => {
                let to = anywhere(random);
                code.jump(Opcode::GOTO, to);
            }
            6 => {
                let targets = (0..1 + random.below(4)).map(|_| anywhere(random).number()).collect();
                let default = anywhere(random).number();
                let switch = Switch { default, keys: Keys::From(0), targets };
                code.op(Opcode::ILOAD_0).op(Instruction {
                    opcode: Opcode::TABLESWITCH,
                    operand: Operand::Switch(Box::new(switch)),
                });
            }
            7 => {
                code.op(Opcode::RETURN);
            }
            8 if random.below(2) == 0 => {
                code.op(Opcode::ACONST_NULL).op(Opcode::ATHROW);
            }
            _ => {}
        }
    }
    for _ in 0..random.below(4) {
        let start = random.below(count - 1);
        let end = start + 1 + random.below(count - start - 1);
        let catch_type = if random.below(2) == 0 { throwable } else { 0 };
        code.handler(labels[start], labels[end], labels[random.below(count)], catch_type);
    }
    code
}
