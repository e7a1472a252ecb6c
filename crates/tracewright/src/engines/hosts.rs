//! Hosts: traces of several machines in one folder. Each has threads and CPUs of its own, so each gets an engine of
//! its own, and what is found is called after its host: `VM1:2217` is thread 2217 there.

use inference::Joint;
use inference::choices::Choices;
use inference::model::LongLoss;
use model::{Edge, EventSource, Item, StreamInfo};

use super::joint::{Found, found, joint_of};
use super::{Declared, NowAndThen, Wanted};
use crate::answer::Answer;
use crate::exit::Result;
use crate::models::Model;

/// The hosts of a session.
#[derive(Debug)]
pub(crate) struct Hosts {
    pub(crate) names: Vec<String>,
    /// By trace.
    of_trace: Vec<usize>,
}

impl Hosts {
    /// `None` where there is but one, or a trace does not say where it was recorded.
    pub(crate) fn several(source: &dyn EventSource) -> Option<Hosts> {
        let mut hosts = Hosts { names: vec![], of_trace: vec![] };
        for trace in source.traces() {
            let name = trace.host.clone()?;
            let interval = hosts.names.iter().position(|known| *known == name).unwrap_or(hosts.names.len());
            if interval == hosts.names.len() {
                hosts.names.push(name);
            }
            hosts.of_trace.push(interval);
        }
        (hosts.names.len() > 1).then_some(hosts)
    }

    fn of(&self, stream: Option<&StreamInfo>) -> usize {
        stream.and_then(|stream| self.of_trace.get(stream.trace)).copied().unwrap_or(0)
    }
}

/// An engine, and what it has seen.
struct OfHost {
    joint: Joint,
    choices: Choices,
    /// For each loss that it was given, the index among all.
    windows: Vec<usize>,
}

/// Runs an engine for each host over `source`.
pub(super) fn run(
    hosts: &Hosts,
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    choices: &mut Choices,
    declared: &mut Declared,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Answer> {
    let mut engines = Vec::new();
    for name in &hosts.names {
        let choices = choices.below(&format!("{name}:"));
        let joint = joint_of(model, wanted, &choices)?;
        engines.push(OfHost { joint, choices, windows: vec![] });
    }
    let mut now_and_then = NowAndThen::default();
    loop {
        match source.next_item() {
            None => break,
            Some(Item::Gap(gap)) => {
                let cpu = source.streams().get(gap.stream.0 as usize).and_then(|stream| stream.cpu);
                declared.add(&gap, source);
                let stream = source.streams().get(gap.stream.0 as usize);
                if let Some(engine) = engines.get_mut(hosts.of(stream)) {
                    engine.joint.lose(&gap, cpu);
                    if gap.edge == Edge::Start {
                        engine.windows.push(declared.windows.all.len().saturating_sub(1));
                    }
                }
                continue;
            }
            Some(Item::Event(event)) => {
                if let Some(engine) = engines.get_mut(hosts.of(event.stream_info())) {
                    engine.joint.observe(&event);
                }
            }
        }
        now_and_then.step(source, passed);
    }
    let mut answer = Answer { engine: "joint", ..Answer::default() };
    for (name, mut engine) in hosts.names.iter().zip(engines) {
        engine.joint.finish();
        let Found { mut inconsistencies, mut uncertain, mut inferred } =
            found(&mut engine.joint, wanted, &mut engine.choices);
        choices.absorb(engine.choices);
        let called = |instance: &str| format!("{name}:{instance}");
        for found in &mut inconsistencies {
            found.instance = called(&found.instance);
            found.window = found.window.and_then(|window| engine.windows.get(window).copied());
        }
        uncertain.iter_mut().for_each(|one| one.instance = called(&one.instance));
        answer.long_losses.extend(engine.joint.take_long_losses().into_iter().filter_map(|long| {
            let window = *engine.windows.get(long.window)?;
            Some(LongLoss { window, ..long })
        }));
        let before = answer.inferred.len();
        for event in &mut inferred {
            for key in std::iter::once(&mut event.key).chain(&mut event.original_key) {
                key.instance = called(&key.instance);
            }
            event.group = event.group.map(|number| number + before);
        }
        answer.events += engine.joint.events();
        answer.inconsistencies.extend(inconsistencies);
        answer.uncertain.extend(uncertain);
        answer.inferred.extend(inferred);
    }
    answer.inconsistencies.sort_by_key(|found| found.time);
    answer.inferred.sort_by_key(|event| event.time);
    Ok(answer)
}
