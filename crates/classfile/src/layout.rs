//! Addresses for instructions: labels become pcs, switches get their padding, jumps grow.
//!
//! Code is a list of instructions whose targets are labels, and of marks that say where a label is.
//! Nothing ever shrinks, so the search for a layout ends. A `goto` that does not reach becomes
//! `goto_w`. A two-way jump has no long form; turning its condition round over a `goto_w` would
//! need a frame behind it that nobody knows, so it jumps to an island instead: a `goto_w` to its
//! target that stands where no instruction falls through, and whose frame is its target's.
//! The caller says where islands may stand; without a fitting one the layout fails.

use std::collections::HashMap;

use crate::instruction::{Instruction, Operand};
use crate::limits::MAX_LAYOUT_PASSES;
use crate::opcode::{Format, Opcode};
use crate::straight::Sink;

/// The number of a label.
pub(crate) type Label = u32;

#[derive(Clone, Debug)]
enum Item {
    Op(Instruction),
    /// Islands may stand here: their own labels and where they lead.
    Spot(Vec<(Label, Label)>),
}

/// In code that is no longer than this every jump reaches.
pub(crate) const NEAR: u32 = 0x7fff;

/// Code in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    items: Vec<Item>,
    /// By label: before which item it stands.
    marks: Vec<u32>,
    /// Label of an island -> the label it leads to in the end.
    islands: HashMap<Label, Label>,
}

/// Assembled code: each label has its pc.
#[derive(Clone, Debug)]
pub(crate) struct Assembled {
    pub(crate) bytes: Vec<u8>,
    /// By label.
    pub(crate) label_pcs: Vec<u32>,
    /// Islands and their targets: each needs its target's frame.
    pub(crate) islands: Vec<(Label, Label)>,
}

/// Why there is no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoLayout {
    /// The code is longer than it may be.
    TooLong(u32),
    /// A two-way jump does not reach and no island is near enough.
    TooFar,
}

impl Assembled {
    /// The pc of a label.
    pub(crate) fn pc(&self, label: Label) -> u32 {
        pc_of(&self.label_pcs, label)
    }
}

/// Where a label is.
pub(crate) fn pc_of(label_pcs: &[u32], label: Label) -> u32 {
    usize::try_from(label).ok().and_then(|label| label_pcs.get(label)).copied().unwrap_or(0)
}

/// Bytes of so many islands.
fn size_of_islands(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(5)
}

impl Sink for Layout {
    const HAS_ISLANDS: bool = true;

    fn mark(&mut self, label: Label) {
        let here = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        if let Some(mark) = usize::try_from(label).ok().and_then(|label| self.marks.get_mut(label)) {
            *mark = here;
        }
    }

    fn push(&mut self, instruction: &Instruction) {
        self.items.push(Item::Op(instruction.clone()));
    }

    fn copy(&mut self, instruction: &Instruction, _: &[u8], to: impl Fn(u32) -> Label) {
        self.items.push(Item::Op(instruction.map_targets(to)));
    }

    fn copy_run(&mut self, _: Label, _: &[u32], _: &[u8]) {}

    fn allow_island(&mut self) {
        self.items.push(Item::Spot(Vec::new()));
    }
}

impl Layout {
    /// Code whose labels below `labels` are given out by the caller.
    pub(crate) fn with_labels(labels: Label) -> Self {
        let marks = vec![0; usize::try_from(labels).unwrap_or(0)];
        Self { items: Vec::new(), marks, islands: HashMap::new() }
    }

    pub(crate) fn new_label(&mut self) -> Label {
        self.marks.push(0);
        Label::try_from(self.marks.len() - 1).unwrap_or(Label::MAX)
    }

    /// Finds the pc of each label. The code may have at most `limit` bytes.
    pub(crate) fn finish(mut self, limit: u32) -> Result<Assembled, NoLayout> {
        let mut passes = 0;
        let (mut pcs, mut label_pcs) = (Vec::with_capacity(self.items.len() + 1), Vec::new());
        loop {
            let length = self.assign(&mut pcs, &mut label_pcs);
            if length > limit {
                return Err(NoLayout::TooLong(length));
            }
            if length <= NEAR {
                return self.encode(label_pcs, length).ok_or(NoLayout::TooFar);
            }
            // A chain of jumps, each pushed out of reach by the one before, could take thousands
            // of passes; growing all at once ends it.
            passes += 1;
            match passes {
                ..MAX_LAYOUT_PASSES => {}
                MAX_LAYOUT_PASSES => self.grow_all(),
                _ if passes > 2 * MAX_LAYOUT_PASSES => return Err(NoLayout::TooFar),
                _ => {}
            }
            if !self.grow(&mut label_pcs)? && passes != MAX_LAYOUT_PASSES {
                return self.encode(label_pcs, length).ok_or(NoLayout::TooFar);
            }
        }
    }

    /// Gives every item and every label its pc and returns the length.
    fn assign(&self, pcs: &mut Vec<u32>, label_pcs: &mut Vec<u32>) -> u32 {
        pcs.clear();
        let mut pc = 0_u32;
        for item in &self.items {
            pcs.push(pc);
            pc = match item {
                Item::Op(instruction) => pc.saturating_add(instruction.size(pc)),
                Item::Spot(islands) => pc.saturating_add(size_of_islands(islands.len())),
            };
        }
        pcs.push(pc);
        label_pcs.clear();
        label_pcs.extend(self.marks.iter().map(|&item| pc_of(pcs, item)));
        if !self.islands.is_empty() {
            self.insert_islands(pcs, label_pcs);
        }
        pc
    }

    fn insert_islands(&self, pcs: &[u32], label_pcs: &mut [u32]) {
        for (item, &pc) in self.items.iter().zip(pcs) {
            let Item::Spot(islands) = item else { continue };
            for (index, &(label, _)) in islands.iter().enumerate() {
                if let Some(pc_of) = usize::try_from(label).ok().and_then(|label| label_pcs.get_mut(label)) {
                    *pc_of = pc.saturating_add(size_of_islands(index));
                }
            }
        }
    }

    /// Makes jumps that do not reach longer; whether there was one.
    fn grow(&mut self, label_pcs: &mut [u32]) -> Result<bool, NoLayout> {
        let (mut pc, mut far, mut spots) = (0_u32, Vec::new(), Vec::new());
        let mut grown = false;
        for (index, item) in self.items.iter_mut().enumerate() {
            match item {
                Item::Op(instruction) => {
                    let start = pc;
                    pc = pc.saturating_add(instruction.size(pc));
                    let (Operand::Jump(target), Some(Format::Jump16)) =
                        (&instruction.operand, instruction.opcode.format())
                    else {
                        continue;
                    };
                    if i16::try_from(i64::from(pc_of(label_pcs, *target)) - i64::from(start)).is_ok() {
                        continue;
                    }
                    grown = true;
                    match instruction.opcode {
                        Opcode::GOTO => instruction.opcode = Opcode::GOTO_W,
                        _ => far.push((index, start, *target)),
                    }
                }
                Item::Spot(islands) => {
                    spots.push((pc, index));
                    pc = pc.saturating_add(size_of_islands(islands.len()));
                }
            }
        }
        for (index, pc, target) in far {
            let target = self.islands.get(&target).copied().unwrap_or(target);
            let island = self.island(&spots, pc, target)?;
            if let Some(Item::Op(jump)) = self.items.get_mut(index) {
                jump.operand = Operand::Jump(island);
            }
        }
        Ok(grown)
    }

    /// The label of an island near `pc` that leads to `target`.
    fn island(&mut self, spots: &[(u32, usize)], pc: u32, target: Label) -> Result<Label, NoLayout> {
        // Some room is left for what may still grow in between.
        const REACH: u32 = 30_000;
        let after = spots.partition_point(|&(spot, _)| spot < pc);
        let nearest =
            [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|at| spots.get(at));
        let (spot, index) = *nearest.min_by_key(|(spot, _)| spot.abs_diff(pc)).ok_or(NoLayout::TooFar)?;
        if spot.abs_diff(pc) > REACH {
            return Err(NoLayout::TooFar);
        }
        let label = self.new_label();
        let Some(Item::Spot(islands)) = self.items.get_mut(index) else { return Err(NoLayout::TooFar) };
        if let Some(&(known, _)) = islands.iter().find(|&&(_, leads_to)| leads_to == target) {
            return Ok(known);
        }
        islands.push((label, target));
        self.islands.insert(label, target);
        Ok(label)
    }

    fn grow_all(&mut self) {
        for item in &mut self.items {
            if let Item::Op(instruction) = item
                && instruction.opcode == Opcode::GOTO
            {
                instruction.opcode = Opcode::GOTO_W;
            }
        }
    }

    fn encode(self, label_pcs: Vec<u32>, length: u32) -> Option<Assembled> {
        let (mut bytes, mut all_islands) = (Vec::with_capacity(usize::try_from(length).ok()?), Vec::new());
        let to = |label| pc_of(&label_pcs, label);
        for item in &self.items {
            let pc = u32::try_from(bytes.len()).ok()?;
            match item {
                Item::Op(instruction) => instruction.encode(pc, to, &mut bytes)?,
                Item::Spot(islands) => {
                    for &(label, target) in islands {
                        let pc = u32::try_from(bytes.len()).ok()?;
                        Instruction::jump(Opcode::GOTO_W, target).encode(pc, to, &mut bytes)?;
                        all_islands.push((label, target));
                    }
                }
            }
        }
        Some(Assembled { bytes, label_pcs, islands: all_islands })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nops(layout: &mut Layout, count: usize) {
        for _ in 0..count {
            layout.push(&Opcode::NOP.into());
        }
    }

    #[test]
    fn a_goto_grows_and_pushes_others() {
        let mut layout = Layout::with_labels(2);
        layout.push(&Instruction::jump(Opcode::GOTO, 1));
        layout.push(&Instruction::jump(Opcode::GOTO, 0));
        nops(&mut layout, 32_763);
        layout.mark(0);
        nops(&mut layout, 1);
        layout.mark(1);
        layout.push(&Opcode::RETURN.into());
        let assembled = layout.finish(65_535).unwrap();
        // The second one just reaches; the first one does not.
        assert_eq!(assembled.bytes[..8], [200, 0, 0, 0x80, 0x04, 167, 0x7f, 0xfe]);
        assert_eq!(assembled.pc(1), 0x8004);
    }

    #[test]
    fn a_branch_takes_an_island() {
        let mut layout = Layout::with_labels(1);
        for _ in 0..2 {
            layout.push(&Instruction::jump(Opcode::IFEQ, 0));
        }
        layout.push(&Opcode::RETURN.into());
        layout.allow_island();
        nops(&mut layout, 40_000);
        layout.mark(0);
        layout.push(&Opcode::RETURN.into());
        let assembled = layout.clone().finish(65_535).unwrap();
        assert_eq!(assembled.bytes[..12], [153, 0, 7, 153, 0, 4, 177, 200, 0, 0, 0x9c, 0x45]);
        assert_eq!(assembled.islands, [(1, 0)]);
        assert_eq!(layout.finish(8_000).unwrap_err(), NoLayout::TooLong(40_008));
    }
}
