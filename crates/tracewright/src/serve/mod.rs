//! The viewer's server: one page and its API, for this machine only.
//!
//! ```text
//! TcpListener ── connections: 64 ── http: a request ── gate: may it? ─┬─ assets: compiled in
//!                                                                     └─ later ── api: routes ── session
//! ```
//!
//! It listens on 127.0.0.1, unless the user asks for another address and says that others may reach it. It reads what was opened on the command line and writes nothing.
//! A small loop over threads serves: 64 connections of one person need no asynchronous runtime, and the servers
//! that are kept elsewhere bound neither the time of a head nor the number of connections.

mod about;
mod api;
mod assets;
mod browser;
mod connections;
mod gate;
mod http;
mod inference;
mod job;
mod kept;
mod later;
mod loops;
mod play;
mod session;
#[cfg(test)]
mod tests;
mod timeline;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use connections::Connections;
use gate::Gate;
use http::{Reply, Request};
use later::Later;
pub(crate) use session::{Opened, Session};

/// A server that has its port and serves once [`Server::run`] is called.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    gate: Gate,
    session: Arc<Session>,
    later: Later,
    connections: Arc<Connections>,
    /// The token was shown: whoever opened the page has it.
    is_opened: Arc<AtomicBool>,
}

impl Server {
    /// Takes an address, whose port may be 0 for any that is free. `host`: what it was called.
    pub(crate) fn bind(address: SocketAddr, host: &str, session: Session) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let gate = Gate::new(address, host)?;
        let (session, later) = (Arc::new(session), Later::default());
        let shared = Shared { gate, session, later, connections: Arc::default(), is_opened: Arc::default() };
        // What is shown first is read while the browser starts.
        shared.session.begin();
        Ok(Server { listener, shared: Arc::new(shared) })
    }

    /// The address for the browser, with the secret behind `#`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/#token={}", self.shared.gate.host(), self.shared.gate.token())
    }

    /// Asks the desktop for a browser that shows the page.
    pub(crate) fn open_browser(&self) -> io::Result<()> {
        browser::open(&self.url(), self.shared.is_opened.clone())
    }

    /// Whether the page is part of this program.
    pub(crate) fn has_page() -> bool {
        assets::are_built()
    }

    /// Serves for ever.
    pub(crate) fn run(self) -> io::Result<()> {
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                // One connection that broke while it was made says nothing about the next.
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
                    http::iteration_away(&stream);
                    continue;
                }
            };
            let shared = self.shared.clone();
            // Without a thread the connection is closed: it was dropped.
            let _ = std::thread::Builder::new().name("request".into()).spawn(move || {
                let answer = |request: &Request| {
                    connection.is_asked(shared.gate.knows(request));
                    shared.answer(request)
                };
                // The other side went away.
                let _ = http::serve(&connection.stream, answer, || connection.waits());
            });
        }
    }
}

impl Shared {
    fn answer(&self, request: &Request) -> Reply {
        if let Some(refusal) = self.gate.refuses(request) {
            return refusal;
        }
        let path = request.path();
        if path.starts_with("/api/") {
            // It passed the gate, so it had the token.
            self.is_opened.store(true, Ordering::Relaxed);
            return self.of_api(request);
        }
        match assets::get(path) {
            Some(reply) if request.method != "POST" => reply,
            Some(_) => Reply::refusal(405, "This path is not asked that way.\n"),
            None => Reply::refusal(404, "There is nothing here.\n"),
        }
    }

    /// What only tells something may take long; what changes something is done before it is answered.
    fn of_api(&self, request: &Request) -> Reply {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            self.later.forget();
            return api::answer(&self.session, request);
        }
        let (session, own) = (self.session.clone(), request.clone());
        self.later.answer(&request.target, move || api::answer(&session, &own))
    }
}
