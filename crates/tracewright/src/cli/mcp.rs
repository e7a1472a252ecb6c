//! What can be typed after `mcp`.

use std::path::PathBuf;

use clap::Args;

/// Answer an assistant's questions about traces: a server for the Model Context Protocol on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "\
For instance:
  tracewright mcp run.capture
  tracewright mcp before.capture after.capture trace/

It is started by the assistant's program, not by hand: docs/guide/assistants.md has the configuration. Its tools are info, overview, \
calls, loops, hangs, lost and events; each runs the command behind it and answers with at most 25,000 bytes. \
They only read, and nothing but the inputs that are named here. Recording is not among them.

Spoken are the revisions 2026-07-28 (server/discover), 2025-11-25 and 2025-06-18 (initialize), one message a line.

Exit code: 0 standard input ended or nobody reads the answers, 2 an input is not there.")]
pub(crate) struct Mcp {
    /// Traces and recordings that may be asked about, by number or by path as it stands here
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
}
