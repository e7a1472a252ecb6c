//! The states of attributes as JSON, for programs.
//!
//! ```text
//! {"model":"locks.xml","analysis":"locks","events":4,"from":1,"to":7,
//!  "attributes":[{"attribute":"Locks/7/Owner","path":["Locks","7","Owner"],
//!                 "states":[{"from":1,"to":3,"value":null,"type":"null"},
//!                           {"from":3,"to":7,"value":12,"type":"long"}]}],
//!  "segments":[{"name":"held","from":3,"to":7,"content":{"owner":"12"}}]}
//! ```
//!
//! Times are nanoseconds on the clock of the trace. The states of an attribute cover the trace without
//! a hole: each lasts from `from` up to `to`, which is the `from` of the next, or the end of the trace.
//! A number in a `value` of type `double` that JSON cannot say is a text.

use inference::Value;

use super::json::Json;
use crate::commands::states::Found;

pub(crate) fn render(found: &Found) -> Vec<u8> {
    let mut json = Json::default();
    let range = found.engine.range();
    json.object(|json| {
        json.key("model").text(&found.model);
        json.key("analysis").text(&found.analysis);
        json.key("events").number(found.engine.events());
        json.key("from").number_or_null(range.map(|(from, _)| from.0));
        json.key("to").number_or_null(range.map(|(_, to)| to.0));
        json.key("attributes").array(&found.attributes, |json, attribute| {
            json.object(|json| {
                json.key("attribute").text(&attribute.path.join("/"));
                json.key("path").array(&attribute.path, |json, name| json.text(name));
                json.key("states").array(found.states(attribute), |json, (from, to, state)| {
                    json.object(|json| {
                        json.key("from").number(from);
                        json.key("to").number(to);
                        value(json, found, state);
                    });
                });
            });
        });
        json.key("segments").array(found.engine.segments(), |json, segment| {
            json.object(|json| {
                json.key("name").text(&segment.name);
                json.key("from").number(segment.from);
                json.key("to").number(segment.to);
                json.key("content").object(|json| {
                    for (name, value) in &segment.content {
                        json.key(name).text(value);
                    }
                });
            });
        });
    });
    json.out.push(b'\n');
    json.out
}

fn value(json: &mut Json, found: &Found, value: Value) {
    json.key("value");
    let kind = match value {
        Value::Null => {
            json.null();
            "null"
        }
        Value::Int(number) => {
            json.number(number);
            "int"
        }
        Value::Long(number) => {
            json.number(number);
            "long"
        }
        Value::Double(number) if number.is_finite() => {
            json.number(number);
            "double"
        }
        Value::Double(number) => {
            json.text(&number.to_string());
            "double"
        }
        Value::Text(text) => {
            json.text(found.engine.texts().get(text));
            "string"
        }
    };
    json.key("type").text(kind);
}
