//! The engine: gives events to machines.
//!
//! Two ways. As in Trace Compass, handlers write what they say and every scenario of a machine sees
//! every event, by the rules of Trace Compass today. Or, as the founding text needs it, an event goes
//! to the scenarios of the instances that it concerns, and each is checked for coherence. The order of
//! effects within an event is that of the notes on the founding text, parts 1.3, 1.4 and 2.4, to the
//! letter.
//!
//! The caller feeds events in the order of the reader and calls [`Engine::finish`] at the end. It
//! will not read, write or print anything. Memory follows the instances that are alive and what
//! [`Options`] ask to be kept, not the length of the trace.

use std::collections::HashMap;
use std::rc::Rc;

use model::machine::fsm::INITIAL;
use model::machine::{Pattern, Spot, State};
use model::{Event, EventSource, Gap, Item, Symbol, Timestamp};

mod dispatch;
mod running;
mod step;

use self::running::Running;
use super::coherence::Incoherence;
use super::effects::SegmentMade;
use super::keys::{Names, RunningThreads};
use super::memo::Memo;
use super::names::Names as Called;
use super::program::{Arcs, Plan, Program};
use super::scenario::{Scenarios, Status};
use super::states::{NodeId, ROOT, StateSystem};
use super::value::{Name, TextId, Texts};
use super::world::{Asker, Input, Semantics, World, is_host};

/// What an engine does and keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether an event goes only to the instances that it concerns, by the rules of 2018. Checking
    /// needs it.
    pub by_key: bool,
    /// When events are checked for coherence.
    pub checking: Checking,
    /// Whether the past of the attributes and of certainty is kept.
    pub history: bool,
    /// Whether segments are made.
    pub segments: bool,
}

/// When events are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checking {
    /// Never.
    Off,
    /// From the first loss on.
    AfterLoss,
    /// Always.
    On,
}

/// What was taken from a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fed {
    /// An event.
    Event {
        /// Its name.
        symbol: Symbol,
        /// When.
        time: Option<Timestamp>,
    },
    /// Something is missing.
    Gap(Gap),
}

/// Why a model cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedModel {
    /// One sentence.
    pub sentence: String,
    /// Where the machine that it is about begins.
    pub spot: Spot,
}

/// Gives events to machines, see the module.
#[derive(Debug)]
pub struct Engine {
    pub(super) pattern: Rc<Pattern>,
    options: Options,
    pub(super) program: Program,
    pub(super) world: World,
    machines: Vec<Running>,
    pub(super) scenarios: Scenarios,
    pub(super) arcs: Arcs,
    /// How often all scenarios of a machine took an arc.
    pub(super) counts: Vec<u32>,
    pub(super) incoherences: Vec<Incoherence>,
    /// What machines and states are called.
    pub(super) called: Called,
    /// By symbol: the name of the event.
    names: Names,
    /// By symbol: the handlers for the event, in their order.
    handlers: Vec<Rc<[usize]>>,
    state_names: Vec<Vec<TextId>>,
    words: Words,
    running: RunningThreads,
    /// Whether anything asks on which host an event was.
    asks_host: bool,
    is_checking: bool,
    ordinal: u64,
    pub(super) first_time: Option<i64>,
    last_time: i64,
    memo: Memo,
    keys: Vec<Name>,
    possible: Vec<(u32, u32)>,
}

/// Names of the attributes that the engine itself writes.
#[derive(Debug)]
struct Words {
    attribute: Name,
    status: Name,
    state: Name,
    start_time: Name,
}

impl Engine {
    /// An engine for `pattern`.
    pub fn new(pattern: Pattern, options: Options) -> Result<Engine, UnsupportedModel> {
        let mut world = World::new(options.history, options.segments);
        world.semantics = if options.by_key { Semantics::Of2018 } else { Semantics::Current };
        let mut program = Program::compile(&pattern, &mut world.texts, &mut world.states);
        let mut machines = Vec::new();
        let scenarios = world.texts.name("scenarios");
        let scenarios = world.states.child(ROOT, scenarios);
        for &index in &pattern.started {
            let Some(machine) = pattern.machines.get(index) else { continue };
            machines.push(Running::new(index, machine, options, scenarios, &mut world, &mut program)?);
        }
        let state_names = pattern.machines.iter().map(|machine| {
            machine.states.iter().map(|state| world.texts.intern(called(state, options))).collect()
        });
        let state_names = state_names.collect();
        let words = Words {
            attribute: world.texts.name("attribute"),
            status: world.texts.name("status"),
            state: world.texts.name("state"),
            start_time: world.texts.name("startTime"),
        };
        let running = RunningThreads::new(&mut world, &mut program);
        Ok(Engine {
            memo: Memo::new(&program),
            called: Called::new(&pattern),
            is_checking: options.checking == Checking::On,
            asks_host: program.fields.iter().any(|name| is_host(name)),
            handlers: Vec::new(),
            pattern: Rc::new(pattern),
            options,
            program,
            world,
            machines,
            scenarios: Scenarios::default(),
            arcs: Arcs::default(),
            counts: Vec::new(),
            incoherences: Vec::new(),
            names: Names::default(),
            state_names,
            words,
            running,
            ordinal: 0,
            first_time: None,
            last_time: 0,
            keys: Vec::new(),
            possible: Vec::new(),
        })
    }

    /// Takes the next item of a reader; `None` at its end. Gaps are handed back: what they mean is
    /// for the caller to say (see [`Engine::lose`]).
    pub fn feed(&mut self, source: &mut dyn EventSource) -> Option<Fed> {
        Some(match source.next_item()? {
            Item::Gap(gap) => Fed::Gap(gap),
            Item::Event(event) => {
                self.observe(&event);
                Fed::Event { symbol: event.symbol, time: event.time }
            }
        })
    }

    /// Takes the next event.
    pub fn observe(&mut self, event: &Event<'_>) {
        let known = self.names.get(event.symbol);
        let name = known.unwrap_or_else(|| self.prepare(event.symbol, event.name()));
        if self.asks_host {
            self.world.host = event.stream_info().and_then(|stream| {
                let trace = event.trace_info()?;
                let called = [trace.host.as_deref(), Some(&*trace.name), Some(&*stream.name)];
                let name = called.into_iter().flatten().find(|name| !name.is_empty())?;
                Some(self.world.texts.intern(name))
            });
        }
        let time = event.time.map_or(self.last_time, |time| time.0);
        self.last_time = time;
        if self.first_time.is_none() {
            self.first_time = Some(time);
            self.world.states.begin(time);
        }
        self.world.catch_up(time);
        self.world.next_event(&self.program);
        let input = self.running.input((&self.program, &mut self.world), event, name, time);
        self.handle_event(&input);
        for position in 0..self.machines.len() {
            self.make_pending(position, &input);
        }
        let pattern = Rc::clone(&self.pattern);
        for position in 0..self.machines.len() {
            self.dispatch(&pattern, position, &input);
        }
        self.ordinal += 1;
    }

    /// The tracer says that something was lost at this moment: no state is certain any more.
    pub fn lose(&mut self, time: Option<Timestamp>) {
        let time = time.map_or(self.last_time, |time| time.0);
        if self.options.checking != Checking::Off {
            self.is_checking = true;
        }
        if self.options.history {
            for scenario in self.scenarios.iter_mut().filter(|s| s.status == Status::InProgress) {
                scenario.certainty.push((time, false));
            }
        }
    }

    /// What the handlers for an event write.
    fn handle_event(&mut self, input: &Input<'_>) {
        let Some(handlers) = self.handlers.get(input.event.symbol.0 as usize) else { return };
        let handlers = Rc::clone(handlers);
        let asker =
            Asker { node: ROOT, key: NodeId(u32::MAX), state: input.name, started: input.time, entered: &[] };
        for handler in handlers.iter() {
            if let Some(effects) = self.program.handlers.get(*handler) {
                self.world.act(&self.program, effects, input, &asker);
            }
        }
    }

    /// The trace is over, and what was to come later comes. By the rules of 2018 what is still active
    /// is cancelled: its attributes have no value from just before the last change.
    pub fn finish(&mut self) {
        self.world.catch_up(i64::MAX);
        if !self.options.by_key {
            return;
        }
        let moment = self.world.states.last_change().saturating_sub(1);
        let open = self.scenarios.iter().filter(|s| matches!(s.status, Status::Pending | Status::InProgress));
        for node in open.map(|scenario| scenario.node).collect::<Vec<_>>() {
            self.world.states.clear_back_to(node, moment);
        }
    }

    /// The attributes.
    pub fn states(&self) -> &StateSystem {
        &self.world.states
    }

    /// The texts among names and values.
    pub fn texts(&self) -> &Texts {
        &self.world.texts
    }

    /// The attribute at a path of names from the root.
    pub fn attribute(&self, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(ROOT, |node, name| {
            let name = match name.parse::<i64>() {
                Ok(number) if number.to_string() == **name => Name::Number(number),
                _ => Name::Text(self.world.texts.find(name)?),
            };
            self.world.states.find(node, name)
        })
    }

    /// The segments that were made, if they were asked for.
    pub fn segments(&self) -> &[SegmentMade] {
        self.world.segments.as_deref().unwrap_or(&[])
    }

    /// The first and the last moment of the trace and of what was written; `None`: there was no event.
    pub fn range(&self) -> Option<(Timestamp, Timestamp)> {
        let last = self.last_time.max(self.world.states.last_change());
        Some((Timestamp(self.first_time?), Timestamp(last)))
    }

    /// Intervals, and assignments for a later moment, that there was no room for.
    pub fn dropped(&self) -> u64 {
        self.world.later.dropped + self.world.states.dropped()
    }

    /// What did not fit, in the order of finding.
    pub fn incoherences(&self) -> &[Incoherence] {
        &self.incoherences
    }

    /// The pattern that is run.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// How many scenarios took a first transition.
    pub fn scenarios_started(&self) -> u64 {
        self.scenarios.started
    }

    /// How many events were taken.
    pub fn events(&self) -> u64 {
        self.ordinal
    }

    /// From when on which instance was certain: (machine, key, since, certain). Only with history,
    /// in the order of the scenarios.
    pub fn certainty(&self) -> impl Iterator<Item = (usize, String, Timestamp, bool)> + '_ {
        self.scenarios.iter().flat_map(|scenario| {
            let key = scenario.key.map(|key| self.world.texts.show_name(key));
            let changes = scenario.certainty.iter().filter(move |_| key.is_some());
            let key = scenario.key.map(|key| self.world.texts.show_name(key)).unwrap_or_default();
            changes.map(move |&(time, is_certain)| {
                (scenario.machine as usize, key.clone(), Timestamp(time), is_certain)
            })
        })
    }

    /// The name of an event.
    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        self.names.get(symbol).map_or("?", |name| self.world.texts.get(name))
    }

    pub(super) fn symbols_by_name(&self) -> HashMap<&str, Symbol> {
        self.names.iter().map(|(symbol, name)| (self.world.texts.get(name), symbol)).collect()
    }

    /// Makes the plans for a symbol that comes for the first time.
    fn prepare(&mut self, symbol: Symbol, name: &str) -> TextId {
        let index = symbol.0 as usize;
        let text = self.world.texts.intern(name);
        self.names.set(symbol, text);
        while self.handlers.len() <= index {
            self.handlers.push(Rc::from([]));
        }
        let fitting = self.pattern.handlers.iter().enumerate();
        let fitting = fitting.filter(|(_, handler)| handler.events.matches(name)).map(|(number, _)| number);
        if let Some(position) = self.handlers.get_mut(index) {
            *position = fitting.collect();
        }
        for machine in &mut self.machines {
            if machine.plans.len() <= index {
                machine.plans.resize(index + 1, None);
            }
            let plan = Plan::make(&self.pattern, machine.index, symbol, name, &mut self.arcs);
            if let Some(position) = machine.plans.get_mut(index) {
                *position = Some(Rc::new(plan));
            }
        }
        self.counts.resize(self.arcs.len(), 0);
        text
    }
}

/// What a state is called in the attributes of a scenario.
fn called(state: &State, options: Options) -> &str {
    if state.id == INITIAL && !options.by_key { "initialState" } else { &state.id }
}
