//! What can be typed to record a Java program.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

/// Run a Java program, or a script that starts one, and record what it does
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright record -- java -jar shop.jar
  tracewright record -o shop.capture --include shop --exclude 'shop.*Test' -- ./gradlew run
  tracewright record --paused -- java -jar shop.jar
  tracewright record --explain-filters

The program keeps its input, output, exit code and signals: tracewright becomes a java, and passes on the \
signals and the exit code of anything else. Read the capture by the commands calls, loops and info. Where a \
recording has to end early, or no Java program could be recorded, a line on standard error says why. Of a \
script's programs those that may start others (shells, env, make) see the recorder in LD_PRELOAD and \
TRACEWRIGHT_AGENT; the rest, Java programs and what they start do not. Before start and after stop, nothing is inserted into the program's classes.

What is inserted into a program's classes is kept in the cache folder of the user, so that the next \
recording of that program starts faster; it may be deleted at any time.")]
pub(crate) struct Record {
    /// The folder to record into; it must not exist, or be empty [default: recording.capture, or the
    /// next free recording-N.capture]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) choices: Choices,
    /// Keep no values in this program, whoever asks for them later
    #[arg(long, conflicts_with = "values")]
    pub(crate) no_values: bool,
    /// Do not start recording yet; `tracewright start PID` does
    #[arg(long)]
    pub(crate) paused: bool,
    /// Remove the recording when the program has ended, unless a test, request or task in it threw or
    /// had not ended, or the program itself failed
    #[arg(long)]
    pub(crate) only_failed: bool,
    /// Prepare every class anew, and keep nothing for the next time
    #[arg(long)]
    pub(crate) fresh: bool,
    /// How the recorder is loaded into the program
    #[arg(long, value_name = "WAY", default_value = "auto")]
    pub(crate) via: Via,
    #[command(flatten)]
    pub(crate) port: Port,
    /// List every rule by which classes are skipped, and do nothing else
    #[arg(long)]
    pub(crate) explain_filters: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "explain_filters")]
    pub(crate) command: Vec<OsString>,
}

/// Attach to a running Java program and start recording
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright attach 4711
  tracewright attach 4711 -o login.capture --include shop --for 10s
  tracewright attach 4711 --paused

From JDK 21 on, Java prints three lines of warning on the program's standard error when an agent is loaded \
into a running program, unless it was started with -XX:+EnableDynamicAgentLoading.")]
pub(crate) struct Attach {
    /// The process; see `tracewright jvms`
    #[arg(value_name = "PID")]
    pub(crate) pid: u32,
    /// The folder to record into; it must not exist, or be empty [default: recording.capture, or the
    /// next free recording-N.capture]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) choices: Choices,
    /// Keep no values in this program, whoever asks for them later
    #[arg(long, conflicts_with = "values")]
    pub(crate) no_values: bool,
    /// Do not start recording yet; `tracewright start PID` does
    #[arg(long)]
    pub(crate) paused: bool,
    /// Prepare every class anew, and keep nothing for the next time
    #[arg(long)]
    pub(crate) fresh: bool,
    #[command(flatten)]
    pub(crate) port: Port,
}

/// Watch running Java programs, and record the one that hangs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright watch 4711
  tracewright watch 4711 4712 --stalled 1m --on-hang 'mail -s hang ops < /dev/null'

Every few seconds each program is asked for a thread dump. Nothing is loaded into it until a thread seems to make \
no progress for the time of --stalled: then the classes that it was seen in are recorded for a moment. If `hangs` \
finds that a thread goes round a loop that is the same each time and has no end in sight, is deadlocked or waits \
in vain, that is said in one paragraph and the capture is kept; else it is deleted, and the thread is given twice \
the time. What reads or writes makes progress. A program that is being recorded already goes on being recorded, and \
its capture is judged. The command ends when every program has ended or hangs; it exits with 1 if one hangs. COMMAND is \
run by sh, with TRACEWRIGHT_PID, TRACEWRIGHT_CAPTURE and TRACEWRIGHT_ANSWER set.")]
pub(crate) struct Watch {
    /// The processes; see `tracewright jvms`
    #[arg(value_name = "PID", required = true)]
    pub(crate) pids: Vec<u32>,
    /// How long a thread may make no progress
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = seconds)]
    pub(crate) stalled: f64,
    /// How long to record a program that seems to hang
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = seconds)]
    pub(crate) record: f64,
    /// Stop watching after this time
    #[arg(long = "for", value_name = "TIME", value_parser = seconds)]
    pub(crate) time: Option<f64>,
    /// What to run when a program hangs
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_hang: Option<String>,
}

/// A port for commands, besides the socket that only the user can reach.
#[derive(Debug, Clone, Args)]
pub(crate) struct Port {
    /// Also take commands on this port of 127.0.0.1: lines, the first of them token=TOKEN, then status,
    /// start, mark text=TEXT and stop
    #[arg(long, value_name = "PORT", requires = "token_file")]
    pub(crate) listen: Option<u16>,
    /// The file with the token, at least 16 letters; made with a new token if it does not exist
    #[arg(long, value_name = "FILE", requires = "listen")]
    pub(crate) token_file: Option<PathBuf>,
}

/// Start recording in a program that the recorder is attached to
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright start 4711
  tracewright start 4711 -o login.capture --include shop.login --for 10s")]
pub(crate) struct Start {
    /// The process; see `tracewright jvms`
    #[arg(value_name = "PID")]
    pub(crate) pid: u32,
    /// The folder to record into [default: the one that `record` was given, or recording.capture, or the
    /// next free one of these]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) choices: Choices,
}

/// Stop recording a program, which runs on as if it had never been recorded
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright stop 4711")]
pub(crate) struct Stop {
    /// The process
    #[arg(value_name = "PID")]
    pub(crate) pid: u32,
}

/// Show whether a program is being recorded, into which folder, and how much so far
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright status 4711")]
pub(crate) struct Status {
    /// The process
    #[arg(value_name = "PID")]
    pub(crate) pid: u32,
}

/// Mark this moment of a recording with a name, for `calls --from` and `--to`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright mark 4711 'login clicked'")]
pub(crate) struct Mark {
    /// The process
    #[arg(value_name = "PID")]
    pub(crate) pid: u32,
    /// The name
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
}

/// List the running Java programs and whether they can be recorded
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright jvms")]
pub(crate) struct Jvms {}

/// What is recorded, how, and for how long.
#[derive(Debug, Clone, Args)]
pub(crate) struct Choices {
    /// Only what this names: a package, a class, a text with *, and #METHOD behind it; may be repeated
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) include: Vec<String>,
    /// Nothing that this names; may be repeated
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) exclude: Vec<String>,
    /// Generated code too
    #[arg(long)]
    pub(crate) generated: bool,
    /// What is recorded
    #[arg(long, value_name = "WHAT", default_value = "paths")]
    pub(crate) mode: Mode,
    /// What a thread does when the recorder's buffers are full because the disk or the processors are too slow
    #[arg(long, value_name = "WHAT", default_value = "bounded")]
    pub(crate) when_full: WhenFull,
    /// Keep arguments, results and exceptions of the calls of these methods: shop.Cart.add, 'shop.Cart.*', shop.Cart#add; up to 256 MiB of
    /// them, and nothing of what has the name of a secret (password, token, ...); may be repeated
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) values: Vec<String>,
    /// Record only inside calls of these methods, all that their thread does there and the tasks that it hands over: shop.App.doGet,
    /// 'shop.*Test.*', shop.Cart#add; or while requests with this path are served: /cart, '/orders/*'; outside of them the program runs its
    /// own code; may be repeated
    #[arg(long, value_name = "PATTERN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) inside: Vec<String>,
    /// Of the calls that --inside names, record the first and then every Nth; those in a call that is not recorded count, too
    #[arg(long, value_name = "N", requires = "inside", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) one_in: Option<u64>,
    /// Keep the processor time that recording adds below this part of the program's own, as far as can be estimated: 50%; of the methods
    /// that cost too much only the calls are counted from then on, those of libraries first
    #[arg(long, value_name = "PERCENT", conflicts_with = "inside", value_parser = percent)]
    pub(crate) budget: Option<u32>,
    /// Say of each task which thread handed it over and which began it (executors, fork/join, CompletableFuture, virtual threads), and of each
    /// thread who started it; of tasks inside calls that --inside names this is said anyway
    #[arg(long)]
    pub(crate) tasks: bool,
    /// Stop after this time: 10s, 2m, 500ms
    #[arg(long = "for", value_name = "TIME", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,
    /// Stop when the capture has this size: 100M, 2G
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) size: Option<u64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Mode {
    /// Every basic block, one record for each path through a piece of a method
    Paths,
    /// Every basic block, one record for each: the same in the plainest encoding, at more cost
    Blocks,
    /// Calls only
    Calls,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WhenFull {
    /// Wait at most 1 s, then drop records and count them; wait again once something was written
    Bounded,
    /// Drop records and count them, without waiting
    Drop,
    /// Wait as long as it takes, and drop nothing
    Wait,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Via {
    /// An option for a java, the preload for anything else
    Auto,
    /// A library that is loaded before a java that any script starts
    Preload,
    /// JAVA_TOOL_OPTIONS (and JDK_JAVA_OPTIONS for the stack of the main thread): reaches every JVM, which prints a line about each on standard error
    Environment,
}

/// A time in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("give a number and ms, s, m or h".to_owned()),
    };
    let value = number.parse::<f64>().ok().map(|value| value * factor);
    value.filter(|value| value.is_finite() && *value > 0.0).ok_or_else(|| "give a time above 0".to_owned())
}

/// A part in percent.
fn percent(text: &str) -> Result<u32, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).trim_end().parse().ok();
    percent
        .filter(|percent| (1..=10_000).contains(percent))
        .ok_or_else(|| "give a percentage from 1% to 10000%".to_owned())
}

/// A size in bytes; K, M and G are powers of 1024.
fn bytes(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit {
        "" | "B" => 0,
        "K" | "k" | "KB" | "KiB" => 10,
        "M" | "MB" | "MiB" => 20,
        "G" | "GB" | "GiB" => 30,
        _ => return Err("give a number and K, M or G".to_owned()),
    };
    let value: Option<u64> = number.parse().ok();
    let value = value.and_then(|value| value.checked_shl(shift)).filter(|&value| value > 0);
    value.ok_or_else(|| "give a size above 0".to_owned())
}
