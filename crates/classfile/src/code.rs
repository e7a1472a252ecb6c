//! The body of a method: instructions, protected ranges and attributes.
//!
//! Reading checks what every later step relies on: instructions fill the code without a gap, jumps
//! and protected ranges begin and end where instructions do, and the last instruction does not run
//! over the end. Types and stack depth are not checked. Source: JVM specification 4.7.3, 4.9.1.

use crate::attribute::{self, Attribute};
use crate::error::{Error, Result};
use crate::instruction::Instruction;
use crate::limits::MAX_CODE;
use crate::reader::Reader;

/// A body that was read.
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// Deepest operand stack, in slots.
    pub max_stack: u16,
    /// Slots for parameters and local variables.
    pub max_locals: u16,
    /// The instructions in order.
    pub instructions: Vec<Instruction>,
    /// The pc of each instruction, and the length of the code as the last element.
    pub pcs: Vec<u32>,
    /// The exception table, in its order (the first match wins).
    pub handlers: Vec<Handler>,
    /// The attributes of the body.
    pub attributes: Vec<Attribute<'a>>,
    /// The code as it stands in the file.
    pub(crate) bytes: &'a [u8],
    /// The lengths at its head take half the room (JDK 1.0).
    pub(crate) short_header: bool,
    /// By pc: the index of the instruction that begins there, plus 1; 0 where none does.
    numbers: Vec<u16>,
}

/// One row of the exception table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First pc that is protected.
    pub start: u32,
    /// First pc that is no longer protected.
    pub end: u32,
    /// Where it goes.
    pub handler: u32,
    /// Constant index of the class that is caught, 0 for any.
    pub catch_type: u16,
}

impl Handler {
    /// Whether it protects itself from its first instruction on, as the clean-up code of
    /// `synchronized` does: an exception in there leads there again.
    pub fn covers_itself(&self) -> bool {
        (self.start..self.end).contains(&self.handler)
    }
}

impl<'a> Code<'a> {
    pub(crate) fn parse(attribute: &Attribute<'a>, short_header: bool) -> Result<Self> {
        let mut reader = Reader::new(attribute.content, attribute.at);
        let (max_stack, max_locals, length) = if short_header {
            (u16::from(reader.u1()?), u16::from(reader.u1()?), u32::from(reader.u2()?))
        } else {
            (reader.u2()?, reader.u2()?, reader.u4()?)
        };
        let at = reader.offset();
        if length == 0 || length > MAX_CODE {
            return Err(Error::BadCodeLength { at, length });
        }
        let bytes = reader.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        let (instructions, pcs, numbers) = decode_all(bytes, at)?;
        let mut handlers = Vec::new();
        for _ in 0..reader.u2()? {
            handlers.push(Handler {
                start: u32::from(reader.u2()?),
                end: u32::from(reader.u2()?),
                handler: u32::from(reader.u2()?),
                catch_type: reader.u2()?,
            });
        }
        let attributes = attribute::parse_all(&mut reader)?;
        let code = Self {
            max_stack,
            max_locals,
            instructions,
            pcs,
            handlers,
            attributes,
            bytes,
            short_header,
            numbers,
        };
        code.check()?;
        Ok(code)
    }

    fn check(&self) -> Result<()> {
        for (instruction, &pc) in self.instructions.iter().zip(&self.pcs) {
            for target in instruction.targets() {
                self.index_at(target).ok_or(Error::NoInstructionThere { pc, target: i64::from(target) })?;
            }
        }
        for row in &self.handlers {
            let bad = |target: u32| Error::NoInstructionThere { pc: row.start, target: i64::from(target) };
            self.index_at(row.start).ok_or(bad(row.start))?;
            self.index_at(row.handler).ok_or(bad(row.handler))?;
            if row.end <= row.start || self.boundary_at(row.end).is_none() {
                return Err(bad(row.end));
            }
        }
        match (self.instructions.last(), self.pcs.iter().nth_back(1)) {
            (Some(last), Some(&pc)) if last.opcode.falls_through() => Err(Error::FallsOffTheEnd { pc }),
            _ => Ok(()),
        }
    }

    /// The length in bytes.
    pub fn length(&self) -> u32 {
        self.pcs.last().copied().unwrap_or(0)
    }

    /// The index of the instruction that begins at a pc.
    pub fn index_at(&self, pc: u32) -> Option<usize> {
        let number = usize::try_from(pc).ok().and_then(|pc| self.numbers.get(pc)).copied()?;
        usize::from(number).checked_sub(1)
    }

    /// The same, and where the code ends the index behind the last instruction.
    pub(crate) fn boundary_at(&self, pc: u32) -> Option<usize> {
        if pc == self.length() { Some(self.instructions.len()) } else { self.index_at(pc) }
    }

    /// The instruction that begins at a pc.
    pub fn instruction_at(&self, pc: u32) -> Option<&Instruction> {
        self.index_at(pc).and_then(|index| self.instructions.get(index))
    }

    /// Instructions with their pcs.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Instruction)> {
        self.pcs.iter().copied().zip(&self.instructions)
    }

    /// Whether it uses `jsr` or `ret`.
    pub fn has_subroutines(&self) -> bool {
        self.instructions.iter().any(|instruction| instruction.opcode.is_subroutine())
    }
}

fn decode_all(bytes: &[u8], at: usize) -> Result<(Vec<Instruction>, Vec<u32>, Vec<u16>)> {
    let mut reader = Reader::new(bytes, at);
    let capacity = bytes.len() / 2 + 1; // an instruction has two bytes, more or less
    let (mut instructions, mut pcs) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity + 1));
    let mut numbers = vec![0; bytes.len()];
    loop {
        let pc = u32::try_from(reader.position()).unwrap_or(u32::MAX);
        pcs.push(pc);
        if reader.is_empty() {
            return Ok((instructions, pcs, numbers));
        }
        if let Some(number) = numbers.get_mut(reader.position()) {
            *number = u16::try_from(pcs.len()).unwrap_or(0); // `MAX_CODE` keeps it in range
        }
        instructions.push(Instruction::decode(&mut reader, pc)?);
    }
}
