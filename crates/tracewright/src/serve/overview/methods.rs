//! What ran of a package; and of one method who called it, from where, how often, and what it called.

use std::collections::{BTreeMap, BTreeSet};

use analyses::calls::{CallGraph, Link};
use analyses::replay::{Measure, Wanted};
use model::code::MethodId;
use viewer::Reply;
use viewer::api::overview::{Classes, MethodCalls, MethodLink, MethodWork, PackageWork};
use viewer::api::{Handled, Parameters};

use super::names::{class, location_of_call, place, title};
use super::{roots, threads};
use crate::serve::play::recording::{Recording, package};
use crate::serve::play::{bad, ready};
use crate::serve::session::Session;

/// Packages, methods of a package, links and threads of a method that are listed.
const PACKAGES: usize = 500;
const METHODS: usize = 2000;
const LINKS: usize = 500;
const THREADS: usize = 50;

/// The packages of which something ran, the most work first.
pub(super) fn packages(recording: &Recording, graph: &CallGraph) -> Vec<PackageWork> {
    let mut all: BTreeMap<&str, PackageWork> = BTreeMap::new();
    for (&method, work) in &graph.methods {
        let name = package(recording.names(method).0);
        let one = all.entry(name).or_insert_with(|| PackageWork {
            package: name.to_owned(),
            ran: 0,
            calls: 0,
            blocks: 0,
        });
        one.ran += 1;
        one.calls = one.calls.saturating_add(work.calls);
        one.blocks = one.blocks.saturating_add(work.blocks);
    }
    let mut all: Vec<PackageWork> = all.into_values().collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.blocks));
    all.truncate(PACKAGES);
    all
}

pub(super) fn classes(session: &Session, asked: &Parameters<'_>) -> Handled<Classes> {
    let recording = ready(session)?;
    let Some(name) = asked.text("package") else { return Err(bad()) };
    let graph = session.overview.graph(&recording);
    let ran = graph.methods.iter().filter(|(method, _)| package(recording.names(**method).0) == name);
    let mut ran: Vec<_> = ran.map(|(&method, &work)| (method, work)).collect();
    ran.sort_unstable_by_key(|&(method, work)| (std::cmp::Reverse(work.blocks), method));
    let more = ran.len().saturating_sub(METHODS);
    let work = ran.into_iter().take(METHODS).map(|(method, work)| MethodWork {
        method: method.0,
        title: title(&recording, method),
        class: class(&recording, method),
        calls: work.calls,
        blocks: work.blocks,
    });
    Ok(Classes { package: name, methods: work.collect(), more })
}

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<MethodCalls> {
    let recording = ready(session)?;
    let Some(method) = asked.number("id").map(MethodId) else { return Err(bad()) };
    let Some(about) = recording.code.method(method) else {
        return Err(Reply::refusal(404, "There is no such method.\n"));
    };
    let graph = session.overview.graph(&recording);
    let work = graph.methods.get(&method).copied().unwrap_or_default();
    let (callers, more) = links(&recording, graph, |link| link.callee == method, false);
    let is_caller = |link: &Link| link.caller.is_some_and(|(caller, _)| caller == method);
    let (callees, more_callees) = links(&recording, graph, is_caller, true);
    let roots = roots(&recording);
    let wanted = Wanted { frame: &|one| one == method, block: None, first_iterations: false };
    let calls = Measure::of(&recording.replay, &wanted);
    let called = recording.replay.threads.iter().filter(|thread| calls.of_node(thread.root) > 0);
    let names: BTreeSet<&str> = called.map(|thread| threads::name(&recording, thread)).collect();
    Ok(MethodCalls {
        method: method.0,
        title: title(&recording, method),
        class: recording.names(method).0.to_owned(),
        descriptor: about.descriptor.clone(),
        place: place(&recording, method, &[]),
        calls: work.calls,
        threw: work.threw,
        own: work.blocks,
        blocks: graph.blocks_below(&recording.replay, &recording.blocks, &roots, method),
        threads: names.into_iter().take(THREADS).map(str::to_owned).collect(),
        callers,
        callees,
        more: more + more_callees,
    })
}

/// The links that are wanted, and how many were left out; as the method that was called or the one that called. Calls from
/// blocks of one line are one link.
fn links(
    recording: &Recording,
    graph: &CallGraph,
    wanted: impl Fn(&Link) -> bool,
    is_callee: bool,
) -> (Vec<MethodLink>, usize) {
    let mut lines: BTreeMap<(Option<MethodId>, String, u8), MethodLink> = BTreeMap::new();
    for (link, &times) in graph.links.iter().filter(|(link, _)| wanted(link)) {
        let place = link
            .caller
            .map_or_else(String::new, |(caller, block)| location_of_call(recording, caller, block));
        let other = if is_callee { Some(link.callee) } else { link.caller.map(|(caller, _)| caller) };
        let one = lines.entry((other, place.clone(), link.entered as u8)).or_insert_with(|| MethodLink {
            method: other.map(|other| other.0),
            title: other.map_or_else(String::new, |other| title(recording, other)),
            class: other.map_or_else(String::new, |other| class(recording, other)),
            place,
            how: link.entered.into(),
            times: 0,
        });
        one.times = one.times.saturating_add(times);
    }
    let more = lines.len().saturating_sub(LINKS);
    let mut lines: Vec<MethodLink> = lines.into_values().collect();
    lines.sort_by_key(|link| std::cmp::Reverse(link.times));
    lines.truncate(LINKS);
    (lines, more)
}
