//! The engine `joint` when it infers: one lost event is one event for all that it concerns.
//!
//! Its rules are those of the model `kernel`, compiled in: it takes no other.

use std::collections::HashMap;
use std::sync::Arc;

use analyses::machines::joint::{Field, Guess, Inferred, Joint};
use model::{Alphabet, EventSource, Finding, Gap, Item, StreamInfo, Symbol, Timestamp, TraceInfo};

use super::Windows;
use crate::answer::{ALTERNATIVES, Answer, Known, Misfit, Missing, MissingField};
use crate::exit::{Result, Stop};
use crate::losses::Losses;
use crate::models::Model;

pub(super) fn run(
    model: &Model,
    source: &mut dyn EventSource,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Answer> {
    if !model.is_built_in("kernel") {
        return Stop::failed(format!(
            "the engine joint infers with the model kernel only, not with {}; for other models take --engine compat",
            model.name
        ));
    }
    let mut joint = Joint::new();
    let mut tap = Tap { source, gaps: vec![], last: None };
    let mut misfits: Vec<Misfit> = Vec::new();
    while joint.feed(&mut tap) {
        while let Some(found) = joint.incoherences().get(misfits.len()) {
            // The event is the one that was just read, if the engine did not look ahead.
            let event = tap.last.filter(|(_, time)| *time == Some(found.time));
            let event = event.map_or("", |(symbol, _)| tap.source.alphabet().name(symbol));
            let (fsm, key) = match found.tid {
                Some(tid) => ("process_fsm", tid.to_string()),
                None => ("cpu_fsm", found.cpu.to_string()),
            };
            misfits.push(Misfit {
                fsm: fsm.into(),
                key,
                time: found.time.0,
                event: event.into(),
                cpu: Some(found.cpu),
                state: "".into(),
                possible: vec![],
                previous: Some(found.time.0),
                loss: None,
                reason: Some(found.sentence.clone()),
            });
        }
        passed(tap.source);
    }
    joint.finish();
    // What mends an incoherence may lie before it: so far back reaches what it may come from.
    for event in joint.inferred() {
        if let Some(found) = event.incoherence.and_then(|index| misfits.get_mut(index)) {
            found.previous = found.previous.min(Some(event.from.0));
        }
    }
    let gaps = tap.gaps;
    let (mut losses, mut windows) = (Losses::default(), Windows::default());
    for gap in &gaps {
        losses.add(gap);
        windows.add(gap, source);
    }
    let mut ranks: HashMap<(u32, Timestamp, Timestamp), u32> = HashMap::new();
    let fsm: Arc<str> = "cpu_fsm".into();
    let inferred = joint.inferred().iter().map(|event| {
        let rank = ranks.entry((event.cpu, event.from, event.to)).or_default();
        *rank += 1;
        missing(event, *rank, fsm.clone())
    });
    let inferred = inferred.collect();
    Ok(Answer {
        engine: "joint",
        events: joint.events(),
        losses,
        windows: windows.all,
        misfits,
        inferred,
        ..Answer::default()
    })
}

fn missing(event: &Inferred, rank: u32, fsm: Arc<str>) -> Missing {
    Missing {
        time: event.at.0,
        from: event.from.0,
        to: event.to.0,
        rank,
        name: event.name.clone(),
        cpu: Some(event.cpu),
        fsm,
        key: event.cpu.to_string(),
        fields: event.fields.iter().filter_map(field).collect(),
        probability: Some(event.probability),
        reason: Some(event.reason.clone()),
    }
}

/// What is not known at all is left out.
fn field(field: &Field) -> Option<MissingField> {
    let value = known(&field.value)?;
    let others =
        field.alternatives.iter().filter_map(|(guess, _)| known(guess)).filter(|other| *other != value);
    let mut alternatives: Vec<Known> = std::iter::once(value.clone()).chain(others).collect();
    let possible = alternatives.len();
    alternatives.truncate(ALTERNATIVES);
    Some(MissingField { name: field.name.to_owned(), value, alternatives, possible, is_chosen: false })
}

fn known(guess: &Guess) -> Option<Known> {
    match guess {
        Guess::Number(number) => Some(Known::Number(*number)),
        Guess::Text(text) => Some(Known::Text(text.clone())),
        Guess::Unknown => None,
    }
}

/// Hands on what a source says and notes its losses.
struct Tap<'a> {
    source: &'a mut dyn EventSource,
    gaps: Vec<Gap>,
    last: Option<(Symbol, Option<Timestamp>)>,
}

impl EventSource for Tap<'_> {
    fn next_item(&mut self) -> Option<Item<'_>> {
        let item = self.source.next_item()?;
        match item {
            Item::Gap(gap) => self.gaps.push(gap),
            Item::Event(event) => self.last = Some((event.symbol, event.time)),
        }
        Some(item)
    }

    fn alphabet(&self) -> &Alphabet {
        self.source.alphabet()
    }

    fn traces(&self) -> &[TraceInfo] {
        self.source.traces()
    }

    fn streams(&self) -> &[StreamInfo] {
        self.source.streams()
    }

    fn findings(&self) -> &[Finding] {
        self.source.findings()
    }

    fn progress(&self) -> (u64, u64) {
        self.source.progress()
    }
}
