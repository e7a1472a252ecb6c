//! Notes as the API takes and answers them: what lies in the file, what two programs make of one file, and what becomes
//! of them where there can be no file.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;
use viewer::Request;

use super::super::play::{self, bakery};
use super::super::session::Session;
use super::super::{routes, tests};

/// A trace of three events on one track, in a folder of its own.
struct Trace {
    input: PathBuf,
    file: PathBuf,
    folder: TempDir,
}

fn trace() -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("trace.jsonl");
    let line = |ts: i64| format!("{{\"ts\":{ts},\"stream\":\"a\",\"name\":\"tick\",\"fields\":{{}}}}\n");
    fs::write(&input, [1000, 2000, 3000].map(line).concat()).unwrap();
    Trace { input, file: folder.path().join("trace.jsonl.notes.json"), folder }
}

impl Trace {
    /// A program that shows it, and has read it.
    fn opened(&self) -> Session {
        let session = tests::session_of(&[self.input.to_str().unwrap()]);
        let end = Instant::now() + Duration::from_secs(60);
        while ask(&session, "timeline")["phase"] != "done" {
            assert!(Instant::now() < end, "the trace is not read");
            std::thread::sleep(Duration::from_millis(2));
        }
        session
    }

    fn written(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }
}

fn ask(session: &Session, path: &str) -> Value {
    let reply = routes().answer(session, &Request::get(&format!("/api/{path}")));
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
    serde_json::from_slice(&reply.body).unwrap()
}

/// The answer, or status and sentence of a refusal.
fn post(session: &Session, path: &str, body: &Value) -> Result<Value, String> {
    let mut request = Request::get(&format!("/api/notes/{path}"));
    "POST".clone_into(&mut request.head.method);
    request.body = body.to_string().into_bytes();
    let reply = routes().answer(session, &request);
    match reply.status {
        200 => Ok(serde_json::from_slice(&reply.body).unwrap()),
        status => Err(format!("{status} {}", String::from_utf8_lossy(&reply.body).trim())),
    }
}

fn add(session: &Session, text: &str) -> Value {
    post(session, "add", &json!({"from": 500, "text": text})).unwrap()
}

/// Texts of the notes, in their order.
fn texts(answer: &Value) -> Vec<&str> {
    answer["notes"].as_array().unwrap().iter().map(|note| note["text"].as_str().unwrap()).collect()
}

#[test]
fn notes_lie_beside_the_trace_and_are_there_again() {
    let trace = trace();
    let session = trace.opened();
    assert!(!trace.file.exists());
    let row = ask(&session, "timeline/rows")["rows"][0]["row"].clone();
    add(&session, " the second \r\n\"tick\" comes late ");
    post(&session, "add", &json!({"from": 100, "to": 1900, "row": row, "text": "all of it"})).unwrap();
    expect![[r#"
        {"next":3,"notes":[
        {"id":1,"revision":1,"from":1500,"text":"the second \n\"tick\" comes late"},
        {"id":2,"revision":2,"from":1100,"to":2900,"row":"a","text":"all of it"}]}
    "#]]
    .assert_eq(&trace.written());
    let again = ask(&trace.opened(), "notes");
    assert_eq!(again["problem"], Value::Null);
    assert_eq!(again["file"], trace.file.to_str().unwrap());
    expect![[r#"
        [
          {
            "from": 100,
            "id": 2,
            "revision": 2,
            "row": 0,
            "row_name": "a",
            "text": "all of it",
            "to": 1900
          },
          {
            "from": 500,
            "id": 1,
            "revision": 1,
            "row": null,
            "row_name": null,
            "text": "the second \n\"tick\" comes late",
            "to": null
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&again["notes"]).unwrap());
    let edited = post(&session, "edit", &json!({"id": 1, "revision": 1, "text": "late"})).unwrap();
    assert_eq!(texts(&edited), ["all of it", "late"]);
    let rest = post(&session, "remove", &json!({"id": 2, "revision": 2})).unwrap();
    assert_eq!(texts(&rest), ["late"]);
    expect![[r#"
        {"next":4,"notes":[
        {"id":1,"revision":3,"from":1500,"text":"late"}]}
    "#]]
    .assert_eq(&trace.written());
}

#[test]
fn what_a_page_would_obey_is_escaped_and_what_is_too_much_is_refused() {
    let trace = trace();
    let session = trace.opened();
    let found = add(&session, "<b>\u{202e}txt\u{1b}[2J</b>\nsecond line");
    assert_eq!(texts(&found), ["<b>\\u{202e}txt\\u{1b}[2J</b>\nsecond line"]);
    assert_eq!(texts(&add(&session, &"é".repeat(2000)))[1].chars().count(), 2000);
    let refused = |path: &str, body: Value| post(&session, path, &body).unwrap_err();
    let message = [
        refused("add", json!({"from": 1, "text": "é".repeat(2001)})),
        refused("add", json!({"from": 1, "text": " \n "})),
        refused("add", json!({"from": 5, "to": 5, "text": "a"})),
        refused("add", json!({"from": "now", "text": "a"})),
        refused("edit", json!({"id": 9, "revision": 9, "text": "a"})),
        refused("edit", json!({"id": 1, "revision": 9, "text": "a"})),
        refused("remove", json!({"id": 1, "revision": 9})),
    ];
    expect![[r#"
        413 The note has more than 2,000 characters.
        400 There is nothing in the note.
        400 The range ends before it begins.
        400 What was sent is not what this path takes; see /api/openapi.json.
        409 The note was removed meanwhile.
        409 The note was changed meanwhile; look at it again.
        409 The note was changed meanwhile; look at it again."#]]
    .assert_eq(&message.join("\n"));
    // What somebody wrote into the file is escaped as well.
    let written = trace.written().replace("second line", "\\u2066second");
    fs::write(&trace.file, written).unwrap();
    assert_eq!(texts(&ask(&session, "notes"))[0], "<b>\\u{202e}txt\\u{1b}[2J</b>\n\\u{2066}second");
    // A moment beyond the last one there is.
    let found = post(&session, "add", &json!({"from": i64::MAX - 2, "to": i64::MAX, "text": "end"})).unwrap();
    assert_eq!(texts(&found).len(), 3);
    assert_eq!(ask(&trace.opened(), "notes")["problem"], Value::Null);
}

#[test]
fn there_are_at_most_a_thousand() {
    let trace = trace();
    let note = |id: usize| format!("{{\"id\":{id},\"revision\":{id},\"from\":1000,\"text\":\"a\"}}");
    let notes: Vec<String> = (1..1000).map(note).collect();
    fs::write(&trace.file, format!("{{\"next\":1000,\"notes\":[{}]}}", notes.join(","))).unwrap();
    let session = trace.opened();
    assert_eq!(texts(&add(&session, "the last one")).len(), 1000);
    let refused = post(&session, "add", &json!({"from": 1, "text": "one more"})).unwrap_err();
    assert_eq!(refused, "409 There are 1,000 notes already, which is as many as there may be.");
    assert_eq!(texts(&ask(&session, "notes")).len(), 1000);
}

#[test]
fn two_programs_lose_nothing_of_each_other() {
    let trace = trace();
    let sessions = [trace.opened(), trace.opened()];
    std::thread::scope(|scope| {
        for (number, session) in sessions.iter().enumerate() {
            scope.spawn(move || {
                for at in 0..50 {
                    add(session, &format!("{number} {at}"));
                }
            });
        }
    });
    let found = ask(&sessions[0], "notes");
    assert_eq!(found, ask(&sessions[1], "notes"));
    let mut texts = texts(&found);
    texts.sort_unstable();
    let mut all: Vec<String> = (0..2).flat_map(|n| (0..50).map(move |at| format!("{n} {at}"))).collect();
    all.sort_unstable();
    assert_eq!(texts, all);
    // Of two edits of the same revision the second is refused, and does not replace the first.
    let [first, second] = &sessions;
    let (id, revision) = (&found["notes"][0]["id"], &found["notes"][0]["revision"]);
    let edit = |text: &str| json!({"id": id, "revision": revision, "text": text});
    post(first, "edit", &edit("mine")).unwrap();
    expect!["409 The note was changed meanwhile; look at it again."]
        .assert_eq(&post(second, "edit", &edit("yours")).unwrap_err());
}

#[test]
fn what_cannot_be_read_is_not_written_and_the_notes_last_as_long_as_the_program() {
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("private");
    fs::write(&target, "{\"next\":1,\"notes\":[]}").unwrap();
    for (case, text) in [("damaged", "{\"next\":"), ("foreign", "[1,2]"), ("link", ""), ("folder", "")] {
        let trace = trace();
        match case {
            "link" => symlink(&target, &trace.file).unwrap(),
            "folder" => fs::create_dir(&trace.file).unwrap(),
            _ => fs::write(&trace.file, text).unwrap(),
        }
        let session = trace.opened();
        for found in [ask(&session, "notes"), add(&session, "a"), add(&session, "b"), ask(&session, "notes")]
        {
            let problem = found["problem"].as_str().unwrap().to_owned();
            assert!(problem.starts_with("The notes in /"), "{case}: {problem}");
        }
        assert_eq!(texts(&ask(&session, "notes")), ["a", "b"]);
        match case {
            "link" => assert_eq!(fs::read_to_string(&target).unwrap(), "{\"next\":1,\"notes\":[]}"),
            "folder" => assert!(trace.file.is_dir()),
            _ => assert_eq!(trace.written(), text),
        }
        let names = fs::read_dir(trace.folder.path()).unwrap().count();
        assert_eq!(names, 2, "{case}: something was left behind");
    }
}

#[test]
fn notes_that_could_not_be_saved_are_saved_once_they_can_be() {
    let trace = trace();
    let session = trace.opened();
    add(&session, "a");
    let written = trace.written();
    fs::remove_dir_all(trace.folder.path()).unwrap();
    let found = add(&session, "b");
    assert_eq!(texts(&found), ["b"], "the file is what counts");
    let problem = found["problem"].as_str().unwrap();
    assert!(problem.starts_with("Notes are not saved: cannot create /"), "{problem}");
    fs::create_dir(trace.folder.path()).unwrap();
    assert_eq!(texts(&ask(&session, "notes")), ["b"]);
    let found = add(&session, "c");
    assert_eq!((texts(&found), &found["problem"]), (vec!["b", "c"], &Value::Null));
    assert!(trace.written().contains("\"c\""));
    // What somebody else wrote meanwhile stays, and so do the notes of this program.
    fs::remove_dir_all(trace.folder.path()).unwrap();
    add(&session, "d");
    fs::create_dir(trace.folder.path()).unwrap();
    fs::write(&trace.file, &written).unwrap();
    let found = add(&session, "e");
    assert!(found["problem"].is_string());
    assert_eq!(texts(&found), ["d", "e"]);
    assert_eq!(trace.written(), written);
}

#[test]
fn a_note_on_a_capture_is_about_a_position_in_a_thread() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("bakery.capture");
    fs::create_dir(&capture).unwrap();
    let mut session = tests::session_of(&[capture.to_str().unwrap()]);
    session.play = play::Part::of_recording(bakery::recording());
    let found = post(&session, "add", &json!({"from": 40, "row": 1, "text": "the oven"})).unwrap();
    post(&session, "add", &json!({"from": 7, "to": 12, "row": 1, "text": "before"})).unwrap();
    assert_eq!(found["notes"][0]["row_name"], "main");
    expect![[r#"
        {"next":3,"notes":[
        {"id":1,"revision":1,"from":40,"row":"1 main","text":"the oven"},
        {"id":2,"revision":2,"from":7,"to":12,"row":"1 main","text":"before"}]}
    "#]]
    .assert_eq(&fs::read_to_string(folder.path().join("bakery.capture.notes.json")).unwrap());
    let all = ask(&session, "notes");
    assert_eq!(texts(&all), ["before", "the oven"]);
    assert_eq!((&all["notes"][0]["row"], &all["notes"][0]["from"]), (&json!(1), &json!(7)));
    for body in [
        json!({"from": 40, "text": "nowhere"}),
        json!({"from": 40, "row": 9, "text": "no thread"}),
        json!({"from": -1, "row": 1, "text": "before all"}),
    ] {
        expect!["400 A note on a capture is about a position in one of its threads."]
            .assert_eq(&post(&session, "add", &body).unwrap_err());
    }
}
