//! What all machines of a pattern share while a trace is walked: the present event, the attributes,
//! the losses, the names, and what was found.

use std::collections::HashMap;
use std::sync::Arc;

use model::machine::{Condition, Machine, Pattern};
use model::{Alphabet, Choice, Scalar, Symbol};
use rustc_hash::FxBuildHasher;

use crate::choices::hypothesis_choices::HypothesisChoices;
use crate::estimate::instances::spans::InstanceSpan;
use crate::estimate::losses::Settled;
use crate::estimate::losses::marks::Marks;
use crate::keys::RunningThreads;
use crate::model::{Hypotheses, Inconsistency, InferredEvent, LongLoss};
use crate::names::Names;
use crate::program::Program;
use crate::state_machines::askers::{asker, value_of};
use crate::state_machines::facts::Facts;
use crate::state_machines::plan::Part;
use crate::state_machines::rules::Rules;
use crate::state_machines::state_estimate::Target;
use crate::state_set::StateSet;
use crate::states::{NodeId, ROOT};
use crate::value::{Name, TextId, Value};
use crate::windows::Windows;
use crate::world::{Asker, Input, World};

/// What an engine retains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// The past of the attributes.
    pub history: bool,
    /// For every instance, when it may have been in which states.
    pub spans: Spans,
}

/// Which spans are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spans {
    /// None.
    #[default]
    None,
    /// Those in which more than one state was possible.
    Uncertain,
    /// All.
    All,
}

impl Spans {
    pub(crate) fn wants(self, is_certain: bool) -> bool {
        match self {
            Spans::None => false,
            Spans::Uncertain => !is_certain,
            Spans::All => true,
        }
    }
}

/// The attributes, and what asks them.
#[derive(Debug)]
pub(crate) struct Attributes {
    world: World,
    nodes: HashMap<(usize, Name), (NodeId, NodeId), FxBuildHasher>,
    scenarios: NodeId,
    attribute: Name,
}

impl std::ops::Deref for Attributes {
    type Target = World;
    fn deref(&self) -> &World {
        &self.world
    }
}

impl std::ops::DerefMut for Attributes {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

impl Attributes {
    fn new(mut world: World) -> Attributes {
        let scenarios = world.texts.name("scenarios");
        let scenarios = world.states.child(ROOT, scenarios);
        let attribute = world.texts.name("attribute");
        Attributes { world, nodes: HashMap::default(), scenarios, attribute }
    }

    /// The instance as one who asks.
    pub(crate) fn asker(&mut self, machine: usize, key: Name, input: &Input<'_>) -> Asker<'static> {
        if let Some(&(node, own)) = self.nodes.get(&(machine, key)) {
            return asker(node, own, input);
        }
        let states = &mut self.world.states;
        let node = states.child(self.scenarios, Name::Number(machine as i64));
        let node = states.child(node, key);
        let own = states.child(node, self.attribute);
        states.set(own, input.time, value_of(key));
        self.nodes.insert((machine, key), (node, own));
        asker(node, own, input)
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) pattern: Arc<Pattern>,
    /// What machines and states are called.
    pub(crate) called: Names,
    pub(crate) world: Attributes,
    pub(crate) program: Program,
    /// Whether tests need attributes, or somebody wants their past.
    pub(crate) needs_attributes: bool,
    pub(crate) running: RunningThreads,
    pub(crate) facts: Facts,
    pub(crate) windows: Windows,
    pub(crate) retention: Retention,
    pub(crate) spans: Vec<InstanceSpan>,
    pub(crate) incoherences: Vec<Inconsistency>,
    pub(crate) inferred: Vec<InferredEvent>,
    /// What events reported of who runs, and what was estimated from that.
    pub(crate) marks: Marks,
    pub(crate) estimated: Vec<InferredEvent>,
    pub(crate) long_losses: Vec<LongLoss>,
    /// By CPU, when its last event was.
    pub(crate) last_of: HashMap<u32, i64, FxBuildHasher>,
    pub(crate) settled: Vec<Settled>,
    pub(crate) choices: HypothesisChoices,
    /// What `*` stands for in names.
    pub(crate) stems: Alphabet,
    /// Names of events by symbol.
    pub(crate) names: Vec<Option<TextId>>,
    pub(crate) by_name: HashMap<String, u32, FxBuildHasher>,
    pub(crate) ordinal: u64,
    pub(crate) last_time: i64,
    pub(crate) is_over: bool,
    /// What happens on the CPU of the present event is uncertain.
    pub(crate) is_uncertain: bool,
}

impl Shared {
    /// A key as the value of a field.
    pub(crate) fn scalar(&self, key: Name) -> Scalar {
        match key {
            Name::Number(number) => Scalar::Number(number),
            Name::Text(text) => Scalar::Text(self.world.texts.get(text).to_owned()),
        }
    }

    pub(crate) fn new(pattern: &Arc<Pattern>, retention: Retention) -> Shared {
        let mut world = World::new(retention.history, false);
        let mut program = Program::compile(pattern, &mut world.texts, &mut world.states);
        let running = RunningThreads::new(&mut world, &mut program);
        Shared {
            pattern: Arc::clone(pattern),
            called: Names::new(pattern),
            world: Attributes::new(world),
            program,
            needs_attributes: retention.history,
            running,
            facts: Facts::default(),
            windows: Windows::default(),
            retention,
            spans: Vec::new(),
            incoherences: Vec::new(),
            inferred: Vec::new(),
            marks: Marks::default(),
            estimated: Vec::new(),
            long_losses: Vec::new(),
            last_of: HashMap::default(),
            settled: Vec::new(),
            choices: HypothesisChoices::default(),
            stems: Alphabet::default(),
            names: Vec::new(),
            by_name: HashMap::default(),
            ordinal: 0,
            last_time: 0,
            is_over: false,
            is_uncertain: false,
        }
    }

    /// The key that a value is.
    #[inline]
    pub(crate) fn key_of(&self, value: Value) -> Option<Name> {
        match value {
            Value::Long(number) => Some(Name::Number(number)),
            Value::Null => None,
            Value::Text(id) => Some(match self.world.texts.find_name(id) {
                Some(number) => Name::Number(number),
                None => Name::Text(id),
            }),
            other => other.as_i64().map(Name::Number),
        }
    }

    /// What a test of the pattern asks.
    pub(crate) fn test(&self, test: usize) -> Option<&Condition> {
        self.pattern.tests.get(test).map(|test| &test.condition)
    }

    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        let name = self.names.get(symbol.0 as usize).copied().flatten();
        name.map_or("?", |name| self.world.texts.get(name))
    }

    pub(crate) fn event_name(&self, symbol: Symbol) -> Arc<str> {
        let name = self.names.get(symbol.0 as usize).copied().flatten();
        name.map_or_else(|| "?".into(), |name| self.world.texts.shared(name))
    }

    /// Does what a transition does.
    pub(crate) fn act(
        &mut self,
        machine: &Machine,
        number: usize,
        key: Option<Name>,
        target: Target,
        input: &Input<'_>,
    ) {
        let Some(key) = key else { return };
        let transition = machine.states.get(target.state as usize);
        let transition = transition.and_then(|state| state.transitions.get(target.transition as usize));
        let Some(transition) = transition else { return };
        let asker = self.world.asker(number, key, input);
        for action in &transition.actions {
            if let Some(effects) = self.program.actions.get(*action) {
                self.world.world.act(&self.program, effects, input, &asker);
            }
        }
    }

    /// The explanations that the user's choices leave of the events that were reported since, and those choices.
    pub(crate) fn decided(&mut self, since: usize) -> Option<(Hypotheses, Vec<Choice>)> {
        self.choices.allowed(self.inferred.get(since..)?)
    }

    /// Takes back what was reported since.
    pub(crate) fn take_back(&mut self, since: usize) -> Vec<InferredEvent> {
        let reported = self.inferred.split_off(since.min(self.inferred.len()));
        for window in reported.iter().filter_map(|event| event.window) {
            if let Some(window) = self.windows.all.get_mut(window) {
                window.inferred = window.inferred.saturating_sub(1);
            }
        }
        reported
    }

    /// Restricts an inferred event by later ones: they show from which states its instance came, which leaves only
    /// some values for the fields that decided where the event led.
    pub(crate) fn resolve(&mut self, reported: usize, accepted: StateSet, rules: &Rules) {
        let Some(event) = self.inferred.get_mut(reported) else { return };
        let Some(&symbol) = self.by_name.get(&event.key.name) else { return };
        let Some(plan) = rules.plan(symbol) else { return };
        let crate::state_machines::plan::Role::Switch { prev_field, .. } = plan.role else { return };
        let on = rules.shape.stays;
        for (slot, values) in &plan.values {
            let name = self.facts.name(*slot);
            let Some(field) = event.fields.iter_mut().find(|field| field.name == name) else { continue };
            let fits = |value: i64| {
                let known = |asked: usize| (asked == *slot).then_some(Some(Value::Long(value)));
                let after = plan.after(on, Part::Field(prev_field), &self.world.texts, &known);
                !after.and(accepted).is_empty()
            };
            crate::model::field_values::choose(field, event.probability.unwrap_or(1.0), values, &fits);
        }
    }
}
