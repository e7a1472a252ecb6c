//! A thread with calls, readings, a mark and a loss, as the API answers it.

use analyses::times::{Lanes, Times};
use model::code::MethodId;
use model::flow::{ClockReading, Entered, FlowStep, Left};
use model::{Lost, Task, TaskMoment, Timestamp};
use serde_json::{Value, json};
use viewer::Request;

use super::Part;
use super::timed::{Handed, Thread, Timed};
use crate::serve::play::bakery;
use crate::serve::session::Session;
use crate::serve::{routes, tests};

const MS: i64 = 1_000_000;
/// The beginning of the recording, ns.
const START: i64 = 1_700_000_000_000_000_000;

/// Method 0 runs from 1 to 100 ms. In it method 1 waits from 10 to 40 ms, and method 2 runs ten times for 2 ms.
fn timed() -> Timed {
    let code = bakery::recording().code;
    let mut times = Times::new(&code, MS);
    let mut used = 0;
    let mut read = |times: &mut Times<'_>, ms: i64, runs: i64| {
        used += (runs * MS).cast_unsigned();
        let time = Timestamp(START + ms * MS);
        times.observe(&FlowStep::Clock(ClockReading { from: time, to: time, used: Some(used) }));
    };
    let enter = |method| FlowStep::Enter { method: MethodId(method), how: Entered::Call };
    let leave = FlowStep::Leave { how: Left::Returned };
    let block = FlowStep::Blocks { blocks: &[0], times: 1 };
    read(&mut times, 0, 0);
    [enter(0), block].iter().for_each(|step| times.observe(step));
    read(&mut times, 1, 1);
    read(&mut times, 10, 9);
    [enter(1), block].iter().for_each(|step| times.observe(step));
    read(&mut times, 11, 0);
    read(&mut times, 40, 0);
    [leave, FlowStep::Gap { lost: Lost::Events(7) }].iter().for_each(|step| times.observe(step));
    read(&mut times, 41, 1);
    for call in 0..10 {
        [enter(2), block].iter().for_each(|step| times.observe(step));
        read(&mut times, 42 + 3 * call, 1);
        read(&mut times, 43 + 3 * call, 1);
        times.observe(&leave);
        read(&mut times, 44 + 3 * call, 1);
    }
    read(&mut times, 99, 28);
    times.observe(&leave);
    read(&mut times, 100, 1);
    let collected = times.finish();
    let lanes = Lanes::of(&collected.calls);
    let span = (START, START + 100 * MS);
    let thread = Thread { serial: 4, name: "main".into(), span, collected, lanes };
    let marks = vec![(START + 50 * MS, "half".to_owned())];
    let moment = |thread, ms: i64| TaskMoment { thread, position: (0, 0), time: Timestamp(START + ms * MS) };
    let task = Task { handed_over: moment(4, 20), begun: Some(moment(5, 21)), is_thread: false };
    let tasks = vec![Handed { task, positions: [1, 0], method: Some(MethodId(2)) }];
    Timed { code, threads: vec![thread], marks, tasks, start: START, length: 100 * MS }
}

fn ask(target: &str) -> (u16, Value) {
    let mut session: Session = tests::session();
    session.threads = Part::of(timed());
    let reply = routes().answer(&session, &Request::get(&format!("/api/{target}")));
    (reply.status, serde_json::from_slice(&reply.body).unwrap_or(Value::Null))
}

/// Lane, beginning and end in ms, count and what is waited, in ms.
fn drawn(target: &str) -> Vec<Value> {
    let (status, answer) = ask(target);
    assert_eq!(status, 200, "{target}");
    let ms = |value: &Value| value.as_i64().map(|ns| ns / MS);
    let calls = answer["calls"].as_array().unwrap().iter();
    calls
        .map(|call| {
            json!([call["lane"], ms(&call["from"]), ms(&call["to"]), call["count"], ms(&call["waiting"])])
        })
        .collect()
}

#[test]
fn the_threads_their_marks_and_losses_have_times() {
    let (status, answer) = ask("threads");
    assert_eq!(status, 200);
    let times = &answer["times"];
    assert_eq!((&times["start"], &times["length"]), (&json!(START.to_string()), &json!(100 * MS)));
    assert_eq!(times["marks"], json!([{"at": 50 * MS, "text": "half"}]));
    let thread = &times["threads"][0];
    assert_eq!(
        (&thread["name"], &thread["lanes"], &thread["calls"]),
        (&json!("main"), &json!(2), &json!(12))
    );
    assert_eq!(thread["losses"], json!([{"from": 40 * MS, "to": 41 * MS, "lost": 7}]));
}

#[test]
fn a_task_goes_from_one_thread_to_another() {
    let (_, answer) = ask("threads");
    let task = &answer["times"]["tasks"][0];
    assert_eq!(task["handed_over"], json!({"thread": 4, "at": 20 * MS, "position": 1}));
    assert_eq!(task["begun"], json!({"thread": 5, "at": 21 * MS, "position": 0}));
    assert!(task["name"].as_str().is_some_and(|name| !name.is_empty()), "{task}");
}

#[test]
fn calls_are_drawn_one_by_one_where_there_is_room() {
    let fine = drawn("threads/calls?thread=4&from=0&to=100000000&pixels=1000");
    assert_eq!(fine.len(), 12);
    assert_eq!(fine[0], json!([0, 0, 99, 1, 30]));
    assert_eq!(fine[1], json!([1, 10, 40, 1, 29]));
    let coarse = drawn("threads/calls?thread=4&from=0&to=100000000&pixels=10");
    assert_eq!(coarse.len(), 3 + 2, "{coarse:?}");
    let part = drawn("threads/calls?thread=4&from=20000000&to=30000000&pixels=100");
    assert_eq!(part, [json!([0, 0, 99, 1, 30]), json!([1, 10, 40, 1, 29])]);
}

#[test]
fn a_thread_runs_or_waits() {
    let (_, answer) = ask("threads/calls?thread=4&from=0&to=100000000&pixels=40");
    let running = answer["running"].as_array().unwrap();
    assert_eq!(running.len(), 10);
    assert_eq!((&running[0], &running[2]), (&json!(1.0), &json!(0.0)));
}

#[test]
fn a_position_has_a_moment() {
    assert_eq!(ask("threads/moment?thread=4&at=2").1["at"], json!(41 * MS));
    assert_eq!(ask("threads/moment?thread=4&at=999999").1["at"], json!(100 * MS));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (target, status) in [
        ("threads/calls?thread=5&from=0&to=9&pixels=9", 404),
        ("threads/calls?thread=4&from=9&to=9&pixels=9", 400),
        ("threads/calls?thread=4&from=0&to=9&pixels=0", 400),
        ("threads/calls?thread=4&from=-9223372036854775808&to=9223372036854775807&pixels=9", 200),
        ("threads/moment?thread=4", 400),
    ] {
        assert_eq!(ask(target).0, status, "{target}");
    }
    let reply = routes().answer(&tests::session(), &Request::get("/api/threads"));
    assert_eq!(reply.status, 404, "a history of symbols has no clock");
}
