//! The document of the API against the routes.

use std::collections::BTreeSet;

use super::about::DOCUMENT;
use super::api;

#[test]
fn the_document_names_every_route_and_no_other() {
    let document: serde_json::Value = serde_json::from_str(DOCUMENT).unwrap();
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            described.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let routes: BTreeSet<String> =
        api::routes().map(|route| format!("{} {}", route.method, route.path)).collect();
    assert_eq!(described, routes);
}
