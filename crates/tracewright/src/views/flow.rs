//! Pieces of text put side by side and broken into lines, with colours that do not count.

use crate::paint::{Ink, Paint};

/// Where lines are broken. Fixed, so that output is the same in every window and in a pipe.
const WIDTH: usize = 100;

/// One paragraph: a label, and pieces behind it.
#[derive(Debug)]
pub(crate) struct Flow {
    spans: Vec<(Ink, String)>,
}

impl Flow {
    pub(crate) fn new() -> Flow {
        Flow { spans: vec![] }
    }

    /// A piece of harmless text that is never broken inside.
    pub(crate) fn push(&mut self, ink: Ink, text: impl Into<String>) {
        self.spans.push((ink, text.into()));
    }

    /// The lines: `label` before the first, as much space before the others, `gap` between pieces.
    pub(crate) fn write(self, out: &mut String, label: &str, gap: &str, paint: Paint) {
        let indent = label.chars().count();
        let mut line = paint.dip(Ink::Quiet, label);
        let mut column = indent;
        for (ink, text) in self.spans {
            let length = text.chars().count();
            if column > indent && column + gap.len() + length > WIDTH {
                *out += line.trim_end();
                out.push('\n');
                line = " ".repeat(indent);
                column = indent;
            } else if column > indent {
                line += gap;
                column += gap.len();
            }
            line += &paint.dip(ink, &text);
            column += length;
        }
        *out += line.trim_end();
        out.push('\n');
    }
}
