//! `tracewright 2l`: 2L Busy Beavers. All that is known of them is in the crate `busybeaver`; here
//! are the files, the threads and the terminal.

mod run;
mod search;
mod show;
mod verify;

use busybeaver::Grid;

use crate::cli::two_l::{Command, TwoL};
use crate::exit::{Outcome, Result, Stop};

pub(crate) fn run(options: &TwoL) -> Result<Outcome> {
    match &options.command {
        Command::Show(options) => show::run(options),
        Command::Run(options) => run::run(options),
        Command::Search(options) => search::run(options),
        Command::Verify(options) => verify::run(options),
    }
}

/// The program that was typed.
fn program(text: &str) -> Result<Grid> {
    text.parse().or_else(|error| Stop::failed(format!("{text} is no 2L program: {error}")))
}
