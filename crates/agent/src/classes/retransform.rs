//! Instrumenting the classes that are loaded already, and putting classes back.
//!
//! Both ask the virtual machine to run the hook for classes again, in batches: a batch costs one
//! pause of the program, 150 classes some milliseconds. A batch that is refused is halved until the
//! class that is to blame is alone.

use std::collections::HashSet;

use super::loaders::{self, Loaders};
use super::recorded::{Known, RecordedClasses, known};
use crate::jvm::{Jni, Jvmti, Ref, names};
use crate::writer::output::Output;

/// Classes in one batch.
const BATCH: usize = 150;

/// Runs the hook for the loaded classes that pass the filters. Twice: some may have slipped through
/// while they were being loaded.
pub(crate) fn instrument(
    (jvmti, jni): (Jvmti, Jni),
    loaders: &Loaders,
    classes: &RecordedClasses,
    output: &Output,
) {
    for _ in 0..2 {
        let hidden = |name: &str, loader| classes.skip_hidden(output, name, loaders.number(jvmti, loader));
        with_classes((jvmti, jni), hidden, |name, loader, class| {
            let number = loaders.number(jvmti, loader);
            let is_wanted = classes.wanted.filters.by_name(name, loaders::kind(number)).is_ok();
            (is_wanted || classes.follows(name))
                && !classes.is_instrumented(&known(name, number))
                && jvmti.is_modifiable(class)
        });
    }
}

/// Runs the hook for these classes: what it does not change is put back. Returns those that are not among the loaded
/// ones (yet).
pub(crate) fn again((jvmti, jni): (Jvmti, Jni), loaders: &Loaders, mut left: HashSet<Known>) -> Vec<Known> {
    if left.is_empty() {
        return Vec::new();
    }
    let is_left = |name: &str, loader, _| left.remove(&known(name, loaders.number(jvmti, loader)));
    with_classes((jvmti, jni), |_, _| (), is_left);
    left.into_iter().collect()
}

/// Retransforms the loaded classes that are wanted. `hidden` is given those that cannot be, with their loader.
fn with_classes(
    (jvmti, jni): (Jvmti, Jni),
    hidden: impl Fn(&str, Ref),
    mut wanted: impl FnMut(&str, Ref, Ref) -> bool,
) {
    if !jni.push_frame() {
        return;
    }
    let mut batch = Vec::new();
    let classes = jvmti.loaded_classes().unwrap_or_default();
    jni.expect_locals(classes.len());
    for class in classes {
        let signature = jvmti.class_signature(class).unwrap_or_default();
        let loader = jvmti.class_loader(class);
        let is_wanted = if let Some(name) = names::of_hidden(&signature) {
            hidden(&name, loader);
            false
        } else {
            names::of_signature(&signature).is_some_and(|name| wanted(&name, loader, class))
        };
        if is_wanted {
            batch.push(class);
        } else {
            jni.delete_local(class);
        }
        jni.delete_local(loader);
        if batch.len() == BATCH {
            halving(jvmti, &batch);
            batch.drain(..).for_each(|class| jni.delete_local(class));
        }
    }
    halving(jvmti, &batch);
    jni.pop_frame();
}

fn halving(jvmti: Jvmti, classes: &[Ref]) {
    if !classes.is_empty() && jvmti.retransform(classes).is_err() && classes.len() > 1 {
        let (first, second) = classes.split_at(classes.len() / 2);
        halving(jvmti, first);
        halving(jvmti, second);
    }
}
