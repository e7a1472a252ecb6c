//! The timeline of a program's own log by the model that was learned from it: rows, states, what does not fit, what is
//! inferred and where it is drawn.

use std::fmt::Write;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::util::{Server, folder};

/// Requests to a web server, each with its own number, three at a time. Their kinds of events follow each other.
const EVENTS: [&str; 5] =
    ["request_accepted", "task_queued", "query_started", "query_finished", "response_sent"];

/// The lines of the log without those whose numbers are lost.
fn web(lost: &[usize]) -> String {
    let mut out = String::new();
    for number in 0..EVENTS.len() * 300 {
        let (round, at) = (number / 15, number % 15);
        let (task, event) = (3 * round + at % 3, at / 3);
        let time = 1_000 * (number + 1) + number * 7919 % 600;
        if !lost.contains(&number) {
            _ = writeln!(
                out,
                "{{\"ts\":{time},\"name\":\"{}\",\"fields\":{{\"task\":\"r{task}\",\"bytes\":{}}}}}",
                EVENTS[event],
                number * 31 % 900
            );
        }
    }
    out
}

/// Six locks that are taken and released.
fn locks(lost: &[usize]) -> String {
    let mut out = String::new();
    for number in 0..1_200 {
        let lock = 0x7f10 + 64 * ((number / 2 * 5) % 6);
        let name = ["lock_acquire", "lock_release"][number % 2];
        let time = 1_000 * (number + 1);
        if !lost.contains(&number) {
            _ = writeln!(
                out,
                "{{\"ts\":{time},\"name\":\"{name}\",\"fields\":{{\"lock\":{lock},\"thread\":{}}}}}",
                101 + number / 2 % 4
            );
        }
    }
    out
}

/// The timeline of `left` by what is learned from `whole`.
fn timeline(whole: &str, left: &str) -> (Server, TempDir) {
    let folder = folder();
    std::fs::write(folder.path().join("whole.jsonl"), whole).unwrap();
    let learned = Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args(["learn", "whole.jsonl", "-o", "model.xml"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(learned.status.success(), "{}", String::from_utf8_lossy(&learned.stderr));
    let model = folder.path().join("model.xml");
    let server = Server::start_with(left, &["--model", model.to_str().unwrap()]);
    assert_eq!(server.wait_for("/api/timeline")["phase"], "done");
    assert_eq!(server.wait_for("/api/inference")["phase"], "done");
    // The model is read again for the repaired layer.
    (server, folder)
}

/// The names of rows, by their number.
fn rows(server: &Server) -> Vec<String> {
    let rows = server.json("/api/timeline/rows")["rows"].clone();
    let mut rows: Vec<(u64, String)> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            assert_eq!(row["kind"], "machine", "{row}");
            (row["row"].as_u64().unwrap(), row["name"].as_str().unwrap().to_owned())
        })
        .collect();
    rows.sort();
    rows.into_iter().map(|(_, name)| name).collect()
}

fn state(server: &Server, row: &Value, time: i64) -> Value {
    let held = server.json(&format!("/api/timeline/state?row={row}&time={time}"));
    let states = server.json("/api/timeline")["states"].clone();
    states[held["state"].as_u64().unwrap() as usize]["names"].clone()
}

/// The only inferred event, its row by name, and the state of that before and after what does not fit because of it.
fn only_inferred(server: &Server) -> Value {
    let found = server.json("/api/inference/events");
    assert_eq!(found["all"], 1, "{found}");
    let event = &found["events"][0];
    let names = rows(server);
    let on: Vec<&str> =
        event["rows"].as_array().unwrap().iter().map(|row| &*names[row.as_u64().unwrap() as usize]).collect();
    let marks = server.json("/api/timeline/marks");
    let inconsistency = &marks["incoherences"][0];
    let (row, time) = (&inconsistency["row"], inconsistency["time"].as_i64().unwrap());
    json!({
        "event": event["name"],
        "rows": on,
        "inconsistency": inconsistency["event"],
        "sentence": inconsistency["sentence"],
        "before": state(server, row, time - 1),
        "after": state(server, row, time),
    })
}

/// What was wrong: a field called `task` counted as a thread of the kernel, and inferred events were drawn in no row.
#[test]
fn a_learned_model_of_a_web_log_has_rows_states_and_inferred_events() {
    // The query of request r101 is not seen to begin.
    let lost = 33 * 15 + 2 * 3 + 2;
    let (server, _folder) = timeline(&web(&[]), &web(&[lost]));
    let names = rows(&server);
    assert_eq!((names.len(), &*names[0]), (300, "task r0"));
    let states = server.json("/api/timeline")["states"].clone();
    let over = states.as_array().unwrap().iter().filter(|state| state["is_over"] == true);
    assert_eq!(over.map(|state| &state["names"]).collect::<Vec<_>>(), [&json!(["after response_sent"])]);
    assert_eq!(
        only_inferred(&server),
        json!({
            "event": "query_started",
            "rows": ["task r101"],
            "inconsistency": "query_finished",
            "sentence": "task r101 was in state after task_queued, which does not take query_finished; it would have \
                         had to be in after query_started.",
            "before": ["after task_queued"],
            "after": ["after query_finished"],
        })
    );
}

#[test]
fn a_learned_model_of_locks_has_a_row_for_each_lock() {
    let (server, _folder) = timeline(&locks(&[]), &locks(&[601]));
    let names = rows(&server);
    assert!(names.iter().any(|name| name == "lock 32528"), "{names:?}");
    let found = only_inferred(&server);
    assert_eq!((&found["event"], &found["inconsistency"]), (&json!("lock_release"), &json!("lock_acquire")));
    assert!(
        found["rows"].as_array().unwrap().iter().any(|row| row.as_str().unwrap().starts_with("lock ")),
        "{found}"
    );
}
