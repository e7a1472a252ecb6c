//! Segments: intervals that an action makes, for statistics of durations.

use super::{Path, ValueExpr};

/// A segment to be made when an action runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// What it is called.
    pub name: SegmentName,
    /// When it was.
    pub time: SegmentTime,
    /// What it carries, besides the stored fields of its scenario.
    pub content: Vec<SegmentField>,
}

/// The name of a segment.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmentName {
    /// As written.
    Fixed(String),
    /// A value as text.
    Value(ValueExpr),
}

/// The interval of a segment.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmentTime {
    /// From the start of the scenario to the event.
    Scenario,
    /// From a value on.
    Given {
        /// Nanoseconds.
        begin: ValueExpr,
        /// Its end.
        end: SegmentEnd,
    },
}

/// The end of a segment whose begin is given.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmentEnd {
    /// This moment.
    At(ValueExpr),
    /// So many nanoseconds later.
    After(ValueExpr),
}

/// One thing that a segment carries.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentField {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: SegmentSource,
}

/// Where the content of a segment comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmentSource {
    /// A value.
    Value(ValueExpr),
    /// What stands at a path.
    Path(Path),
}
