//! Values of a program as text: `"A1"`, `17`, `Color.RED`, `Cart@6d06d69c`, `ArrayList(3)@70dea4e`, `int[5]@5c647e05`.

use model::CallValues;
use model::call_values::{Ended, ProgramText, ProgramValue};

use super::code_names::package;
use crate::escape::{self, plain};

/// A value as it is shown.
pub(crate) fn shown(value: &ProgramValue) -> String {
    match value {
        ProgramValue::Object { identity, .. } => format!("{}@{identity:x}", kind_of(value)),
        _ => kind_of(value),
    }
}

/// A value as it is shown, without the identity of an object.
pub(crate) fn kind_of(value: &ProgramValue) -> String {
    match value {
        ProgramValue::Withheld => "(withheld)".to_owned(),
        ProgramValue::Null => "null".to_owned(),
        ProgramValue::Boolean(value) => value.to_string(),
        ProgramValue::Char(unit) => format!("'{}'", plain(&String::from_utf16_lossy(&[*unit]))),
        ProgramValue::Integer(value) => value.to_string(),
        ProgramValue::Float(value) => format!("{value:?}"),
        ProgramValue::Double(value) => format!("{value:?}"),
        ProgramValue::Text(value) => text(value),
        ProgramValue::Constant(class, name) => format!("{}.{name}", simple(class)),
        ProgramValue::Class(class) => format!("{}.class", simple(class)),
        ProgramValue::Throwable { class, message: None, .. } => simple(class).to_owned(),
        ProgramValue::Throwable { class, message: Some(message), .. } => {
            format!("{}: {}", simple(class), text(message))
        }
        ProgramValue::Object { class, size: None, .. } => simple(class).to_owned(),
        ProgramValue::Object { class, size: Some(size), .. } => match class.split_once("[]") {
            Some((element, more)) => format!("{}[{size}]{more}", simple(element)),
            None => format!("{}({size})", simple(class)),
        },
    }
}

/// The text after the name of a call: `(sku: "A1", count: 3) = true`.
pub(crate) fn call(values: &CallValues, names: &[Option<String>]) -> String {
    let arguments = values.arguments.iter().enumerate().map(|(index, value)| {
        match names.get(index).and_then(Option::as_deref) {
            Some(name) => format!("{name}: {}", shown(value)),
            None => shown(value),
        }
    });
    let arguments: Vec<String> = arguments.collect();
    format!("({}){}", arguments.join(", "), outcome(values))
}

/// What came of it: ` = true`, ` threw OutOfStock: "none left"`, nothing of a method without a result.
fn outcome(values: &CallValues) -> String {
    match values.outcome.as_ref().map(|outcome| &outcome.ended) {
        None => ", end not seen".to_owned(),
        Some(Ended::Returned(None)) => String::new(),
        Some(Ended::Returned(Some(value))) => format!(" = {}", shown(value)),
        Some(Ended::Threw(exception)) => format!(" threw {}", shown(exception)),
    }
}

fn simple(class: &str) -> &str {
    class.strip_prefix(package(class)).unwrap_or(class)
}

/// A text in quotes; of one that was cut how many letters it has.
fn text(value: &ProgramText) -> String {
    let mut quoted = Vec::new();
    escape::quoted(&mut quoted, value.text.as_bytes());
    let quoted = String::from_utf8_lossy(&quoted);
    if value.is_whole() { quoted.into_owned() } else { format!("{quoted}... of {} letters", value.length) }
}
