//! Choosing among several possible values: checked, undone, handed out as a file.

use inference::model::{Hypotheses, InferredEvent, Scalar};
use viewer::Reply;
use viewer::api::inference::{Choice, FieldValue, Inference, Undo};
use viewer::api::{Handled, Text};

use super::super::session::Session;
use super::repair::Values;
use super::{Inferred, about, ready};
use crate::choices;

/// Choices that can be taken back.
const STEPS: usize = 10_000;

/// The choices so far, in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// The event, the field, the value; none where it was reset to the engine's value.
    made: Vec<(usize, String, Scalar)>,
    repairing: Option<u64>,
}

impl Chosen {
    /// What is chosen now.
    pub(super) fn values(&self) -> Values {
        self.made.iter().map(|(event, field, value)| ((*event, field.clone()), value.clone())).collect()
    }

    pub(super) fn steps(&self) -> usize {
        self.made.len()
    }

    pub(super) fn is_being_repaired(&self, revision: u64) -> bool {
        self.repairing == Some(revision)
    }

    pub(super) fn note_repair(&mut self, revision: u64) {
        self.repairing = Some(revision);
    }
}

/// An event with the chosen values in it, and with what follows from those that were chosen for the events
/// that are explained together with it.
pub(super) fn with(found: &Inferred, number: usize, values: &Values) -> Option<InferredEvent> {
    let mut event = found.answer.inferred.get(number)?.clone();
    for field in &mut event.fields {
        if let Some(value) = values.get(&(number, field.name.clone())) {
            field.value = Some(value.clone());
            field.is_chosen = true;
        }
    }
    if event.group.is_some() {
        let left = left(found, event.group, values);
        choices::follow(&mut event, left);
    }
    Some(event)
}

/// The explanations that the choices leave of those events.
fn left(found: &Inferred, group: Option<usize>, values: &Values) -> Hypotheses {
    let chosen = values.iter().filter_map(|((number, field), value)| {
        let event = found.answer.inferred.get(*number)?;
        (event.group == group).then_some((event, field.as_str(), value))
    });
    choices::left(chosen)
}

/// Chooses a value.
pub(super) fn choose(session: &Session, choice: Choice) -> Handled<Inference> {
    let found = ready(session)?;
    let Choice { event: number, field: name, value } = choice;
    let value = match value {
        FieldValue::Number(number) => Scalar::Number(number),
        FieldValue::Text(text) => Scalar::Text(text),
    };
    let field = found.answer.inferred.get(number).and_then(|event| event.field(&name));
    let Some(field) = field else { return Err(Reply::refusal(404, "There is no such event or field.\n")) };
    if field.alternative(&value).is_none() {
        return Err(Reply::refusal(409, "This value is not among those that are possible.\n"));
    }
    {
        let mut state = session.inference.lock();
        if state.chosen.made.len() >= STEPS {
            return Err(Reply::refusal(409, "There are too many choices.\n"));
        }
        let mut values = state.chosen.values();
        values.insert((number, name.clone()), value.clone());
        if let Some(sentence) = contradiction(&found, number, &values) {
            return Err(Reply::text(409, sentence + "\n"));
        }
        state.chosen.made.push((number, name.clone(), value));
        state.revision += 1;
    }
    Ok(about(session))
}

/// What contradicts among the choices for the same instance.
fn contradiction(found: &Inferred, number: usize, values: &Values) -> Option<String> {
    let about = found.answer.inferred.get(number)?;
    if about.group.is_some() && left(found, about.group, values).is_empty() {
        return Some(
            "Nothing explains what was lost there and has all the values that you chose.".to_owned(),
        );
    }
    let same = |event: &InferredEvent| {
        event.key.machine == about.key.machine && event.key.instance == about.key.instance
    };
    let near = found.answer.inferred.iter().enumerate().filter(|(_, event)| same(event));
    let events: Vec<InferredEvent> = near.filter_map(|(number, _)| with(found, number, values)).collect();
    choices::contradictions(events.iter()).into_iter().next()
}

/// Takes the last choice back.
pub(super) fn undo(session: &Session, _: Undo) -> Handled<Inference> {
    {
        let mut state = session.inference.lock();
        if state.chosen.made.pop().is_none() {
            return Err(Reply::refusal(409, "There is nothing to undo.\n"));
        }
        state.revision += 1;
    }
    Ok(about(session))
}

/// The file that `tracewright infer --choices` reads.
pub(super) fn file(session: &Session) -> Handled<Text> {
    let found = ready(session)?;
    let values = session.inference.lock().chosen.values();
    Ok(Text(text(&found, &values)))
}

/// All that is chosen, here and in the file that was given.
pub(super) fn text(found: &Inferred, values: &Values) -> String {
    let chosen = (0..found.answer.inferred.len()).filter_map(|number| {
        let is_asked = |(chosen, _): &(usize, String)| *chosen == number;
        let event = found.answer.inferred.get(number)?;
        let is_chosen = event.fields.iter().any(|field| field.is_chosen);
        if is_chosen || values.keys().any(is_asked) { with(found, number, values) } else { None }
    });
    choices::write_chosen(&found.answer, &chosen.collect::<Vec<_>>())
}
