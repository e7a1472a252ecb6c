//! The engine `compat`: every machine for itself, by the rules of the original.
//!
//! It checks every event, from the first one on. It does not weigh: there are no probabilities.

use inference::choices::Choices;
use inference::model::{Alternative, EventKey, Hypotheses, InferredEvent, InferredField, Scalar};
use inference::reference_2018::{Content, Inferred, infer};
use inference::{Checking, Engine, Fed, Options};
use model::{EventSource, Timestamp};

use super::{Declared, NowAndThen, Wanted};
use crate::answer::{ALTERNATIVES, Answer, Uncertainty};
use crate::exit::{Result, Stop};
use crate::models::Model;

pub(super) fn run(
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    choices: &mut Choices,
    declared: &mut Declared,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Answer> {
    if model.is_derived() {
        return Stop::failed(format!(
            "the engine compat runs only patterns that say which instances an event concerns, not {}; take \
             --engine joint",
            model.name
        ));
    }
    // Contents and times of doubt are read off the past of the attributes.
    let options = Options { by_key: true, checking: Checking::On, history: true, segments: false };
    let mut engine =
        Engine::new(model.pattern.clone(), options).or_else(|unsupported| model.refuse(&unsupported))?;
    let mut now_and_then = NowAndThen::default();
    while let Some(fed) = engine.feed(source) {
        if let Fed::Gap(gap) = fed {
            declared.add(&gap, source);
            engine.lose(gap.from);
        }
        now_and_then.step(source, passed);
    }
    engine.finish();
    let mut answer = Answer {
        engine: "compat",
        events: engine.events(),
        inconsistencies: engine.incoherences().iter().map(|incoherence| incoherence.found.clone()).collect(),
        ..Answer::default()
    };
    answer.link(&declared.windows.all);
    match wanted {
        Wanted::Check => answer.uncertain = uncertainties(&engine),
        Wanted::Infer => {
            let inferred = infer(&engine).events;
            answer.inferred = inferred.into_iter().map(|one| complete(&engine, one, choices)).collect();
        }
    }
    Ok(answer)
}

/// From changes of certainty to the intervals without it.
fn uncertainties(engine: &Engine) -> Vec<Uncertainty> {
    let mut all: Vec<Uncertainty> = Vec::new();
    let mut open: Option<Uncertainty> = None;
    for (machine, instance, Timestamp(time), is_certain) in engine.certainty() {
        let machine = engine.pattern().machines.get(machine).map_or("?", |machine| &*machine.id);
        if let Some(other) = open.take_if(|open| open.instance != instance || *open.machine != *machine) {
            all.push(other);
        }
        match (&mut open, is_certain) {
            (None, false) => {
                open = Some(Uncertainty { machine: machine.into(), instance, from: time, to: None });
            }
            (Some(_), true) => {
                let done = open.take().map(|open| Uncertainty { to: Some(time), ..open });
                all.extend(done.filter(|done| done.to > Some(done.from)));
            }
            _ => {}
        }
    }
    all.extend(open);
    all
}

fn complete(engine: &Engine, inferred: Inferred, choices: &mut Choices) -> InferredEvent {
    let Inferred { mut event, content, .. } = inferred;
    event.fields = fields(&content, &event.key, choices);
    for (thread, comm) in [("prev_tid", "prev_comm"), ("next_tid", "next_comm")] {
        let chosen = event.field(thread).filter(|field| field.is_chosen);
        let Some(Scalar::Number(thread)) = chosen.and_then(|field| field.value.as_ref()) else { continue };
        let value = Scalar::Text(name_of(engine, *thread, event.key.from));
        if let Some(field) = event.fields.iter_mut().find(|field| field.name == comm) {
            field.alternatives = vec![unweighed(&value)];
            field.value = Some(value);
        }
    }
    event
}

fn fields(content: &Content, key: &EventKey, choices: &mut Choices) -> Vec<InferredField> {
    let mut fields = Vec::with_capacity(content.fields.len());
    for (name, values) in &content.fields {
        let Some(first) = values.first() else { continue };
        let mut field = InferredField {
            name: name.to_string(),
            value: Some(first.clone()),
            alternatives: values.iter().take(ALTERNATIVES).map(unweighed).collect(),
            possible: values.len(),
            is_chosen: false,
        };
        if values.len() > 1
            && let Some(value) = choices.take(key, name, values.iter())
        {
            // A choice of the engine's own value decides nothing.
            field.is_chosen = value != *first;
            field.value = Some(value);
        }
        fields.push(field);
    }
    fields
}

fn unweighed(value: &Scalar) -> Alternative {
    Alternative { value: value.clone(), probability: None, hypotheses: Hypotheses::ALL }
}

/// What the thread that the user chose is called at or after a moment, as the engine does it for its
/// own choice.
fn name_of(engine: &Engine, thread: i64, from: Timestamp) -> String {
    let node = engine.attribute(&["Threads", &thread.to_string(), "Exec_name"]);
    let names = node.map(|node| engine.states().range(node, from, Timestamp(i64::MAX)));
    let mut names = names.into_iter().flatten().filter(|span| !span.value.is_null());
    names.next().map_or_else(|| "unknown".to_owned(), |span| engine.texts().show(span.value))
}
