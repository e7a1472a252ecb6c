//! Inferred events as answers: in an interval of time, one by one, and those with a choice to make.

use inference::model::{InferredEvent, InferredField, Scalar};

use viewer::Reply;
use viewer::api::inference::{
    FieldValue, InferredEvent as EventAnswer, InferredEvents, InferredField as FieldAnswer, InferredHead,
    OpenEvents,
};
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::super::timeline::{Index, RowKind};
use super::choose::with;
use super::{Inferred, ready};
use crate::moment;

/// Events of one answer.
const MOST: usize = 500;

/// Whether some field of it may have several values.
pub(super) fn is_open(event: &InferredEvent) -> bool {
    event.fields.iter().any(|field| field.alternatives.len() > 1)
}

/// Those in an interval of time; where there are more than fit into an answer, one in so many.
pub(super) fn events(session: &Session, asked: &Parameters<'_>) -> Handled<InferredEvents> {
    let found = ready(session)?;
    let (from, to) = session.timeline.range(asked);
    let inferred = &found.answer.inferred;
    let first = inferred.partition_point(|event| event.time.0 < from);
    let last = inferred.partition_point(|event| event.time.0 <= to).max(first);
    let stride = (last - first).div_ceil(MOST).max(1);
    let values = session.inference.lock().chosen.values();
    session.timeline.with_original(|index| {
        let shown = (first..last)
            .step_by(stride)
            .filter_map(|number| Some(head(index, &found, number, &with(&found, number, &values)?)));
        Ok(InferredEvents { all: last - first, events: shown.collect() })
    })
}

/// What a mark on the timeline needs.
fn head(index: &Index, found: &Inferred, number: usize, event: &InferredEvent) -> InferredHead {
    let offset = |time: i64| time.saturating_sub(index.start());
    InferredHead {
        number,
        time: offset(event.time.0),
        from: offset(event.key.from.0),
        to: offset(event.key.to.0),
        name: event.key.name.clone(),
        cpu: event.cpu,
        rows: rows(index, found, event),
        is_open: is_open(event),
        is_chosen: event.fields.iter().any(|field| field.is_chosen),
        probability: event.probability.filter(|number| number.is_finite()),
    }
}

/// The rows that it concerns: its CPU and the threads that it names, then other instances of the model.
fn rows(index: &Index, found: &Inferred, event: &InferredEvent) -> Vec<usize> {
    let cpu = event.cpu.and_then(|cpu| index.find(RowKind::Cpu, &cpu.to_string()));
    let threads = ["prev_tid", "next_tid", "tid", "child_tid"].into_iter().filter_map(|name| {
        match event.value(name)? {
            Scalar::Number(tid) if *tid != 0 => index.find(RowKind::Thread, &tid.to_string()),
            _ => None,
        }
    });
    let mut rows: Vec<usize> = cpu.into_iter().chain(threads).collect();
    let others = found.concerned.rows(index, event).into_iter();
    let others: Vec<usize> = others.filter(|row| !rows.contains(row)).collect();
    rows.extend(others);
    rows
}

/// All that is known of one.
pub(super) fn event(session: &Session, asked: &Parameters<'_>) -> Handled<EventAnswer> {
    let found = ready(session)?;
    let values = session.inference.lock().chosen.values();
    let number = asked.number::<usize>("number");
    let Some((number, event)) = number.and_then(|number| Some((number, with(&found, number, &values)?)))
    else {
        return Err(Reply::refusal(404, "There is no such event.\n"));
    };
    session.timeline.with_original(|index| Ok(whole(index, &found, number, &event)))
}

fn whole(index: &Index, found: &Inferred, number: usize, event: &InferredEvent) -> EventAnswer {
    EventAnswer {
        head: head(index, found, number, event),
        text: text(event),
        reason: event.reason.clone(),
        names: event.names.iter().map(|(name, _)| name.clone()).collect(),
        name_probabilities: event.names.iter().map(|(_, probability)| *probability).collect(),
        fields: event.fields.iter().map(field).collect(),
    }
}

fn field(field: &InferredField) -> FieldAnswer {
    FieldAnswer {
        name: field.name.clone(),
        value: field.value.as_ref().map(value),
        alternatives: field.alternatives.iter().map(|known| value(&known.value)).collect(),
        probabilities: field.alternatives.iter().filter_map(|known| known.probability).collect(),
        possible: field.possible,
        is_chosen: field.is_chosen,
    }
}

fn value(value: &Scalar) -> FieldValue {
    match value {
        Scalar::Number(number) => FieldValue::Number(*number),
        Scalar::Text(text) => FieldValue::Text(text.clone()),
    }
}

/// `[17:24:26.543 921 899] sched_switch { prev_prio=0, next_tid=869 }`, as the founding text has it.
fn text(event: &InferredEvent) -> String {
    let moment = moment::text(event.time);
    let time = moment.rsplit(' ').next().unwrap_or_default();
    let (second, digits) = time.split_once('.').unwrap_or((time, ""));
    let digits: Vec<&str> = [0..3, 3..6, 6..9].into_iter().filter_map(|range| digits.get(range)).collect();
    let fields: Vec<String> = event
        .fields
        .iter()
        .filter_map(|field| Some(format!("{}={}", field.name, field.value.as_ref()?)))
        .collect();
    format!("[{second}.{}] {} {{ {} }}", digits.join(" "), event.key.name, fields.join(", "))
}

/// Those with a choice to make, some at a time.
pub(super) fn open(session: &Session, asked: &Parameters<'_>) -> Handled<OpenEvents> {
    let found = ready(session)?;
    let skip = asked.number("skip").unwrap_or(0);
    let count = asked.number("count").unwrap_or(50).clamp(1, MOST);
    let values = session.inference.lock().chosen.values();
    let inferred = found.answer.inferred.iter().enumerate();
    let all: Vec<usize> = inferred.filter(|(_, event)| is_open(event)).map(|(number, _)| number).collect();
    session.timeline.with_original(|index| {
        let shown = all.iter().skip(skip).take(count);
        let events =
            shown.filter_map(|&number| Some(whole(index, &found, number, &with(&found, number, &values)?)));
        Ok(OpenEvents { all: all.len(), skip, events: events.collect() })
    })
}
