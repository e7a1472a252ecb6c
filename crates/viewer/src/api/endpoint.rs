//! One path of the API: what it is asked with and what it answers, declared once.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Parameters;
use crate::http::{Reply, Request};

/// A path, what it is for, and the types of what goes in and comes out. `Body`: what is sent to a path that changes
/// something.
#[derive(Debug)]
#[cfg_attr(not(test), allow(dead_code, reason = "a test makes the document of all of it"))]
pub struct Endpoint<Answer, Body = ()> {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(super) summary: &'static str,
    pub(crate) parameters: &'static [Parameter],
    types: PhantomData<fn(Body) -> Answer>,
}

/// A member of the query.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(test), allow(dead_code, reason = "a test makes the document of all of it"))]
pub struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) is_required: bool,
    pub(super) description: &'static str,
}

/// What a member of the query may be.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(test), allow(dead_code, reason = "a test makes the document of all of it"))]
pub(super) enum Kind {
    Integer,
    Number,
    Boolean,
    Text,
    OneOf(&'static [&'static str]),
}

/// A member that is needed.
pub(super) const fn needed(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter { name, kind, is_required: true, description }
}

/// A member that may be left out.
pub(super) const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter { name, kind, is_required: false, description }
}

/// An answer that is text and not JSON.
#[derive(Debug)]
pub struct Text(pub String);

/// What a handler comes to: an answer, or why there is none.
pub type Handled<Answer = Reply> = Result<Answer, Reply>;

impl<Answer, Body> Endpoint<Answer, Body> {
    pub(super) const fn get(
        path: &'static str,
        summary: &'static str,
        parameters: &'static [Parameter],
    ) -> Endpoint<Answer, Body> {
        Endpoint { method: "GET", path, summary, parameters, types: PhantomData }
    }

    pub(super) const fn post(path: &'static str, summary: &'static str) -> Endpoint<Answer, Body> {
        Endpoint { method: "POST", path, summary, parameters: &[], types: PhantomData }
    }

    pub(super) fn route<S>(
        &self,
        answer: impl Fn(&S, &Request) -> Handled + Send + Sync + 'static,
    ) -> Route<S> {
        Route { method: self.method, path: self.path, answer: Box::new(answer) }
    }
}

impl<Answer: Serialize + 'static> Endpoint<Answer> {
    /// The route by this handler.
    pub fn answered_by<S: 'static>(&self, handler: fn(&S, &Parameters<'_>) -> Handled<Answer>) -> Route<S> {
        let declared = self.parameters;
        self.route(move |session, request| {
            Ok(Reply::json(&handler(session, &Parameters::new(request, declared))?))
        })
    }
}

impl Endpoint<Text> {
    /// The route by this handler.
    pub fn written_by<S: 'static>(&self, handler: fn(&S) -> Handled<Text>) -> Route<S> {
        self.route(move |session, _| Ok(Reply::text(200, handler(session)?.0)))
    }
}

impl<Answer: Serialize + 'static, Body: DeserializeOwned + 'static> Endpoint<Answer, Body> {
    /// The route by this handler, which is given what was sent.
    pub fn changed_by<S: 'static>(&self, handler: fn(&S, Body) -> Handled<Answer>) -> Route<S> {
        self.route(move |session, request| {
            let body = serde_json::from_slice(&request.body).map_err(|_| {
                Reply::refusal(400, "What was sent is not what this path takes; see /api/openapi.json.\n")
            })?;
            Ok(Reply::json(&handler(session, body)?))
        })
    }
}

/// What makes the answer of a path from what was opened.
type Handler<S> = dyn Fn(&S, &Request) -> Handled + Send + Sync;

/// One path and its handler.
pub struct Route<S> {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    answer: Box<Handler<S>>,
}

impl<S> Route<S> {
    pub(crate) fn answer(&self, session: &S, request: &Request) -> Handled {
        (self.answer)(session, request)
    }
}

impl<S> fmt::Debug for Route<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.method, self.path)
    }
}
