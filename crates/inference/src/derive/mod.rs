//! Machines that can be checked, from files that do not say all that checking needs.
//!
//! A state provider has no machine: it says what events write. An attribute that is written below
//! something that events name (`Threads/{tid}/Status`) is a machine all the same: each thread is an
//! instance, each value that is written a state, each event that writes it a transition. A pattern has
//! machines; which instances an event concerns stands in what its scenarios keep and compare.
//!
//! ```text
//! on wake:   Threads/{tid}/Status := READY           instances by `tid`
//! on switch: Threads/{prev_tid}/Status := BLOCKED    instances by `prev_tid`
//!
//!            wake                 a writing event changes the state: one that finds its instance
//!  BLOCKED ────────> READY        in the state that it writes already does not fit there
//! ```
//!
//! What cannot be worked out is left out and reported. Nothing here knows a trace.

mod condition;
mod keys;
mod paths;
mod provider;
mod shapes;
#[cfg(test)]
mod tests;

use model::machine::{Path, Pattern, Spot};

/// What was made of an analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// The analysis with machines that say which instances an event concerns.
    pub pattern: Pattern,
    /// What could not be made a machine, and why.
    pub remarks: Vec<Remark>,
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// One sentence.
    pub sentence: String,
    /// Where what it is about stands.
    pub spot: Spot,
}

/// An analysis with machines that can be checked. One that has them all is given back as it is.
pub fn derive(pattern: &Pattern) -> Derived {
    let mut derived = Derived { pattern: pattern.clone(), remarks: Vec::new() };
    if pattern.machines.is_empty() {
        provider::machines(pattern, &mut derived);
    } else {
        keys::work_out(pattern, &mut derived);
    }
    derived
}

impl Derived {
    fn remark(&mut self, spot: Spot, sentence: String) {
        self.remarks.push(Remark { sentence, spot });
    }
}

/// Whether the value at a path is the thread that runs on the CPU of the event: scheduler switches
/// write there who comes.
fn is_running_thread(pattern: &Pattern, path: &Path) -> bool {
    shapes::assignments(pattern).any(|assignment| {
        assignment.path == *path
            && matches!(&assignment.value.source, model::machine::ValueSource::Field(name) if name == "next_tid")
    })
}
