//! `tracewright evaluate`: deletes events of a trace, infers them, and reports how often that was right.

use std::path::Path;

use crate::cli::machines::{EngineName, Evaluate};
use crate::evaluate::index;
use crate::evaluate::input::Input;
use crate::evaluate::run::Bench;
use crate::evaluate::{Case, Evaluated, Index, cases_file, truth};
use crate::exit::{Outcome, Result, Stop};
use crate::input;
use crate::models::{self, Model};
use crate::output::Output;
use crate::paint::Paint;
use crate::progress::{CaseBar, Progress};
use crate::reports::{self, EvaluateReport};
use crate::views::evaluate_text;
use crate::warn::is_incomplete;

pub(crate) fn run(options: &Evaluate) -> Result<Outcome> {
    let path = &options.trace.input;
    let engines = engines(options)?;
    let input = Input::new(path)?;
    let mut source = input.open()?;
    let mut progress = Progress::new(false);
    let index = index::read(source.as_mut(), |source| progress.step(source));
    progress.finish();
    let (index, losses) = index?;
    for (_, model) in &engines {
        model.compare(source.alphabet().names())?;
    }
    crate::warn::complain(path, source.as_ref());
    let is_incomplete = is_incomplete(losses.total, source.as_ref());
    let cases = cases(options, path, &index)?;
    let patterns: Vec<_> = engines.iter().map(|(_, model)| &model.pattern).collect();
    let truth = truth::read(input.open()?.as_mut(), &index, &cases, &patterns);
    let bench = Bench { input: &input, index: &index, engines: &engines, is_declared: options.declare_loss };
    let intact = bench.intact()?;
    let bar = CaseBar::new((cases.len() * engines.len()) as u64);
    let found = bench.cases(&cases, &truth, &intact, || bar.step());
    bar.finish();
    let found = found?;
    let evaluated = Evaluated {
        index: &index,
        losses: &losses,
        calibrations: &found.calibrations,
        long: &found.long,
        intact: &intact,
        cases: &cases,
        truth: &truth,
        scored: &found.scored,
        seed: options.cases.is_none().then_some(options.seed),
        is_declared: options.declare_loss,
    };
    let buffer = match options.json {
        true => reports::json(&EvaluateReport::of(&evaluated)),
        false => evaluate_text::render(&evaluated, options.wrong, Paint::for_stdout()).into(),
    };
    Output { buffer }.flush()?;
    Ok(Outcome::new(is_incomplete, options.trace.allow_loss))
}

/// The engines, each once, with their models.
fn engines(options: &Evaluate) -> Result<Vec<(EngineName, Model)>> {
    let mut names = options.engine.clone();
    if names.is_empty() {
        names.push(EngineName::Joint);
    }
    let mut engines: Vec<(EngineName, Model)> = Vec::new();
    for name in names {
        if engines.iter().all(|(known, _)| *known != name) {
            let model = options.model.as_deref().unwrap_or(name.own_model());
            engines.push((name, models::load(model)?));
        }
    }
    Ok(engines)
}

fn cases(options: &Evaluate, input: &Path, index: &Index) -> Result<Vec<Case>> {
    if let Some(file) = &options.cases {
        let shown = file.display();
        let text = input::whole_text(file, cases_file::MOST_BYTES)
            .or_else(|error| Stop::failed(format!("cannot read the cases {shown}: {error}")))?;
        return cases_file::read(&text, index)
            .or_else(|problem| Stop::failed(format!("the cases {shown} cannot be used: {problem}")));
    }
    let mut cases = Vec::new();
    let mut empty = Vec::new();
    for kind in &options.delete {
        let of_kind = kind.cases(index, options.count, options.seed);
        if of_kind.is_empty() {
            empty.push(kind.to_string());
        }
        cases.extend(of_kind);
    }
    let shown = input.display();
    if cases.is_empty() {
        return Stop::failed(format!(
            "{shown} has nothing to delete that is called {}; --delete says what else",
            empty.join(" or ")
        ));
    }
    if !empty.is_empty() {
        eprintln!("tracewright: {shown} has nothing that is called {}: left out", empty.join(" or "));
    }
    Ok(cases)
}
