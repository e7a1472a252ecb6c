//! What a request asks for: the members of its query, by the names that its path declares.

use std::str::FromStr;

use super::Parameter;
use crate::http::Request;

/// The query of a request. A member that is missing or is not what it must be is `None`.
#[derive(Debug)]
pub struct Parameters<'r> {
    request: &'r Request,
    declared: &'static [Parameter],
}

impl<'r> Parameters<'r> {
    pub(crate) fn new(request: &'r Request, declared: &'static [Parameter]) -> Parameters<'r> {
        Parameters { request, declared }
    }

    /// A member as text.
    pub fn text(&self, name: &str) -> Option<String> {
        // What is not declared is in no document, and no page can ask for it.
        debug_assert!(self.declared.iter().any(|known| known.name == name), "{name} is not declared");
        self.request.query(name)
    }

    /// A member as a number of some kind.
    pub fn number<N: FromStr>(&self, name: &str) -> Option<N> {
        self.text(name)?.parse().ok()
    }

    /// Whether a member is `true`.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name).as_deref() == Some("true")
    }
}
