//! What is answered: as the document describes it, and right.

use serde_json::{Value, json};

use crate::schema::misfits;
use crate::util::{KERNEL, Server};

/// Asks every path of the document with what it needs, and holds each answer against it.
#[test]
fn answers_are_as_the_document_describes_them() {
    let server = Server::start(KERNEL);
    server.wait_for("/api/timeline");
    server.wait_for("/api/loops");
    server.wait_for("/api/inference");
    let document = server.json("/api/openapi.json");
    let examples = [
        ("track", "0"),
        ("level", "0"),
        ("run", "0"),
        ("id", "0"),
        ("row", "0"),
        ("rows", "0,1,2"),
        ("time", "1000"),
        ("kind", "loss"),
        ("number", "0"),
    ];
    let (mut asked, mut answered) = (0, 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        let Some(operation) = item.get("get") else { continue };
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let needed = parameters.iter().filter(|parameter| parameter["required"] == true);
        let query: Vec<String> = needed
            .map(|parameter| {
                let name = parameter["name"].as_str().unwrap();
                let (_, value) =
                    examples.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name}"));
                format!("{name}={value}")
            })
            .collect();
        let target = if query.is_empty() { path.clone() } else { format!("{path}?{}", query.join("&")) };
        // Parts that this trace has nothing for say so.
        if path.starts_with("/api/play") || path.starts_with("/api/list") {
            continue;
        }
        asked += 1;
        let answer = server.get(&target);
        if answer.status == 404 && path == "/api/inference/event" {
            continue;
        }
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
        answered += 1;
        let content = &operation["responses"]["200"]["content"];
        let Some(described) = content.get("application/json") else { continue };
        let value: Value = serde_json::from_str(&answer.body).unwrap();
        let mut found = vec![];
        misfits(&document, &described["schema"], &value, "answer", &mut found);
        assert!(found.is_empty(), "{target}: {found:#?}\n{value}");
    }
    assert!(asked >= 18 && answered >= asked - 1, "{answered} of {asked}");
}

#[test]
fn states_of_a_kernel_are_told_by_column_and_exactly() {
    let server = Server::start(KERNEL);
    let about = server.wait_for("/api/timeline");
    assert_eq!(
        (&about["start"], &about["length"], &about["events"]),
        (&json!("1000"), &json!(7000), &json!(7))
    );
    assert_eq!(
        (&about["losses"], &about["lost_events"], &about["is_kernel"]),
        (&json!(1), &json!(3), &json!(true))
    );
    let rows = server.json("/api/timeline/rows");
    let names: Vec<&str> =
        rows["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(
        names.starts_with(&["CPU 0"]) && names.contains(&"web 12") && names.contains(&"db 13"),
        "{names:?}"
    );
    let row = |name: &str| {
        let all = rows["rows"].as_array().unwrap();
        all.iter().find(|row| row["name"] == name).unwrap()["row"].as_u64().unwrap()
    };
    let state = |row: u64, time: u64| {
        let held = server.json(&format!("/api/timeline/state?row={row}&time={time}"));
        let names = &about["states"][held["state"].as_u64().unwrap() as usize]["names"];
        let names: Vec<&str> = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        (names.join("|"), held["from"].as_i64(), held["to"].as_i64())
    };
    // Between the entry and the exit of `read` the thread is in the call, in user mode before and behind.
    assert_eq!(state(row("web 12"), 1500).0, "run_call");
    assert_eq!(state(row("web 12"), 2500).0, "run_user");
    assert_eq!(state(row("CPU 0"), 500).0, "busy");
    let columns = server.json(&format!("/api/timeline/states?rows={}&from=0&to=3000&width=3", row("CPU 0")));
    assert_eq!(columns["rows"][0]["mixed"], json!([]), "{columns}");
    let loss = server.json("/api/timeline/step?kind=loss&time=0");
    assert_eq!(loss["time"], 3000);
    let events = server.json("/api/timeline/events?first=1&count=2");
    let names: Vec<&Value> =
        events["events"].as_array().unwrap().iter().map(|event| &event["name"]).collect();
    assert_eq!(names, ["syscall_entry_read", "syscall_exit_read"]);
    let histogram = server.json("/api/timeline/histogram?width=7");
    assert_eq!(
        histogram["counts"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum::<u64>(),
        7
    );
}

#[test]
fn tracks_without_a_kernel_show_the_event_that_happened_last() {
    let line = |ts: u32, name: &str| format!("{{\"ts\":{ts},\"stream\":\"web\",\"name\":\"{name}\"}}\n");
    let lost = "{\"stream\":\"web\",\"lost\":5,\"from\":20,\"to\":30}\n";
    let server =
        Server::start(&[line(10, "start"), line(20, "read"), lost.into(), line(30, "stop")].concat());
    let about = server.wait_for("/api/timeline");
    assert_eq!(about["is_kernel"], false);
    let name = |time: u32| {
        let held = server.json(&format!("/api/timeline/state?row=0&time={time}"));
        about["states"][held["state"].as_u64().unwrap() as usize]["names"].clone()
    };
    assert_eq!((name(0), name(10), name(20)), (json!(["start"]), json!(["read"]), json!(["stop"])));
    assert_eq!(name(15), json!([]), "what happened before the loss ended is not known");
    assert_eq!(server.json("/api/inference")["is_there"], false);
    let doubt = server.json("/api/timeline/step?kind=doubt&time=0");
    assert_eq!(doubt["time"], 11);
}

#[test]
fn a_choice_is_checked_applied_and_undone() {
    let server = Server::start(KERNEL);
    server.wait_for("/api/timeline");
    let about = server.wait_for("/api/inference");
    assert_eq!(server.post("/api/inference/undo", "{}").status, 409, "nothing was chosen yet");
    for (body, status) in
        [("", 400), ("{", 400), ("{}", 400), (r#"{"event":99999,"field":"x","value":1}"#, 404)]
    {
        assert_eq!(server.post("/api/inference/choose", body).status, status, "{body}");
    }
    let open = server.json("/api/inference/open");
    assert_eq!(open["all"], about["open"]);
    let Some(event) = open["events"].get(0) else { return };
    let number = event["head"]["number"].as_u64().unwrap();
    let fields = event["fields"].as_array().unwrap();
    let field = fields.iter().find(|field| field["alternatives"].as_array().unwrap().len() > 1).unwrap();
    let other =
        field["alternatives"].as_array().unwrap().iter().find(|value| **value != field["value"]).unwrap();
    let body = json!({"event": number, "field": field["name"], "value": "no such value"}).to_string();
    assert_eq!(server.post("/api/inference/choose", &body).status, 409);
    let body = json!({"event": number, "field": field["name"], "value": other}).to_string();
    assert_eq!(server.post("/api/inference/choose", &body).status, 200);
    let chosen = server.json(&format!("/api/inference/event?number={number}"));
    let value = chosen["fields"].as_array().unwrap().iter().find(|one| one["name"] == field["name"]).unwrap();
    assert_eq!((&value["value"], &value["is_chosen"]), (other, &json!(true)));
    let file = server.get("/api/inference/choices").body;
    assert!(
        file.starts_with("tracewright choices 1\n") && file.contains(field["name"].as_str().unwrap()),
        "{file}"
    );
    assert_eq!(server.post("/api/inference/undo", "{}").status, 200);
    let undone = server.json(&format!("/api/inference/event?number={number}"));
    let value = undone["fields"].as_array().unwrap().iter().find(|one| one["name"] == field["name"]).unwrap();
    assert_eq!((&value["value"], &value["is_chosen"]), (&field["value"], &json!(false)));
}
