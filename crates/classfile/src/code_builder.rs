//! A method body written from nothing: instructions with labels, handlers, frames and lines.
//!
//! Slots for the stack and the locals are the caller's to count, and the frames the caller's to
//! know; nothing is verified. For a class below version 50, or one that is never verified, frames
//! can be left out.

use crate::constant_pool::ConstantPool;
use crate::error::{Error, Result};
use crate::instruction::Instruction;
use crate::layout::{Assembled, Layout, NoLayout};
use crate::limits::MAX_CODE;
use crate::opcode::Opcode;
use crate::stack_map::{FrameWriter, StackMap, VerificationType};
use crate::straight::Sink;

/// A position in the code that jumps and tables can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);

impl Label {
    /// Its number: what [`Instruction`] targets and [`VerificationType::Uninitialized`] hold here.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A body in the making.
#[derive(Clone, Debug, Default)]
pub struct CodeBuilder {
    max_stack: u16,
    max_locals: u16,
    layout: Layout,
    handlers: Vec<(Label, Label, Label, u16)>,
    frames: Vec<(Label, Vec<VerificationType>, Vec<VerificationType>)>,
    lines: Vec<(Label, u16)>,
    locals: Vec<(Label, Label, u16, u16, u16)>,
}

impl CodeBuilder {
    /// An empty body with room for these slots.
    pub fn new(max_stack: u16, max_locals: u16) -> Self {
        Self { max_stack, max_locals, ..Self::default() }
    }

    /// A label that is not placed yet.
    pub fn label(&mut self) -> Label {
        Label(self.layout.new_label())
    }

    /// Places a label here.
    pub fn mark(&mut self, label: Label) -> &mut Self {
        self.layout.mark(label.0);
        self
    }

    /// A new label, placed here.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.mark(label);
        label
    }

    /// Appends an instruction. Targets are label numbers.
    pub fn op(&mut self, instruction: impl Into<Instruction>) -> &mut Self {
        self.layout.push(&instruction.into());
        self
    }

    /// Appends a jump.
    pub fn jump(&mut self, opcode: Opcode, target: Label) -> &mut Self {
        self.op(Instruction::jump(opcode, target.0))
    }

    /// Appends a row to the exception table; `catch_type` 0 catches all.
    pub fn handler(&mut self, start: Label, end: Label, handler: Label, catch_type: u16) -> &mut Self {
        self.handlers.push((start, end, handler, catch_type));
        self
    }

    /// Says what holds at a label. Frames come in the order of the code.
    pub fn frame(&mut self, at: Label, locals: &[VerificationType], stack: &[VerificationType]) -> &mut Self {
        self.frames.push((at, locals.to_vec(), stack.to_vec()));
        self
    }

    /// The instructions from here on belong to this line.
    pub fn line(&mut self, line: u16) -> &mut Self {
        let here = self.here();
        self.lines.push((here, line));
        self
    }

    /// A row of the local variable table; name and descriptor by constant index.
    pub fn local(&mut self, start: Label, end: Label, name: u16, descriptor: u16, slot: u16) -> &mut Self {
        self.locals.push((start, end, name, descriptor, slot));
        self
    }

    /// The content of the `Code` attribute. `this` as for [`StackMap::at_start`].
    pub(crate) fn content(
        &self,
        pool: &mut ConstantPool<'_>,
        descriptor: &[u8],
        this: Option<VerificationType>,
    ) -> Result<Vec<u8>> {
        let assembled = self.layout.clone().finish(MAX_CODE).map_err(|no| match no {
            NoLayout::TooLong(length) => Error::BadCodeLength { at: 0, length },
            NoLayout::TooFar => Error::BadCodeLength { at: 0, length: MAX_CODE },
        })?;
        let mut out = Vec::new();
        out.extend(self.max_stack.to_be_bytes());
        out.extend(self.max_locals.to_be_bytes());
        out.extend(u32::try_from(assembled.bytes.len()).unwrap_or(0).to_be_bytes());
        out.extend_from_slice(&assembled.bytes);
        out.extend(count(self.handlers.len()).to_be_bytes());
        for &(start, end, handler, catch_type) in &self.handlers {
            for value in [pc(&assembled, start), pc(&assembled, end), pc(&assembled, handler), catch_type] {
                out.extend(value.to_be_bytes());
            }
        }
        let attributes = self.attributes(&assembled, pool, descriptor, this)?;
        out.extend(count(attributes.len()).to_be_bytes());
        for (name, content) in attributes {
            out.extend(pool.add_utf8(name.as_bytes())?.to_be_bytes());
            out.extend(u32::try_from(content.len()).unwrap_or(0).to_be_bytes());
            out.extend(content);
        }
        Ok(out)
    }

    fn attributes(
        &self,
        assembled: &Assembled,
        pool: &mut ConstantPool<'_>,
        descriptor: &[u8],
        this: Option<VerificationType>,
    ) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let mut attributes = Vec::new();
        if !self.lines.is_empty() {
            let rows = self.lines.iter().flat_map(|&(label, line)| [pc(assembled, label), line]);
            attributes.push(("LineNumberTable", table(self.lines.len(), rows)));
        }
        if !self.locals.is_empty() {
            let rows = self.locals.iter().flat_map(|&(start, end, name, descriptor, slot)| {
                let (start, end) = (pc(assembled, start), pc(assembled, end));
                [start, end.saturating_sub(start), name, descriptor, slot]
            });
            attributes.push(("LocalVariableTable", table(self.locals.len(), rows)));
        }
        if !self.frames.is_empty() {
            let map = StackMap::at_start(descriptor, this)?;
            let mut table = Vec::new();
            let mut writer = FrameWriter::new(&map, &mut table);
            let pc_of = |label: u16| u16::try_from(assembled.pc(u32::from(label))).ok();
            for (at, locals, stack) in &self.frames {
                writer.write(assembled.pc(at.0), locals, stack, pool, &pc_of)?;
            }
            writer.finish();
            attributes.push(("StackMapTable", table));
        }
        Ok(attributes)
    }
}

fn pc(assembled: &Assembled, label: Label) -> u16 {
    u16::try_from(assembled.pc(label.0)).unwrap_or(u16::MAX)
}

fn count(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

fn table(rows: usize, values: impl Iterator<Item = u16>) -> Vec<u8> {
    count(rows).to_be_bytes().into_iter().chain(values.flat_map(u16::to_be_bytes)).collect()
}
