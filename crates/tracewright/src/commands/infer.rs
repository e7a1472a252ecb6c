//! `tracewright infer`: which events are missing, as far as what is left implies them.

use super::warn::is_incomplete;
use crate::cli::machines::{EngineName, Infer};
use crate::engines::{Undecided, Wanted, run as run_engine};
use crate::exit::{Outcome, Result};
use crate::models;
use crate::open::open;
use crate::output::Output;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::views::{infer_json, infer_text};

pub(crate) fn run(options: &Infer) -> Result<Outcome> {
    let (engine, model) = options.machines.resolve(EngineName::Compat);
    let model = models::load(model)?;
    let mut source = open(&options.trace.input)?;
    let mut progress = Progress::new(false);
    let passed = |source: &dyn model::EventSource| progress.step(source);
    let answer = run_engine(engine, &model, source.as_mut(), Wanted::Infer, &mut Undecided, passed);
    progress.finish();
    let answer = answer?;
    model.compare((0..source.alphabet().len()).map(|n| source.alphabet().name(model::Symbol(n as u32))));
    super::warn::complain(&options.trace.input, source.as_ref());
    let mut output = Output::default();
    if options.json {
        output.buffer = infer_json::render(&answer);
    } else {
        let most = if options.all { usize::MAX } else { options.limit };
        output.buffer = infer_text::render(&answer, most, Paint::for_stdout()).into();
    }
    output.flush()?;
    let is_incomplete = is_incomplete(answer.losses.total, source.as_ref());
    Ok(Outcome::new(is_incomplete, options.trace.allow_loss))
}
