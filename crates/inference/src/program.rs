//! A pattern made ready to run: names are numbers, constant parts of paths are looked up, and the
//! transitions for an event are found by its symbol.

use std::collections::HashMap;

use model::Symbol;
use model::machine::condition::Operand as Left;
use model::machine::segment::SegmentSource;
use model::machine::{
    Assignment, Comparison, Condition, Expression, Mode, Path, PathStep, Pattern, Script, Segment,
    SegmentEnd, SegmentName, SegmentTime, StackRead, Step, StepKind, ValueExpr, ValueSource, ValueType,
};

use super::states::{NodeId, ROOT, StateSystem};
use super::value::{Name, TextId, Texts, Value};

/// A field that the pattern asks for, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldId(pub(super) u32);

/// A path from a fixed attribute on.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub(super) start: NodeId,
    pub(super) steps: Vec<RouteStep>,
    /// It leads to the key of the scenario: the most frequent of all.
    pub(super) is_own_key: bool,
    /// Routes of equal paths have equal numbers.
    pub(super) id: usize,
    /// What its end depends on besides the event.
    pub(super) needs: Needs,
}

/// What the end of a route depends on besides the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Needs {
    /// The scenario that asks.
    pub(super) asker: bool,
    /// The state in which it is.
    pub(super) state: bool,
    /// Values of attributes.
    pub(super) values: bool,
}

#[derive(Debug, Clone)]
pub(super) enum RouteStep {
    Child(Name),
    Scenario,
    StateName,
    Field(FieldId),
    EventName,
    Query(Box<Route>),
    /// An attribute of a pool.
    Pool,
    /// It leads nowhere.
    Undefined,
}

#[derive(Debug, Clone)]
pub(super) enum Source {
    Fixed(Value),
    Field(FieldId),
    EventName,
    Query(Route, StackRead),
    Script(Box<ScriptPlan>),
}

/// An expression with the values of its names.
#[derive(Debug, Clone)]
pub(super) struct ScriptPlan {
    pub(super) expression: Expression,
    pub(super) names: Vec<Expr>,
}

#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub(super) source: Source,
    pub(super) forced: Option<ValueType>,
    pub(super) mapping: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) enum Question {
    Field(FieldId, Comparison, Expr),
    Route(Route, Comparison, Expr),
    Same(Expr, Comparison, Expr),
    Within { begin: i64, end: i64, inside: bool },
    Elapsed { comparison: Comparison, since: TextId, nanoseconds: i64 },
    All(Vec<Question>),
    Any(Vec<Question>),
    Not(Box<Question>),
}

#[derive(Debug, Clone)]
pub(super) enum Effect {
    Assign { route: Route, value: Expr, mode: Mode, at: Option<Expr> },
    Segment(Box<SegmentPlan>),
    Run(usize),
    If { question: Question, then: Vec<Effect>, otherwise: Vec<Effect> },
}

#[derive(Debug, Clone)]
pub(super) struct SegmentPlan {
    pub(super) name: Expr,
    pub(super) begin_end: Option<(Expr, Expr, bool)>,
    pub(super) content: Vec<(String, Expr)>,
}

/// A pattern made ready to run. The machines themselves stay in the pattern.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) tests: Vec<Question>,
    pub(super) actions: Vec<Vec<Effect>>,
    /// By handler: what it writes.
    pub(super) handlers: Vec<Vec<Effect>>,
    pub(super) fields: Vec<String>,
    pub(super) mappings: Vec<Vec<(Expr, Expr)>>,
    pub(super) stored: Vec<(FieldId, Name)>,
    /// Whether any path looks at what the engine itself knows of scenarios.
    pub(super) reads_scenarios: bool,
    /// Whether any condition asks when a state was entered.
    pub(super) asks_entered: bool,
    pub(super) routes: HashMap<Path, usize>,
    field_ids: HashMap<String, FieldId>,
}

/// What is needed to make a program, apart from the pattern.
pub(super) struct Compiler<'a> {
    pub(super) texts: &'a mut Texts,
    pub(super) states: &'a mut StateSystem,
    pub(super) program: Program,
}

impl Program {
    /// Makes `pattern` ready.
    pub(super) fn compile(pattern: &Pattern, texts: &mut Texts, states: &mut StateSystem) -> Program {
        let program = Program {
            tests: Vec::new(),
            actions: Vec::new(),
            handlers: Vec::new(),
            fields: Vec::new(),
            mappings: Vec::new(),
            stored: Vec::new(),
            reads_scenarios: false,
            asks_entered: false,
            routes: HashMap::new(),
            field_ids: HashMap::new(),
        };
        let mut compiler = Compiler { texts, states, program };
        for group in &pattern.mappings {
            let entries = group.entries.iter();
            let entries = entries.map(|(from, to)| (compiler.expr(from), compiler.expr(to))).collect();
            compiler.program.mappings.push(entries);
        }
        for test in &pattern.tests {
            let question = compiler.question(&test.condition);
            compiler.program.tests.push(question);
        }
        for action in &pattern.actions {
            let effects = action.steps.iter().flat_map(|step| compiler.step(step)).collect();
            compiler.program.actions.push(effects);
        }
        for handler in &pattern.handlers {
            let effects = handler.steps.iter().flat_map(|step| compiler.step(step)).collect();
            compiler.program.handlers.push(effects);
        }
        for stored in &pattern.stored_fields {
            let field = compiler.field(&stored.field);
            let alias = compiler.texts.name(&stored.alias);
            compiler.program.stored.push((field, alias));
        }
        compiler.program
    }

    /// The number of a field, which is added when it is new.
    pub(super) fn field(&mut self, name: &str) -> FieldId {
        if let Some(&id) = self.field_ids.get(name) {
            return id;
        }
        let id = FieldId(u32::try_from(self.fields.len()).unwrap_or(u32::MAX));
        self.fields.push(name.to_owned());
        self.field_ids.insert(name.to_owned(), id);
        id
    }
}

impl Compiler<'_> {
    fn field(&mut self, name: &str) -> FieldId {
        self.program.field(name)
    }

    pub(super) fn route(&mut self, path: &Path) -> Route {
        let mut route = Route {
            start: ROOT,
            steps: Vec::new(),
            is_own_key: *path == Path::own_key(),
            id: 0,
            needs: Needs::default(),
        };
        for (index, step) in path.steps.iter().enumerate() {
            let step = match step {
                PathStep::Constant(name) => {
                    let text = name.as_str();
                    let after_scenario = index > 0
                        && path.steps.get(index - 1) == Some(&PathStep::CurrentScenario)
                        && matches!(text, "status" | "state" | "startTime");
                    self.program.reads_scenarios |= after_scenario || (index == 0 && text == "scenarios");
                    let name = self.texts.name(text);
                    if route.steps.is_empty() {
                        route.start = self.states.child(route.start, name);
                        continue;
                    }
                    RouteStep::Child(name)
                }
                PathStep::CurrentScenario => RouteStep::Scenario,
                PathStep::CurrentState => RouteStep::StateName,
                PathStep::Field(name) => RouteStep::Field(self.field(name)),
                PathStep::EventName => RouteStep::EventName,
                PathStep::Query(path) => RouteStep::Query(Box::new(self.route(path))),
                PathStep::Pool => RouteStep::Pool,
                PathStep::Undefined => RouteStep::Undefined,
            };
            match &step {
                RouteStep::Scenario | RouteStep::Pool => route.needs.asker = true,
                RouteStep::StateName => route.needs.state = true,
                RouteStep::Query(inner) => {
                    // A key changes so rarely that whoever writes it makes all routes be walked anew.
                    route.needs.values |= !inner.is_own_key;
                    route.needs.values |= inner.needs.values;
                    route.needs.asker |= inner.needs.asker;
                    route.needs.state |= inner.needs.state;
                }
                RouteStep::Child(_) | RouteStep::Field(_) | RouteStep::EventName | RouteStep::Undefined => {}
            }
            route.steps.push(step);
        }
        let next = self.program.routes.len();
        route.id = *self.program.routes.entry(path.clone()).or_insert(next);
        route
    }

    fn expr(&mut self, value: &ValueExpr) -> Expr {
        let source = match &value.source {
            ValueSource::Null => Source::Fixed(Value::Null),
            ValueSource::Int(number) => Source::Fixed(Value::Int(*number)),
            ValueSource::Long(number) => Source::Fixed(Value::Long(*number)),
            ValueSource::Text(text) => Source::Fixed(Value::Text(self.texts.intern(text))),
            ValueSource::Field(name) => Source::Field(self.field(name)),
            ValueSource::EventName => Source::EventName,
            ValueSource::Query(path, stack) => Source::Query(self.route(path), *stack),
            ValueSource::Script(script) => {
                let Script { expression, names, .. } = &**script;
                let names = names.iter().map(|(_, value)| self.expr(value)).collect();
                Source::Script(Box::new(ScriptPlan { expression: expression.clone(), names }))
            }
        };
        Expr { source, forced: value.forced, mapping: value.mapping }
    }

    fn question(&mut self, condition: &Condition) -> Question {
        let all = |compiler: &mut Self, parts: &[Condition]| -> Vec<Question> {
            parts.iter().map(|part| compiler.question(part)).collect()
        };
        match condition {
            Condition::Compare { left: Left::Field(name), comparison, right } => {
                Question::Field(self.field(name), *comparison, self.expr(right))
            }
            Condition::Compare { left: Left::Path(path), comparison, right } => {
                Question::Route(self.route(path), *comparison, self.expr(right))
            }
            Condition::Same(left, comparison, right) => {
                Question::Same(self.expr(left), *comparison, self.expr(right))
            }
            Condition::Within { begin, end, inside } => {
                Question::Within { begin: *begin, end: *end, inside: *inside }
            }
            Condition::Elapsed { comparison, since, nanoseconds } => {
                self.program.asks_entered = true;
                let since = self.texts.intern(since);
                Question::Elapsed { comparison: *comparison, since, nanoseconds: *nanoseconds }
            }
            Condition::All(parts) => Question::All(all(self, parts)),
            Condition::Any(parts) => Question::Any(all(self, parts)),
            Condition::Not(part) => Question::Not(Box::new(self.question(part))),
        }
    }

    fn step(&mut self, step: &Step) -> Vec<Effect> {
        let then = step.then.iter().map(|kind| self.effect(kind)).collect();
        let Some(condition) = &step.condition else { return then };
        let question = self.question(condition);
        let otherwise = step.otherwise.iter().map(|kind| self.effect(kind)).collect();
        vec![Effect::If { question, then, otherwise }]
    }

    fn effect(&mut self, kind: &StepKind) -> Effect {
        match kind {
            StepKind::Assign(Assignment { path, value, mode, at, .. }) => Effect::Assign {
                route: self.route(path),
                value: self.expr(value),
                mode: *mode,
                at: at.as_ref().map(|at| self.expr(at)),
            },
            StepKind::Segment(segment) => Effect::Segment(Box::new(self.segment(segment))),
            StepKind::Choose(step) => {
                let mut chosen = self.step(step);
                // A step with a condition is one effect.
                match (chosen.pop(), chosen.is_empty()) {
                    (Some(only), true) => only,
                    (last, _) => {
                        chosen.extend(last);
                        let always = Question::All(Vec::new());
                        Effect::If { question: always, then: chosen, otherwise: Vec::new() }
                    }
                }
            }
            StepKind::Run(index) => Effect::Run(*index),
        }
    }

    fn segment(&mut self, segment: &Segment) -> SegmentPlan {
        let name = match &segment.name {
            SegmentName::Fixed(name) => self.expr(&ValueSource::Text(name.clone()).into()),
            SegmentName::Value(value) => self.expr(value),
        };
        let begin_end = match &segment.time {
            SegmentTime::Scenario => None,
            SegmentTime::Given { begin, end } => {
                let begin = self.expr(begin);
                Some(match end {
                    SegmentEnd::At(end) => (begin, self.expr(end), false),
                    SegmentEnd::After(duration) => (begin, self.expr(duration), true),
                })
            }
        };
        let content = segment.content.iter().map(|field| {
            let value = match &field.value {
                SegmentSource::Value(value) => self.expr(value),
                SegmentSource::Path(path) => {
                    self.expr(&ValueSource::Query(path.clone(), StackRead::No).into())
                }
            };
            (field.name.clone(), value)
        });
        SegmentPlan { name, begin_end, content: content.collect() }
    }
}

/// The transitions of one machine for the events of one name.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// By state: its transitions for the event, in their order.
    pub(super) states: Vec<Vec<Candidate>>,
    /// Whether any state has one.
    pub(super) concerns: bool,
    /// The rule that names the instances; `None`: no rule is meant for this event.
    pub(super) rule: Option<usize>,
}

/// A transition for the events of one name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// Its index among the transitions of its state.
    pub(super) transition: u32,
    /// Its place in the statistics: source, target and event name.
    pub(super) arc: u32,
}

/// Numbers for (machine, source, target, event name).
#[derive(Debug, Default)]
pub(super) struct Arcs {
    ids: HashMap<(u32, u32, u32, Symbol), u32, rustc_hash::FxBuildHasher>,
}

impl Arcs {
    pub(super) fn id(&mut self, key: (u32, u32, u32, Symbol)) -> u32 {
        let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        *self.ids.entry(key).or_insert(next)
    }

    pub(super) fn find(&self, key: (u32, u32, u32, Symbol)) -> Option<u32> {
        self.ids.get(&key).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

impl Plan {
    /// The plan of machine number `index` for events called `name`.
    pub(super) fn make(pattern: &Pattern, index: usize, symbol: Symbol, name: &str, arcs: &mut Arcs) -> Plan {
        let Some(machine) = pattern.machines.get(index) else { return Plan::default() };
        let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let mut plan = Plan::default();
        for (source, state) in machine.states.iter().enumerate() {
            let fitting = state.transitions.iter().enumerate();
            let fitting = fitting.filter(|(_, transition)| transition.events.matches(name));
            let candidates: Vec<_> = fitting
                .map(|(number, transition)| Candidate {
                    transition: narrow(number),
                    arc: arcs.id((narrow(index), narrow(source), narrow(transition.target), symbol)),
                })
                .collect();
            plan.concerns |= !candidates.is_empty();
            plan.states.push(candidates);
        }
        plan.rule =
            machine.keys.as_ref().and_then(|rules| rules.iter().position(|rule| rule.events.matches(name)));
        plan
    }
}
