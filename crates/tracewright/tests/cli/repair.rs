//! `tracewright models`, `check` and `infer`: small traces with a small machine, the recorded
//! evaluation of the founding text, and its great trace where the shared folder is there.

use std::path::Path;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;

use crate::util::{Folder, folder};

/// Objects that go round the states 1 to 4.
const MODEL: &str = include_str!("models/evaluation.xml");

/// The lines of events (time, name, object).
fn lines<'a>(events: impl IntoIterator<Item = (i64, &'a str, i64)>) -> String {
    let line = |(time, name, object): (i64, &str, i64)| {
        format!(
            "{{\"ts\":{time},\"stream\":\"s\",\"cpu\":0,\"name\":\"{name}\",\"fields\":{{\"obj_id\":{object}}}}}\n"
        )
    };
    events.into_iter().map(line).collect()
}

/// Object 1 goes D A A A A B C D, the second A is missing.
fn small() -> Folder {
    let events =
        [(10, "D"), (20, "A"), (40, "A"), (50, "A"), (60, "B"), (70, "C"), (80, "B"), (90, "C"), (100, "A")];
    folder().with("model.xml", MODEL).with("trace.jsonl", lines(events.map(|(time, name)| (time, name, 1))))
}

/// A folder with a shared trace.
pub(crate) fn unpacked(name: &str) -> Option<Folder> {
    unpack(&format!("data/ctf/{name}.tar.zst"))
}

/// A folder with what is in an archive of the shared folder.
pub(crate) fn unpack(archive: &str) -> Option<Folder> {
    let archive = testing::shared(archive)?;
    let folder = folder();
    let status =
        Command::new("tar").arg("--zstd").arg("-xf").arg(archive).arg("-C").arg(&folder.path).status();
    assert!(status.unwrap().success());
    Some(folder)
}

#[test]
fn a_model_that_knows_nothing_of_a_trace_says_so() {
    let user_space = folder().with("trace.jsonl", lines([(1, "shop:pay", 1)]));
    for command in ["check", "infer"] {
        let ran = user_space.run(&format!("{command} trace.jsonl"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        let ran = ran.to_string();
        let message = ran.lines().find(|line| line.starts_with('!'));
        assert_eq!(
            message,
            Some(
                "! tracewright: the model kernel knows no event of this trace, so it says nothing of it (--model FILE.xml takes another)"
            ),
            "{ran}"
        );
    }
    // One event that it knows is enough, and an empty trace is nobody's fault.
    for events in [vec![(1, "shop:pay", 1), (2, "sched_switch", 1)], vec![]] {
        let folder = folder().with("trace.jsonl", lines(events));
        assert!(!folder.run("check trace.jsonl").to_string().contains("knows no event"));
    }
}

#[test]
fn kernel_events_are_known_by_the_names_of_perf() {
    let line = |ts: u32, prev: u32, next: u32| {
        format!(
            "{{\"ts\":{ts},\"cpu\":0,\"name\":\"sched:sched_switch\",\"fields\":{{\"prev_comm\":\"a\",\"prev_pid\":{prev},\
             \"prev_state\":1,\"next_comm\":\"b\",\"next_pid\":{next}}}}}\n"
        )
    };
    let folder = folder().with("trace.jsonl", [line(1, 5, 6), line(2, 7, 6)].concat());
    let ran = folder.run("check trace.jsonl");
    assert!(ran.code == 0 && ran.out.starts_with("1 incoherence in 2 events"), "{ran}");
    assert!(ran.out.contains("thread 7  sched_switch  in "), "{ran}");
    let shown = folder.run("events trace.jsonl").out;
    assert!(shown.contains("sched_switch: { prev_comm = \"a\", prev_tid = 5, prev_state = 1"), "{shown}");
}

#[test]
fn two_hosts_are_not_one() {
    let Some(folder) = unpacked("synctraces") else { return };
    let ran = folder.run("check synctraces");
    assert!(ran.code == 0 && ran.out.starts_with("0 incoherences in 196,500 events"), "{ran}");
    // Each has a thread 1.
    for host in ["VM1", "VM3"] {
        assert!(folder.run("check synctraces --all").out.contains(&format!("thread {host}:1 ")), "{host}");
    }
    // Their clocks are brought together: what one host sends the other receives afterwards.
    let info = folder.run("info synctraces").out;
    assert!(info.contains("on the clock of VM3, which is "), "{info}");
    let events = folder.run("events synctraces").out;
    let segments = |name: &str| -> Vec<(usize, String, String)> {
        let lines = events.lines().enumerate().filter(|(_, line)| line.contains(name));
        let segment = |line: &str| {
            let field = |name: &str| line.split(name).nth(1)?.split([',', ' ']).next().map(str::to_owned);
            Some([field(" seq = ")?, field("ack_seq = ")?, field("flags = ")?].join(" "))
        };
        let host =
            |line: &str| line.split("] ").nth(1).and_then(|rest| rest.split(':').next()).map(str::to_owned);
        lines.filter_map(|(at, line)| Some((at, host(line)?, segment(line)?))).collect()
    };
    let (sent, received) = (segments("inet_sock_local_out:"), segments("inet_sock_local_in:"));
    let pairs = sent.iter().flat_map(|(at, host, segment)| {
        let is_it = move |other: &&(usize, String, String)| other.1 != *host && other.2 == *segment;
        received.iter().filter(is_it).map(move |(received, ..)| (*at, *received))
    });
    let pairs: Vec<(usize, usize)> = pairs.collect();
    assert!(pairs.len() > 40, "{}", pairs.len());
    assert!(pairs.iter().all(|(sent, received)| sent < received), "{pairs:?}");
}

#[test]
fn models_are_listed_and_shown() {
    let folder = folder();
    expect![[r#"
        kernel       CPUs and threads of a Linux kernel trace
        kernel-2018  the same as in the founding text, its faults included: for --engine compat
        exit 0
    "#]]
    .assert_eq(&folder.run("models").to_string());
    let shown = folder.run("models --show kernel-2018");
    assert!(shown.out.starts_with("<?xml") && shown.code == 0);
    // What is shown can be used.
    let folder = folder.with("own.xml", shown.out).with("trace.jsonl", lines([]));
    assert_eq!(folder.run("check trace.jsonl --model own.xml --engine compat --json").code, 0);
    expect![[r#"
        ! tracewright: no model is called x; there are: kernel, kernel-2018
        exit 2
    "#]]
    .assert_eq(&folder.run("models --show x").to_string());
}

#[test]
fn a_model_that_is_none() {
    let folder = small()
        .with("broken.xml", "<tmfxml>\n<pattern id='x'>\n</tmfxml>")
        .with("bomb.xml", "<!DOCTYPE x [<!ENTITY a 'b'>]><tmfxml/>");
    expect![[r#"
        ! tracewright: cannot open the model nowhere.xml: No such file or directory (os error 2); the built-in models are: kernel, kernel-2018
        exit 2
    "#]].assert_eq(&folder.run("check trace.jsonl --model nowhere.xml").to_string());
    expect![[r#"
        ! tracewright: this model cannot be used: broken.xml, line 3: This is not well-formed XML: expected 'pattern' tag, not 'tmfxml' at 3:1.
        exit 2
    "#]].assert_eq(&folder.run("check trace.jsonl --model broken.xml").to_string());
    expect![[r#"
        ! tracewright: this model cannot be used: bomb.xml, line 1: Document types and entities are not accepted.
        exit 2
    "#]].assert_eq(&folder.run("check trace.jsonl --model bomb.xml").to_string());
}

#[test]
fn incoherences_as_text_and_json() {
    let folder = small();
    expect![[r#"
        1 incoherence in 9 events (model model.xml, engine compat)

        kinds
          1  dummy_fsm in 4:  A

        incoherences
          1970-01-01 00:00:00.000000100  dummy_fsm 1  A  in 4, fits 1, 2

        exit 0
    "#]]
    .assert_eq(&folder.run("check trace.jsonl --model model.xml --engine compat").to_string());
    expect![[r#"
        {"engine":"compat","model":"model.xml","events":9,"lost":{"events":0,"packets":0,"gaps":0},"losses":[],"incoherences":[{"fsm":"dummy_fsm","key":"1","ts":100,"event":"A","state":"4","cpu":0,"possible":["1","2"],"previous":90,"loss":null}],"uncertain":[]}
        exit 0
    "#]]
        .assert_eq(&folder.run("check trace.jsonl --model model.xml --engine compat --json").to_string());
    expect![[r#"
        1 incoherence in 9 events (model model.xml, engine joint)

        kinds
          1  dummy_fsm in 4:  A

        incoherences
          1970-01-01 00:00:00.000000100  dummy_fsm 1  A  in 4, fits 1, 2

        exit 0
    "#]]
    .assert_eq(&folder.run("check trace.jsonl --model model.xml").to_string());
}

#[test]
fn a_declared_loss_is_linked_and_tells_in_the_exit_code() {
    let trace = lines([(10, "D", 1), (20, "A", 1)])
        + "{\"stream\":\"s\",\"lost\":3,\"from\":20,\"to\":60}\n"
        + &lines([(70, "D", 1), (80, "A", 1), (90, "C", 1)]);
    let folder = folder().with("model.xml", MODEL).with("trace.jsonl", trace);
    expect![[r#"
        2 incoherences in 5 events (model model.xml, engine compat)
        3 events lost in 1 gap; 1 incoherence may come from that, 1 from no declared loss

        kinds
          1  dummy_fsm in 2:  C
          ... and 1 more (--limit N, --all)

        incoherences
          1970-01-01 00:00:00.000000070  dummy_fsm 1  D  in 2, fits #error, 4 (after loss 1)
          ... and 1 more (--limit N, --all)

        losses that the tracer declared
          1  s CPU 0  3 events  1970-01-01 00:00:00.000000020 to 00:00:00.000000060  1 incoherence after it

        states not certain, longest first
          dummy_fsm 1  1970-01-01 00:00:00.000000020 to 00:00:00.000000070  50 ns

        ! tracewright: model.xml, line 51: Column 11: Machine `dummy_fsm` waits for `B`, and no event of the trace is called so.
        ! tracewright: model.xml, line 67: Column 9: No event of the trace leads machine `dummy_fsm` to its state `3`.
        exit 1
    "#]]
        .assert_eq(&folder.run("check trace.jsonl --model model.xml --engine compat --limit 1").to_string());
    assert_eq!(folder.run("check trace.jsonl --model model.xml --engine compat --allow-loss").code, 0);
    expect![[r#"
        {"engine":"joint","model":"model.xml","events":5,"lost":{"events":3,"packets":0,"gaps":1},"losses":[{"stream":"s","cpu":0,"lost":3,"unit":"events","places":[{"from":20,"to":60}],"incoherences":0}],"incoherences":[{"fsm":"dummy_fsm","key":"1","ts":90,"event":"C","state":"2","cpu":0,"possible":["3"],"previous":80,"loss":null}],"uncertain":[{"fsm":"dummy_fsm","key":"1","from":20,"to":70}]}
        ! tracewright: model.xml, line 51: Column 11: Machine `dummy_fsm` waits for `B`, and no event of the trace is called so.
        ! tracewright: model.xml, line 67: Column 9: No event of the trace leads machine `dummy_fsm` to its state `3`.
        exit 1
    "#]].assert_eq(&folder.run("check trace.jsonl --model model.xml --json").to_string());
}

#[test]
fn inferred_events_as_text_and_json() {
    let folder = small();
    expect![[r#"
        1 incoherence in 9 events (model model.xml, engine compat)
        1 event inferred

        [00:00:00.000 000 095] D { obj_id=-1 }
            dummy_fsm 1, after 1970-01-01 00:00:00.000000090, before 00:00:00.000000100, CPU 0
        exit 0
    "#]]
    .assert_eq(&folder.run("infer trace.jsonl --engine compat --model model.xml").to_string());
    expect![[r#"
        {"engine":"compat","model":"model.xml","events":9,"lost":{"events":0,"packets":0,"gaps":0},"incoherences":[{"fsm":"dummy_fsm","key":"1","ts":100,"event":"A","state":"4"}],"inferred":[{"ts":95,"from":90,"to":100,"name":"D","cpu":0,"fsm":"dummy_fsm","key":"1","fields":{"obj_id":-1},"alternatives":{},"probability":null}],"calibration":null}
        exit 0
    "#]].assert_eq(&folder.run("infer trace.jsonl --engine compat --model model.xml --json").to_string());
    expect![[r#"
        1 incoherence in 9 events (model model.xml, engine compat)
        1 event inferred

        ... and 1 more (--limit N, --all)
        exit 0
    "#]]
    .assert_eq(&folder.run("infer trace.jsonl --engine compat --model model.xml --limit 0").to_string());
    expect![[r#"
        1 incoherence in 9 events (model model.xml, engine joint)
        1 event inferred
        probabilities are not calibrated and stated low: too little of the trace is intact, or it can be read only once

        [00:00:00.000 000 095] D { obj_id=1 }
            dummy_fsm 1, after 1970-01-01 00:00:00.000000090, before 00:00:00.000000100, CPU 0, probability 0.769
            dummy_fsm 1 was in 4, and A does not follow
            may also be B (under 0.001)
        exit 0
    "#]]
    .assert_eq(&folder.run("infer trace.jsonl --model model.xml --engine joint").to_string());
}

#[test]
fn every_recorded_case_of_the_evaluation() {
    let Some(path) = testing::shared("data/lost-events/eval_cases.json") else { return };
    let recorded: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = recorded["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let deleted = case["deleted"].as_array().unwrap();
        let trace = case.get("full_trace").unwrap_or(&recorded["full_trace"]).as_array().unwrap();
        let remaining = trace.iter().filter(|event| !deleted.contains(event));
        let remaining = remaining.map(|event| {
            (
                event["ts"].as_i64().unwrap(),
                event["name"].as_str().unwrap(),
                event["obj_id"].as_i64().unwrap(),
            )
        });
        let folder = folder().with("model.xml", MODEL).with("case.jsonl", lines(remaining));
        let ran = folder.run("infer case.jsonl --model model.xml --engine compat --json");
        assert_eq!(ran.code, 0, "{ran}");
        let answer: Value = serde_json::from_str(&ran.out).unwrap();
        let inferred: Vec<Value> = answer["inferred"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| {
                serde_json::json!([
                    event["ts"],
                    event["name"],
                    event["fields"]["obj_id"],
                    event["from"],
                    event["to"]
                ])
            })
            .collect();
        let expected: Vec<Value> = case["model_output"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| {
                serde_json::json!([
                    event["ts"],
                    event["name"],
                    event["obj_id"],
                    event["interval"][0],
                    event["interval"][1]
                ])
            })
            .collect();
        assert_eq!(inferred, expected, "case {}", case["index"]);
        let found: Vec<Value> = answer["incoherences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| serde_json::json!([event["ts"], event["event"], event["key"], event["state"]]))
            .collect();
        let expected: Vec<Value> = case["incoherences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| {
                serde_json::json!([
                    event["ts"],
                    event["name"],
                    event["obj_id"].to_string(),
                    event["last_state"]
                ])
            })
            .collect();
        assert_eq!(found, expected, "case {}", case["index"]);
    }
}

#[test]
fn the_great_trace_of_the_founding_text() {
    let Some(folder) = unpacked("many-threads") else { return };
    let ran = folder.run("infer many-threads --engine compat --model kernel-2018 --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["events"], 240_644);
    assert_eq!(answer["incoherences"].as_array().unwrap().len(), 16_061);
    assert_eq!(answer["inferred"].as_array().unwrap().len(), 29_434);
    let ran = folder.run("check many-threads --json");
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let found = answer["incoherences"].as_array().unwrap().len();
    assert!(found <= 5, "{found} incoherences on a trace that lost nothing");
}

/// An example of the repository, which has nothing to do with machines: one is made up for it, in
/// which each thread must sell before it bakes. So there is something to infer.
fn shop() -> Folder {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/traces/complete");
    let folder = folder();
    let copied = Command::new("cp").arg("-r").arg(from).arg(folder.path.join("trace")).status();
    assert!(copied.unwrap().success());
    folder
}

fn events_by_babeltrace(folder: &Folder, trace: &str) -> Option<Vec<String>> {
    let output = Command::new("babeltrace2").arg(folder.path.join(trace)).output();
    let Ok(output) = output else {
        println!("left out: babeltrace2 is not there");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

fn count(folder: &Folder, trace: &str) -> usize {
    folder.run(&format!("events {trace} --json --allow-loss")).out.lines().count()
}

#[test]
fn the_repaired_great_trace_is_read_by_babeltrace() {
    let Some(folder) = unpacked("many-threads") else { return };
    let ran = folder.run("infer many-threads --engine compat --out mended --limit 0");
    assert_eq!(ran.code, 0, "{ran}");
    assert!(
        ran.out.ends_with("written to mended: 240,644 recorded events, 29,434 inferred events\n"),
        "{ran}"
    );
    assert_eq!(count(&folder, "mended"), 240_644 + 29_434);
    for file in ["channel0_0", "channel0_7", "index/channel0_3.idx"] {
        let read = |trace: &str| std::fs::read(folder.path.join(trace).join(file)).unwrap();
        assert_eq!(read("many-threads"), read("mended"), "{file}");
    }
    if let Some(lines) = events_by_babeltrace(&folder, "mended") {
        assert_eq!(lines.len(), 240_644 + 29_434);
        assert_eq!(
            lines.iter().filter(|line| line.contains("inferred_by = \"tracewright compat\"")).count(),
            29_434
        );
    }
    // What is there is not written over.
    let again = folder.run("infer many-threads --engine compat --out mended --limit 0");
    assert_eq!(again.code, 2);
    assert!(again.err.contains("not empty"), "{again}");
}

/// How many state estimates an answer in JSON has: one for each part of each loss that is not listed, and each instance.
fn estimates(answer: &Value) -> usize {
    let parts = |bands: &Value| bands.as_array().unwrap().len();
    let of_loss = |loss: &Value| {
        let running = loss["running"].as_array().unwrap().iter();
        running.map(|one| parts(&one["probability"])).sum::<usize>() + parts(&loss["others"])
    };
    answer["long_losses"].as_array().unwrap().iter().map(of_loss).sum()
}

/// The default engine: what it infers is written, read by others, and open to the user's decisions.
#[test]
fn what_the_joint_engine_infers_is_written_and_decided() {
    let Some(folder) = unpacked("many-threads-lossy-discard") else { return };
    let trace = "many-threads-lossy-discard";
    let ran =
        folder.run(&format!("infer {trace} --out mended --write-choices choices.txt --json --allow-loss"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let before: Value = serde_json::from_str(&ran.out).unwrap();
    let inferred = before["inferred"].as_array().unwrap().len();
    let estimates = estimates(&before);
    assert!(inferred > 0 && estimates > 0);
    assert_eq!(count(&folder, "mended"), 193_957 + inferred + estimates);
    if let Some(lines) = events_by_babeltrace(&folder, "mended") {
        assert_eq!(lines.len(), 193_957 + inferred + estimates);
        let those = |mark: &str| lines.iter().filter(|line| line.contains(mark)).count();
        assert_eq!(those("inferred_by = \"tracewright joint\""), inferred + estimates);
        assert_eq!(those(" state_estimate: "), estimates);
    }
    // The first field for which another value is possible gets the last of those that are listed.
    let text = std::fs::read_to_string(folder.path.join("choices.txt")).unwrap();
    let open = text.lines().find(|line| line.contains(" = ")).unwrap();
    let (field, listed) = open.split_once(" = ").unwrap();
    let value = listed.split_whitespace().last().unwrap();
    let chosen = text.replacen(open, &format!("{field} = {value}"), 1);
    std::fs::write(folder.path.join("chosen.txt"), chosen).unwrap();
    let ran = folder.run(&format!("infer {trace} --choices chosen.txt --json --allow-loss"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let after: Value = serde_json::from_str(&ran.out).unwrap();
    let pairs = before["inferred"].as_array().unwrap().iter().zip(after["inferred"].as_array().unwrap());
    let changed: Vec<_> = pairs.filter(|(one, other)| one != other).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].1["fields"][field.trim()].to_string(), value);
}

#[test]
fn places_that_are_refused() {
    let folder = shop();
    for (out, what) in
        [("trace", "not empty"), ("trace/ust/uid/new", "nowhere"), ("no/where", "cannot write to")]
    {
        let ran = folder.run(&format!("infer trace --engine compat --out {out}"));
        assert!(ran.code == 2 && (what == "nowhere" || ran.err.contains(what)), "{ran}");
    }
    let folder = small();
    expect![[r#"
        ! tracewright: --out copies a CTF trace, and trace.jsonl is none
        exit 2
    "#]]
    .assert_eq(&folder.run("infer trace.jsonl --engine compat --model model.xml --out mended").to_string());
    assert!(!folder.path.join("mended").exists());
}

/// Switches of one CPU in a row that do not meet: something is missing, and many threads may be it.
#[test]
fn choices_are_written_read_and_checked() {
    let Some(folder) = unpacked("many-threads") else { return };
    let ran = folder.run("infer many-threads --engine compat --write-choices choices.txt --limit 0");
    assert_eq!(ran.code, 0, "{ran}");
    let text = std::fs::read_to_string(folder.path.join("choices.txt")).unwrap();
    let first: Vec<&str> = text.lines().take(8).collect();
    expect![[r#"
        tracewright choices 1
        # model kernel-2018, engine compat

        event sched_switch cpu_fsm 5 1457113582794569892 1457113582794572361 1
          prev_tid = 4297  # 4297 0 154 4 2196 98 4042 96 and 8,577 others

        event sched_switch process_fsm 4297 1457113582794569892 1457113582794572361 1
          next_tid = 4297  # 4297 0 154 4 2196 98 4042 96 and 8,577 others
    "#]]
    .assert_eq(&(first.join("\n") + "\n"));
    let ran = folder.run("infer many-threads --engine compat --choices choices.txt --limit 0");
    assert_eq!(ran.code, 0, "{ran}");
    let event = text.lines().find(|line| line.starts_with("event")).unwrap();
    let with = |lines: &str| {
        std::fs::write(folder.path.join("own.txt"), format!("tracewright choices 1\n{event}\n{lines}\n"))
            .unwrap();
        folder.run("infer many-threads --engine compat --choices own.txt --limit 1")
    };
    expect![[r#"
        16,061 incoherences in 240,644 events (model kernel-2018, engine compat)
        29,434 events inferred

        [17:46:22.794 570 715] sched_switch { prev_tid=154, next_tid=0, prev_state=0, prev_prio=0, next_prio=0, cpu=5, prev_comm=kworker/4:1H, next_comm=swapper/5 }
            cpu_fsm 5, after 2016-03-04 17:46:22.794569892, before 17:46:22.794572361, CPU 5
            chosen; prev_tid may also be 4297, 0, 4, 2196, 98 or 8,579 others
        ... and 29,433 more (--limit N, --all)
        exit 0
    "#]].assert_eq(&with("prev_tid = 154").to_string());
    expect![[r#"
        ! tracewright: own.txt: line 4: prev_tid = 5, but line 3 says 99999
        ! tracewright: own.txt: line 6: expected `event NAME MACHINE INSTANCE FROM TO PLACE` or `FIELD = VALUE`
        ! tracewright: the choices own.txt have 2 problems, so nothing was done
        exit 2
    "#]].assert_eq(&with("prev_tid = 99999\nprev_tid = 5\nnext_tid = 7\nwhat").to_string());
    expect![[r#"
        ! tracewright: own.txt: line 3: prev_tid = 99999 is not among the 8,585 possible values
        ! tracewright: own.txt: line 4: there is no choice to make for next_tid: no sched_switch of cpu_fsm 5 with that field open is inferred there
        ! tracewright: the choices own.txt have 2 problems, so nothing was done
        exit 2
    "#]].assert_eq(&with("prev_tid = 99999\nnext_tid = 7").to_string());
}

#[test]
fn the_joint_engine_infers_only_where_something_was_lost() {
    let Some(folder) = unpacked("many-threads") else { return };
    let ran = folder.run("infer many-threads --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&answer["engine"], &answer["model"]), (&"joint".into(), &"kernel".into()));
    assert!(answer["incoherences"].as_array().unwrap().len() <= 5);
    assert_eq!(answer["inferred"].as_array().unwrap().len(), 0);
}
