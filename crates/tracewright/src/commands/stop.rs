//! `tracewright stop`: ends a recording; the program's classes are as they were.

use crate::cli::java::Stop;
use crate::commands::start;
use crate::exit::{Outcome, Result};

pub(crate) fn run(options: &Stop) -> Result<Outcome> {
    let (_, mut control) = start::reach(options.pid)?;
    let answer = control.ask("stop")?;
    let reason = answer.get("reason").filter(|reason| *reason != "stopped");
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    start::print(&format!("{}{reason}", start::described(&answer)))
}
