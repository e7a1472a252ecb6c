//! What can be typed after `mcp`.

use std::path::PathBuf;

use clap::Args;

/// Answer an assistant's questions about traces: a server for the Model Context Protocol on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "\
For instance:
  tracewright mcp run.capture
  tracewright mcp before.capture after.capture trace/
  tracewright mcp shop.capture --source-root src
  tracewright mcp --allow-record recordings

It is started by the assistant's program, not by hand: docs/guide/assistants.md has the configuration. Its tools are info, overview, \
calls, who_called, source, loops, hangs, lost, diff and events; each runs the command behind it and answers with at most 25,000 bytes. \
They only read, and nothing but the inputs and source folders that are named here. With --allow-record there are also record, jvms, attach, \
start, stop and mark: an assistant may then start any program with your rights.

Spoken are the revisions 2026-07-28 (server/discover), 2025-11-25 and 2025-06-18 (initialize), one message a line.

Exit code: 0 standard input ended or nobody reads the answers, 2 an input is not there.")]
pub(crate) struct Mcp {
    /// Traces and recordings that may be asked about, by number or by path as it stands here
    #[arg(value_name = "INPUT", required_unless_present = "allow_record")]
    pub(crate) inputs: Vec<PathBuf>,
    /// A folder or archive with source text that may be shown; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) source_root: Vec<PathBuf>,
    /// Let the assistant start, attach to and record programs; recordings go into this folder, and are inputs from then on
    #[arg(long, value_name = "DIR")]
    pub(crate) allow_record: Option<PathBuf>,
}
