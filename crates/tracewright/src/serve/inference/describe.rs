//! What is told of inferred events: in a stretch of time, one by one, and those with a choice to make.

use inference::model::{InferredEvent, Scalar};

use super::super::api::Handled;
use super::super::http::{Reply, Request};
use super::super::session::Session;
use super::super::timeline::{Index, RowKind};
use super::choose::with;
use super::ready;
use crate::moment;
use crate::views::infer_json::{probabilities, scalar};
use crate::views::json::Json;

/// Events of one answer.
const MOST: usize = 500;

/// Whether some field of it may have several values.
pub(super) fn is_open(event: &InferredEvent) -> bool {
    event.fields.iter().any(|field| field.alternatives.len() > 1)
}

/// Those in a stretch of time; where there are more than fit into an answer, every so-manyth.
pub(super) fn events(session: &Session, request: &Request) -> Handled {
    let found = ready(session)?;
    let (from, to) = session.timeline.range(request);
    let inferred = &found.answer.inferred;
    let first = inferred.partition_point(|event| event.time.0 < from);
    let last = inferred.partition_point(|event| event.time.0 <= to).max(first);
    let stride = (last - first).div_ceil(MOST).max(1);
    let values = session.inference.lock().chosen.values();
    session.timeline.with_original(|index| {
        let mut json = Json::default();
        json.object(|json| {
            json.key("all").number(last - first);
            let shown = (first..last)
                .step_by(stride)
                .filter_map(|number| Some((number, with(&found, number, &values)?)));
            json.key("events").array(shown, |json, (number, event)| head(json, index, number, &event));
        });
        Ok(Reply::json(json.out))
    })
}

/// The members that a mark on the timeline needs.
fn head(json: &mut Json, index: &Index, number: usize, event: &InferredEvent) {
    let offset = |time: i64| time.saturating_sub(index.start());
    json.object(|json| {
        json.key("number").number(number);
        json.key("time").number(offset(event.time.0));
        json.key("from").number(offset(event.key.from.0));
        json.key("to").number(offset(event.key.to.0));
        json.key("name").text(&event.key.name);
        json.key("cpu").number_or_null(event.cpu);
        json.key("rows").array(rows(index, event), |json, row| json.number(row));
        json.key("is_open").bool(is_open(event));
        json.key("is_chosen").bool(event.fields.iter().any(|field| field.is_chosen));
        json.key("probability").number_or_null(event.probability.filter(|number| number.is_finite()));
    });
}

/// The rows that it concerns: its CPU and the threads that it names.
fn rows(index: &Index, event: &InferredEvent) -> Vec<usize> {
    let cpu = event.cpu.and_then(|cpu| index.find(RowKind::Cpu, &cpu.to_string()));
    let threads = ["prev_tid", "next_tid", "tid", "child_tid"].into_iter().filter_map(|name| {
        match event.value(name)? {
            Scalar::Number(tid) if *tid != 0 => index.find(RowKind::Thread, &tid.to_string()),
            _ => None,
        }
    });
    cpu.into_iter().chain(threads).collect()
}

/// All that is known of one.
pub(super) fn event(session: &Session, request: &Request) -> Handled {
    let found = ready(session)?;
    let number = request.query("number").and_then(|number| number.parse::<usize>().ok());
    let values = session.inference.lock().chosen.values();
    let Some((number, event)) = number.and_then(|number| Some((number, with(&found, number, &values)?)))
    else {
        return Err(Reply::refusal(404, "There is no such event.\n"));
    };
    session.timeline.with_original(|index| {
        let mut json = Json::default();
        whole(&mut json, index, number, &event);
        Ok(Reply::json(json.out))
    })
}

fn whole(json: &mut Json, index: &Index, number: usize, event: &InferredEvent) {
    json.object(|json| {
        json.key("head");
        head(json, index, number, event);
        json.key("text").text(&text(event));
        json.key("reason").text_or_null(event.reason.as_deref());
        json.key("names").array(&event.names, |json, (name, _)| json.text(name));
        json.key("name_probabilities").array(&event.names, |json, (_, odds)| json.number(odds));
        json.key("fields").array(&event.fields, |json, field| {
            json.object(|json| {
                json.key("name").text(&field.name);
                json.key("value");
                match &field.value {
                    Some(value) => scalar(json, value),
                    None => json.null(),
                }
                json.key("alternatives").array(&field.alternatives, |json, known| scalar(json, &known.value));
                probabilities(json.key("probabilities"), field);
                json.key("possible").number(field.possible);
                json.key("is_chosen").bool(field.is_chosen);
            });
        });
    });
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
pub(super) fn open(session: &Session, request: &Request) -> Handled {
    let found = ready(session)?;
    let number = |name: &str| request.query(name).and_then(|number| number.parse::<usize>().ok());
    let (skip, count) = (number("skip").unwrap_or(0), number("count").unwrap_or(50).clamp(1, MOST));
    let values = session.inference.lock().chosen.values();
    let all: Vec<usize> = found
        .answer
        .inferred
        .iter()
        .enumerate()
        .filter(|(_, event)| is_open(event))
        .map(|(number, _)| number)
        .collect();
    session.timeline.with_original(|index| {
        let mut json = Json::default();
        json.object(|json| {
            json.key("all").number(all.len());
            json.key("skip").number(skip);
            let shown = all
                .iter()
                .skip(skip)
                .take(count)
                .filter_map(|&number| Some((number, with(&found, number, &values)?)));
            json.key("events").array(shown, |json, (number, event)| whole(json, index, number, &event));
        });
        Ok(Reply::json(json.out))
    })
}
