//! The OpenAPI document.

use serde_json::{Map, Value, json};

use super::super::Parameter;
use super::super::endpoint::Kind;
use super::{Content, Path};

const ABOUT: &str = "Windows of data at the resolution asked for. Times are nanoseconds after the start of the trace, \
which `/api/timeline` gives as text. An answer that takes longer than a moment is worked out meanwhile: 202 says to \
ask the same again when `/api/finished` reports more answers than it did.";

/// The document of these paths and schemas.
pub(super) fn of(paths: &[Path], schemas: &Map<String, Value>) -> String {
    let mut described = Map::new();
    for path in paths {
        let item = described.entry(path.path).or_insert_with(|| json!({}));
        item[path.method.to_lowercase()] = operation(path);
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "Tracewright viewer", "version": "1", "description": ABOUT },
        "security": [{ "token": [] }],
        "paths": described,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "responses": { "Later": {
                "description": "It takes longer than a moment: ask the same again when /api/finished reports more",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Finished" } } },
            } },
            "schemas": schemas,
        },
    });
    format!("{document:#}\n")
}

fn operation(path: &Path) -> Value {
    let content = match &path.answer {
        Content::Json(schema) => json!({ "application/json": { "schema": schema } }),
        Content::Text => json!({ "text/plain": { "schema": { "type": "string" } } }),
        Content::Object => json!({ "application/json": { "schema": { "type": "object" } } }),
    };
    let mut out = json!({
        "summary": path.summary,
        "responses": { "200": { "description": "Found", "content": content } },
    });
    if !path.parameters.is_empty() {
        out["parameters"] = path.parameters.iter().map(parameter).collect();
    }
    match &path.body {
        // What changes something is done before it is answered.
        Some(body) => {
            out["requestBody"] =
                json!({ "required": true, "content": { "application/json": { "schema": body } } });
        }
        None => out["responses"]["202"] = json!({ "$ref": "#/components/responses/Later" }),
    }
    out
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.kind {
        Kind::Integer => json!({ "type": "integer" }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::OneOf(values) => json!({ "type": "string", "enum": values }),
    };
    json!({
        "name": parameter.name,
        "in": "query",
        "required": parameter.is_required,
        "description": parameter.description,
        "schema": schema,
    })
}
