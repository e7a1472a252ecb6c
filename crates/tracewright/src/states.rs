//! The states that a model makes of a trace, attribute by attribute.

use inference::{Checking, Engine, Fed, NodeId, Options, ROOT};

use crate::cli::machines::States;
use crate::exit::Result;
use crate::losses::Losses;
use crate::models;
use crate::open::open;
use crate::pattern::Patterns;
use crate::process::note;
use crate::progress::Progress;
use crate::results::{Attribute, FoundStates};
use crate::warn::warn;

/// Reads the trace; also whether something of it is missing.
pub(crate) fn find(options: &States) -> Result<(FoundStates, bool)> {
    let model = models::load_one(&options.model, options.analysis.as_deref())?;
    let mut source = open(&options.trace.input)?;
    let run = Options { by_key: false, checking: Checking::Off, history: true, segments: true };
    let mut engine =
        Engine::new(model.pattern.clone(), run).or_else(|unsupported| model.refuse(&unsupported))?;
    let (mut losses, mut progress) = (Losses::default(), Progress::new(false));
    while let Some(fed) = engine.feed(source.as_mut()) {
        if let Fed::Gap(gap) = fed {
            losses.add(&gap);
        }
        progress.step(source.as_ref());
    }
    progress.finish();
    engine.finish();
    match model.is_built_in {
        true => model.compare(source.alphabet().names())?,
        // Whoever wrote it sees that nothing has a value.
        false => model.remark(source.alphabet().names()),
    }
    let is_incomplete = warn(&options.trace.input, losses.total, source.as_ref());
    if engine.dropped() > 0 {
        note(format_args!(
            "{} states were left out: there are more than are kept in memory",
            engine.dropped()
        ));
    }
    let attributes = attributes(&engine, &Patterns::new(&options.attribute), options.unset);
    let analysis = model.pattern.id;
    Ok((FoundStates { model: model.name, analysis, engine, attributes }, is_incomplete))
}

/// Attributes whose path is asked for, each before those below it; without `unset` only those that ever
/// had a value.
fn attributes(engine: &Engine, wanted: &Patterns, unset: bool) -> Vec<Attribute> {
    let (states, texts) = (engine.states(), engine.texts());
    let mut found = Vec::new();
    let mut open: Vec<(NodeId, Vec<String>)> = vec![(ROOT, Vec::new())];
    while let Some((node, path)) = open.pop() {
        let has_value = states.history(node).iter().any(|(_, value)| !value.is_null());
        let children: Vec<NodeId> = states.children(node).collect();
        for child in children.into_iter().rev() {
            let mut path = path.clone();
            path.push(texts.show_name(states.name(child)));
            open.push((child, path));
        }
        if node != ROOT && (has_value || unset) && wanted.allow(&path.join("/")) {
            found.push(Attribute { path, node });
        }
    }
    found
}
