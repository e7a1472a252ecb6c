//! What can be typed. Every example in the help is run by `tests/help.rs`.

pub(crate) mod captures;
pub(crate) mod diff;
pub(crate) mod java;
pub(crate) mod machines;
pub(crate) mod mcp;
pub(crate) mod method;
pub(crate) mod sections;
pub(crate) mod table;
pub(crate) mod two_l;
pub(crate) mod values;
pub(crate) mod view;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::when::When;

/// Record, read, mend and explain execution traces: what a program did, its loops, and what is missing from the record
#[derive(Debug, Parser)]
#[command(
    name = "tracewright",
    version,
    after_help = "\
Examples:
  tracewright info trace/
  tracewright events trace/ --limit 10
  tracewright loops trace/
  tracewright hangs trace/
  tracewright check trace/
  tracewright infer trace/ --json
  tracewright evaluate trace/ --delete sched_switch

Opened are traces of events: CTF 1.8 and CTF 2 (LTTng, barectf; a folder or a tar of it), perf.data, ftrace (text and trace.dat), lines of JSON \
(*.jsonl), XML traces of Trace Compass; and recordings of control flow: captures of Tracewright, recordings of uftrace, \
trace events in JSON (Chrome, VizTracer), Perfetto. Recorded are Java programs: `record` starts one, `attach` goes into one that runs.

Exit code: 0 done, 1 done but the input is damaged or events were lost, 2 could not do it."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print at most so many bytes of the answer, in whole lines; how much was left out is said on standard error
    #[arg(long, global = true, value_name = "N")]
    pub(crate) max_bytes: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Info(Info),
    Events(Events),
    Loops(Loops),
    Hangs(Hangs),
    Check(machines::Check),
    Infer(machines::Infer),
    Evaluate(machines::Evaluate),
    States(machines::States),
    Calls(captures::Calls),
    Method(method::Method),
    Sections(sections::Sections),
    Values(values::Values),
    Diff(diff::Diff),
    Export(captures::Export),
    Table(table::Table),
    Learn(machines::Learn),
    Models(machines::Models),
    View(Box<view::View>),
    Mcp(mcp::Mcp),
    #[command(name = "2l")]
    TwoL(two_l::TwoL),
    Classfile(Classfile),
    Record(java::Record),
    Attach(java::Attach),
    Watch(java::Watch),
    Start(java::Start),
    Stop(java::Stop),
    Status(java::Status),
    Mark(java::Mark),
    Jvms(java::Jvms),
    Completions(Completions),
    Man(Man),
    /// Do what one of the other commands asks for, with the rights of a program's user
    #[command(hide = true)]
    Target,
}

/// Show what a trace is: origin, clocks, streams, event counts, losses, diagnostics
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright info trace/
  tracewright info trace/ --json
  tracewright info - < app.jsonl")]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) trace: Trace,
    /// Print one JSON object with everything
    #[arg(long)]
    pub(crate) json: bool,
    /// List every event name, gap and diagnostic, however many there are
    #[arg(long)]
    pub(crate) all: bool,
}

/// Print the events of a trace, one a line, in the order of time
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright events trace/ --limit 10
  tracewright events trace/ --name 'sched_*' --from +0.1s --to +0.2s
  tracewright events trace/ --json | tracewright info -
  tracewright events app.jsonl --track 'app.jsonl'

A moment is nanoseconds since 1970, 2026-11-21T07:25:08.5 (UTC), 07:25:08.5 (on the day of the first \
event) or +1.5s (after the first event). Events without a time are left out when --from or --to is \
given. Lines of --json are an input too: write your log like them and every command reads it.")]
pub(crate) struct Events {
    #[command(flatten)]
    pub(crate) trace: Trace,
    /// Print one JSON object a line: ts (ns since 1970), stream, cpu, name, fields
    #[arg(long)]
    pub(crate) json: bool,
    /// With --json: also print a line for each loss
    #[arg(long, requires = "json")]
    pub(crate) gaps: bool,
    /// Stop after this many events
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Only events at this moment or later
    #[arg(long, value_name = "MOMENT", allow_hyphen_values = true)]
    pub(crate) from: Option<When>,
    /// Only events at this moment or earlier
    #[arg(long, value_name = "MOMENT", allow_hyphen_values = true)]
    pub(crate) to: Option<When>,
    /// Only events with such a name; `*` and `?` stand for any text and any character; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) name: Vec<String>,
    /// Only events of such a track, called as `loops` calls it; a pattern too; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) track: Vec<String>,
    /// What a track is
    #[arg(long, value_name = "WHAT", default_value = "thread")]
    pub(crate) track_by: TrackBy,
}

/// Find the loops of a trace or of a history, and the loops of loops
#[derive(Debug, Args)]
#[command(override_usage = "\
tracewright loops [OPTIONS] <TRACE>
       tracewright loops [OPTIONS] --symbols <LETTERS>
       tracewright loops [OPTIONS] --history <FILE>
       tracewright loops --expand <FILE>")]
#[command(after_help = "\
Examples:
  tracewright loops trace/
  tracewright loops trace/ --track-by cpu --tracks 2
  tracewright loops --symbols ABCBACACBCBACACACBCBACACACAC
  tracewright loops --history history.txt --short-loops
  cat history.txt | tracewright loops --history - --json
  tracewright loops --history history.txt --json | tracewright loops --expand -

A history is the order in which things happened, for a trace the names of the events of one track. \
`ABC [D]*4.0 EF` reads: A, B, C once, then D four iterations, then E, F. `*2.1` is two whole iterations and one \
unit of a third; `A?` is not decided yet; `<gap>` is a place where something was lost. `{read+close}` is a rule: units \
that stand in several places, said once. `~read+close` is a run, called by its busiest symbols.")]
pub(crate) struct Loops {
    #[command(flatten)]
    pub(crate) history: History,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the history that a file made with --json is of, as it was read
    #[arg(long, conflicts_with_all = ["symbols", "history", "json", "levels", "all", "short_loops", "allow_loss"])]
    pub(crate) expand: bool,
    /// Maximum number of levels to build; 1 is only the runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) levels: Option<u32>,
    /// Maximum number of tracks to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) tracks: usize,
    /// Maximum number of runs of each level, and of lines of each nest, to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) runs: usize,
    /// Show everything, however long
    #[arg(long)]
    pub(crate) all: bool,
}

/// The built-in model of the kernel.
pub(crate) const KERNEL: &str = "kernel";

/// Find the loops that tracks end in: where a program hangs, if it does
#[derive(Debug, Args)]
#[command(override_usage = "\
tracewright hangs [OPTIONS] <TRACE>
       tracewright hangs [OPTIONS] --symbols <LETTERS>
       tracewright hangs [OPTIONS] --history <FILE>")]
#[command(after_help = "\
Examples:
  tracewright hangs trace/
  tracewright hangs --symbols RAABAAABAAAABAA
  tracewright hangs --history history.txt --json

Of threads in a trace of the kernel's scheduler it also tells what they were in the middle of: running, idle, waiting since when and for whom, and whether they can go on only if one of them does. Pipes and locks need the system calls and their arguments in the trace.

It tells what is observed: the loops that a track ends in, since when, how many iterations, and \
whether the loops inside them iterate equally often each time, more often by the same number each \
time, or neither. A trace shows what was, so it cannot prove that the program goes on for ever.")]
pub(crate) struct Hangs {
    #[command(flatten)]
    pub(crate) history: History,
    /// The model that says in which states threads wait; a built-in one or a file
    #[arg(long, value_name = "MODEL", default_value = KERNEL)]
    pub(crate) model: String,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Maximum number of tracks to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) tracks: usize,
    /// Show everything, however long, and read all of a recording, however long that takes
    #[arg(long)]
    pub(crate) all: bool,
}

/// List the basic blocks of a Java class: lines, edges and loops of each method
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright classfile Shop.class")]
pub(crate) struct Classfile {
    /// A class file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright completions bash > tracewright.bash
  tracewright completions fish | head -3")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the manual pages, one for each command, into a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright man pages/")]
pub(crate) struct Man {
    /// The folder; it is made if it does not exist
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

/// What a loop finder is fed with.
#[derive(Debug, Clone, Args)]
pub(crate) struct History {
    /// A trace or a recording of control flow (a folder or a file; `tracewright help` lists the formats), or - for standard input
    #[arg(value_name = "TRACE", required_unless_present_any = ["symbols", "history"], conflicts_with_all = ["symbols", "history"])]
    pub(crate) input: Option<PathBuf>,
    /// A history in which each letter is a unit
    #[arg(long, value_name = "LETTERS", conflicts_with = "history")]
    pub(crate) symbols: Option<String>,
    /// A file with a history: units split by white space, `<gap>` for a loss (- is standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) history: Option<PathBuf>,
    /// What a track is
    #[arg(long, value_name = "WHAT", default_value = "thread")]
    pub(crate) track_by: TrackBy,
    /// Only such tracks; a pattern with `*` and `?`; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) track: Vec<String>,
    /// Also see loops that ended before their second iteration, where one was seen to follow before
    #[arg(long)]
    pub(crate) short_loops: bool,
    /// Exit with 0 although the input is damaged or events were lost
    #[arg(long)]
    pub(crate) allow_loss: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// A trace or a recording of control flow (a folder or a file; `tracewright help` lists the formats), or - for standard input
    #[arg(value_name = "TRACE")]
    pub(crate) input: PathBuf,
    /// Exit with 0 although the input is damaged or events were lost
    #[arg(long)]
    pub(crate) allow_loss: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TrackBy {
    /// Each thread; a stream where threads are unknown
    Thread,
    /// Each CPU; a stream where CPUs are unknown
    Cpu,
    /// Each stream
    Stream,
}

impl From<TrackBy> for analyses::tracks::TrackBy {
    fn from(by: TrackBy) -> Self {
        match by {
            TrackBy::Thread => analyses::tracks::TrackBy::Thread,
            TrackBy::Cpu => analyses::tracks::TrackBy::Cpu,
            TrackBy::Stream => analyses::tracks::TrackBy::Stream,
        }
    }
}
