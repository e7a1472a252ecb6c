//! What is answered: as the document describes it, and right.

use std::path::Path;

use serde_json::{Value, json};

use crate::schema::mismatches;
use crate::util::{KERNEL, Server, folder};

/// What a parameter that is needed is given.
const EXAMPLES: [(&str, &str); 23] = [
    ("after", "0"),
    ("track", "0"),
    ("level", "0"),
    ("run", "0"),
    ("id", "0"),
    ("row", "0"),
    ("rows", "0,1,2"),
    ("time", "1000"),
    ("kind", "loss"),
    ("number", "0"),
    ("at", "3"),
    ("context", "0"),
    ("go", "over"),
    ("method", "0"),
    ("line", "1"),
    ("pixels", "100"),
    ("slot", "0"),
    ("iteration", "0"),
    ("from", "0"),
    ("to", "1000000"),
    ("count", "10"),
    ("entry", "k0"),
    ("pair", "0"),
];

/// Asks the paths of the document that `wanted` names, with what they need, and holds each answer against it.
/// Gives how many were answered.
fn hold_against_the_document(server: &Server, thread: &Value, wanted: impl Fn(&str) -> bool) -> usize {
    let document = server.json("/api/openapi.json");
    let mut answered = 0;
    for (path, item) in document["paths"].as_object().unwrap().iter().filter(|(path, _)| wanted(path)) {
        let Some(operation) = item.get("get") else { continue };
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let needed = parameters.iter().filter(|parameter| parameter["required"] == true);
        let query: Vec<String> = needed
            .map(|parameter| {
                let name = parameter["name"].as_str().unwrap();
                if name == "thread" {
                    return format!("thread={thread}");
                }
                if name == "call" {
                    return format!("call={}", server.json("/api/story")["story"]["scenes"][0]["call"]);
                }
                let known = EXAMPLES.iter().find(|(known, _)| *known == name);
                format!("{name}={}", known.map_or("a", |(_, value)| value))
            })
            .collect();
        let target = if query.is_empty() { path.clone() } else { format!("{path}?{}", query.join("&")) };
        let answer = server.get(&target);
        // Not every place has what is asked for: no loop stands there, or nothing was inferred.
        if answer.status == 404 {
            continue;
        }
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
        answered += 1;
        let content = &operation["responses"]["200"]["content"];
        let Some(described) = content.get("application/json") else { continue };
        let value: Value = serde_json::from_str(&answer.body).unwrap();
        let mut found = vec![];
        mismatches(&document, &described["schema"], &value, "answer", &mut found);
        assert!(found.is_empty(), "{target}: {found:#?}\n{value}");
    }
    answered
}

fn is_of_captures(path: &str) -> bool {
    ["/api/overview", "/api/play", "/api/list", "/api/story", "/api/compare"]
        .iter()
        .any(|part| path.starts_with(part))
}

#[test]
fn answers_are_as_the_document_describes_them() {
    let server = Server::start(&unseen_leave());
    server.wait_for("/api/timeline");
    server.wait_for("/api/loops");
    server.wait_for("/api/inference");
    let answered = hold_against_the_document(&server, &Value::Null, |path| !is_of_captures(path));
    assert!(answered >= 18, "{answered}");
}

#[test]
fn answers_about_a_capture_are_as_the_document_describes_them() {
    let capture = |name: &str| format!("{}/../../web/tests/{name}.capture", env!("CARGO_MANIFEST_DIR"));
    let server = Server::of_arguments(&[&capture("bakery"), "--against", &capture("changed")]);
    server.wait_for("/api/compare");
    let thread = server.wait_for("/api/play")["recording"]["threads"][0]["serial"].clone();
    let answered = hold_against_the_document(&server, &thread, is_of_captures);
    assert!(answered >= 25, "{answered}");
}

#[test]
fn answers_about_times_are_as_the_document_describes_them() {
    let server =
        Server::of_arguments(&[concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/timed.capture")]);
    let thread = server.wait_for("/api/threads")["times"]["threads"][0]["serial"].clone();
    let answered = hold_against_the_document(&server, &thread, |path| path.starts_with("/api/threads"));
    assert_eq!(answered, 3);
}

/// They are known by what they begin with.
#[test]
fn event_lines_are_shown_whatever_their_file_is_called() {
    let folder = folder();
    let path = folder.path().join("saved.txt");
    std::fs::write(&path, KERNEL).unwrap();
    let (named, other) = (Server::start(KERNEL), Server::of_arguments(&[path.to_str().unwrap()]));
    for path in ["/api/timeline", "/api/loops"] {
        assert_eq!(named.wait_for(path), other.wait_for(path), "{path}");
    }
    assert_eq!(named.json("/api/timeline/rows"), other.json("/api/timeline/rows"));
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
fn places_where_something_is_missing_are_counted_and_told_by_column() {
    let server = Server::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/traces/lossy"));
    let loops = server.wait_for("/api/loops");
    let clerk = &loops["tracks"][0];
    assert_eq!((&clerk["name"], &clerk["gaps"]), (&json!("clerk 5336"), &json!(162)));
    let gaps = |query: &str| {
        let lane = server.json(&format!("/api/loops/lane?track=0&{query}"));
        let gaps: Vec<u64> =
            lane["gaps"].as_array().unwrap().iter().map(|step| step.as_u64().unwrap()).collect();
        gaps
    };
    let all = gaps("level=0&width=4000");
    assert_eq!(all.len(), 162);
    assert!(all.is_sorted_by(|one, other| one < other));
    let few = gaps("level=0&width=20");
    assert!(few.len() <= 21 && few.iter().all(|step| all.contains(step)), "{few:?}");
    let near: Vec<u64> = all.iter().copied().filter(|step| (60..=150).contains(step)).collect();
    assert_eq!(gaps("level=0&from=60&to=150&width=1000"), near);
    assert!(gaps("level=1").is_empty());
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

/// One CPU on which a thread comes and goes in three ways; the last one, number 14, is never seen to leave.
fn unseen_leave() -> String {
    let mut text = String::new();
    let mut switch = |time: usize, prev: u32, state: u32, next: u32| {
        let comm = |tid: u32| if tid == 0 { "swapper/0".to_owned() } else { format!("thread{tid}") };
        let fields = json!({"prev_comm": comm(prev), "prev_tid": prev, "prev_prio": 20, "prev_state": state,
            "next_comm": comm(next), "next_tid": next, "next_prio": 20});
        let line =
            json!({"ts": time * 1000, "stream": "cpu0", "cpu": 0, "name": "sched_switch", "fields": fields});
        text += &format!("{line}\n");
    };
    let mut time = 0;
    for state in [1, 2, 0, 1, 2, 0, 1, 2, 0] {
        switch(time + 1, 0, 0, 12);
        switch(time + 2, 12, state, 0);
        time += 2;
    }
    switch(time + 1, 0, 0, 14);
    switch(time + 2, 0, 0, 12);
    switch(time + 3, 12, 1, 0);
    text
}

#[test]
fn a_choice_is_checked_applied_and_undone() {
    let server = Server::start(&unseen_leave());
    let timeline = server.wait_for("/api/timeline");
    let about = server.wait_for("/api/inference");
    assert_eq!(server.post("/api/inference/undo", "{}").status, 409, "nothing was chosen yet");
    for (body, status) in
        [("", 400), ("{", 400), ("{}", 400), (r#"{"event":99999,"field":"x","value":1}"#, 404)]
    {
        assert_eq!(server.post("/api/inference/choose", body).status, status, "{body}");
    }
    let open = server.json("/api/inference/open");
    assert_eq!(open["all"], about["open"]);
    let is_it = |event: &&Value| event["text"].as_str().unwrap().contains("prev_tid=14");
    let event = open["events"].as_array().unwrap().iter().find(is_it).unwrap_or_else(|| panic!("{open}"));
    let number = event["head"]["number"].as_u64().unwrap();
    let state_of = |event: &Value| -> (i64, bool, Vec<i64>) {
        let field =
            event["fields"].as_array().unwrap().iter().find(|field| field["name"] == "prev_state").unwrap();
        let alternatives =
            field["alternatives"].as_array().unwrap().iter().map(|value| value.as_i64().unwrap());
        (field["value"].as_i64().unwrap(), field["is_chosen"].as_bool().unwrap(), alternatives.collect())
    };
    let now = || state_of(&server.json(&format!("/api/inference/event?number={number}")));
    let (first, is_chosen, alternatives) = state_of(event);
    assert!(!is_chosen && alternatives.contains(&0) && alternatives.contains(&1), "{alternatives:?}");
    // A thread that was put aside waits for a CPU; one that sleeps is blocked.
    let row = server.json("/api/timeline/rows")["rows"].as_array().unwrap().clone();
    let row = row.iter().find(|row| row["name"] == "thread14 14").unwrap()["row"].as_u64().unwrap();
    let shown = || {
        // The layer follows the choices as soon as it is made anew.
        for _ in 0..400 {
            let about = server.json("/api/inference");
            if about["repaired"] == about["revision"] {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let held =
            server.json(&format!("/api/timeline/state?row={row}&time={}&layer=repaired", timeline["length"]));
        let states = server.json("/api/timeline")["states"].clone();
        let state = states[held["state"].as_u64().unwrap() as usize].clone();
        assert_eq!(state["is_inferred"], true, "{held} {state}");
        state["names"].to_string()
    };
    let choose = |value: Value| {
        let body = json!({"event": number, "field": "prev_state", "value": value}).to_string();
        server.post("/api/inference/choose", &body).status
    };
    assert_eq!((choose(json!("no such value")), choose(json!(77))), (409, 409));
    assert_eq!((choose(json!(0)), now().0, now().1), (200, 0, true));
    assert!(shown().contains("ready"), "{}", shown());
    assert_eq!((choose(json!(1)), now().0), (200, 1));
    assert!(shown().contains("blocked"), "{}", shown());
    let file = server.get("/api/inference/choices").body;
    assert!(file.starts_with("tracewright choices 1\n") && file.contains("prev_state = 1"), "{file}");
    assert_eq!(server.post("/api/inference/undo", "{}").status, 200);
    assert_eq!(now().0, 0);
    assert!(shown().contains("ready"), "{}", shown());
    assert_eq!(server.post("/api/inference/undo", "{}").status, 200);
    assert_eq!((now().0, now().1), (first, false));
    assert_eq!(server.json("/api/inference")["chosen"], 0);
}

#[test]
fn the_table_tells_the_same_events_wherever_it_is_entered() {
    for trace in ["complete", "lossy"] {
        let path = format!("{}/../../examples/traces/{trace}", env!("CARGO_MANIFEST_DIR"));
        let command = std::process::Command::new(env!("CARGO_BIN_EXE_tracewright"))
            .args(["events", &path, "--json", "--allow-loss"])
            .output();
        let lines = String::from_utf8(command.unwrap().stdout).unwrap();
        let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let server = Server::open(&path);
        let about = server.wait_for("/api/timeline");
        assert_eq!(about["events"], events.len());
        let start: i64 = about["start"].as_str().unwrap().parse().unwrap();
        // From the middle of packets that were skipped to, and across the borders of blocks.
        for first in [events.len() - 3, 1500, 254, 255, 256, 0, 777] {
            let listed = server.json(&format!("/api/timeline/events?first={first}&count=5"));
            let listed = listed["events"].as_array().unwrap();
            assert_eq!(listed.len(), 5.min(events.len() - first));
            for (listed, event) in listed.iter().zip(&events[first..]) {
                assert_eq!(listed["name"], event["name"], "{trace} {first}");
                assert_eq!(
                    listed["time"].as_i64().unwrap() + start,
                    event["ts"].as_i64().unwrap(),
                    "{trace} {first}"
                );
                assert_eq!(listed["cpu"], event["cpu"], "{trace} {first}");
            }
        }
    }
}

#[test]
fn the_states_are_those_of_the_model_that_is_asked_for() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/models/evaluation.xml");
    let event = |ts: u32, name: &str| {
        format!(
            "{{\"ts\":{ts},\"stream\":\"s\",\"cpu\":0,\"name\":\"{name}\",\"fields\":{{\"obj_id\":7}}}}\n"
        )
    };
    // Between the first C and the second a B must have been: only so C comes from state 3 again.
    let trace: String =
        [(10, "B"), (20, "C"), (40, "C"), (50, "D"), (60, "A")].map(|(ts, name)| event(ts, name)).concat();
    let server = Server::start_with(&trace, &["--model", model]);
    let about = server.wait_for("/api/timeline");
    let row = server.json("/api/timeline/rows")["rows"][0].clone();
    assert_eq!((&row["kind"], &row["name"]), (&json!("machine"), &json!("dummy_fsm 7")));
    let state = |time: u32| {
        let held = server.json(&format!("/api/timeline/state?row={}&time={time}", row["row"]));
        about["states"][held["state"].as_u64().unwrap() as usize]["names"].clone()
    };
    assert_eq!(
        (state(0), state(12), state(42), state(50)),
        (json!(["3"]), json!(["4"]), json!(["1"]), json!(["2"]))
    );
    assert_eq!(about["incoherences"], 1);
    let inference = server.wait_for("/api/inference");
    assert_eq!((&inference["is_there"], &inference["events"]), (&json!(true), &json!(1)));
    let event = server.json("/api/inference/event?number=0");
    assert_eq!(event["head"]["name"], "B");
    assert_eq!(event["text"], "[00:00:00.000 000 030] B { obj_id=7 }");
}

/// What was wrong: the last state before the end of a stream was drawn until the end of the trace.
#[test]
fn what_comes_after_the_end_of_a_stream_is_unknown() {
    let switch = |ts: u32, cpu: u32, prev: u32, next: u32| {
        let fields = json!({"prev_comm": format!("t{prev}"), "prev_tid": prev, "prev_prio": 20, "prev_state": 1,
            "next_comm": format!("t{next}"), "next_tid": next, "next_prio": 20});
        let line = json!({"ts": ts, "stream": format!("cpu{cpu}"), "cpu": cpu, "name": "sched_switch", "fields": fields});
        format!("{line}\n")
    };
    // CPU 1 runs thread 13 when its stream ends; thread 14 was there before and goes on at CPU 0.
    let trace = [
        switch(1000, 0, 0, 12),
        switch(1500, 1, 0, 14),
        switch(2000, 1, 14, 13),
        switch(3000, 0, 12, 14),
        switch(9000, 0, 14, 12),
    ];
    let server = Server::start(&trace.concat());
    let about = server.wait_for("/api/timeline");
    let rows = server.json("/api/timeline/rows")["rows"].as_array().unwrap().clone();
    let state = |name: &str, time: u32| {
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        let held = server.json(&format!("/api/timeline/state?row={}&time={time}", row["row"]));
        let state = &about["states"][held["state"].as_u64().unwrap() as usize]["names"];
        (state.to_string(), held["to"].clone())
    };
    for name in ["CPU 1", "t13 13"] {
        // Times count from the first event, at 1000.
        let (before, until) = state(name, 1000);
        assert!(before.len() > 2, "{name}: {before}");
        assert_eq!(until, 1001, "{name}");
        assert_eq!(state(name, 1001), ("[]".into(), Value::Null), "{name}");
        assert_eq!(state(name, 8000), ("[]".into(), Value::Null), "{name}");
    }
    for name in ["CPU 0", "t12 12", "t14 14"] {
        assert_ne!(state(name, 7999).0, "[]", "{name}");
        assert_ne!(state(name, 8000).0, "[]", "{name}");
    }
    // The same where no states are known: what happened last is no state that lasts.
    let line =
        |ts: u32, stream: &str| format!("{{\"ts\":{ts},\"stream\":\"{stream}\",\"name\":\"on {stream}\"}}\n");
    let server = Server::start(&[line(10, "a"), line(20, "b"), line(30, "a"), line(90, "b")].concat());
    let about = server.wait_for("/api/timeline");
    let name = |row: u32, time: u32| {
        let held = server.json(&format!("/api/timeline/state?row={row}&time={time}"));
        about["states"][held["state"].as_u64().unwrap() as usize]["names"].clone()
    };
    assert_eq!((name(0, 20), name(0, 21), name(0, 80)), (json!(["on a"]), json!([]), json!([])));
    assert_eq!((name(1, 79), name(1, 80)), (json!(["on b"]), json!(["on b"])));
}

/// A stream of CTF is known to its last packet's end, whatever happened last in it.
#[test]
fn a_stream_of_packets_is_known_until_the_end_of_the_last_one() {
    let server = Server::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/traces/complete"));
    let about = server.wait_for("/api/timeline");
    let rows = server.json("/api/timeline/rows");
    let end = about["length"].as_i64().unwrap();
    for row in rows["rows"].as_array().unwrap() {
        let held = server.json(&format!("/api/timeline/state?row={}&time={end}", row["row"]));
        let state = held["state"].as_u64().map(|state| about["states"][state as usize]["names"].to_string());
        assert_ne!(state.as_deref(), Some("[]"), "{row}: {held}");
    }
}

/// What was wrong: the page showed none of what the reader found wrong.
#[test]
fn diagnostics_of_the_reader_are_told_whatever_is_opened() {
    let event = "{\"ts\":1,\"stream\":\"s\",\"name\":\"e\"}\n";
    let server = Server::start(&format!("{event}no event\n{event}"));
    let found = server.wait_for("/api/diagnostics");
    assert_eq!((&found["count"], &found["damage"]), (&json!(1), &json!(1)), "{found}");
    let first = &found["diagnostics"][0];
    assert_eq!(first["severity"], "damage");
    assert!(first["sentence"].as_str().unwrap().starts_with("trace.jsonl, line 2: "), "{found}");
    let fine = Server::start(event);
    assert_eq!(fine.wait_for("/api/diagnostics")["count"], 0);
    let capture = Server::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/bakery.capture"));
    assert_eq!(capture.wait_for("/api/diagnostics")["count"], 0);
    let letters = Server::of_arguments(&["--symbols", "ABAB"]);
    assert_eq!(letters.wait_for("/api/diagnostics")["count"], 0);
}

/// Threads and CPUs of two hosts share rows, whose states are then of neither: that is said.
#[test]
fn several_hosts_in_one_folder_are_told() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/traces/complete/ust/uid/0/64-bit");
    let temporary = folder();
    let both = temporary.path();
    for host in ["vm", "wm"] {
        let copy = both.join(host);
        std::fs::create_dir_all(&copy).unwrap();
        for file in std::fs::read_dir(&trace).unwrap().map(|entry| entry.unwrap().path()) {
            if file.is_file() {
                std::fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
            }
        }
        let metadata = std::fs::read(copy.join("metadata")).unwrap();
        let (from, to) = (b"hostname = \"vm\"", format!("hostname = \"{host}\""));
        let at = metadata.windows(from.len()).position(|bytes| bytes == from).unwrap();
        let renamed = [&metadata[..at], to.as_bytes(), &metadata[at + from.len()..]].concat();
        std::fs::write(copy.join("metadata"), renamed).unwrap();
    }
    let listed = |folder: &Path| {
        let folder = folder.to_str().unwrap();
        Server::of_arguments(&[folder, "--model", "kernel"]).wait_for("/api/diagnostics").to_string()
    };
    let (two, one) = (listed(both), listed(&both.join("wm")));
    assert!(two.contains("These are traces of 2 hosts (vm, wm)"), "{two}");
    assert!(!one.contains("hosts"), "{one}");
}
