//! Where something began that people look for: the program, a request, a test, a task; where exceptions did, and where they
//! ended.

use analyses::calls::{CallGraph, Work};
use analyses::sections::Begins;
use model::code::MethodId;
use viewer::api::overview::{Beginning, BeginningKind, Exception};

use super::names::{class, location_of_call, title};
use super::roots;
use crate::sections::BeginsBy;
use crate::serve::play::recording::Recording;

/// Beginnings and exceptions that are listed.
const MOST: usize = 20;
const EXCEPTIONS: usize = 100;

/// The beginnings, the most work first.
pub(in crate::serve) fn all(recording: &Recording, graph: &CallGraph) -> Vec<Beginning> {
    let begins = BeginsBy::of(&recording.code, |class| Some(recording.about.class_files.get(class)));
    let kind = |method, work: &Work| kind(recording, begins.method(method), method, work);
    let found = graph.methods.iter().filter_map(|(&method, work)| Some((kind(method, work)?, method, work)));
    let mut found: Vec<(BeginningKind, MethodId, &Work)> = found.collect();
    // How much lies below costs a look at the tree for each, so those that nobody looks for are left out first.
    found.sort_unstable_by_key(|(kind, method, work)| (*kind, std::cmp::Reverse(work.calls), *method));
    found.truncate(MOST);
    let roots = roots(recording);
    let mut all: Vec<Beginning> = found
        .into_iter()
        .map(|(kind, method, work)| Beginning {
            kind,
            method: method.0,
            title: title(recording, method),
            class: class(recording, method),
            calls: work.calls,
            blocks: graph.blocks_below(&recording.replay, &recording.blocks, &roots, method),
        })
        .collect();
    all.sort_by_key(|one| (std::cmp::Reverse(one.blocks), one.method));
    all
}

/// What begins with calls of a method, by what it is, and who calls it.
fn kind(recording: &Recording, begins: Begins, method: MethodId, work: &Work) -> Option<BeginningKind> {
    let about = recording.code.method(method)?;
    let (_, name) = recording.names(method);
    let is_outermost = work.outermost > 0;
    match (name, begins) {
        ("main", _) if is_outermost || about.descriptor == "([Ljava/lang/String;)V" => {
            Some(BeginningKind::Main)
        }
        (_, Begins::Request(_)) => Some(BeginningKind::Request),
        (_, Begins::Test) => Some(BeginningKind::Test),
        ("<init>" | "<clinit>", _) => None,
        _ if !is_outermost => None,
        ("run" | "call", _) => Some(BeginningKind::Task),
        _ if name.starts_with("lambda$") => Some(BeginningKind::Task),
        _ => Some(BeginningKind::Outermost),
    }
}

/// Where exceptions came from, the most frequent first.
pub(super) fn thrown(recording: &Recording, graph: &CallGraph) -> Vec<Exception> {
    listed(recording, graph.thrown.iter().map(|(&(method, block), &times)| (method, block, times)).collect())
}

/// Where exceptions were caught.
pub(super) fn caught(recording: &Recording, graph: &CallGraph) -> Vec<Exception> {
    let caught = graph.caught.iter().map(|(&(method, block), &times)| (method, Some(block), times));
    listed(recording, caught.collect())
}

fn listed(recording: &Recording, mut all: Vec<(MethodId, Option<u32>, u64)>) -> Vec<Exception> {
    all.sort_unstable_by_key(|&(method, block, times)| (std::cmp::Reverse(times), method, block));
    let one = |(method, block, times): (MethodId, Option<u32>, u64)| Exception {
        method: method.0,
        title: title(recording, method),
        class: class(recording, method),
        place: location_of_call(recording, method, block),
        times,
    };
    all.into_iter().take(EXCEPTIONS).map(one).collect()
}
