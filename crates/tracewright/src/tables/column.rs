//! Columns and cells: what every table is made of.

/// A column of a table, always there and always in the same place.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// What it holds, for people.
    pub(crate) about: &'static str,
}

/// What the cells of a column are; each may be empty, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// 64 bits, from 0.
    Count,
    /// 64 bits with a sign.
    Number,
    /// 64-bit floating point.
    Real,
    Flag,
    /// Nanoseconds since 1970 in UTC.
    Moment,
}

/// What stands in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    Empty,
    Text(&'a str),
    Count(u64),
    Number(i64),
    Real(f64),
    Flag(bool),
    Moment(i64),
}

impl Kind {
    #[cfg(feature = "columnar")]
    const ALL: [Kind; 6] = [Kind::Text, Kind::Count, Kind::Number, Kind::Real, Kind::Flag, Kind::Moment];

    /// The one that documents call so.
    #[cfg(feature = "columnar")]
    pub(crate) fn of(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// As documents call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Count => "unsigned integer",
            Kind::Number => "integer",
            Kind::Real => "double",
            Kind::Flag => "boolean",
            Kind::Moment => "timestamp",
        }
    }
}

impl Column {
    pub(crate) fn new(name: impl Into<String>, kind: Kind, about: &'static str) -> Column {
        Column { name: name.into(), kind, about }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text)
    }
}

impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        Cell::Count(count)
    }
}

impl From<u32> for Cell<'_> {
    fn from(count: u32) -> Self {
        Cell::Count(count.into())
    }
}

impl From<model::Timestamp> for Cell<'_> {
    fn from(time: model::Timestamp) -> Self {
        Cell::Moment(time.0)
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Cell::Real(number)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(maybe: Option<T>) -> Self {
        maybe.map_or(Cell::Empty, Into::into)
    }
}
