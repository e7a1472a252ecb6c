//! Machines made of what a state provider writes, and instances made of what scenarios keep.

use expect_test::{Expect, expect};
use model::machine::{
    Action, Assignment, Comparison, Condition, EventPattern, Handler, Machine, Mode, Operand, Path, PathStep,
    Pattern, Spot, State, Step, StepKind, Test, Transition, ValueExpr, ValueSource,
};

use super::derive;

/// `Locks/{lock}`: what is in braces is a field.
fn path(text: &str) -> Path {
    let step = |name: &str| match name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
        Some(field) => PathStep::Field(field.to_owned()),
        None if name == "#CurrentScenario" => PathStep::CurrentScenario,
        None => PathStep::Constant(name.to_owned()),
    };
    Path { steps: text.split('/').map(step).collect() }
}

fn write(to: Path, value: impl Into<ValueExpr>) -> StepKind {
    StepKind::Assign(Assignment { path: to, value: value.into(), mode: Mode::Set, at: None, called: None })
}

fn number(value: i64) -> ValueSource {
    ValueSource::Long(value)
}

fn field(name: &str) -> ValueSource {
    ValueSource::Field(name.to_owned())
}

fn is(path: Path, value: ValueSource) -> Condition {
    Condition::Compare { left: Operand::Path(path), comparison: Comparison::Equal, right: value.into() }
}

fn when(condition: Condition, then: StepKind, otherwise: Option<StepKind>) -> Step {
    Step { condition: Some(condition), then: vec![then], otherwise: otherwise.into_iter().collect() }
}

fn provider(handlers: Vec<(&str, Vec<Step>)>) -> Pattern {
    let handler = |(events, steps): (&str, Vec<Step>)| Handler {
        events: EventPattern::parse(events),
        steps,
        spot: Spot::default(),
    };
    Pattern { handlers: handlers.into_iter().map(handler).collect(), ..Pattern::default() }
}

/// The machines in words, then what was left out.
fn check(pattern: &Pattern, expected: Expect) {
    let derived = derive(pattern);
    let mut out = String::new();
    for machine in derived.pattern.started.iter().map(|index| &derived.pattern.machines[*index]) {
        out += &format!("{}\n", machine.id);
        for rule in machine.keys.iter().flatten() {
            out += &format!(
                "  {} by {:?} except {:?}\n",
                rule.events.names.join("|"),
                rule.sources,
                rule.except
            );
        }
        for state in &machine.states {
            for row in &state.transitions {
                let guards: Vec<String> =
                    row.tests.iter().map(|test| shown(&derived.pattern.tests[*test].condition)).collect();
                let asked =
                    if guards.is_empty() { String::new() } else { format!(" if {}", guards.join(" and ")) };
                let (event, target) = (row.events.names.join("|"), &machine.states[row.target].id);
                out += &format!("  {} --{event}{asked}--> {target}\n", state.id);
            }
        }
    }
    derived.remarks.iter().for_each(|remark| out += &format!("! {}\n", remark.sentence));
    expected.assert_eq(&out);
}

fn shown(condition: &Condition) -> String {
    match condition {
        Condition::Compare { left, right, .. } => {
            let left = match left {
                Operand::Field(name) => name.clone(),
                Operand::Path(path) if *path == Path::own_key() => "own".to_owned(),
                Operand::Path(path) => format!("{path:?}"),
            };
            format!("{left} = {:?}", right.source)
        }
        Condition::Not(inner) => format!("not({})", shown(inner)),
        other => format!("{other:?}"),
    }
}

#[test]
fn each_attribute_below_a_name_of_the_event_is_an_instance() {
    let lock = || path("Locks/{lock}");
    let pattern = provider(vec![
        (
            "take",
            vec![Step::always(write(lock(), number(1))), Step::always(write(path("Last"), field("lock")))],
        ),
        ("drop", vec![Step::always(write(lock(), number(0)))]),
    ]);
    check(
        &pattern,
        expect![[r#"
        Locks/*
          take by [Field("lock")] except []
          drop by [Field("lock")] except []
          1 --drop--> 0
          0 --take--> 1
    "#]],
    );
}

#[test]
fn the_own_state_and_the_fields_decide_where_an_event_leads() {
    let thread = || path("Threads/{tid}");
    let is_blocked = Condition::Compare {
        left: Operand::Field("state".into()),
        comparison: Comparison::Equal,
        right: number(1).into(),
    };
    let pattern = provider(vec![
        ("stop", vec![when(is_blocked, write(thread(), number(1)), Some(write(thread(), number(2))))]),
        ("go", vec![when(is(thread(), number(1)), write(thread(), number(3)), None)]),
        (
            "note",
            vec![when(
                is(path("Mode"), number(1)),
                write(thread(), number(3)),
                Some(write(thread(), number(2))),
            )],
        ),
    ]);
    check(
        &pattern,
        expect![[r#"
        Threads/*
          stop by [Field("tid")] except []
          go by [Field("tid")] except []
          note by [Field("tid")] except []
          1 --stop if not(state = Long(1))--> 2
          1 --go--> 3
          1 --note--> 2 or 3
          2 --stop if state = Long(1)--> 1
          2 --go--> 2
          2 --note--> 2 or 3
          3 --stop if state = Long(1)--> 1
          3 --stop if not(state = Long(1))--> 2
          3 --go--> 3
          3 --note--> 2 or 3
    "#]],
    );
}

#[test]
fn an_event_may_be_about_two_instances() {
    let pattern = provider(vec![
        (
            "switch",
            vec![
                Step::always(write(path("CPU/{cpu}/Current"), field("next_tid"))),
                Step::always(write(path("Threads/{prev_tid}"), number(0))),
                Step::always(write(path("Threads/{next_tid}"), number(1))),
            ],
        ),
        (
            "call",
            vec![Step::always(write(
                Path {
                    steps: vec![
                        PathStep::Constant("Threads".into()),
                        PathStep::Query(path("CPU/{cpu}/Current")),
                    ],
                },
                number(2),
            ))],
        ),
    ]);
    check(
        &pattern,
        expect![[r#"
        Threads/*
          switch by [Field("prev_tid"), Field("next_tid")] except ["0"]
          call by [RunningThread] except ["0"]
          0 --switch if own = Field("next_tid")--> 1
          0 --call--> 2
          1 --switch if own = Field("prev_tid")--> 0
          1 --call--> 2
          2 --switch if own = Field("prev_tid")--> 0
          2 --switch if own = Field("next_tid")--> 1
    "#]],
    );
}

#[test]
fn what_no_state_says_is_left_out_and_told() {
    let count = StepKind::Assign(Assignment {
        path: path("Locks/{lock}/Count"),
        value: number(1).into(),
        mode: Mode::Increment,
        at: None,
        called: None,
    });
    let pattern = provider(vec![
        ("take", vec![Step::always(count)]),
        ("send", vec![Step::always(write(path("From/{a}/To/{b}"), number(1)))]),
    ]);
    check(
        &pattern,
        expect![[r#"
        ! This handler writes an attribute of which nothing says whose it is: no machine is made of it.
        ! No machine is made of `Locks/*/Count`: its values are counted, stacked, mapped or set for later
        ! No attribute of this state provider has states that belong to something events name.
    "#]],
    );
}

/// A machine that begins at `start` and ends at `end`, whose `end` is tied to what was kept or not.
fn request(is_tied: bool) -> Pattern {
    let own = || path("#CurrentScenario/id");
    let transition = |event: &str, target| Transition {
        events: EventPattern::parse(event),
        target,
        ..Transition::default()
    };
    let start = Transition { actions: vec![0], ..transition("start", 1) };
    let tests = if is_tied { vec![0] } else { Vec::new() };
    let end = Transition { tests, ..transition("end", 2) };
    let state = |id: &str, transitions| State { id: id.to_owned(), transitions, ..State::default() };
    Pattern {
        tests: vec![Test { id: "same".into(), condition: is(own(), field("id")), spot: Spot::default() }],
        actions: vec![Action {
            id: "keep".into(),
            steps: vec![Step::always(write(own(), field("id")))],
            spot: Spot::default(),
        }],
        machines: vec![Machine {
            id: "request".into(),
            consuming: true,
            multiple: true,
            preconditions: Vec::new(),
            states: vec![state("idle", vec![start]), state("busy", vec![end]), state("done", Vec::new())],
            initial: 0,
            last: Some(2),
            abandon: None,
            error: None,
            keys: None,
            spot: Spot::default(),
        }],
        started: vec![0],
        ..Pattern::default()
    }
}

#[test]
fn what_a_scenario_keeps_and_compares_is_its_instance() {
    check(
        &request(true),
        expect![[r#"
            request
              start by [Field("id")] except []
              end by [Field("id")] except []
              idle --start--> busy
              idle --end--> idle
              busy --end--> idle
        "#]],
    );
}

#[test]
fn a_machine_whose_events_nothing_ties_is_left_out() {
    check(
        &request(false),
        expect![[r#"
        ! Machine `request` is left out: nothing ties `end` to one of its scenarios; `tw:instances` would say which instances an event concerns.
    "#]],
    );
}

#[test]
fn a_machine_that_says_its_instances_stays_as_it_is() {
    let mut pattern = request(true);
    pattern.machines[0].keys = Some(Vec::new());
    assert_eq!(derive(&pattern).pattern, pattern);
}
