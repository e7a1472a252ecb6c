//! Calibration: the engine is tried on losses like those that the trace has, where it lost nothing, and what it states is
//! corrected by what came of that.

use std::collections::BTreeSet;
use std::path::Path;

use inference::evaluate::{
    Calibration, Case, Deleted, Hole, Index, Known, Without, calibration, trials, truth,
};
use inference::model::{InferredEvent, InferredField};
use model::EventSource;

use super::spread::spread;
use crate::answer::Answer;
use crate::cli::machines::EngineName;
use crate::engines::{Wanted, run_among_others};
use crate::exit::{Result, Stop};
use crate::models::Model;

/// Opens the trace once more.
pub(crate) type Open<'a> = &'a (dyn Fn() -> Result<Box<dyn EventSource>> + Sync);

/// An engine on a trace.
pub(crate) struct Subject<'a> {
    pub(crate) engine: EngineName,
    pub(crate) model: &'a Model,
    pub(crate) open: Open<'a>,
    pub(crate) index: &'a Index,
}

/// What is less probable is not stated as an event: more often than not it would be wrong.
const LEAST: f64 = 0.5;

/// So probable is enough for what explains something that does not fit: whoever sees that wants to know what is most probable.
const LEAST_OF_EXPLANATIONS: f64 = 0.3;

impl Subject<'_> {
    /// What it learns of itself from trials; `known` is its answer for the trace as it is. `like` is how many losses
    /// the trace has, and whether they are declared. `None`: it states no probability, or too little of the trace
    /// is intact.
    pub(crate) fn learn(
        &self,
        known: &Known,
        losses: &[trials::Loss],
        (like, is_declared): (usize, bool),
        taken: &BTreeSet<usize>,
    ) -> Result<Option<Calibration>> {
        if self.engine == EngineName::Compat || losses.is_empty() {
            return Ok(None);
        }
        let cases = trials::draw(self.index, losses, like, taken);
        let truth = truth::read((self.open)()?.as_mut(), self.index, &cases, &[&self.model.pattern]);
        let runs = spread(cases.len(), |run| {
            let Some(case) = cases.get(run) else { return Stop::failed("no such trial") };
            let hole = Hole::new(self.index, case, is_declared).cut(self.index);
            let mut source = (self.open)()?;
            let mut source = Without::new(source.as_mut(), &hole);
            let answer = run_among_others(self.engine, self.model, &mut source, Wanted::Infer)?;
            Ok(known.new_events(answer.inferred, &answer.inconsistencies).0)
        });
        let runs = runs.into_iter().collect::<Result<Vec<_>>>()?;
        let deleted = |case: &Case| -> Vec<&Deleted> {
            case.gone.iter().filter_map(|number| truth.get(number)).collect()
        };
        Ok(trials::learn(runs.into_iter().zip(cases.iter().map(deleted))))
    }
}

/// Whether nobody knows which of several threads left or came, but one of them more probably did than not.
fn is_one_of_several(event: &InferredEvent) -> bool {
    let some = |field: &InferredField| {
        let all = field.alternatives.iter().filter_map(|known| known.probability).sum::<f64>();
        field.is_coupled() && field.possible > 1 && all >= LEAST
    };
    event.probability.is_some_and(|stated| stated >= LEAST / 2.0) && event.fields.iter().any(some)
}

/// Corrects what is stated of events that were inferred in one run, and leaves out what is improbable then.
pub(crate) fn correct(learned: Option<&Calibration>, inferred: &mut Vec<InferredEvent>) {
    match learned {
        Some(learned) => {
            learned.apply(inferred);
            // What follows from the user's choices is reported, however improbable it is.
            let is_chosen = |event: &InferredEvent| event.fields.iter().any(|field| field.is_chosen);
            let chosen: BTreeSet<usize> =
                inferred.iter().filter(|event| is_chosen(event)).filter_map(|event| event.group).collect();
            inferred.retain(|event| {
                let least = if event.inconsistency.is_some() { LEAST_OF_EXPLANATIONS } else { LEAST };
                event.is_only_explanation
                    || event.probability.is_none_or(|stated| stated >= least)
                    || is_one_of_several(event)
                    || is_chosen(event)
                    || event.group.is_some_and(|group| chosen.contains(&group))
            });
        }
        None => calibration::distrust(inferred),
    }
}

/// Corrects what an answer states, by trials on its own trace.
pub(crate) fn calibrate(engine: EngineName, model: &Model, input: &Path, answer: &mut Answer) -> Result<()> {
    if engine == EngineName::Compat || answer.inferred.is_empty() {
        return Ok(());
    }
    if !input.is_dir() && !input.is_file() {
        // It comes once.
        correct(None, &mut answer.inferred);
        return Ok(());
    }
    let open: Open<'_> = &|| crate::open::open(input);
    let index = Index::read(open()?.as_mut(), trials::EVENTS / 2);
    let subject = Subject { engine, model, open, index: &index };
    let declared: Vec<_> = answer.windows.iter().map(|window| window.lost).collect();
    let losses = trials::like(&answer.inferred, &declared);
    let known = Known::new(&answer.inferred, &answer.inconsistencies);
    let is_declared = !declared.is_empty();
    let learned = subject.learn(&known, &losses, (declared.len(), is_declared), &BTreeSet::new())?;
    correct(learned.as_ref(), &mut answer.inferred);
    answer.calibration = learned;
    Ok(())
}
