//! Certainty: in which states an instance may be.
//!
//! For each instance a set of states is kept. One that nobody saw yet may be in any. An event
//! leaves the states behind that do not accept it; one state left is certain. If no state of the
//! set accepts an event, but another state would, that is an incoherence, and the set starts anew
//! with the states behind the event. An event that no state accepts does not concern the instance.
//!
//! Where the tracer lost events, an instance may afterwards be wherever unseen events may have led
//! it: not if it was in a state that stays on its CPU, and that CPU lost nothing. This is done when
//! the instance is next seen, so that a loss costs nothing at once.
//!
//! ```text
//!            unknown ─ any ─┐            ┌─ {ready, running} ── switch ── {running}  certain again
//! certain ── events ────────┴── loss ────┘
//! ```
//!
//! Source: the intended theory of certainty in the notes on the founding text (2.5), done as a
//! subset construction; and its advice on inference. A guard may ask for fields of the event, for
//! the key of the instance (`#CurrentScenario/attribute`) and for attributes; the actions that all
//! transitions taken agree on are done.

use std::collections::HashMap;
use std::rc::Rc;

use model::machine::{Machine, Pattern};
use model::{Edge, Event, EventSource, Evidence, Gap, Item, Span, Symbol, Timestamp};
use rustc_hash::FxBuildHasher;

use super::engine::{Fed, Unfit};
use super::kept::KeptEvent;
use super::keys::{Keys, Names, RunningThreads};
use super::memo::Memo;
use super::program::{Arcs, Plan, Program};
use super::state_set::{Shape, StateSet};
use super::states::{NodeId, ROOT, StateSystem};
use super::value::{Name, TextId, Texts, Value};
use super::windows::{LossWindow, Windows};
use super::world::{Asker, Input, World};

/// An event that fits no state in which its instance may have been.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// The machine, an index into those of the pattern.
    pub machine: usize,
    /// The key of the instance, as text.
    pub key: String,
    /// When.
    pub time: Timestamp,
    /// The event.
    pub event: Symbol,
    /// Its number among all events of the trace, from 0.
    pub ordinal: u64,
    /// The CPU of the event.
    pub cpu: Option<u32>,
    /// Where the instance may have been.
    pub states: StateSet,
    /// Where it would have had to be.
    pub accepted_by: StateSet,
    /// The event of this instance before.
    pub previous: Timestamp,
    /// The declared loss in between, an index into [`Checker::windows`]; without one, something is
    /// missing that nobody declared, or the machine is wrong.
    pub window: Option<usize>,
}

/// How certain the instances of a machine were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Instances seen.
    pub instances: u64,
    /// Instances that were in one certain state at some moment.
    pub ever_certain: u64,
    /// Events that concerned an instance.
    pub events: u64,
    /// Nanoseconds in one certain state, over all instances, from the first event of each.
    pub certain_ns: u128,
    /// Nanoseconds in one of several states.
    pub uncertain_ns: u128,
}

/// What a checker keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    /// The past of the attributes.
    pub history: bool,
    /// For every instance, when it may have been in which states.
    pub spans: bool,
}

/// When an instance may have been in which states.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceSpan {
    /// The machine, an index into those of the pattern.
    pub machine: usize,
    /// The instance.
    pub key: Name,
    /// The states, and when.
    pub span: Span<StateSet>,
}

#[derive(Debug)]
struct Instance {
    set: StateSet,
    /// Since when the set is what it is.
    since: i64,
    /// Its last event.
    time: i64,
    cpu: Option<u32>,
    node: NodeId,
    key_node: NodeId,
    was_certain: bool,
    /// The window that made it uncertain.
    window: Option<usize>,
}

#[derive(Debug)]
struct Watched {
    index: usize,
    node: NodeId,
    plans: Vec<Option<Rc<Plan>>>,
    keys: Keys,
    shape: Shape,
    instances: HashMap<Name, Instance, FxBuildHasher>,
    tally: Tally,
}

/// Keeps a set of states for each instance, see the module.
#[derive(Debug)]
pub struct Checker {
    pattern: Rc<Pattern>,
    program: Program,
    world: World,
    machines: Vec<Watched>,
    arcs: Arcs,
    names: Names,
    running: RunningThreads,
    windows: Windows,
    memo: Memo,
    keep: Keep,
    spans: Vec<InstanceSpan>,
    contradictions: Vec<Contradiction>,
    attribute: Name,
    ordinal: u64,
    last_time: i64,
    keys: Vec<Name>,
    taken: Vec<(usize, u32)>,
    asked: u64,
}

impl Checker {
    /// A checker for `pattern`.
    pub fn new(pattern: Pattern, keep: Keep) -> Result<Checker, Unfit> {
        let mut world = World::new(keep.history, false);
        let mut program = Program::compile(&pattern, &mut world.texts, &mut world.states);
        let scenarios = world.texts.name("scenarios");
        let scenarios = world.states.child(ROOT, scenarios);
        let mut machines = Vec::new();
        for &index in &pattern.started {
            let Some(machine) = pattern.machines.get(index) else { continue };
            let id = &machine.id;
            if machine.keys.is_none() {
                let sentence = format!(
                    "Nothing says which instances of machine `{id}` an event concerns: `tw:instances` is missing."
                );
                return Err(Unfit { sentence });
            }
            if machine.states.len() > StateSet::MOST {
                let sentence = format!("Machine `{id}` has more than {} states.", StateSet::MOST);
                return Err(Unfit { sentence });
            }
            let name = world.texts.name(id);
            machines.push(Watched {
                index,
                node: world.states.child(scenarios, name),
                plans: Vec::new(),
                keys: Keys::new(machine, &mut world, &mut program),
                shape: Shape::new(machine),
                instances: HashMap::default(),
                tally: Tally::default(),
            });
        }
        let running = RunningThreads::new(&mut world, &mut program);
        Ok(Checker {
            attribute: world.texts.name("attribute"),
            memo: Memo::new(&program),
            pattern: Rc::new(pattern),
            program,
            world,
            machines,
            arcs: Arcs::default(),
            names: Names::default(),
            running,
            windows: Windows::default(),
            keep,
            spans: Vec::new(),
            contradictions: Vec::new(),
            ordinal: 0,
            last_time: 0,
            keys: Vec::new(),
            taken: Vec::new(),
            asked: 0,
        })
    }

    /// Takes the next item of a reader, gaps included; `None` at its end.
    pub fn feed(&mut self, source: &mut dyn EventSource) -> Option<Fed> {
        let (kept, fed) = match source.next_item()? {
            Item::Gap(gap) => {
                let stream = source.streams().get(gap.stream.0 as usize);
                self.lose(&gap, stream.and_then(|stream| stream.cpu));
                return Some(Fed::Gap(gap));
            }
            Item::Event(event) => {
                let fed = Fed::Event { symbol: event.symbol, time: event.time };
                if let Some(name) = self.names.get(event.symbol) {
                    self.observe_named(&event, name);
                    return Some(fed);
                }
                (KeptEvent::copy(&event), fed)
            }
        };
        self.observe(&kept.event(), source.alphabet().name(kept.symbol));
        Some(fed)
    }

    /// Takes the next event; `name` is that of its symbol.
    pub fn observe(&mut self, event: &Event<'_>, name: &str) {
        let name = self.prepare(event.symbol, name);
        self.observe_named(event, name);
    }

    /// Something was lost on a CPU, or on any if it is not known which. The other end of a loss
    /// that was told before widens what is known, but is no loss of its own.
    pub fn lose(&mut self, gap: &Gap, cpu: Option<u32>) {
        self.running.forget(cpu);
        if gap.edge == Edge::Start {
            self.windows.add(gap, cpu);
        }
    }

    /// The trace is over: what still lasts ends now.
    pub fn finish(&mut self) {
        let end = self.last_time;
        for watched in &mut self.machines {
            for (key, instance) in std::mem::take(&mut watched.instances) {
                let closed = watched.close(&instance, end);
                if self.keep.spans {
                    self.spans.push(InstanceSpan { machine: watched.index, key, span: closed });
                }
            }
        }
        // The table of instances has no order of its own.
        self.spans.sort_by_key(|span| (span.machine, span.key, span.span.from));
    }

    /// What did not fit, in the order of finding.
    pub fn contradictions(&self) -> &[Contradiction] {
        &self.contradictions
    }

    /// The losses that the tracer declared, and what they did.
    pub fn windows(&self) -> &[LossWindow] {
        &self.windows.all
    }

    /// How certain the instances of each machine were, by the index of the machine.
    pub fn tallies(&self) -> impl Iterator<Item = (usize, Tally)> + '_ {
        self.machines.iter().map(|watched| (watched.index, watched.tally))
    }

    /// When instances may have been in which states, by machine, key and time; empty unless kept.
    /// Complete after [`Checker::finish`].
    pub fn spans(&self) -> &[InstanceSpan] {
        &self.spans
    }

    /// Where an instance may be now; `None`: nothing was seen of it.
    pub fn states_of(&self, machine: usize, key: Name) -> Option<StateSet> {
        let watched = self.machines.iter().find(|watched| watched.index == machine)?;
        watched.instances.get(&key).map(|instance| instance.set)
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The attributes.
    pub fn attributes(&self) -> &StateSystem {
        &self.world.states
    }

    /// The texts among names and values.
    pub fn texts(&self) -> &Texts {
        &self.world.texts
    }

    /// The name of an event.
    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        self.names.get(symbol).map_or("?", |name| self.world.texts.get(name))
    }

    /// How many events were taken.
    pub fn events(&self) -> u64 {
        self.ordinal
    }

    fn prepare(&mut self, symbol: Symbol, name: &str) -> TextId {
        if let Some(name) = self.names.get(symbol) {
            return name;
        }
        let text = self.world.texts.intern(name);
        self.names.set(symbol, text);
        let index = symbol.0 as usize;
        for watched in &mut self.machines {
            if watched.plans.len() <= index {
                watched.plans.resize(index + 1, None);
            }
            let plan = Plan::make(&self.pattern, watched.index, symbol, name, &mut self.arcs);
            if let Some(place) = watched.plans.get_mut(index) {
                *place = plan.concerns.then(|| Rc::new(plan));
            }
        }
        text
    }

    fn observe_named(&mut self, event: &Event<'_>, name: TextId) {
        let time = event.time.map_or(self.last_time, |time| time.0);
        self.last_time = time;
        self.world.next_event(&self.program);
        let input = self.running.input((&self.program, &mut self.world), event, name, time);
        let pattern = Rc::clone(&self.pattern);
        for place in 0..self.machines.len() {
            let Some(watched) = self.machines.get(place) else { continue };
            let Some(machine) = pattern.machines.get(watched.index) else { continue };
            let Some(Some(plan)) = watched.plans.get(event.symbol.0 as usize) else { continue };
            let plan = Rc::clone(plan);
            let mut keys = std::mem::take(&mut self.keys);
            keys.clear();
            watched.keys.read(plan.rule, (&self.program, &mut self.world), &input, &mut keys);
            for &key in &keys {
                self.narrow(machine, place, key, &plan, &input);
            }
            self.keys = keys;
        }
        self.ordinal += 1;
    }

    /// An event of one instance.
    fn narrow(&mut self, machine: &Machine, place: usize, key: Name, plan: &Plan, input: &Input<'_>) {
        self.asked += 1;
        let Some(watched) = self.machines.get_mut(place) else { return };
        let shape = &watched.shape;
        let (world, tally) = (&mut self.world, &mut watched.tally);
        let instance = watched.instances.entry(key).or_insert_with(|| {
            tally.instances += 1;
            let node = world.states.child(watched.node, key);
            let key_node = world.states.child(node, self.attribute);
            let value = match key {
                Name::Number(number) => Value::Long(number),
                Name::Text(text) => Value::Text(text),
            };
            world.states.set(key_node, input.time, value);
            let (set, since, time, cpu) = (shape.unknown(), input.time, input.time, None);
            Instance { set, since, time, cpu, node, key_node, was_certain: false, window: None }
        });
        let stays = instance.set.and(shape.stays) == instance.set;
        let window = match (stays, instance.cpu) {
            (true, Some(cpu)) => self.windows.after(Timestamp(instance.time), Some(cpu)),
            _ => self.windows.after(Timestamp(instance.time), None),
        };
        let before = if window.is_some() { shape.widen(instance.set) } else { instance.set };
        let asker = Asker {
            node: instance.node,
            key: instance.key_node,
            state: input.name,
            started: instance.since,
            entered: &[],
        };
        let about = (self.asked, 0);
        let mut fits = |world: &mut World, state: usize| {
            let transitions = &machine.states.get(state)?.transitions;
            plan.states.get(state)?.iter().map(|candidate| candidate.transition).find(|number| {
                transitions.get(*number as usize).is_some_and(|transition| {
                    let program = &self.program;
                    self.memo.all_hold(about, (program, world), &transition.tests, input, &asker)
                })
            })
        };
        let taken = &mut self.taken;
        taken.clear();
        taken.extend(before.iter().filter_map(|state| Some((state, fits(world, state)?))));
        let is_coherent = !taken.is_empty();
        if !is_coherent {
            let others = shape.unknown().iter().filter(|state| !before.has(*state));
            taken.extend(others.filter_map(|state| Some((state, fits(world, state)?))));
            if taken.is_empty() {
                return;
            }
        }
        let transitions = || {
            taken
                .iter()
                .filter_map(|(state, number)| machine.states.get(*state)?.transitions.get(*number as usize))
        };
        let after = transitions().fold(StateSet::default(), |set, t| set.or(shape.expand(t.target)));
        if !is_coherent {
            let accepted_by = taken.iter().fold(StateSet::default(), |set, (s, _)| set.or(StateSet::one(*s)));
            self.contradictions.push(Contradiction {
                machine: watched.index,
                key: world.texts.show_name(key),
                time: Timestamp(input.time),
                event: input.event.symbol,
                ordinal: self.ordinal,
                cpu: input.event.cpu,
                states: before,
                accepted_by,
                previous: Timestamp(instance.time),
                window,
            });
        }
        let mut all = transitions();
        if let Some(first) = all.next() {
            let rest: Vec<_> = all.collect();
            for action in &first.actions {
                if rest.iter().all(|other| other.actions.contains(action))
                    && let Some(effects) = self.program.actions.get(*action)
                {
                    world.act(&self.program, effects, input, &asker);
                }
            }
        }
        tally.events += 1;
        if let Some(number) = window
            && before != instance.set
        {
            instance.window = Some(number);
            if let Some(window) = self.windows.all.get_mut(number) {
                window.widened += 1;
            }
        }
        let previous = instance.time;
        (instance.time, instance.cpu) = (input.time, input.event.cpu.or(instance.cpu));
        if after.only().is_some() {
            if let Some(number) = instance.window.take()
                && let Some(window) = self.windows.all.get_mut(number)
            {
                window.recovered += 1;
            }
            if !std::mem::replace(&mut instance.was_certain, true) {
                tally.ever_certain += 1;
            }
        }
        if after != instance.set || before != instance.set {
            let old = Instance { ..*instance };
            (instance.set, instance.since) = (after, input.time);
            let is_over = after.and(shape.ends) == after;
            if is_over {
                let node = instance.node;
                watched.instances.remove(&key);
                world.states.clear(node, input.time);
            }
            let closed = if before == old.set {
                [Some(watched.close(&old, input.time)), None]
            } else {
                // What was known ended with the loss; from then on it was one of the wider set.
                let from = window.and_then(|number| self.windows.all.get(number)?.gap.from);
                let from = from.map_or(previous, |from| from.0).max(previous).min(input.time);
                let known = watched.close(&old, from);
                let wider = Instance { set: before, since: from, ..old };
                [Some(known), Some(watched.close(&wider, input.time))]
            };
            for span in closed.into_iter().flatten() {
                if self.keep.spans && span.to != Some(span.from) {
                    self.spans.push(InstanceSpan { machine: watched.index, key, span });
                }
            }
        }
    }
}

impl Watched {
    /// Counts the time that a set of states lasted, and gives it as a span.
    fn close(&mut self, instance: &Instance, end: i64) -> Span<StateSet> {
        let (from, to) = (Timestamp(instance.since), Timestamp(end));
        let lasted = u128::try_from(to.since(from)).unwrap_or(0);
        if instance.set.only().is_some() {
            self.tally.certain_ns += lasted;
        } else {
            self.tally.uncertain_ns += lasted;
        }
        let evidence = Evidence::Inferred {
            by: "certainty",
            certainty: match instance.set.only() {
                Some(_) => model::Certainty::OnlyWay,
                None => model::Certainty::Unknown,
            },
        };
        Span { from, to: Some(to), value: instance.set, evidence }
    }
}
