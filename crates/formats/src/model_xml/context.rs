//! What all readers of elements share: places, diagnostics, the tables of names.

use model::machine::Spot;
use model::{Diagnostic, Location, Severity};
use roxmltree::Node;

use super::NAMESPACE;
use super::ids::Ids;
use crate::limits;

/// Shared by the readers of one file.
pub(super) struct Context {
    file: String,
    /// The byte at which each line starts.
    lines: Vec<usize>,
    /// What was found.
    pub(super) diagnostics: Vec<Diagnostic>,
    is_refused: bool,
    /// The names of the analysis that is being read.
    pub(super) ids: Ids,
    /// How many names were used that nothing defines: what uses one is left out.
    pub(super) missing: usize,
}

impl Context {
    pub(super) fn new(file: &str, text: &str) -> Context {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(index, _)| index + 1)).collect();
        Context {
            file: file.to_owned(),
            lines,
            diagnostics: Vec::new(),
            is_refused: false,
            ids: Ids::default(),
            missing: 0,
        }
    }

    /// Where an element starts.
    pub(super) fn spot(&self, node: Node<'_, '_>) -> Spot {
        let offset = node.range().start;
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.lines.get(index)).copied().unwrap_or(0);
        let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Spot { line: narrow(line), column: narrow(offset - start + 1) }
    }

    /// The line in which an element ends.
    pub(super) fn end_line(&self, node: Node<'_, '_>) -> usize {
        let offset = node.range().end.saturating_sub(1);
        self.lines.partition_point(|start| *start <= offset)
    }

    /// A name that nothing defines. The original reads such a file and leaves out what uses it.
    pub(super) fn miss(&mut self, node: Node<'_, '_>, sentence: String) {
        self.missing += 1;
        self.note(node, sentence);
    }

    /// Something odd that does not keep the file from being used.
    pub(super) fn note(&mut self, node: Node<'_, '_>, sentence: String) {
        self.add(node, Severity::Note, "pattern-odd", sentence);
    }

    /// Something for which the file is refused.
    pub(super) fn refuse(&mut self, node: Node<'_, '_>, sentence: String) {
        self.is_refused = true;
        self.add(node, Severity::Damage, "pattern-refused", sentence);
    }

    fn add(&mut self, node: Node<'_, '_>, severity: Severity, code: &'static str, sentence: String) {
        let spot = self.spot(node);
        self.add_at(spot, severity, code, sentence);
    }

    /// Something odd at a place.
    pub(super) fn note_at(&mut self, spot: Spot, sentence: String) {
        self.add_at(spot, Severity::Note, "pattern-odd", sentence);
    }

    fn add_at(&mut self, spot: Spot, severity: Severity, code: &'static str, sentence: String) {
        if self.diagnostics.len() >= limits::DIAGNOSTICS {
            return;
        }
        self.diagnostics.push(diagnostic(&self.file, spot, severity, code, &sentence));
    }

    pub(super) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// An attribute that the element must have; the file is refused without it.
    pub(super) fn required<'a>(&mut self, node: Node<'a, '_>, name: &str) -> &'a str {
        match node.attribute(name) {
            Some(value) => value,
            None => {
                self.refuse(node, format!("`{}` needs an attribute `{name}`.", node.tag_name().name()));
                ""
            }
        }
    }

    /// `true` or `false`, or the default.
    pub(super) fn flag(&mut self, node: Node<'_, '_>, name: &str, default: bool) -> bool {
        match node.attribute(name) {
            None | Some("") => default,
            Some("true" | "1") => true,
            Some("false" | "0") => false,
            Some(other) => {
                self.refuse(node, format!("`{name}` is `{other}`, neither `true` nor `false`."));
                default
            }
        }
    }

    /// Says that an element has no business where it stands.
    pub(super) fn unexpected(&mut self, node: Node<'_, '_>) {
        let name = node.tag_name().name();
        match name {
            "fsmScheduleAction" => {
                self.refuse(node, format!("`{name}` was announced by the original but never worked."));
            }
            _ => self.note(node, format!("`{name}` is not known here and was ignored.")),
        }
    }
}

/// A diagnostic with line and column.
pub(super) fn diagnostic(
    file: &str,
    spot: Spot,
    severity: Severity,
    code: &'static str,
    sentence: &str,
) -> Diagnostic {
    let location = Location::Line { file: file.to_owned(), line: u64::from(spot.line) };
    Diagnostic { code, severity, location, sentence: format!("Column {}: {sentence}", spot.column) }
}

/// The child elements that the original defines.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(|child| child.is_element() && child.tag_name().namespace().is_none())
}

/// The child elements of our own namespace.
pub(super) fn own_children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(|child| child.is_element() && child.tag_name().namespace() == Some(NAMESPACE))
}
