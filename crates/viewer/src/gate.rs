//! The gate: who may ask. It is passed before anything else is looked at.
//!
//! 1. `Host` is there once and names this server: a page whose name was bound anew to 127.0.0.1 sends its own name.
//! 2. `Origin`, where it is sent, is ours, and `Sec-Fetch-Site`, where it is sent, says that nobody else asks;
//!    but the page itself may be led to from elsewhere, into a window of its own.
//! 3. Only GET, HEAD and POST; no upgrades. A GET changes nothing, wherever it leads.
//! 4. Everything under `/api/` needs the token: 192 random bits that are printed on the terminal as part of the
//!    address, behind `#`, so that no browser ever sends them in a request line. The page hands them over in
//!    `Authorization`. There is no cookie: cookies of 127.0.0.1 are sent to every port there, also to
//!    servers of other users, and they are sent whoever asks.
//!
//! What is outside `/api/` is part of the program and the same for everybody.

use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};

use crate::http::{Reply, Request};

/// What this server is called, and its secret.
#[derive(Debug)]
pub(crate) struct Gate {
    hosts: Vec<String>,
    token: String,
}

impl Gate {
    /// The gate of the server at `address`, which the user called `host`, with a new token.
    pub(crate) fn new(address: SocketAddr, host: &str) -> io::Result<Gate> {
        let port = address.port();
        let mut hosts = vec![format!("{address}")];
        if host.parse::<IpAddr>().is_err() && !host.starts_with('[') {
            // A name: that is what the address bar will show.
            hosts.insert(0, format!("{}:{port}", host.to_ascii_lowercase()));
        }
        if address.ip().is_loopback() {
            hosts.push(format!("localhost:{port}"));
        }
        if port == 80 {
            // A browser leaves the usual port out.
            let bare = hosts.iter().filter_map(|host| Some(host.strip_suffix(":80")?.to_owned()));
            hosts.extend(bare.collect::<Vec<_>>());
        }
        Ok(Gate { hosts, token: random_hex()? })
    }

    /// What the server is called first of all.
    pub(crate) fn host(&self) -> &str {
        self.hosts.first().map_or("", String::as_str)
    }

    /// The token, for the one line where it is printed.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Why `request` may not pass; `None`: it may.
    pub(crate) fn refuses(&self, request: &Request) -> Option<Reply> {
        let forbidden = |sentence| Some(Reply::refusal(403, sentence));
        let mut hosts = request.all("host");
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) if self.hosts.iter().any(|known| known == host) => host,
            _ => return forbidden("This server does not go by that name.\n"),
        };
        if !request.target.starts_with('/') {
            return forbidden("This is no proxy.\n");
        }
        let own = |origin: &str| origin.strip_prefix("http://") == Some(host);
        if !request.all("origin").all(own) {
            return forbidden("Other sites may not ask.\n");
        }
        let is_ours = request.all("sec-fetch-site").all(|site| matches!(site, "same-origin" | "none"));
        if !is_ours && !leads_to_page(request) {
            return forbidden("Other sites may not ask.\n");
        }
        if request.all("upgrade").next().is_some() {
            return forbidden("There is nothing to upgrade to.\n");
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD" | "POST") {
            return Some(Reply::refusal(405, "Only GET, HEAD and POST.\n"));
        }
        if request.path().starts_with("/api") && !self.knows(request) {
            return Some(Reply::refusal(
                401,
                "The token is missing or wrong. Open the address that was printed.\n",
            ));
        }
        None
    }

    /// Whether `request` has the token.
    pub(crate) fn knows(&self, request: &Request) -> bool {
        let mut given = request.all("authorization");
        match (given.next().and_then(|value| value.strip_prefix("Bearer ")), given.next()) {
            (Some(token), None) => same(token.as_bytes(), self.token.as_bytes()),
            _ => false,
        }
    }
}

/// Whether `request` is for the page itself, as the document of a window: by a link, or by the file that hands the
/// token over. What is shown then is the same for everybody, and in a window of its own: it may stand in no frame
/// and its opener sees nothing of it.
fn leads_to_page(request: &Request) -> bool {
    let is = |name, wanted| {
        let mut values = request.all(name);
        values.next() == Some(wanted) && values.next().is_none()
    };
    request.method == "GET"
        && request.path() == "/"
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document")
        && request.all("origin").next().is_none()
}

/// 192 random bits as hexadecimal digits.
pub fn random_hex() -> io::Result<String> {
    let mut random = [0; 24];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that does not depend on how much is equal; the length is not secret.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |differences, (one, other)| differences | (one ^ other)) == 0
}

#[cfg(test)]
mod tests;
