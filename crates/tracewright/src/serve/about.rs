//! `/api/about`: what was opened, and which views can show it. `/api/diagnostics`: what the reader found wrong in it.
//! `/api/openapi.json`: this API.

use super::api::{Handled, Route};
use super::http::{Reply, Request};
use super::session::Session;
use crate::views::json::Json;
use model::Severity;

pub(super) const ROUTES: &[Route] = &[
    Route { method: "GET", path: "/api/about", answer: about },
    Route { method: "GET", path: "/api/diagnostics", answer: diagnostics },
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

/// Diagnostics of one answer; all of them are counted.
const MOST: usize = 1000;

fn diagnostics(session: &Session, _: &Request) -> Handled {
    let mut json = Json::default();
    json.object(|json| {
        let found = session.diagnostics(json);
        let damage = found.iter().filter(|found| found.severity == Severity::Damage).count();
        json.key("count").number(found.len());
        json.key("damage").number(damage);
        json.key("diagnostics").array(found.iter().take(MOST), |json, found| {
            json.object(|json| {
                json.key("severity").text(match found.severity {
                    Severity::Damage => "damage",
                    Severity::Note => "note",
                });
                json.key("sentence").text(&found.sentence);
            });
        });
    });
    Ok(Reply::json(json.out))
}

fn document(_: &Session, _: &Request) -> Handled {
    Ok(Reply::new(200, "application/json", DOCUMENT.as_bytes()))
}
