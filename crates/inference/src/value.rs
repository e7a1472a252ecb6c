//! Values of attributes, and the texts among them.
//!
//! A value is copied in one register pair; texts are kept once, in [`Texts`]. Comparison is that
//! of the original (notes on the founding text, part 1.2): numbers by value whatever their width,
//! no value as -1 among numbers and as a fixed text among texts.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

/// A text in [`Texts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(u32);

/// The value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// None.
    Null,
    /// A 32-bit number.
    Int(i32),
    /// A 64-bit number.
    Long(i64),
    /// A binary floating-point number.
    Double(f64),
    /// A text.
    Text(TextId),
}

/// The name of an attribute: numbers are by far the most frequent ones, and are kept as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// A text that is exactly how this number is written.
    Number(i64),
    /// Any other text.
    Text(TextId),
}

/// One word instead of two: names are hashed several times an event.
impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.word());
    }
}

impl Name {
    /// Equal for equal names, and different for nearly all others.
    pub(super) fn word(self) -> u64 {
        match self {
            Name::Number(number) => (number as u64) << 1,
            Name::Text(TextId(id)) => (u64::from(id) << 1) | 1,
        }
    }
}

/// Every text that an attribute is called or has had as its value. It never shrinks: what it
/// holds is bounded by what the machines write, not by the length of the trace.
#[derive(Debug, Default)]
pub struct Texts {
    texts: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, TextId, FxBuildHasher>,
}

/// What stands for no value among texts.
const NULL_TEXT: &str = "nullValue";

impl Texts {
    /// The id of a text, which is added when it is new.
    pub fn intern(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = TextId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.ids.insert(text, id);
        id
    }

    /// The id of a text that was seen before.
    pub fn find(&self, text: &str) -> Option<TextId> {
        self.ids.get(text).copied()
    }

    /// The text.
    pub fn get(&self, id: TextId) -> &str {
        self.texts.get(id.0 as usize).map_or("", |text| text)
    }

    /// The text, for who keeps it.
    pub fn shared(&self, id: TextId) -> Arc<str> {
        self.texts.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// The attribute name that a text is.
    pub fn name(&mut self, text: &str) -> Name {
        match canonical(text) {
            Some(number) => Name::Number(number),
            None => Name::Text(self.intern(text)),
        }
    }

    /// The attribute name that a value is as text; no value is none.
    pub fn name_of(&mut self, value: Value) -> Option<Name> {
        Some(match value {
            Value::Null => return None,
            Value::Int(number) => Name::Number(i64::from(number)),
            Value::Long(number) => Name::Number(number),
            Value::Double(number) => {
                let text = number.to_string();
                self.name(&text)
            }
            Value::Text(id) => match canonical(self.get(id)) {
                Some(number) => Name::Number(number),
                None => Name::Text(id),
            },
        })
    }

    /// The number that a text is, if it is written exactly so.
    pub(super) fn find_name(&self, id: TextId) -> Option<i64> {
        canonical(self.get(id))
    }

    /// A name as text.
    pub fn show_name(&self, name: Name) -> String {
        match name {
            Name::Number(number) => number.to_string(),
            Name::Text(id) => self.get(id).to_owned(),
        }
    }

    /// A value as text.
    pub fn show(&self, value: Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Int(number) => number.to_string(),
            Value::Long(number) => number.to_string(),
            Value::Double(number) => number.to_string(),
            Value::Text(id) => self.get(id).to_owned(),
        }
    }

    /// The order of two values; `None`: a number and a text cannot be compared.
    pub fn compare(&self, left: Value, right: Value) -> Option<Ordering> {
        use Value::{Double, Null, Text};
        match (left, right) {
            (Null, Null) => Some(Ordering::Equal),
            (Text(a), Text(b)) if a == b => Some(Ordering::Equal),
            (Text(a), Text(b)) => Some(self.get(a).cmp(self.get(b))),
            (Text(a), Null) => Some(self.get(a).cmp(NULL_TEXT)),
            (Null, Text(b)) => Some(NULL_TEXT.cmp(self.get(b))),
            (Text(_), _) | (_, Text(_)) => None,
            (Double(_), _) | (_, Double(_)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
            _ => Some(left.as_i64()?.cmp(&right.as_i64()?)),
        }
    }
}

impl Value {
    /// A whole number; no value is -1, as in the original.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Value::Null => Some(-1),
            Value::Int(number) => Some(i64::from(number)),
            Value::Long(number) => Some(number),
            Value::Double(number) => Some(number as i64),
            Value::Text(_) => None,
        }
    }

    /// A number; no value is -1.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Value::Double(number) => Some(number),
            _ => self.as_i64().map(|number| number as f64),
        }
    }

    /// Whether there is none.
    pub fn is_null(self) -> bool {
        matches!(self, Value::Null)
    }
}

/// The number that is written exactly so.
fn canonical(text: &str) -> Option<i64> {
    let first = text.as_bytes().first()?;
    if text.len() > 20 || !(first.is_ascii_digit() || *first == b'-') {
        return None;
    }
    let number: i64 = text.parse().ok()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.starts_with('0') || (digits == "0" && !text.starts_with('-'));
    is_plain.then_some(number)
}
