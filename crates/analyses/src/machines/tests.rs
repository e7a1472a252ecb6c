//! The state system and the certainty engine, on machines of a few states.

use expect_test::{Expect, expect};
use model::machine::{EventPattern, KeyRule, KeySource, Machine, Pattern, State, Transition};
use model::{Alphabet, Base, Edge, Gap, Lost, StreamId, Timestamp, Value as FieldValue};

use super::certainty::{Checker, Keep};
use super::kept::KeptEvent;
use super::states::{ROOT, StateSystem};
use super::value::{Name, Value};

#[test]
fn attributes_have_a_past() {
    let mut states = StateSystem::new(true);
    let node = states.child(ROOT, Name::Number(7));
    assert_eq!(states.child(ROOT, Name::Number(7)), node);
    for (time, value) in [(10, 1), (20, 1), (30, 2), (30, 3), (25, 4)] {
        states.set(node, time, Value::Int(value));
    }
    let at = |moment| states.value_at(node, Timestamp(moment));
    assert_eq!((at(9), at(10), at(29), at(30)), (Value::Null, Value::Int(1), Value::Int(1), Value::Int(4)));
    let spans = states.range(node, Timestamp(29), Timestamp(31));
    let spans: Vec<_> = spans.iter().map(|span| (span.from.0, span.to.map(|to| to.0), span.value)).collect();
    assert_eq!(spans, [(10, Some(30), Value::Int(1)), (30, None, Value::Int(4))]);
    states.clear(ROOT, 40);
    assert_eq!(states.value(node), Value::Null);
    assert_eq!(states.value_at(node, Timestamp(35)), Value::Int(4));
}

/// A machine as rows `state event target`; the states named in `stays` stay on their CPU.
fn machine(rows: &[(&str, &str, &str)], stays: &[&str]) -> Pattern {
    let mut states: Vec<State> = Vec::new();
    let mut index = |id: &str| {
        states.iter().position(|state| state.id == id).unwrap_or_else(|| {
            let stays_on_cpu = stays.contains(&id);
            states.push(State { id: id.to_owned(), stays_on_cpu, ..State::default() });
            states.len() - 1
        })
    };
    let rows: Vec<_> = rows
        .iter()
        .map(|(source, event, target)| {
            let events = EventPattern::parse(event);
            (index(source), Transition { events, target: index(target), ..Transition::default() })
        })
        .collect();
    for (source, transition) in rows {
        states[source].transitions.push(transition);
    }
    let keys = Some(vec![KeyRule {
        events: EventPattern::default(),
        sources: vec![KeySource::Field("id".into())],
        except: vec!["0".into()],
    }]);
    let last = states.iter().position(|state| state.id == "gone");
    let machine = Machine {
        id: "m".into(),
        consuming: false,
        multiple: true,
        preconditions: Vec::new(),
        states,
        initial: 0,
        last,
        abandon: None,
        error: None,
        keys,
        spot: Default::default(),
    };
    Pattern { id: "p".into(), machines: vec![machine], started: vec![0], ..Pattern::default() }
}

/// Feeds `name id cpu` at 10, 20, ...; `lost cpu until` is a loss that begins at its moment.
fn check(pattern: Pattern, events: &[(&str, i128, u32)], expected: Expect) {
    let names: Vec<String> = pattern.machines[0].states.iter().map(|state| state.id.clone()).collect();
    let show = |set: super::StateSet| set.iter().map(|state| &*names[state]).collect::<Vec<_>>().join("|");
    let mut checker = Checker::new(pattern, Keep { history: false, spans: true }).unwrap();
    let mut alphabet = Alphabet::default();
    for (time, (name, id, cpu)) in (1..).map(|number| number * 10).zip(events) {
        if *name == "lost" {
            let (from, to) = (Some(Timestamp(time)), Some(Timestamp(*id as i64)));
            let stream = StreamId(*cpu);
            let gap = Gap { stream, before_event: 0, from, to, lost: Lost::Events(1), edge: Edge::Start };
            checker.lose(&gap, Some(*cpu));
            continue;
        }
        let fields = [("id", FieldValue::Signed(*id, Base::Decimal))];
        let event = KeptEvent::new(alphabet.intern(name), time, *cpu, &fields);
        checker.observe(&event.event(), name);
    }
    checker.finish();
    let mut told = String::new();
    for found in checker.contradictions() {
        told += &format!(
            "{}: {} at {} in {}, not in {}, loss {:?}\n",
            found.key,
            checker.symbol_name(found.event),
            found.time.0,
            show(found.states),
            show(found.accepted_by),
            found.window,
        );
    }
    for span in checker.spans() {
        let key = checker.texts().show_name(span.key);
        let (from, to) = (span.span.from.0, span.span.to.map_or(-1, |to| to.0));
        told += &format!("{key}: {from}..{to} {}\n", show(span.span.value));
    }
    for window in checker.windows() {
        told += &format!("loss: {} widened, {} recovered\n", window.widened, window.recovered);
    }
    expected.assert_eq(&told);
}

/// A door: closed, open, locked; and what happens to all of them.
fn door() -> Pattern {
    machine(
        &[
            ("closed", "open", "open"),
            ("open", "close", "closed"),
            ("closed", "lock", "locked"),
            ("locked", "unlock", "closed"),
            ("open", "paint", "open"),
            ("closed", "paint", "closed"),
            ("closed", "remove", "gone"),
        ],
        &["locked"],
    )
}

#[test]
fn events_narrow_what_is_possible() {
    check(
        door(),
        &[("paint", 1, 0), ("close", 1, 0), ("lock", 1, 0), ("remove", 0, 0)],
        expect![[r#"
        1: 10..20 closed|open
        1: 20..30 closed
        1: 30..40 locked
    "#]],
    );
}

#[test]
fn what_fits_no_possible_state_is_told_and_starts_anew() {
    check(
        door(),
        &[("open", 1, 0), ("unlock", 1, 0), ("open", 1, 0)],
        expect![[r#"
        1: unlock at 20 in open, not in locked, loss None
        1: 10..20 open
        1: 20..30 closed
        1: 30..30 open
    "#]],
    );
}

#[test]
fn what_no_state_accepts_does_not_concern() {
    check(
        door(),
        &[("open", 1, 0), ("ring", 1, 0), ("close", 1, 0)],
        expect![[r#"
        1: 10..30 open
        1: 30..30 closed
    "#]],
    );
}

#[test]
fn a_loss_widens_and_events_narrow_again() {
    check(
        door(),
        &[("open", 1, 0), ("lost", 35, 1), ("ring", 1, 0), ("unlock", 1, 0)],
        expect![[r#"
        1: 10..20 open
        1: 20..40 closed|open|locked|gone
        1: 40..40 closed
        loss: 1 widened, 1 recovered
    "#]],
    );
}

#[test]
fn a_loss_elsewhere_does_not_touch_what_stays() {
    check(
        door(),
        &[("lock", 1, 0), ("lost", 35, 1), ("open", 1, 0)],
        expect![[r#"
        1: open at 30 in locked, not in closed, loss None
        1: 10..30 locked
        1: 30..30 open
        loss: 0 widened, 0 recovered
    "#]],
    );
    check(
        door(),
        &[("lock", 1, 0), ("lost", 35, 0), ("open", 1, 0)],
        expect![[r#"
        1: 10..20 locked
        1: 20..30 closed|open|locked|gone
        1: 30..30 open
        loss: 1 widened, 1 recovered
    "#]],
    );
}

#[test]
fn what_is_gone_may_come_again() {
    check(
        door(),
        &[("close", 1, 0), ("remove", 1, 0), ("open", 1, 0)],
        expect![[r#"
        1: 10..20 closed
        1: 30..30 open
    "#]],
    );
}
