//! Machines: their instances, their states and what leads from one to the next.

use model::machine::{EventPattern, KeyRule, KeySource, Machine, Pattern, State, Transition};

use super::{Lines, Unwritable, name, refuse, text, words};

pub(super) fn write(out: &mut Lines, pattern: &Pattern, machine: &Machine) -> Result<(), Unwritable> {
    let is_plain = machine.preconditions.is_empty()
        && machine.last.is_none()
        && machine.abandon.is_none()
        && machine.error.is_none()
        && machine.consuming
        && machine.multiple;
    if !is_plain {
        return refuse(format!(
            "the machine {} has more than states, and only those are written",
            machine.id
        ));
    }
    let initial = match machine.states.get(machine.initial) {
        Some(state) if machine.initial > 0 => format!(" initial=\"{}\"", text(&state.id)?),
        _ => String::new(),
    };
    out.open(&format!("<fsm id=\"{}\"{initial}>", name(&machine.id)?));
    if let Some(keys) = &machine.keys {
        out.open("<tw:instances>");
        keys.iter().try_for_each(|rule| key(out, rule))?;
        out.close("</tw:instances>");
    }
    machine.states.iter().try_for_each(|one| state(out, pattern, machine, one))?;
    out.close("</fsm>");
    Ok(())
}

fn key(out: &mut Lines, rule: &KeyRule) -> Result<(), Unwritable> {
    let sources = rule.sources.iter().map(|source| match source {
        KeySource::Cpu => "@cpu",
        KeySource::RunningThread => "@thread",
        KeySource::Field(field) => field,
    });
    let mut line = String::from("<tw:key");
    if !rule.events.is_any() {
        line += &format!(" events=\"{}\"", events(&rule.events)?);
    }
    line += &format!(" of=\"{}\"", words(sources)?);
    if !rule.except.is_empty() {
        line += &format!(" except=\"{}\"", words(rule.except.iter().map(|value| &**value))?);
    }
    if let Some(field) = &rule.within {
        line += &format!(" within=\"{}\"", text(field)?);
    }
    if let Some(field) = &rule.sends_to {
        line += &format!(" sends-to=\"{}\"", text(field)?);
    }
    out.line(&(line + "/>"));
    Ok(())
}

fn state(out: &mut Lines, pattern: &Pattern, machine: &Machine, state: &State) -> Result<(), Unwritable> {
    let mut line = format!("<state id=\"{}\"", text(&state.id)?);
    let flags = [
        ("begins", state.begins),
        ("ends", state.ends),
        ("waits", state.waits),
        ("stays-on-cpu", state.stays_on_cpu),
    ];
    for (flag, _) in flags.iter().filter(|(_, is_set)| *is_set) {
        line += &format!(" tw:{flag}=\"true\"");
    }
    if !state.stands_for.is_empty() {
        let states = state.stands_for.iter().filter_map(|index| machine.states.get(*index));
        line += &format!(" tw:stands-for=\"{}\"", words(states.map(|state| &*state.id))?);
    }
    if state.transitions.is_empty() {
        out.line(&(line + "/>"));
        return Ok(());
    }
    out.open(&(line + ">"));
    for one in &state.transitions {
        let line = transition(pattern, machine, one)?;
        out.line(&line);
    }
    out.close("</state>");
    Ok(())
}

fn transition(pattern: &Pattern, machine: &Machine, one: &Transition) -> Result<String, Unwritable> {
    if !one.actions.is_empty() || one.saves_fields || one.clears_fields || one.is_broken {
        return refuse(format!("a transition of {} does something, and that is not written", machine.id));
    }
    let mut line = String::from("<transition");
    if !one.events.is_any() {
        line += &format!(" event=\"{}\"", events(&one.events)?);
    }
    let tests = one.tests.iter().filter_map(|test| pattern.tests.get(*test));
    let tests: Vec<String> = tests.map(|test| name(&test.id)).collect::<Result<_, _>>()?;
    if !tests.is_empty() {
        line += &format!(" cond=\"{}\"", tests.join(":"));
    }
    let Some(target) = machine.states.get(one.target) else {
        return refuse(format!("a transition of {} leads nowhere", machine.id));
    };
    line += &format!(" target=\"{}\"", text(&target.id)?);
    let flags = [("opens", one.opens), ("closes", one.closes), ("optional", one.optional)];
    for (flag, _) in flags.iter().filter(|(_, is_set)| *is_set) {
        line += &format!(" tw:{flag}=\"true\"");
    }
    if let Some(field) = &one.like {
        line += &format!(" tw:like=\"{}\"", text(field)?);
    }
    Ok(line + "/>")
}

/// Names of events, between which `|` stands.
fn events(events: &EventPattern) -> Result<String, Unwritable> {
    let mut names: Vec<String> = Vec::new();
    for name in &events.names {
        if name.is_empty() || name.trim() != name || name.contains('|') {
            return refuse(format!("the event {name:?} cannot stand in a model"));
        }
        names.push(text(name)?);
    }
    Ok(names.join("|"))
}
