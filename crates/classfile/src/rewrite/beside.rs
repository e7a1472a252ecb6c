//! A new body beside the old one: which of the two a call runs is decided where it begins.
//!
//! ```text
//!   nop ...                        so that the switches of both bodies stay aligned
//!   condition; ifne new
//!   old:   the body as it was
//!   new:   nop ...; the new body   frame of the method's start
//! ```
//!
//! Neither body changes: its jumps are relative, and its tables are moved along. Protected ranges, lines and variables
//! exist for both, annotations of types for the new one only.
//! Source: JVM specification 4.7.3, 4.7.4; 4.10.1.6 for the frame of the start.

use super::Subject;
use crate::attribute::Attribute;
use crate::class_file::ClassFile;
use crate::code::{Code, Handler};
use crate::code_tables::{self, PcMap};
use crate::error::Error;
use crate::instruction::Instruction;
use crate::limits::MAX_FRAME_TYPES;
use crate::opcode::Opcode;
use crate::skipped::Skipped;
use crate::stack_map::{Frame, FrameWriter, StackMap, VerificationType};

/// How many bytes two bodies have besides their own, at most.
pub(super) fn added_length(condition: &[Instruction]) -> u32 {
    align(JUMP + condition.iter().map(|instruction| instruction.size(0)).sum::<u32>()) + 3
}

/// Bytes of the jump.
const JUMP: u32 = 3;

/// Puts the old body beside a new one. `content`: of the new `Code` attribute; what comes back is that of both.
/// `this`: the type of the object at the start of the method; `frames`: whether the new body has frames.
pub(super) fn put(
    class: &mut ClassFile<'_>,
    subject: Subject<'_, '_>,
    condition: &[Instruction],
    (old_map, this, frames): (&StackMap, Option<VerificationType>, bool),
    content: &[u8],
) -> Result<Vec<u8>, Skipped> {
    let old = subject.code;
    let new = Code::parse(&Attribute { name: 0, content, at: 0 }, false)?;
    let mut bytes = head(condition)?;
    let start_of_old = length(&bytes);
    bytes.extend_from_slice(old.bytes);
    let target = length(&bytes);
    bytes.resize(bytes.len() + usize::try_from(align(target) - target).unwrap_or(0), Opcode::NOP.0);
    let start_of_new = length(&bytes);
    bytes.extend_from_slice(new.bytes);
    let distance = i16::try_from(target - (start_of_old - JUMP)).map_err(|_| Skipped::JumpTooFar)?;
    let pc_of = usize::try_from(start_of_old - 2).unwrap_or(usize::MAX);
    bytes.iter_mut().skip(pc_of).zip(distance.to_be_bytes()).for_each(|(byte, new)| *byte = new);

    let mut out = Vec::with_capacity(bytes.len() + content.len());
    // What a condition needs at most.
    out.extend(new.max_stack.max(2).to_be_bytes());
    out.extend(new.max_locals.to_be_bytes());
    out.extend(length(&bytes).to_be_bytes());
    out.extend_from_slice(&bytes);
    // Those of the new body first: annotations of types name rows by number.
    let rows = moved(&new.handlers, start_of_new).chain(moved(&old.handlers, start_of_old));
    let rows: Vec<[u16; 4]> = rows.collect();
    let too_many = Error::TooMany { what: "protected ranges", limit: usize::from(u16::MAX) };
    out.extend(u16::try_from(rows.len()).map_err(|_| too_many)?.to_be_bytes());
    out.extend(rows.iter().flatten().flat_map(|value| value.to_be_bytes()));

    let mut tables = Tables { out, count: 0, offset_of_count: 0 };
    tables.offset_of_count = tables.out.len();
    tables.out.extend([0, 0]);
    for (code, is_old, start) in [(&new, false, start_of_new), (old, true, start_of_old)] {
        for attribute in &code.attributes {
            let name = class.constant_pool.utf8(attribute.name)?;
            let is_twofold =
                matches!(name, b"LineNumberTable" | b"LocalVariableTable" | b"LocalVariableTypeTable");
            if name != b"StackMapTable" && (is_twofold || !is_old) {
                tables.put(name, attribute, &Shift { by: start, from_start: is_old })?;
            }
        }
    }
    if frames {
        let mut new_map = StackMap::default();
        new_map.begin(class.constant_pool.utf8(subject.method.descriptor)?, this)?;
        let table = new.attributes.iter().find(|table| table.is("StackMapTable", &class.constant_pool));
        if let Some(table) = table {
            new_map.read(table.content, table.at)?;
        }
        let bodies = [(old_map, start_of_old, None), (&new_map, start_of_new, Some(target))];
        tables.put_frames(class, bodies)?;
    }
    Ok(tables.finish())
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

fn align(pc: u32) -> u32 {
    pc.next_multiple_of(4)
}

/// The code before both bodies, without the distance of its jump, with which it ends.
fn head(condition: &[Instruction]) -> Result<Vec<u8>, Skipped> {
    let mut bytes = Vec::new();
    for instruction in condition {
        let encoded = instruction.encode(0, |_| 0, &mut bytes);
        encoded.ok_or(Skipped::BadEdit("a condition is no plain code"))?;
    }
    bytes.extend([Opcode::IFNE.0, 0, 0]);
    let before = align(length(&bytes)) - length(&bytes);
    bytes.splice(0..0, (0..before).map(|_| Opcode::NOP.0));
    Ok(bytes)
}

fn moved(handlers: &[Handler], by: u32) -> impl Iterator<Item = [u16; 4]> + '_ {
    let pc_of = move |pc: u32| u16::try_from(pc + by).unwrap_or(u16::MAX);
    handlers.iter().map(move |row| [pc_of(row.start), pc_of(row.end), pc_of(row.handler), row.catch_type])
}

/// Where one of the bodies stands. What begins where the old one does begins with the method: its parameters, its first line.
struct Shift {
    by: u32,
    from_start: bool,
}

impl PcMap for Shift {
    fn segment(&self, pc: u32) -> u32 {
        if pc == 0 && self.from_start { 0 } else { pc + self.by }
    }

    fn instruction(&self, pc: u32) -> u32 {
        pc + self.by
    }
}

/// The attribute in the making, from where its tables begin.
struct Tables {
    out: Vec<u8>,
    count: u16,
    offset_of_count: usize,
}

impl Tables {
    fn put(&mut self, name: &[u8], attribute: &Attribute<'_>, shift: &Shift) -> Result<(), Skipped> {
        self.out.extend(attribute.name.to_be_bytes());
        self.out.extend(length(attribute.content).to_be_bytes());
        let content = self.out.len();
        self.out.extend_from_slice(attribute.content);
        code_tables::move_pcs(name, attribute, self.out.get_mut(content..).unwrap_or_default(), shift)?;
        self.count = self.count.checked_add(1).ok_or(Skipped::TooManySlots)?;
        Ok(())
    }

    /// One table of the frames of both bodies: each with its map, where it begins, and where the jump to it arrives.
    fn put_frames(
        &mut self,
        class: &mut ClassFile<'_>,
        bodies: [(&StackMap, u32, Option<u32>); 2],
    ) -> Result<(), Skipped> {
        let frames = bodies.iter().map(|(map, ..)| map.frames.len()).sum::<usize>();
        let widest =
            bodies.iter().flat_map(|(map, ..)| map.frames.iter().map(|frame| map.locals(frame).len())).max();
        if frames.saturating_mul(widest.unwrap_or(0)) > MAX_FRAME_TYPES {
            return Err(Error::TooMany { what: "types in its frames", limit: MAX_FRAME_TYPES }.into());
        }
        let name = class.constant_pool.add_utf8(b"StackMapTable")?;
        self.out.extend(name.to_be_bytes());
        let head = self.out.len();
        self.out.extend([0; 4]);
        let (old, ..) = bodies[0];
        let mut writer = FrameWriter::new(old, &mut self.out);
        for (map, start, entered_at) in bodies {
            let pool = &mut class.constant_pool;
            let new_pc = |pc: u16| u16::try_from(u32::from(pc) + start).ok();
            let pc_of = |frame: &Frame| frame.pc + start;
            let is_there = |at: &u32| map.frames.first().is_some_and(|frame| pc_of(frame) == *at);
            if let Some(at) = entered_at.filter(|at| !is_there(at)) {
                writer.write(at, map.initial(), &[], pool, &new_pc)?;
            }
            for frame in &map.frames {
                writer.write(pc_of(frame), map.locals(frame), map.stack(frame), pool, &new_pc)?;
            }
        }
        writer.finish();
        let length = length(self.out.get(head + 4..).unwrap_or_default()).to_be_bytes();
        self.out.iter_mut().skip(head).zip(length).for_each(|(byte, new)| *byte = new);
        self.count = self.count.checked_add(1).ok_or(Skipped::TooManySlots)?;
        Ok(())
    }

    fn finish(self) -> Vec<u8> {
        let Tables { mut out, count, offset_of_count } = self;
        out.iter_mut().skip(offset_of_count).zip(count.to_be_bytes()).for_each(|(byte, new)| *byte = new);
        out
    }
}
