//! `tracewright view`: serves the page that shows a trace, until it is stopped.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::cli::view::View;
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
    let port = options.port;
    let server = Server::bind(port, session)
        .or_else(|error| Stop::failed(format!("cannot listen on port {port} of 127.0.0.1: {error}")))?;
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
