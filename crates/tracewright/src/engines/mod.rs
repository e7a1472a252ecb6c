//! Engines: a trace and a model go in, an [`Answer`] comes out.
//!
//! The caller opens the trace. An engine reads it to its end, once; it prints nothing and opens
//! nothing.

mod compat;
mod declared;
mod edges;
mod hosts;
mod joint;
mod prefetch;

use declared::Declared;
pub(crate) use declared::Windows;
pub(crate) use hosts::Hosts;
use inference::choices::Choices;
use model::EventSource;

use crate::answer::Answer;
use crate::cli::machines::EngineName;
use crate::exit::Result;
use crate::models::Model;

/// What is wanted of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Incoherences and times of doubt.
    Check,
    /// Incoherences and what is missing.
    Infer,
}

/// How an engine shares the processors with its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// One prefetches while the other infers.
    Prefetched,
    /// They alternate: a caller that runs many engines at once has no processor to spare.
    Alternating,
}

/// Items between two looks at how far an engine has come.
const EVERY: u32 = 1 << 10;

/// Counts items, and looks at the source now and then: at every item would cost a twentieth of the time.
#[derive(Debug, Default)]
struct NowAndThen(u32);

impl NowAndThen {
    #[inline]
    fn step(&mut self, source: &dyn EventSource, passed: &mut dyn FnMut(&dyn EventSource)) {
        self.0 += 1;
        if self.0 == EVERY {
            self.0 = 0;
            passed(source);
        }
    }
}

/// Runs the engine called `name` over `source`. `passed` is called now and then, to show how
/// far it has come.
pub(crate) fn run(
    name: EngineName,
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    choices: &mut Choices,
    passed: impl FnMut(&dyn EventSource),
) -> Result<Answer> {
    run_at(Pace::Prefetched, name, model, source, wanted, choices, passed)
}

/// The same as one of many at once.
pub(crate) fn run_among_others(
    name: EngineName,
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
) -> Result<Answer> {
    run_at(Pace::Alternating, name, model, source, wanted, &mut Choices::default(), |_| ())
}

fn run_at(
    pace: Pace,
    name: EngineName,
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    choices: &mut Choices,
    mut passed: impl FnMut(&dyn EventSource),
) -> Result<Answer> {
    let mut declared = Declared::of(source);
    let source = &mut declared.edges.within(source);
    let mut answer = match name {
        EngineName::Compat => compat::run(model, source, wanted, choices, &mut declared, &mut passed)?,
        EngineName::Joint => joint::run(model, source, wanted, choices, pace, &mut declared, &mut passed)?,
    };
    declared.add_to(&mut answer);
    answer.count();
    answer.model.clone_from(&model.name);
    Ok(answer)
}
