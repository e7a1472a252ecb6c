//! The history of a run as events, for whoever reads traces.
//!
//! ```text
//! {"ts":12,"stream":"ZgoCQhGBUIBlqA","name":"a","fields":{"dp":0,"value":3}}
//!       |                                  |               what the block left behind
//!       |                                  the block, by its letter in the text of its graph
//!       steps before it
//! ```
//!
//! The end of a program that halts is an event `halts`, so that its history does not seem to stay in
//! its last loop.
//!
//! The first event names the program in a field more, `program_2l`, by which [`program_of`] knows the text. A line of its own
//! in front would be an event to other readers, and what a stream is called says nothing of what it is.

use super::block_name;
use crate::Grid;
use crate::blocks::Graph;
use crate::run::{Outcome, Walk};

/// The field of the first event that names the program.
const PROGRAM: &str = "program_2l";

/// The program whose history a text is, by the first of its lines; `None` if it is no such history, or the line is cut.
pub fn program_of(beginning: &[u8]) -> Option<Grid> {
    let line = beginning.split(|&byte| byte == b'\n').next()?;
    let event: serde_json::Value = serde_json::from_slice(line).ok()?;
    event.get("fields")?.get(PROGRAM)?.as_str()?.parse().ok()
}

/// The events of a run, as lines of JSON.
#[derive(Debug)]
pub struct Events<'g> {
    graph: &'g Graph,
    walk: Walk<'g>,
    stream: String,
    is_over: bool,
}

impl<'g> Events<'g> {
    /// From the start. `stream` is the name of the program.
    pub fn of(graph: &'g Graph, stream: &str) -> Self {
        Events { graph, walk: Walk::new(graph), stream: stream.to_owned(), is_over: false }
    }

    /// Those of the first blocks, and of the end if it comes then.
    pub fn take_blocks(self, blocks: u64) -> impl Iterator<Item = String> {
        self.take(usize::try_from(blocks).unwrap_or(usize::MAX))
    }
}

impl Iterator for Events<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        if self.is_over {
            return None;
        }
        let (steps, due, stream) = (self.walk.steps(), self.walk.block(), &self.stream);
        match self.walk.step() {
            None => {
                let name = block_name(self.graph, due.number().into());
                let (dp, value) = (self.walk.tape().position(), self.walk.tape().value());
                let program = match steps {
                    0 => format!(",\"{PROGRAM}\":\"{stream}\""),
                    _ => String::new(),
                };
                Some(format!(
                    "{{\"ts\":{steps},\"stream\":\"{stream}\",\"name\":\"{name}\",\"fields\":{{\"dp\":{dp},\"value\":{value}{program}}}}}\n"
                ))
            }
            Some(end) => {
                self.is_over = true;
                let steps = self.walk.steps();
                (end == Outcome::Halted)
                    .then(|| format!("{{\"ts\":{steps},\"stream\":\"{stream}\",\"name\":\"halts\"}}\n"))
            }
        }
    }
}
