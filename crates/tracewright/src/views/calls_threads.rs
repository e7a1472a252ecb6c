//! Groups of threads in the text of `calls`: threads that behaved alike are shown as one.
//!
//! ```text
//! Threads exec-1..10  10 threads, 120 calls, 900 blocks, 3.1 s       names that differ in numbers only, calls of the
//! Virtual threads of shop.Load.fetch  1,250 threads, ...                same methods at the outermost level; without
//!                                                                   names by their entry
//! ```
//!
//! What differs further inside is shown as variants, as everywhere. Threads of equal content are grouped whatever their
//! names. The JSON output has each thread by itself.

use std::collections::{HashMap, HashSet};

use analyses::calls::{Inside, Report};
use analyses::replay::{Kind, NodeId, Replay, Thread};
use model::ThreadInfo;
use model::code::{CodeMap, MethodId};

use super::thread_names::{pattern, together};
use crate::recordings::Ran;

/// Threads that are shown as one, by serial number.
pub(super) struct ThreadGroup<'a> {
    pub(super) threads: Vec<(&'a ThreadInfo, &'a Thread)>,
    pub(super) inside: Inside,
}

/// What threads must have in common before they are compared.
#[derive(PartialEq, Eq, Hash)]
enum Likeness {
    Content(NodeId),
    Name { is_virtual: bool, pattern: String },
}

/// The groups of all threads of the report. `only_equal`: only threads of equal content are grouped.
pub(super) fn groups<'a>(
    ran: &'a Ran<'_>,
    report: &mut Report<'_>,
    only_equal: bool,
) -> Vec<ThreadGroup<'a>> {
    let kinds = |report: &mut Report<'_>, roots: &[NodeId]| match only_equal {
        true => report.threads(roots),
        false => report.pools(roots),
    };
    let threads = ran.threads.iter().copied().zip(&ran.replay.threads);
    let threads = threads.filter(|(_, ran)| report.has(ran.root));
    let alike = in_groups(threads.collect(), |(thread, ran)| match only_equal {
        true => Likeness::Content(ran.root),
        false => Likeness::Name { is_virtual: thread.is_virtual, pattern: pattern(&thread.name) },
    });
    let mut groups: Vec<ThreadGroup<'_>> = vec![];
    // By what all threads of a group did, if it is one thing.
    let mut index_of: HashMap<NodeId, usize> = HashMap::new();
    for threads in alike {
        for inside in kinds(report, &roots(&threads)) {
            let nodes: HashSet<NodeId> = inside.nodes().map(|(root, _)| root).collect();
            let of_shape = threads.iter().filter(|(_, ran)| nodes.contains(&ran.root)).copied();
            let known = match (nodes.iter().next(), nodes.len()) {
                (Some(only), 1) => *index_of.entry(*only).or_insert(groups.len()),
                _ => groups.len(),
            };
            match groups.get_mut(known) {
                Some(group) => group.threads.extend(of_shape),
                None => groups.push(ThreadGroup { threads: of_shape.collect(), inside }),
            }
        }
    }
    for group in &mut groups {
        group.threads.sort_by_key(|(thread, _)| thread.serial);
        // Threads of other names may have joined it.
        group.inside = kinds(report, &roots(&group.threads)).swap_remove(0);
    }
    groups.sort_by_key(|group| group.threads.first().map(|(thread, _)| thread.serial));
    groups
}

fn roots(threads: &[(&ThreadInfo, &Thread)]) -> Vec<NodeId> {
    threads.iter().map(|(_, ran)| ran.root).collect()
}

/// Those with equal keys together, in the order of the first of each.
fn in_groups<T, K: std::hash::Hash + Eq>(all: Vec<T>, key: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = vec![];
    let mut index_of: HashMap<K, usize> = HashMap::new();
    for one in all {
        let at = *index_of.entry(key(&one)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

impl ThreadGroup<'_> {
    /// What is over it: `Thread main`, `Threads exec-1..10`, `Virtual threads of shop.Load.fetch`.
    pub(super) fn name(&self, replay: &Replay, code: &CodeMap) -> String {
        let is_virtual = self.threads.iter().all(|(thread, _)| thread.is_virtual);
        let kind = if is_virtual { "Virtual thread" } else { "Thread" };
        let several = if self.threads.len() > 1 { "s" } else { "" };
        let names: Vec<&str> =
            self.threads.iter().map(|(thread, _)| &*thread.name).filter(|name| !name.is_empty()).collect();
        let name = match (names.is_empty(), self.threads.first()) {
            (true, Some((_, ran))) => entry(replay, ran.root)
                .map_or(String::new(), |method| format!("of {}", code.method_name(method))),
            _ => together(names),
        };
        format!("{kind}{several} {name}").trim_end().to_owned()
    }

    /// The thread, where it is one.
    pub(super) fn only_thread(&self) -> Option<&ThreadInfo> {
        match self.threads.as_slice() {
            [(thread, _)] => Some(thread),
            _ => None,
        }
    }

    /// From the first moment that is known of one of them to the last of any.
    pub(super) fn time(&self) -> Option<(i64, i64)> {
        let times = || self.threads.iter().filter_map(|(thread, _)| thread.time);
        let first = times().map(|(first, _)| first.0).min()?;
        Some((first, times().map(|(_, last)| last.0).max()?))
    }
}

/// The first method that was called.
fn entry(replay: &Replay, root: NodeId) -> Option<MethodId> {
    let mut at = root;
    loop {
        let inner = replay.items(at).iter().find_map(|item| item.node())?;
        if let Kind::Frame { method, .. } = replay.kind(inner) {
            return Some(method);
        }
        at = inner;
    }
}

#[cfg(test)]
mod tests {
    use analyses::calls::Options;
    use analyses::replay::{Builder, Measure};
    use expect_test::expect;
    use model::code::{Block, Class, CodeMap, Ending, Method};
    use model::flow::{Entered, FlowStep, Left};
    use model::flow_source::Anomalies;
    use model::{ClassId, MethodId, ThreadInfo};

    use super::groups;
    use crate::recordings::Ran;

    fn code() -> CodeMap {
        let method = |id: u32| Method {
            class: ClassId(0),
            name: format!("m{id}"),
            descriptor: "()V".into(),
            access_flags: 1,
            blocks: (0..2)
                .map(|at| Block {
                    start: at,
                    end: at + 1,
                    lines: vec![at as u16],
                    ending: Ending::FallThrough,
                    is_handler: false,
                })
                .collect(),
            edges: vec![],
            exception_edges: vec![],
            loops: vec![],
        };
        CodeMap {
            classes: vec![Class { name: "T".into(), source_file: None, origin: None }],
            methods: (0..6).map(method).collect(),
            ..CodeMap::default()
        }
    }

    /// `name: calls`, a line for each thread; `v` before it: virtual. `12`: method 1, which calls 2. What the groups
    /// are, and how many different things their threads did.
    fn described(threads: &str, only_equal: bool) -> String {
        let code = code();
        let mut builder = Builder::new(&code);
        let mut infos = vec![];
        for (serial, line) in (1..).zip(threads.lines()) {
            let (name, calls) = line.split_once(':').unwrap();
            let is_virtual = name.starts_with('v');
            let name = name.trim_start_matches('v').trim().to_owned();
            let leave = FlowStep::Leave { how: Left::Returned };
            for call in calls.split_whitespace() {
                let methods: Vec<u32> = call.chars().filter_map(|digit| digit.to_digit(10)).collect();
                for &method in &methods {
                    let how = Entered::Outermost;
                    builder.observe(serial, FlowStep::Enter { method: MethodId(method), how });
                    builder.observe(serial, FlowStep::Blocks { blocks: &[0], times: 1 });
                }
                methods.iter().for_each(|_| builder.observe(serial, leave));
            }
            infos.push(ThreadInfo { serial, name, is_virtual, ..ThreadInfo::default() });
        }
        let ran = Ran {
            replay: builder.finish(),
            threads: infos.iter().collect(),
            times: std::collections::HashMap::new(),
            unrecorded: vec![],
            open: vec![],
            anomalies: Anomalies::default(),
        };
        let (blocks, calls) = (Measure::blocks(&ran.replay), Measure::calls(&ran.replay));
        let mut report = analyses::calls::Report::new(&ran.replay, &blocks, &calls, Options::default());
        let lines = groups(&ran, &mut report, only_equal).into_iter().map(|group| {
            let name = group.name(&ran.replay, &code);
            let did = group.inside.nodes().count();
            let times: u64 = group.inside.nodes().map(|(_, times)| times).sum();
            assert_eq!(times, group.threads.len() as u64);
            format!("{name}: {times} of {did} kinds\n")
        });
        lines.collect()
    }

    const THREADS: &str = "main: 0
        exec-1: 12
        v : 3
        exec-2: 14
        v : 42
        exec-3: 3 3
        other: 3 3
        v : 3
        v : 42
        v : 41
        exec-10: 12
        v load-7: 5
        v load-8: 5";

    fn threads() -> String {
        THREADS.lines().map(|line| format!("{}\n", line.trim())).collect()
    }

    #[test]
    fn threads_that_did_alike_are_one_group() {
        expect![[r#"
            Thread main: 1 of 1 kinds
            Threads exec-1, exec-2, exec-10: 3 of 2 kinds
            Virtual threads of T.m3: 2 of 1 kinds
            Virtual threads of T.m4: 3 of 2 kinds
            Threads other, exec-3: 2 of 1 kinds
            Virtual threads load-7..8: 2 of 1 kinds
        "#]]
        .assert_eq(&described(&threads(), false));
    }

    #[test]
    fn unfolded_only_equal_content_are_one_group() {
        expect![[r#"
            Thread main: 1 of 1 kinds
            Threads exec-1, exec-10: 2 of 1 kinds
            Virtual threads of T.m3: 2 of 1 kinds
            Thread exec-2: 1 of 1 kinds
            Virtual threads of T.m4: 2 of 1 kinds
            Threads other, exec-3: 2 of 1 kinds
            Virtual thread of T.m4: 1 of 1 kinds
            Virtual threads load-7..8: 2 of 1 kinds
        "#]]
        .assert_eq(&described(&threads(), true));
    }
}
