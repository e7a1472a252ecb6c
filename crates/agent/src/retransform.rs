//! Instrumenting the classes that are loaded already, and putting classes back.
//!
//! Both ask the virtual machine to run the hook for classes again, in batches: a batch costs one
//! pause of the program, 150 classes some milliseconds. A batch that is refused is halved until the
//! class that is to blame is alone.

use std::collections::HashSet;
use std::sync::Arc;

use crate::ffi::{Jni, Ref};
use crate::hooks;
use crate::recorder::{Agent, lock};
use crate::recording::{Known, Recording, known};

/// Classes in one batch.
const BATCH: usize = 150;

/// Runs the hook for the loaded classes that pass the filters. Twice: some may have slipped through
/// while they were being loaded.
pub(crate) fn instrument(agent: &Agent, jni: Jni, recording: &Arc<Recording>) {
    for _ in 0..2 {
        let hidden = |name: &str, loader| hooks::skip_hidden(agent, recording, name, loader);
        with_classes(agent, jni, hidden, |name, loader, class| {
            let number = hooks::loader_number(agent, loader);
            let wanted = recording.choices.filters.by_name(name, hooks::loader_kind(number)).is_ok();
            let known = known(name, number);
            wanted && !lock(&recording.instrumented).contains(&known) && agent.jvmti.is_modifiable(class)
        });
    }
}

/// Puts these classes back; returns those that are not among the loaded ones (yet).
pub(crate) fn restore(agent: &Agent, jni: Jni, mut left: HashSet<Known>) -> Vec<Known> {
    if left.is_empty() {
        return Vec::new();
    }
    with_classes(
        agent,
        jni,
        |_, _| (),
        |name, loader, _| left.remove(&known(name, hooks::loader_number(agent, loader))),
    );
    left.into_iter().collect()
}

/// Retransforms the loaded classes that are wanted. `hidden` is told of those that cannot be, with their loader.
fn with_classes(
    agent: &Agent,
    jni: Jni,
    hidden: impl Fn(&str, Ref),
    mut wanted: impl FnMut(&str, Ref, Ref) -> bool,
) {
    if !jni.push_frame() {
        return;
    }
    let mut batch = Vec::new();
    let classes = agent.jvmti.loaded_classes().unwrap_or_default();
    jni.expect_locals(classes.len());
    for class in classes {
        let signature = agent.jvmti.class_signature(class);
        let hidden_name = signature.as_deref().and_then(hooks::hidden);
        let name = signature
            .as_deref()
            .filter(|_| hidden_name.is_none())
            .and_then(|name| name.strip_prefix(b"L")?.strip_suffix(b";"));
        let name = name.map(hooks::dotted);
        let loader = agent.jvmti.class_loader(class);
        if let Some(name) = hidden_name {
            hidden(&name, loader);
        }
        if name.is_some_and(|name| wanted(&name, loader, class)) {
            batch.push(class);
        } else {
            jni.delete_local(class);
        }
        jni.delete_local(loader);
        if batch.len() == BATCH {
            halving(agent, &batch);
            batch.drain(..).for_each(|class| jni.delete_local(class));
        }
    }
    halving(agent, &batch);
    jni.pop_frame();
}

fn halving(agent: &Agent, classes: &[Ref]) {
    if !classes.is_empty() && agent.jvmti.retransform(classes).is_err() && classes.len() > 1 {
        let (first, second) = classes.split_at(classes.len() / 2);
        halving(agent, first);
        halving(agent, second);
    }
}
