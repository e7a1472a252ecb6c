//! Hosts: traces of several machines in one folder. Each has threads and CPUs of its own, so each gets an engine of
//! its own, and what is found is called after its host: `VM1:2217` is thread 2217 there.

use inference::{Joint, KeptEvent};
use model::{Edge, EventSource, Item, StreamId};

use super::joint::{Found, Wording, joint_of};
use super::{Asked, Decide, Decision, NowAndThen, Wanted, Windows};
use crate::answer::{Answer, Known};
use crate::exit::Result;
use crate::losses::Losses;
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
            let place = hosts.names.iter().position(|known| *known == name).unwrap_or(hosts.names.len());
            if place == hosts.names.len() {
                hosts.names.push(name);
            }
            hosts.of_trace.push(place);
        }
        (hosts.names.len() > 1).then_some(hosts)
    }

    fn of(&self, stream: StreamId, source: &dyn EventSource) -> usize {
        let info = source.streams().get(stream.0 as usize);
        info.and_then(|info| self.of_trace.get(info.trace)).copied().unwrap_or(0)
    }
}

/// An engine, and what it has seen.
struct OfHost {
    joint: Joint,
    /// By symbol: its name was told.
    known: Vec<bool>,
    /// For each loss that it was told of the place among all.
    windows: Vec<usize>,
}

/// Runs an engine for each host over `source`.
pub(super) fn run(
    hosts: &Hosts,
    model: &Model,
    source: &mut dyn EventSource,
    wanted: Wanted,
    decide: &mut dyn Decide,
    passed: &mut dyn FnMut(&dyn EventSource),
) -> Result<Answer> {
    let mut engines = Vec::new();
    for name in &hosts.names {
        let joint = joint_of(model, wanted, &mut Named { host: name, decide })?;
        engines.push(OfHost { joint, known: vec![], windows: vec![] });
    }
    let (mut losses, mut windows) = (Losses::default(), Windows::default());
    let mut now_and_then = NowAndThen::default();
    loop {
        let kept = match source.next_item() {
            None => break,
            Some(Item::Gap(gap)) => {
                let cpu = source.streams().get(gap.stream.0 as usize).and_then(|stream| stream.cpu);
                losses.add(&gap);
                windows.add(&gap, source);
                if let Some(engine) = engines.get_mut(hosts.of(gap.stream, source)) {
                    engine.joint.lose(&gap, cpu);
                    if gap.edge == Edge::Start {
                        engine.windows.push(windows.all.len().saturating_sub(1));
                    }
                }
                continue;
            }
            // Which host it is of is known only when the reader has its event back.
            Some(Item::Event(event)) => KeptEvent::copy(&event),
        };
        let (host, symbol) = (hosts.of(kept.stream, source), kept.symbol.0 as usize);
        if let Some(engine) = engines.get_mut(host) {
            let is_known = engine.known.get(symbol) == Some(&true);
            let name = if is_known { "" } else { source.alphabet().name(kept.symbol) };
            engine.joint.observe(&kept.event(), name);
            engine.known.resize(engine.known.len().max(symbol + 1), false);
            if let Some(known) = engine.known.get_mut(symbol) {
                *known = true;
            }
        }
        now_and_then.step(source, passed);
    }
    let mut answer = Answer { engine: "joint", losses, ..Answer::default() };
    let wording = Wording::of(model);
    for (name, mut engine) in hosts.names.iter().zip(engines) {
        engine.joint.finish();
        let Found { mut misfits, mut doubts, mut inferred } =
            wording.found(&mut engine.joint, wanted, &mut Named { host: name, decide });
        let called = |key: &str| format!("{name}:{key}");
        for misfit in &mut misfits {
            misfit.key = called(&misfit.key);
            misfit.loss = misfit.loss.and_then(|loss| engine.windows.get(loss).copied());
        }
        doubts.iter_mut().for_each(|doubt| doubt.key = called(&doubt.key));
        let before = answer.inferred.len();
        for event in &mut inferred {
            event.key = called(&event.key);
            event.together = event.together.map(|number| number + before);
            if let Some(own) = &mut event.called {
                own.key = called(&own.key);
            }
        }
        answer.events += engine.joint.events();
        answer.misfits.extend(misfits);
        answer.doubts.extend(doubts);
        answer.inferred.extend(inferred);
    }
    answer.windows = windows.all;
    answer.misfits.sort_by_key(|misfit| misfit.time);
    answer.inferred.sort_by_key(|event| event.time);
    Ok(answer)
}

/// The user's decisions about one host, called as its engine calls them.
struct Named<'d> {
    host: &'d str,
    decide: &'d mut dyn Decide,
}

impl Named<'_> {
    fn own(&self, key: &str) -> Option<String> {
        key.strip_prefix(self.host)?.strip_prefix(':').map(str::to_owned)
    }

    fn called(&self, key: &str) -> String {
        format!("{}:{key}", self.host)
    }
}

impl Decide for Named<'_> {
    fn decide(
        &mut self,
        event: &Asked<'_>,
        field: &str,
        possible: &mut dyn Iterator<Item = Known>,
    ) -> Option<Known> {
        let key = self.called(event.key);
        self.decide.decide(&Asked { key: &key, ..*event }, field, possible)
    }

    fn all(&self) -> Vec<Decision> {
        let own = |decision: Decision| Some(Decision { key: self.own(&decision.key)?, ..decision });
        self.decide.all().into_iter().filter_map(own).collect()
    }

    fn contradict(&mut self, together: &[Decision]) {
        let called = |decision: &Decision| Decision { key: self.called(&decision.key), ..decision.clone() };
        let together: Vec<Decision> = together.iter().map(called).collect();
        self.decide.contradict(&together);
    }
}
