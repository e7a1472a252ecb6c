//! `tracewright man`: a manual page for each command.

use clap::CommandFactory;

use crate::cli::{Arguments, Man};
use crate::exit::{Outcome, Result, Stop};

pub(crate) fn run(options: &Man) -> Result<Outcome> {
    let folder = &options.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder))
        .map_err(|error| Stop::Failed(format!("cannot write {}: {error}", folder.display())))?;
    Ok(Outcome::Complete)
}
