//! One scene: the call, its loops by all their variants, who called it, what it called.

use std::collections::BTreeSet;

use analyses::replay::{Kind, NodeId, What};
use analyses::story::{Fate, LoopVariants, Made, StoryCall, made};
use model::code::{BlockId, Ending, MethodId};
use model::flow::{Entered, Left};
use viewer::Reply;
use viewer::api::story::{self, CallOfLine, Caller, LoopOfScene, MadeCall, Scene, VariantOfLoop};
use viewer::api::{Handled, Parameters};

use super::untold::of_hidden;
use super::{Asked, ranking};
use crate::escape::plain;
use crate::numbers::{counted, grouped};
use crate::serve::overview::names::{class, place, title};
use crate::serve::overview::threads;
use crate::serve::play::method::cut;
use crate::serve::play::recording::Recording;
use crate::serve::play::state::pairs;
use crate::serve::play::{bad, ready};
use crate::serve::session::Session;

/// Calls, names of levels and of callees that are listed.
const MADE: usize = 500;
const LEVELS: usize = 20;
const CALLEES: usize = 6;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Scene> {
    let Some(call) = asked.number("call").map(NodeId) else { return Err(bad()) };
    let asked = Asked::of(session, ready(session)?, asked)?;
    let at = asked.story.index_of(call);
    at.and_then(|at| scene(&asked, at))
        .ok_or_else(|| Reply::refusal(404, "There is no such scene in this story.\n"))
}

/// The first call of a method in which a line ran.
pub(super) fn call_of_line(session: &Session, asked: &Parameters<'_>) -> Handled<CallOfLine> {
    let recording = ready(session)?;
    let Some(method) = asked.number("method").map(MethodId) else { return Err(bad()) };
    let line = asked.number::<u16>("line");
    let (_, _, ranking) = ranking(session, &recording, asked)?;
    let has_line = |block: BlockId| {
        let block = recording.code.method(method).and_then(|method| method.blocks.get(block as usize));
        line.is_none_or(|line| block.is_some_and(|block| block.lines.contains(&line)))
    };
    let call = ranking.first_call(&recording.replay, method, |call| {
        counts(&recording, call).iter().any(|(block, _)| has_line(*block))
    });
    Ok(CallOfLine { call: call.map(|call| call.0) })
}

fn counts(recording: &Recording, node: NodeId) -> Vec<(BlockId, u64)> {
    recording.with_counts(|counts| counts.of_node(&recording.replay, node))
}

fn scene(asked: &Asked, at: usize) -> Option<Scene> {
    let Asked { recording, ranking, story, .. } = asked;
    let call = *story.calls.get(at)?;
    let Kind::Frame { method, entered, left } = recording.replay.kind(call.node) else { return None };
    let ran = counts(recording, call.node);
    let blocks: Vec<BlockId> = ran.iter().map(|(block, _)| *block).collect();
    let (thread, index, position) = asked.moment(call.begin);
    let name = recording.replay.threads.get(index).map_or("?", |thread| threads::name(recording, thread));
    let loops: Vec<LoopOfScene> =
        ranking.variants(method).iter().map(|one| of_loop(asked, method, one)).collect();
    let caller = call.around.and_then(|around| caller(asked, &call, around));
    let all = story.fates(ranking, &recording.replay, &recording.blocks, Some(at));
    let mut scene = Scene {
        call: call.node.0,
        method: method.0,
        title: title(recording, method),
        class: class(recording, method),
        place: place(recording, method, &blocks),
        text: String::new(),
        how: entered.into(),
        left: left.into(),
        thread,
        thread_name: plain(&cut(name)).into_owned(),
        at: position,
        times: ranking.times(call.node),
        calls_of_method: calls_of(asked, method),
        caller,
        ran_elsewhere: elsewhere(asked, method, &blocks),
        ran: pairs(ran),
        loops,
        more: all.len().saturating_sub(MADE),
        made: all.into_iter().take(MADE).map(|(one, fate)| made_call(asked, method, one, fate)).collect(),
    };
    scene.text = words(asked, &call, &scene, entered, left);
    Some(scene)
}

fn calls_of(asked: &Asked, method: MethodId) -> u64 {
    let nodes = (0..asked.recording.replay.len() as u32).map(NodeId);
    let is_it = |node: &NodeId| matches!(asked.recording.replay.kind(*node), Kind::Frame { method: of, .. } if of == method);
    nodes.filter(is_it).fold(0, |sum, node| sum.saturating_add(asked.ranking.times(node)))
}

/// Blocks that ran in other calls of the method below the entry and in this one did not.
fn elsewhere(asked: &Asked, method: MethodId, here: &[BlockId]) -> Vec<BlockId> {
    let replay = &asked.recording.replay;
    let mut found: BTreeSet<BlockId> = BTreeSet::new();
    for node in (0..replay.len() as u32).map(NodeId) {
        let is_it = match replay.kind(node) {
            Kind::Frame { method: of, .. }
            | Kind::Loop { method: of, .. }
            | Kind::Iteration { method: of } => of == method,
            Kind::Root | Kind::Again { .. } => false,
        };
        if is_it && asked.ranking.times(node) > 0 {
            found.extend(replay.items(node).iter().filter_map(|item| match item.what() {
                What::Block(block) | What::Catch(block) => Some(block),
                _ => None,
            }));
        }
    }
    found.into_iter().filter(|block| here.binary_search(block).is_err()).collect()
}

fn of_loop(asked: &Asked, method: MethodId, one: &LoopVariants) -> LoopOfScene {
    let Asked { recording, .. } = asked;
    let known = recording.code.method(method);
    let found = one.index.and_then(|index| known?.loops.get(index as usize));
    let variants = one.variants.iter().map(|variant| {
        let (thread, _, at) = asked.moment(variant.begin);
        let mut callees: Vec<String> = vec![];
        for made in made(&recording.replay, &recording.blocks, variant.node) {
            if let Kind::Frame { method, .. } = recording.replay.kind(made.node) {
                let title = title(recording, method);
                if !callees.contains(&title) {
                    callees.push(title);
                }
            }
        }
        VariantOfLoop {
            times: variant.times,
            call: variant.call.0,
            thread,
            at,
            ran: counts(recording, variant.node).into_iter().map(|(block, _)| block).collect(),
            call_count: callees.len(),
            calls: callees.into_iter().take(CALLEES).collect(),
        }
    });
    LoopOfScene {
        head: found.map(|found| found.head),
        place: found.map_or_else(String::new, |found| place(recording, method, &found.blocks)),
        iterations: one.iterations,
        variants: variants.collect(),
    }
}

fn caller(asked: &Asked, call: &StoryCall, around: usize) -> Option<Caller> {
    let Asked { recording, story, .. } = asked;
    let caller = story.calls.get(around)?;
    let mut levels = vec![];
    let mut at = Some(around).filter(|_| !caller.is_scene);
    while let Some(level) = at.and_then(|at| story.calls.get(at)).filter(|level| !level.is_scene) {
        levels.push(title(recording, level.method));
        at = level.around;
    }
    levels.reverse();
    Some(Caller {
        call: caller.node.0,
        method: caller.method.0,
        title: title(recording, caller.method),
        class: class(recording, caller.method),
        block: call.block,
        is_scene: caller.is_scene,
        ran: pairs(counts(recording, caller.node)),
        level_count: levels.len(),
        levels: levels.into_iter().take(LEVELS).collect(),
    })
}

fn made_call(asked: &Asked, caller: MethodId, one: Made, fate: Fate) -> MadeCall {
    let Asked { recording, story, .. } = asked;
    let method = match recording.replay.kind(one.node) {
        Kind::Frame { method, .. } => method,
        _ => caller,
    };
    let block = one.block.and_then(|block| recording.code.method(caller)?.blocks.get(block as usize));
    let scene_at = |at: usize| {
        let call = story.calls.get(at)?;
        let before = story.calls.iter().take(at).filter(|call| call.is_scene).count();
        call.is_scene.then_some(before)
    };
    let (fate, scene, hidden) = match fate {
        Fate::Here(at) => match scene_at(at) {
            Some(scene) => (story::Fate::Here, Some(scene), None),
            None => (story::Fate::Level, None, None),
        },
        Fate::Equal(at) => (story::Fate::Equal, scene_at(at), None),
        Fate::Alike => {
            let first = story.calls.iter().position(|call| call.is_scene && call.method == method);
            (story::Fate::Alike, first.and_then(scene_at), None)
        }
        Fate::Hidden(hidden) => (story::Fate::Hidden, None, Some(of_hidden(hidden))),
        Fate::Untold => (story::Fate::Untold, None, None),
    };
    MadeCall {
        call: one.node.0,
        method: method.0,
        title: title(recording, method),
        class: class(recording, method),
        times: one.times,
        block: one.block,
        line: block.and_then(|block| block.lines.last().copied()),
        inside: recording.calls.of_node(one.node).saturating_sub(1).saturating_mul(one.times),
        fate,
        scene,
        hidden,
    }
}

/// That the call, or something in it, was lost and is inferred.
fn inferred(asked: &Asked, call: &StoryCall) -> Option<String> {
    let Asked { recording, .. } = asked;
    let (_, index, position) = asked.moment(call.begin);
    let root = recording.replay.threads.get(index)?.root;
    if let Some(part) = recording.inferred_begin(root, position, call.node) {
        return Some(format!("It was not recorded: {}.", part.text));
    }
    let inside = recording.inferred_inside(call.node);
    let (were, they) = if inside == 1 { ("was", "it") } else { ("were", "they") };
    (inside > 0).then(|| {
        format!("In it {} {were} lost; what {they} recorded is inferred.", counted(inside, "record"))
    })
}

/// What happens, by rule.
fn words(asked: &Asked, call: &StoryCall, scene: &Scene, entered: Entered, left: Left) -> String {
    let Asked { recording, .. } = asked;
    let mut parts = vec![];
    match &scene.caller {
        Some(caller) => {
            let code = recording.code.method(MethodId(caller.method));
            let block = call.block.and_then(|block| code?.blocks.get(block as usize));
            let line = block
                .and_then(|block| block.lines.last())
                .map_or_else(String::new, |line| format!(" on line {line}"));
            let through = match (entered, block.map(|block| &block.ending)) {
                (Entered::Library, Some(Ending::Call(site))) if !site.name.is_empty() => {
                    format!(" through {} of a library", plain(&cut(&site.name)))
                }
                (Entered::Library, _) => " through a library".to_owned(),
                _ => String::new(),
            };
            parts.push(format!("{} calls {}{through}{line}.", caller.title, scene.title));
        }
        None => parts.push(format!("The story enters here, in thread {}.", scene.thread_name)),
    }
    if scene.calls_of_method > 1 {
        let equal = match scene.times {
            1 => "this one is like no other".to_owned(),
            times if times == scene.calls_of_method => "all did the same".to_owned(),
            times => format!("{} did just this", grouped(times)),
        };
        parts.push(format!("Of {} {equal}.", counted(scene.calls_of_method, "call")));
    }
    for one in &scene.loops {
        let variants = one.variants.len();
        let at = if one.place.is_empty() { String::new() } else { format!(" at {}", one.place) };
        if one.iterations > 1 {
            let kinds = if variants == 1 {
                "all alike".to_owned()
            } else {
                format!("in {}", counted(variants as u64, "variant"))
            };
            let whose = if scene.calls_of_method > 1 { "In all of them the loop" } else { "The loop" };
            parts.push(format!("{whose}{at} went round {} times, {kinds}.", grouped(one.iterations)));
        }
    }
    parts.extend(inferred(asked, call));
    match left {
        Left::Threw => parts.push("It ends with an exception.".into()),
        Left::Open => parts.push("It was still running when recording ended.".into()),
        Left::Unseen => parts.push("Its end was not recorded.".into()),
        Left::Returned => {}
    }
    parts.join(" ")
}
