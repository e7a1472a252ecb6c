//! `tracewright 2l view`: a program as a page that plays its run.

use crate::cli::two_l::View;
use crate::commands::view::serve;
use crate::exit::{Outcome, Result};
use crate::serve::Session;

pub(crate) fn run(options: &View) -> Result<Outcome> {
    let program = super::program(&options.program)?;
    serve(Session::of_program(program, options.steps), &options.listen)
}
