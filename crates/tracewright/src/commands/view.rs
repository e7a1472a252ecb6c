//! `tracewright view`: serves the page that shows a trace, until it is stopped.

use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::{Command, Stdio};

use crate::cli::view::View;
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::serve::{Opened, Server, Session};

pub(crate) fn run(options: &View) -> Result<Outcome> {
    let history = &options.history;
    let file = history.input.as_ref().or(history.history.as_ref());
    let name = file.map_or_else(
        || "symbols".into(),
        |file| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned(),
    );
    let opened = Opened { name };
    let session = Session::new(opened, options);
    let (host, port) = (&options.host, options.port);
    let address = address(options)?;
    let server = Server::bind(address, host, session)
        .or_else(|error| Stop::failed(format!("cannot listen on port {port} of {}: {error}", plain(host))))?;
    if !address.ip().is_loopback() {
        eprintln!(
            "tracewright: other machines can reach this server: whoever has the address sees all of it, and the \
             connection is not encrypted"
        );
    }
    let url = server.url();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{url}")?;
    out.flush()?;
    drop(out);
    if !Server::has_page() {
        eprintln!(
            "tracewright: this build has no page, only the API; `cargo xtask web` in a checkout builds it"
        );
    }
    if !options.no_open {
        open_browser(&url);
    }
    server.run().or_else(|error| Stop::failed(format!("the server stopped: {error}")))?;
    Ok(Outcome::Complete)
}

/// The address to listen on: one of this machine only, unless the user says twice that others are meant.
fn address(options: &View) -> Result<SocketAddr> {
    let (host, shown) = (options.host.as_str(), plain(&options.host));
    let found = (host.trim_matches(['[', ']']), options.port).to_socket_addrs();
    let Ok(Some(address)) = found.map(|mut all| all.next()) else {
        return Stop::failed(format!("{shown} is no address of this machine and no name of one"));
    };
    if address.ip().is_unspecified() {
        return Stop::failed(format!(
            "{shown} is every address at once; name the one by which the page will be asked for, because the server \
             answers to that name only"
        ));
    }
    if !address.ip().is_loopback() && !options.reachable_by_others {
        return Stop::failed(format!(
            "other machines can reach {shown}; add --reachable-by-others if that is what you want, and see \
             `tracewright view --help` for what it means"
        ));
    }
    Ok(address)
}

/// Asks the desktop for a browser; where there is none, the printed address is all there is.
fn open_browser(url: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        // Somebody has to take note of its end, or it stays in the table of processes.
        let _ = std::thread::Builder::new().spawn(move || child.wait());
    }
}
