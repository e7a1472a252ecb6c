//! Joint methods and blocks as names and lines.

use analyses::diff::{Change, Joint, Next, Parting, THREAD};
use analyses::replay::NodeId;
use model::FlowSource;
use model::code::{BlockId, MethodId};
use model::flow::Left;

use super::source_lines::SourceLines;
use crate::method_names::MethodNames;
use crate::reports::diff::{ChangeReport, FrameReport, MethodName, NextReport, PartsReport};
use crate::views::code_names;

/// Two recordings that are compared.
pub(super) struct Names<'a> {
    pub(super) joint: &'a Joint,
    pub(super) recordings: [&'a dyn FlowSource; 2],
    /// Their numbers in `joint`.
    pub(super) sides: [usize; 2],
    /// Which line of one is which of the other, where the sources say so.
    pub(super) lines: &'a SourceLines<'a>,
}

impl Names<'_> {
    fn own(&self, side: usize, method: MethodId) -> Option<MethodId> {
        self.joint.code.method_of(self.sides[side], method)
    }

    /// The first side that has the method, and its number there.
    fn any(&self, method: MethodId) -> Option<(usize, MethodId)> {
        [0, 1].into_iter().find_map(|side| Some((side, self.own(side, method)?)))
    }

    pub(super) fn method(&self, method: MethodId) -> String {
        if method == THREAD {
            return "the thread itself".to_owned();
        }
        self.any(method).map_or("?".to_owned(), |(side, id)| self.recordings[side].code().method_name(id))
    }

    pub(super) fn name(&self, method: MethodId) -> MethodName {
        let about = self.any(method).and_then(|(side, id)| self.recordings[side].code().method(id));
        MethodName {
            method: self.method(method),
            descriptor: about.map_or(String::new(), |about| about.descriptor.clone()),
            file: self.file(method),
            code_changed: None,
            moved: vec![],
        }
    }

    /// Whether the texts mean a method.
    pub(super) fn is_meant(&self, method: MethodId, texts: &MethodNames) -> bool {
        self.any(method).is_some_and(|(side, id)| texts.mean(self.recordings[side].code(), id))
    }

    fn file(&self, method: MethodId) -> Option<String> {
        let (side, id) = self.any(method)?;
        code_names::file(self.recordings[side].code(), id).map(str::to_owned)
    }

    /// The line of the other side that a line of a method on `side` is: the one with the same source text, or where no source
    /// is there the one of the same block.
    pub(super) fn other_line(&self, side: usize, method: MethodId, line: u16) -> Option<u16> {
        let own = [0, 1].map(|side| self.own(side, method));
        let [Some(_), Some(_)] = own else { return None };
        let about = |side: usize| self.recordings[side].code().method(own[side]?);
        if let Some(lines) = self.lines.of_class(side, about(1)?.class) {
            return lines.get(usize::from(line)).copied().filter(|line| *line > 0);
        }
        let (one, other) = (about(side)?, about(1 - side)?);
        let blocks = (0 as BlockId..).zip(&one.blocks).filter(|(_, block)| block.lines.contains(&line));
        blocks.into_iter().find_map(|(id, block)| {
            let joint = self.joint.code.joint_block(self.sides[side], own[side]?, id);
            let counterpart = self.joint.code.block_of(self.sides[1 - side], method, joint)?;
            let lines = &other.blocks.get(counterpart as usize)?.lines;
            let at = block.lines.iter().position(|one| *one == line)?;
            lines.get(at).copied().filter(|_| lines.len() == block.lines.len())
        })
    }

    /// Of lines of each side those that have another number on the other, each with both, that of A first.
    pub(super) fn moved(&self, method: MethodId, lines: [&[u16]; 2]) -> Vec<[u16; 2]> {
        let mut found = vec![];
        for side in [0, 1] {
            for line in lines[side] {
                if let Some(other) = self.other_line(side, method, *line).filter(|other| other != line) {
                    found.push(if side == 0 { [*line, other] } else { [other, *line] });
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where a block ends.
    pub(super) fn last_line(&self, side: usize, method: MethodId, block: BlockId) -> Option<u16> {
        let own = self.own(side, method)?;
        let block = self.joint.code.block_of(self.sides[side], method, block)?;
        code_names::last_line(self.recordings[side].code().method(own)?, block)
    }

    /// Where a block begins.
    pub(super) fn first_line(&self, side: usize, method: MethodId, block: BlockId) -> Option<u16> {
        self.lines(side, method, &[block]).first().copied()
    }

    /// The lines of joint blocks on a side, ascending.
    pub(super) fn lines(&self, side: usize, method: MethodId, blocks: &[BlockId]) -> Vec<u16> {
        let Some(own) = self.own(side, method) else { return vec![] };
        let block = |block: &BlockId| self.joint.code.block_of(self.sides[side], method, *block);
        let own_blocks: Vec<BlockId> = blocks.iter().filter_map(block).collect();
        code_names::lines(self.recordings[side].code().method(own), &own_blocks)
    }

    fn either_last(&self, method: MethodId, block: Option<BlockId>) -> Option<u16> {
        let block = block?;
        self.last_line(0, method, block).or_else(|| self.last_line(1, method, block))
    }

    pub(super) fn next(&self, side: usize, method: MethodId, next: Next) -> NextReport {
        let line = |block| self.first_line(side, method, block);
        let of = |what, line, method| NextReport { what, line, method };
        match next {
            Next::Block(block) => of("line", line(block), None),
            Next::Catch(block) => of("catch", line(block), None),
            Next::Call(callee) => of("call", None, Some(self.method(callee))),
            Next::Left(Left::Returned) => of("returned", None, None),
            Next::Left(Left::Threw) => of("threw", None, None),
            Next::Left(Left::Unseen | Left::Open) | Next::Unseen => of("unseen", None, None),
            Next::LoopAgain => of("around", None, None),
            Next::Nothing => of("nothing", None, None),
        }
    }

    /// The natural loop's lines, on the side that has them.
    fn loop_lines(&self, method: MethodId, index: Option<u32>) -> Vec<u16> {
        let of = |side: usize| {
            let own = self.own(side, method)?;
            let index = self.joint.code.loop_of(self.sides[side], method, index?)?;
            let about = self.recordings[side].code().method(own)?;
            Some(code_names::lines(Some(about), &about.loops.get(index as usize)?.blocks))
        };
        of(0).or_else(|| of(1)).unwrap_or_default()
    }

    pub(super) fn change(
        &self,
        method: MethodId,
        change: Change,
        counts: [u64; 2],
        times: u64,
    ) -> ChangeReport {
        match change {
            Change::Path { after, next } => ChangeReport::Path {
                after: [0, 1].map(|side| self.last_line(side, method, after?)),
                next: [0, 1].map(|side| self.next(side, method, next[side])),
                times,
            },
            Change::Calls { at, callee } => ChangeReport::Calls {
                line: self.either_last(method, at),
                callee: self.method(callee),
                counts,
            },
            Change::Moved { at, callee } => ChangeReport::Moved {
                lines: [0, 1].map(|side| self.last_line(side, method, at[side]?)),
                callee: self.method(callee),
                times,
            },
            Change::Iterations { index, .. } => {
                ChangeReport::Iterations { lines: self.loop_lines(method, index), counts, times }
            }
            Change::Variant { example, .. } => {
                let items = self.joint.replay.items(NodeId(example)).iter();
                let blocks: Vec<BlockId> = items.filter_map(|item| item.block()).collect();
                let side = usize::from(counts[1] > counts[0]);
                ChangeReport::Variant { lines: self.lines(side, method, &blocks), counts }
            }
            Change::Order { index } => ChangeReport::Order { lines: self.loop_lines(method, index), times },
            Change::Ended { left } => {
                let next = [0, 1].map(|side| self.next(side, method, Next::Left(left[side])));
                ChangeReport::Ended { next, times }
            }
            Change::Caught { block } => {
                let line = self.first_line(0, method, block).or_else(|| self.first_line(1, method, block));
                ChangeReport::Caught { line, counts }
            }
        }
    }

    pub(super) fn parts(&self, parting: &Parting, depth: usize) -> PartsReport {
        let innermost = parting.frames.last().map_or(THREAD, |frame| frame.0);
        let frame = |&(method, block): &(MethodId, Option<BlockId>)| {
            let line = block.and_then(|block| self.last_line(0, method, block));
            let other = match line {
                Some(line) => self.other_line(0, method, line),
                None => block.and_then(|block| self.last_line(1, method, block)),
            };
            FrameReport {
                method: self.method(method),
                file: self.file(method),
                line: line.or(other),
                line_in_b: other.filter(|other| line.is_some_and(|line| line != *other)),
            }
        };
        PartsReport {
            after_blocks: parting.position,
            stack: parting.frames.iter().rev().take(depth).map(frame).collect(),
            more_frames: parting.frames.len().saturating_sub(depth),
            next: [0, 1].map(|side| self.next(side, innermost, parting.next[side])),
        }
    }
}
