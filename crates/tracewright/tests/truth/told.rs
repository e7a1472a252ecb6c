//! What a recording tells of a thread, held against the thread's own log.
//!
//! The log has a line number for each line `t.log[...]` that ran. A recorded block stands for the
//! lines in it; where an exception ended a block early, the lines behind that place did not run, so
//! there, and only there, the recording may name more than the log has.

use std::collections::HashSet;

use model::code::{CodeMap, EdgeKind, Ending};
use model::flow::{Entered, FlowStep, Left};
use model::{BlockId, MethodId};

/// The lines that one block stands for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stretch {
    lines: Vec<u32>,
    /// Whether an exception ended it, perhaps before its last line.
    cut: bool,
}

/// Follows the steps of one thread and keeps what is said about lines of the log.
pub(crate) struct Told<'m> {
    map: &'m CodeMap,
    log_lines: &'m HashSet<u32>,
    stretches: Vec<Stretch>,
    frames: Vec<Frame>,
    /// The first thing that a recording may not say.
    pub(crate) wrong: Option<String>,
    /// Blocks in all.
    pub(crate) blocks: u64,
}

struct Frame {
    method: MethodId,
    last: Option<BlockId>,
    /// Whether nothing was called since its last block began.
    uncalled: bool,
}

impl<'m> Told<'m> {
    pub(crate) fn new(map: &'m CodeMap, log_lines: &'m HashSet<u32>) -> Self {
        Told { map, log_lines, stretches: Vec::new(), frames: Vec::new(), wrong: None, blocks: 0 }
    }

    fn complain(&mut self, what: String) {
        let frames: Vec<String> = self.frames.iter().map(|frame| self.map.method_name(frame.method)).collect();
        let at = self.stretches.len();
        self.wrong.get_or_insert(format!("{what}, after {at} blocks, in {}", frames.join(" > ")));
    }

    pub(crate) fn step(&mut self, step: &FlowStep<'_>) {
        match *step {
            FlowStep::Enter { method, how } => {
                if how == Entered::Unseen {
                    self.complain(format!("{} has no beginning", self.map.method_name(method)));
                }
                if let Some(caller) = self.frames.last_mut() {
                    caller.uncalled = false;
                }
                self.frames.push(Frame { method, last: None, uncalled: true });
            }
            FlowStep::Blocks { blocks, times } => {
                for _ in 0..times {
                    for &block in blocks {
                        self.block(block, false);
                    }
                }
            }
            FlowStep::Catch { block } => {
                self.cut();
                self.block(block, true);
            }
            FlowStep::Leave { how } => {
                match how {
                    Left::Threw => self.cut(),
                    Left::Returned => self.returned(),
                    Left::Unseen => self.complain("a frame has no end".to_string()),
                }
                if self.frames.pop().is_none() {
                    self.complain("a frame ends that never began".to_string());
                }
            }
            FlowStep::Gap { lost } => self.complain(format!("something was lost: {lost:?}")),
            FlowStep::Moment(_) => {}
        }
    }

    fn cut(&mut self) {
        let uncalled = self.frames.last().is_some_and(|frame| frame.uncalled && frame.last.is_some());
        if let Some(stretch) = self.stretches.last_mut().filter(|_| uncalled) {
            stretch.cut = true;
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
        frame.uncalled = true;
        let Some(method) = self.map.method(id) else {
            return self.complain("a method that is not in the map".to_string());
        };
        let fits = match (last, caught) {
            (None, false) => block == 0,
            (None, true) => false,
            (Some(last), true) => method.exception_edges.contains(&(last, block)),
            (Some(last), false) => method.edges.iter().any(|edge| {
                edge.from == last && edge.to == block && (edge.kind == EdgeKind::Next || !ends_in_call(method, last))
            }),
        };
        if !fits {
            self.complain(format!("no edge leads from block {last:?} to {block}, caught: {caught}"));
        }
        let Some(content) = method.blocks.get(block as usize) else {
            return self.complain(format!("there is no block {block}"));
        };
        let lines = content.lines.iter().map(|&line| u32::from(line));
        let lines = lines.filter(|line| self.log_lines.contains(line)).collect();
        self.stretches.push(Stretch { lines, cut: false });
    }

    /// The first difference from the log, if there is one.
    pub(crate) fn differs_from(&self, log: &[u32]) -> Option<String> {
        if let Some(wrong) = &self.wrong {
            return Some(wrong.clone());
        }
        if !self.frames.is_empty() {
            return Some(format!("{} frames were never left", self.frames.len()));
        }
        let mut at = 0;
        for (number, stretch) in self.stretches.iter().enumerate() {
            for &line in &stretch.lines {
                match log.get(at) {
                    Some(&ran) if ran == line => at += 1,
                    _ if stretch.cut => break,
                    ran => return Some(format!("entry {at} of the log is {ran:?}, recorded (block {number}) is {line}")),
                }
            }
        }
        (at < log.len()).then(|| format!("the log has {} entries, the recording tells of {at}", log.len()))
    }
}

fn ends_in_call(method: &model::code::Method, block: BlockId) -> bool {
    method.blocks.get(block as usize).is_some_and(|block| matches!(block.ending, Ending::Call(_)))
}
