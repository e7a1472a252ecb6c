//! The scenes in a row, and in words what passes between them.

use analyses::replay::Kind;
use analyses::story::{Hidden, Passed};
use model::flow::Left;
use viewer::api::story::{Passing, SceneLine, Story};

use super::{Asked, entries};
use crate::numbers::counted;
use crate::serve::overview::names::{class, title};
use crate::serve::session::Session;

/// Points of the curve.
const CURVE: usize = 1000;

pub(super) fn list(session: &Session, asked: &Asked) -> Story {
    let Asked { recording, story, ranking, .. } = asked;
    let untold = &story.untold;
    // By how many scenes have begun before: methods that ran first there, and variants.
    let mut first: Vec<(usize, usize)> = vec![(0, 0); story.passed.len()];
    for one in untold {
        if let Some((methods, variants)) = first.get_mut(one.behind) {
            *methods += 1;
            *variants += one.variants;
        }
    }
    let mut passing = story.passed.iter().zip(first).map(|(passed, (methods, variants))| Passing {
        calls: passed.calls(),
        methods,
        variants,
        text: words(passed, methods, variants),
    });
    let before = passing.next().unwrap_or_default();
    // The index of each call of the story among the scenes, and its distance to the scene around it.
    let (mut index, mut around): (Vec<usize>, Vec<(Option<usize>, usize)>) = (vec![], vec![]);
    let mut scenes: Vec<SceneLine> = vec![];
    for call in &story.calls {
        let above = call.around.and_then(|at| {
            let is_scene = story.calls.get(at)?.is_scene;
            match is_scene {
                true => Some((index.get(at).copied(), 0)),
                false => around.get(at).map(|(scene, levels)| (*scene, levels + 1)),
            }
        });
        let above = above.unwrap_or((None, 0));
        around.push(above);
        index.push(scenes.len());
        if !call.is_scene {
            continue;
        }
        let (thread, _, at) = asked.moment(call.begin);
        let left = match recording.replay.kind(call.node) {
            Kind::Frame { left, .. } => left,
            _ => Left::Unseen,
        };
        scenes.push(SceneLine {
            call: call.node.0,
            method: call.method.0,
            title: title(recording, call.method),
            class: class(recording, call.method),
            depth: above.0.and_then(|at| scenes.get(at)).map_or(0, |around| around.depth + 1),
            around: above.0,
            levels: above.1,
            times: ranking.times(call.node),
            variants: ranking.variants(call.method).iter().map(|one| one.variants.len()).sum(),
            left: left.into(),
            thread,
            at,
            passing: passing.next().unwrap_or_default(),
        });
    }
    Story {
        entry: asked.name.clone(),
        title: entries::name(recording, asked.entry),
        entries: entries::all(&session.overview, recording),
        before,
        all: ranking.scenes(),
        calls: story.passed.iter().map(Passed::calls).fold(story.calls.len() as u64, u64::saturating_add),
        methods: story
            .calls
            .iter()
            .filter(|call| call.is_scene)
            .map(|call| call.method)
            .collect::<std::collections::BTreeSet<_>>()
            .len()
            + untold.len(),
        untold: untold.len(),
        hidden: untold.iter().filter(|one| one.hidden.is_some()).count(),
        lines: story.lines,
        lines_shown: story.shown,
        variants: story.variants,
        variants_shown: story.variants_shown,
        curve: (1..=ranking.scenes().min(CURVE)).map(|scenes| ranking.shown_by(scenes)).collect(),
        scenes,
    }
}

/// `412 calls pass: 380 equal to calls that are shown, 20 of getters and setters, ...`.
fn words(passed: &Passed, methods: usize, variants: usize) -> String {
    let all = passed.calls();
    if all == 0 {
        return String::new();
    }
    let mut parts = vec![];
    let mut part = |calls: u64, words: &str| {
        if calls > 0 {
            parts.push(format!("{} {words}", crate::numbers::grouped(calls)));
        }
    };
    part(passed.equal, "equal to calls that are shown");
    part(passed.alike, "of methods that are shown, not equal");
    for (hidden, calls) in &passed.hidden {
        part(*calls, of_hidden(*hidden));
    }
    part(passed.untold, "in methods that have no scene");
    let verb = if all == 1 { "passes" } else { "pass" };
    let mut text = format!("{} {verb}: {}.", counted(all, "call"), parts.join(", "));
    if methods > 0 {
        text += &format!(" {} without a scene ran first here", counted(methods as u64, "method"));
        if variants > 0 {
            text += &format!(", with {} of loops", counted(variants as u64, "variant"));
        }
        text += ".";
    }
    text
}

fn of_hidden(hidden: Hidden) -> &'static str {
    match hidden {
        Hidden::Accessor => "of getters and setters",
        Hidden::Bridge => "of methods that the compiler made",
        Hidden::EmptyConstructor => "of empty constructors",
        Hidden::Delegation => "that only hand on",
        Hidden::SetUp => "to set classes up",
    }
}
