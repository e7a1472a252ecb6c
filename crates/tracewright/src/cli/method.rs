//! What can be typed after `method`.

use std::path::PathBuf;

use clap::Args;

/// Show of a recorded method who called it, what it called, and how often each of its lines ran
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright method shop.capture Till.pay
  tracewright method shop.capture 'shop.Oven.*' --source-root src
  tracewright method shop.capture bake --thread 'baker*' --json

How to read it. `30  Baker.bakeAll (Baker.java:15)`: 30 calls came from line 15. `via library`: the line called code \
that was not recorded, which made the call. Before each line stands how often it ran; `-` is a line with code that did not. \
What was lost is in no count; `info` says how much that is.

Exit code: 0 done, 1 done but the recording is damaged or records were lost, 2 no such method, or it could not be read.")]
pub(crate) struct Method {
    /// A recording of control flow: a capture, a folder of uftrace, trace events in JSON, a trace of Perfetto
    #[arg(value_name = "CAPTURE")]
    pub(crate) capture: PathBuf,
    /// Which methods: pay, Till.pay, 'shop.Till.*', 'pay(int, String)'
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,
    /// Show the source text of the lines: a folder or archive with the sources below it; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) source_root: Vec<PathBuf>,
    /// Only threads with such a name or number; `*` and `?` stand for any text and character; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) thread: Vec<String>,
    /// Maximum number of methods to show, those that ran most first
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Exit with 0 although the recording is damaged or records were lost
    #[arg(long)]
    pub(crate) allow_loss: bool,
}
