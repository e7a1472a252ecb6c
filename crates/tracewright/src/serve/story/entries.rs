//! Entries that a story can begin with, and the default one.

use analyses::replay::{Kind, NodeId};
use analyses::story::Entry;
use model::code::MethodId;
use viewer::api::overview::{Beginning, BeginningKind};
use viewer::api::story::StoryEntry;

use crate::escape::plain;
use crate::serve::overview;
use crate::serve::overview::names::{class, title};
use crate::serve::play::recording::Recording;

/// Threads that are offered.
const THREADS: usize = 200;

/// `t1`, `m17`, `c42`.
pub(super) fn parse(recording: &Recording, name: &str) -> Option<Entry> {
    let number: u32 = name.get(1..)?.parse().ok()?;
    match name.get(..1)? {
        "t" => recording.replay.threads.iter().position(|thread| thread.serial == number).map(Entry::Thread),
        "m" => recording.code.method(MethodId(number)).map(|_| Entry::Method(MethodId(number))),
        "c" => matches!(recording.replay.kind(NodeId(number)), Kind::Frame { .. })
            .then_some(Entry::Call(NodeId(number))),
        _ => None,
    }
}

/// A server's and a test's `main` only sets up what people look for: a request, a test.
fn rank(beginning: &Beginning) -> u8 {
    match beginning.kind {
        BeginningKind::Request => 0,
        BeginningKind::Test => 1,
        BeginningKind::Main | BeginningKind::Task | BeginningKind::Outermost => 2,
    }
}

fn beginnings(part: &overview::Part, recording: &Recording) -> Vec<Beginning> {
    let mut all = overview::beginnings::all(recording, part.graph(recording));
    all.sort_by_key(|one| (rank(one), std::cmp::Reverse(one.blocks), one.method));
    all
}

/// Where something began, the most work that is not set-up first, then threads.
pub(super) fn all(part: &overview::Part, recording: &Recording) -> Vec<StoryEntry> {
    let beginnings = beginnings(part, recording).into_iter().map(|one| StoryEntry {
        entry: format!("m{}", one.method),
        title: one.title,
        class: one.class,
        kind: Some(one.kind),
        calls: one.calls,
        blocks: one.blocks,
    });
    let mut threads: Vec<&analyses::replay::Thread> = recording.replay.threads.iter().collect();
    threads.sort_by_key(|thread| (std::cmp::Reverse(recording.total(thread.root)), thread.serial));
    let threads = threads.into_iter().take(THREADS).map(|thread| StoryEntry {
        entry: format!("t{}", thread.serial),
        title: format!("thread {}", plain(overview::threads::name(recording, thread))),
        class: String::new(),
        kind: None,
        calls: recording.calls.of_node(thread.root),
        blocks: recording.total(thread.root),
    });
    beginnings.chain(threads).collect()
}

/// The first of them.
pub(super) fn best(part: &overview::Part, recording: &Recording) -> Option<(String, Entry)> {
    let name = match beginnings(part, recording).first() {
        Some(one) => format!("m{}", one.method),
        None => all(part, recording).first()?.entry.clone(),
    };
    let entry = parse(recording, &name)?;
    Some((name, entry))
}

/// The title of an entry.
pub(super) fn name(recording: &Recording, entry: Entry) -> String {
    let of = |method| format!("{} of {}", title(recording, method), class(recording, method));
    match entry {
        Entry::Thread(index) => {
            let thread = recording.replay.threads.get(index);
            let name = thread.map_or("?", |thread| overview::threads::name(recording, thread));
            format!("thread {}", plain(name))
        }
        Entry::Method(method) => of(method),
        Entry::Call(node) => match recording.replay.kind(node) {
            Kind::Frame { method, .. } => format!("one call of {}", of(method)),
            _ => "?".into(),
        },
    }
}
