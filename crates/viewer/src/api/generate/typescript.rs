//! The types of the page: an interface for each schema, and which path is asked with what.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::super::endpoint::Kind;
use super::{Content, Path};

const HEAD: &str = "\
// What the server is asked and what it answers. Made of `crates/viewer/src/api/`; do not edit: a test compares, and
// `UPDATE_EXPECT=1 cargo test --package viewer generated` writes it anew.
";

/// The types of these paths and schemas.
pub(super) fn of(paths: &[Path], schemas: &Map<String, Value>) -> String {
    let mut out = HEAD.to_owned();
    for (name, schema) in schemas {
        out.push('\n');
        comment(&mut out, "", schema);
        if schema.get("properties").is_some() {
            let _ = writeln!(out, "export interface {name} {{");
            members(&mut out, schema);
            out.push_str("}\n");
        } else {
            let _ = writeln!(out, "export type {name} = {};", type_of(schema));
        }
    }
    out.push_str("\n/** Paths that are asked: the query, and the answer. */\nexport interface Gets {\n");
    for path in paths.iter().filter(|path| path.body.is_none()) {
        let _ = writeln!(out, "  /** {}. */", path.summary);
        let _ = writeln!(out, "  {:?}: {{ query: {}; answer: {} }};", short(path), query(path), answer(path));
    }
    out.push_str(
        "}\n\n/** Paths that change something: what is sent, and the answer. */\nexport interface Posts {\n",
    );
    for path in paths {
        let Some(body) = &path.body else { continue };
        let _ = writeln!(out, "  /** {}. */", path.summary);
        let _ = writeln!(
            out,
            "  {:?}: {{ body: {}; answer: {} }};",
            short(path),
            type_of(body.as_value()),
            answer(path)
        );
    }
    out.push_str("}\n");
    out
}

fn short(path: &Path) -> &'static str {
    path.path.strip_prefix("/api/").unwrap()
}

fn answer(path: &Path) -> String {
    match &path.answer {
        Content::Json(schema) => type_of(schema.as_value()),
        Content::Text => "string".into(),
        Content::Object => "object".into(),
    }
}

fn query(path: &Path) -> String {
    if path.parameters.is_empty() {
        return "Record<string, never>".into();
    }
    let members = path.parameters.iter().map(|parameter| {
        let kind = match parameter.kind {
            Kind::Integer | Kind::Number => "number".to_owned(),
            Kind::Boolean => "boolean".to_owned(),
            Kind::Text => "string".to_owned(),
            Kind::OneOf(values) => one_of(values.iter().map(|value| format!("{value:?}"))),
        };
        match parameter.is_required {
            true => format!("{}: {kind}", parameter.name),
            false => format!("{}?: {kind} | undefined", parameter.name),
        }
    });
    format!("{{ {} }}", members.collect::<Vec<_>>().join("; "))
}

fn members(out: &mut String, schema: &Value) {
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    for (name, member) in schema["properties"].as_object().unwrap() {
        comment(out, "  ", member);
        let mark = if required.iter().any(|one| one == name) { "" } else { "?" };
        let _ = writeln!(out, "  {name}{mark}: {};", type_of(member));
    }
}

fn comment(out: &mut String, indent: &str, schema: &Value) {
    if let Some(text) = schema["description"].as_str() {
        let _ = writeln!(out, "{indent}/** {} */", text.replace('\n', " "));
    }
}

fn one_of(types: impl Iterator<Item = String>) -> String {
    types.collect::<Vec<_>>().join(" | ")
}

/// The type that a schema describes. What our structs do not lead to is an error of the test.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.strip_prefix("#/components/schemas/").unwrap().to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array() {
            return one_of(choices.iter().map(type_of));
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return one_of(values.iter().map(Value::to_string));
    }
    match &schema["type"] {
        Value::String(kind) => of_kind(kind, schema),
        Value::Array(kinds) => one_of(kinds.iter().map(|kind| of_kind(kind.as_str().unwrap(), schema))),
        _ => panic!("no type: {schema}"),
    }
}

fn of_kind(kind: &str, schema: &Value) -> String {
    match kind {
        "integer" | "number" => "number".into(),
        "string" | "boolean" | "null" => kind.into(),
        "array" => match (schema["prefixItems"].as_array(), schema["minItems"].as_u64()) {
            (Some(items), _) => tuple(items.iter().map(type_of)),
            // An array of a fixed length.
            (None, Some(count)) => tuple((0..count).map(|_| type_of(&schema["items"]))),
            (None, None) => {
                let item = type_of(&schema["items"]);
                if item.contains(' ') { format!("({item})[]") } else { format!("{item}[]") }
            }
        },
        "object" if schema.get("properties").is_none() => "Record<string, never>".into(),
        other => panic!("no type for {other}: {schema}"),
    }
}

fn tuple(types: impl Iterator<Item = String>) -> String {
    format!("[{}]", types.collect::<Vec<_>>().join(", "))
}
