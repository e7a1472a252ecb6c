//! What a condition says when only the event and the state of the instance are known.

use model::machine::{Comparison, Condition, KeySource, Operand, Path, Pattern, ValueExpr, ValueSource};

use super::shapes::{Shape, State, shape};

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Known(bool),
    /// It holds if this does, which asks for fields of the event only.
    Fields(Condition),
    /// Other attributes decide.
    Open,
}

/// The attribute whose state is known.
pub(super) struct Own<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) shape: &'a Shape,
    pub(super) source: &'a KeySource,
    pub(super) state: &'a State,
}

impl Own<'_> {
    pub(super) fn answer(&self, condition: &Condition) -> Answer {
        match condition {
            Condition::Compare { left: Operand::Field(_), right, .. } if is_constant(right) => {
                Answer::Fields(condition.clone())
            }
            Condition::Compare { left: Operand::Path(path), comparison, right } => {
                self.compared(path, *comparison, right)
            }
            Condition::Same(left, comparison, right) => match (&left.source, &right.source) {
                (ValueSource::Query(path, _), _) => self.compared(path, *comparison, right),
                (_, ValueSource::Query(path, _))
                    if matches!(comparison, Comparison::Equal | Comparison::NotEqual) =>
                {
                    self.compared(path, *comparison, left)
                }
                (ValueSource::Field(name), _) if is_constant(right) && left.forced.is_none() => {
                    let left = Operand::Field(name.clone());
                    Answer::Fields(Condition::Compare { left, comparison: *comparison, right: right.clone() })
                }
                _ => Answer::Open,
            },
            Condition::Not(part) => match self.answer(part) {
                Answer::Known(holds) => Answer::Known(!holds),
                Answer::Fields(condition) => Answer::Fields(negated(condition)),
                Answer::Open => Answer::Open,
            },
            Condition::All(parts) => self.joined(parts, true),
            Condition::Any(parts) => self.joined(parts, false),
            Condition::Compare { left: Operand::Field(_), .. }
            | Condition::Within { .. }
            | Condition::Elapsed { .. } => Answer::Open,
        }
    }

    /// All of them, or any: whichever answer `neutral` is not decides at once.
    fn joined(&self, parts: &[Condition], neutral: bool) -> Answer {
        let (mut fields, mut is_open) = (Vec::new(), false);
        for part in parts {
            match self.answer(part) {
                Answer::Known(holds) if holds != neutral => return Answer::Known(holds),
                Answer::Known(_) => {}
                Answer::Fields(condition) => fields.push(condition),
                Answer::Open => is_open = true,
            }
        }
        match (is_open, fields.len()) {
            (true, _) => Answer::Open,
            (false, 0) => Answer::Known(neutral),
            (false, _) if neutral => Answer::Fields(Condition::All(fields)),
            (false, _) => Answer::Fields(Condition::Any(fields)),
        }
    }

    fn compared(&self, path: &Path, comparison: Comparison, right: &ValueExpr) -> Answer {
        let is_own = shape(self.pattern, path)
            .is_ok_and(|(shape, source)| shape == *self.shape && source == *self.source);
        let is_equal = match comparison {
            Comparison::Equal => true,
            Comparison::NotEqual => false,
            _ => return Answer::Open,
        };
        if !is_own || right.forced.is_some() || right.mapping.is_some() {
            return Answer::Open;
        }
        match (self.state, State::of_value(right, None)) {
            (_, State::Some) | (State::Some, State::Value(..)) => Answer::Open,
            (own, other) => Answer::Known(own.is_same(&other) == is_equal),
        }
    }
}

/// Whether a value does not depend on the event or the attributes.
pub(super) fn is_constant(value: &ValueExpr) -> bool {
    value.forced.is_none()
        && value.mapping.is_none()
        && matches!(
            value.source,
            ValueSource::Null | ValueSource::Int(_) | ValueSource::Long(_) | ValueSource::Text(_)
        )
}

/// The negation of a condition, without two in a row.
pub(super) fn negated(condition: Condition) -> Condition {
    match condition {
        Condition::Not(inner) => *inner,
        other => Condition::Not(Box::new(other)),
    }
}
