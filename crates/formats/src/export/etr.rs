//! The records of the paper about the control-flow tracer: 14 bytes for each block, and beside them
//! a text that names the numbers.
//!
//! ```text
//! record  thread u8 | class u32 | method u32 | block u32 | kind u8      little-endian
//!         kind: 0 the block called, 1 it returned, 2 it threw, 3 it did something else
//! text    thread 1 main
//!         class 0 shop.Main Main.java
//!         method 3 class 0 main ([Ljava/lang/String;)V
//!         block 3.0 lines 12,13
//! ```
//!
//! A record stands where its block ended: the record of a call before those of what it called. A
//! block that had called and threw afterwards keeps the kind of the call. Threads beyond 254 share
//! the number 255, as the field has one byte. Calls that only entries and ends were recorded of have
//! no records.

use std::fmt::Write;

use model::code::Ending;
use model::flow::{FlowStep, Left};
use model::{BlockId, CodeMap, MethodId};

use super::ThreadName;
use crate::harmless::is_harmless;

const CALL: u8 = 0;
const RETURN: u8 = 1;
const THROW: u8 = 2;
const OTHER: u8 = 3;

/// Writes the records of one thread.
#[derive(Debug)]
pub struct Writer<'a> {
    code: &'a CodeMap,
    thread: u8,
    /// Open frames, and the block of each that has no record yet.
    frames: Vec<(MethodId, Option<BlockId>)>,
}

impl<'a> Writer<'a> {
    /// For the thread with this serial number.
    pub fn new(code: &'a CodeMap, serial: u32) -> Writer<'a> {
        Writer { code, thread: serial.min(255) as u8, frames: vec![] }
    }

    /// Appends what the step lets know of.
    pub fn step(&mut self, step: &FlowStep<'_>, out: &mut Vec<u8>) {
        match *step {
            FlowStep::Enter { method, .. } => {
                self.end_block(Some(CALL), out);
                self.frames.push((method, None));
            }
            FlowStep::Leave { how } => {
                match how {
                    Left::Returned => self.end_block(Some(RETURN), out),
                    Left::Threw => self.end_block(Some(THROW), out),
                    Left::Unseen | Left::Open => self.end_block(None, out),
                }
                self.frames.pop();
            }
            FlowStep::Blocks { blocks, .. } => blocks.iter().for_each(|block| self.block(*block, None, out)),
            FlowStep::Catch { block } => self.block(block, Some(THROW), out),
            FlowStep::Inferred { .. } | FlowStep::Observed => {}
            FlowStep::Gap { .. }
            | FlowStep::Moment(_)
            | FlowStep::Clock(_)
            | FlowStep::Mark(_)
            | FlowStep::Values(_)
            | FlowStep::Task(_) => {}
        }
    }

    fn block(&mut self, block: BlockId, before: Option<u8>, out: &mut Vec<u8>) {
        self.end_block(before, out);
        if let Some((_, open)) = self.frames.last_mut() {
            *open = Some(block);
        }
    }

    /// Writes the record of the block that ran last in the innermost frame; without a `kind`, the block's ending
    /// decides.
    fn end_block(&mut self, kind: Option<u8>, out: &mut Vec<u8>) {
        let Some((method, open)) = self.frames.last_mut() else { return };
        let (method, Some(block)) = (*method, open.take()) else { return };
        let about = self.code.method(method);
        let kind = kind.unwrap_or_else(|| match about.and_then(|about| about.blocks.get(block as usize)) {
            Some(about) => match about.ending {
                Ending::Call(_) => CALL,
                Ending::Return => RETURN,
                Ending::Throw => THROW,
                _ => OTHER,
            },
            None => OTHER,
        });
        let class = about.map_or(u32::MAX, |about| about.class.0);
        out.push(self.thread);
        for number in [class, method.0, block] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.push(kind);
    }
}

/// The text that names the numbers.
pub fn names(code: &CodeMap, threads: &[ThreadName]) -> String {
    let mut out = String::from(
        "# records: thread u8, class u32, method u32, block u32, kind u8 (0 call, 1 return, 2 throw, 3 other)\n",
    );
    let clean =
        |text: &str| -> String { text.chars().map(|c| if is_harmless(c) { c } else { '?' }).collect() };
    // Writing into a string cannot fail.
    for thread in threads {
        let _ = writeln!(out, "thread {} {}", thread.serial.min(255), clean(&thread.name));
    }
    for (id, class) in code.classes.iter().enumerate() {
        let file = class.source_file.as_deref().unwrap_or("-");
        let _ = writeln!(out, "class {id} {} {}", clean(&class.name), clean(file));
    }
    for (id, method) in code.methods.iter().enumerate() {
        let (name, descriptor) = (clean(&method.name), clean(&method.descriptor));
        let _ = writeln!(out, "method {id} class {} {name} {descriptor}", method.class.0);
        for (number, block) in method.blocks.iter().enumerate() {
            let lines: Vec<String> = block.lines.iter().map(u16::to_string).collect();
            let _ = writeln!(
                out,
                "block {id}.{number} lines {}",
                if lines.is_empty() { "-".to_owned() } else { lines.join(",") }
            );
        }
    }
    out
}
