//! The run of a 2L program as it is answered.

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
    let state = |step| json(&session, &format!("/api/two_l/state?step={step}&cells=3"));
    let (begin, middle, end) = (state(0), state(4), state(99));
    assert_eq!((&begin["column"], &begin["row"], &begin["facing"]), (&0.into(), &(-1).into(), &"up".into()));
    assert_eq!((&begin["first"], &begin["cells"]), (&(-1).into(), &serde_json::json!([0, 0, 0])));
    assert_eq!(middle["sentence"], "It has entered column 1 of row 2 upward, which adds 1 to cell 1.");
    assert_eq!((&middle["pointer"], &middle["value"]), (&1.into(), &1.into()));
    assert_eq!((&middle["first"], &middle["cells"]), (&0.into(), &serde_json::json!([1, 1, 0])));
    assert_eq!(end["step"], 15);
    assert_eq!(end["sentence"], "It has left the grid: the program halts.");
    let tape = json(&session, "/api/two_l/tape?from=0&to=99&rows=4&first=-2&cells=5&columns=5");
    let rows = tape["rows"].as_array().unwrap();
    let steps: Vec<u64> = rows.iter().filter_map(|row| row["step"].as_u64()).collect();
    assert_eq!(steps, [0, 4, 8, 12]);
    let row = serde_json::json!({"step":0,"pointer":0,"least":0,"greatest":1,"column":0,"values":[]});
    assert_eq!(rows[0], row);
    assert_eq!((&rows[1]["column"], &rows[1]["values"]), (&2.into(), &serde_json::json!([1, 1])));
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
    let lane = json(&session, "/api/two_l/lane?level=0&from=0&to=301");
    let runs = lane["runs"].as_array().unwrap();
    assert!(runs.len() > 3 && runs[0][1] == 0, "{lane}");
    assert!(runs.windows(2).all(|pair| pair[0][2] == pair[1][1]), "{lane}");
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
    assert!(seen > 200, "{seen}");
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
