//! What can be asked of captures.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Show what a recorded program did: calls and the lines that ran, with loops and recursion folded
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright calls shop.capture
  tracewright calls shop.capture --thread main --depth 3
  tracewright calls shop.capture --search Oven.java:14
  tracewright calls shop.capture --method 'shop.Till.*'
  tracewright calls shop.capture --from 'login clicked' --to 'logged in'
  tracewright calls shop.capture --section 'CartTest.adds'
  tracewright calls shop.capture --flat --limit 20
  tracewright calls shop.capture --summary
  tracewright calls shop.capture --summary --sort time

How to read it. `14: shop.Baker.bake (Baker.java:30-33)`: line 14 called it, and these are the lines \
that it ran, those in its loops aside. A package is left out where it is that of the caller. `loop at \
15-17 x 1,204` ran so often; what its iterations called stands below. Where iterations or calls differ, each \
kind stands below with its number. Equal calls are shown once. Threads that did alike stand together \
with their number; --thread shows one by itself. `via library`: called by code that was \
not recorded, which the line called. `12, inlined Lists.kt:7-9`: at line 12 the compiler put code of these lines of another file.

`12.3 ms, 10.1 ms of it waiting`: a clock looks a thousand times a second how far each thread is, so calls of more than about two milliseconds \
have a length. `3.1 ± 0.9 ms` where that is known less well than to a twentieth. Waiting is what the thread was on no processor: \
for a lock, for input, for other threads that ran. Of a call whose length is not known nothing is said.

Of recordings of uftrace, trace events (Chrome, VizTracer) and Perfetto, functions are known and no blocks: a line is where a function is written (record with \
--srcline), each call counts as one block, and a loop is a row of calls that begins again with the same function.")]
pub(crate) struct Calls {
    /// A recording of control flow: a capture, a folder of uftrace, trace events in JSON, a trace of Perfetto
    #[arg(value_name = "CAPTURE")]
    pub(crate) capture: PathBuf,
    /// Only threads with such a name or number; `*` and `?` stand for any text and character; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) thread: Vec<String>,
    /// Begin with all calls of such a method: pay, Till.pay, 'shop.Till.*', 'pay(int, String)'; may be repeated
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["search", "flat"])]
    pub(crate) method: Vec<String>,
    /// Show only what leads to such a class, method or line (Oven.java:14), and what that did
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// Begin at the first mark of this name (`tracewright mark` sets them), else in each thread where such a line (Oven.java:14) or method ran first
    #[arg(long, value_name = "MARK|LINE|METHOD")]
    pub(crate) from: Option<String>,
    /// End at such a mark, line or call, with --from the first behind that
    #[arg(long, value_name = "MARK|LINE|METHOD")]
    pub(crate) to: Option<String>,
    /// Only such tests, requests, tasks or marks (`tracewright sections` lists them): CartTest.adds, 'App.doGet#2', 'login clicked'
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "to"])]
    pub(crate) section: Option<String>,
    /// Maximum depth of calls to show
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// Show iterations one after the other (equal ones in a row together), and recursion and equal calls again
    #[arg(long)]
    pub(crate) unfold: bool,
    /// Tell what libraries did as one call each, the first one of a run of their code. The program's own is what PATTERN names (a
    /// package, a class, a text with *), and without it the classes of folders, as a build leaves them, else those of the archive
    /// or the package of its main class; may be repeated. The calls as a tree are told like that anyway where classes of folders
    /// and of archives were recorded and no --include had named them
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    pub(crate) own: Vec<String>,
    /// Show what libraries called of libraries, too
    #[arg(long, conflicts_with = "own")]
    pub(crate) libraries: bool,
    /// Show calls of methods that only a compiler wrote, too: bridges, access to private members, stubs for default arguments
    #[arg(long)]
    pub(crate) synthetic: bool,
    /// Show one line for each call and block, in the order in which they ran
    #[arg(long, conflicts_with_all = ["unfold", "summary"])]
    pub(crate) flat: bool,
    /// Show only figures: how much was recorded, how much is left after folding, losses
    #[arg(long, conflicts_with_all = ["search", "method"])]
    pub(crate) summary: bool,
    /// With --summary, also list so many methods with the most blocks of their own, and so many exceptions, the first ones first
    #[arg(long, value_name = "N", requires = "summary")]
    pub(crate) top: Option<usize>,
    /// Show how long calls took that took at least so long, and how much of that they waited; `off`: of none
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = threshold)]
    pub(crate) times: Threshold,
    /// With --summary: the methods whose calls took longest in all, in themselves, waiting, or in one call
    #[arg(long, value_name = "BY", requires = "summary")]
    pub(crate) sort: Option<SortBy>,
    /// Print JSON: one object; with --flat one a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Maximum number of lines to print for each thread, or for threads that did alike
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: u64,
    /// Print everything, however long
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) lost_records: LostRecords,
    /// Exit with 0 although the capture is damaged or records were lost
    #[arg(long)]
    pub(crate) allow_loss: bool,
}

/// What becomes of records that were lost.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct LostRecords {
    /// Leave out what lost records told where that is inferred from the code and from what ran before and after
    #[arg(long)]
    pub(crate) no_inferred: bool,
}

/// From which length on times are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Threshold(pub(crate) Option<i64>);

fn threshold(text: &str) -> Result<Threshold, String> {
    if text == "off" {
        return Ok(Threshold(None));
    }
    let least = crate::when::duration(text).filter(|least| *least > 0);
    least.map(|least| Threshold(Some(least))).ok_or_else(|| "give a time above 0, as 5ms, or off".to_owned())
}

/// What methods are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortBy {
    /// How long their calls took, those in calls of the same method left out
    Time,
    /// The same without the calls in them that are known as well
    Own,
    /// How much of it their threads waited
    Waiting,
    /// The longest call
    Longest,
}

/// Export a recording of control flow in a format that other programs read
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright export shop.capture --to perfetto -o shop.pftrace
  tracewright export shop.capture --to chrome -o shop.json
  tracewright export shop.capture --to etr -o shop.etr

perfetto (ui.perfetto.dev) and chrome (ui.perfetto.dev, Firefox Profiler, chrome://tracing): the calls of \
each thread under its name. A capture knows the time wherever its clock has looked, a thousand \
times a second, and at the ends of chunks: between two of these blocks are spread evenly; without a clock one block takes one microsecond. The file says which. \
etr: 14 bytes for each block (thread u8, class u32, method u32, block u32, kind u8: 0 call, 1 return, \
2 throw, 3 other; little-endian), and beside it FILE.em, a text with the names of these numbers.")]
pub(crate) struct Export {
    /// A recording of control flow: a capture, a folder of uftrace, trace events in JSON, a trace of Perfetto
    #[arg(value_name = "CAPTURE")]
    pub(crate) capture: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Form,
    /// The file to write; it must not exist
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Only such tests, requests, tasks or marks (`tracewright sections` lists them)
    #[arg(long, value_name = "NAME")]
    pub(crate) section: Option<String>,
    /// Only threads with such a name or number; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) thread: Vec<String>,
    /// Exit with 0 although the capture is damaged or records were lost
    #[arg(long)]
    pub(crate) allow_loss: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Records of 14 bytes, as the paper about the control-flow tracer has them
    Etr,
    /// Trace events as JSON
    Chrome,
    /// Perfetto's own form
    Perfetto,
}
