//! The API of Play and List on a small program that is run by hand: `fixture/`, `bakery.rs`.

use serde_json::Value;

use viewer::Request;

use super::{Part, bakery};
use crate::serve::session::Session;
use crate::serve::{routes, tests};

fn session() -> Session {
    let mut session = tests::session();
    session.play = Part::of_recording(bakery::recording());
    session
}

fn ask(session: &Session, target: &str) -> (u16, Value) {
    let request = Request::get(&format!("/api/{target}"));
    let reply = routes().answer(session, &request);
    let body = serde_json::from_slice(&reply.body).unwrap_or(Value::Null);
    (reply.status, body)
}

fn get(session: &Session, target: &str) -> Value {
    let (status, body) = ask(session, target);
    assert_eq!(status, 200, "{target}");
    body
}

/// The names of the open calls.
fn stack(state: &Value) -> Vec<&str> {
    state["frames"].as_array().unwrap().iter().map(|frame| frame["name"].as_str().unwrap()).collect()
}

#[test]
fn played_forward_and_back_the_same_stops_are_made() {
    let session = session();
    let mut at = 0;
    let mut forward = vec![0];
    let mut skipped = vec![];
    loop {
        let state = get(&session, &format!("play/step?thread=1&at={at}&go=next"));
        if state["end"] == true {
            break;
        }
        at = state["at"].as_u64().unwrap();
        forward.push(at);
        for one in state["skipped"].as_array().unwrap() {
            skipped.push((one["method"].as_u64().unwrap(), one["iterations"].as_u64().unwrap()));
        }
    }
    let total = get(&session, "play/state?thread=1&at=0")["total"].as_u64().unwrap();
    assert_eq!(at, total - 1, "the film ends where the thread ends");
    assert!(forward.len() < 60, "{} stops", forward.len());
    // Heating, the trays but one, the loaves but one, the days but one.
    assert_eq!(skipped, [(7, 5), (6, 2), (1, 159), (0, 4)]);
    let mut backward = vec![at];
    loop {
        let state = get(&session, &format!("play/step?thread=1&at={at}&go=back"));
        if state["end"] == true {
            break;
        }
        at = state["at"].as_u64().unwrap();
        backward.push(at);
    }
    backward.reverse();
    assert_eq!(forward, backward);
}

#[test]
fn an_unfolded_loop_is_played_iteration_by_iteration() {
    let session = session();
    let mut at = 0;
    let mut bakes = 0;
    loop {
        let state = get(&session, &format!("play/step?thread=1&at={at}&go=next&unfold=1:0"));
        if state["end"] == true {
            break;
        }
        at = state["at"].as_u64().unwrap();
        let frame = state["frames"].as_array().unwrap().last().unwrap().clone();
        if frame["name"] == "bake" && frame["begin"] == at {
            bakes += 1;
        }
    }
    assert_eq!(bakes, 160, "every loaf of the first day");
}

#[test]
fn the_state_tells_what_ran_in_each_open_call() {
    let session = session();
    let state = get(&session, "play/state?thread=1&at=30");
    assert_eq!(stack(&state), ["main", "sell", "bake", "lambda$bake$0"]);
    let lambda = &state["frames"][3];
    assert_eq!(lambda["how"], "library");
    assert_eq!((&lambda["again"]["iteration"], &lambda["again"]["iterations"]), (&0.into(), &3.into()));
    let sell = &state["frames"][1];
    let iterations = &sell["loops"][0];
    assert_eq!(
        (&iterations["iteration"], &iterations["iterations"], &iterations["rounds"]),
        (&0.into(), &161.into(), &160.into())
    );
    assert_eq!(sell["iteration"], serde_json::json!([1, 2]));
    assert_eq!(sell["counts"], serde_json::json!([[0, 1], [1, 1], [2, 1]]));
    let later = get(&session, "play/until?thread=1&at=30&method=3&line=33")["at"].as_u64().unwrap();
    let state = get(&session, &format!("play/state?thread=1&at={later}"));
    assert_eq!(stack(&state), ["main", "close"]);
    assert_eq!(state["frames"][1]["caught"], true);
}

#[test]
fn the_iterations_of_a_loop_have_kinds() {
    let session = session();
    let state = get(&session, "play/state?thread=1&at=8");
    let slot = &state["frames"][1]["loops"][0]["slot"];
    let found = get(&session, &format!("play/variants?thread=1&at=8&slot={slot}"));
    let variants = found["variants"].as_array().unwrap();
    let times: u64 = variants.iter().map(|one| one["times"].as_u64().unwrap()).sum();
    assert_eq!(times, found["iterations"].as_u64().unwrap());
    assert_eq!(variants.last().unwrap()["look"], true, "the last look at the condition");
    let there =
        get(&session, &format!("play/iteration?thread=1&at=8&slot={slot}&iteration=159"))["at"].clone();
    let state = get(&session, &format!("play/state?thread=1&at={there}"));
    assert_eq!(state["frames"][1]["loops"][0]["iteration"], 159);
    assert_eq!(ask(&session, "play/variants?thread=1&at=8&slot=77").0, 404);
}

#[test]
fn bubbles_come_in_the_order_of_their_first_call() {
    let session = session();
    let found = get(&session, "play/contexts?thread=1");
    let names: Vec<String> = found["contexts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|context| {
            let id = &context["method"];
            let method = found["methods"].as_array().unwrap().iter().find(|one| one["id"] == *id).unwrap();
            method["name"].as_str().unwrap().to_owned()
        })
        .collect();
    let expected = [
        "main",
        "<init>",
        "sell",
        "bake",
        "heat",
        "lambda$bake$0",
        "iteration",
        "celebrate",
        "close",
        "cool",
    ];
    assert_eq!(names, expected);
    assert_eq!(found["contexts"][4]["row"], 2, "heat is called from the third row of bake");
    // The last call of heat, seen from the end: it only looked.
    let last = get(&session, "play/last?thread=1&at=999999&context=4");
    assert_eq!(last["left"], "returned");
    let none = get(&session, "play/last?thread=1&at=3&context=4");
    assert_eq!(none["begin"], Value::Null);
}

#[test]
fn rows_are_counted_filtered_and_found() {
    let session = session();
    let all = get(&session, "list?thread=1&from=0&count=400");
    let rows = all["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 400);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row["row"], index);
        let state = get(&session, &format!("play/state?thread=1&at={}", row["at"]));
        assert_eq!(stack(&state).last().copied(), row["name"].as_str());
        assert_eq!(stack(&state).len() as u64, row["depth"].as_u64().unwrap() + 1);
    }
    let first = get(&session, "list?thread=1&from=0&count=400&first=true");
    let names: Vec<_> = first["rows"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect();
    let once = ["main", "<init>", "sell", "bake", "heat", "lambda$bake$0", "iteration", "close", "cool"];
    assert_eq!(names, once);
    assert_eq!(get(&session, "list?thread=1&from=0&count=9&package=other")["total"], 0);
    let here = get(&session, "list?thread=1&from=0&count=0&position=30")["row"].clone();
    assert_eq!(here, 5, "the lambda is the sixth call");

    let total = all["total"].as_u64().unwrap();
    let mut row = 0;
    let mut found = vec![];
    for _ in 0..3 {
        let answer = get(&session, &format!("list/find?thread=1&at={row}&query=OVEN.heat"));
        row = answer["row"].as_u64().unwrap();
        found.push(row);
    }
    assert!(found[0] < found[1] && found[1] < found[2], "{found:?}");
    let back = get(&session, &format!("list/find?thread=1&at={row}&query=OVEN.heat&back=true"));
    assert_eq!(back["row"].as_u64(), Some(found[1]));
    let last = get(&session, "list/find?thread=1&at=0&query=heat&back=true")["row"].as_u64().unwrap();
    let around = get(&session, &format!("list/find?thread=1&at={last}&query=heat"));
    assert_eq!(around["row"].as_u64(), Some(found[0]), "behind the last comes the first");
    let line = get(&session, "list/find?thread=1&at=0&query=oven.java:30");
    assert_eq!((&line["total"], &line["row"]), (&1.into(), &(total - 1).into()));
    let text = get(&session, "list/find?thread=1&at=0&query=text:come+back");
    assert_eq!(text["total"], 1);
    assert_eq!(get(&session, "list/find?thread=1&at=0&query=nothing")["row"], Value::Null);
}

#[test]
fn the_source_is_cut_to_the_method_and_missing_source_is_replaced() {
    let session = session();
    let method = get(&session, "play/method?id=7");
    assert_eq!(method["source"], true);
    let rows: Vec<_> =
        method["rows"].as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap()).collect();
    assert_eq!(
        rows,
        ["private void heat(int to) {", "    while (degrees < to) {", "        degrees += 40;", "    }", "}"]
    );
    assert_eq!(ask(&session, "play/method?id=99").0, 404);
}

#[test]
fn odd_requests_are_refused_and_huge_ones_bounded() {
    let session = session();
    for target in [
        "play/state",
        "play/state?thread=1",
        "play/state?thread=9&at=0",
        "play/state?thread=1&at=x",
        "play/step?thread=1&at=0&go=away",
        "play/contexts?thread=-1",
        "list?thread=1",
        "list/find?thread=1&at=0",
        "play/profile?thread=1",
    ] {
        assert_eq!(ask(&session, target).0, 400, "{target}");
    }
    let far = "18446744073709551615";
    let state = get(&session, &format!("play/state?thread=1&at={far}"));
    assert_eq!(state["at"].as_u64().unwrap() + 1, state["total"].as_u64().unwrap());
    let rows = get(&session, &format!("list?thread=1&from=0&count={far}"));
    assert_eq!(rows["rows"].as_array().unwrap().len(), 400);
    let rows = get(&session, &format!("list?thread=1&from={far}&count={far}"));
    assert_eq!(rows["rows"].as_array().unwrap().len(), 0);
    let pixels = get(&session, &format!("play/profile?thread=1&pixels={far}"));
    assert_eq!(pixels["max"].as_array().unwrap().len(), 4096);
    get(&session, &format!("play/step?thread=1&at=0&go=next&unfold={}", "1:0,".repeat(5000)));
}
