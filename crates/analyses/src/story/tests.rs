//! Stories of runs written by hand, and what must hold of each story.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use model::code::MethodId;

use super::*;
use crate::calls::tests::{build, code};
use crate::replay::{Kind, Measure, NodeId, Replay};
use fastrand::Rng;

const GETTER: u32 = 9;
const SET_UP: u32 = 8;

fn weight(method: MethodId) -> Weight {
    match method.0 {
        GETTER => Weight::Hidden(Hidden::Accessor),
        SET_UP => Weight::Hidden(Hidden::SetUp),
        7 => Weight::Other,
        _ => Weight::Own,
    }
}

struct Ready {
    replay: Replay,
    blocks: Measure,
    calls: Measure,
    ranking: Ranking,
}

impl Ready {
    fn of(run: &str, entry: Entry) -> Ready {
        let replay = build(&code(), run);
        let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
        let lines = |_: MethodId, block: u32| block;
        let source = |_: MethodId, block: u32, hear: &mut dyn FnMut(u32)| hear(block);
        let comes_round = |_: MethodId, _: u32, block: u32| block == 2;
        let options = Options { lines: &lines, source: &source, comes_round: &comes_round, weight: &weight };
        let ranking = Ranking::of(&replay, &blocks, entry, options);
        Ready { replay, blocks, calls, ranking }
    }

    fn story(&self, scenes: usize, with: &[NodeId]) -> Story {
        Story::of(&self.ranking, &self.replay, &self.blocks, &self.calls, scenes, with)
    }
}

fn written(ready: &Ready, story: &Story) -> String {
    let mut text = String::new();
    let mut scenes = 0;
    let pass = |passed: &Passed| match passed.calls() {
        0 => String::new(),
        _ => format!(
            "pass: {} equal, {} alike, {:?}, {} untold\n",
            passed.equal, passed.alike, passed.hidden, passed.untold
        ),
    };
    text += &pass(&story.passed[0]);
    for calls in &story.calls {
        let around = calls.around.map_or("-".into(), |around| format!("m{}", story.calls[around].method.0));
        let kind = if calls.is_scene { "scene" } else { "level" };
        text += &format!("{kind} m{} of {around} at {}", calls.method.0, calls.begin);
        for one in ready.ranking.variants(calls.method) {
            let times: Vec<u64> = one.variants.iter().map(|variant| variant.times).collect();
            text += &format!(", loop {times:?}");
        }
        text += "\n";
        if calls.is_scene {
            scenes += 1;
            text += &pass(&story.passed[scenes]);
        }
    }
    for one in &story.untold {
        text += &format!("untold m{} x{} {:?} behind {}\n", one.method.0, one.calls, one.hidden, one.behind);
    }
    text + &format!(
        "{} of {} lines, {} of {} variants\n",
        story.shown, story.lines, story.variants_shown, story.variants
    )
}

fn check(run: &str, entry: Entry, scenes: usize, expected: Expect) {
    let ready = Ready::of(run, entry);
    expected.assert_eq(&written(&ready, &ready.story(scenes, &[])));
}

/// A loop that bakes three times alike and once otherwise, with a getter in each iteration and set-up before.
const BAKERY: &str =
    "(0 0 (8 0 (7 0 3 ) ) 1 2 (1 0 3 (9 0 ) ) 1 2 (1 0 3 (9 0 ) ) 1 2 (2 0 3 ) 1 2 (1 0 3 (9 0 ) ) 1 3 )";

#[test]
fn equal_calls_are_one_scene_and_what_passes_is_counted() {
    check(
        BAKERY,
        Entry::Thread(0),
        10,
        expect![[r#"
            scene m0 of - at 0, loop [3, 1]
            pass: 0 equal, 0 alike, {SetUp: 2}, 0 untold
            scene m1 of m0 at 6
            pass: 4 equal, 0 alike, {Accessor: 1}, 0 untold
            scene m2 of m0 at 16
            untold m8 x1 Some(SetUp) behind 1
            untold m7 x1 Some(SetUp) behind 1
            untold m9 x3 Some(Accessor) behind 2
            8 of 12 lines, 2 of 2 variants
        "#]],
    );
}

#[test]
fn a_short_story_says_what_it_leaves_out() {
    check(
        BAKERY,
        Entry::Method(MethodId(0)),
        2,
        expect![[r#"
            scene m0 of - at 0, loop [3, 1]
            pass: 0 equal, 0 alike, {SetUp: 2}, 0 untold
            scene m1 of m0 at 6
            pass: 4 equal, 0 alike, {Accessor: 1}, 1 untold
            untold m8 x1 Some(SetUp) behind 1
            untold m7 x1 Some(SetUp) behind 1
            untold m9 x3 Some(Accessor) behind 2
            untold m2 x1 None behind 2
            6 of 12 lines, 2 of 2 variants
        "#]],
    );
}

#[test]
fn a_chain_that_shows_nothing_new_leads_on_without_scenes() {
    check(
        "(0 0 (3 0 3 ) (3 0 (3 0 (3 0 (3 0 (4 0 1 2 1 2 1 3 ) 3 ) 3 ) 3 ) 3 ) 3 )",
        Entry::Method(MethodId(0)),
        10,
        expect![[r#"
            scene m0 of - at 0
            pass: 0 equal, 1 alike, {}, 0 untold
            scene m3 of m0 at 3
            level m3 of m3 at 4
            level m3 of m3 at 5
            level m3 of m3 at 6
            scene m4 of m3 at 7, loop [2]
            8 of 8 lines, 1 of 1 variants
        "#]],
    );
}

#[test]
fn set_up_is_told_to_who_asks_for_its_call() {
    let ready = Ready::of(BAKERY, Entry::Thread(0));
    let set_up = ready.story(10, &[]).untold.iter().find(|one| one.method.0 == 7).unwrap().node;
    let text = written(&ready, &ready.story(2, &[set_up]));
    expect![[r#"
        scene m0 of - at 0, loop [3, 1]
        level m8 of m0 at 1
        scene m7 of m8 at 2
        scene m1 of m0 at 6
        pass: 4 equal, 0 alike, {Accessor: 1}, 1 untold
        untold m8 x1 Some(SetUp) behind 1
        untold m9 x3 Some(Accessor) behind 3
        untold m2 x1 None behind 3
        6 of 12 lines, 2 of 2 variants
    "#]]
    .assert_eq(&text);
}

#[test]
fn set_up_is_told_to_who_enters_there() {
    check(
        BAKERY,
        Entry::Method(MethodId(SET_UP)),
        10,
        expect![[r#"
            scene m8 of - at 1
            scene m7 of m8 at 2
            3 of 3 lines, 0 of 0 variants
        "#]],
    );
}

fn random_run(rng: &mut Rng, method: u32, depth: u32, run: &mut String) {
    let enter = if rng.u64(..6) == 0 { 'l' } else { '(' };
    *run += &format!("{enter}{method} 0 ");
    for _ in 0..rng.u64(..4) {
        *run += "1 2 ";
        for _ in 0..rng.u64(..3) {
            if depth < 5 {
                let callee = rng.u32(..10);
                random_run(rng, callee, depth + 1, run);
            }
        }
    }
    *run += if rng.u64(..8) == 0 { "1 ! " } else { "1 3 ) " };
}

/// The methods below some nodes, and the calls.
fn below(replay: &Replay, roots: &[NodeId]) -> (BTreeSet<MethodId>, BTreeSet<NodeId>) {
    let (mut methods, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut waiting = roots.to_vec();
    while let Some(node) = waiting.pop() {
        if seen.insert(node) {
            if let Kind::Frame { method, .. } = replay.kind(node) {
                methods.insert(method);
            }
            waiting.extend(replay.items(node).iter().filter_map(|item| item.node()));
        }
    }
    (methods, seen)
}

#[test]
fn nothing_is_left_out_in_silence() {
    let mut rng = Rng::with_seed(36);
    let mut cut = 0;
    for round in 0..400 {
        let mut run = String::new();
        for _ in 0..1 + rng.u64(..3) {
            random_run(&mut rng, round % 10, 0, &mut run);
        }
        let entry = match rng.u64(..2) {
            0 => Entry::Thread(0),
            _ => Entry::Method(MethodId(round % 10)),
        };
        let ready = Ready::of(&run, entry);
        let roots: Vec<NodeId> = ready.ranking.roots.iter().map(|root| root.node).collect();
        let ran =
            ready.ranking.roots.iter().map(|root| ready.calls.of_node(root.node) * root.times).sum::<u64>();
        let (methods, nodes) = below(&ready.replay, &roots);
        let mut before: BTreeSet<NodeId> = BTreeSet::new();
        for scenes in [0, 1, 2, 3, 5, 8, 100] {
            let story = ready.story(scenes, &[]);
            let count = story.calls.iter().filter(|one| one.is_scene).count();
            assert_eq!(count, scenes.min(ready.ranking.scenes()), "the length that was asked for: {run}");
            cut += usize::from(count < ready.ranking.scenes());
            // Each call that ran is in the story, or counted where it passes.
            let passed: u64 = story.passed.iter().map(Passed::calls).sum();
            assert_eq!(passed + story.calls.len() as u64, ran, "{run}");
            // Each method has a scene or is listed.
            let with_scene: BTreeSet<MethodId> =
                story.calls.iter().filter(|one| one.is_scene).map(|one| one.method).collect();
            let listed: BTreeSet<MethodId> = story.untold.iter().map(|one| one.method).collect();
            assert!(with_scene.is_disjoint(&listed));
            assert_eq!(with_scene.union(&listed).copied().collect::<BTreeSet<_>>(), methods, "{run}");
            // Each variant of each loop belongs to a method with a scene, which shows it, or to one that is listed with it.
            let of = |method: &MethodId| {
                ready.ranking.variants(*method).iter().map(|one| one.variants.len()).sum::<usize>()
            };
            assert_eq!(story.variants_shown, with_scene.iter().map(of).sum::<usize>());
            assert_eq!(
                story.variants - story.variants_shown,
                story.untold.iter().map(|one| one.variants).sum::<usize>()
            );
            for node in &nodes {
                let Kind::Loop { method, index } = ready.replay.kind(*node) else { continue };
                let known = ready.ranking.variants(method).iter().find(|one| one.index == index).unwrap();
                assert!(!known.variants.is_empty(), "{run}");
            }
            // Each call in the story has its caller before it; and a longer story has all of a shorter one.
            for (at, calls) in story.calls.iter().enumerate() {
                match calls.around {
                    Some(around) => assert!(around < at && story.calls[around].begin <= calls.begin, "{run}"),
                    None => {
                        assert!(matches!(entry, Entry::Thread(_)) || roots.contains(&calls.node), "{run}")
                    }
                }
            }
            let now: BTreeSet<NodeId> =
                story.calls.iter().filter(|one| one.is_scene).map(|one| one.node).collect();
            assert!(now.is_superset(&before), "{run}");
            before = now;
        }
        // Asked for by name, every method can be seen.
        for one in ready.story(3, &[]).untold {
            let story = ready.story(3, &[one.node]);
            assert!(story.calls.iter().any(|calls| calls.is_scene && calls.method == one.method), "{run}");
        }
    }
    assert!(cut > 500, "{cut}");
}
