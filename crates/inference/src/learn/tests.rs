//! What is learned from sequences of known machines, and what names instances.

use std::collections::BTreeMap;
use std::fmt::Write;

use expect_test::{Expect, expect};
use fastrand::Rng;
use model::machine::KeySource;

use super::events::Given;
use super::evidence::accepts;
use super::merge::{self, Automaton};
use super::roles::token;
use super::sequences::{Label, Sequence, Sequences};
use super::{Events, Learned, learn};

/// By state and label, where it leads.
type Table = Vec<BTreeMap<u32, usize>>;

fn walks(table: &Table, random: &mut Rng, count: usize, length: usize) -> Vec<Sequence> {
    let one = |random: &mut Rng| {
        let mut state = random.usize(..table.len());
        let mut sequence = Sequence::default();
        for _ in 0..length {
            let choices: Vec<(u32, usize)> = table[state].iter().map(|(label, to)| (*label, *to)).collect();
            if choices.is_empty() {
                break;
            }
            let (label, to) = choices[random.usize(..choices.len())];
            sequence.labels.push(label);
            state = to;
        }
        sequence
    };
    (0..count).map(|_| one(random)).collect()
}

fn sequences(all: Vec<Sequence>, labels: u32) -> Sequences {
    let labels = (0..labels).map(|kind| Label { token: token(kind, 1), value: None }).collect();
    Sequences { labels, all, odd: 0 }
}

fn takes_all(machine: &Automaton, sequences: &Sequences) -> bool {
    let all: Vec<usize> = (0..machine.nodes.len()).collect();
    sequences.all.iter().all(|sequence| accepts(machine, &all, sequence.labels.iter()))
}

#[test]
fn whatever_machine_it_was_all_that_it_did_is_accepted() {
    let mut random = Rng::with_seed(35);
    for _ in 0..200 {
        let (states, labels) = (1 + random.usize(..5), 1 + random.u32(..6));
        let mut table: Table = vec![BTreeMap::new(); states];
        for state in &mut table {
            for _ in 0..=random.usize(..3) {
                state.insert(random.u32(..labels), random.usize(..states));
            }
        }
        let sequences = sequences(walks(&table, &mut random, 12, 60), labels);
        let machine = merge::learn(&sequences).unwrap();
        assert!(takes_all(&machine, &sequences), "{table:?}");
    }
}

/// Whether a learned state and one of the table do the same for ever.
fn is_same(machine: &Automaton, node: usize, table: &Table, state: usize) -> bool {
    let mut pairs = vec![(node, state)];
    let mut index = 0;
    while let Some(&(node, state)) = pairs.get(index) {
        index += 1;
        let own: Vec<u32> = machine.nodes[node].out.keys().copied().collect();
        if own != table[state].keys().copied().collect::<Vec<u32>>() {
            return false;
        }
        for (label, to) in &table[state] {
            let pair = (machine.step(node, *label).unwrap(), *to);
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    true
}

#[test]
fn simple_machines_are_learned_as_they_are() {
    let machines: [&[&[(u32, usize)]]; 5] = [
        // A lock; a lock with waiting.
        &[&[(0, 1)], &[(1, 0)]],
        &[&[(0, 1), (2, 2)], &[(1, 0)], &[(0, 1)]],
        // A request with retries.
        &[&[(0, 1)], &[(1, 2)], &[(2, 1), (3, 3)], &[(4, 0)]],
        // A connection that is opened, used and given back in any order.
        &[&[(0, 1)], &[(1, 2), (3, 0)], &[(2, 1)]],
        // Two tokens of memory: what may come depends on the last but one.
        &[&[(0, 1), (1, 2)], &[(2, 3)], &[(2, 4)], &[(0, 0)], &[(1, 0)]],
    ];
    for (number, machine) in machines.into_iter().enumerate() {
        let table: Table = machine.iter().map(|out| out.iter().copied().collect()).collect();
        let labels = table.iter().flat_map(|out| out.keys()).max().unwrap() + 1;
        let mut random = Rng::with_seed(7);
        let sequences = sequences(walks(&table, &mut random, 20, 200), labels);
        let learned = merge::learn(&sequences).unwrap();
        assert_eq!(learned.nodes.len(), table.len(), "{number}: {learned:#?}");
        let all = 0..learned.nodes.len();
        let fits = |state: usize| all.clone().any(|node| is_same(&learned, node, &table, state));
        assert!((0..table.len()).all(fits), "{number}: {learned:#?}");
    }
}

/// The machines in words.
fn check(events: Events, expected: Expect) {
    let Learned { pattern, evidence } = learn(events);
    let mut out = String::new();
    for (machine, evidence) in pattern.machines.iter().zip(evidence) {
        _ = write!(out, "{}:", machine.id);
        for rule in machine.keys.iter().flatten() {
            let sources = rule.sources.iter().map(|source| match source {
                KeySource::Field(field) => field.as_str(),
                _ => "?",
            });
            let sources: Vec<&str> = sources.collect();
            _ = write!(out, " {} by {}", rule.events.names.join("|"), sources.join(" "));
            if !rule.except.is_empty() {
                _ = write!(out, " except {}", rule.except.join(" "));
            }
        }
        _ = writeln!(out, "; {} instances, {} %", evidence.instances, (evidence.noticed() * 100.0).floor());
        for state in &machine.states {
            let flags = [(state.begins, " (begins)"), (state.ends, " (ends)")];
            let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect();
            _ = writeln!(out, "  {}{flags}", state.id);
            for transition in &state.transitions {
                let tests = transition.tests.iter().map(|test| format!(" if {}", pattern.tests[*test].id));
                let tests: String = tests.collect();
                let target = &machine.states[transition.target].id;
                _ = writeln!(out, "    {}{tests} -> {target}", transition.events.names.join("|"));
            }
        }
    }
    expected.assert_eq(&out);
}

/// Instances that go through `next(state)` in turns that are drawn, with fields beside that say nothing.
fn drawn(
    instances: i64,
    count: usize,
    mut next: impl FnMut(i64, usize, &mut Rng) -> (&'static str, Vec<(&'static str, i64)>, usize),
) -> Vec<Given<'static>> {
    let mut random = Rng::with_seed(11);
    let mut states = vec![0usize; instances as usize];
    let mut all = Vec::new();
    for _ in 0..count {
        let instance = random.usize(..instances as usize);
        let (name, mut fields, state) = next(instance as i64, states[instance], &mut random);
        states[instance] = state;
        fields.push(("size", random.i64(0..50)));
        fields.push(("pid", 7));
        all.push(Some((name, fields)));
    }
    all
}

fn lock(instance: i64, state: usize, random: &mut Rng) -> (&'static str, Vec<(&'static str, i64)>, usize) {
    let fields = vec![("address", 64 * instance), ("by", random.i64(0..4))];
    match state {
        0 if random.usize(..4) == 0 => ("contended", fields, 1),
        0 | 1 => ("acquire", fields, 2),
        _ => ("release", fields, 0),
    }
}

#[test]
fn a_lock_is_found_and_what_says_nothing_is_not() {
    check(
        Events::of(&drawn(6, 1_500, lock)),
        expect![[r#"
            address: acquire|release|contended by address; 6 instances, 89 %
              after release
                acquire -> after acquire
                contended -> after contended
              after acquire
                release -> after release
              after contended
                acquire -> after acquire
        "#]],
    );
}

#[test]
fn nothing_is_learned_across_a_loss() {
    // Every release is lost, and each loss is declared.
    let mut events = drawn(6, 3_000, lock);
    for event in &mut events {
        if event.as_ref().is_some_and(|(name, _)| *name == "release") {
            *event = None;
        }
    }
    check(Events::of(&events), expect![[""]]);
}

#[test]
fn a_pointer_has_names_of_several_fields_and_null_is_none() {
    let heap = |instance: i64, state: usize, random: &mut Rng| {
        let own = 4_096 + 16 * instance;
        match (state, random.usize(..12)) {
            (_, 0) => ("free", vec![("ptr", 0)], state),
            (0, 1 | 2) => ("calloc", vec![("ptr", own)], 1),
            (0, _) => ("malloc", vec![("ptr", own)], 1),
            (_, 1 | 2) => ("realloc", vec![("in", own), ("ptr", own)], 1),
            (_, 3) => ("realloc", vec![("in", own), ("ptr", 0)], 0),
            (_, _) => ("free", vec![("ptr", own)], 0),
        }
    };
    check(
        Events::of(&drawn(30, 4_000, heap)),
        expect![[r#"
            ptr: malloc|calloc|free by ptr except 0 realloc by ptr in except 0; 30 instances, 90 %
              after free or realloc
                malloc|calloc -> after malloc or realloc or calloc
              after malloc or realloc or calloc
                free -> after free or realloc
                realloc if it is ptr if it is in -> after malloc or realloc or calloc
                realloc if it is not ptr if it is in -> after free or realloc
        "#]],
    );
}

#[test]
fn what_comes_next_may_depend_on_a_field() {
    let call = |instance: i64, state: usize, random: &mut Rng| {
        let id = vec![("call", 100 + instance)];
        let with = |outcome| [("outcome", outcome)].into_iter().chain(id.clone()).collect::<Vec<_>>();
        match (state, random.usize(..3)) {
            (0, _) => ("send", id, 1),
            (1, 0) => ("answer", with(5), 2),
            (1, _) => ("answer", with(0), 3),
            (2, _) => ("repeat", id, 1),
            _ => ("close", id, 0),
        }
    };
    check(
        Events::of(&drawn(8, 3_000, call)),
        expect![[r#"
        call: send|answer|close|repeat by call; 8 instances, 100 %
          after answer outcome=0
            close -> after close
          after close
            send -> after send or repeat
          after send or repeat
            answer if outcome is 0 -> after answer outcome=0
            answer if outcome is 5 -> after answer outcome=5
          after answer outcome=5
            repeat -> after send or repeat
    "#]],
    );
}

#[test]
fn events_that_are_called_alike_are_told_apart_by_their_phase() {
    let log = |instance: i64, state: usize, _: &mut Rng| {
        ("log", vec![("phase", 1 + state as i64), ("job", 500 + instance)], (state + 1) % 3)
    };
    check(
        Events::of(&drawn(8, 2_000, log)),
        expect![[r#"
        job: log by job; 8 instances, 100 %
          after log phase=2
            log if phase is 3 -> after log phase=3
          after log phase=3
            log if phase is 1 -> after log phase=1
          after log phase=1
            log if phase is 2 -> after log phase=2
    "#]],
    );
}

#[test]
fn what_is_not_regular_is_no_machine() {
    let any = |instance: i64, state: usize, random: &mut Rng| {
        (["a", "b", "c"][random.usize(..3)], vec![("tid", instance)], state)
    };
    check(Events::of(&drawn(5, 3_000, any)), expect![[""]]);
}

#[test]
fn new_ones_begin_and_end_where_they_all_do() {
    let mut events: Vec<Given<'_>> = Vec::new();
    let mut random = Rng::with_seed(3);
    let mut open: Vec<(i64, usize)> = Vec::new();
    let mut next = 900;
    while events.len() < 2_000 {
        if open.len() < 4 {
            open.push((next, 0));
            next += 1;
        }
        let index = random.usize(..open.len());
        let (id, state) = open[index];
        let name = ["begin", "work", "end"][state];
        events.push(Some((name, vec![("request", id)])));
        match state {
            2 => drop(open.swap_remove(index)),
            _ => open[index].1 += 1,
        }
    }
    check(
        Events::of(&events),
        expect![[r#"
            request: begin|work|end by request; 667 instances, 100 %
              new (begins)
                begin -> after begin
              after begin
                work -> after work
              after work
                end -> after end
              after end (ends)
        "#]],
    );
}

/// Four addresses come round in an order, as the values of a phase do; but what is freed has been allocated.
#[test]
fn an_address_that_two_kinds_of_events_have_is_no_phase() {
    const ROUND: [(&str, i64); 8] = [
        ("malloc", 10),
        ("malloc", 20),
        ("free", 10),
        ("malloc", 30),
        ("free", 20),
        ("malloc", 40),
        ("free", 30),
        ("free", 40),
    ];
    let (mut random, mut at) = (Rng::with_seed(5), [0usize; 3]);
    let events: Vec<Given<'_>> = (0..2_400)
        .map(|_| {
            let process = random.usize(..3);
            let (name, address) = ROUND[at[process] % ROUND.len()];
            at[process] += 1;
            let address = address + 100 * process as i64;
            Some((name, vec![("pid", process as i64), ("ptr", address), ("size", random.i64(0..90))]))
        })
        .collect();
    check(
        Events::of(&events),
        expect![[r#"
        pid: malloc|free by pid ptr; 15 instances, 62 %
          after malloc
            free if it is pid if it is not ptr -> after free
          after free
            malloc if it is pid if it is not ptr -> after malloc #2
            free if it is pid if it is not ptr -> after free #2
          after malloc #2
            free if it is pid if it is not ptr -> after free
            malloc if it is pid if it is not ptr -> after malloc
          after free #2
            malloc if it is pid if it is not ptr -> after malloc #2
          after free #3
            malloc if it is not pid if it is ptr -> after malloc #3
          after malloc #3
            free if it is not pid if it is ptr -> after free #3
    "#]],
    );
}
