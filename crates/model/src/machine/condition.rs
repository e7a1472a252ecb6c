//! Conditions: what must hold for a transition to be taken.

use super::{Path, Spot, ValueExpr};

/// A condition with a name, which transitions refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Its id.
    pub id: String,
    /// What it asks.
    pub condition: Condition,
    /// Where it stands.
    pub spot: Spot,
}

/// A question about the event, the attributes and the time.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// A field of the event, or the value at a path, compared with a value.
    Compare {
        /// What stands on the left.
        left: Operand,
        /// How.
        comparison: Comparison,
        /// What stands on the right.
        right: ValueExpr,
    },
    /// Two values. By the rules of 2018 they must be equal in type and value, whatever the comparison.
    Same(ValueExpr, Comparison, ValueExpr),
    /// The time of the event lies in `begin..=end` (nanoseconds), or outside if `inside` is false.
    Within {
        /// First moment.
        begin: i64,
        /// Last moment.
        end: i64,
        /// In or out.
        inside: bool,
    },
    /// Nanoseconds since this scenario last entered a state, compared with a number.
    Elapsed {
        /// `Less`, `Equal` or `Greater`.
        comparison: Comparison,
        /// The id of the state.
        since: String,
        /// Nanoseconds.
        nanoseconds: i64,
    },
    /// All hold.
    All(Vec<Condition>),
    /// At least one holds.
    Any(Vec<Condition>),
    /// It does not hold. What cannot be computed does not hold, so its negation does.
    Not(Box<Condition>),
}

/// The left side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A field of the event.
    Field(String),
    /// The value at a path.
    Path(Path),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Greater than or equal.
    GreaterOrEqual,
    /// Greater.
    Greater,
    /// Less than or equal.
    LessOrEqual,
    /// Less.
    Less,
}

impl Comparison {
    /// Whether `left` stands to `right` as asked, given their order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::GreaterOrEqual => order.is_ge(),
            Comparison::Greater => order.is_gt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Less => order.is_lt(),
        }
    }
}
