//! Views: what the file wants to be drawn of its attributes. They are read, checked and listed, not drawn.

use super::Spot;

/// One view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// How it is drawn.
    pub kind: ViewKind,
    /// Its id.
    pub id: String,
    /// What people call it; empty if it has no label.
    pub label: String,
    /// The analyses that it shows, by their ids.
    pub analyses: Vec<String>,
    /// The attributes of its rows, as paths from the root with `*` for any name.
    pub paths: Vec<String>,
    /// Where it stands.
    pub spot: Spot,
}

/// How a view is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewKind {
    /// States over time, a row for each attribute.
    TimeGraph,
    /// Numbers over time, a line for each attribute.
    Chart,
}
