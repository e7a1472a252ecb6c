//! What can be typed after `check`, `infer` and `models`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Trace;

/// Says what does not fit: events that the state of their thread or CPU does not allow.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright check trace/
  tracewright check trace/ --engine compat --model kernel-2018 --json
  tracewright models

An event is incoherent if the state of an instance (a CPU, a thread) does not accept it although another
state would: something before it is missing, or the model does not know it. Exit code: incoherences alone
are a result, so 0; 1 if the tracer says that it lost events, or if the input is damaged; 2 could not do it.")]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) trace: Trace,
    #[command(flatten)]
    pub(crate) machines: Machines,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show so many incoherences, losses and uncertain intervals each
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Show everything, however long
    #[arg(long)]
    pub(crate) all: bool,
}

/// Proposes the events that were lost, where what is left implies them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright infer trace/
  tracewright infer trace/ --engine compat --model kernel-2018 --json
  tracewright infer trace/ --write-choices choices.txt

What is printed was concluded, not observed. Each event lies somewhere in an interval; the moment shown is
only for drawing. Exit code as of `check`.")]
pub(crate) struct Infer {
    #[command(flatten)]
    pub(crate) trace: Trace,
    #[command(flatten)]
    pub(crate) machines: Machines,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the repaired trace to this folder: the CTF trace as it is, inferred events in streams of their own
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write a file in which you can choose where several values are possible
    #[arg(long, value_name = "FILE")]
    pub(crate) write_choices: Option<PathBuf>,
    /// Use the choices of such a file
    #[arg(long, value_name = "FILE")]
    pub(crate) choices: Option<PathBuf>,
    /// Show so many inferred events
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) limit: usize,
    /// Show everything, however long
    #[arg(long)]
    pub(crate) all: bool,
}

/// Lists the models of machines that are built in, or prints one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright models
  tracewright models --show kernel-2018")]
pub(crate) struct Models {
    /// Print this model, as XML that can be changed and given to --model
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    pub(crate) show: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which machines, and by whose rules.
#[derive(Debug, Clone, Args)]
pub(crate) struct Machines {
    /// A built-in model (`tracewright models`) or a file [default: kernel; with compat kernel-2018]
    #[arg(long, value_name = "NAME|FILE.xml")]
    pub(crate) model: Option<String>,
    /// By which rules [default: joint]
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<EngineName>,
}

impl Machines {
    /// The engine, and the model as it was or would be typed.
    pub(crate) fn resolve(&self) -> (EngineName, &str) {
        let engine = self.engine.unwrap_or(EngineName::Joint);
        let model = match engine {
            EngineName::Compat => "kernel-2018",
            EngineName::Joint => "kernel",
        };
        (engine, self.model.as_deref().unwrap_or(model))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Each machine for itself, as in the founding text
    Compat,
    /// All states in which an instance may be, and all that an event concerns at once
    Joint,
}
