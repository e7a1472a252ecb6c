//! Reports that are opened entry by entry, places, and the graph of calls.

use super::*;
use crate::calls::{CallGraph, Inside, Link, first};
use crate::replay::Kind;
use rustc_hash::FxHashSet;

/// Keeps what is inside the outermost entries.
struct Collector<'t> {
    written: &'t mut Written,
    inside: Vec<Option<Inside>>,
}

impl Visitor for Collector<'_> {
    fn open(&mut self, entry: &Entry<'_>) -> bool {
        self.inside.push(None);
        let go_on = self.written.open(entry);
        self.written.close();
        go_on
    }

    fn take(&mut self, inside: Inside) -> Option<Inside> {
        *self.inside.last_mut().unwrap() = Some(inside);
        None
    }

    fn close(&mut self) {}
}

/// Opens each entry by itself, as the page does.
fn by_hand(report: &mut Report<'_>, inside: &Inside, depth: usize, written: &mut Written) {
    let mut level = Written { most: usize::MAX, ..Written::default() };
    let mut collector = Collector { written: &mut level, inside: vec![] };
    report.inside(inside, &mut collector);
    let collected = collector.inside;
    for (line, inside) in level.text.lines().zip(&collected) {
        written.text += &format!("{}{line}\n", "  ".repeat(depth));
        if let Some(inside) = inside.as_ref().filter(|_| !line.contains(" within ")) {
            by_hand(report, inside, depth + 1, written);
        }
    }
}

#[test]
fn opened_by_hand_the_report_is_what_is_told_at_once() {
    let code = code();
    let mut rng = Rng::with_seed(7);
    let mut compared = 0;
    for _ in 0..300 {
        // Calls only of methods with larger numbers: no recursion, whose order depends on what was reported before.
        let mut run = String::new();
        random_calls(&mut rng, 0, &mut run);
        let replay = build(&code, &run);
        let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
        let root = replay.threads[0].root;
        let mut at_once = Written { most: usize::MAX, ..Written::default() };
        let mut report = Report::new(&replay, &blocks, &calls, Options::default());
        report.thread(root, &mut at_once);
        // What was reported before is reported again by hand.
        if at_once.text.contains("as before") {
            continue;
        }
        let inside = report.threads(&[root]).remove(0);
        let mut opened = Written { most: usize::MAX, ..Written::default() };
        by_hand(&mut report, &inside, 0, &mut opened);
        assert_eq!(opened.text, at_once.text, "{run}");
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}

fn random_calls(rng: &mut Rng, method: u32, run: &mut String) {
    *run += &format!("({method} 0 ");
    for _ in 0..rng.u64(..4) {
        *run += "1 2 ";
        if method < 5 && rng.bool() {
            let callee = method + 1 + rng.u32(..2);
            random_calls(rng, callee, run);
        }
    }
    *run += "1 3 ) ";
}

#[test]
fn threads_alike_are_one_and_what_is_inside_has_a_first_place() {
    let code = code();
    let mut builder = Builder::new(&code);
    for (serial, callee) in [(1, 1), (2, 1), (3, 2)] {
        for step in [
            FlowStep::Enter { method: MethodId(0), how: Entered::Outermost },
            FlowStep::Blocks { blocks: &[0], times: 1 },
            FlowStep::Enter { method: MethodId(callee), how: Entered::Call },
            FlowStep::Blocks { blocks: &[0, 3], times: 1 },
            FlowStep::Leave { how: Left::Returned },
            FlowStep::Leave { how: Left::Returned },
        ] {
            builder.observe(serial, step);
        }
    }
    let replay = builder.finish();
    let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
    let roots: Vec<NodeId> = replay.threads.iter().map(|thread| thread.root).collect();
    let mut report = Report::new(&replay, &blocks, &calls, Options::default());
    let kinds = report.threads(&roots);
    // All three begin one call of the same method; what that did are variants of it.
    assert_eq!(kinds.len(), 1);
    let times: u64 = kinds[0].nodes().map(|(_, times)| times).sum();
    assert_eq!((kinds[0].nodes().count(), times), (2, 3));
    let mut written = Written { most: usize::MAX, ..Written::default() };
    by_hand(&mut report, &kinds[0], 0, &mut written);
    expect![[r#"
        m0 Outermost None [] x3
          variant Some(Returned) [0] x2
            m0.0 m1 Call Some(Returned) [0, 3] x2
          variant Some(Returned) [0] x1
            m0.0 m2 Call Some(Returned) [0, 3] x1
    "#]]
    .assert_eq(&written.text);
    let frame = |callee: u32| -> FxHashSet<NodeId> {
        let nodes = (0..replay.len() as u32).map(NodeId);
        nodes
            .filter(|node| matches!(replay.kind(*node), Kind::Frame { method, .. } if method.0 == callee))
            .collect()
    };
    assert_eq!(first(&replay, &blocks, roots[0], &[frame(0), frame(1)]), Some(1));
    assert_eq!(first(&replay, &blocks, roots[0], &[frame(0)]), Some(0));
    assert_eq!(first(&replay, &blocks, roots[0], &[frame(0), frame(2)]), None);
    assert_eq!(first(&replay, &blocks, roots[0], &[frame(1), frame(0)]), None);
}

/// A pool's threads: 1 and 2 in whatever order; another that does 3.
#[test]
fn threads_that_took_tasks_of_the_same_kinds_are_one_pool_told_by_task() {
    let code = code();
    let mut builder = Builder::new(&code);
    for (serial, calls) in [(1, &[1, 2][..]), (2, &[2, 1, 1]), (3, &[3]), (4, &[1, 2])] {
        for &callee in calls {
            builder.observe(serial, FlowStep::Enter { method: MethodId(callee), how: Entered::Outermost });
            builder.observe(serial, FlowStep::Blocks { blocks: &[0], times: 1 });
            builder.observe(serial, FlowStep::Leave { how: Left::Returned });
        }
    }
    let replay = builder.finish();
    let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
    let roots: Vec<NodeId> = replay.threads.iter().map(|thread| thread.root).collect();
    let mut report = Report::new(&replay, &blocks, &calls, Options::default());
    assert_eq!(report.threads(&roots).len(), 3);
    let pools = report.pools(&roots);
    let mut written = Written { most: usize::MAX, ..Written::default() };
    for pool in &pools {
        written.text += &format!("{} threads\n", pool.nodes().map(|(_, times)| times).sum::<u64>());
        report.kind(pool, &mut written);
    }
    expect![[r#"
        3 threads
        m1 Outermost Some(Returned) [0] x4
        m2 Outermost Some(Returned) [0] x3
        1 threads
        m3 Outermost Some(Returned) [0] x1
    "#]]
    .assert_eq(&written.text);
}

#[test]
fn the_graph_counts_links_and_where_exceptions_began() {
    let code = code();
    // 1 is called from block 0 twice and from block 2 once; 2 throws through 1, and 0 catches.
    let replay = build(&code, "(0 0 (1 0 3) 0 (1 0 3) 1 2 (1 0 (2 0 ! ! c 3 )");
    let root = replay.threads[0].root;
    let graph = CallGraph::of(&replay, &[root, root]);
    let mut links: Vec<(Link, u64)> = graph.links.iter().map(|(link, times)| (*link, *times)).collect();
    links.sort_unstable();
    let written: Vec<String> = links
        .iter()
        .map(|(link, times)| {
            let caller = link.caller.map(|(method, block)| (method.0, block));
            format!("{caller:?} -> {} x{times}", link.callee.0)
        })
        .collect();
    assert_eq!(
        written,
        [
            "None -> 0 x2",
            "Some((0, Some(0))) -> 1 x4",
            "Some((0, Some(2))) -> 1 x2",
            "Some((1, Some(0))) -> 2 x2"
        ]
    );
    let work = graph.methods[&MethodId(1)];
    assert_eq!((work.calls, work.threw, work.outermost, work.blocks), (6, 2, 0, 10));
    assert_eq!(
        graph.thrown.iter().map(|(at, times)| (at.0.0, at.1, *times)).collect::<Vec<_>>(),
        [(2, Some(0), 2)]
    );
    assert_eq!(
        graph.caught.iter().map(|(at, times)| (at.0.0, at.1, *times)).collect::<Vec<_>>(),
        [(0, 4, 2)]
    );
    let blocks = Measure::blocks(&replay);
    assert_eq!(graph.blocks_below(&replay, &blocks, &[root], MethodId(1)), 6);
    assert_eq!(graph.blocks_below(&replay, &blocks, &[root], MethodId(0)), blocks.of_node(root));
}
