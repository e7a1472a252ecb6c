//! What a recording tells of a thread, held against the thread's own log.
//!
//! The log has a line number for each line `t.log[...]` that ran. A recorded block stands for the
//! lines in it, in their order. Two things come in the middle of a block: an exception, after which
//! the lines behind that place do not run, and a class initialiser, which runs before they do. There,
//! and only there, a block may stand for fewer lines than it has, or for some of them later.

use std::collections::HashSet;

use model::code::{CodeMap, Ending};
use model::flow::{Entered, FlowStep, Left};
use model::{BlockId, MethodId};

/// Follows the steps of one thread along its log.
pub(crate) struct Reported<'m> {
    map: &'m CodeMap,
    log_lines: &'m HashSet<u32>,
    log: &'m [u32],
    /// How many entries of the log were told.
    at: usize,
    frames: Vec<Frame>,
    blocks: u64,
    /// The first thing that a recording may not say.
    wrong: Option<String>,
}

struct Frame {
    method: MethodId,
    last: Option<BlockId>,
    /// Lines of its last block that the log has not had yet.
    lines: Vec<u32>,
}

impl<'m> Reported<'m> {
    pub(crate) fn new(map: &'m CodeMap, log_lines: &'m HashSet<u32>, log: &'m [u32]) -> Self {
        Reported { map, log_lines, log, at: 0, frames: Vec::new(), blocks: 0, wrong: None }
    }

    fn complain(&mut self, what: String) {
        let frames: Vec<String> =
            self.frames.iter().map(|frame| self.map.method_name(frame.method)).collect();
        let (blocks, at, frames) = (self.blocks, self.at, frames.join(" > "));
        self.wrong
            .get_or_insert(format!("{what}, after {blocks} blocks and {at} entries of the log, in {frames}"));
    }

    pub(crate) fn step(&mut self, step: &FlowStep<'_>) {
        match *step {
            FlowStep::Enter { method, how } => {
                if how == Entered::Unseen {
                    self.complain(format!("{} has no beginning", self.map.method_name(method)));
                }
                let initializes = self.map.method(method).is_some_and(|method| method.name == "<clinit>");
                self.expect(initializes);
                self.frames.push(Frame { method, last: None, lines: Vec::new() });
            }
            FlowStep::Blocks { blocks, times } => {
                for _ in 0..times {
                    for &block in blocks {
                        self.expect(false);
                        self.block(block, false);
                    }
                }
            }
            FlowStep::Catch { block } => {
                self.untell_finally(block);
                self.expect(true);
                self.block(block, true);
            }
            FlowStep::Leave { how } => {
                self.expect(how == Left::Threw);
                match how {
                    Left::Threw => {}
                    Left::Returned => self.returned(),
                    Left::Unseen | Left::Open => self.complain("a frame has no end".to_string()),
                }
                if self.frames.pop().is_none() {
                    self.complain("a frame ends that never began".to_string());
                }
            }
            FlowStep::Gap { lost } => self.complain(format!("something was lost: {lost:?}")),
            FlowStep::Inferred { .. } | FlowStep::Observed => {}
            FlowStep::Moment(_)
            | FlowStep::Clock(_)
            | FlowStep::Mark(_)
            | FlowStep::Values(_)
            | FlowStep::Task(_) => {}
        }
    }

    /// The innermost frame's last block is over, or interrupted: the log has its lines next, all of
    /// them unless it `may_stop` before.
    fn expect(&mut self, may_stop: bool) {
        let Some(frame) = self.frames.last_mut() else { return };
        let next = self.log.get(self.at..).unwrap_or_default();
        let ran = frame.lines.iter().zip(next).take_while(|(line, ran)| line == ran).count();
        let missing = frame.lines.get(ran).copied();
        frame.lines.drain(..ran);
        self.at += ran;
        if let Some(line) = missing.filter(|_| !may_stop) {
            self.complain(format!("recorded is line {line}, the log has {:?}", self.log.get(self.at)));
        }
    }

    /// A `finally` stands in the code twice: behind what it protects, often in one block with it,
    /// and as a handler. Where an exception leads to this handler, lines that both have are its.
    fn untell_finally(&mut self, handler: BlockId) {
        let Some(frame) = self.frames.last() else { return };
        let method = self.map.method(frame.method);
        let Some(block) = method.and_then(|method| method.blocks.get(handler as usize)) else { return };
        let first =
            block.lines.iter().map(|&line| u32::from(line)).find(|line| self.log_lines.contains(line));
        let shared = first.and_then(|first| frame.lines.iter().position(|&line| line == first));
        if let Some((frame, shared)) = self.frames.last_mut().zip(shared) {
            frame.lines.truncate(shared);
        }
    }

    fn returned(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let method = self.map.method(frame.method);
        let block = method.zip(frame.last).and_then(|(method, last)| method.blocks.get(last as usize));
        if block.is_none_or(|block| block.ending != Ending::Return) {
            self.complain("a frame returns from a block that does not return".to_string());
        }
    }

    fn block(&mut self, block: BlockId, caught: bool) {
        self.blocks += 1;
        let Some(frame) = self.frames.last_mut() else {
            return self.complain("a block outside of any frame".to_string());
        };
        let (id, last) = (frame.method, frame.last.replace(block));
        let Some(method) = self.map.method(id) else {
            return self.complain("a method that is not in the map".to_string());
        };
        let fits = match (last, caught) {
            (None, false) => block == 0,
            (None, true) => false,
            (Some(last), true) => method.exception_edges.contains(&(last, block)),
            (Some(last), false) => method.edges.iter().any(|edge| (edge.from, edge.to) == (last, block)),
        };
        let lines = method.blocks.get(block as usize).map(|block| {
            let lines = block.lines.iter().map(|&line| u32::from(line));
            lines.filter(|line| self.log_lines.contains(line)).collect()
        });
        match lines {
            Some(lines) => frame.lines = lines,
            None => self.complain(format!("there is no block {block}")),
        }
        if !fits {
            self.complain(format!("no edge leads from block {last:?} to {block}, caught: {caught}"));
        }
    }

    /// The first difference from the log, if there is one; to be asked after the last step.
    pub(crate) fn difference(&mut self) -> Option<String> {
        if !self.frames.is_empty() {
            self.complain(format!("{} frames were never left", self.frames.len()));
        }
        if self.at < self.log.len() {
            self.complain(format!("the log goes on, {} entries in all", self.log.len()));
        }
        self.wrong.clone()
    }
}
