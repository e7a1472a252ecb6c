//! Machines that are learned from the parts of a trace in which nothing was lost.
//!
//! ```text
//! trace ──Events──> columns ──phases──> events that are called alike and are not
//!                               │
//!                             keys ──> which fields name instances (roles, bits)
//!                               │
//!                             kinds ──> which fields distinguish transitions
//!                               │
//!                           sequences ──> what happened to each instance, cut at losses
//!                               │
//!                             merge ──> states, by evidence ──machine──> a pattern, as if somebody had written it
//! ```
//!
//! Nothing is asked for by name and no parameter is set by the user: what names an instance and what a state
//! depends on is decided by how short the trace can be encoded with it. A machine is learned only where it would
//! notice losses: where events are left out of the trace, what follows must not fit ([`Evidence`]).
//!
//! Source: the founding text on lost events, which names this as its future work; what each file does it names
//! itself. Memory follows the trace up to a bound, time is a few passes for each key.

mod bits;
mod events;
mod evidence;
mod keys;
mod kinds;
mod machine;
mod merge;
mod phases;
mod roles;
mod sequences;
#[cfg(test)]
mod single_losses;
#[cfg(test)]
mod tests;

use model::machine::Pattern;

pub use events::Events;
pub use evidence::Evidence;
use sequences::Sequences;

/// What was learned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Learned {
    /// The machines, the one that explains most first; none where nothing is regular enough.
    pub pattern: Pattern,
    /// What each of them stands on.
    pub evidence: Vec<Evidence>,
}

/// Learns from a trace a machine for each kind of thing in it that has one.
pub fn learn(mut events: Events) -> Learned {
    phases::split(&mut events);
    let events = &events;
    let mut learned = Learned::default();
    learned.pattern.id = "learned".to_owned();
    for key in keys::find(events) {
        if !machine::is_sayable(events, &key) {
            continue;
        }
        let fields = kinds::distinguishing(events, &key);
        let sequences = Sequences::new(events, &key, &fields);
        let Some(automaton) = merge::learn(&sequences) else { continue };
        let evidence = Evidence::new(events, &key, &sequences, &automaton);
        if evidence.noticed() < keys::MISSED {
            continue;
        }
        machine::add(&mut learned.pattern, events, (&key, &sequences), &fields, &automaton);
        learned.evidence.push(evidence);
    }
    learned
}
