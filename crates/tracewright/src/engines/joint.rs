//! The engine `joint`: sets of possible states, narrowed by each event, and one lost event for all that
//! it concerns. Checking and inferring are the same walk, so both find the same incoherences.

use std::collections::HashMap;
use std::sync::Arc;

use inference::joint::{Called, Choice, Field, Guess, Incoherence, Inferred, Ways};
use inference::{Fed, Intake, Joint, Keep, Spans, StateSet};
use model::{Certainty, EventSource, Gap, Timestamp};

use super::hosts::{self, Hosts};
use super::names::Names;
use super::{Asked, Decide, Decision, NowAndThen, Pace, Wanted, Windows, ahead};
use crate::answer::{ALTERNATIVES, Answer, Doubt, Known, Misfit, Missing, MissingField};
use crate::exit::Result;
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
    if let Some(hosts) = Hosts::several(source) {
        return hosts::run(&hosts, model, source, wanted, decide, passed);
    }
    let mut joint = joint_of(model, wanted, decide)?;
    let wording = Wording::of(model);
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
    let Found { misfits, doubts, inferred } = wording.found(&mut joint, wanted, decide);
    let answer = Answer {
        engine: "joint",
        events: joint.events(),
        losses,
        windows: windows.all,
        misfits,
        doubts,
        inferred,
        ..Answer::default()
    };
    if pace == Pace::Ahead {
        // Giving back all that it remembers takes a while, and nobody has to wait for that.
        let _ = std::thread::Builder::new().name("engine's end".into()).spawn(move || drop(joint));
    }
    Ok(answer)
}

/// An engine of a model that knows the user's decisions.
pub(super) fn joint_of(model: &Model, wanted: Wanted, decide: &mut dyn Decide) -> Result<Joint> {
    let spans = if wanted == Wanted::Check { Spans::Uncertain } else { Spans::None };
    let keep = Keep { spans, ..Keep::default() };
    let mut joint = Joint::new(model.pattern.clone(), keep).or_else(|unfit| model.refuse(&unfit))?;
    let wording = Wording::of(model);
    joint.choose(decide.all().into_iter().filter_map(|choice| wording.choice(choice)).collect());
    Ok(joint)
}

/// What an engine found.
pub(super) struct Found {
    pub(super) misfits: Vec<Misfit>,
    /// Only where they are wanted.
    pub(super) doubts: Vec<Doubt>,
    /// Only where they are wanted.
    pub(super) inferred: Vec<Missing>,
}

/// What this engine found, in the words of all engines.
pub(super) struct Wording {
    names: Names,
}

impl Wording {
    pub(super) fn of(model: &Model) -> Wording {
        Wording { names: Names::new(&model.pattern) }
    }

    /// All that a finished engine found.
    pub(super) fn found(&self, joint: &mut Joint, wanted: Wanted, decide: &mut dyn Decide) -> Found {
        for together in joint.contradictions() {
            let about = together.iter().map(|choice| self.decision(choice));
            decide.contradict(&about.collect::<Vec<_>>());
        }
        let found = joint.take_incoherences();
        let misfits = found.into_iter().map(|found| self.misfit(joint, found)).collect();
        let (mut doubts, mut inferred) = (vec![], vec![]);
        match wanted {
            Wanted::Check => doubts = self.doubts(joint),
            Wanted::Infer => inferred = self.all_missing(joint.inferred(), decide),
        }
        Found { misfits, doubts, inferred }
    }

    fn all(&self, machine: usize, set: StateSet) -> Vec<Arc<str>> {
        set.iter().map(|state| self.names.state(machine, state)).collect()
    }

    fn misfit(&self, joint: &Joint, found: Incoherence) -> Misfit {
        Misfit {
            fsm: self.names.machine(found.machine),
            key: found.key,
            time: found.time.0,
            event: joint.symbol_name(found.event).into(),
            cpu: found.cpu,
            state: self.all(found.machine, found.states).join("|").into(),
            possible: self.all(found.machine, found.accepted_by),
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
            let fsm = self.names.machine(span.machine);
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

    /// What the user decided, as the engine takes it; nothing where no machine is called so.
    fn choice(&self, of: Decision) -> Option<Choice> {
        let Decision { name, fsm, key, from, to, rank, field, value } = of;
        let called = Called { key, from: Timestamp(from), to: Timestamp(to), place: rank };
        let value = match value {
            Known::Number(number) => Guess::Number(number),
            Known::Text(text) => Guess::Text(text),
        };
        Some(Choice { machine: self.names.machine_called(&fsm)?, name, called, field, value })
    }

    /// The same the other way round.
    fn decision(&self, of: &Choice) -> Decision {
        let Called { key, from, to, place } = of.called.clone();
        Decision {
            name: of.name.clone(),
            fsm: self.names.machine(of.machine).to_string(),
            key,
            from: from.0,
            to: to.0,
            rank: place,
            field: of.field.clone(),
            value: known(&of.value).unwrap_or(Known::Text(String::new())),
        }
    }

    fn missing(&self, event: &Inferred, rank: u32, decide: &mut dyn Decide) -> Missing {
        let fsm = self.names.machine(event.machine);
        let own = Called { key: event.key.clone(), from: event.from, to: event.to, place: rank };
        let Called { key, from, to, place } = event.called.as_ref().unwrap_or(&own);
        let asked = Asked { name: &event.name, fsm: &fsm, key, from: *from, to: *to, rank: *place };
        let fields = event.fields.iter().filter_map(|one| field(one, &asked, decide)).collect();
        Missing {
            time: event.at.0,
            from: event.from.0,
            to: event.to.0,
            rank,
            name: event.name.clone(),
            names: event.names.iter().take(ALTERNATIVES).cloned().collect(),
            cpu: event.cpu,
            key: event.key.clone(),
            fields,
            probability: Some(event.probability),
            is_only_way: event.certainty == Certainty::OnlyWay,
            reason: Some(event.reason.clone()),
            together: event.together,
            called: event.called.clone(),
            fsm,
        }
    }
}

/// What is not known at all is left out.
fn field(field: &Field, asked: &Asked<'_>, decide: &mut dyn Decide) -> Option<MissingField> {
    let Some(value) = known(&field.value) else {
        // A choice for it has its event, but not the one for which it was written.
        let mut others = field.alternatives.iter().filter_map(|other| known(&other.value));
        decide.decide(asked, &field.name, &mut others);
        return None;
    };
    let mut all = vec![(value.clone(), field.probability, field.ways)];
    for other in &field.alternatives {
        if let Some(known) = known(&other.value).filter(|known| all.iter().all(|(value, ..)| value != known))
        {
            all.push((known, other.probability, other.ways));
        }
    }
    // Only what was chosen may be less probable than another.
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    let shown = || all.iter().take(ALTERNATIVES);
    let is_coupled = all.iter().any(|(.., ways)| *ways != Ways::ALL);
    let mut told = MissingField {
        name: field.name.clone(),
        possible: all.len(),
        alternatives: shown().map(|(value, ..)| value.clone()).collect(),
        odds: shown().map(|(_, probability, _)| *probability).collect(),
        ways: if is_coupled { shown().map(|(.., ways)| *ways).collect() } else { vec![] },
        value,
        is_chosen: field.is_chosen,
    };
    if all.len() > 1
        && let Some(value) = decide.decide(asked, &field.name, &mut all.iter().map(|(value, ..)| value.clone()))
        // What depends on the explanation was decided by the engine.
        && !is_coupled
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
