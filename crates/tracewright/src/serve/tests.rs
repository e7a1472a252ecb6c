//! The document of the API against the routes.

use std::collections::BTreeSet;

use viewer::Request;

use super::{Opened, Session, routes};
use crate::cli;

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    view: cli::view::View,
}

/// A session on a history that is typed.
pub(super) fn session() -> Session {
    session_of(&["--symbols", "AB"])
}

/// A session on what these arguments of `tracewright view` name.
pub(super) fn session_of(arguments: &[&str]) -> Session {
    let line = <Line as clap::Parser>::parse_from(["view"].iter().chain(arguments));
    Session::new(Opened::default(), &line.view)
}

#[test]
fn the_document_names_every_route_and_no_other() {
    let routes = routes();
    let document = routes.answer(&session(), &Request::get("/api/openapi.json"));
    let document: serde_json::Value = serde_json::from_slice(&document.body).unwrap();
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            described.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let served: BTreeSet<String> = routes.paths().map(|(method, path)| format!("{method} {path}")).collect();
    assert_eq!(described, served);
}
