//! The engine `joint`: sets of possible states, narrowed by each event, and one lost event for all that
//! it concerns. Checking and inferring are the same walk, so both find the same incoherences.

use inference::choices::Choices;
use inference::model::{Inconsistency, InferredEvent};
use inference::{Fed, Intake, Joint, Retention, Spans};
use model::{EventSource, Gap, Timestamp};

use super::hosts::{self, Hosts};
use super::{Declared, NowAndThen, Pace, Wanted, prefetch};
use crate::answer::{ALTERNATIVES, Answer, Uncertainty};
use crate::exit::Result;
use crate::models::Model;

pub(super) fn run(
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    choices: &mut Choices,
    pace: Pace,
    declared: &mut Declared,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Answer> {
    if let Some(hosts) = Hosts::several(source) {
        return hosts::run(&hosts, model, source, wanted, choices, declared, passed);
    }
    let mut joint = joint_of(model, wanted, choices)?;
    let mut lost = |gap: &Gap, source: &dyn EventSource| declared.add(gap, source);
    if pace == Pace::Prefetched && joint.takes_batches(source) {
        let intake = Intake::new(&model.pattern);
        joint = prefetch::run(joint, intake, source, &mut lost, passed)?;
    } else {
        let mut now_and_then = NowAndThen::default();
        while let Some(fed) = joint.feed(source) {
            if let Fed::Gap(gap) = fed {
                lost(&gap, source);
            }
            now_and_then.step(source, passed);
        }
    }
    joint.finish();
    let Found { inconsistencies, uncertain, inferred } = found(&mut joint, wanted, choices);
    let long_losses = joint.take_long_losses();
    let answer = Answer {
        engine: "joint",
        events: joint.events(),
        inconsistencies,
        uncertain,
        inferred,
        long_losses,
        ..Answer::default()
    };
    if pace == Pace::Prefetched {
        // Giving back all that it remembers takes a while, and nobody has to wait for that.
        let _ = std::thread::Builder::new().name("engine's end".into()).spawn(move || drop(joint));
    }
    Ok(answer)
}

/// An engine of a model that knows the user's decisions.
pub(super) fn joint_of(model: &Model, wanted: Wanted, choices: &Choices) -> Result<Joint> {
    let spans = if wanted == Wanted::Check { Spans::Uncertain } else { Spans::None };
    let retention = Retention { spans, ..Retention::default() };
    let mut joint =
        Joint::new(model.pattern.clone(), retention).or_else(|unsupported| model.refuse(&unsupported))?;
    joint.choose(choices.all().cloned().collect());
    Ok(joint)
}

/// What an engine found.
pub(super) struct Found {
    pub(super) inconsistencies: Vec<Inconsistency>,
    /// Only where they are wanted.
    pub(super) uncertain: Vec<Uncertainty>,
    /// Only where they are wanted.
    pub(super) inferred: Vec<InferredEvent>,
}

/// All that a finished engine found.
pub(super) fn found(joint: &mut Joint, wanted: Wanted, choices: &mut Choices) -> Found {
    for together in joint.contradictions() {
        choices.contradict(together);
    }
    let inconsistencies = joint.take_incoherences();
    let (mut uncertain, mut inferred) = (vec![], vec![]);
    match wanted {
        Wanted::Check => uncertain = uncertainties(joint),
        Wanted::Infer => {
            inferred = joint.take_inferred();
            inferred.iter_mut().for_each(|event| complete(event, choices));
        }
    }
    Found { inconsistencies, uncertain, inferred }
}

/// Times in which more than one state was possible; neighbours of one instance become one.
fn uncertainties(joint: &Joint) -> Vec<Uncertainty> {
    let mut all: Vec<Uncertainty> = Vec::new();
    let mut last = None;
    for span in joint.spans().iter().filter(|span| span.span.value.len() != 1) {
        let (from, to) = (span.span.from.0, span.span.to.map(|Timestamp(to)| to));
        if last == Some((span.machine, span.key))
            && let Some(before) = all.last_mut().filter(|before| before.to == Some(from))
        {
            before.to = to;
            continue;
        }
        last = Some((span.machine, span.key));
        let machine = joint.pattern().machines.get(span.machine).map_or("?", |machine| &*machine.id);
        let instance = joint.texts().show_name(span.key);
        all.push(Uncertainty { machine: machine.into(), instance, from, to });
    }
    all.retain(|one| one.to != Some(one.from));
    all
}

/// Takes the chosen values, and leaves out fields that are not known at all and the tails of long lists.
fn complete(event: &mut InferredEvent, choices: &mut Choices) {
    let key = event.original_key.as_ref().unwrap_or(&event.key);
    event.fields.retain_mut(|field| {
        let values = || field.alternatives.iter().map(|known| &known.value);
        let Some(value) = &field.value else {
            // A choice for it has its event, but not the one for which it was written.
            choices.take(key, &field.name, values());
            return false;
        };
        if field.possible > 1
            && let Some(chosen) = choices.take(key, &field.name, values())
            // What depends on the explanation was decided by the engine.
            && !field.is_coupled()
        {
            // A choice of the engine's own value decides nothing.
            field.is_chosen = chosen != *value;
            field.value = Some(chosen);
        }
        field.alternatives.truncate(ALTERNATIVES);
        true
    });
    event.names.truncate(ALTERNATIVES);
}
