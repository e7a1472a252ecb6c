//! Trace events in JSON: what we export comes back, and files of others are read by every command.

use std::path::Path;

use expect_test::expect;

use crate::util::folder;

/// Two requests of a web server, as VizTracer writes them, the last line missing.
const SERVER: &str = r#"{"traceEvents": [
{"ph": "M", "pid": 9, "tid": 9, "name": "thread_name", "args": {"name": "MainThread"}},
{"ph": "X", "pid": 9, "tid": 9, "ts": 100, "dur": 80, "name": "serve (/shop/server.py:3)", "cat": "FEE"},
{"ph": "X", "pid": 9, "tid": 9, "ts": 101, "dur": 30, "name": "answer (/shop/server.py:12)", "cat": "FEE"},
{"ph": "X", "pid": 9, "tid": 9, "ts": 102, "dur": 5, "name": "builtins.len", "cat": "FEE"},
{"ph": "X", "pid": 9, "tid": 9, "ts": 140, "dur": 30, "name": "answer (/shop/server.py:12)", "cat": "FEE"},
"#;

#[test]
fn calls_of_a_python_program_are_told() {
    let folder = folder().with("server.json", SERVER);
    let ran = folder.run("calls server.json");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    expect![[r#"
        Thread MainThread  4 calls, 4 blocks, 80.000 us
          serve (server.py:3)
            3: answer (server.py) x 2
              x 1 (12)
                12: builtins.len
              x 1 (12)
    "#]]
    .assert_eq(&ran.out);
    for command in ["info", "events", "loops", "hangs"] {
        let ran = folder.run(&format!("{command} server.json"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{command}");
        assert!(ran.out.contains("answer:12") || command == "hangs", "{command}: {}", ran.out);
    }
}

#[test]
fn events_come_from_standard_input() {
    let folder = folder().with("server.json", SERVER);
    let plain = folder.run("events server.json");
    let piped = folder.run_with(["events", "-"], SERVER);
    assert_eq!((piped.code, piped.out, piped.err), (plain.code, plain.out, plain.err));
    let packed = folder.shell("gzip -c server.json | tracewright loops -");
    assert_eq!((packed.code, packed.err.as_str()), (0, ""));
    assert!(packed.out.contains("answer:12"), "{}", packed.out);
}

#[test]
fn json_of_another_kind_is_refused() {
    let folder = folder().with("other.json", "{\"a\": 1}");
    let ran = folder.run("calls other.json");
    let expected =
        "tracewright: cannot read other.json as trace events in JSON: it holds no list of trace events\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (2, "", expected));
}

#[test]
fn a_list_without_slices_is_said_to_hold_no_call() {
    let folder = folder().with("empty.json", "[]");
    let ran = folder.run("calls empty.json");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (2, "", "tracewright: it holds no call\n"));
}

/// The calls of a list, each with how far it is indented; lines of blocks, which are not exported, left out.
fn calls(flat: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let (_, rest) = line.split_at_checked(10)?;
        let name = rest.trim_start().split("  ").next()?;
        let is_call = name.contains('.') && !name.contains(".java");
        is_call.then(|| format!("{}{name}", " ".repeat(rest.len() - rest.trim_start().len())))
    };
    flat.lines().filter_map(of_line).collect()
}

#[test]
fn what_we_export_comes_back() {
    let folder = folder();
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery/bakery.capture");
    let capture = capture.display();
    for (form, file) in [("chrome", "bakery.json"), ("perfetto", "bakery.pftrace")] {
        let ran = folder.run(&format!("export {capture} --to {form} -o {file}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    }
    for (thread, count) in [("main", 606), ("baker?1", 1_000), ("baker?2", 1_000)] {
        let list = |recording: &str| {
            let ran = folder.run(&format!("calls {recording} --flat --all --thread {thread}"));
            assert_eq!(ran.code, 0, "{}", ran.err);
            calls(&ran.out)
        };
        let was = list(&capture.to_string());
        assert!(was.len() >= count, "{thread}: {}", was.len());
        for file in ["bakery.json", "bakery.pftrace"] {
            let is = list(file);
            assert!(was == is, "{file} {thread}: {:?}", was.iter().zip(&is).find(|(was, is)| was != is));
        }
    }
}

/// A whole slice says how long it took; one that was begun took as long as until its end.
#[test]
fn slices_have_lengths() {
    let trace = r#"[{"ph":"X","name":"bake","pid":1,"tid":7,"ts":1000,"dur":9000},
        {"ph":"X","name":"heat","pid":1,"tid":7,"ts":2000,"dur":3500},
        {"ph":"B","name":"sell","pid":1,"tid":7,"ts":20000},
        {"ph":"X","name":"pay","pid":1,"tid":7,"ts":21000,"dur":2000},
        {"ph":"E","pid":1,"tid":7,"ts":24500}]"#;
    let ran = folder().with("t.json", trace).run("calls t.json");
    expect![[r#"
        Thread thread 7  4 calls, 4 blocks, 23.500 ms
          bake  9.00 ms
            heat  3.50 ms
          sell  4.50 ms
            pay  2.00 ms
        exit 0
    "#]]
    .assert_eq(&ran.to_string());
}
