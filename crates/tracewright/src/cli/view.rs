//! What can be typed after `view`.

use std::path::PathBuf;

use clap::Args;

use super::History;
use super::captures::LostRecords;
use super::machines::Machines;

/// Show a trace or a history in the browser: its timeline, what was lost, its loops; what a recorded program did,
/// played over its source
#[derive(Debug, Clone, Args)]
#[command(override_usage = "\
tracewright view [OPTIONS] <TRACE>
       tracewright view [OPTIONS] --symbols <LETTERS>
       tracewright view [OPTIONS] --history <FILE>")]
#[command(after_help = "\
For instance:
  tracewright view trace/
  tracewright view trace/ --no-open --port 8700
  tracewright view run.capture/ --source-root src/main/java
  tracewright view passes.capture/ --against fails.capture/
  tracewright view --symbols ABCBACACBCBACACACBCBACACACAC
  tracewright 2l run ZgoCQhGBUIBlqA --history | tracewright view -

The page is served on this machine only (127.0.0.1), to whoever opens the address that is printed: \
it ends with a secret, so do not pass it on. The server ends with Ctrl-C. It writes nothing but the \
index of a large trace or capture, into the cache folder of the user, so that opening it again is quick.

With --host NAME --reachable-by-others the page is served to other machines: whoever reaches this \
one and has the address sees the trace and the source, and as the connection is not encrypted, so \
does whoever listens on the way. `ssh -L 8700:127.0.0.1:8700 HOST`, with `view --port 8700` there, lets in nobody else.")]
pub(crate) struct View {
    #[command(flatten)]
    pub(crate) history: History,
    #[command(flatten)]
    pub(crate) machines: Machines,
    /// Begin with the choices of such a file, as `infer --write-choices` and the page write it
    #[arg(long, value_name = "FILE")]
    pub(crate) choices: Option<PathBuf>,
    /// Look for the source of a recorded program below this folder, or in this archive; may be given again
    #[arg(long, value_name = "DIR|SOURCES.jar")]
    pub(crate) source_root: Vec<PathBuf>,
    /// Show a second recording of control flow beside the first, call by call, with what differs marked
    #[arg(long, value_name = "RECORDING")]
    pub(crate) against: Option<PathBuf>,
    /// Look for the source of the recording of --against here, if not where --source-root says; may be given again
    #[arg(long, value_name = "DIR|SOURCES.jar", requires = "against")]
    pub(crate) against_source_root: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lost_records: LostRecords,
    #[command(flatten)]
    pub(crate) listen: Listen,
}

/// Where the page is served, and to whom.
#[derive(Debug, Clone, Args)]
pub(crate) struct Listen {
    /// Listen on this port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Listen on this address of this machine, and answer to this name only
    #[arg(long, value_name = "NAME|ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: String,
    /// Needed for a --host that other machines can reach
    #[arg(long)]
    pub(crate) reachable_by_others: bool,
    /// Only print the address, do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
}
