//! The state system and the engines, on machines of a few states.

use expect_test::{Expect, expect};
use model::machine::{
    Action, Comparison, Condition, EventPattern, KeyRule, KeySource, Machine, Pattern, Segment, SegmentName,
    SegmentTime, State, Step, StepKind, StoredField, Test, Transition,
};
use model::{Alphabet, Base, Edge, Gap, Lost, Origin, OwnedEvent, StreamId, Timestamp, Value as FieldValue};

use super::engine::{Checking, Engine, Options};
use super::joint::{Joint, Retention, Spans};
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
        within: None,
        sends_to: None,
        spot: Default::default(),
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
    let mut checker = Joint::new(pattern, Retention { history: false, spans: Spans::All }).unwrap();
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
        let event = OwnedEvent::new(alphabet.intern(name), time, *cpu, &fields);
        checker.observe(&event.event(Origin::named(&alphabet)));
    }
    checker.finish();
    let mut out = String::new();
    for found in checker.incoherences() {
        out += &format!(
            "{}: {} at {} in {}, not in {}, loss {:?}\n",
            found.instance,
            found.event,
            found.time.0,
            found.states.join("|"),
            found.accepted_by.join("|"),
            found.window,
        );
    }
    for span in checker.spans() {
        let key = checker.texts().show_name(span.key);
        let (from, to) = (span.span.from.0, span.span.to.map_or(-1, |to| to.0));
        out += &format!("{key}: {from}..{to} {}\n", show(span.span.value));
    }
    for window in checker.windows() {
        out += &format!("loss: {} widened, {} recovered\n", window.widened, window.recovered);
    }
    expected.assert_eq(&out);
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

/// As in Trace Compass: every scenario sees every event, the first that takes it keeps it, and
/// what it kept of its events becomes the content of its segment.
#[test]
fn scenarios_without_keys_make_segments() {
    let name = SegmentName::Fixed("call".into());
    let segment = Segment { name, time: SegmentTime::Scenario, content: Vec::new() };
    let made = Step::always(StepKind::Segment(Box::new(segment)));
    let quick = Condition::Elapsed { comparison: Comparison::Less, since: "in".into(), nanoseconds: 15 };
    let state = |id: &str, transitions| State { id: id.to_owned(), transitions, ..State::default() };
    let enter = Transition {
        events: EventPattern::parse("ent*"),
        target: 1,
        saves_fields: true,
        ..Transition::default()
    };
    let leave = Transition {
        events: EventPattern::parse("exit"),
        tests: vec![0],
        target: 2,
        actions: vec![0],
        clears_fields: true,
        ..Transition::default()
    };
    let machine = Machine {
        id: "calls".into(),
        consuming: true,
        multiple: true,
        preconditions: Vec::new(),
        states: vec![state("start", vec![enter]), state("in", vec![leave]), state("out", Vec::new())],
        initial: 0,
        last: Some(2),
        abandon: None,
        error: None,
        keys: None,
        spot: Default::default(),
    };
    let pattern = Pattern {
        stored_fields: vec![StoredField { field: "fd".into(), alias: "file".into() }],
        tests: vec![Test { id: "quick".into(), condition: quick, spot: Default::default() }],
        actions: vec![Action { id: "made".into(), steps: vec![made], spot: Default::default() }],
        machines: vec![machine],
        started: vec![0],
        ..Pattern::default()
    };
    let keyed = Options { by_key: true, checking: Checking::On, history: false, segments: true };
    assert!(Engine::new(pattern.clone(), keyed).unwrap_err().sentence.contains("`calls`"));
    let options = Options { by_key: false, checking: Checking::Off, history: true, segments: true };
    let mut engine = Engine::new(pattern, options).unwrap();
    let mut alphabet = Alphabet::default();
    for (time, name, file) in [(10, "enter", 3), (20, "entry", 4), (24, "exit", 0), (30, "exit", 0)] {
        let fields = [("fd", FieldValue::Signed(file, Base::Decimal))];
        let event = OwnedEvent::new(alphabet.intern(name), time, 0, &fields);
        engine.observe(&event.event(Origin::named(&alphabet)));
    }
    // Each exit goes to the first call that is in time for it: 14 and 10 are less than 15.
    let segments: Vec<_> = engine
        .segments()
        .iter()
        .map(|made| format!("{} {}..{} {:?}", made.name, made.from, made.to, made.content))
        .collect();
    expect![[r#"
        call 10..24 [("file", "3")]
        call 20..30 [("file", "4")]"#]]
    .assert_eq(&segments.join("\n"));
    let state = engine.attribute(&["scenarios", "calls", "1", "state"]).unwrap();
    let spans = engine.states().range(state, Timestamp(0), Timestamp(100));
    let spans: Vec<_> = spans
        .iter()
        .map(|span| {
            format!("{}..{:?} {}", span.from.0, span.to.map(|to| to.0), engine.texts().show(span.value))
        })
        .collect();
    // How it ended stays, as in Trace Compass, until the number is used again.
    expect![[r#"
        20..Some(30) in
        30..None out"#]]
    .assert_eq(&spans.join("\n"));
}
