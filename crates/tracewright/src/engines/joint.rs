//! The engine `joint`: sets of possible states, narrowed by each event, and one lost event for all that
//! it concerns. Checking and inferring are the same walk, so both find the same incoherences.

use std::collections::HashMap;
use std::sync::Arc;

use analyses::machines::joint::{Field, Guess, Incoherence, Inferred};
use analyses::machines::{Fed, Intake, Joint, Keep, Spans, StateSet};
use model::{Certainty, EventSource, Gap, Timestamp};

use super::{Asked, Decide, NowAndThen, Pace, Wanted, Windows, ahead};
use crate::answer::{ALTERNATIVES, Answer, Doubt, Known, Misfit, Missing, MissingField};
use crate::exit::{Result, Stop};
use crate::losses::Losses;
use crate::models::Model;

pub(super) fn run(
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    decide: &mut dyn Decide,
    pace: Pace,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Answer> {
    let spans = if wanted == Wanted::Check { Spans::Uncertain } else { Spans::None };
    let keep = Keep { spans, ..Keep::default() };
    let mut joint = Joint::new(model.pattern.clone(), keep).or_else(|unfit| {
        Stop::failed(format!("the model {} cannot be run: {}", model.name, unfit.sentence))
    })?;
    let (mut losses, mut windows) = (Losses::default(), Windows::default());
    let mut lost = |gap: &Gap, source: &dyn EventSource| {
        losses.add(gap);
        windows.add(gap, source);
    };
    if pace == Pace::Ahead && joint.takes_batches(source) {
        let intake = Intake::new(&model.pattern);
        joint = ahead::run(joint, intake, source, &mut lost, passed)?;
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
    let names = Names::new(&joint);
    let found = joint.take_incoherences();
    let mut answer = Answer {
        engine: "joint",
        events: joint.events(),
        losses,
        windows: windows.all,
        misfits: found.into_iter().map(|found| names.misfit(&joint, found)).collect(),
        ..Answer::default()
    };
    match wanted {
        Wanted::Check => answer.doubts = names.doubts(&joint),
        Wanted::Infer => answer.inferred = names.all_missing(joint.inferred(), decide),
    }
    if pace == Pace::Ahead {
        // Giving back all that it remembers takes a while, and nobody has to wait for that.
        let _ = std::thread::Builder::new().name("engine's end".into()).spawn(move || drop(joint));
    }
    Ok(answer)
}

/// The names of machines and states, shared by all that mentions them.
struct Names {
    machines: Vec<Arc<str>>,
    states: Vec<Vec<Arc<str>>>,
}

impl Names {
    fn new(joint: &Joint) -> Names {
        let machines = &joint.pattern().machines;
        let states = machines.iter().map(|machine| machine.states.iter().map(|state| (*state.id).into()));
        Names {
            machines: machines.iter().map(|machine| (*machine.id).into()).collect(),
            states: states.map(Iterator::collect).collect(),
        }
    }

    fn machine(&self, index: usize) -> Arc<str> {
        self.machines.get(index).cloned().unwrap_or_else(|| "?".into())
    }

    fn states(&self, machine: usize, set: StateSet) -> Vec<Arc<str>> {
        let states = self.states.get(machine).map_or(&[][..], |states| states);
        set.iter().filter_map(|state| states.get(state).cloned()).collect()
    }

    fn misfit(&self, joint: &Joint, found: Incoherence) -> Misfit {
        Misfit {
            fsm: self.machine(found.machine),
            key: found.key,
            time: found.time.0,
            event: joint.symbol_name(found.event).into(),
            cpu: found.cpu,
            state: self.states(found.machine, found.states).join("|").into(),
            possible: self.states(found.machine, found.accepted_by),
            previous: Some(found.previous.0),
            loss: found.window,
            reason: Some(found.sentence),
        }
    }

    /// Times in which more than one state was possible; neighbours of one instance become one.
    fn doubts(&self, joint: &Joint) -> Vec<Doubt> {
        let mut doubts: Vec<Doubt> = Vec::new();
        let mut last = None;
        for span in joint.spans().iter().filter(|span| span.span.value.len() != 1) {
            let (from, to) = (span.span.from.0, span.span.to.map(|Timestamp(to)| to));
            if last == Some((span.machine, span.key))
                && let Some(doubt) = doubts.last_mut().filter(|doubt| doubt.to == Some(from))
            {
                doubt.to = to;
                continue;
            }
            last = Some((span.machine, span.key));
            let fsm = self.machine(span.machine);
            doubts.push(Doubt { fsm, key: joint.texts().show_name(span.key), from, to });
        }
        doubts.retain(|doubt| doubt.to != Some(doubt.from));
        doubts
    }

    fn all_missing(&self, inferred: &[Inferred], decide: &mut dyn Decide) -> Vec<Missing> {
        let mut ranks: HashMap<(usize, &str, Timestamp, Timestamp), u32> = HashMap::new();
        let missing = inferred.iter().map(|event| {
            let rank = ranks.entry((event.machine, &event.key, event.from, event.to)).or_default();
            *rank += 1;
            self.missing(event, *rank, decide)
        });
        missing.collect()
    }

    fn missing(&self, event: &Inferred, rank: u32, decide: &mut dyn Decide) -> Missing {
        let fsm = self.machine(event.machine);
        let asked =
            Asked { name: &event.name, fsm: &fsm, key: &event.key, from: event.from, to: event.to, rank };
        let fields = event.fields.iter().filter_map(|one| field(one, &asked, decide)).collect();
        Missing {
            time: event.at.0,
            from: event.from.0,
            to: event.to.0,
            rank,
            name: event.name.clone(),
            names: event.names.iter().take(ALTERNATIVES).map(|(name, _)| name.clone()).collect(),
            cpu: event.cpu,
            key: event.key.clone(),
            fields,
            probability: Some(event.probability),
            is_only_way: event.certainty == Certainty::OnlyWay,
            reason: Some(event.reason.clone()),
            fsm,
        }
    }
}

/// What is not known at all is left out.
fn field(field: &Field, asked: &Asked<'_>, decide: &mut dyn Decide) -> Option<MissingField> {
    let value = known(&field.value)?;
    let others =
        field.alternatives.iter().filter_map(|(guess, _)| known(guess)).filter(|other| *other != value);
    let all: Vec<Known> = std::iter::once(value.clone()).chain(others).collect();
    let mut told = MissingField {
        name: field.name.clone(),
        possible: all.len(),
        alternatives: all.iter().take(ALTERNATIVES).cloned().collect(),
        value,
        is_chosen: false,
    };
    if all.len() > 1
        && let Some(value) = decide.decide(asked, &field.name, &mut all.iter().cloned())
    {
        // Who says what the engine says decides nothing.
        told.is_chosen = value != told.value;
        told.value = value;
    }
    Some(told)
}

fn known(guess: &Guess) -> Option<Known> {
    match guess {
        Guess::Number(number) => Some(Known::Number(*number)),
        Guess::Text(text) => Some(Known::Text(text.clone())),
        Guess::Unknown => None,
    }
}
