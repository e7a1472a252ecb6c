//! What a pattern says that a trace cannot answer: names that no event has, states never reached.

use model::machine::Pattern;
use model::{Diagnostic, Severity};

use super::context::diagnostic;

/// Compares a pattern with the names of the events of a trace; `file` is the name for diagnostics.
/// A machine may be made for many traces, so all of these are notes.
pub fn against_trace<'n>(
    file: &str,
    pattern: &Pattern,
    events: impl IntoIterator<Item = &'n str>,
) -> Vec<Diagnostic> {
    let events: Vec<&str> = events.into_iter().collect();
    let mut diagnostics = Vec::new();
    let mut absent = std::collections::HashMap::new();
    for handler in &pattern.handlers {
        for name in &handler.events.names {
            if !occurs(&mut absent, name, &events) {
                let sentence = format!("A handler is for `{name}`, and no event of the trace is called so.");
                let code = "pattern-event-absent";
                diagnostics.push(diagnostic(file, handler.spot, Severity::Note, code, &sentence));
            }
        }
    }
    for machine in &pattern.machines {
        let mut known: std::collections::HashMap<&str, bool> = std::collections::HashMap::new();
        let mut reached = vec![false; machine.states.len()];
        let mut open = vec![machine.initial];
        open.extend(machine.error);
        for &index in &open {
            reached.get_mut(index).into_iter().for_each(|reached| *reached = true);
        }
        // A transition whose events the trace does not have leads nowhere.
        while let Some(index) = open.pop() {
            let Some(state) = machine.states.get(index) else { continue };
            let passable = state.transitions.iter().filter(|transition| {
                transition.events.is_any()
                    || transition.events.names.iter().any(|name| occurs(&mut known, name, &events))
            });
            for next in passable.map(|transition| transition.target).chain(state.stands_for.iter().copied()) {
                if let Some(reached) = reached.get_mut(next)
                    && !std::mem::replace(reached, true)
                {
                    open.push(next);
                }
            }
        }
        let mut reported = std::collections::HashSet::new();
        for transition in machine.states.iter().flat_map(|state| &state.transitions) {
            for name in &transition.events.names {
                if !occurs(&mut known, name, &events) && reported.insert(name) {
                    let sentence = format!(
                        "Machine `{}` waits for `{name}`, and no event of the trace is called so.",
                        machine.id
                    );
                    let code = "pattern-event-absent";
                    diagnostics.push(diagnostic(file, transition.spot, Severity::Note, code, &sentence));
                }
            }
        }
        let conditions = machine.preconditions.iter().map(|one| (&one.events, one.spot, "A precondition"));
        let keys = machine.keys.iter().flatten().map(|one| (&one.events, one.spot, "A key"));
        for (of, spot, what) in conditions.chain(keys.filter(|(_, spot, _)| spot.line > 0)) {
            for name in of.names.iter().filter(|name| !reported.contains(name)) {
                if !occurs(&mut known, name, &events) {
                    let sentence = format!(
                        "{what} of machine `{}` is for `{name}`, and no event of the trace is called so.",
                        machine.id
                    );
                    diagnostics.push(diagnostic(
                        file,
                        spot,
                        Severity::Note,
                        "pattern-event-absent",
                        &sentence,
                    ));
                }
            }
        }
        for (state, _) in machine.states.iter().zip(reached).filter(|(_, reached)| !reached) {
            let sentence =
                format!("No event of the trace leads machine `{}` to its state `{}`.", machine.id, state.id);
            diagnostics.push(diagnostic(
                file,
                state.spot,
                Severity::Note,
                "pattern-state-unreachable",
                &sentence,
            ));
        }
    }
    diagnostics
}

/// Whether a machine or a handler of the pattern waits for an event of the trace. If none does, the
/// pattern is about other traces, and that nothing was found with it says nothing.
pub fn is_about<'n>(pattern: &Pattern, events: impl IntoIterator<Item = &'n str>) -> bool {
    let events: Vec<&str> = events.into_iter().collect();
    let mut known = std::collections::HashMap::new();
    let states = pattern.machines.iter().flat_map(|machine| &machine.states);
    let waited = states.flat_map(|state| &state.transitions).map(|transition| &transition.events);
    let mut waited = waited.chain(pattern.handlers.iter().map(|handler| &handler.events));
    waited.any(|of| of.is_any() || of.names.iter().any(|name| occurs(&mut known, name, &events)))
}

fn occurs<'p>(known: &mut std::collections::HashMap<&'p str, bool>, name: &'p str, events: &[&str]) -> bool {
    *known
        .entry(name)
        .or_insert_with(|| events.iter().any(|event| model::machine::event_pattern::wildcard(name, event)))
}
