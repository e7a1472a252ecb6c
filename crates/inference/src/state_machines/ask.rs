//! What a test asks, where the event and the key of the instance answer it: quick, and with three
//! answers, because of a lost event not everything is known. Other tests are left to the attributes.

use model::machine::condition::Operand;
use model::machine::{Comparison, Condition, Path, ValueExpr, ValueSource};

use crate::value::{Name, Texts, Value};

/// A question about one event and one instance.
#[derive(Debug, Clone)]
pub(crate) enum Ask {
    /// The key of the instance is the value of this field.
    Own(usize),
    /// The field compared with a value.
    Field(usize, Comparison, Value),
    All(Vec<Ask>),
    Any(Vec<Ask>),
    Not(Box<Ask>),
    /// Only attributes can answer it.
    Attributes,
}

/// What is known of an event: the value of a field (`None` inside: it has none), or nothing.
pub(crate) type Known<'a> = &'a dyn Fn(usize) -> Option<Option<Value>>;

impl Ask {
    /// Makes a condition ready; `slot` gives the number of a field.
    pub(crate) fn new(condition: &Condition, texts: &mut Texts, slot: &mut dyn FnMut(&str) -> usize) -> Ask {
        match condition {
            Condition::Compare { left: Operand::Field(field), comparison, right } => {
                match constant(right, texts) {
                    Some(value) => Ask::Field(slot(field), *comparison, value),
                    None => Ask::Attributes,
                }
            }
            Condition::Compare {
                left: Operand::Path(path),
                comparison: Comparison::Equal,
                right: ValueExpr { source: ValueSource::Field(field), forced: None, mapping: None },
            } if *path == Path::own_key() => Ask::Own(slot(field)),
            Condition::All(parts) => Ask::All(parts.iter().map(|part| Ask::new(part, texts, slot)).collect()),
            Condition::Any(parts) => Ask::Any(parts.iter().map(|part| Ask::new(part, texts, slot)).collect()),
            Condition::Not(part) => Ask::Not(Box::new(Ask::new(part, texts, slot))),
            _ => Ask::Attributes,
        }
    }

    /// Whether attributes are needed somewhere in it.
    pub(crate) fn needs_attributes(&self) -> bool {
        match self {
            Ask::Attributes => true,
            Ask::Own(_) | Ask::Field(..) => false,
            Ask::All(parts) | Ask::Any(parts) => parts.iter().any(Ask::needs_attributes),
            Ask::Not(part) => part.needs_attributes(),
        }
    }

    /// The fields that it looks at, but for those that name the instance.
    pub(crate) fn fields(&self, found: &mut Vec<usize>) {
        match self {
            Ask::Field(slot, ..) => found.push(*slot),
            Ask::Own(_) | Ask::Attributes => {}
            Ask::All(parts) | Ask::Any(parts) => parts.iter().for_each(|part| part.fields(found)),
            Ask::Not(part) => part.fields(found),
        }
    }

    /// Whether it looks at nothing but this field.
    pub(crate) fn is_about(&self, slot: usize) -> bool {
        match self {
            Ask::Field(asked, ..) => *asked == slot,
            Ask::Own(_) | Ask::Attributes => false,
            Ask::All(parts) | Ask::Any(parts) => parts.iter().all(|part| part.is_about(slot)),
            Ask::Not(part) => part.is_about(slot),
        }
    }

    /// The answer; `None`: nobody knows. `own` says whether a field names the instance.
    pub(crate) fn holds(
        &self,
        texts: &Texts,
        known: Known<'_>,
        own: &dyn Fn(usize) -> Option<bool>,
    ) -> Option<bool> {
        match self {
            Ask::Attributes => None,
            Ask::Own(slot) => own(*slot),
            Ask::Field(slot, comparison, value) => {
                let left = known(*slot)?.unwrap_or(Value::Null);
                let order = match (left, value) {
                    (Value::Long(left), Value::Long(right)) => Some(left.cmp(right)),
                    _ => texts.compare(left, *value),
                };
                Some(order.is_some_and(|order| comparison.holds(order)))
            }
            Ask::All(parts) => {
                let mut all = Some(true);
                for part in parts {
                    match part.holds(texts, known, own) {
                        Some(false) => return Some(false),
                        None => all = None,
                        Some(true) => {}
                    }
                }
                all
            }
            Ask::Any(parts) => {
                let mut any = Some(false);
                for part in parts {
                    match part.holds(texts, known, own) {
                        Some(true) => return Some(true),
                        None => any = None,
                        Some(false) => {}
                    }
                }
                any
            }
            Ask::Not(part) => part.holds(texts, known, own).map(|holds| !holds),
        }
    }
}

fn constant(value: &ValueExpr, texts: &mut Texts) -> Option<Value> {
    if value.forced.is_some() || value.mapping.is_some() {
        return None;
    }
    Some(match &value.source {
        ValueSource::Null => Value::Null,
        ValueSource::Int(number) => Value::Long(i64::from(*number)),
        ValueSource::Long(number) => Value::Long(*number),
        ValueSource::Text(text) => Value::Text(texts.intern(text)),
        _ => return None,
    })
}

/// Whether a key is what a value says.
pub(crate) fn is_key(texts: &Texts, key: Name, value: Value) -> bool {
    match (key, value) {
        (Name::Number(key), Value::Long(value)) => key == value,
        (Name::Number(key), value) => value.as_i64() == Some(key) && !value.is_null(),
        (Name::Text(key), Value::Text(value)) => texts.get(key) == texts.get(value),
        (Name::Text(_), _) => false,
    }
}
