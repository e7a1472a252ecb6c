//! What `values --json` prints.
//!
//! ```text
//! {"calls":[{"method":"shop.Cart.add","descriptor":"(Ljava/lang/String;I)Z","thread":"main","begin":1767225600000000000,"length":12000,
//!    "object":{"class":"shop.Cart","identity":1829164700},"arguments":[{"name":"sku","value":"A1"},{"name":"count","value":3}],
//!    "outcome":"returned","value":true}],
//!  "more":0}
//! ```
//!
//! A value is null, true, false, a number or a text as in Java; `{"text","length"}`: a text of which only the beginning was kept, with
//! the UTF-16 units of the whole; `{"class","constant"}` of an enumeration; `{"class_value"}`; an exception has `class`, `identity`
//! and `message`, any other object `class` and `identity`, and `size` if its elements could be counted; `{"withheld":true}` was
//! not kept since its name may be that of a secret. `outcome` is `returned`, `threw` or `open` (its end is not known); `value` is
//! the result or the exception. `begin` is ns since 1970, `length` ns. `object` is left out of static methods and constructors.

use model::FlowSource;
use model::call_values::{CallValues, Ended, ProgramText, ProgramValue};
use serde::Serialize;

use crate::parameter_names::ParameterNames;

/// The answer of `values`.
#[derive(Debug, Serialize)]
pub(crate) struct ValuesReport {
    pub(crate) calls: Vec<CallReport>,
    /// Calls that are not listed.
    pub(crate) more: usize,
}

/// One call.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CallReport {
    pub(crate) method: String,
    pub(crate) descriptor: String,
    pub(crate) thread: Option<String>,
    pub(crate) begin: i64,
    pub(crate) length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object: Option<ValueReport>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) outcome: &'static str,
    pub(crate) value: Option<ValueReport>,
}

/// What a call was given and what came of it, without which call it was.
#[derive(Debug, Serialize)]
pub(crate) struct CallParts<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    object: &'r Option<ValueReport>,
    arguments: &'r [Argument],
    outcome: &'static str,
    value: &'r Option<ValueReport>,
    length: Option<u64>,
}

/// One argument.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Argument {
    pub(crate) name: Option<String>,
    pub(crate) value: ValueReport,
}

/// One value; see the head.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum ValueReport {
    Null(()),
    Boolean(bool),
    Integer(i64),
    Float(f32),
    Double(f64),
    Text(String),
    Start {
        text: String,
        length: u32,
    },
    Constant {
        class: String,
        constant: String,
    },
    Class {
        class_value: String,
    },
    Throwable {
        class: String,
        identity: u32,
        message: Option<Box<ValueReport>>,
    },
    Object {
        class: String,
        identity: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
    },
    Withheld {
        withheld: bool,
    },
}

impl CallReport {
    pub(crate) fn values(&self) -> CallParts<'_> {
        let CallReport { object, arguments, outcome, value, length, .. } = self;
        CallParts { object, arguments, outcome, value, length: *length }
    }

    pub(crate) fn of(
        recording: &dyn FlowSource,
        call: &CallValues,
        names: &mut ParameterNames,
    ) -> CallReport {
        let code = recording.code();
        let names = names.of(recording, call.method);
        let argument = |(index, value): (usize, &ProgramValue)| Argument {
            name: names.get(index).cloned().flatten(),
            value: ValueReport::of(value),
        };
        let (outcome, value) = match call.outcome.as_ref().map(|outcome| &outcome.ended) {
            None => ("open", None),
            Some(Ended::Returned(value)) => ("returned", value.as_ref()),
            Some(Ended::Threw(exception)) => ("threw", Some(exception)),
        };
        let threads = recording.threads();
        let thread = threads.binary_search_by_key(&call.thread, |thread| thread.serial).ok();
        CallReport {
            method: code.method_name(call.method),
            descriptor: code.method(call.method).map(|method| method.descriptor.clone()).unwrap_or_default(),
            thread: thread.and_then(|at| threads.get(at)).map(|thread| thread.name.clone()),
            begin: call.began.0,
            length: call.duration(),
            object: call.object.as_ref().map(ValueReport::of),
            arguments: call.arguments.iter().enumerate().map(argument).collect(),
            outcome,
            value: value.map(ValueReport::of),
        }
    }
}

impl ValueReport {
    pub(crate) fn of(value: &ProgramValue) -> ValueReport {
        match value {
            ProgramValue::Withheld => ValueReport::Withheld { withheld: true },
            ProgramValue::Null => ValueReport::Null(()),
            ProgramValue::Boolean(value) => ValueReport::Boolean(*value),
            ProgramValue::Char(unit) => ValueReport::Text(String::from_utf16_lossy(&[*unit])),
            ProgramValue::Integer(value) => ValueReport::Integer(*value),
            // JSON has no number for these.
            ProgramValue::Float(value) if !value.is_finite() => ValueReport::Text(value.to_string()),
            ProgramValue::Double(value) if !value.is_finite() => ValueReport::Text(value.to_string()),
            ProgramValue::Float(value) => ValueReport::Float(*value),
            ProgramValue::Double(value) => ValueReport::Double(*value),
            ProgramValue::Text(value) => text(value),
            ProgramValue::Constant(class, constant) => {
                ValueReport::Constant { class: class.clone(), constant: constant.clone() }
            }
            ProgramValue::Class(class) => ValueReport::Class { class_value: class.clone() },
            ProgramValue::Throwable { class, identity, message } => ValueReport::Throwable {
                class: class.clone(),
                identity: *identity,
                message: message.as_ref().map(|message| Box::new(text(message))),
            },
            ProgramValue::Object { class, identity, size } => {
                ValueReport::Object { class: class.clone(), identity: *identity, size: *size }
            }
        }
    }
}

fn text(value: &ProgramText) -> ValueReport {
    if value.is_whole() {
        ValueReport::Text(value.text.clone())
    } else {
        ValueReport::Start { text: value.text.clone(), length: value.length }
    }
}
