//! `/api/about`: what was opened, and which views can show it. `/api/openapi.json`: this API.

use super::api::{Handled, Route};
use super::http::{Reply, Request};
use super::session::Session;
use crate::views::json::Json;

pub(super) const ROUTES: &[Route] = &[
    Route { method: "GET", path: "/api/about", answer: about },
    Route { method: "GET", path: "/api/openapi.json", answer: document },
];

/// Describes every route.
pub(super) const DOCUMENT: &str = include_str!("openapi.json");

fn about(session: &Session, _: &Request) -> Handled {
    let mut json = Json::default();
    json.object(|json| {
        json.key("name").text(&session.opened.name);
        json.key("version").text(env!("CARGO_PKG_VERSION"));
        json.key("views").array(session.views(), |json, view| json.text(view));
    });
    Ok(Reply::json(json.out))
}

fn document(_: &Session, _: &Request) -> Handled {
    Ok(Reply::new(200, "application/json", DOCUMENT.as_bytes()))
}
