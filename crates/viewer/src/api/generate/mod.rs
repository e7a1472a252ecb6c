//! What is made of the declarations: `openapi.json`, and the types of the page.
//!
//! Both are committed and compared with what is made now, so that nothing of the API is written twice and the page is
//! checked against the program by its own compiler.

mod openapi;
mod typescript;

use expect_test::expect_file;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::{
    Endpoint, Parameter, Text, about, compare, inference, input_growth, list, loops, notes, overview, play,
    story, threads, timeline, two_l,
};

/// All paths, and the schemas of what goes in and comes out.
pub(super) struct Document {
    paths: Vec<Path>,
    /// Of what comes out.
    answers: SchemaGenerator,
    /// Of what goes in.
    bodies: SchemaGenerator,
}

/// One path.
struct Path {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    parameters: &'static [Parameter],
    answer: Content,
    body: Option<Schema>,
}

/// What an answer is.
enum Content {
    Json(Schema),
    Text,
    /// Some object: the document itself.
    Object,
}

impl Document {
    fn new() -> Document {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                // How wide a number is in Rust is nobody's business; that it may be none is.
                settings.transforms.push(Box::new(RecursiveTransform(plain_numbers)));
                settings.transforms.push(Box::new(RecursiveTransform(members_that_may_be_missing)));
            })
        };
        let answers = settings().for_serialize().into_generator();
        let bodies = settings().for_deserialize().into_generator();
        Document { paths: vec![], answers, bodies }
    }

    /// All of the API.
    fn of_all() -> Document {
        let mut document = Document::new();
        about::describe(&mut document);
        input_growth::describe(&mut document);
        overview::describe(&mut document);
        loops::describe(&mut document);
        timeline::describe(&mut document);
        two_l::describe(&mut document);
        inference::describe(&mut document);
        notes::describe(&mut document);
        play::describe(&mut document);
        story::describe(&mut document);
        list::describe(&mut document);
        compare::describe(&mut document);
        threads::describe(&mut document);
        document
    }

    fn push<A, B>(&mut self, endpoint: &Endpoint<A, B>, answer: Content, body: Option<Schema>) {
        let &Endpoint { method, path, summary, parameters, .. } = endpoint;
        self.paths.push(Path { method, path, summary, parameters, answer, body });
    }

    /// A path that answers JSON.
    pub(super) fn add<A: JsonSchema>(&mut self, endpoint: &Endpoint<A>) {
        let answer = Content::Json(self.answers.subschema_for::<A>());
        self.push(endpoint, answer, None);
    }

    /// A path that answers text.
    pub(super) fn add_text(&mut self, endpoint: &Endpoint<Text>) {
        self.push(endpoint, Content::Text, None);
    }

    /// A path that answers this document.
    pub(super) fn add_document(&mut self, endpoint: &Endpoint<about::Document>) {
        self.push(endpoint, Content::Object, None);
    }

    /// A path that changes something.
    pub(super) fn add_change<A: JsonSchema, B: JsonSchema>(&mut self, endpoint: &Endpoint<A, B>) {
        let answer = Content::Json(self.answers.subschema_for::<A>());
        let body = self.bodies.subschema_for::<B>();
        self.push(endpoint, answer, Some(body));
    }

    /// The schemas by name.
    fn schemas(&mut self) -> Map<String, Value> {
        let mut all = self.bodies.take_definitions(true);
        all.append(&mut self.answers.take_definitions(true));
        all
    }
}

fn plain_numbers(schema: &mut Schema) {
    if schema.get("format").is_some_and(|format| format.is_string()) {
        schema.remove("format");
        schema.remove("minimum");
        schema.remove("maximum");
    }
}

/// A member that is left out where there is nothing is never null.
fn members_that_may_be_missing(schema: &mut Schema) {
    let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, property) in properties {
        let is_needed = required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let Some(kinds) = property.get_mut("type").filter(|_| !is_needed) else { continue };
        let some = kinds
            .as_array()
            .map(|kinds| kinds.iter().filter(|kind| *kind != "null").cloned().collect::<Vec<_>>());
        if let Some([kind]) = some.as_deref() {
            *kinds = kind.clone();
        }
    }
}

#[test]
fn generated_files_are_what_the_declarations_say() {
    let mut document = Document::of_all();
    let schemas = document.schemas();
    expect_file!["../../../openapi.json"].assert_eq(&openapi::of(&document.paths, &schemas));
    expect_file!["../../../../../web/src/lib/api.generated.ts"]
        .assert_eq(&typescript::of(&document.paths, &schemas));
}
