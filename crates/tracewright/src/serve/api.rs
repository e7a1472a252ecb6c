//! The API: which path is answered by whom. Each part of it is a module with a list of routes.
//!
//! A part that is added gets a file or folder beside this one, its list in [`PARTS`], and its place in
//! `openapi.json`; a test holds that document against the server.

use super::http::{Reply, Request};
use super::session::Session;
use super::{about, inference, loops, play, timeline};

/// One path and its handler.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) answer: fn(&Session, &Request) -> Handled,
}

/// What a handler comes to: an answer, or why there is none.
pub(crate) type Handled = std::result::Result<Reply, Reply>;

/// All parts.
const PARTS: &[&[Route]] = &[about::ROUTES, loops::ROUTES, timeline::ROUTES, inference::ROUTES, play::ROUTES];

/// Answers a request that passed the gate and asks for `/api/...`.
pub(super) fn answer(session: &Session, request: &Request) -> Reply {
    let method = if request.method == "HEAD" { "GET" } else { request.method.as_str() };
    let mut is_known = false;
    for route in PARTS.iter().copied().flatten().filter(|route| route.path == request.path()) {
        if route.method == method {
            return (route.answer)(session, request).unwrap_or_else(|refusal| refusal);
        }
        is_known = true;
    }
    match is_known {
        true => Reply::refusal(405, "This path is not asked that way.\n"),
        false => Reply::refusal(404, "There is nothing here.\n"),
    }
}

/// Every route, for the test of the document.
#[cfg(test)]
pub(super) fn routes() -> impl Iterator<Item = &'static Route> {
    PARTS.iter().copied().flatten()
}
