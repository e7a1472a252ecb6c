//! The engine: gives events to machines.
//!
//! Two ways. As in Trace Compass, every scenario of a machine sees every event. Or, as the
//! founding text needs it, an event goes to the scenarios of the instances that it concerns, and
//! each is checked for coherence. The order of effects within an event is that of the notes on the
//! founding text, parts 1.3, 1.4 and 2.4, to the letter.
//!
//! The caller feeds events in the order of the reader and calls [`Engine::finish`] at the end. It
//! will not read, write or print anything. Memory follows the instances that are alive and what
//! [`Options`] ask to be kept, not the length of the trace.

use std::collections::HashMap;
use std::rc::Rc;

use model::machine::{Machine, Pattern};
use model::{Event, EventSource, Gap, Item, Symbol, Timestamp};
use rustc_hash::FxBuildHasher;

use super::coherence::Incoherence;
use super::kept::KeptEvent;
use super::keys::{Keys, Names, RunningThreads};
use super::memo::Memo;
use super::program::{Arcs, Candidate, Plan, Program};
use super::scenario::{Numbers, Scenario, Scenarios, Status};
use super::states::{NodeId, ROOT, StateSystem};
use super::value::{Name, TextId, Texts, Value};
use super::world::{Asker, Input, SegmentMade, World};

/// What an engine does and keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether an event goes only to the instances that it concerns. Checking needs it.
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

/// Why a pattern cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// One sentence.
    pub sentence: String,
}

/// A machine at run time.
#[derive(Debug)]
struct Running {
    index: usize,
    node: NodeId,
    plans: Vec<Option<Rc<Plan>>>,
    keys: Keys,
    pending: Option<u32>,
    active: HashMap<Name, u32, FxBuildHasher>,
    /// All scenarios in progress, in the order of their start.
    live: Vec<u32>,
    numbers: Numbers,
    has_started: bool,
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
    /// By symbol: the name of the event.
    names: Names,
    state_names: Vec<Vec<TextId>>,
    words: Words,
    running: RunningThreads,
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
    pub fn new(pattern: Pattern, options: Options) -> Result<Engine, Unfit> {
        let mut world = World::new(options.history, options.segments);
        let mut program = Program::compile(&pattern, &mut world.texts, &mut world.states);
        let mut machines = Vec::new();
        let scenarios = world.texts.name("scenarios");
        let scenarios = world.states.child(ROOT, scenarios);
        for &index in &pattern.started {
            let Some(machine) = pattern.machines.get(index) else { continue };
            machines.push(Running::new(index, machine, options, scenarios, &mut world, &mut program)?);
        }
        let state_names = pattern
            .machines
            .iter()
            .map(|machine| machine.states.iter().map(|state| world.texts.intern(&state.id)).collect());
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
            is_checking: options.checking == Checking::On,
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
        let (kept, fed) = match source.next_item()? {
            Item::Gap(gap) => return Some(Fed::Gap(gap)),
            Item::Event(event) => {
                let fed = Fed::Event { symbol: event.symbol, time: event.time };
                if let Some(name) = self.names.get(event.symbol) {
                    self.observe_named(&event, name);
                    return Some(fed);
                }
                // The reader tells a new name only when it has its event back.
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

    fn observe_named(&mut self, event: &Event<'_>, name: TextId) {
        let time = event.time.map_or(self.last_time, |time| time.0);
        self.last_time = time;
        self.first_time.get_or_insert(time);
        self.world.next_event(&self.program);
        let input = self.running.input((&self.program, &mut self.world), event, name, time);
        for place in 0..self.machines.len() {
            self.make_pending(place);
        }
        let pattern = Rc::clone(&self.pattern);
        for place in 0..self.machines.len() {
            self.dispatch(&pattern, place, &input);
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

    /// The trace is over. What is still active is cancelled, as the original does it: its
    /// attributes have no value from just before the last change.
    pub fn finish(&mut self) {
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
        if let Some(name) = self.names.get(symbol) {
            return name;
        }
        let index = symbol.0 as usize;
        let text = self.world.texts.intern(name);
        self.names.set(symbol, text);
        for machine in &mut self.machines {
            if machine.plans.len() <= index {
                machine.plans.resize(index + 1, None);
            }
            let plan = Plan::make(&self.pattern, machine.index, symbol, name, &mut self.arcs);
            if let Some(place) = machine.plans.get_mut(index) {
                *place = Some(Rc::new(plan));
            }
        }
        self.counts.resize(self.arcs.len(), 0);
        text
    }

    fn make_pending(&mut self, place: usize) {
        let Some(running) = self.machines.get_mut(place) else { return };
        let Some(machine) = self.pattern.machines.get(running.index) else { return };
        if running.pending.is_some() || (running.has_started && !machine.multiple) {
            return;
        }
        running.has_started = true;
        let number = running.numbers.take();
        let node = self.world.states.child(running.node, Name::Number(i64::from(number)));
        let scenario = Scenario {
            machine: u32::try_from(running.index).unwrap_or(u32::MAX),
            number,
            node,
            key_node: self.world.states.child(node, self.words.attribute),
            state: u32::try_from(machine.initial).unwrap_or(u32::MAX),
            status: Status::Pending,
            started: self.last_time,
            key: None,
            previous: None,
            entered: Vec::new(),
            counts: HashMap::default(),
            waiting: Vec::new(),
            is_cited: false,
            certainty: match (self.options.history, self.first_time) {
                (true, Some(first)) => vec![(first, false)],
                _ => Vec::new(),
            },
        };
        running.pending = Some(self.scenarios.add(scenario));
    }

    fn dispatch(&mut self, pattern: &Pattern, place: usize, input: &Input<'_>) {
        let Some(running) = self.machines.get(place) else { return };
        let Some(machine) = pattern.machines.get(running.index) else { return };
        let Some(Some(plan)) = running.plans.get(input.event.symbol.0 as usize) else { return };
        let plan = Rc::clone(plan);
        if self.options.by_key {
            self.dispatch_by_key(machine, place, &plan, input);
        } else if plan.concerns {
            self.dispatch_to_all(machine, place, &plan, input);
        }
    }

    fn dispatch_to_all(&mut self, machine: &Machine, place: usize, plan: &Plan, input: &Input<'_>) {
        if !self.preconditions_hold(machine, place, input) {
            return;
        }
        let live = self.machines.get(place).map_or_else(Vec::new, |running| running.live.clone());
        let mut taken = false;
        for scenario in live {
            taken |= self.handle(machine, place, scenario, plan, input, false);
            if taken && machine.consuming {
                return;
            }
        }
        if let Some(pending) = self.machines.get(place).and_then(|running| running.pending) {
            self.handle(machine, place, pending, plan, input, false);
        }
    }

    fn dispatch_by_key(&mut self, machine: &Machine, place: usize, plan: &Plan, input: &Input<'_>) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        if let Some(running) = self.machines.get(place) {
            running.keys.read(plan.rule, (&self.program, &mut self.world), input, &mut keys);
        }
        let (mut taken, count) = (0, keys.len());
        for key in &keys {
            let found = self.machines.get(place).and_then(|running| running.active.get(key).copied());
            if let Some(scenario) = found {
                let is_checked = self.is_checking && taken != count;
                taken += usize::from(self.handle(machine, place, scenario, plan, input, is_checked));
            }
        }
        let pending = self.machines.get(place).and_then(|running| running.pending);
        if let Some(pending) = pending
            && count > 0
            && plan.concerns
            && !(machine.consuming && taken > 0)
            && (machine
                .states
                .get(machine.initial)
                .is_some_and(|state| state.id == model::machine::fsm::INITIAL)
                || self.preconditions_hold(machine, place, input))
        {
            let is_checked = self.is_checking && taken != count;
            self.handle(machine, place, pending, plan, input, is_checked);
        }
        self.keys = keys;
    }

    fn preconditions_hold(&mut self, machine: &Machine, place: usize, input: &Input<'_>) -> bool {
        if machine.preconditions.is_empty() {
            return true;
        }
        let name = self.world.texts.get(input.name).to_owned();
        let Some(pending) = self.machines.get(place) else { return false };
        let scenario = pending.pending.and_then(|index| self.scenarios.get(index));
        let (node, key) = scenario.map_or((pending.node, pending.node), |s| (s.node, s.key_node));
        machine.preconditions.iter().any(|precondition| {
            precondition.events.matches(&name)
                && precondition.tests.iter().all(|test| {
                    let asker = Asker { node, key, state: input.name, started: input.time, entered: &[] };
                    let question = self.program.tests.get(*test);
                    question.is_some_and(|question| self.world.holds(&self.program, question, input, &asker))
                })
        })
    }

    /// Whether all tests of a transition hold for a scenario.
    fn fits(&mut self, scenario: u32, tests: &[usize], input: &Input<'_>) -> bool {
        let Some(state) = self.scenarios.get(scenario) else { return false };
        let names = self.state_names.get(state.machine as usize);
        let asker = Asker {
            node: state.node,
            key: state.key_node,
            state: names.and_then(|names| names.get(state.state as usize)).copied().unwrap_or(input.name),
            started: state.started,
            entered: &state.entered,
        };
        let about = (self.ordinal, scenario);
        self.memo.all_hold(about, (&self.program, &mut self.world), tests, input, &asker)
    }

    fn first_fit(
        &mut self,
        machine: &Machine,
        scenario: u32,
        state: u32,
        plan: &Plan,
        input: &Input<'_>,
    ) -> Option<Candidate> {
        let transitions = &machine.states.get(state as usize)?.transitions;
        let candidates = plan.states.get(state as usize)?;
        candidates.iter().copied().find(|candidate| {
            let transition = transitions.get(candidate.transition as usize);
            transition.is_some_and(|transition| self.fits(scenario, &transition.tests, input))
        })
    }

    /// Gives an event to a scenario; whether it took it.
    fn handle(
        &mut self,
        machine: &Machine,
        place: usize,
        scenario: u32,
        plan: &Plan,
        input: &Input<'_>,
        is_checked: bool,
    ) -> bool {
        let Some(state) = self.scenarios.get(scenario).map(|scenario| scenario.state) else { return false };
        let mut taken = false;
        if plan.concerns {
            if let Some(candidate) = self.first_fit(machine, scenario, state, plan, input) {
                self.take(machine, place, scenario, candidate, input);
                taken = true;
            } else if is_checked {
                taken = self.check(machine, place, scenario, plan, input);
            }
        }
        if let Some(scenario) = self.scenarios.get_mut(scenario) {
            scenario.previous = Some(input.time);
        }
        taken
    }

    /// No transition of the current state fits: is there another state that would have taken the
    /// event? Whether `#error` took it.
    fn check(
        &mut self,
        machine: &Machine,
        place: usize,
        scenario: u32,
        plan: &Plan,
        input: &Input<'_>,
    ) -> bool {
        let Some(state) = self.scenarios.get(scenario).map(|scenario| scenario.state) else { return false };
        let mut possible = std::mem::take(&mut self.possible);
        possible.clear();
        for (other, candidates) in (0u32..).zip(&plan.states) {
            if other == state || candidates.is_empty() {
                continue;
            }
            let Some(transitions) = machine.states.get(other as usize).map(|state| &state.transitions) else {
                continue;
            };
            for candidate in candidates {
                if let Some(transition) = transitions.get(candidate.transition as usize)
                    && self.fits(scenario, &transition.tests, input)
                {
                    possible.push((other, candidate.transition));
                }
            }
        }
        let found = (!possible.is_empty()).then(|| possible.clone());
        self.possible = possible;
        let Some(possible) = found else { return false };
        let Some(known) = self.scenarios.get_mut(scenario) else { return false };
        let incoherence = Incoherence {
            machine: known.machine as usize,
            key: String::new(),
            time: Timestamp(input.time),
            event: input.event.symbol,
            ordinal: self.ordinal,
            cpu: input.event.cpu,
            state: state as usize,
            previous: known.previous.map(Timestamp),
            possible,
            scenario,
        };
        match known.key {
            Some(key) => {
                known.is_cited = true;
                let key = self.world.texts.show_name(key);
                self.incoherences.push(Incoherence { key, ..incoherence });
            }
            None => known.waiting.push(incoherence),
        }
        let Some(error) = machine.error.and_then(|error| u32::try_from(error).ok()) else { return false };
        self.enter(scenario, error, input.time);
        match self.first_fit(machine, scenario, error, plan, input) {
            Some(candidate) => {
                self.take(machine, place, scenario, candidate, input);
                true
            }
            None => false,
        }
    }

    /// Takes a transition of the state in which the scenario is.
    fn take(
        &mut self,
        machine: &Machine,
        place: usize,
        scenario: u32,
        candidate: Candidate,
        input: &Input<'_>,
    ) {
        let Some(known) = self.scenarios.get_mut(scenario) else { return };
        let transition = machine.states.get(known.state as usize);
        let transition = transition.and_then(|state| state.transitions.get(candidate.transition as usize));
        let Some(transition) = transition else { return };
        *known.counts.entry(candidate.arc).or_insert(0) += 1;
        if let Some(count) = self.counts.get_mut(candidate.arc as usize) {
            *count += 1;
        }
        if known.status == Status::Pending {
            known.started = input.time;
        }
        if transition.saves_fields {
            self.world.store(&self.program, input, known.node, true);
        }
        let names = self.state_names.get(known.machine as usize);
        let asker = Asker {
            node: known.node,
            key: known.key_node,
            state: names.and_then(|names| names.get(known.state as usize)).copied().unwrap_or(input.name),
            started: known.started,
            entered: &known.entered,
        };
        for action in &transition.actions {
            if let Some(effects) = self.program.actions.get(*action) {
                self.world.act(&self.program, effects, input, &asker);
            }
        }
        if transition.is_broken {
            return;
        }
        if transition.clears_fields {
            self.world.store(&self.program, input, known.node, false);
        }
        // The original means events that leave only one state possible; as it works, every
        // transition that names its events counts as such (notes, part 2.5).
        if self.options.history && !transition.events.is_any() {
            known.certainty.push((input.time, true));
        }
        let is_first = known.status == Status::Pending;
        known.status = match Some(transition.target) {
            target if target == machine.last => Status::Matched,
            target if target == machine.abandon => Status::Abandoned,
            _ => Status::InProgress,
        };
        let status = known.status;
        self.enter(scenario, u32::try_from(transition.target).unwrap_or(u32::MAX), input.time);
        if is_first {
            self.bind(place, scenario);
        }
        if matches!(status, Status::Matched | Status::Abandoned) {
            self.end(place, scenario, input.time);
        }
    }

    /// Puts a scenario into a state.
    fn enter(&mut self, scenario: u32, state: u32, time: i64) {
        let Some(known) = self.scenarios.get_mut(scenario) else { return };
        known.state = state;
        let name = self.state_names.get(known.machine as usize).and_then(|names| names.get(state as usize));
        let Some(&name) = name else { return };
        if self.program.asks_entered {
            match known.entered.iter_mut().find(|(entered, _)| *entered == name) {
                Some((_, at)) => *at = time,
                None => known.entered.push((name, time)),
            }
        }
        if self.options.history || self.program.reads_scenarios {
            let (world, words) = (&mut self.world.states, &self.words);
            let status = world.child(known.node, words.status);
            world.set(status, time, Value::Int(known.status as i32));
            let start = world.child(known.node, words.start_time);
            world.set(start, time, Value::Long(known.started));
            let place = world.child(known.node, words.state);
            world.set(place, time, Value::Text(name));
            let place = world.child(place, Name::Text(name));
            let place = world.child(place, words.start_time);
            world.set(place, time, Value::Long(time));
        }
    }

    /// A scenario took its first transition: from now on it is about an instance.
    fn bind(&mut self, place: usize, scenario: u32) {
        let Some(running) = self.machines.get_mut(place) else { return };
        running.pending = None;
        running.live.push(scenario);
        self.scenarios.started += 1;
        let Some(known) = self.scenarios.get_mut(scenario) else { return };
        let value = self.world.states.value(known.key_node);
        let key = self.world.texts.name_of(value).unwrap_or(Name::Number(-1));
        known.key = Some(key);
        if self.options.by_key {
            running.active.insert(key, scenario);
        }
        for incoherence in std::mem::take(&mut known.waiting) {
            known.is_cited = true;
            let key = self.world.texts.show_name(key);
            self.incoherences.push(Incoherence { key, ..incoherence });
        }
    }

    /// A scenario came to its end.
    fn end(&mut self, place: usize, scenario: u32, time: i64) {
        let Some(running) = self.machines.get_mut(place) else { return };
        let Some(known) = self.scenarios.get(scenario) else { return };
        running.live.retain(|other| *other != scenario);
        if let Some(key) = known.key
            && running.active.get(&key) == Some(&scenario)
        {
            running.active.remove(&key);
        }
        running.numbers.give_back(known.number);
        self.world.states.clear(known.node, time);
        self.scenarios.end(scenario);
    }
}

impl Running {
    fn new(
        index: usize,
        machine: &Machine,
        options: Options,
        scenarios: NodeId,
        world: &mut World,
        program: &mut Program,
    ) -> Result<Running, Unfit> {
        if options.by_key && machine.keys.is_none() {
            let id = &machine.id;
            let sentence = format!(
                "Nothing says which instances of machine `{id}` an event concerns: `tw:instances` is missing."
            );
            return Err(Unfit { sentence });
        }
        let keys = Keys::new(machine, world, program);
        let name = world.texts.name(&machine.id);
        Ok(Running {
            index,
            node: world.states.child(scenarios, name),
            plans: Vec::new(),
            keys,
            pending: None,
            active: HashMap::default(),
            live: Vec::new(),
            numbers: Numbers::default(),
            has_started: false,
        })
    }
}
