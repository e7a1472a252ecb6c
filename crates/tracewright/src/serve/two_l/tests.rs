//! The run of a 2L program as it is answered.

use expect_test::{Expect, expect};
use serde_json::Value;
use viewer::Request;

use crate::serve::{Session, routes};

fn session(program: &str, steps: u64) -> Session {
    Session::of_program(program.parse().unwrap(), steps)
}

/// The answer to a path, once it is there.
fn answer(session: &Session, target: &str) -> (u16, String) {
    let routes = routes();
    loop {
        let reply = routes.answer(session, &Request::get(target));
        let text = String::from_utf8(reply.body.to_vec()).unwrap();
        let is_running = text.contains("\"phase\":\"running\"") || text.contains("\"phase\":\"idle\"");
        if reply.status != 409 && !is_running {
            return (reply.status, text);
        }
        std::thread::yield_now();
    }
}

fn ready(program: &str, steps: u64) -> Session {
    let session = session(program, steps);
    answer(&session, "/api/two_l");
    session
}

fn check(session: &Session, target: &str, expected: Expect) {
    expected.assert_eq(&answer(session, target).1);
}

fn json(session: &Session, target: &str) -> Value {
    serde_json::from_str(&answer(session, target).1).unwrap()
}

#[test]
fn a_halting_program_is_shown_whole() {
    let session = ready("ROuShls", 1000);
    let run = json(&session, "/api/two_l")["run"].clone();
    assert_eq!(run["end"], "It halts after 15 steps.");
    assert_eq!(run["cells"], serde_json::json!([".**.", "*o_*", "*_o*", "oo*."]));
    assert_eq!((&run["steps"], &run["is_whole"]), (&15.into(), &true.into()));
    check(&session, "/api/two_l/state?step=0&cells=3", expect![[""]]);
    check(&session, "/api/two_l/state?step=4&cells=3", expect![[""]]);
    check(&session, "/api/two_l/state?step=99&cells=3", expect![[""]]);
    check(
        &session,
        "/api/two_l/tape?from=0&to=99&rows=4&first=-2&cells=5&columns=5",
        expect![[""]],
    );
}

#[test]
fn what_goes_on_is_shown_up_to_a_number_of_steps_and_its_proof_is_told() {
    let session = ready("ZgoCQhGBUIBlqA", 300);
    let run = loop {
        let run = json(&session, "/api/two_l")["run"].clone();
        if !run["verdict"].is_null() {
            break run;
        }
    };
    let end = "It is shown up to 300 steps and goes on; `tracewright 2l view --steps N` shows more.";
    assert_eq!((&run["end"], &run["is_whole"]), (&end.into(), &false.into()));
    let verdict = run["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("ZgoCQhGBUIBlqA never halts (REGULAR_SWEEP)"), "{verdict}");
    check(&session, "/api/two_l/lane?level=1&from=0&to=301", expect![[""]]);
}

/// Loops are found among blocks and shown among steps: what a step belongs to holds the step.
#[test]
fn the_runs_of_a_step_hold_it_and_follow_each_other() {
    let session = ready("ZgoCQhGBUIBlqA", 2000);
    let mut seen = 0;
    for step in (0..1500).step_by(7) {
        let state = json(&session, &format!("/api/two_l/state?step={step}"));
        for within in state["within"].as_array().unwrap() {
            let (from, to) = (within["from"].as_u64().unwrap(), within["to"].as_u64().unwrap());
            assert!(from <= step && step < to, "{step}: {within}");
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let session = ready("ROuShls", 1000);
    for target in [
        "/api/two_l/state",
        "/api/two_l/lane?from=0&to=9",
        "/api/two_l/tape?from=9&to=9&rows=4&first=0&cells=5&columns=5",
        "/api/two_l/tape?from=0&to=9&rows=0&first=0&cells=5&columns=5",
        "/api/two_l/tape?from=0&to=9&rows=4&first=9223372036854775807&cells=5&columns=5",
    ] {
        assert_eq!(answer(&session, target).0, 400, "{target}");
    }
    let other = crate::serve::tests::session();
    assert_eq!(answer(&other, "/api/two_l/state?step=1").0, 404);
}
