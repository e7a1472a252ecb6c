//! The table of incoherences: events that do not fit the machines of a model.

use std::path::Path;

use inference::choices::Choices;

use super::{Asked, Column, IsIncomplete, Kind, Rows};
use crate::answer::Answer;
use crate::cli::machines::EngineName;
use crate::engines::{self, Wanted};
use crate::evaluate::calibrate;
use crate::exit::Result;
use crate::models;
use crate::open::open;
use crate::warn::{complain, is_incomplete};

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("time", Kind::Moment, "when the event happened"),
        Column::new("machine", Kind::Text, "the machine that does not take it"),
        Column::new("instance", Kind::Text, "of which thing: a thread, a CPU"),
        Column::new("event", Kind::Text, "what the event is called"),
        Column::new("state", Kind::Text, "the states it may have been in, with `|` between them"),
        Column::new("accepted_by", Kind::Text, "the states that would have taken it, with `|` between them"),
        Column::new("cpu", Kind::Count, "the CPU"),
        Column::new("previous", Kind::Moment, "when that thing was given an event before"),
        Column::new("loss", Kind::Count, "the number, from 0, of the declared loss between the two"),
    ]
}

pub(super) fn fill(asked: &Asked<'_>, input: &Path, rows: &mut dyn Rows) -> Result<IsIncomplete> {
    let (answer, is_incomplete) = answer(asked, input, Wanted::Check)?;
    for found in &answer.inconsistencies {
        let accepted_by: Vec<&str> = found.accepted_by.iter().map(AsRef::as_ref).collect();
        rows.row(&[
            found.time.into(),
            (&*found.machine).into(),
            found.instance.as_str().into(),
            (&*found.event).into(),
            found.states.join("|").as_str().into(),
            accepted_by.join("|").as_str().into(),
            found.cpu.into(),
            found.previous.into(),
            found.window.map(|window| window as u64).into(),
        ])?;
    }
    Ok(is_incomplete)
}

/// The engine's answer for a trace.
pub(super) fn answer(asked: &Asked<'_>, input: &Path, wanted: Wanted) -> Result<(Answer, IsIncomplete)> {
    let engine = EngineName::Joint;
    let model = models::load(asked.model.unwrap_or(engine.own_model()))?;
    let mut source = open(input)?;
    let mut answer = if asked.is_alone {
        engines::run(engine, &model, source.as_mut(), wanted, &mut Choices::default(), |_| ())?
    } else {
        engines::run_among_others(engine, &model, source.as_mut(), wanted)?
    };
    if wanted == Wanted::Infer {
        calibrate::calibrate(engine, &model, input, &mut answer)?;
    }
    model.compare(source.alphabet().names())?;
    complain(input, source.as_ref());
    let is_incomplete = is_incomplete(answer.losses.total, source.as_ref());
    Ok((answer, is_incomplete))
}
