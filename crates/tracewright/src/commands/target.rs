//! `tracewright target`, which nobody types: the child that works with the rights of a program's user.

use crate::exit::{Outcome, Result, Stop};
use crate::java::target;

pub(crate) fn run() -> Result<Outcome> {
    target::serve()
        .or_else(|error| Stop::failed(format!("only other commands can run this one: {error}")))?;
    Ok(Outcome::Complete)
}
