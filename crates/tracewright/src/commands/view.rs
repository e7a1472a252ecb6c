//! `tracewright view`: serves the page that shows a trace, until it is stopped.

use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use crate::cli::view::{Listen, View};
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::models;
use crate::open::open;
use crate::recordings;
use crate::serve::{Opened, Session, open_browser, routes};
use crate::views::diagnostic_text;
use viewer::Server;

pub(crate) fn run(options: &View) -> Result<Outcome> {
    let history = &options.history;
    check(options)?;
    let file = history.input.as_ref().or(history.history.as_ref());
    let name = file.map_or_else(
        || "symbols".into(),
        |file| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned(),
    );
    let opened = Opened { name };
    serve(Session::new(opened, options), &options.listen)
}

/// Serves the page of a session, until it is stopped.
pub(crate) fn serve(session: Session, options: &Listen) -> Result<Outcome> {
    let (host, port) = (&options.host, options.port);
    let address = address(options)?;
    let server = Server::bind(address, host, session, routes())
        .or_else(|error| Stop::failed(format!("cannot listen on port {port} of {}: {error}", plain(host))))?;
    if !address.ip().is_loopback() {
        eprintln!(
            "tracewright: other machines can reach this server: whoever has the address sees all of it, and the \
             connection is not encrypted"
        );
    }
    // What is shown first is read while the browser starts.
    server.begin();
    let url = server.url();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{url}")?;
    out.flush()?;
    drop(out);
    if !viewer::has_page() {
        eprintln!(
            "tracewright: this build has no page, only the API; `cargo xtask web` in a checkout builds it"
        );
    }
    if !options.no_open
        && let Err(error) = open_browser(&url, server.is_opened())
    {
        eprintln!("tracewright: cannot hand the address to a browser: {error}");
    }
    server.run().or_else(|error| Stop::failed(format!("the server stopped: {error}")))?;
    Ok(Outcome::Complete)
}

/// Refuses what nothing can be shown of, before a server starts. What comes from standard input is seen when it is read.
fn check(options: &View) -> Result<()> {
    let is_file = |file: &&PathBuf| file.as_os_str() != "-";
    let history = &options.history;
    if let Some(file) = history.history.as_ref().filter(is_file) {
        refuse_empty(file)?;
    }
    if let Some(model) = &options.machines.model {
        models::load(model)?;
    }
    if let Some(against) = &options.against {
        check_against(history.input.as_deref(), against)?;
    }
    let Some(input) = history.input.as_ref().filter(is_file) else { return Ok(()) };
    refuse_empty(input)?;
    if !input.is_file() && !input.is_dir() {
        let shown = input.display();
        return Stop::failed(format!(
            "{shown} is neither a file nor a folder, and a page reads its input more than once"
        ));
    }
    if recordings::is_recording(input) {
        let recording = recordings::open(input)?;
        return match recording.threads().is_empty() {
            true => refuse(
                input,
                "step",
                recording.diagnostics().first().map(|found| diagnostic_text(found, &[])),
            ),
            false => Ok(()),
        };
    }
    let mut source = open(input)?;
    match source.next_item() {
        None => refuse(
            input,
            "event",
            source.diagnostics().first().map(|found| diagnostic_text(found, source.streams())),
        ),
        Some(_) => Ok(()),
    }
}

/// Both sides of a comparison are recordings of control flow.
fn check_against(input: Option<&Path>, against: &Path) -> Result<()> {
    for path in input.into_iter().chain([against]) {
        refuse_empty(path)?;
        if !recordings::is_recording(path) {
            let shown = path.display();
            return Stop::failed(format!(
                "{shown} is not a recording of control flow, which --against compares; `tracewright diff` compares traces"
            ));
        }
    }
    if input.is_none() {
        return Stop::failed("--against needs a recording to compare with: `tracewright view A --against B`");
    }
    if recordings::open(against)?.threads().is_empty() {
        return refuse(against, "step", None);
    }
    Ok(())
}

/// There is nothing to show; `diagnostic`: the first that the reader has.
fn refuse(input: &Path, what: &str, diagnostic: Option<String>) -> Result<()> {
    let shown = input.display();
    match diagnostic {
        None => Stop::failed(format!("{shown} holds no {what}, so there is nothing to show")),
        Some(diagnostic) => Stop::failed(format!("{shown} holds no {what} that can be read: {diagnostic}")),
    }
}

fn refuse_empty(path: &Path) -> Result<()> {
    let shown = path.display();
    match path.metadata() {
        Err(error) => Stop::failed(format!("cannot open {shown}: {error}")),
        Ok(about) if about.is_file() && about.len() == 0 => Stop::failed(format!("{shown} is an empty file")),
        Ok(_) => Ok(()),
    }
}

/// The address to listen on: one of this machine only, unless the user confirms that others are meant.
fn address(options: &Listen) -> Result<SocketAddr> {
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
