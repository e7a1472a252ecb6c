//! The description of a model in words.
//!
//! ```text
//! locks: state provider in locks.xml
//!
//! On take
//!   Locks/{lock} := HELD (1)
//!
//! Machine Locks/*, made of what is written
//!   instances: by lock
//!   states: HELD, FREE
//!   take: FREE -> HELD
//!   drop: HELD -> FREE
//! ```

use std::fmt::Write;

use formats::model_xml::ModelFile;
use inference::derive::{Derived, derive};
use model::machine::{EventPattern, Machine, Pattern, Step, StepKind, View, ViewKind};

use super::model_words::{Names, assignment, condition, source, states};
use crate::escape::plain;
use crate::paint::{Ink, Paint};

pub(crate) fn render(name: &str, file: &ModelFile, paint: Paint) -> String {
    let mut out = String::new();
    for pattern in &file.patterns {
        if !out.is_empty() {
            out.push('\n');
        }
        analysis(&mut out, name, pattern, paint);
    }
    if file.patterns.is_empty() {
        _ = writeln!(out, "{} holds views only", plain(name));
    }
    for view in &file.views {
        out += &shown(view);
    }
    out
}

fn analysis(out: &mut String, name: &str, pattern: &Pattern, paint: Paint) {
    let kind = if pattern.machines.is_empty() { "state provider" } else { "pattern" };
    let title = plain(&pattern.id).into_owned();
    _ = writeln!(out, "{}: {kind} in {}", paint.dip(Ink::Title, &title), plain(name));
    if !pattern.label.is_empty() {
        _ = writeln!(out, "  {}", plain(&pattern.label));
    }
    if !pattern.trace_types.is_empty() {
        _ = writeln!(out, "  for traces of the type {}", plain(&pattern.trace_types.join(", ")));
    }
    let names = Names::of(pattern);
    for handler in &pattern.handlers {
        _ = writeln!(out, "\nOn {}", plain(&events(&handler.events)));
        handler.steps.iter().for_each(|step| steps(out, step, &names, "  "));
    }
    let derived = derive(pattern);
    for &index in &derived.pattern.started {
        let Some(machine) = derived.pattern.machines.get(index) else { continue };
        let is_own = pattern.machines.get(index).is_some_and(|own| own == machine);
        let note = match (is_own, pattern.machines.is_empty()) {
            (true, _) => "",
            (false, true) => ", made of what is written",
            (false, false) => ", its instances worked out from what its scenarios keep",
        };
        let id = plain(&machine.id).into_owned();
        _ = writeln!(out, "\nMachine {}{note}", paint.dip(Ink::Title, &id));
        self::machine(out, &derived, machine, &names);
    }
    if !derived.remarks.is_empty() {
        _ = writeln!(out, "\nLeft out of `check` and `infer`");
        for remark in &derived.remarks {
            _ = writeln!(out, "  line {}: {}", remark.spot.line, plain(&remark.sentence));
        }
    }
}

fn machine(out: &mut String, derived: &Derived, machine: &Machine, called: &Names<'_>) {
    // Rules with the same text for different events are one line.
    let mut rules: Vec<(String, Vec<String>)> = Vec::new();
    for rule in machine.keys.iter().flatten() {
        let sources: Vec<String> = rule.sources.iter().map(source).collect();
        let mut line = format!("instances: by {}", sources.join(" and by "));
        if let Some(within) = &rule.within {
            line += &format!(" within {within}");
        }
        if !rule.except.is_empty() {
            line += &format!(" ({} is none)", rule.except.join(", "));
        }
        let named = if rule.events.is_any() { Vec::new() } else { vec![events(&rule.events)] };
        match rules.iter_mut().find(|(known, _)| *known == line) {
            Some((_, all)) => all.extend(named),
            None => rules.push((line, named)),
        }
    }
    for (mut line, named) in rules {
        if !named.is_empty() {
            line += &format!(", for {}", named.join(", "));
        }
        _ = writeln!(out, "  {}", plain(&line));
    }
    let names: Vec<&str> = states(machine).map(|(_, name)| name).collect();
    _ = writeln!(out, "  states: {}", plain(&names.join(", ")));
    // Rows that differ in nothing but where they begin are one.
    let mut rows: Vec<(String, &str, Vec<&str>)> = Vec::new();
    for state in &machine.states {
        for transition in &state.transitions {
            let tests = transition.tests.iter().filter_map(|test| derived.pattern.tests.get(*test));
            let asked: Vec<String> = tests.map(|test| condition(&test.condition, called)).collect();
            let mut what = events(&transition.events);
            if !asked.is_empty() {
                what += &format!(" if {}", asked.join(" and "));
            }
            let target = machine.states.get(transition.target).map_or("?", |state| &*state.id);
            match rows.iter_mut().find(|(known, to, _)| *known == what && *to == target) {
                Some((_, _, from)) => from.push(&state.id),
                None => rows.push((what, target, vec![&*state.id])),
            }
        }
    }
    for (what, target, from) in rows {
        let from = match names.iter().all(|name| from.contains(name) || *name == target) {
            true if names.len() > 2 && !from.contains(&target) => "any other".to_owned(),
            true if names.len() > 2 && from.len() >= names.len() => "any".to_owned(),
            _ => from.join(", "),
        };
        _ = writeln!(out, "  {}", plain(&format!("{what}: {from} -> {target}")));
    }
    let listed = |is_in: &dyn Fn(&model::machine::State) -> bool| {
        let found = machine.states.iter().filter(|state| is_in(state)).map(|state| &*state.id);
        found.collect::<Vec<_>>().join(", ")
    };
    let (begins, ends) = (listed(&|state| state.begins), listed(&|state| state.ends));
    if !begins.is_empty() {
        _ = writeln!(out, "  an instance begins in {}", plain(&begins));
    }
    if !ends.is_empty() {
        _ = writeln!(out, "  an instance is left alone only in {}", plain(&ends));
    }
    if let Some((_, last)) = states(machine).find(|(index, _)| Some(*index) == machine.last) {
        _ = writeln!(out, "  an instance ends in {}", plain(last));
    }
}

fn events(events: &EventPattern) -> String {
    if events.is_any() { "any event".to_owned() } else { events.names.join(" or ") }
}

/// What a step does, a line each. Steps nest no deeper than elements of a file.
fn steps(out: &mut String, step: &Step, names: &Names<'_>, indent: &str) {
    let Some(asked) = &step.condition else {
        return step.then.iter().for_each(|kind| one(out, kind, names, indent));
    };
    let inner = format!("{indent}  ");
    _ = writeln!(out, "{indent}if {}", plain(&condition(asked, names)));
    step.then.iter().for_each(|kind| one(out, kind, names, &inner));
    if !step.otherwise.is_empty() {
        _ = writeln!(out, "{indent}else");
        step.otherwise.iter().for_each(|kind| one(out, kind, names, &inner));
    }
}

fn one(out: &mut String, kind: &StepKind, names: &Names<'_>, indent: &str) {
    match kind {
        StepKind::Assign(what) => _ = writeln!(out, "{indent}{}", plain(&assignment(what))),
        StepKind::Choose(step) => steps(out, step, names, indent),
        StepKind::Segment(_) => _ = writeln!(out, "{indent}make a segment"),
        StepKind::Run(action) => _ = writeln!(out, "{indent}do action {action}"),
    }
}

fn shown(view: &View) -> String {
    let kind = match view.kind {
        ViewKind::TimeGraph => "time graph",
        ViewKind::Chart => "chart",
    };
    let label = if view.label.is_empty() { &view.id } else { &view.label };
    let mut line = format!("\nView {} ({kind}, not drawn)", plain(label));
    if !view.analyses.is_empty() {
        line += &format!(" of {}", plain(&view.analyses.join(", ")));
    }
    if !view.paths.is_empty() {
        line += &format!(": {}", plain(&view.paths.join(", ")));
    }
    line + "\n"
}
