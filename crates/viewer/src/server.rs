//! The server: from a connection to a route, and back.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::answers::Answers;
use crate::api::about::{DOCUMENT, FINISHED};
use crate::api::input_growth::{InputGrowth, READ_AGAIN};
use crate::api::{Handled, Parameters, Route};
use crate::assets;
use crate::connections::{Connection, Connections};
use crate::gate::Gate;
use crate::http::{self, Reply, Request};

/// What answers are made from, as long as the input has not grown.
pub trait Readable: Send + Sync + 'static {
    /// Begins to read the input.
    fn begin(&self);

    /// The same input, of which nothing was read yet.
    fn again(&self) -> Self;
}

/// A server that has its port and serves once [`Server::run`] is called. `S`: what answers are made from.
#[derive(Debug)]
pub struct Server<S> {
    listener: TcpListener,
    shared: Arc<Shared<S>>,
}

#[derive(Debug)]
struct Shared<S> {
    gate: Gate,
    api: Arc<Api<S>>,
    answers: Answers,
    connections: Arc<Connections>,
    /// The token was shown: whoever opened the page has it.
    is_opened: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Api<S> {
    /// Whoever is being answered goes on with the one that was there.
    session: RwLock<Arc<S>>,
    routes: Routes<S>,
}

impl<S: Readable> Api<S> {
    fn session(&self) -> Arc<S> {
        self.session.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn answer(&self, request: &Request) -> Reply {
        self.routes.answer(&self.session(), request)
    }

    fn read_again(&self) {
        let fresh = Arc::new(self.session().again());
        fresh.begin();
        *self.session.write().unwrap_or_else(PoisonError::into_inner) = fresh;
    }
}

/// All paths of an API, each with its handler.
#[derive(Debug)]
pub struct Routes<S>(Vec<Route<S>>);

impl<S: 'static> Routes<S> {
    /// These paths and the document that describes them.
    pub fn new(mut routes: Vec<Route<S>>) -> Routes<S> {
        routes.push(DOCUMENT.document());
        Routes(routes)
    }

    /// Methods and paths, with that on which pages wait for answers.
    pub fn paths(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = self.0.iter().map(|route| (route.method, route.path));
        all.chain([(FINISHED.method, FINISHED.path), (READ_AGAIN.method, READ_AGAIN.path)])
    }

    /// Answers a request that passed the gate and asks for `/api/...`.
    pub fn answer(&self, session: &S, request: &Request) -> Reply {
        let method = if request.method == "HEAD" { "GET" } else { request.method.as_str() };
        let mut is_known = false;
        for route in self.0.iter().filter(|route| route.path == request.path()) {
            if route.method == method {
                let handled: Handled = route.answer(session, request);
                return handled.unwrap_or_else(|refusal| refusal);
            }
            is_known = true;
        }
        match is_known {
            true => Reply::refusal(405, "This path is not asked that way.\n"),
            false => Reply::refusal(404, "There is nothing here.\n"),
        }
    }
}

impl<S: Readable> Server<S> {
    /// Takes an address, whose port may be 0 for any that is free. `host`: what it was called.
    pub fn bind(address: SocketAddr, host: &str, session: S, routes: Routes<S>) -> io::Result<Server<S>> {
        let listener = TcpListener::bind(address)?;
        let gate = Gate::new(listener.local_addr()?, host)?;
        let shared = Shared {
            gate,
            api: Arc::new(Api { session: RwLock::new(Arc::new(session)), routes }),
            answers: Answers::default(),
            connections: Arc::default(),
            is_opened: Arc::default(),
        };
        Ok(Server { listener, shared: Arc::new(shared) })
    }

    /// The address for the browser, with the secret after `#`.
    pub fn url(&self) -> String {
        format!("http://{}/#token={}", self.shared.gate.host(), self.shared.gate.token())
    }

    /// Becomes true when somebody has shown the token.
    pub fn is_opened(&self) -> Arc<AtomicBool> {
        self.shared.is_opened.clone()
    }

    /// Begins to read what the first view shows, as a browser takes a while to start.
    pub fn begin(&self) {
        self.shared.api.session().begin();
    }

    /// Serves for ever.
    pub fn run(self) -> io::Result<()> {
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                // One connection that broke while it was made does not concern the next.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(_) => {
                    // Out of file handles, most likely: it passes when connections end.
                    std::thread::sleep(std::time::Duration::from_millis(50));
                    continue;
                }
            };
            let connection = match self.shared.connections.admit(stream) {
                Ok(connection) => connection,
                Err(stream) => {
                    http::too_many(&stream);
                    continue;
                }
            };
            let shared = self.shared.clone();
            // Without a thread the connection is closed: it was dropped.
            let _ = std::thread::Builder::new().name("request".into()).spawn(move || {
                let answer = |request: &Request| {
                    connection.is_asked(shared.gate.knows(request));
                    shared.answer(request, &connection)
                };
                // The other side went away.
                let _ = http::serve(&connection.stream, answer, || connection.waits());
            });
        }
    }
}

impl<S: Readable> Shared<S> {
    fn answer(&self, request: &Request, connection: &Connection) -> Reply {
        if let Some(refusal) = self.gate.refuses(request) {
            return refusal;
        }
        let path = request.path();
        if path.starts_with("/api/") {
            // It passed the gate, so it had the token.
            self.is_opened.store(true, Ordering::Relaxed);
            return self.of_api(request, connection);
        }
        match assets::get(path) {
            Some(reply) if request.method != "POST" => reply,
            Some(_) => Reply::refusal(405, "This path is not asked that way.\n"),
            None => Reply::refusal(404, "There is nothing here.\n"),
        }
    }

    /// What only reads may take long; what changes something is done before it is answered.
    fn of_api(&self, request: &Request, connection: &Connection) -> Reply {
        if request.path() == FINISHED.path && request.method == FINISHED.method {
            let Some(after) = Parameters::new(request, FINISHED.parameters).number("after") else {
                return Reply::refusal(400, "After how many?\n");
            };
            connection.is_held();
            return self.answers.finished(after, || http::is_gone(&connection.stream));
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            self.answers.forget();
            if request.path() == READ_AGAIN.path {
                self.api.read_again();
                return Reply::json(&InputGrowth::default());
            }
            return self.api.answer(request);
        }
        let (api, own) = (self.api.clone(), request.clone());
        self.answers.answer(&request.target, move || api.answer(&own))
    }
}
