//! Own code and library code: own are the packages of the story's entry and of the program's `main`.

use std::collections::BTreeSet;

use analyses::replay::Kind;
use analyses::story::{Entry, Weight, hidden};
use model::code::MethodId;

use crate::serve::play::recording::{Recording, package};

/// Parts of a package's name that the code of one program shares.
const PARTS: usize = 2;

/// See the module's head.
pub(super) struct Weights<'r> {
    recording: &'r Recording,
    own: BTreeSet<String>,
}

impl<'r> Weights<'r> {
    pub(super) fn of(recording: &'r Recording, entry: Entry) -> Weights<'r> {
        let mut own = BTreeSet::new();
        let mut add = |method: MethodId| own.extend([family(recording.names(method).0)]);
        match entry {
            Entry::Method(method) => add(method),
            Entry::Call(node) => {
                if let Kind::Frame { method, .. } = recording.replay.kind(node) {
                    add(method);
                }
            }
            Entry::Thread(_) => {}
        }
        let mains = recording
            .code
            .methods
            .iter()
            .zip(0..)
            .filter(|(method, _)| method.name == "main" && method.descriptor == "([Ljava/lang/String;)V");
        let ran = |method: &MethodId| {
            let nodes = (0..recording.replay.len() as u32).map(analyses::replay::NodeId);
            nodes.rev().any(
                |node| matches!(recording.replay.kind(node), Kind::Frame { method: of, .. } if of == *method),
            )
        };
        mains.map(|(_, id)| MethodId(id)).filter(ran).for_each(add);
        Weights { recording, own }
    }

    pub(super) fn of_method(&self, method: MethodId) -> Weight {
        if let Some(hidden) = hidden(&self.recording.code, method) {
            return Weight::Hidden(hidden);
        }
        // Where the packages of own code are not known, all code has the same weight.
        match self.own.is_empty() || self.own.contains(&family(self.recording.names(method).0)) {
            true => Weight::Own,
            false => Weight::Other,
        }
    }
}

/// `net.sourceforge` of `net.sourceforge.plantuml.Run`.
fn family(class: &str) -> String {
    package(class).split('.').take(PARTS).collect::<Vec<_>>().join(".")
}
