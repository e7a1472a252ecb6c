//! The rules of one machine, made ready from the model: what an event of some name does to an
//! instance, which instances it concerns, and which events could take an instance from state to
//! state unseen.
//!
//! Nothing in here knows a kernel. That a switch takes one thread off a CPU and brings another is
//! read off the transitions: of the fields that name an instance, one leads from states that stay
//! on a CPU to others, and one the other way.

use model::Alphabet;
use model::machine::{EventPattern, KeySource, Machine, Pattern};

use crate::state_machines::ask::{Ask, is_key};
use crate::state_machines::facts::{Facts, Kind};
use crate::state_machines::plan::LostArc;
use crate::state_machines::plan::{Arc, Part, Plan, Role};
use crate::state_machines::state_estimate::{Row, Target};
use crate::state_set::Shape;
use crate::value::{Name, Texts, Value};

/// One machine.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) index: usize,
    pub(crate) shape: Shape,
    pub(crate) plans: Vec<Option<Plan>>,
    pub(crate) rows: Vec<Row>,
    pub(crate) lost: Vec<LostArc>,
    pub(crate) states: usize,
    pub(crate) tests: Vec<Ask>,
    /// By symbol: see [`Rules::plain`].
    plain: Vec<u32>,
}

const NOT_PLAIN: u32 = u32::MAX;

/// Tests of one event that are evaluated, one bit each.
const MOST_ASKS: usize = 62;

/// Values that are counted for a field.
const MOST_VALUES: usize = 64;

impl Rules {
    pub(crate) fn new(
        pattern: &Pattern,
        index: usize,
        facts: &mut Facts,
        texts: &mut Texts,
    ) -> Option<Rules> {
        let machine = pattern.machines.get(index)?;
        let mut slot = |name: &str| facts.slot(name, Kind::Asked);
        let tests: Vec<Ask> =
            pattern.tests.iter().map(|test| Ask::new(&test.condition, texts, &mut slot)).collect();
        let shape = Shape::new(machine);
        let mut rules = Rules {
            index,
            shape,
            plans: Vec::new(),
            rows: Vec::new(),
            lost: Vec::new(),
            states: machine.states.len(),
            tests,
            plain: Vec::new(),
        };
        rules.lost = rules.lost_arcs(machine, facts, texts);
        Some(rules)
    }

    /// Whether a transition of it needs attributes.
    pub(crate) fn needs_attributes(&self, machine: &Machine) -> bool {
        let mut tests = machine.states.iter().flat_map(|state| &state.transitions).flat_map(|t| &t.tests);
        tests.any(|test| self.tests.get(*test).is_none_or(Ask::needs_attributes))
    }

    /// The row of an event that asks nothing and concerns one instance, who runs on its CPU or the CPU.
    #[inline]
    pub(crate) fn plain(&self, symbol: u32) -> Option<u32> {
        self.plain.get(symbol as usize).copied().filter(|row| *row != NOT_PLAIN)
    }

    pub(crate) fn test(&self, test: usize) -> Option<&Ask> {
        self.tests.get(test)
    }

    /// The tests of a plan that only attributes can answer.
    pub(crate) fn attribute_tests(&self, symbol: u32) -> Vec<usize> {
        let asks = self.plan(symbol).into_iter().flat_map(|plan| &plan.asks);
        asks.filter(|(_, ask)| ask.needs_attributes()).map(|(test, _)| *test).collect()
    }

    /// Whether events of this name concern any instance.
    #[inline]
    pub(crate) fn knows(&self, symbol: u32) -> bool {
        matches!(self.plans.get(symbol as usize), Some(Some(_)))
    }

    #[inline]
    pub(crate) fn plan(&self, symbol: u32) -> Option<&Plan> {
        self.plans.get(symbol as usize)?.as_ref()
    }

    #[inline]
    pub(crate) fn row(&self, row: u32) -> Option<&Row> {
        self.rows.get(row as usize)
    }

    /// Learns what events called `name` are to the machine.
    pub(crate) fn prepare(
        &mut self,
        machine: &Machine,
        (symbol, name): (u32, &str),
        facts: &mut Facts,
        texts: &mut Texts,
        stems: &mut Alphabet,
    ) {
        while self.plans.len() <= symbol as usize {
            self.plans.push(None);
            self.plain.push(NOT_PLAIN);
        }
        let Some(rule) = machine.keys.iter().flatten().find(|rule| rule.events.matches(name)) else { return };
        let mut slot = |name: &str| facts.slot(name, Kind::Asked);
        let parts = rule.sources.iter().map(|source| match source {
            KeySource::Field(name) => Part::Field(slot(name)),
            KeySource::Cpu => Part::Cpu,
            KeySource::RunningThread => Part::Runs,
        });
        let parts: Vec<Part> = parts.collect();
        let sends_to = rule.sends_to.as_deref().map(&mut slot);
        let within = rule.within.as_deref().map(&mut slot);
        let mut plan = Plan {
            role: Role::Plain,
            except: rule.except.iter().map(|name| texts.name(name)).collect(),
            sends_to,
            within,
            like: None,
            asks: Vec::new(),
            of_attributes: 0,
            arcs: Vec::new(),
            asked: Vec::new(),
            rows: Vec::new(),
            quick: Vec::new(),
            lost: Vec::new(),
            values: Vec::new(),
            parts,
        };
        for (number, state) in machine.states.iter().enumerate() {
            let mut arcs = Vec::new();
            for (position, transition) in state.transitions.iter().enumerate() {
                let Some(pattern) = matching(&transition.events, name) else { continue };
                let stem = stems.intern(stem(pattern, name)).0;
                let like = transition.like.as_deref().map(&mut slot);
                plan.like = plan.like.or(like);
                let asks = transition.tests.iter().map(|&test| {
                    plan.asks.iter().position(|(known, _)| *known == test).unwrap_or_else(|| {
                        let ask = self.tests.get(test).cloned().unwrap_or(Ask::Attributes);
                        plan.asks.push((test, ask));
                        plan.asks.len() - 1
                    })
                });
                let asks = asks.collect();
                arcs.push(Arc {
                    asks,
                    like,
                    target: Target {
                        set: self.shape.expand(transition.target),
                        opens: transition.opens.then_some(stem),
                        closes: transition.closes.then_some(stem),
                        is_like: like.is_some(),
                        transition: position as u32,
                        state: number as u32,
                    },
                });
            }
            plan.arcs.push(arcs);
        }
        if plan.arcs.iter().all(Vec::is_empty) {
            return;
        }
        for (position, (_, ask)) in plan.asks.iter().enumerate() {
            ask.fields(&mut plan.asked);
            if position < MOST_ASKS && ask.needs_attributes() {
                plan.of_attributes |= 1 << position;
            }
        }
        plan.asked.sort_unstable();
        plan.asked.dedup();
        let keys = |slot: &usize| plan.parts.contains(&Part::Field(*slot));
        plan.values = plan.asked.iter().filter(|slot| !keys(slot)).map(|slot| (*slot, Vec::new())).collect();
        for part in plan.parts.clone() {
            let row = plan.lost_row(symbol, part, texts);
            self.rows.push(row);
            plan.lost.push((part, self.rows.len() as u32 - 1));
        }
        plan.role = self.role(&plan);
        let mut wanted = plan.asked.clone();
        wanted.extend(plan.parts.iter().filter_map(|part| match part {
            Part::Field(slot) => Some(*slot),
            _ => None,
        }));
        wanted.extend(plan.sends_to);
        wanted.extend(plan.within);
        wanted.extend(plan.like);
        if !wanted.is_empty() {
            // The fields of a switch about the previous and the next instance are reported again in lost events.
            facts.want(symbol, &wanted, matches!(plan.role, Role::Switch { .. }));
        }
        if plan.asks.is_empty()
            && plan.like.is_none()
            && (plan.role == Role::Running || plan.parts == [Part::Cpu])
        {
            self.rows.push(Row::new(symbol, &plan.targets(&|_| None, false)));
            let row = self.rows.len() as u32 - 1;
            plan.rows.push((0, row));
            if let Some(position) = self.plain.get_mut(symbol as usize) {
                *position = row;
            }
        }
        if let Some(position) = self.plans.get_mut(symbol as usize) {
            *position = Some(plan);
        }
    }

    /// What an event is, read off where it leads the instances that it names.
    fn role(&self, plan: &Plan) -> Role {
        if plan.parts == [Part::Runs] {
            return Role::Running;
        }
        let on = self.shape.stays;
        let leads = |from_on: bool| {
            let fits = |(part, row): &&(Part, u32)| {
                matches!(part, Part::Field(_))
                    && self.row(*row).is_some_and(|row| {
                        row.accepts.iter().any(|state| {
                            on.has(state) == from_on
                                && row.target(state, crate::state_machines::state_estimate::ANY).is_some_and(
                                    |target| {
                                        target
                                            .set
                                            .iter()
                                            .any(|to| on.has(to) != from_on && !self.is_start(state))
                                    },
                                )
                        })
                    })
            };
            plan.lost.iter().find(fits).map(|(part, _)| *part)
        };
        match (leads(true), leads(false)) {
            (Some(Part::Field(prev_field)), Some(Part::Field(next_field))) if prev_field != next_field => {
                Role::Switch { prev_field, next_field }
            }
            _ => Role::Plain,
        }
    }

    fn is_start(&self, state: usize) -> bool {
        self.shape.initial.has(state)
    }

    /// The row of a seen event for the instance `key`, which has `part` in it. `attributes` answers
    /// tests that need those; `is_like` whether the instance that it is like has something open.
    pub(crate) fn row_of(
        &mut self,
        symbol: u32,
        (part, key): (Part, Name),
        facts: &Facts,
        texts: &Texts,
        is_like: bool,
        attributes: &mut dyn FnMut(usize) -> bool,
    ) -> Option<u32> {
        let plan = self.plans.get_mut(symbol as usize)?.as_mut()?;
        if plan.asks.is_empty()
            && plan.like.is_none()
            && let Some(&(_, row)) = plan.rows.first()
        {
            return Some(row);
        }
        // Most events ask for the key and one more field: what was worked out is found again.
        let quick = match (part, &*plan.asked) {
            (Part::Field(slot), []) if plan.like.is_none() => Some((slot, None)),
            (Part::Field(slot), &[asked]) if plan.like.is_none() => match facts.get(asked) {
                Some(Value::Long(value)) => Some((slot, Some(value))),
                _ => None,
            },
            _ => None,
        };
        if let Some((slot, value)) = quick
            && let Some(known) = plan.quick.iter().find(|known| (known.0, known.1) == (slot, value))
        {
            return Some(known.2);
        }
        let known = |slot: usize| Some(facts.get(slot));
        let own = |slot: usize| Some(facts.get(slot).is_some_and(|value| is_key(texts, key, value)));
        let mut bits = u64::from(is_like) << 63;
        let is_simple = plan.of_attributes == 0;
        for (position, (test, ask)) in plan.asks.iter().enumerate().take(MOST_ASKS) {
            let holds = match plan.of_attributes >> position & 1 == 1 {
                true => attributes(*test),
                false => ask.holds(texts, &known, &own).unwrap_or(false),
            };
            bits |= u64::from(holds) << position;
        }
        let row = match plan.rows.iter().find(|known| known.0 == bits) {
            Some(&(_, row)) => row,
            None => {
                let states = plan.targets(&|ask| Some(bits >> ask & 1 == 1), is_like);
                self.rows.push(Row::new(symbol, &states));
                let row = self.rows.len() as u32 - 1;
                plan.rows.push((bits, row));
                row
            }
        };
        // Two fields that name the same instance are answered one by one.
        let is_twice =
            plan.parts.iter().filter(|part| matches!(part, Part::Field(slot) if own(*slot) == Some(true)));
        if let Some((slot, value)) = quick
            && is_simple
            && is_twice.count() == 1
            && plan.quick.len() < 256
        {
            plan.quick.push((slot, value, row));
        }
        Some(row)
    }

    /// Counts the values of the fields that tests ask for.
    pub(crate) fn count_values(&mut self, symbol: u32, facts: &Facts) {
        let Some(Some(plan)) = self.plans.get_mut(symbol as usize) else { return };
        for (slot, values) in &mut plan.values {
            let Some(Value::Long(value)) = facts.get(*slot) else { continue };
            if let Some((_, times)) = values.iter_mut().find(|(known, _)| *known == value) {
                *times += 1;
            } else if values.len() < MOST_VALUES {
                values.push((value, 1));
            }
        }
    }
}

/// The name of the transition that an event name is an instance of; all events have an empty one.
fn matching<'p>(events: &'p EventPattern, name: &str) -> Option<&'p str> {
    if events.is_any() { Some("") } else { events.matching(name) }
}

/// What the first `*` of a pattern stands for in a name.
pub(crate) fn stem<'n>(pattern: &str, name: &'n str) -> &'n str {
    let Some((before, after)) = pattern.split_once('*') else { return "" };
    let rest = name.strip_prefix(before).unwrap_or(name);
    rest.strip_suffix(after).unwrap_or(rest)
}
