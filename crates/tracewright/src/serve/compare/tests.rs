//! Two runs of the bakery beside each other, as the API answers them.

use serde_json::Value;
use viewer::Request;

use super::Part;
use crate::serve::play::{self, bakery};
use crate::serve::session::Session;
use crate::serve::{routes, tests};

/// The bakery, and the same with `loaves` more in each sale.
fn session(loaves: i32) -> Session {
    let mut session = tests::session();
    session.play = play::Part::of_recording(bakery::recording());
    session.compare = Part::of_recordings([bakery::recording(), bakery::with_loaves(160 + loaves)]);
    session
}

fn ask(session: &Session, target: &str) -> (u16, Value) {
    let reply = routes().answer(session, &Request::get(&format!("/api/{target}")));
    (reply.status, serde_json::from_slice(&reply.body).unwrap_or(Value::Null))
}

fn get(session: &Session, target: &str) -> Value {
    let (status, body) = ask(session, target);
    assert_eq!(status, 200, "{target}");
    body
}

#[test]
fn equal_recordings_have_no_difference_and_all_rows_have_two_sides() {
    let session = session(0);
    let pair = &get(&session, "compare")["comparison"]["pairs"][0];
    assert_eq!(pair["differences"], 0);
    assert_eq!(pair["rows"], pair["a"]["calls"]);
    assert_eq!(get(&session, "compare/find?pair=0")["row"], Value::Null);
    for row in get(&session, "compare/rows?pair=0&from=0&count=400")["rows"].as_array().unwrap() {
        assert_eq!(row["verdict"], "equal");
        assert_eq!(row["a"], row["b"]);
    }
}

#[test]
fn the_first_difference_is_where_the_loop_goes_round_once_more() {
    let session = session(1);
    let found = get(&session, "compare/find?pair=0");
    let row = found["row"].as_u64().unwrap();
    let rows = get(&session, &format!("compare/rows?pair=0&from={row}&count=1"));
    assert_eq!(rows["rows"][0]["verdict"], "differs");
    assert_eq!(rows["rows"][0]["a"]["name"], "sell");
    assert_eq!(rows["rows"][0]["b"]["name"], "sell");
    let call = get(&session, &format!("compare/call?pair=0&row={row}"));
    let differing: Vec<u64> = call["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["differs"] == true)
        .map(|line| line["a"]["line"].as_u64().unwrap())
        .collect();
    assert!(differing.contains(&19), "{differing:?}");
    // The one after it is the loaf that A did not bake.
    let next = get(&session, &format!("compare/find?pair=0&row={row}"))["row"].as_u64().unwrap();
    let only = get(&session, &format!("compare/rows?pair=0&from={next}&count=1"));
    assert_eq!((&only["rows"][0]["a"], &only["rows"][0]["verdict"]), (&Value::Null, &"only".into()));
    assert_eq!(only["rows"][0]["b"]["name"], "bake");
    assert_eq!(get(&session, &format!("compare/find?pair=0&row={next}&back=true"))["row"], row);
    // And what is drawn adds up to all of it.
    let pixels = get(&session, "compare/profile?pair=0&pixels=100");
    let sum = |name: &str| {
        pixels["pixels"].as_array().unwrap().iter().map(|one| one[name].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(sum("differences"), found["total"].as_u64().unwrap());
    let pair = &get(&session, "compare")["comparison"]["pairs"][0];
    assert_eq!(sum("only_b"), pair["only_b"].as_u64().unwrap());
}

#[test]
fn a_position_has_the_row_of_its_call() {
    let session = session(1);
    let rows = get(&session, "compare/rows?pair=0&from=0&count=400");
    for row in rows["rows"].as_array().unwrap().iter().filter(|row| row["a"] != Value::Null) {
        let at = &row["a"]["at"];
        let found = get(&session, &format!("compare/rows?pair=0&from=0&count=0&position={at}"));
        assert_eq!(found["row"], row["row"]);
    }
}

#[test]
fn what_is_not_there_is_refused_in_words() {
    let session = session(0);
    for (target, status) in [
        ("compare/rows?pair=0&from=0", 400),
        ("compare/rows?pair=7&from=0&count=1", 404),
        ("compare/call?pair=0&row=99999999", 404),
        ("compare/profile?pair=0&pixels=0", 400),
    ] {
        assert_eq!(ask(&session, target).0, status, "{target}");
    }
    assert_eq!(ask(&tests::session(), "compare").0, 404);
    assert_eq!(ask(&tests::session(), "compare/find?pair=0").0, 409);
}
