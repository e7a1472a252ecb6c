//! What `states --json` prints.
//!
//! ```text
//! {"model":"locks.xml","analysis":"locks","events":4,"from":1,"to":7,
//!  "attributes":[{"attribute":"Locks/7/Owner","path":["Locks","7","Owner"],
//!                 "states":[{"from":1,"to":3,"value":null,"type":"null"},
//!                           {"from":3,"to":7,"value":12,"type":"long"}]}],
//!  "segments":[{"name":"held","from":3,"to":7,"content":{"owner":"12"}}]}
//! ```
//!
//! Times are nanoseconds on the clock of the trace.

use inference::Value;
use serde::Serialize;

use super::scalar::Members;
use crate::results::{Attribute, FoundStates};

/// The answer of `states`.
#[derive(Debug, Serialize)]
pub(crate) struct StatesReport<'a> {
    model: &'a str,
    analysis: &'a str,
    events: u64,
    from: Option<i64>,
    to: Option<i64>,
    attributes: Vec<AttributeStates<'a>>,
    segments: Vec<Segment<'a>>,
}

#[derive(Debug, Serialize)]
struct AttributeStates<'a> {
    attribute: String,
    path: &'a [String],
    /// They cover the trace without a hole: each lasts up to the `from` of the next, or the end of the trace.
    states: Vec<State<'a>>,
}

#[derive(Debug, Serialize)]
struct State<'a> {
    from: i64,
    to: i64,
    value: StateValue<'a>,
    r#type: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum StateValue<'a> {
    Null,
    Integer(i64),
    Double(f64),
    Text(&'a str),
    /// A double that JSON cannot express.
    NotFinite(String),
}

#[derive(Debug, Serialize)]
struct Segment<'a> {
    name: &'a str,
    from: i64,
    to: i64,
    content: Members<'a, &'a str>,
}

impl<'a> StatesReport<'a> {
    pub(crate) fn of(found: &'a FoundStates) -> Self {
        let range = found.engine.range();
        let state = |(from, to, value)| {
            let (value, kind) = state_value(found, value);
            State { from, to, value, r#type: kind }
        };
        let attribute = |attribute: &'a Attribute| AttributeStates {
            attribute: attribute.path.join("/"),
            path: &attribute.path,
            states: found.states(attribute).into_iter().map(state).collect(),
        };
        let segments = found.engine.segments().iter().map(|segment| Segment {
            name: &segment.name,
            from: segment.from,
            to: segment.to,
            content: Members(
                segment.content.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            ),
        });
        Self {
            model: &found.model,
            analysis: &found.analysis,
            events: found.engine.events(),
            from: range.map(|(from, _)| from.0),
            to: range.map(|(_, to)| to.0),
            attributes: found.attributes.iter().map(attribute).collect(),
            segments: segments.collect(),
        }
    }
}

fn state_value(found: &FoundStates, value: Value) -> (StateValue<'_>, &'static str) {
    match value {
        Value::Null => (StateValue::Null, "null"),
        Value::Int(number) => (StateValue::Integer(number.into()), "int"),
        Value::Long(number) => (StateValue::Integer(number), "long"),
        Value::Double(number) if number.is_finite() => (StateValue::Double(number), "double"),
        Value::Double(number) => (StateValue::NotFinite(number.to_string()), "double"),
        Value::Text(text) => (StateValue::Text(found.engine.texts().get(text)), "string"),
    }
}
