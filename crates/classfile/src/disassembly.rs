//! The body of a method as text for people: instructions, protected ranges, frames.
//!
//! ```text
//! Sums.total(I)I
//!   stack 2, locals 1
//!   0  iload_0
//!   1  ifeq 8
//!   protected 0..8 goes to 9 on any
//!   frame 8: locals Integer; stack -
//! ```

use std::fmt::Write;

use crate::class_file::ClassFile;
use crate::code::Code;
use crate::error::Result;
use crate::instruction::{Instruction, Keys, Operand};
use crate::listing::shown;
use crate::method::Method;
use crate::stack_map::{StackMap, VerificationType};

/// The text for one method; empty if it has no code.
pub fn method(class: &ClassFile<'_>, method: &Method<'_>) -> Result<String> {
    let Some(code) = class.code(method)? else { return Ok(String::new()) };
    let pool = &class.constant_pool;
    let mut out = format!("{}.{}", shown(pool.class_name(class.this_class)), shown(pool.utf8(method.name)));
    let _ = writeln!(out, "{}", shown(pool.utf8(method.descriptor)));
    let _ = writeln!(out, "  stack {}, locals {}", code.max_stack, code.max_locals);
    for (pc, instruction) in code.iter() {
        let _ = writeln!(out, "  {pc}  {}{}", instruction.opcode, operand(instruction, class));
    }
    for row in &code.handlers {
        let caught = match row.catch_type {
            0 => "any".to_owned(),
            index => shown(pool.class_name(index)),
        };
        let _ = writeln!(out, "  protected {}..{} goes to {} on {caught}", row.start, row.end, row.handler);
    }
    let map = frames(class, method, &code)?;
    for frame in &map.frames {
        let list = |types: &[VerificationType]| match types {
            [] => "-".to_owned(),
            types => types.iter().map(|kind| kind_name(*kind, class)).collect::<Vec<_>>().join(" "),
        };
        let (locals, stack) = (list(map.locals(frame)), list(map.stack(frame)));
        let _ = writeln!(out, "  frame {}: locals {locals}; stack {stack}", frame.pc);
    }
    Ok(out)
}

fn frames(class: &ClassFile<'_>, method: &Method<'_>, code: &Code<'_>) -> Result<StackMap> {
    let pool = &class.constant_pool;
    let this = (!method.is_static()).then_some(VerificationType::Object(class.this_class));
    let mut map = StackMap::at_start(pool.utf8(method.descriptor)?, this)?;
    if let Some(table) = code.attributes.iter().find(|attribute| attribute.is("StackMapTable", pool)) {
        map.read(table.content, table.at)?;
    }
    Ok(map)
}

fn kind_name(kind: VerificationType, class: &ClassFile<'_>) -> String {
    match kind {
        VerificationType::Object(index) => shown(class.constant_pool.class_name(index)),
        other => format!("{other:?}"),
    }
}

fn operand(instruction: &Instruction, class: &ClassFile<'_>) -> String {
    match &instruction.operand {
        Operand::None => String::new(),
        Operand::Byte(value) => format!(" {value}"),
        Operand::Short(value) => format!(" {value}"),
        Operand::ArrayKind(kind) => format!(" {kind}"),
        Operand::Local { slot, .. } => format!(" {slot}"),
        Operand::Increment { slot, by, .. } => format!(" {slot} by {by}"),
        Operand::Constant(index)
        | Operand::Interface { method: index, .. }
        | Operand::Dynamic { site: index, .. }
        | Operand::MultiArray { class: index, .. } => constant(*index, class),
        Operand::Jump(target) => format!(" {target}"),
        Operand::Switch(switch) => {
            let mut out = String::new();
            for (number, target) in (0..).zip(&switch.targets) {
                let key = match &switch.keys {
                    Keys::From(low) => i64::from(*low) + number,
                    Keys::Each(keys) => {
                        usize::try_from(number).ok().and_then(|at| keys.get(at)).copied().map_or(0, i64::from)
                    }
                };
                let _ = write!(out, " {key}:{target}");
            }
            format!("{out} default:{}", switch.default)
        }
    }
}

/// A field by its name and type, a method by its name and descriptor, a class by its own, anything else by its index.
fn constant(index: u16, class: &ClassFile<'_>) -> String {
    let pool = &class.constant_pool;
    if let Ok(member) = pool.member(index) {
        let owner = member.class.map_or_else(String::new, |class| shown(Ok(class)) + ".");
        let (name, descriptor) = (shown(Ok(member.name)), shown(Ok(member.descriptor)));
        let colon = if descriptor.starts_with('(') { "" } else { ":" };
        return format!(" {owner}{name}{colon}{descriptor}");
    }
    match pool.class_name(index) {
        Ok(name) => format!(" {}", shown(Ok(name))),
        Err(_) => format!(" #{index}"),
    }
}
