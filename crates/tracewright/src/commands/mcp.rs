//! `tracewright mcp`: answers an assistant.

use crate::cli::mcp::Mcp;
use crate::exit::{Outcome, Result};
use crate::mcp;

pub(crate) fn run(options: &Mcp) -> Result<Outcome> {
    mcp::serve(&options.inputs, &options.source_root, options.allow_record.clone())
}
