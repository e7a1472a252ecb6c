//! What can be asked of two inputs.

use std::path::PathBuf;

use clap::Args;

use super::TrackBy;

/// Compare two recordings, traces or histories: what one did that the other did not
#[derive(Debug, Args)]
#[command(override_usage = "\
tracewright diff [OPTIONS] <A> <B>
       tracewright diff [OPTIONS] <B> --baseline <A>...
       tracewright diff [OPTIONS] --history <A> <B>")]
#[command(after_help = "\
Examples:
  tracewright diff good.capture bad.capture
  tracewright diff good.capture bad.capture --method 'shop.Till.*'
  tracewright diff bad.capture --baseline good.capture good2.capture good3.capture
  tracewright diff old.capture new.capture --source-root old/src --source-root-b new/src
  tracewright diff shop.capture shop.capture --section 'App.doGet#1' --section-b 'App.doGet#2'
  tracewright diff before/ after/

Of recordings of control flow it tells where each thread parts, which methods did something else (those whose code \
changed first, then those in which threads part, then in the order of the run), and what ran on one side only. Methods \
of two builds are matched by name and descriptor, so a line that only moved is no difference; `line 14 (was 12)` is line 14 \
of B and 12 of A. Times are not compared, and of sections no class initialisers: a class is initialised by whoever uses it first.

Of traces of events it tells which events each track has more or fewer of, and losses.

Exit code: 0 the same, 1 different, 2 could not be compared: an input cannot be read, or nothing differs in what is \
there and something is missing (--allow-loss makes that 0).")]
pub(crate) struct Diff {
    /// Two recordings or traces; with --baseline only the second
    #[arg(value_name = "INPUT", num_args = 1..=2, required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Recordings of the same as A, so that what varies from run to run by itself is not reported
    #[arg(long, value_name = "RECORDING", num_args = 1..)]
    pub(crate) baseline: Vec<PathBuf>,
    /// Both inputs are files with a history: units split by white space, `<gap>` for a loss
    #[arg(long, conflicts_with = "baseline")]
    pub(crate) history: bool,
    /// Only threads or tracks with such a name; `*` and `?` stand for any text and character; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) thread: Vec<String>,
    /// Only such methods: pay, Till.pay, 'shop.Till.*', 'pay(int, String)'; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) method: Vec<String>,
    /// Only such tests, requests, tasks or marks of the recordings (`tracewright sections` lists them): 'App.doGet#2'
    #[arg(long, value_name = "NAME", conflicts_with_all = ["history", "times"])]
    pub(crate) section: Option<String>,
    /// The section of B, where it is called otherwise than that of A
    #[arg(long, value_name = "NAME", conflicts_with_all = ["history", "times"])]
    pub(crate) section_b: Option<String>,
    /// Match lines of two builds by their text: a folder or archive with the sources of A; may be repeated
    #[arg(long, value_name = "DIR", requires = "source_root_b", conflicts_with_all = ["history", "times"])]
    pub(crate) source_root: Vec<PathBuf>,
    /// The sources of B; may be repeated
    #[arg(long, value_name = "DIR", requires = "source_root")]
    pub(crate) source_root_b: Vec<PathBuf>,
    /// Maximum number of callers to show where threads part
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) depth: usize,
    /// Of traces: what a track is
    #[arg(long, value_name = "WHAT", default_value = "thread")]
    pub(crate) track_by: TrackBy,
    /// Of traces: also compare how long threads and CPUs were in each state of a model
    #[arg(long, conflicts_with_all = ["history", "baseline", "method"])]
    pub(crate) times: bool,
    /// Of traces, with --times: a built-in model (`tracewright models`) or a file
    #[arg(long, value_name = "NAME|FILE.xml", requires = "times", default_value = "kernel")]
    pub(crate) model: String,
    /// List everything that differs, however much it is
    #[arg(long)]
    pub(crate) all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Exit with 0 where nothing differs although something is missing
    #[arg(long)]
    pub(crate) allow_loss: bool,
}
