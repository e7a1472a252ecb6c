//! Scripts in values: one expression over named values.
//!
//! The expressions are those of JavaScript that compute and do nothing else: no statement, no
//! variable, no loop, no object. So each of them ends, and says the same for the same values.

use super::ValueExpr;

/// An expression and what its names mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The expression.
    pub expression: Expression,
    /// What a name in it stands for.
    pub names: Vec<(String, ValueExpr)>,
    /// As it was written.
    pub text: String,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A whole number.
    Whole(i64),
    /// Another number.
    Number(f64),
    /// A text.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// `null` or `undefined`.
    Null,
    /// A name, by its index in [`Script::names`].
    Name(usize),
    /// `-a`, `+a`, `!a`, `~a`.
    Unary(Unary, Box<Expression>),
    /// `a + b` and the like.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `a ? b : c`.
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A function that computes, and what it is given; of a method, the text comes first.
    Call(Function, Vec<Expression>),
}

/// An operator with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `+`, which makes a number of a text.
    Plus,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`, or `===` where types count
    Equal {
        /// Whether types count.
        strict: bool,
    },
    /// `!=`, or `!==` where types count
    NotEqual {
        /// Whether types count.
        strict: bool,
    },
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `>>>`
    ShiftRightUnsigned,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

/// A function that is known in expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `Math.abs`
    Abs,
    /// `Math.ceil`
    Ceil,
    /// `Math.floor`
    Floor,
    /// `Math.round`
    Round,
    /// `Math.max`
    Max,
    /// `Math.min`
    Min,
    /// `Number`, `parseFloat`
    Number,
    /// `parseInt`
    ParseInt,
    /// `String`, `.toString()`
    Text,
    /// `.length`
    Length,
    /// `.indexOf(text)`
    IndexOf,
    /// `.substring(from, to)`
    Substring,
    /// `.startsWith(text)`
    StartsWith,
    /// `.endsWith(text)`
    EndsWith,
    /// `.includes(text)`
    Includes,
    /// `.toLowerCase()`
    ToLowerCase,
    /// `.toUpperCase()`
    ToUpperCase,
}
