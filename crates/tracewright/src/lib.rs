//! Tracewright: everything that the program does, and a door for programs of other languages.
//!
//! [`main`] is the command line: it reads the arguments, runs one command, reports how it went. `TableReader` (feature
//! `columnar`) gives the tables of `tracewright table` as batches in memory to a process that is not ours: there nothing is
//! printed, no signal is handled and nothing exits. Only this crate touches files, the terminal and the clock; the libraries
//! are given bytes.

mod answer;
mod atomic;
mod choices;
mod cli;
mod commands;
mod copied;
mod diff;
mod engines;
mod escape;
mod evaluate;
mod exit;
mod files;
mod hangs;
mod histories;
mod input;
mod input_size;
mod java;
mod libraries;
mod losses;
mod marks;
mod mcp;
mod method_names;
mod method_times;
mod models;
mod moment;
mod numbers;
mod open;
mod output;
mod paint;
mod parameter_names;
mod part;
mod pattern;
mod process;
mod progress;
mod recordings;
mod repaired;
mod reports;
mod results;
mod sections;
mod serve;
mod source_text;
mod states;
mod stdin;
mod tables;
mod unpacked;
mod views;
mod warn;
mod when;

use std::process::ExitCode;

use clap::Parser;

pub use part::Part;
pub use process::Notes;
#[cfg(feature = "columnar")]
pub use tables::{Message, Request, TableReader};
pub use tables::{VERSION, What};

/// Runs the command that the arguments of this process ask for; the process is ours.
pub fn main() -> ExitCode {
    process::claim();
    let arguments = cli::Arguments::parse();
    if let Some(most) = arguments.max_bytes {
        output::bound(most);
    }
    let _at_end = unpacked::AtEnd;
    let result = match &arguments.command {
        cli::Command::Info(options) => commands::info::run(options),
        cli::Command::Events(options) => commands::events::run(options),
        cli::Command::Loops(options) => commands::loops::run(options),
        cli::Command::Hangs(options) => commands::hangs::run(options),
        cli::Command::Check(options) => commands::check::run(options),
        cli::Command::Infer(options) => commands::infer::run(options),
        cli::Command::Evaluate(options) => commands::evaluate::run(options),
        cli::Command::States(options) => commands::states::run(options),
        cli::Command::View(options) => commands::view::run(options),
        cli::Command::Mcp(options) => commands::mcp::run(options),
        cli::Command::Calls(options) => commands::calls::run(options),
        cli::Command::Method(options) => commands::method::run(options),
        cli::Command::Sections(options) => commands::sections::run(options),
        cli::Command::Values(options) => commands::values::run(options),
        cli::Command::Diff(options) => commands::diff::run(options),
        cli::Command::Export(options) => commands::export::run(options),
        cli::Command::Table(options) => commands::table::run(options),
        cli::Command::Learn(options) => commands::learn::run(options),
        cli::Command::Models(options) => commands::models::run(options),
        cli::Command::Classfile(options) => commands::classfile::run(options),
        cli::Command::Record(options) => commands::record::run(options),
        cli::Command::Attach(options) => commands::attach::run(options),
        cli::Command::Watch(options) => commands::watch::run(options),
        cli::Command::Start(options) => commands::start::run(options),
        cli::Command::Stop(options) => commands::stop::run(options),
        cli::Command::Status(options) => commands::status::run(options),
        cli::Command::Mark(options) => commands::mark::run(options),
        cli::Command::Jvms(_) => commands::jvms::run(),
        cli::Command::Completions(options) => commands::completions::run(options),
        cli::Command::Man(options) => commands::man::run(options),
        cli::Command::Target => commands::target::run(),
        cli::Command::TwoL(options) => commands::two_l::run(options),
    };
    exit::code(output::report_bound(result))
}
