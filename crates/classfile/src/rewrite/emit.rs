//! The new code: what is inserted and what was there, in the order of the drawing in `rewrite.rs`.

use std::ops::Range;

use super::{Part, Rewriter, at, before, enter};
use crate::edit::InsertionPoint;
use crate::instruction::Instruction;
use crate::layout::Label;
use crate::opcode::Opcode;
use crate::straight::Sink;

impl Rewriter<'_, '_> {
    /// Where a jump (or, without one, an exception) that led to `to` arrives now.
    pub(super) fn arrival(&self, from: Option<u32>, to: u32) -> Label {
        // Every target was checked when the code was read.
        let index = self.code.index_at(to).unwrap_or(0);
        let pad = self.pads.binary_search_by_key(&(index, from), |pad| (pad.index, pad.from));
        pad.ok().and_then(|pad| self.pads.get(pad)).map_or(enter(index), |pad| pad.label)
    }

    pub(super) fn emit<S: Sink>(&self, out: &mut S) {
        let run = |out: &mut S, run: &[Instruction]| {
            run.iter().for_each(|instruction| out.push(instruction));
        };
        let mut depth_of_cover = if S::HAS_ISLANDS { self.protection() } else { Vec::new() }.into_iter();
        let at_entry = self.edits.runs().filter(|(pc_of, _)| *pc_of == InsertionPoint::MethodEntry);
        at_entry.for_each(|(_, code)| run(out, code));
        let (mut rest, mut pads) = (self.inserted.as_slice(), self.pads.iter());
        let mut index = 0;
        while let Some(instruction) = self.code.instructions.get(index) {
            if !S::HAS_ISLANDS {
                let end = self.plain_until(index, rest.first().map(|inserted| inserted.index));
                if end > index {
                    let pcs = self.code.pcs.get(index..end).unwrap_or_default();
                    out.copy_run(before(index), pcs, self.bytes(index, end));
                    index = end;
                    continue;
                }
            }
            let pc = self.code.pcs.get(index).copied().unwrap_or(0);
            out.mark(before(index));
            let here;
            (here, rest) = rest.split_at(rest.iter().take_while(|inserted| inserted.index <= index).count());
            let mut part = Part::Fall;
            for inserted in here.iter().filter(|inserted| inserted.part != Part::Before) {
                if inserted.part != part {
                    // Over the pads from above, and over the others behind each.
                    if part != Part::Fall || self.is_reached_from_above(index) {
                        out.push(&Instruction::jump(Opcode::GOTO, enter(index)));
                    }
                    pads.next().into_iter().for_each(|pad| out.mark(pad.label));
                    part = inserted.part;
                }
                run(out, self.edits.run(inserted.run));
            }
            out.mark(enter(index));
            for inserted in here.iter().filter(|inserted| inserted.part == Part::Before) {
                run(out, self.edits.run(inserted.run));
            }
            out.mark(at(index));
            out.copy(instruction, self.bytes(index, index + 1), |to| self.arrival(Some(pc), to));
            // In a protected range the handler's frame would have to fit the island's.
            if S::HAS_ISLANDS && depth_of_cover.next().unwrap_or(true) && !instruction.opcode.falls_through()
            {
                out.allow_island();
            }
            index += 1;
        }
        out.mark(before(self.code.instructions.len()));
        if let Some(code) = self.edits.catch_all_run().filter(|_| !self.covered.is_empty()) {
            out.allow_island();
            out.mark(self.catch_label());
            run(out, code);
            if let (Some(instead), Some((end, start))) =
                (self.edits.catch_all_else_run(), self.catch_all_else())
            {
                out.mark(end);
                out.push(&Opcode::ATHROW.into());
                out.mark(start);
                run(out, instead);
            }
            out.push(&Opcode::ATHROW.into());
        }
    }

    /// The first instruction from `index` on with targets, or before which something is inserted.
    fn plain_until(&self, index: usize, inserted: Option<usize>) -> usize {
        let end = inserted.unwrap_or(self.code.instructions.len());
        let plain = self.code.instructions.get(index..end).unwrap_or_default();
        plain.iter().position(Instruction::has_targets).map_or(end, |plain| index + plain)
    }

    /// What these instructions are in the file.
    fn bytes(&self, from: usize, to: usize) -> &[u8] {
        let pc = |index: usize| self.code.pcs.get(index).and_then(|&pc| usize::try_from(pc).ok());
        let range = pc(from).unwrap_or(0)..pc(to).unwrap_or(0);
        self.code.bytes.get(range).unwrap_or_default()
    }

    /// For each instruction, whether no protected range covers both it and what follows; nothing if
    /// that is so for all. The catch-all counts in constructors only: elsewhere its frame fits every other.
    fn protection(&self) -> Vec<bool> {
        let count = self.code.instructions.len();
        let is_whole = |range: &Range<usize>| *range == (0..count);
        if self.code.handlers.is_empty() && self.covered.iter().all(is_whole) {
            return Vec::new();
        }
        let mut change = vec![0_i64; count + 1];
        let catch_all = self.covered.iter().filter(|range| !is_whole(range)).cloned();
        let rows = self
            .code
            .handlers
            .iter()
            .filter_map(|row| Some(self.code.index_at(row.start)?..self.code.boundary_at(row.end)?));
        for range in rows.chain(catch_all) {
            // Islands stand behind an instruction, so the last one of a range is not inside.
            if let Some(start) = change.get_mut(range.start) {
                *start += 1;
            }
            if let Some(end) = change.get_mut(range.end.saturating_sub(1)) {
                *end -= 1;
            }
        }
        let mut depth = 0;
        let is_free = |change| {
            depth += change;
            depth == 0
        };
        change.into_iter().map(is_free).collect()
    }
}
