//! The engine `compat`: every machine for itself, by the rules of the original.
//!
//! It checks every event, from the first one on. It does not weigh: there are no probabilities.

use std::sync::Arc;

use inference::reference_2018::{Content, ContentValue, Inferred, infer};
use inference::{Checking, Engine, Fed, Incoherence, Options};
use model::{EventSource, Timestamp};

use super::names::Names;
use super::{Asked, Decide, NowAndThen, Wanted, Windows};
use crate::answer::{ALTERNATIVES, Answer, Doubt, Known, Misfit, Missing, MissingField};
use crate::exit::Result;
use crate::losses::Losses;
use crate::models::Model;

pub(super) fn run(
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    decide: &mut dyn Decide,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Answer> {
    // Contents and times of doubt are read off the past of the attributes.
    let options = Options { by_key: true, checking: Checking::On, history: true, segments: false };
    let mut engine = Engine::new(model.pattern.clone(), options).or_else(|unfit| model.refuse(&unfit))?;
    let (mut losses, mut windows) = (Losses::default(), Windows::default());
    let mut now_and_then = NowAndThen::default();
    while let Some(fed) = engine.feed(source) {
        if let Fed::Gap(gap) = fed {
            losses.add(&gap);
            windows.add(&gap, source);
            engine.lose(gap.from);
        }
        now_and_then.step(source, passed);
    }
    engine.finish();
    let wording = Wording { names: Names::new(engine.pattern()) };
    let mut answer = Answer {
        engine: "compat",
        events: engine.events(),
        losses,
        windows: windows.all,
        misfits: engine.incoherences().iter().map(|found| wording.misfit(&engine, found)).collect(),
        ..Answer::default()
    };
    match wanted {
        Wanted::Check => answer.doubts = wording.doubts(&engine),
        Wanted::Infer => {
            let inferred = infer(&engine).events;
            answer.inferred = inferred.iter().map(|event| wording.missing(&engine, event, decide)).collect();
        }
    }
    Ok(answer)
}

/// What this engine found, in the words of all engines.
struct Wording {
    names: Names,
}

impl Wording {
    fn misfit(&self, engine: &Engine, found: &Incoherence) -> Misfit {
        let mut possible: Vec<Arc<str>> = Vec::new();
        for &(state, _) in &found.possible {
            let state = self.names.state(found.machine, state as usize);
            if !possible.contains(&state) {
                possible.push(state);
            }
        }
        Misfit {
            fsm: self.names.machine(found.machine),
            key: found.key.clone(),
            time: found.time.0,
            event: engine.symbol_name(found.event).into(),
            cpu: found.cpu,
            state: self.names.state(found.machine, found.state),
            possible,
            previous: found.previous.map(|time| time.0),
            loss: None,
            reason: None,
        }
    }

    /// From changes of certainty to the intervals without it.
    fn doubts(&self, engine: &Engine) -> Vec<Doubt> {
        let mut doubts: Vec<Doubt> = Vec::new();
        let mut open: Option<Doubt> = None;
        for (machine, key, Timestamp(time), is_certain) in engine.certainty() {
            let fsm = self.names.machine(machine);
            if let Some(other) = open.take_if(|open| open.key != key || open.fsm != fsm) {
                doubts.push(other);
            }
            match (&mut open, is_certain) {
                (None, false) => open = Some(Doubt { fsm, key, from: time, to: None }),
                (Some(_), true) => {
                    let done = open.take().map(|doubt| Doubt { to: Some(time), ..doubt });
                    doubts.extend(done.filter(|doubt| doubt.to > Some(doubt.from)));
                }
                _ => {}
            }
        }
        doubts.extend(open);
        doubts
    }

    fn missing(&self, engine: &Engine, event: &Inferred, decide: &mut dyn Decide) -> Missing {
        let fsm = self.names.machine(event.machine);
        let asked = Asked {
            name: &event.name,
            fsm: &fsm,
            key: &event.key,
            from: event.from,
            to: event.to,
            rank: event.rank,
        };
        let mut fields = fields(&event.content, &asked, decide);
        for (thread, comm) in [("prev_tid", "prev_comm"), ("next_tid", "next_comm")] {
            let chosen = fields.iter().find(|field| field.name == thread && field.is_chosen);
            let Some(Known::Number(thread)) = chosen.map(|field| &field.value) else { continue };
            let comm_of_chosen = Known::Text(name_of(engine, *thread, event.from));
            if let Some(field) = fields.iter_mut().find(|field| field.name == comm) {
                field.alternatives = vec![comm_of_chosen.clone()];
                field.value = comm_of_chosen;
            }
        }
        Missing {
            time: event.time.0,
            from: event.from.0,
            to: event.to.0,
            rank: event.rank,
            name: event.name.clone(),
            cpu: event.cpu,
            key: event.key.clone(),
            fields,
            fsm,
            names: vec![],
            together: None,
            called: None,
            probability: None,
            is_only_way: false,
            reason: None,
        }
    }
}

fn fields(content: &Content, asked: &Asked<'_>, decide: &mut dyn Decide) -> Vec<MissingField> {
    let mut fields = Vec::with_capacity(content.fields.len());
    for (name, values) in &content.fields {
        let Some(first) = values.first() else { continue };
        let mut field = MissingField {
            name: name.to_string(),
            value: known(first),
            alternatives: values.iter().take(ALTERNATIVES).map(known).collect(),
            possible: values.len(),
            odds: vec![],
            ways: vec![],
            is_chosen: false,
        };
        if values.len() > 1
            && let Some(value) = decide.decide(asked, name, &mut values.iter().map(known))
        {
            // Who says what the engine says decides nothing.
            field.is_chosen = value != field.value;
            field.value = value;
        }
        fields.push(field);
    }
    fields
}

fn known(value: &ContentValue) -> Known {
    match value {
        ContentValue::Number(number) => Known::Number(*number),
        ContentValue::Text(text) => Known::Text(text.clone()),
    }
}

/// What the thread that the user chose is called at or after a moment, as the engine does it for its
/// own choice.
fn name_of(engine: &Engine, thread: i64, from: Timestamp) -> String {
    let node = engine.attribute(&["Threads", &thread.to_string(), "Exec_name"]);
    let names = node.map(|node| engine.states().range(node, from, Timestamp(i64::MAX)));
    let mut names = names.into_iter().flatten().filter(|span| !span.value.is_null());
    names.next().map_or_else(|| "unknown".to_owned(), |span| engine.texts().show(span.value))
}
