//! `tracewright 2l`: 2L Busy Beavers. All that is known of them is in the crate `busybeaver`; here
//! are the files, the threads and the terminal.

mod merge;
mod run;
mod search;
mod show;
mod verify;
mod view;

use busybeaver::Grid;

use crate::cli::two_l::{Command, TwoL};
use crate::exit::{Outcome, Result, Stop};

pub(crate) fn run(options: &TwoL) -> Result<Outcome> {
    match &options.command {
        Command::Show(options) => show::run(options),
        Command::Run(options) => run::run(options),
        Command::View(options) => view::run(options),
        Command::Search(options) => search::run(options),
        Command::Merge(options) => merge::run(options),
        Command::Verify(options) => verify::run(options),
    }
}

/// How many threads work where nothing else is asked for.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The program that was typed.
fn program(text: &str) -> Result<Grid> {
    text.parse().or_else(|error| Stop::failed(format!("{text} is no 2L program: {error}")))
}
