//! The engine `joint`: what may be, as a set of states for each instance, narrowed by each event.
//!
//! It checks. It does not infer yet, and says so.

use std::sync::Arc;

use analyses::machines::{Checker, Contradiction, Fed, Keep, StateSet};
use model::{EventSource, Timestamp};

use super::{Wanted, Windows};
use crate::answer::{Answer, Doubt, Misfit};
use crate::exit::{Result, Stop};
use crate::losses::Losses;
use crate::models::Model;

pub(super) fn run(
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Answer> {
    if wanted == Wanted::Infer {
        return Stop::failed(
            "the engine joint checks, but does not infer yet; use --engine compat, the rules of 2018",
        );
    }
    let keep = Keep { spans: true, ..Keep::default() };
    let mut checker = Checker::new(model.pattern.clone(), keep).or_else(|unfit| {
        Stop::failed(format!("the model {} cannot be run: {}", model.name, unfit.sentence))
    })?;
    let (mut losses, mut windows) = (Losses::default(), Windows::default());
    while let Some(fed) = checker.feed(source) {
        if let Fed::Gap(gap) = fed {
            losses.add(&gap);
            windows.add(&gap, source);
        }
        passed(source);
    }
    checker.finish();
    Ok(Answer {
        engine: "joint",
        events: checker.events(),
        losses,
        windows: windows.all,
        misfits: checker.contradictions().iter().map(|found| misfit(&checker, found)).collect(),
        doubts: doubts(&checker),
        ..Answer::default()
    })
}

fn misfit(checker: &Checker, found: &Contradiction) -> Misfit {
    let names = |set: StateSet| -> Vec<Arc<str>> {
        set.iter().map(|state| name(checker, found.machine, state)).collect()
    };
    Misfit {
        fsm: machine(checker, found.machine),
        key: found.key.clone(),
        time: found.time.0,
        event: checker.symbol_name(found.event).into(),
        cpu: found.cpu,
        state: names(found.states).join("|").into(),
        possible: names(found.accepted_by),
        previous: Some(found.previous.0),
        loss: found.window,
    }
}

fn machine(checker: &Checker, index: usize) -> Arc<str> {
    checker.pattern().machines.get(index).map_or("?", |machine| &*machine.id).into()
}

fn name(checker: &Checker, machine: usize, state: usize) -> Arc<str> {
    let machine = checker.pattern().machines.get(machine);
    machine.and_then(|machine| machine.states.get(state)).map_or("?", |state| &*state.id).into()
}

/// Times in which more than one state was possible; neighbours of one instance become one.
fn doubts(checker: &Checker) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut last = None;
    for span in checker.spans().iter().filter(|span| span.span.value.len() != 1) {
        let (from, to) = (span.span.from.0, span.span.to.map(|Timestamp(to)| to));
        if last == Some((span.machine, span.key))
            && let Some(doubt) = doubts.last_mut().filter(|doubt| doubt.to == Some(from))
        {
            doubt.to = to;
            continue;
        }
        last = Some((span.machine, span.key));
        while names.len() <= span.machine {
            names.push(machine(checker, names.len()));
        }
        let fsm = names.get(span.machine).cloned().unwrap_or_else(|| "?".into());
        doubts.push(Doubt { fsm, key: checker.texts().show_name(span.key), from, to });
    }
    doubts.retain(|doubt| doubt.to != Some(doubt.from));
    doubts
}
