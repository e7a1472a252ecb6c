//! `tracewright completions`: what a shell needs to complete our commands and options.

use clap::CommandFactory;

use crate::cli::{Arguments, Completions};
use crate::exit::{Outcome, Result};
use crate::output::Output;

pub(crate) fn run(options: &Completions) -> Result<Outcome> {
    let mut output = Output::default();
    clap_complete::generate(options.shell, &mut Arguments::command(), "tracewright", &mut output.buffer);
    output.flush()?;
    Ok(Outcome::Complete)
}
