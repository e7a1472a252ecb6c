//! Which rows of the timeline an event concerns that was inferred: those of the instances that the model names by its
//! fields.

use inference::model::InferredEvent;
use model::machine::{KeySource, Machine};

use super::super::timeline::{Index, RowKind, row_of};

/// The machines of the model, by which instances are named.
#[derive(Debug, Default)]
pub(super) struct Concerned(Vec<Machine>);

impl Concerned {
    pub(super) fn by(machines: &[Machine]) -> Concerned {
        Concerned(machines.iter().filter(|machine| machine.keys.is_some()).cloned().collect())
    }

    /// The rows, each once, in the order of the machines. Interrupts are in the row of their CPU, too.
    pub(super) fn rows(&self, index: &Index, event: &InferredEvent) -> Vec<usize> {
        let mut found = vec![];
        for machine in &self.0 {
            let rules = machine.keys.iter().flatten();
            let Some(rule) = rules.clone().find(|rule| rule.events.matches(&event.key.name)) else {
                continue;
            };
            for source in &rule.sources {
                let instance = match source {
                    KeySource::Field(name) => event.value(name).map(ToString::to_string),
                    KeySource::Cpu => event.cpu.map(|cpu| cpu.to_string()),
                    // Who ran there is known to the engine only.
                    KeySource::RunningThread => None,
                };
                let Some(instance) = instance.filter(|instance| !rule.except.contains(instance)) else {
                    continue;
                };
                let instance = match rule.within.as_deref() {
                    None => instance,
                    Some(within) => match event.value(within) {
                        Some(around) => format!("{around}/{instance}"),
                        None => continue,
                    },
                };
                let (kind, key) = row_of(machine, &instance);
                let row = index.find(kind, &key).filter(|_| kind != RowKind::Interrupts);
                found.extend(row.filter(|row| !found.contains(row)));
            }
        }
        found
    }
}
