//! `tracewright states`: the states that a model makes of a trace, attribute by attribute.

use crate::cli::machines::States;
use crate::exit::{Outcome, Result};
use crate::output::Output;
use crate::paint::Paint;
use crate::reports::{self, StatesReport};
use crate::states;
use crate::views::states_text;

pub(crate) fn run(options: &States) -> Result<Outcome> {
    let (found, is_incomplete) = states::find(options)?;
    let mut output = Output::default();
    if options.json {
        output.buffer = reports::json(&StatesReport::of(&found));
    } else {
        let most = if options.all { usize::MAX } else { options.limit };
        output.buffer = states_text::render(&found, most, Paint::for_stdout()).into();
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete, options.trace.allow_loss))
}
