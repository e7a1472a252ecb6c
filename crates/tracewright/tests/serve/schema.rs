//! As much of JSON Schema as our document uses; anything else in it is an error of the test.

use serde_json::Value;

/// What of `value` does not fit `schema`.
pub(crate) fn mismatches(
    document: &Value,
    schema: &Value,
    value: &Value,
    place: &str,
    out: &mut Vec<String>,
) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/components/schemas/").unwrap();
        let target = &document["components"]["schemas"][name];
        assert!(target.is_object(), "there is no schema {name}");
        return mismatches(document, target, value, place, out);
    }
    if let Some(only) = schema.get("const") {
        if value != only {
            out.push(format!("{place} is {value}, not {only}"));
        }
        return;
    }
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        let fits = |schema: &Value| {
            let mut found = vec![];
            mismatches(document, schema, value, place, &mut found);
            found.is_empty()
        };
        if !choices.iter().any(fits) {
            out.push(format!("{place} is {value}, none of those that it may be"));
        }
        return;
    }
    for key in schema.as_object().unwrap().keys() {
        let known = [
            "type",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "prefixItems",
            "enum",
            "description",
            "minItems",
            "maxItems",
        ];
        assert!(known.contains(&key.as_str()), "{place}: `{key}` is not checked");
    }
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{place}: no type {other}"),
    };
    let fits = match &schema["type"] {
        Value::String(kind) => is(kind),
        Value::Array(kinds) => kinds.iter().any(|kind| is(kind.as_str().unwrap())),
        _ => panic!("{place} has no type"),
    };
    if !fits {
        out.push(format!("{place} is {value}, not {}", schema["type"]));
        return;
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        out.push(format!("{place} is {value}"));
    }
    if let Some(items) = value.as_array() {
        let bound = |key: &str, least: u64| schema[key].as_u64().unwrap_or(least) as usize;
        if items.len() < bound("minItems", 0) || items.len() > bound("maxItems", u64::MAX) {
            out.push(format!("{place} has {} items", items.len()));
        }
        for (index, item) in items.iter().enumerate() {
            let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
            mismatches(document, schema, item, &format!("{place}[{index}]"), out);
        }
    }
    if let (Some(members), Some(properties)) = (value.as_object(), schema["properties"].as_object()) {
        for (key, member) in members {
            match properties.get(key) {
                Some(schema) => mismatches(document, schema, member, &format!("{place}.{key}"), out),
                None => out.push(format!("{place}.{key} is not described")),
            }
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            if !members.contains_key(required.as_str().unwrap()) {
                out.push(format!("{place}.{required} is missing"));
            }
        }
    }
}
