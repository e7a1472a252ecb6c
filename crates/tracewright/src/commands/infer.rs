//! `tracewright infer`: which events are missing, as far as what is left implies them.
//!
//! The user's choices are read first and checked by the run itself; nothing is written or shown for
//! choices that cannot be used.

use std::io::Write;
use std::path::Path;

use model::EventSource;

use crate::atomic::{AtomicFile, Existing};
use crate::choices::{self, Choices};
use crate::cli::machines::Infer;
use crate::engines::{Wanted, run as run_engine};
use crate::escape::plain;
use crate::evaluate::calibrate;
use crate::exit::{Outcome, Result, Stop};
use crate::models;
use crate::numbers::counted;
use crate::open::open;
use crate::output::Output;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::repaired;
use crate::reports::{self, InferReport};
use crate::views::infer_text;
use crate::warn::is_incomplete;

/// Problems with choices that are printed one by one.
const MOST_REPORTED: usize = 20;

pub(crate) fn run(options: &Infer) -> Result<Outcome> {
    let (engine, model) = options.machines.resolve();
    let model = models::load(model)?;
    let mut choices = match &options.choices {
        Some(file) => read(file)?,
        None => Choices::default(),
    };
    let input = &options.trace.input;
    if let Some(folder) = &options.out {
        repaired::refuse_bad_output(input, folder)?;
    }
    let mut source = open(input)?;
    let mut progress = Progress::new(false);
    let passed = |source: &dyn EventSource| progress.update(source);
    let answer = run_engine(engine, &model, source.as_mut(), Wanted::Infer, &mut choices.made, passed);
    progress.finish();
    let mut answer = answer?;
    calibrate::calibrate(engine, &model, input, &mut answer)?;
    choices.finish(&answer);
    if let Some(file) = &options.choices {
        refuse(file, &choices)?;
    }
    model.compare(source.alphabet().names())?;
    crate::warn::complain(input, source.as_ref());
    if let Some(file) = &options.write_choices {
        // A file that is there may hold decisions of somebody.
        let mut out = AtomicFile::create(file, Existing::Refuse)?;
        out.write_all(choices::write(&answer).as_bytes())
            .or_else(|error| Stop::failed(format!("cannot write {}: {error}", file.display())))?;
        out.commit()?;
    }
    let written = match &options.out {
        Some(folder) => Some((folder, repaired::write(input, folder, &answer)?)),
        None => None,
    };
    let mut output = Output::default();
    if options.json {
        output.buffer = reports::json(&InferReport::of(&answer));
    } else {
        let most = if options.all { usize::MAX } else { options.limit };
        output.buffer = infer_text::render(&answer, most, Paint::for_stdout()).into();
        if let Some((folder, estimates)) = written {
            let added = counted(answer.inferred.len() as u64, "inferred event");
            let total = counted(answer.events, "recorded event");
            let estimates = match estimates {
                0 => String::new(),
                count => format!(", {}", counted(count, "state estimate")),
            };
            let line =
                format!("written to {}: {total}, {added}{estimates}\n", plain(&folder.to_string_lossy()));
            output.buffer.extend_from_slice(line.as_bytes());
        }
    }
    output.flush()?;
    let is_incomplete = is_incomplete(answer.losses.total, source.as_ref());
    Ok(Outcome::new(is_incomplete, options.trace.allow_loss))
}

fn read(file: &Path) -> Result<Choices> {
    let choices = Choices::load(file)?;
    refuse(file, &choices)?;
    Ok(choices)
}

fn refuse(file: &Path, choices: &Choices) -> Result<()> {
    let count = choices.problems.len();
    for problem in choices.problems.iter().take(MOST_REPORTED) {
        eprintln!("tracewright: {}: {}", plain(&file.to_string_lossy()), plain(problem));
    }
    if count > 0 {
        let problems = counted(count as u64, "problem");
        return Stop::failed(format!("the choices {} have {problems}, so nothing was done", file.display()));
    }
    Ok(())
}
