//! JSON objects of metadata, read strictly: what the specification does not name is refused by name.
//!
//! Errors are sentences without a place; who asked puts the name of the property before them.

use serde_json::{Map, Value};

/// What is wrong, and where in the fragment: `payload-field-class.member-classes[2]: ...`.
pub(super) type Wrong = String;

/// An object of which every property is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Object<'v>(&'v Map<String, Value>);

impl<'v> Object<'v> {
    /// `known` are the properties that it may have, beside `type`, `attributes` and `extensions`.
    pub(super) fn new(value: &'v Value, known: &[&str]) -> Result<Object<'v>, Wrong> {
        let Value::Object(map) = value else { return Err("This is not an object.".into()) };
        let object = Object(map);
        for (name, value) in map {
            match (name.as_str(), value) {
                ("type", Value::String(_)) | ("attributes", Value::Object(_)) => {}
                ("extensions", Value::Object(extensions)) => {
                    if let Some((namespace, named)) = extensions.iter().next() {
                        let inner = named.as_object().and_then(|named| named.keys().next());
                        let name = inner.map_or(String::new(), |name| format!(" `{name}` of"));
                        return Err(format!("The extension{name} `{namespace}` is not supported."));
                    }
                }
                ("type" | "attributes" | "extensions", _) => {
                    return Err(format!("The property `{name}` has a value of another type."));
                }
                (name, _) if known.contains(&name) => {}
                (name, _) => {
                    let name: String = name.chars().take(40).collect();
                    return Err(format!("The property `{name}` is unknown."));
                }
            }
        }
        Ok(object)
    }

    pub(super) fn get(&self, name: &str) -> Option<&'v Value> {
        self.0.get(name)
    }

    pub(super) fn need(&self, name: &str) -> Result<&'v Value, Wrong> {
        self.get(name).ok_or_else(|| format!("The property `{name}` is missing."))
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'v str>, Wrong> {
        let text = |value: &'v Value| value.as_str().ok_or_else(|| within(name, "This is not a string."));
        self.get(name).map(text).transpose()
    }

    pub(super) fn unsigned(&self, name: &str) -> Result<Option<u64>, Wrong> {
        let number = |value: &Value| {
            value.as_u64().ok_or_else(|| within(name, "This is not an integer of at least 0."))
        };
        self.get(name).map(number).transpose()
    }

    pub(super) fn signed(&self, name: &str) -> Result<Option<i64>, Wrong> {
        let number = |value: &Value| value.as_i64().ok_or_else(|| within(name, "This is not an integer."));
        self.get(name).map(number).transpose()
    }

    /// Names of any kind must be texts.
    pub(super) fn check_texts(&self, names: &[&str]) -> Result<(), Wrong> {
        names.iter().try_for_each(|name| self.text(name).map(drop))
    }
}

/// The sentence of something inside the property `name`.
pub(super) fn within(name: &str, wrong: impl AsRef<str>) -> Wrong {
    let wrong = wrong.as_ref();
    // What lies deeper begins with its own property.
    let separator = if wrong.starts_with(|c: char| c.is_ascii_lowercase() || c == '[') {
        if wrong.starts_with('[') { "" } else { "." }
    } else {
        ": "
    };
    format!("{name}{separator}{wrong}")
}

/// The elements of an array.
pub(super) fn elements(value: &Value) -> Result<&[Value], Wrong> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| "This is not an array.".into())
}

/// A set of ranges of integers, both ends included.
pub(super) fn ranges(value: &Value, is_signed: bool) -> Result<Vec<(i128, i128)>, Wrong> {
    let number = |value: &Value| match (value.as_i64(), value.as_u64()) {
        (_, Some(number)) => Some(i128::from(number)),
        (Some(number), _) if is_signed => Some(i128::from(number)),
        _ => None,
    };
    let list = elements(value)?;
    if list.is_empty() {
        return Err("There is no range.".into());
    }
    let range = |value: &Value| {
        let [low, high] = elements(value)? else { return Err("A range does not have two ends.".into()) };
        match (number(low), number(high)) {
            (Some(low), Some(high)) if low <= high => Ok((low, high)),
            (Some(low), Some(high)) => Err(format!("The range from {low} to {high} is empty.")),
            _ => Err("An end of a range is not an integer of the right sign.".to_owned()),
        }
    };
    list.iter().map(range).collect()
}
