//! `tracewright mark`: names a moment of a recording.

use crate::cli::java::Mark;
use crate::commands::start;
use crate::exit::{Outcome, Result};
use crate::java::options::Pairs;

pub(crate) fn run(options: &Mark) -> Result<Outcome> {
    let (_, mut control) = start::reach(options.pid)?;
    let mut pairs = Pairs::default();
    pairs.add("text", options.text.as_bytes());
    control.ask(&format!("mark {}", pairs.by_commas()))?;
    Ok(Outcome::Complete)
}
