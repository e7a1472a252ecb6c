//! The layout of a text: its units, gaps and white space in order, so that a history can be written as it was read.
//!
//! It is a history of pieces, and folded like any other: `\n` after each unit is one loop.

use analyses::loops::{LoopFinder, Options};
use formats::history_text::GAP;
use model::Summary;

/// What a text is made of; `None` is the next unit of its history.
pub(crate) const SYMBOLS: [Option<&str>; 7] =
    [None, Some(GAP), Some("\n"), Some(" "), Some("\t"), Some("\r"), Some("\u{c}")];

/// The layout of a text that is being read.
#[derive(Debug)]
pub(crate) struct Layout(LoopFinder);

impl Layout {
    pub(crate) fn new() -> Layout {
        Layout(LoopFinder::new(Options { max_levels: 1, ..Options::default() }))
    }

    /// The next unit.
    pub(crate) fn unit(&mut self) {
        self.0.push(0);
    }

    /// A gap.
    pub(crate) fn gap(&mut self) {
        self.0.push(1);
    }

    /// A byte of white space.
    pub(crate) fn space(&mut self, byte: u8) {
        let is_it = |text: &Option<&str>| text.is_some_and(|text| text.as_bytes() == [byte]);
        if let Some(number) = SYMBOLS.iter().position(is_it) {
            self.0.push(number as u32);
        }
    }

    /// All of it.
    pub(crate) fn summary(&self) -> Summary {
        self.0.summary()
    }
}
