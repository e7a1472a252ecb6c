//! `diff`: two inputs, held against each other.

use std::path::Path;

use expect_test::{Expect, expect};

use crate::util::{Folder, LOSSY, WHOLE, folder};

/// A folder with the capture of the bakery, twice.
fn with_captures() -> Folder {
    let folder = folder();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery/bakery.capture");
    for name in ["a.capture", "b.capture"] {
        std::fs::create_dir(folder.path.join(name)).unwrap();
        for file in ["code", "steps"] {
            std::fs::copy(example.join(file), folder.path.join(name).join(file)).unwrap();
        }
    }
    folder
}

fn check(folder: Folder, arguments: &str, expected: Expect) {
    expected.assert_eq(&folder.run(arguments).to_string());
}

#[test]
fn a_recording_is_what_it_is() {
    check(
        with_captures(),
        "diff a.capture b.capture",
        expect![[r#"
            A  a.capture  3 threads, 66,890 blocks
            B  b.capture  3 threads, 66,890 blocks

            They ran the same.
            exit 0
        "#]],
    );
    let ran = with_captures().run("diff b.capture --baseline a.capture a.capture --json");
    assert_eq!(ran.code, 0, "{ran}");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["verdict"], "equal");
    assert_eq!(report["varying"]["recordings"], 2);
    assert_eq!(report["equal_threads"], 3);
}

#[test]
fn what_was_cut_off_is_no_difference() {
    let folder = with_captures();
    let steps = folder.path.join("b.capture/steps");
    let bytes = std::fs::read(&steps).unwrap();
    std::fs::write(&steps, &bytes[..bytes.len() / 2]).unwrap();
    let ran = folder.run("diff a.capture b.capture");
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.out.contains("Nothing differs in what was recorded, but something is missing"), "{ran}");
    assert!(ran.out.contains("Not compared\n  B"), "{ran}");
    assert_eq!(folder.run("diff a.capture b.capture --allow-loss").code, 0);
}

#[test]
fn histories_part_somewhere() {
    let folder = || folder().with("a.txt", "A B B C A B B C").with("b.txt", "A B B C A B B B C");
    check(
        folder(),
        "diff --history a.txt a.txt",
        expect![[r#"
            A  a.txt  1 track, 8 events
            B  a.txt  1 track, 8 events

            They have the same events in the same order.
            exit 0
        "#]],
    );
    let ran = folder().run("diff --history a.txt b.txt");
    assert_eq!(ran.code, 1, "{ran}");
    for line in [
        "They differ.",
        "  B  A 4, B 5",
        "  history  events: A 8, B 9",
        "the same for 7 events, then A C, B B",
    ] {
        assert!(ran.out.contains(line), "{line}: {ran}");
    }
}

#[test]
fn traces_differ_by_events_and_losses() {
    let other = WHOLE.replace("\"query\",\"fields\":{}", "\"close\",\"fields\":{}");
    let folder = || folder().with("a.jsonl", WHOLE).with("b.jsonl", &other).with("lossy.jsonl", LOSSY);
    let ran = folder().run("diff a.jsonl a.jsonl");
    assert_eq!(ran.code, 0, "{ran}");
    assert!(ran.out.ends_with("\nThey have the same events in the same order.\n"), "{ran}");
    let ran = folder().run("diff a.jsonl b.jsonl");
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.out.contains("\nEvents\n  query  A 2, B 1\n  close  A 0, B 1\n"), "{ran}");
    let ran = folder().run("diff a.jsonl b.jsonl --json");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["verdict"], "different");
    assert_eq!(report["names"][0]["counts"], serde_json::json!([2, 1]));
    // Nobody knows what was lost on either side.
    let ran = folder().run("diff lossy.jsonl lossy.jsonl");
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.out.contains("Nothing differs for certain"), "{ran}");
    assert_eq!(folder().run("diff lossy.jsonl lossy.jsonl --allow-loss").code, 0);
}

#[test]
fn what_cannot_be_compared_is_said_in_a_sentence() {
    let folder = || with_captures().with("a.jsonl", WHOLE);
    for (arguments, sentence) in [
        ("diff a.capture", "give two inputs, or one and --baseline"),
        (
            "diff a.capture a.jsonl",
            "a.capture is a recording of control flow and a.jsonl is not: only two of one kind can be compared",
        ),
        ("diff a.capture absent", "cannot open absent: No such file or directory"),
        (
            "diff a.jsonl a.jsonl --method pay",
            "--baseline, --method, --section and --source-root need recordings of control flow",
        ),
        ("diff a.capture b.capture --method pay2", "no recorded method is called pay2"),
        ("diff a.capture b.capture --thread nobody", "no thread is called nobody"),
        ("diff a.capture b.capture --baseline a.jsonl", "a.jsonl is no recording of control flow"),
        ("diff - -", "standard input cannot be both sides"),
    ] {
        let ran = folder().run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments}: {ran}");
        assert!(ran.err.starts_with(&format!("tracewright: {sentence}")), "{arguments}: {ran}");
    }
}

/// A kernel trace in which `web`, of this number, works for so many microseconds each time, twice.
fn works(tid: u32, us: i64) -> String {
    let mut out = String::new();
    let mut switch = |ts: i64, (prev, state): (u32, u32), next: u32| {
        let name = |tid: u32| if tid == 0 { "swapper/0" } else { "web" };
        out += &format!(
            r#"{{"ts":{ts},"stream":"cpu0","cpu":0,"name":"sched_switch","fields":{{"prev_comm":"{}","prev_tid":{prev},"prev_prio":20,"prev_state":{state},"next_comm":"{}","next_tid":{next},"next_prio":20}}}}"#,
            name(prev),
            name(next)
        );
        out.push('\n');
    };
    for begin in [1_000, 1_000_000] {
        switch(begin, (0, 0), tid);
        switch(begin + us * 1_000, (tid, 1), 0);
    }
    switch(2_000_000, (0, 0), tid);
    out
}

#[test]
fn times_in_states_are_compared_where_they_are_asked_for() {
    let folder = folder();
    std::fs::write(folder.path.join("a.jsonl"), works(101, 300)).unwrap();
    std::fs::write(folder.path.join("b.jsonl"), works(202, 500)).unwrap();
    let without = folder.run("diff a.jsonl b.jsonl");
    assert!(!without.out.contains("Times in states"), "{without}");
    check(
        folder,
        "diff a.jsonl b.jsonl --times",
        expect![[r#"
        A  a.jsonl  2 tracks, 5 events
        B  b.jsonl  2 tracks, 5 events

        They have the same events in the same order.

        Times in states
          cpu 0  busy  A 600.000 us, B 1.000 ms
          cpu 0  idle  A 1.399 ms, B 999.000 us
          web  blocked user or blocked call or exiting blocked  A 1.399 ms, B 999.000 us
          web  run user or run call or exiting  A 600.000 us, B 1.000 ms
        exit 0
    "#]],
    );
}

#[test]
fn a_thread_that_ended_is_in_no_state() {
    let folder = folder();
    // It leaves its CPU for good at once or after the first time; the trace goes on without it.
    let ended = |us: i64| works(101, us).replace("\"prev_state\":1", "\"prev_state\":64");
    std::fs::write(folder.path.join("a.jsonl"), ended(300)).unwrap();
    std::fs::write(folder.path.join("b.jsonl"), works(101, 300)).unwrap();
    let ran = folder.run("diff a.jsonl b.jsonl --times");
    assert!(ran.out.contains("Times in states"), "{ran}");
    assert!(!ran.out.contains("dead"), "{ran}");
}

#[test]
fn times_need_traces_and_a_model_that_knows_them() {
    let folder = with_captures();
    let ran = folder.run("diff a.capture b.capture --times");
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.to_string().contains("--times needs traces of events"), "{ran}");
    std::fs::write(folder.path.join("a.jsonl"), "{\"ts\":1,\"stream\":\"a\",\"name\":\"x\",\"fields\":{}}\n")
        .unwrap();
    let ran = folder.run("diff a.jsonl a.jsonl --times");
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.to_string().contains("knows no event of this trace"), "{ran}");
}
