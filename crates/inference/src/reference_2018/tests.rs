//! The example of the founding text's own unit test: things that are entered, do something and are
//! left, one of them without having been seen to leave. `#error` has no transitions here: with them
//! the original counts its own repairs and prefers to believe that nothing was lost.

use expect_test::expect;
use model::machine::{
    Action, Assignment, Comparison, Condition, EventPattern, KeyRule, KeySource, Machine, Mode, Operand,
    Path, PathStep, Pattern, State, Step, StepKind, Test, Transition, ValueExpr, ValueSource,
};
use model::{Alphabet, Base, Origin, OwnedEvent, Value};

use super::infer;
use crate::{Checking, Engine, Options};

fn path(steps: &[PathStep]) -> Path {
    Path { steps: steps.to_vec() }
}

fn text(name: &str) -> PathStep {
    PathStep::Constant(name.to_owned())
}

fn field(name: &str) -> ValueExpr {
    ValueSource::Field(name.to_owned()).into()
}

fn equal(left: Operand, right: ValueExpr) -> Condition {
    Condition::Compare { left, comparison: Comparison::Equal, right }
}

/// Tests: 0 it has no scenario, 1 it is ours, 2 action is 1, 3 action is 2. Action 0 binds.
fn pattern() -> Pattern {
    let marked = path(&[text("Marked"), PathStep::Field("cpu".into())]);
    let null = || ValueExpr::from(ValueSource::Null);
    let is_action = |number| equal(Operand::Field("action".into()), ValueSource::Long(number).into());
    let tests = [
        Condition::All(vec![
            equal(Operand::Path(marked.clone()), null()),
            equal(Operand::Path(Path::own_key()), null()),
        ]),
        equal(Operand::Path(Path::own_key()), field("cpu")),
        is_action(1),
        is_action(2),
    ];
    let named = |(id, condition): (usize, Condition)| Test {
        id: id.to_string(),
        condition,
        spot: Default::default(),
    };
    let assign = |path, value| {
        Step::always(StepKind::Assign(Assignment { path, value, mode: Mode::Set, at: None, called: None }))
    };
    let bind = Action {
        id: "bind".into(),
        steps: vec![
            assign(Path::own_key(), field("cpu")),
            assign(marked, ValueSource::Text("true".into()).into()),
        ],
        spot: Default::default(),
    };
    let state = |id: &str, rows: &[(&str, &[usize], usize)], binds: bool| State {
        id: id.to_owned(),
        transitions: rows
            .iter()
            .map(|(event, tests, target)| Transition {
                events: EventPattern::parse(event),
                tests: tests.to_vec(),
                target: *target,
                actions: if binds { vec![0] } else { Vec::new() },
                ..Transition::default()
            })
            .collect(),
        ..State::default()
    };
    let (out, inside, run_1, run_2) = (2, 3, 4, 5);
    let rows = |first: usize| -> [(&'static str, Vec<usize>, usize); 4] {
        [
            ("entry", vec![first], inside),
            ("do", vec![first, 2], run_1),
            ("do", vec![first, 3], run_2),
            ("exit", vec![first], out),
        ]
    };
    let with = |id: &str, rows: &[(&'static str, Vec<usize>, usize)], binds| {
        let rows: Vec<_> = rows.iter().map(|(event, tests, target)| (*event, &**tests, *target)).collect();
        state(id, &rows, binds)
    };
    let ours = rows(1);
    let machine = Machine {
        id: "things".into(),
        consuming: false,
        multiple: true,
        preconditions: Vec::new(),
        states: vec![
            with("#initial", &rows(0), true),
            with("#error", &[], false),
            with("out", &ours[..1], false),
            with("in", &ours[1..], false),
            with("run_1", &ours[3..], false),
            with("run_2", &ours[3..], false),
        ],
        initial: 0,
        last: None,
        abandon: None,
        error: Some(1),
        keys: Some(vec![KeyRule {
            events: EventPattern::default(),
            sources: vec![KeySource::Cpu],
            except: Vec::new(),
            within: None,
            sends_to: None,
            spot: Default::default(),
        }]),
        spot: Default::default(),
    };
    Pattern {
        id: "simple".into(),
        tests: tests.into_iter().enumerate().map(named).collect(),
        actions: vec![bind],
        machines: vec![machine],
        started: vec![0],
        ..Pattern::default()
    }
}

#[test]
fn the_exit_that_nobody_saw_is_inferred() {
    let options = Options { by_key: true, checking: Checking::On, history: true, segments: false };
    let mut engine = Engine::new(pattern(), options).unwrap();
    let mut alphabet = Alphabet::default();
    for (time, name, cpu, action) in [
        (1, "entry", 0, None),
        (3, "entry", 1, None),
        (5, "do", 0, Some(1)),
        (7, "exit", 0, None),
        (9, "exit", 1, None),
        (11, "entry", 2, None),
        (13, "do", 2, Some(2)),
        (17, "entry", 0, None),
        (19, "entry", 2, None),
        // The end of the trace takes the keys away from just before its last change.
        (30, "entry", 3, None),
    ] {
        let fields: Vec<_> =
            action.map(|action| ("action", Value::Signed(action, Base::Decimal))).into_iter().collect();
        let event = OwnedEvent::new(alphabet.intern(name), time, cpu, &fields);
        engine.observe(&event.event(Origin::named(&alphabet)));
    }
    engine.finish();
    let inference = infer(&engine);
    let mut out = String::new();
    for (incoherence, chosen) in engine.incoherences().iter().zip(&inference.chosen) {
        out += &format!(
            "{} at {} in state {}: {:?}\n",
            incoherence.found.instance, incoherence.found.time.0, incoherence.state, chosen
        );
    }
    for inferred in &inference.events {
        let event = &inferred.event;
        out += &format!(
            "{} at {} in {}..{} rank {} states {:?} content {:?}\n",
            event.key.name,
            event.time.0,
            event.key.from.0,
            event.key.to.0,
            event.key.rank,
            inferred.states,
            inferred.content.fields
        );
    }
    for (_, key, since, is_certain) in engine.certainty().filter(|(_, key, _, _)| key == "2") {
        out +=
            &format!("thing {key} from {}: {}\n", since.0, if is_certain { "certain" } else { "uncertain" });
    }
    expect![[r#"
        2 at 19 in state 5: Some(Chosen { possible: [2], target: 5, from: 2, to: 3 })
        exit at 16 in 13..19 rank 1 states (5, 2) content [("cpu", [Number(2)])]
        thing 2 from 1: uncertain
        thing 2 from 11: certain
        thing 2 from 13: certain
    "#]]
    .assert_eq(&out);
}
