//! `tracewright check`: which events do not fit the machines of a model.

use crate::cli::machines::Check;
use crate::engines::{Wanted, run as run_engine};
use crate::exit::{Outcome, Result};
use crate::models;
use crate::open::open;
use crate::output::Output;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::reports::{self, CheckReport};
use crate::views::check_text;
use crate::warn::is_incomplete;

pub(crate) fn run(options: &Check) -> Result<Outcome> {
    let (engine, model) = options.machines.resolve();
    let model = models::load(model)?;
    let mut source = open(&options.trace.input)?;
    let mut progress = Progress::new(false);
    let passed = |source: &dyn model::EventSource| progress.update(source);
    let answer = run_engine(
        engine,
        &model,
        source.as_mut(),
        Wanted::Check,
        &mut inference::choices::Choices::default(),
        passed,
    );
    progress.finish();
    let answer = answer?;
    model.compare(source.alphabet().names())?;
    crate::warn::complain(&options.trace.input, source.as_ref());
    let mut output = Output::default();
    if options.json {
        output.buffer = reports::json(&CheckReport::of(&answer));
    } else {
        let most = if options.all { usize::MAX } else { options.limit };
        output.buffer = check_text::render(&answer, most, Paint::for_stdout()).into();
    }
    output.flush()?;
    let is_incomplete = is_incomplete(answer.losses.total, source.as_ref());
    Ok(Outcome::new(is_incomplete, options.trace.allow_loss))
}
