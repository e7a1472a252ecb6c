//! The runs: each engine over the whole trace, and over the trace without each case.

use std::collections::{BTreeSet, HashMap};

use inference::evaluate::{Calibration, Deleted, Hole, Known, LongTally, Runners, Scored, Without, trials};
use inference::model::{InferredEvent, LongLoss};
use model::Lost;

use super::calibrate::{self, Subject};
use super::input::Input;
use super::spread::spread;
use super::{Case, Index};
use crate::cli::machines::EngineName;
use crate::engines::{Wanted, run_among_others};
use crate::exit::{Result, Stop};
use crate::models::Model;

/// What an engine reports of the trace as it is.
#[derive(Debug)]
pub(crate) struct Intact {
    pub(crate) engine: &'static str,
    pub(crate) model: String,
    pub(crate) inconsistencies: usize,
    pub(crate) inferred: usize,
    known: Known,
}

/// What came of the cases.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// By case and engine.
    pub(crate) scored: Vec<Vec<Scored>>,
    /// What each engine learned of itself.
    pub(crate) calibrations: Vec<Option<Calibration>>,
    /// By engine, what became of losses whose events are not listed.
    pub(crate) long: Vec<LongTally>,
}

/// All that the runs share.
#[derive(Debug)]
pub(crate) struct Bench<'a> {
    pub(crate) input: &'a Input,
    pub(crate) index: &'a Index,
    pub(crate) engines: &'a [(EngineName, Model)],
    pub(crate) is_declared: bool,
}

impl Bench<'_> {
    /// What each engine reports of the trace as it is.
    pub(crate) fn intact(&self) -> Result<Vec<Intact>> {
        let runs = spread(self.engines.len(), |number| {
            let Some((engine, model)) = self.engines.get(number) else {
                return Stop::failed("no such engine");
            };
            let mut source = self.input.open()?;
            let answer = run_among_others(*engine, model, source.as_mut(), Wanted::Infer)?;
            if answer.events != self.index.events.len() as u64 {
                return Stop::failed("the trace changed while it was read");
            }
            Ok(Intact {
                engine: answer.engine,
                known: Known::new(&answer.inferred, &answer.inconsistencies),
                inconsistencies: answer.inconsistencies.len(),
                inferred: answer.inferred.len(),
                model: answer.model,
            })
        });
        runs.into_iter().collect()
    }

    /// What each engine makes of each case: case by case, the engines of one behind each other; and what each
    /// learned of itself on this trace. `done` is called after each run.
    pub(crate) fn cases(
        &self,
        cases: &[Case],
        truth: &HashMap<usize, Deleted>,
        intact: &[Intact],
        done: impl Fn() + Sync,
    ) -> Result<Outcome> {
        let count = self.engines.len();
        let runs = spread(cases.len() * count, |job| {
            let (Some(case), Some((engine, model)), Some(intact)) =
                (cases.get(job / count), self.engines.get(job % count), intact.get(job % count))
            else {
                return Stop::failed("no such case");
            };
            let hole = Hole::new(self.index, case, self.is_declared);
            let mut source = self.input.open()?;
            let mut source = Without::new(source.as_mut(), &hole);
            let answer = run_among_others(*engine, model, &mut source, Wanted::Infer)?;
            done();
            let long = answer.long_losses.into_iter().filter(|long| self.is_deleted(case, long)).collect();
            Ok((intact.known.new_events(answer.inferred, &answer.inconsistencies), long))
        });
        let runs = runs.into_iter().collect::<Result<Vec<_>>>()?;
        let (mut runs, long): (Vec<_>, Vec<Vec<LongLoss>>) = runs.into_iter().unzip();
        let long = self.long(&long)?;
        let calibrations = self.calibrations(cases, intact, &runs)?;
        for (job, (inferred, _)) in runs.iter_mut().enumerate() {
            if let Some(calibration) = calibrations.get(job % count) {
                calibrate::correct(calibration.as_ref(), inferred);
            }
        }
        let mut runs = runs.into_iter();
        let scored = |case: &Case| {
            let deleted: Vec<&Deleted> = case.gone.iter().filter_map(|number| truth.get(number)).collect();
            let of_case = runs.by_ref().take(count);
            of_case.map(|(inferred, found)| Scored::new(inferred, &deleted, found)).collect()
        };
        Ok(Outcome { scored: cases.iter().map(scored).collect(), calibrations, long })
    }

    /// Whether a loss is one of a case, and not one that the trace has itself.
    fn is_deleted(&self, case: &Case, long: &LongLoss) -> bool {
        let mut events = case.gone.iter().filter_map(|number| self.index.events.get(*number));
        events.any(|event| {
            let is_inside = |time: i64| (long.from.0..=long.to.0).contains(&time);
            event.cpu == Some(long.cpu) && event.time.is_some_and(is_inside)
        })
    }

    /// By engine, how what was stated of long losses holds; `found`: by case, the engines behind each other.
    fn long(&self, found: &[Vec<LongLoss>]) -> Result<Vec<LongTally>> {
        let count = self.engines.len();
        let mut tallies = vec![LongTally::default(); count];
        if found.iter().all(Vec::is_empty) {
            return Ok(tallies);
        }
        let runners = Runners::read(self.input.open()?.as_mut());
        for (job, found) in found.iter().enumerate() {
            let Some(tally) = tallies.get_mut(job % count) else { continue };
            found.iter().for_each(|long| tally.add(long, &runners));
        }
        Ok(tallies)
    }

    /// What each engine learns of itself from losses like those of the cases, elsewhere in the trace.
    fn calibrations(
        &self,
        cases: &[Case],
        intact: &[Intact],
        runs: &[(Vec<InferredEvent>, usize)],
    ) -> Result<Vec<Option<Calibration>>> {
        let taken: BTreeSet<usize> = cases.iter().flat_map(|case| case.gone.iter().copied()).collect();
        let mut declared = Vec::new();
        for case in cases.iter().filter(|_| self.is_declared) {
            declared.extend(
                case.gone.chunk_by(|one, next| self.index.follows(*one, *next)).map(|run| {
                    if case.is_packet { Lost::Packets(1) } else { Lost::Events(run.len() as u64) }
                }),
            );
        }
        let of_engine = |(number, intact): (usize, &Intact)| {
            let Some((engine, model)) = self.engines.get(number) else { return Ok(None) };
            let inferred = runs.iter().skip(number).step_by(self.engines.len().max(1));
            let inferred: Vec<InferredEvent> = inferred.flat_map(|(inferred, _)| inferred).cloned().collect();
            let losses = trials::like(&inferred, &declared);
            let open = || self.input.open();
            let subject = Subject { engine: *engine, model, open: &open, index: self.index };
            subject.learn(&intact.known, &losses, (1, self.is_declared), &taken)
        };
        intact.iter().enumerate().map(of_engine).collect()
    }
}
