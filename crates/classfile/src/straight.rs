//! Code that is written as it comes, where every jump is near: what nearly every method is.
//!
//! Jumps and switches leave holes, which are filled when every label has its pc. Code that is
//! longer than a near jump reaches is for [`crate::layout`], which finds pcs for jumps that grow.

use crate::instruction::{Instruction, Keys, Operand, Switch};
use crate::layout::{Label, NEAR, pc_of};
use crate::opcode::Opcode;

/// What is known of code while it is put together.
pub(crate) trait Sink {
    /// A label stands here.
    fn mark(&mut self, label: Label);
    /// An instruction that was inserted, in its shortest form. Its targets are labels.
    fn push(&mut self, instruction: &Instruction);
    /// An instruction of the method, its bytes, and where its targets are now.
    fn copy(&mut self, instruction: &Instruction, bytes: &[u8], to: impl Fn(u32) -> Label);
    /// Instructions of the method with nothing inserted between them and without targets: the labels from
    /// `first` on stand before them, three before each. `pcs` are those that they had.
    fn copy_run(&mut self, first: Label, pcs: &[u32], bytes: &[u8]);
    /// Whether anybody asks where islands may stand (see [`crate::layout`]).
    const HAS_ISLANDS: bool;
    /// They may stand here.
    fn allow_island(&mut self);
}

/// Code in the making, all of whose jumps have two bytes unless they were made with four.
#[derive(Debug, Default)]
pub(crate) struct Straight {
    pub(crate) bytes: Vec<u8>,
    /// By label.
    label_pcs: Vec<u32>,
    holes: Vec<Hole>,
    /// Something did not fit its field: only a wrong edit can do that.
    is_broken: bool,
}

/// Where a distance is to be written.
#[derive(Debug)]
struct Hole {
    /// The pc of its instruction, from which it counts.
    pc: u32,
    at: usize,
    label: Label,
    is_wide: bool,
}

impl Straight {
    /// Begins anew, with so many labels.
    pub(crate) fn clear(&mut self, labels: Label) {
        self.bytes.clear();
        self.holes.clear();
        self.is_broken = false;
        self.label_pcs.clear();
        self.label_pcs.resize(usize::try_from(labels).unwrap_or(0), 0);
    }

    /// Bytes so far.
    pub(crate) fn length(&self) -> u32 {
        u32::try_from(self.bytes.len()).unwrap_or(u32::MAX)
    }

    fn hole(&mut self, pc: u32, label: Label, is_wide: bool) {
        self.holes.push(Hole { pc, at: self.bytes.len(), label, is_wide });
        self.bytes.extend_from_slice(if is_wide { &[0; 4] } else { &[0; 2] });
    }

    fn switch(&mut self, pc: u32, switch: &Switch, to: impl Fn(u32) -> Label) -> Option<()> {
        let padding = usize::try_from(3 - (pc & 3)).ok()?;
        self.bytes.extend(std::iter::repeat_n(0, padding));
        self.hole(pc, to(switch.default), true);
        match &switch.keys {
            Keys::From(low) => {
                let arms = i64::try_from(switch.targets.len()).ok()?;
                let high = i32::try_from(i64::from(*low) + arms - 1).ok()?;
                self.bytes.extend(low.to_be_bytes());
                self.bytes.extend(high.to_be_bytes());
                switch.targets.iter().for_each(|&target| self.hole(pc, to(target), true));
            }
            Keys::Each(keys) => {
                self.bytes.extend(u32::try_from(keys.len()).ok()?.to_be_bytes());
                for (key, &target) in keys.iter().zip(&switch.targets) {
                    self.bytes.extend(key.to_be_bytes());
                    self.hole(pc, to(target), true);
                }
            }
        }
        Some(())
    }

    /// Fills the holes; `None` if a jump may not reach.
    pub(crate) fn finish(&mut self) -> Option<()> {
        if self.is_broken || self.length() > NEAR {
            return None;
        }
        for hole in &self.holes {
            let distance = i64::from(pc_of(&self.label_pcs, hole.label)) - i64::from(hole.pc);
            let field = self.bytes.get_mut(hole.at..)?;
            if hole.is_wide {
                *field.first_chunk_mut()? = i32::try_from(distance).ok()?.to_be_bytes();
            } else {
                *field.first_chunk_mut()? = i16::try_from(distance).ok()?.to_be_bytes();
            }
        }
        Some(())
    }

    /// The pcs, by label. Whoever took them gives them back by [`Straight::keep`].
    pub(crate) fn take(&mut self) -> (Vec<u8>, Vec<u32>) {
        (std::mem::take(&mut self.bytes), std::mem::take(&mut self.label_pcs))
    }

    pub(crate) fn keep(&mut self, bytes: Vec<u8>, label_pcs: Vec<u32>) {
        (self.bytes, self.label_pcs) = (bytes, label_pcs);
    }
}

impl Sink for Straight {
    const HAS_ISLANDS: bool = false;

    fn mark(&mut self, label: Label) {
        let here = self.length();
        if let Some(pc_of) = usize::try_from(label).ok().and_then(|label| self.label_pcs.get_mut(label)) {
            *pc_of = here;
        }
    }

    fn push(&mut self, instruction: &Instruction) {
        let opcode = instruction.opcode;
        match instruction.operand {
            // What is inserted is hardly ever anything else.
            Operand::None => self.bytes.push(opcode.0),
            Operand::Constant(index) if opcode != Opcode::LDC => {
                let [high, low] = index.to_be_bytes();
                self.bytes.extend_from_slice(&[opcode.0, high, low]);
            }
            Operand::Local { slot, .. } if opcode.with_slot(slot).is_some() => {
                self.bytes.extend(opcode.with_slot(slot).map(|short| short.0));
            }
            Operand::Jump(label) => {
                let pc = self.length();
                self.bytes.push(opcode.0);
                self.hole(pc, label, instruction.size(pc) == 5);
            }
            _ => {
                let pc = self.length();
                self.is_broken |= instruction.encode(pc, |label| label, &mut self.bytes).is_none();
            }
        }
    }

    fn copy(&mut self, instruction: &Instruction, bytes: &[u8], to: impl Fn(u32) -> Label) {
        let pc = self.length();
        match &instruction.operand {
            Operand::Jump(target) => {
                self.bytes.push(instruction.opcode.0);
                self.hole(pc, to(*target), instruction.size(pc) == 5);
            }
            Operand::Switch(switch) => {
                self.bytes.push(instruction.opcode.0);
                self.is_broken |= self.switch(pc, switch, to).is_none();
            }
            _ => self.bytes.extend_from_slice(bytes),
        }
    }

    fn copy_run(&mut self, first: Label, pcs: &[u32], bytes: &[u8]) {
        let start = self.length().wrapping_sub(pcs.first().copied().unwrap_or(0));
        let labels =
            self.label_pcs.get_mut(usize::try_from(first).unwrap_or(usize::MAX)..).unwrap_or_default();
        for (label_pcs, pc) in labels.as_chunks_mut::<3>().0.iter_mut().zip(pcs) {
            *label_pcs = [start.wrapping_add(*pc); 3];
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn allow_island(&mut self) {}
}
