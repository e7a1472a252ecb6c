//! What can be typed after `check`, `infer`, `evaluate`, `states`, `learn` and `models`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};

use super::Trace;
use crate::evaluate::pick::Kind;

/// Check a trace for inconsistent events: those that the state of their thread or CPU does not allow
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright check trace/
  tracewright check trace/ --engine compat --model kernel-2018 --json
  tracewright models

An event is incoherent if the state of an instance (a CPU, a thread) does not accept it although another \
state would: something before it is missing, or the model does not know it. Exit code: incoherences alone \
are a result, so 0; 1 if the tracer says that it lost events, or if the input is damaged; 2 could not do it.")]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) trace: Trace,
    #[command(flatten)]
    pub(crate) machines: Machines,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Maximum number of incoherences, losses and uncertain intervals to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Show everything, however long
    #[arg(long)]
    pub(crate) all: bool,
}

/// Infer the events that were lost, where what is left implies them
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright infer trace/
  tracewright infer trace/ --engine compat --model kernel-2018 --json
  tracewright infer trace/ --write-choices choices.txt

What is printed was concluded, not observed. Each event lies somewhere in an interval; the moment shown is \
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
    /// Maximum number of inferred events to show
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) limit: usize,
    /// Show everything, however long
    #[arg(long)]
    pub(crate) all: bool,
}

/// Measure how far `infer` can be trusted on a trace: delete events, infer them, compare
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright evaluate trace/
  tracewright evaluate trace/ --delete sched_switch --delete sched_switch:5 --count 50 --seed 7
  tracewright evaluate trace/ --engine joint --engine compat --count 20 --json
  tracewright evaluate trace/ --delete burst:50 --declare-loss --wrong 3

What may be deleted, each time at another place:
  NAME        an event called so (a pattern with `*` and `?`)
  NAME:K      K events called so that follow each other on one CPU, whatever lies between
  syscall:K   K whole system calls of one thread in a row, entry and exit; syscall is one
  burst:K     K events of one CPU in a row, whatever they are
  packet      a whole packet of a CTF stream

An inferred event is right if a deleted one has the same name, CPU and key fields (of a switch the threads that \
leave and come; else those by which the model tells its instances apart) and was in the interval that is stated. \
Each deleted event makes at most one right. One that leaves key fields open is counted as partly right. What is inferred from the trace as it is, too, is not counted.

Cases of your own: {\"cases\":[{\"id\":1,\"delete\":[{\"ts\":NS,\"cpu\":0,\"name\":\"sched_switch\"}]},
{\"id\":2,\"delete_range\":{\"cpu\":0,\"first_ts\":NS,\"last_ts\":NS}}]}; what --json prints is such a file too.
Exit code as of `check`; how much is right does not change it.")]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) trace: Trace,
    /// A built-in model (`tracewright models`) or a file [default: kernel; for compat kernel-2018]
    #[arg(long, value_name = "NAME|FILE.xml")]
    pub(crate) model: Option<String>,
    /// By which rules; may be repeated to compare [default: joint]
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Vec<EngineName>,
    /// What to delete in a case: an event's NAME (* in it stands for any text), NAME:N for N of them in a row on
    /// one CPU, syscall or syscall:N for whole calls, burst:N for whatever comes on one CPU, packet; may be
    /// repeated
    #[arg(long, value_name = "KIND", default_values = ["sched_switch", "syscall"])]
    pub(crate) delete: Vec<Kind>,
    /// Number of cases of each kind
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000).map(|count| count as usize))]
    pub(crate) count: usize,
    /// Seed of the random choice of cases
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Take the cases of this file instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["delete", "count", "seed"])]
    pub(crate) cases: Option<PathBuf>,
    /// Declare to the engines where something is missing, and how much, as a tracer would
    #[arg(long)]
    pub(crate) declare_loss: bool,
    /// Maximum number of cases that were not repaired exactly to show, with what was deleted and inferred
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) wrong: usize,
    /// Print one JSON object, with every case
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print the states that a model makes of a trace: which attribute had which value, from when to when
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright states trace/ --model kernel-2018 --limit 10
  tracewright states trace/ --model kernel-2018 --attribute 'CPUs/*/Status' --json

A model is an XML file as Trace Compass reads it: a state provider writes attributes as events come, a pattern \
does so when its machines go on, and makes segments. A state lasts up to the time in the second column, which \
is where the next begins or the trace ends.")]
pub(crate) struct States {
    #[command(flatten)]
    pub(crate) trace: Trace,
    /// A file with a state provider or a pattern, or a built-in model (`tracewright models`)
    #[arg(long, value_name = "FILE.xml|NAME")]
    pub(crate) model: String,
    /// Which analysis of the file to run, by its id [default: the first]
    #[arg(long, value_name = "ID")]
    pub(crate) analysis: Option<String>,
    /// Only attributes with such a path; `*` and `?` stand for any text and any character; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) attribute: Vec<String>,
    /// Show attributes that never had a value, too
    #[arg(long)]
    pub(crate) unset: bool,
    /// Print one JSON object with everything
    #[arg(long)]
    pub(crate) json: bool,
    /// Maximum number of states, and of segments, to show
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    /// Show everything, however long
    #[arg(long)]
    pub(crate) all: bool,
}

/// Learn from a trace a machine for each kind of thread, lock, request or object in it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright learn app.jsonl -o model.xml
  tracewright learn trace/ --json
  tracewright check trace/ --model model.xml

Which fields name the instances of a machine, and which distinguish its transitions, is found by how much shorter \
the trace can be encoded with them; states are what follows an event, merged where the continuations are alike. Nothing \
is learned across a loss. The model is a file like those that docs/models.md explains: read it, change it, and give \
it to check, infer and evaluate. Exit code: 0 done, 1 the tracer says that it lost events, or the input is damaged, \
2 could not do it, as where nothing is regular enough.")]
pub(crate) struct Learn {
    #[command(flatten)]
    pub(crate) trace: Trace,
    /// Write the model to this file, and print what it stands on; without it the model is printed
    #[arg(long, short, value_name = "FILE.xml")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object: what was learned and what it stands on
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the built-in models, or describe one in words
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright models
  tracewright models kernel
  tracewright models --show kernel-2018

A model is an XML file as Trace Compass reads it; docs/models.md explains how to write one.")]
pub(crate) struct Models {
    /// Describe this model in words: what is written, its machines, states, events and instances
    #[arg(value_name = "FILE.xml|NAME", conflicts_with = "show")]
    pub(crate) model: Option<String>,
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
        (engine, self.model.as_deref().unwrap_or(engine.own_model()))
    }
}

impl EngineName {
    /// The model that it is used with unless the user says otherwise.
    pub(crate) fn own_model(self) -> &'static str {
        match self {
            EngineName::Compat => "kernel-2018",
            EngineName::Joint => "kernel",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Each machine for itself, as in the founding text
    Compat,
    /// All states in which an instance may be, and all that an event concerns at once
    Joint,
}
