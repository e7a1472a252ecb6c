//! One-place changes of a class file, made by our own library: a condition turned, a constant changed, a call removed, an
//! exception thrown.

use classfile::edit::{Edits, InsertionPoint};
use classfile::line_table::LineTable;
use classfile::{ClassFile, Instruction, Opcode, Operand};

use fastrand::Rng;

/// A change that was made.
pub(super) struct Made {
    pub(super) bytes: Vec<u8>,
    pub(super) kind: &'static str,
    /// `Main.run`.
    pub(super) method: String,
    pub(super) line: u16,
}

/// A change in a place that `ran` (class with dots, method, descriptor, pc) says ran; `None` if there is none.
pub(super) fn change(
    bytes: &[u8],
    rng: &mut Rng,
    ran: &dyn Fn(&str, &str, &str, u32) -> bool,
) -> Option<Made> {
    let kinds = ["condition", "constant", "call", "exception"];
    let wanted = rng.usize(..kinds.len());
    let class = ClassFile::parse(bytes).unwrap();
    let name = class.name().replace('/', ".");
    let mut positions = vec![];
    for (number, method) in class.methods.iter().enumerate() {
        let text = |index| class.constant_pool.text(index).unwrap();
        let (method_name, descriptor) = (text(method.name), text(method.descriptor));
        let Some(code) = class.code(method).unwrap() else { continue };
        // What the compiler adds beside the program's text has no line that anybody would look for.
        if method_name == "<clinit>" || method.access_flags & 0x1000 != 0 {
            continue;
        }
        let lines = LineTable::of(&code, &class.constant_pool);
        for (pc, instruction) in code.iter() {
            let Some(line) = lines.line_at(pc).filter(|_| ran(&name, &method_name, &descriptor, pc)) else {
                continue;
            };
            let patch = match wanted {
                0 => inverted(instruction),
                1 => constant(instruction),
                2 => removed(&class, instruction),
                // Only where a line begins, and not before `super()`.
                _ => {
                    (method_name != "<init>" && pc > 0 && lines.line_at(pc - 1) != Some(line)).then(Vec::new)
                }
            };
            if let Some(patch) = patch {
                positions.push((number, method_name.clone(), pc, line, patch));
            }
        }
    }
    if positions.is_empty() {
        return None;
    }
    let (number, method_name, pc, line, patch) = positions.swap_remove(rng.usize(..positions.len()));
    let method = format!("{name}.{method_name}");
    let made = |bytes| Made { bytes, kind: kinds[wanted], method, line };
    if !patch.is_empty() {
        let about = &class.methods[number];
        let code = about.attributes.iter().find(|one| one.is("Code", &class.constant_pool)).unwrap();
        // Stack, locals and length stand before the code.
        let at = code.at + 8 + pc as usize;
        let mut bytes = bytes.to_vec();
        bytes[at..at + patch.len()].copy_from_slice(&patch);
        return Some(made(bytes));
    }
    let mut class = ClassFile::parse(bytes).unwrap();
    let code = class.code(&class.methods[number].clone()).unwrap().unwrap();
    let mut edits = Edits::of(&code);
    let zero = || Instruction::push_small(0);
    // Nothing else may be inserted that throws: a division by zero.
    edits.insert(InsertionPoint::Before(pc), [zero(), zero(), Opcode(108).into(), Opcode(87).into()]);
    class.rewrite(number, &edits, 60_000).ok()?;
    Some(made(class.to_bytes()))
}

fn inverted(instruction: &Instruction) -> Option<Vec<u8>> {
    let opcode = instruction.opcode;
    let other = match opcode.0 {
        198 => 199,
        199 => 198,
        number => ((number.wrapping_sub(1)) ^ 1) + 1,
    };
    opcode.is_conditional_jump().then(|| vec![other])
}

fn constant(instruction: &Instruction) -> Option<Vec<u8>> {
    match (instruction.opcode.0, &instruction.operand) {
        // iconst_0 and iconst_1 may be a truth value.
        (3, _) => Some(vec![4]),
        (4, _) => Some(vec![3]),
        (number @ 5..=7, _) => Some(vec![number + 1]),
        (8, _) => Some(vec![5]),
        (16, Operand::Byte(value)) => Some(vec![16, value.wrapping_add(1) as u8]),
        _ => None,
    }
}

/// A call whose arguments are dropped, and a zero in the place of what it gave, as far as three bytes go.
fn removed(class: &ClassFile<'_>, instruction: &Instruction) -> Option<Vec<u8>> {
    let Operand::Constant(index) = instruction.operand else { return None };
    let is_static = match instruction.opcode.0 {
        184 => true,
        182 => false,
        _ => return None,
    };
    let member = class.constant_pool.member(index).ok()?;
    let descriptor = String::from_utf8(member.descriptor.to_vec()).ok()?;
    let (arguments, result) = descriptor.strip_prefix('(')?.split_once(')')?;
    // Words of two slots and arrays are left aside: few calls have them.
    let mut slots = usize::from(!is_static);
    let mut rest = arguments;
    while let Some(first) = rest.chars().next() {
        match first {
            'L' => rest = rest.split_once(';')?.1,
            'I' | 'Z' | 'B' | 'S' | 'C' => rest = &rest[1..],
            _ => return None,
        }
        slots += 1;
    }
    let mut bytes = vec![88; slots / 2];
    bytes.extend(vec![87; slots % 2]);
    match result.chars().next()? {
        'V' => {}
        'I' | 'Z' | 'B' | 'S' | 'C' => bytes.push(3),
        _ => return None,
    }
    bytes.resize(3.max(bytes.len()), 0);
    (bytes.len() == 3).then_some(bytes)
}
