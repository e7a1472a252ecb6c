//! A state provider's machines: one for each kind of attribute that has states.

use model::machine::{
    Comparison, Condition, EventPattern, KeyRule, KeySource, Machine, Operand, Path, Pattern, Spot,
    State as MachineState, Test, Transition, ValueSource,
};

use super::Derived;
use super::condition::Own;
use super::paths::{HandlerPath, handler_paths, touches};
use super::shapes::{Shape, Shapeless, State, assignments, shape, within};
use crate::state_set::StateSet;

pub(super) fn machines(pattern: &Pattern, derived: &mut Derived) {
    let mut shapes: Vec<Shape> = Vec::new();
    for handler in &pattern.handlers {
        for assignment in handler.steps.iter().flat_map(within) {
            match shape(pattern, &assignment.path) {
                Ok((shape, _)) if !shapes.contains(&shape) => shapes.push(shape),
                Err(Shapeless::Unclear) => derived.remark(
                    handler.spot,
                    "This handler writes an attribute of which nothing says whose it is: no machine is made \
                     of it."
                        .to_owned(),
                ),
                Ok(_) | Err(Shapeless::NoInstance) => {}
            }
        }
    }
    derived.remarks.dedup();
    for shape in &shapes {
        match states_of(pattern, shape) {
            Ok(states) if states.len() < 2 => {}
            Ok(states) => match machine(pattern, shape, &states, &mut derived.pattern.tests) {
                Ok(machine) => derived.pattern.machines.push(machine),
                Err(why) => derived.remark(pattern.spot, format!("{}: {why}", no_machine(shape))),
            },
            Err(why) => derived.remark(pattern.spot, format!("{}: {why}", no_machine(shape))),
        }
    }
    derived.pattern.started = (0..derived.pattern.machines.len()).collect();
    if derived.pattern.machines.is_empty() {
        let sentence = "No attribute of this state provider has states that belong to something events name.";
        derived.remark(pattern.spot, sentence.to_owned());
    }
}

fn no_machine(shape: &Shape) -> String {
    format!("No machine is made of `{}`", shape.show())
}

/// The states that are written; the one without a value only if it is written, too.
fn states_of(pattern: &Pattern, own: &Shape) -> Result<Vec<State>, &'static str> {
    let mut states: Vec<State> = Vec::new();
    for assignment in assignments(pattern) {
        let Ok((written, _)) = shape(pattern, &assignment.path) else { continue };
        if !touches(&written, own, assignment) {
            continue;
        }
        let state =
            State::of(assignment).ok_or("its values are counted, stacked, mapped or set for later")?;
        if !states.iter().any(|known| known.is_same(&state)) {
            states.push(state);
        }
    }
    Ok(states)
}

fn machine(
    pattern: &Pattern,
    own: &Shape,
    states: &[State],
    tests: &mut Vec<Test>,
) -> Result<Machine, &'static str> {
    let mut machine = Machine {
        id: own.show(),
        consuming: false,
        multiple: true,
        preconditions: Vec::new(),
        states: states
            .iter()
            .map(|state| MachineState { id: state.show(), ..MachineState::default() })
            .collect(),
        initial: states.iter().position(|state| *state == State::Unset).unwrap_or(0),
        last: None,
        abandon: None,
        error: None,
        keys: Some(Vec::new()),
        spot: pattern.spot,
    };
    name_apart(&mut machine.states);
    for handler in &pattern.handlers {
        let mut sources: Vec<KeySource> = Vec::new();
        for assignment in handler.steps.iter().flat_map(within) {
            let Ok((written, source)) = shape(pattern, &assignment.path) else { continue };
            if touches(&written, own, assignment) && !sources.contains(&source) {
                sources.push(source);
            }
        }
        if sources.is_empty() {
            continue;
        }
        for source in &sources {
            let guards = who(source, &sources);
            for (from, state) in states.iter().enumerate() {
                let handler_paths =
                    handler_paths(&handler.steps, &Own { pattern, shape: own, source, state })
                        .ok_or("a handler does too many different things to it")?;
                for (asked, targets, may_repeat) in merged(&handler_paths, from, states) {
                    // An event that writes what is there already comes only after another that was lost.
                    if targets == [from] && !may_repeat {
                        continue;
                    }
                    let target = one_of(&mut machine.states, &targets);
                    let all = guards.iter().chain(&asked);
                    let tests = all.map(|condition| test(tests, condition, handler.spot)).collect();
                    let transition = Transition {
                        events: handler.events.clone(),
                        tests,
                        target,
                        spot: handler.spot,
                        ..Transition::default()
                    };
                    if let Some(index) = machine.states.get_mut(from) {
                        index.transitions.push(transition);
                    }
                }
            }
        }
        let rule = rule(&handler.events, sources, handler.spot);
        machine.keys.get_or_insert_default().push(rule);
    }
    if machine.states.len() > StateSet::MOST {
        return Err("it has too many states");
    }
    // Thread 0 is another one on every CPU.
    let is_of_threads = |rule: &KeyRule| rule.sources.contains(&KeySource::RunningThread);
    if machine.keys.iter().flatten().any(is_of_threads) {
        machine.keys.iter_mut().flatten().for_each(|rule| rule.except = vec!["0".to_owned()]);
    }
    Ok(machine)
}

/// Conditions that say that an instance is the one this source names, where an event names several.
fn who(source: &KeySource, all: &[KeySource]) -> Vec<Condition> {
    let is = |field: &String| Condition::Compare {
        left: Operand::Path(Path::own_key()),
        comparison: Comparison::Equal,
        right: ValueSource::Field(field.clone()).into(),
    };
    if all.len() == 1 {
        return Vec::new();
    }
    match source {
        KeySource::Field(field) => vec![is(field)],
        KeySource::RunningThread | KeySource::Cpu => {
            let others = all.iter().filter_map(|other| match other {
                KeySource::Field(field) => Some(Condition::Not(Box::new(is(field)))),
                _ => None,
            });
            others.collect()
        }
    }
}

fn rule(events: &EventPattern, sources: Vec<KeySource>, spot: Spot) -> KeyRule {
    KeyRule { events: events.clone(), sources, except: Vec::new(), within: None, sends_to: None, spot }
}

/// Where the paths with the same guards lead, as indices of states in ascending order, and whether that
/// may be where it was, as it may where nothing is written.
fn merged(
    handler_paths: &[HandlerPath],
    from: usize,
    states: &[State],
) -> Vec<(Vec<Condition>, Vec<usize>, bool)> {
    let mut found: Vec<(Vec<Condition>, Vec<usize>, bool)> = Vec::new();
    for handler_path in handler_paths {
        let after = match &handler_path.after {
            None => from,
            Some(state) => states.iter().position(|known| known.is_same(state)).unwrap_or(from),
        };
        let may_repeat = handler_path.may_repeat || handler_path.after.is_none();
        match found.iter_mut().find(|(guards, ..)| *guards == handler_path.guards) {
            Some((_, targets, repeats)) => {
                *repeats |= may_repeat;
                if !targets.contains(&after) {
                    targets.push(after);
                }
            }
            None => found.push((handler_path.guards.clone(), vec![after], may_repeat)),
        }
    }
    found.iter_mut().for_each(|(_, targets, _)| targets.sort_unstable());
    found
}

/// The state that stands for any of these; one of them is itself.
fn one_of(states: &mut Vec<MachineState>, targets: &[usize]) -> usize {
    if let [only] = targets {
        return *only;
    }
    if let Some(known) = states.iter().position(|state| state.stands_for == targets) {
        return known;
    }
    let names: Vec<&str> = targets.iter().filter_map(|target| Some(&*states.get(*target)?.id)).collect();
    let id = names.join(" or ");
    states.push(MachineState { id, stands_for: targets.to_vec(), ..MachineState::default() });
    states.len() - 1
}

/// The test that asks a condition, which is added when it is new.
fn test(tests: &mut Vec<Test>, condition: &Condition, spot: Spot) -> usize {
    if let Some(known) = tests.iter().position(|test| test.condition == *condition) {
        return known;
    }
    let id = format!("#{}", tests.len());
    tests.push(Test { id, condition: condition.clone(), spot });
    tests.len() - 1
}

/// Two values may be called the same.
fn name_apart(states: &mut [MachineState]) {
    let mut seen: Vec<String> = Vec::new();
    for state in states {
        while seen.contains(&state.id) {
            state.id.push('\'');
        }
        seen.push(state.id.clone());
    }
}
