//! Which instances an event concerns, from what the scenarios of a pattern keep and compare.
//!
//! ```text
//! start:  #CurrentScenario/thread := CPUs/{cpu}/Current_thread     the instance is the running thread,
//! later:  #CurrentScenario/thread == CPUs/{cpu}/Current_thread     and so says each later event
//! ```

use model::machine::{
    Comparison, Condition, EventPattern, KeyRule, KeySource, Machine, Operand, Path, PathStep, Pattern, Spot,
    State, Step, StepKind, Test, Transition, ValueExpr, ValueSource,
};

use super::condition::{is_constant, negated};
use super::{Derived, is_running_thread};

pub(super) fn work_out(pattern: &Pattern, derived: &mut Derived) {
    let mut started = Vec::new();
    for &index in &pattern.started {
        let Some(machine) = pattern.machines.get(index) else { continue };
        if machine.keys.is_some() {
            started.push(index);
            continue;
        }
        let moves = |from: usize, transition: &Transition| transition.target != from;
        let has_moves = machine
            .states
            .iter()
            .enumerate()
            .any(|(from, state)| state.transitions.iter().any(|transition| moves(from, transition)));
        if !has_moves {
            // Nothing can be missing where every event leads back to the same state.
            continue;
        }
        match keyed(pattern, machine, &mut derived.pattern.tests) {
            Ok(keyed) => {
                if let Some(position) = derived.pattern.machines.get_mut(index) {
                    *position = keyed;
                }
                started.push(index);
            }
            Err(why) => {
                let id = &machine.id;
                derived.remark(
                    machine.spot,
                    format!("Machine `{id}` is left out: {why}; `tw:instances` would say which instances an event concerns."),
                );
            }
        }
    }
    derived.pattern.started = started;
    if derived.pattern.started.is_empty() && derived.remarks.is_empty() {
        derived
            .remark(pattern.spot, "No machine of this pattern has events that lead to another state.".into());
    }
}

/// The machine with the rules that its scenarios imply.
fn keyed(pattern: &Pattern, machine: &Machine, tests: &mut Vec<Test>) -> Result<Machine, String> {
    let mut names: Vec<String> = Vec::new();
    for transition in machine.states.iter().flat_map(|state| &state.transitions) {
        for (name, _) in stored(pattern, transition).into_iter().chain(compared(pattern, transition)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if names.is_empty() {
        return Err("its scenarios keep nothing of the events that start them".to_owned());
    }
    let mut why = String::new();
    for name in &names {
        match rules(pattern, machine, name) {
            Ok(rules) => return Ok(rewritten(pattern, machine, name, rules, tests)),
            Err(wrong) => why = wrong,
        }
    }
    Err(why)
}

/// The rules if `name` is the attribute in which a scenario keeps its instance.
fn rules(pattern: &Pattern, machine: &Machine, name: &str) -> Result<Vec<KeyRule>, String> {
    let mut rules: Vec<KeyRule> = Vec::new();
    for (from, state) in machine.states.iter().enumerate() {
        for transition in &state.transitions {
            let found = match from == machine.initial {
                true => stored(pattern, transition),
                false => compared(pattern, transition),
            };
            let Some((_, source)) = found.into_iter().find(|(known, _)| known == name) else {
                let events = shown(&transition.events);
                return Err(format!("nothing ties {events} to one of its scenarios"));
            };
            match rules.iter_mut().find(|rule| rule.events == transition.events) {
                Some(rule) if rule.sources.contains(&source) => {}
                Some(rule) => rule.sources.push(source),
                None => rules.push(KeyRule {
                    events: transition.events.clone(),
                    sources: vec![source],
                    except: Vec::new(),
                    within: None,
                    sends_to: None,
                    spot: transition.spot,
                }),
            }
        }
    }
    if rules.iter().any(|rule| rule.sources.contains(&KeySource::RunningThread)) {
        // Thread 0 is another one on every CPU.
        rules.iter_mut().for_each(|rule| rule.except = vec!["0".to_owned()]);
    }
    Ok(rules)
}

fn shown(events: &EventPattern) -> String {
    if events.is_any() { "its events".to_owned() } else { format!("`{}`", events.names.join("|")) }
}

/// What the actions of a transition keep in the scenario, where it names an instance.
fn stored(pattern: &Pattern, transition: &Transition) -> Vec<(String, KeySource)> {
    let mut found = Vec::new();
    for &action in &transition.actions {
        in_action(pattern, action, 0, &mut found);
    }
    found
}

/// Actions in actions: none reaches itself.
fn in_action(pattern: &Pattern, action: usize, depth: usize, found: &mut Vec<(String, KeySource)>) {
    let steps = pattern.actions.get(action).map_or(&[][..], |action| &action.steps);
    for step in steps.iter().filter(|_| depth < 64) {
        in_step(pattern, step, depth, found);
    }
}

fn in_step(pattern: &Pattern, step: &Step, depth: usize, found: &mut Vec<(String, KeySource)>) {
    if step.condition.is_some() {
        return;
    }
    for kind in &step.then {
        match kind {
            StepKind::Assign(assignment) => {
                let name = own_name(&assignment.path);
                found.extend(name.zip(source(pattern, &assignment.value)));
            }
            StepKind::Run(inner) => in_action(pattern, *inner, depth + 1, found),
            StepKind::Choose(_) | StepKind::Segment(_) => {}
        }
    }
}

/// What the tests of a transition say to be equal to what the scenario keeps.
fn compared(pattern: &Pattern, transition: &Transition) -> Vec<(String, KeySource)> {
    let tests = transition.tests.iter().filter_map(|test| pattern.tests.get(*test));
    let mut found = Vec::new();
    tests.for_each(|test| in_condition(pattern, &test.condition, &mut found));
    found
}

fn in_condition(pattern: &Pattern, condition: &Condition, found: &mut Vec<(String, KeySource)>) {
    match condition {
        Condition::All(parts) => parts.iter().for_each(|part| in_condition(pattern, part, found)),
        other => found.extend(tie(pattern, other)),
    }
}

/// The attribute of the scenario, and the source that a condition says to be equal to it.
fn tie(pattern: &Pattern, condition: &Condition) -> Option<(String, KeySource)> {
    let query = |value: &ValueExpr| match &value.source {
        ValueSource::Query(path, _) => own_name(path),
        _ => None,
    };
    match condition {
        Condition::Compare { left: Operand::Path(path), comparison: Comparison::Equal, right } => {
            own_name(path).zip(source(pattern, right))
        }
        Condition::Compare { left: Operand::Field(field), comparison: Comparison::Equal, right } => {
            query(right).zip(Some(KeySource::Field(field.clone())))
        }
        Condition::Same(left, Comparison::Equal, right) => {
            let forward = query(left).zip(source(pattern, right));
            forward.or_else(|| query(right).zip(source(pattern, left)))
        }
        _ => None,
    }
}

/// `NAME` of `#CurrentScenario/NAME`.
fn own_name(path: &Path) -> Option<String> {
    match path.steps.as_slice() {
        [PathStep::CurrentScenario, PathStep::Constant(name)] => Some(name.clone()),
        _ => None,
    }
}

fn source(pattern: &Pattern, value: &ValueExpr) -> Option<KeySource> {
    match &value.source {
        ValueSource::Field(name) => Some(KeySource::Field(name.clone())),
        ValueSource::Query(path, _) if is_running_thread(pattern, path) => Some(KeySource::RunningThread),
        _ => None,
    }
}

/// The machine with these rules. Its tests ask only what an event and its instance can answer. Where
/// other attributes have a say, the event may have been about something else: then it fits every state.
///
/// Where a scenario ends, the instance waits for the next one to begin:
///
/// ```text
///         begin          end                     begin
///   idle ───────> busy ───────> done       idle ───────> busy
///                                              <───────
///                                                 end
/// ```
///
/// While it waits, other events are none of its business, as in the original.
fn rewritten(
    pattern: &Pattern,
    machine: &Machine,
    name: &str,
    rules: Vec<KeyRule>,
    tests: &mut Vec<Test>,
) -> Machine {
    let mut machine = machine.clone();
    let ends: Vec<usize> = machine.last.into_iter().chain(machine.abandon).collect();
    let mut open: Vec<(EventPattern, Spot)> = Vec::new();
    for index in 0..machine.states.len() {
        let Some(state) = machine.states.get_mut(index) else { continue };
        let transitions = std::mem::take(&mut state.transitions);
        for mut transition in transitions {
            let rule = rules.iter().find(|rule| rule.events == transition.events);
            let tie =
                Tie { pattern, name, is_one_of_several: rule.is_some_and(|rule| rule.sources.len() > 1) };
            transition.actions.clear();
            if ends.contains(&transition.target) {
                transition.target = machine.initial;
            }
            let mut is_exact = true;
            let mut is_possible = true;
            let asked = std::mem::take(&mut transition.tests);
            for test in asked.iter().filter_map(|test| pattern.tests.get(*test)) {
                let Known { condition, exact } = tie.known(&test.condition);
                is_exact &= exact;
                is_possible &= condition != NEVER;
                if condition != ALWAYS {
                    transition.tests.push(test_of(tests, condition, test));
                }
            }
            if !is_possible {
                continue;
            }
            if !is_exact {
                if !open.iter().any(|(events, _)| *events == transition.events) {
                    open.push((transition.events.clone(), transition.spot));
                }
                transition.target = either(&mut machine.states, index, transition.target);
            }
            if let Some(state) = machine.states.get_mut(index) {
                state.transitions.push(transition);
            }
        }
    }
    let others = others(&machine, &rules, tests);
    for (index, state) in machine.states.iter_mut().enumerate() {
        if !state.stands_for.is_empty() || ends.contains(&index) {
            continue;
        }
        let stays = |(events, spot): &(EventPattern, Spot), tests: Vec<usize>| Transition {
            events: events.clone(),
            tests,
            target: index,
            spot: *spot,
            ..Transition::default()
        };
        let waits = index == machine.initial && !ends.is_empty();
        for rule in rules.iter().filter(|_| waits) {
            let takes_all = |known: &Transition| known.events == rule.events && known.tests.is_empty();
            if state.transitions.iter().any(takes_all) {
                continue;
            }
            state.transitions.push(stays(&(rule.events.clone(), rule.spot), Vec::new()));
        }
        for (rule, test) in others.iter().filter(|_| !waits) {
            state.transitions.push(stays(&(rule.events.clone(), rule.spot), vec![*test]));
        }
        state.transitions.extend(open.iter().filter(|_| !waits).map(|open| stays(open, Vec::new())));
    }
    machine.keys = Some(rules);
    machine
}

/// Events that are about something else where what they hold fits no transition, and the test that says so.
fn others<'r>(machine: &Machine, rules: &'r [KeyRule], tests: &mut Vec<Test>) -> Vec<(&'r KeyRule, usize)> {
    let mut found = Vec::new();
    for rule in rules {
        let transitions = machine.states.iter().flat_map(|state| &state.transitions);
        let mut asked: Vec<Condition> = Vec::new();
        let mut is_always = false;
        for transition in transitions.filter(|transition| transition.events == rule.events) {
            let all = transition.tests.iter().filter_map(|test| tests.get(*test));
            let all: Vec<Condition> = all.map(|test| test.condition.clone()).collect();
            is_always |= all.is_empty();
            asked.push(Condition::All(all));
        }
        if !is_always && !asked.is_empty() {
            let none = Condition::Not(Box::new(Condition::Any(asked)));
            let test = Test { id: format!("#{}", tests.len()), condition: none.clone(), spot: rule.spot };
            found.push((rule, test_of(tests, none, &test)));
        }
    }
    found
}

const ALWAYS: Condition = Condition::All(Vec::new());
const NEVER: Condition = Condition::Any(Vec::new());

fn test_of(tests: &mut Vec<Test>, condition: Condition, test: &Test) -> usize {
    let known = tests.iter().position(|known| known.condition == condition);
    known.unwrap_or_else(|| {
        tests.push(Test { id: test.id.clone(), condition, spot: test.spot });
        tests.len() - 1
    })
}

/// The state that stands for both.
fn either(states: &mut Vec<State>, from: usize, to: usize) -> usize {
    let mut both = vec![from, to];
    both.sort_unstable();
    both.dedup();
    if both.len() < 2 {
        return to;
    }
    if let Some(known) = states.iter().position(|state| state.stands_for == both) {
        return known;
    }
    let names: Vec<&str> = both.iter().filter_map(|index| Some(&*states.get(*index)?.id)).collect();
    let id = names.join(" or ");
    states.push(State { id, stands_for: both, ..State::default() });
    states.len() - 1
}

/// The attribute that ties events to a scenario.
struct Tie<'a> {
    pattern: &'a Pattern,
    name: &'a str,
    /// Whether the event names several instances, so that a test has to say which.
    is_one_of_several: bool,
}

/// A condition as far as the event and its instance answer it.
struct Known {
    condition: Condition,
    /// Whether that is all of it; else it may also not hold.
    exact: bool,
}

impl Tie<'_> {
    fn known(&self, condition: &Condition) -> Known {
        let exact = |condition| Known { condition, exact: true };
        if let Some((_, source)) = tie(self.pattern, condition).filter(|(known, _)| known == self.name) {
            // The event came to this instance because it names it.
            return exact(match source {
                KeySource::Field(field) if self.is_one_of_several => Condition::Compare {
                    left: Operand::Path(Path::own_key()),
                    comparison: Comparison::Equal,
                    right: ValueSource::Field(field).into(),
                },
                _ => ALWAYS,
            });
        }
        match condition {
            Condition::Compare { left: Operand::Field(_), right, .. } if is_constant(right) => {
                exact(condition.clone())
            }
            // An event without a running thread comes to no instance.
            Condition::Compare { left: Operand::Path(path), comparison, right }
                if right.source == ValueSource::Null && is_running_thread(self.pattern, path) =>
            {
                match comparison {
                    Comparison::Equal => exact(NEVER),
                    Comparison::NotEqual => exact(ALWAYS),
                    _ => OPEN,
                }
            }
            Condition::All(parts) => {
                let known: Vec<Known> = parts.iter().map(|part| self.known(part)).collect();
                let exact = known.iter().all(|known| known.exact);
                let mut parts: Vec<Condition> = known.into_iter().map(|known| known.condition).collect();
                if parts.contains(&NEVER) {
                    return Known { condition: NEVER, exact: true };
                }
                parts.retain(|part| *part != ALWAYS);
                Known { condition: Condition::All(parts), exact }
            }
            Condition::Any(parts) => {
                let known: Vec<Known> = parts.iter().map(|part| self.known(part)).collect();
                match known.iter().all(|known| known.exact) {
                    true => exact(Condition::Any(known.into_iter().map(|known| known.condition).collect())),
                    false => OPEN,
                }
            }
            Condition::Not(part) => match self.known(part) {
                Known { condition, exact: true } if condition == NEVER => exact(ALWAYS),
                Known { condition, exact: true } if condition == ALWAYS => exact(NEVER),
                Known { condition, exact: true } => exact(negated(condition)),
                _ => OPEN,
            },
            _ => OPEN,
        }
    }
}

/// Other attributes decide.
const OPEN: Known = Known { condition: ALWAYS, exact: false };
