//! The runs: each engine over the whole trace, and over the trace without each case.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Case;
use super::index::Index;
use super::input::Input;
use super::score::Scored;
use super::truth::Deleted;
use super::without::{Hole, Without};
use inference::model::{Inconsistency, InferredEvent};

use crate::answer::Answer;
use crate::cli::machines::EngineName;
use crate::engines::{Wanted, run_among_others};
use crate::exit::{Result, Stop};
use crate::models::Model;

/// What an engine says of the trace as it is.
#[derive(Debug)]
pub(crate) struct Intact {
    pub(crate) engine: &'static str,
    pub(crate) model: String,
    pub(crate) inconsistencies: usize,
    pub(crate) inferred: usize,
    said: Said,
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
    /// What each engine says of the trace as it is.
    pub(crate) fn intact(&self) -> Result<Vec<Intact>> {
        let runs = spread(self.engines.len(), |number| {
            let Some((engine, model)) = self.engines.get(number) else {
                return Stop::failed("no such engine");
            };
            let mut source = self.input.open()?;
            let answer = run_among_others(*engine, model, source.as_mut(), Wanted::Infer)?;
            if answer.events != self.index.places.len() as u64 {
                return Stop::failed("the trace changed while it was read");
            }
            Ok(Intact {
                engine: answer.engine,
                said: Said::new(&answer),
                inconsistencies: answer.inconsistencies.len(),
                inferred: answer.inferred.len(),
                model: answer.model,
            })
        });
        runs.into_iter().collect()
    }

    /// What each engine makes of each case: case by case, the engines of one behind each other. `done`
    /// is called after each run.
    pub(crate) fn cases(
        &self,
        cases: &[Case],
        truth: &HashMap<usize, Deleted>,
        intact: &[Intact],
        done: impl Fn() + Sync,
    ) -> Result<Vec<Vec<Scored>>> {
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
            let deleted: Vec<&Deleted> = case.gone.iter().filter_map(|number| truth.get(number)).collect();
            let (inferred, inconsistencies) = intact.said.news(answer);
            done();
            Ok(Scored::new(inferred, &deleted, inconsistencies))
        });
        let mut runs = runs.into_iter();
        cases.iter().map(|_| runs.by_ref().take(count).collect()).collect()
    }
}

/// What was said of the whole trace, by what makes two conclusions the same: the instance, the event
/// that showed it, what was concluded. Not the probability, which moves with all that is learned; nor
/// where the interval begins, which follows whatever was left out before it.
#[derive(Debug, Default)]
struct Said {
    inferred: HashMap<u64, u32>,
    inconsistencies: HashMap<u64, u32>,
}

impl Said {
    fn new(answer: &Answer) -> Said {
        let mut said = Said::default();
        answer.inferred.iter().for_each(|event| *said.inferred.entry(inferred(event)).or_default() += 1);
        answer
            .inconsistencies
            .iter()
            .for_each(|found| *said.inconsistencies.entry(inconsistency(found)).or_default() += 1);
        said
    }

    /// What is inferred in `answer` and not here, and how many incoherences are.
    fn news(&self, answer: Answer) -> (Vec<InferredEvent>, usize) {
        let is_new = |old: &mut HashMap<u64, u32>, what: u64| match old.get_mut(&what) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        };
        let (mut old, mut old_found) = (self.inferred.clone(), self.inconsistencies.clone());
        let news = answer.inferred.into_iter().filter(|event| is_new(&mut old, inferred(event))).collect();
        let found =
            answer.inconsistencies.iter().filter(|found| is_new(&mut old_found, inconsistency(found)));
        (news, found.count())
    }
}

fn inferred(event: &InferredEvent) -> u64 {
    let mut hash = DefaultHasher::new();
    let key = &event.key;
    (&key.machine, &key.instance, &key.name, event.cpu, key.to, key.rank).hash(&mut hash);
    for name in ["prev_tid", "next_tid"] {
        event.value(name).hash(&mut hash);
    }
    hash.finish()
}

fn inconsistency(found: &Inconsistency) -> u64 {
    let mut hash = DefaultHasher::new();
    (&found.machine, &found.instance, found.time, &found.event, found.cpu).hash(&mut hash);
    hash.finish()
}

/// Does `count` jobs on all processors; the results are in the order of the jobs. After a failure no
/// further job is begun, and the failure stands last.
fn spread<T: Send>(count: usize, job: impl Fn(usize) -> Result<T> + Sync) -> Vec<Result<T>> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<T>)>> = Mutex::new(Vec::with_capacity(count));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = job(number);
                    if result.is_err() {
                        next.store(count, Ordering::Relaxed);
                    }
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
